/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * watchdog: opens, sets, pets. Trap: many drivers stop at the reboot notifier, which kexec runs too; only with
 * `watchdog.stop_on_reboot=0` on the command line does the time-out below guard the jump.
 */
#include "init/watchdog.h"
#include "common/io.h"

#include <fcntl.h>
#include <linux/watchdog.h>
#include <string.h>
#include <sys/ioctl.h>

/* 1 if a boot status without CARDRESET means that it was no reset of the watchdog's; many drivers know nothing and say 0. */
static int tells_resets(int fd)
{
	/* Seen in drivers/watchdog: sets the boot status and leaves the flag out of its options. */
	static const char *const identity[] = {"i6300ESB timer"};
	struct watchdog_info info = {0};

	if (ioctl(fd, WDIOC_GETSUPPORT, &info) < 0)
		return 0;
	for (size_t i = 0; i < sizeof identity / sizeof *identity; i++)
		if (!strncmp((const char *)info.identity, identity[i], sizeof info.identity))
			return 1;
	return (info.options & WDIOF_CARDRESET) != 0;
}

void watchdog_open(struct watchdog *w)
{
	int timeout = WATCHDOG_TIMEOUT_S, flags = 0;

	*w = (struct watchdog){.fd = open("/dev/watchdog", O_WRONLY | O_CLOEXEC), .was_reset = -1};
	if (w->fd < 0)
		return;
	io_set_cloexec(w->fd); /* kernels before 2.6.23 know no O_CLOEXEC */
	/* A board's watchdog may know a few time-outs only; then its own is what counts. */
	if (ioctl(w->fd, WDIOC_SETTIMEOUT, &timeout) < 0 && ioctl(w->fd, WDIOC_GETTIMEOUT, &timeout) < 0)
		timeout = 10;
	w->timeout_s = timeout > 0 ? (unsigned)timeout : 10;
	if (ioctl(w->fd, WDIOC_GETBOOTSTATUS, &flags) == 0) {
		if (flags > 0 && (flags & WDIOF_CARDRESET))
			w->was_reset = 1;
		else if (tells_resets(w->fd))
			w->was_reset = 0;
	}
}

uint64_t watchdog_pet(struct watchdog *w, uint64_t now_ms)
{
	uint64_t every_ms = w->timeout_s * 1000u / 3;

	if (w->fd < 0)
		return 60000;
	if (now_ms >= w->next_ms) {
		ioctl(w->fd, WDIOC_KEEPALIVE, 0);
		w->next_ms = now_ms + every_ms;
	}
	return w->next_ms - now_ms;
}

void watchdog_jump(struct watchdog *w, unsigned jump_s)
{
	int timeout = (int)jump_s;

	if (w->fd < 0)
		return;
	if (jump_s)
		ioctl(w->fd, WDIOC_SETTIMEOUT, &timeout);
	ioctl(w->fd, WDIOC_KEEPALIVE, 0);
}
