/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fault: breaks the machine that it runs on, as the word kdfault=NAME[:arg] of the kernel's command line says. Not a
 * measurement: it is what `kdyno rehearse` and tests/qemu use to see what becomes of a boot that goes wrong in its middle.
 *
 * Contract: without the word, or on a machine that is no box (no /kd/job), it skips and touches nothing. What it is about to do is said
 * (`fact fault=`), and has left the machine, before it is done.
 * Trap: a fault that ends well is a pass of this test; whether the boot was to survive it is not judged here.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/time.h>
#include <unistd.h>

#include "arg.h"
#include "common/clock.h"
#include "common/err.h"
#include "common/io.h"
#include "fact.h"
#include "fault.h"
#include "suite.h"

#define WORD "kdfault="
#define JOB "/kd/job"
#define RUNNER "/kd/runner"
#define LEAVE_MS 500 /* a fact is on the serial line and on its way to NFS */

enum { SECONDS };

void fault_announce(const char *name, uint64_t quiet_ms)
{
	fact_str("fault", name);
	fact_phase(name, quiet_ms);
	clock_sleep_ms(LEAVE_MS);
}

int fault_write(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC), err;

	if (fd < 0)
		return -errno;
	err = io_write_all(fd, text, strlen(text));
	close(fd);
	return err;
}

static int segv(const struct fault_how *h)
{
	(void)h;
	kill(getppid(), SIGSEGV);
	clock_sleep_ms(2000);
	return fact_fail("the runner lives on after SIGSEGV");
}

/* Whatever is started as runner ends at once: busybox knows no applet of that name. */
static int rundie(const struct fault_how *h)
{
	(void)h;
	if (mount("/bin/busybox", RUNNER, NULL, MS_BIND, NULL))
		return fact_skip("cannot mount over " RUNNER ": %s", strerror(errno));
	kill(getppid(), SIGKILL);
	clock_sleep_ms(2000);
	return fact_fail("the runner lives on after SIGKILL");
}

static int testhang(const struct fault_how *h)
{
	(void)h;
	signal(SIGTERM, SIG_IGN);
	while (pause())
		;
	return EXIT_FAIL;
}

/* Ten years ahead, then thirty back, then where it was. */
static int jump_clock(const struct fault_how *h)
{
	static const long year_s = 31556952, years[] = {10, -30, 20};
	unsigned jumps = 0;
	struct timeval t;

	(void)h;
	for (size_t i = 0; i < sizeof(years) / sizeof(years[0]); i++) {
		if (gettimeofday(&t, NULL))
			return fact_fail("gettimeofday: %s", strerror(errno));
		t.tv_sec += years[i] * year_s;
		if (settimeofday(&t, NULL))
			return fact_fail("settimeofday: %s", strerror(errno));
		fact_u64("unix_s", (uint64_t)t.tv_sec);
		jumps++;
		clock_sleep_ms(1000);
	}
	fact_metric("done", jumps);
	return EXIT_OK;
}

/* quiet_ms: how long until it is over, one way or the other, as far as it is known. */
static const struct {
	const char *name;
	int (*act)(const struct fault_how *h);
	const char *arg; /* where it is not given */
	unsigned quiet_ms;
} faults[] = {
	{"panic", fault_panic, "", 1000},
	{"oops", fault_module, "oops", 1000},
	{"bug", fault_module, "bug", 1000},
	{"warn", fault_module, "warn", 5000},
	{"hardlockup", fault_module, "hard", 1000},
	{"softlockup", fault_module, "soft", 10000},
	{"triple", fault_module, "triple", 1000},
	{"hungtask", fault_hungtask, "", 15000},
	{"segv", segv, "", 2000},
	{"oom", fault_oom, "", 20000},
	{"rundie", rundie, "", 2000},
	{"forkbomb", fault_forkbomb, "", 20000},
	{"diskfull", fault_diskfull, "", 20000},
	{"clock", jump_clock, "", 4000},
	{"flood", fault_flood, "", 2000},
	{"testhang", testhang, "", 20000},
};

/* The value of the word on the command line. 0 or -ENOENT. */
static int find_word(char *out, size_t size)
{
	static char line[4096];
	const char *at = line;

	if (io_read_small("/proc/cmdline", line, sizeof(line)) < 0)
		return -ENOENT;
	for (at = line; *at; at += strcspn(at, " \n"), at += strspn(at, " \n"))
		if (!strncmp(at, WORD, sizeof(WORD) - 1)) {
			size_t n = strcspn(at += sizeof(WORD) - 1, " \n");

			if (n >= size)
				return -ENOENT;
			memcpy(out, at, n);
			out[n] = 0;
			return 0;
		}
	return -ENOENT;
}

int fault(char **argv)
{
	struct arg args[] = {{.name = "seconds", .v = 8, .min = 1, .max = 60, .about = "how long those last that last"}, {0}};
	char word[64], *colon;
	struct fault_how h;

	arg_parse(args, argv);
	if (find_word(word, sizeof(word)))
		return fact_skip("no " WORD " on the command line");
	if (access(JOB, R_OK))
		return fact_skip("this machine is no box");
	colon = strchr(word, ':');
	if (colon)
		*colon++ = 0;
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
		if (!strcmp(word, faults[i].name)) {
			h = (struct fault_how){.seconds = args[SECONDS].v, .arg = colon ? colon : faults[i].arg};
			fault_announce(word, faults[i].quiet_ms);
			return faults[i].act(&h);
		}
	return fact_fail("no fault '%s'", word);
}
