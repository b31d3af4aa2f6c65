/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * PID 1 of a box; main() is the order of boot. It never exits, never allocates, never touches what may hang (NFS), and
 * starts on any kernel from 2.4 on: what is missing is degraded and recorded. The runner does the work; when it dies
 * PID 1 starts `runner --next` once, and when that dies too it resets the machine.
 */
#include "common/clock.h"
#include "common/io.h"
#include "init/bootline.h"
#include "init/console.h"
#include "init/log.h"
#include "init/machine.h"
#include "init/modules.h"
#include "init/mounts.h"
#include "init/runner.h"
#include "init/seed.h"
#include "init/sysctl.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/reboot.h>
#include <signal.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <unistd.h>

#define PACK_PATH "/kd/pack"

static void block_signals(void)
{
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
}

static void prepare_process(void)
{
	umask(022);
	if (chdir("/") < 0)
		log_line("chdir / failed");
	reboot(RB_DISABLE_CAD); /* Ctrl-Alt-Del is a signal to us, and blocked */
}

/* A kernel that is lost is to end in a panic and a reset. */
static void set_sysctl(struct bootline *b)
{
	static char cmdline[4096];

	if (!sysctl_is_ours("/proc/self/uid_map")) {
		degraded_add(&b->degraded, "sysctl", "", EPERM);
		return;
	}
	if (io_read_small("/proc/cmdline", cmdline, sizeof cmdline) < 0)
		cmdline[0] = 0;
	sysctl_set(SYSCTL_DIR, cmdline, b->sysctl, sizeof b->sysctl, &b->degraded);
}

/*
 * Before /proc is there an old kernel tells its uptime in whole seconds only: the beginning is then counted back from now, by the wall clock, which
 * nobody has had time to set.
 */
static void check_clock(struct bootline *b, uint64_t start_ns)
{
	if (!clock_is_degraded())
		return;
	uint64_t now = clock_boot_ns(), gone = clock_now_ns() - start_ns;

	if (gone < now)
		b->init_ns = now - gone;
	degraded_add(&b->degraded, "clock", "monotonic", ENOSYS);
}

/* The runner, then once more with --next where its end calls for it; back only for a reset. */
static void run_to_the_end(struct modules *modules, struct watchdog *watchdog)
{
	struct runner r = {0};
	const char *reason = NULL;

	for (int life = 0; life < 2; life++) {
		int code = runner_run(&r, watchdog, modules, reason);

		if (code == RUNNER_RESET)
			return;
		if (code == RUNNER_JUMP) {
			machine_jump(watchdog, r.promise.jump_s);
			reason = "jump-returned";
		} else {
			log_line("the runner ended: %s", r.why);
			reason = r.why;
		}
	}
	/* Nobody is left who could send a record; the station knows this line. */
	log_console("no runner left (%s): reset", r.why);
}

int main(void)
{
	struct bootline boot = {.init_ns = clock_boot_ns()};
	uint64_t start_ns = clock_now_ns();
	struct modules modules = {.pack = PACK_PATH, .fd = -1};
	struct watchdog watchdog = {.fd = -1, .was_reset = -1};

	if (getpid() != 1)
		return 2;
	block_signals();
	int console = console_open();
	mounts_make(&boot.degraded);
	if (console && console_open())
		degraded_add(&boot.degraded, "console", "", ENODEV);
	boot.mounts_ns = clock_boot_ns();
	prepare_process();
	set_sysctl(&boot);
	seed_random(&boot.degraded);
	check_clock(&boot, start_ns);
	boot.runner_ns = clock_boot_ns();
	bootline_write(&boot);
	run_to_the_end(&modules, &watchdog); /* the modules and the watchdog, when the runner's early tests are over */
	machine_reset(&watchdog);
}
