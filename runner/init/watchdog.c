/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * watchdog: opens, sets, pets. Trap: most drivers stop at the reboot notifier, which kexec runs too; only with `watchdog.stop_on_reboot=0` (a
 * parameter of the watchdog core, since 5.6) does the time-out guard the jump. A software watchdog dies with its kernel in any case.
 */
#include "init/watchdog.h"
#include "common/io.h"
#include "init/log.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/watchdog.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define DEVICES 4
#define CLASS "/sys/class/watchdog/watchdog%d/%s"
#define STOP_ON_REBOOT "/sys/module/watchdog/parameters/stop_on_reboot"

static const int long_s[] = {3600, 1800, 1200, 600, 300, 240, 180, 120, 90, 60};

static int is_software(const char *identity) { return !strncmp(identity, "Software", 8); }

/* 0, or -1 where this kernel does not say. */
static int read_class(int n, const char *what, char *out, size_t size)
{
	char path[80];

	snprintf(path, sizeof path, CLASS, n, what);
	if (io_read_small(path, out, size) <= 0)
		return -1;
	out[strcspn(out, "\n")] = 0;
	return 0;
}

/* The first that is hardware, so far as the kernel says; /dev/watchdog is the first of all. */
static int choose(char *path, size_t size)
{
	char identity[64];

	for (int i = 0; i < DEVICES; i++)
		if (!read_class(i, "identity", identity, sizeof identity) && !is_software(identity)) {
			snprintf(path, size, "/dev/watchdog%d", i);
			if (access(path, W_OK) == 0)
				return i;
		}
	snprintf(path, size, "/dev/watchdog");
	return 0;
}

/* What it says of itself, kept to letters that a line may hold. */
static void read_identity(struct watchdog *w, struct watchdog_info *info)
{
	*info = (struct watchdog_info){0};
	if (ioctl(w->fd, WDIOC_GETSUPPORT, info) < 0)
		return;
	for (size_t i = 0; i < sizeof w->identity - 1 && info->identity[i]; i++)
		w->identity[i] = isprint(info->identity[i]) ? (char)info->identity[i] : '_';
}

/* 1 if a boot status without CARDRESET means that it was no reset of the watchdog's; many drivers know nothing and say 0. */
static int tells_resets(const struct watchdog *w, const struct watchdog_info *info)
{
	/* Seen in drivers/watchdog: sets the boot status and leaves the flag out of its options. */
	static const char *const identity[] = {"i6300ESB timer"};

	for (size_t i = 0; i < sizeof identity / sizeof *identity; i++)
		if (!strcmp(w->identity, identity[i]))
			return 1;
	return (info->options & WDIOF_CARDRESET) != 0;
}

/* Sets the longest time-out that the driver takes; what it is then, or 0. */
static unsigned set_longest(int fd)
{
	for (size_t i = 0; i < sizeof long_s / sizeof *long_s; i++) {
		int t = long_s[i];

		if (ioctl(fd, WDIOC_SETTIMEOUT, &t) == 0 && t >= long_s[sizeof long_s / sizeof *long_s - 1])
			return (unsigned)t;
	}
	return 0;
}

/*
 * Only the core's drivers obey stop_on_reboot, and only a time-out that is the hardware's survives: where the core pets in between (max_timeout is
 * then 0), the hardware's own, unknown and short, is what would run on.
 */
static unsigned measure_carry(const struct watchdog *w, int n)
{
	char text[64];

	if (is_software(w->identity) || io_read_small(STOP_ON_REBOOT, text, sizeof text) <= 0 || strcmp(text, "0\n") != 0)
		return 0;
	if (!read_class(n, "identity", text, sizeof text) && strcmp(text, w->identity) != 0)
		return 0; /* what is open is none of the core's */
	if (!read_class(n, "max_timeout", text, sizeof text) && !atoi(text))
		return 0;
	return set_longest(w->fd);
}

static void set_timeout(struct watchdog *w)
{
	int timeout = WATCHDOG_TIMEOUT_S;

	/* A board's watchdog may know a few time-outs only; then its own is what counts. */
	if (ioctl(w->fd, WDIOC_SETTIMEOUT, &timeout) < 0 && ioctl(w->fd, WDIOC_GETTIMEOUT, &timeout) < 0)
		timeout = 10;
	w->timeout_s = timeout > 0 ? (unsigned)timeout : 10;
	w->next_ms = 0;
}

void watchdog_open(struct watchdog *w)
{
	struct watchdog_info info;
	char path[32];
	int flags = 0, n = choose(path, sizeof path);

	*w = (struct watchdog){.fd = open(path, O_WRONLY | O_CLOEXEC), .was_reset = -1};
	if (w->fd < 0)
		return;
	io_set_cloexec(w->fd); /* kernels before 2.6.23 know no O_CLOEXEC */
	read_identity(w, &info);
	w->carries_s = measure_carry(w, n);
	set_timeout(w);
	if (ioctl(w->fd, WDIOC_GETBOOTSTATUS, &flags) == 0) {
		if (flags > 0 && (flags & WDIOF_CARDRESET))
			w->was_reset = 1;
		else if (tells_resets(w, &info))
			w->was_reset = 0;
	}
}

uint64_t watchdog_pet(struct watchdog *w, uint64_t now_ms)
{
	uint64_t every_ms = (w->timeout_s < WATCHDOG_TIMEOUT_S ? w->timeout_s : WATCHDOG_TIMEOUT_S) * 1000u / 3;

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
	int timeout = (int)jump_s, off = WDIOS_DISABLECARD;

	if (w->fd < 0)
		return;
	if (jump_s) {
		ioctl(w->fd, WDIOC_SETTIMEOUT, &timeout);
	} else {
		if (ioctl(w->fd, WDIOC_SETOPTIONS, &off) == 0)
			return;
		/* It cannot be stopped (nowayout). Where it also ignores the reboot, the next kernel has as long as can be had. */
		if (!is_software(w->identity))
			log_line("the watchdog cannot be stopped (%s); it runs on for %u s", strerror(errno), set_longest(w->fd));
	}
	ioctl(w->fd, WDIOC_KEEPALIVE, 0);
}

void watchdog_lengthen(struct watchdog *w, unsigned s)
{
	int timeout = (int)s;

	if (w->fd >= 0 && ioctl(w->fd, WDIOC_SETTIMEOUT, &timeout) == 0 && timeout > (int)w->timeout_s)
		w->timeout_s = (unsigned)timeout;
	w->next_ms = 0;
}

void watchdog_stay(struct watchdog *w)
{
	int on = WDIOS_ENABLECARD;

	if (w->fd < 0)
		return;
	ioctl(w->fd, WDIOC_SETOPTIONS, &on);
	set_timeout(w);
	watchdog_pet(w, 0);
}
