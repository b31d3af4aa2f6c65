/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fault_kernel: faults of the kernel. Those that no program can cause are done by a module (tests/qemu/fault/kdfault.c), which does nothing
 * until it is told to; a kernel whose pack lacks it skips them.
 *
 * The limits of the kernel's own detectors are made short, so that a rehearsal does not take minutes; whether they panic is left as init has set it.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/err.h"
#include "common/io.h"
#include "fact.h"
#include "fault.h"

#define MODULE "/sys/module/kdfault/parameters/what"
#define HUNG_S "4"   /* of hung_task_timeout_secs */
#define THRESH_S "2" /* of watchdog_thresh: a soft lockup is twice that */

int fault_panic(const struct fault_how *h)
{
	int err = fault_write("/proc/sysrq-trigger", "c");

	(void)h;
	if (err)
		return fact_skip("/proc/sysrq-trigger: %s", strerror(-err));
	clock_sleep_ms(2000);
	return fact_fail("sysrq c did nothing");
}

int fault_module(const struct fault_how *h)
{
	int err;

	if (access(MODULE, F_OK))
		return fact_skip("no module kdfault in this kernel's pack");
	fault_write("/proc/sys/kernel/watchdog_thresh", THRESH_S);
	err = fault_write(MODULE, h->arg);
	if (err)
		return fact_fail("kdfault does not know '%s': %s", h->arg, strerror(-err));
	fact_metric("done", 1);
	return EXIT_OK;
}

/* A file system that is frozen, and a child that writes to it: it sleeps where no signal reaches it. */
int fault_hungtask(const struct fault_how *h)
{
	const char *dir = getenv("KD_SCRATCH");
	char path[256];
	pid_t pid;
	int fd;

	(void)h;
	if (!dir)
		return fact_skip("KD_SCRATCH is not set");
	snprintf(path, sizeof(path), "%s/hung", dir);
	fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return fact_fail("open %s: %s", dir, strerror(errno));
	fault_write("/proc/sys/kernel/hung_task_timeout_secs", HUNG_S);
	if (ioctl(fd, FIFREEZE, 0))
		return fact_skip("FIFREEZE: %s", strerror(errno));
	pid = fork();
	if (!pid) {
		int to = open(path, O_WRONLY | O_CREAT, 0600);

		_exit(to >= 0);
	}
	fact_u64("pid", (uint64_t)pid);
	while (pause())
		;
	return EXIT_FAIL;
}

/*
 * Emergencies, which no console level keeps back, from a process that has left the test's group: they stand in the middle of the records that
 * follow.
 */
int fault_flood(const struct fault_how *h)
{
	uint64_t until = clock_now_ms() + h->seconds * 1000;
	char line[128];
	int fd, n;

	fault_write("/proc/sys/kernel/printk_devkmsg", "on");
	fd = open("/dev/kmsg", O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return fact_skip("/dev/kmsg: %s", strerror(errno));
	if (!fork()) {
		setsid();
		fault_write("/proc/self/oom_score_adj", "0"); /* by a test's own the runner would find it */
		close(FACT_FD);
		close(1);
		close(2);
		for (unsigned i = 0; clock_now_ms() < until; i++) {
			n = snprintf(line, sizeof(line), "<0>kdfault: flood, line %u, as long as a line of the kernel's often is, and no longer", i);
			if (write(fd, line, (size_t)n) < 0)
				_exit(1);
			clock_sleep_ms(3);
		}
		_exit(0);
	}
	clock_sleep_ms(200);
	fact_metric("done", 1);
	return EXIT_OK;
}
