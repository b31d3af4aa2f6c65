/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * machine: reboot(2) by raw system call with its magics, because musl's reboot() is the same and takes no surprise.
 * A child does the reset, as in other inits: in some kernels the caller of reboot(2) panics as "init exited" otherwise.
 */
#include "init/machine.h"
#include "common/clock.h"
#include "init/log.h"

#include <errno.h>
#include <linux/reboot.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define RESET_S 120

static int reboot_raw(unsigned cmd) { return syscall(SYS_reboot, LINUX_REBOOT_MAGIC1, LINUX_REBOOT_MAGIC2, cmd, NULL) < 0 ? errno : 0; }

int machine_jump(struct watchdog *w, unsigned jump_s)
{
	kill(-1, SIGKILL);
	watchdog_jump(w, jump_s);
	int err = reboot_raw(LINUX_REBOOT_CMD_KEXEC);
	watchdog_stay(w);
	log_line("kexec returned: %s", strerror(err));
	return err ? err : EIO;
}

_Noreturn void machine_reset(struct watchdog *w)
{
	kill(-1, SIGKILL);
	/* It stays armed (stop_on_reboot=0), and some hardware counts on through its firmware's start. */
	watchdog_jump(w, RESET_S);
	pid_t pid = fork();

	if (pid <= 0) {
		int err = reboot_raw(LINUX_REBOOT_CMD_RESTART);
		log_line("reboot returned: %s", strerror(err));
		if (pid == 0)
			_exit(1);
	}
	/* From here on only the watchdog or the operator helps. Orphans are still reaped. */
	for (;;) {
		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
		clock_sleep_ms(1000);
	}
}
