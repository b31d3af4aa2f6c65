/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * clock: intervals in ns and ms.
 *
 * Each call finds out anew which clock the kernel has: a failed system call costs less than a global would. Milliseconds are made from
 * seconds and nanoseconds, not from a 64-bit quotient, which on i386 is a libgcc call that a 486 cannot run.
 * The trap: with gettimeofday (Linux 2.4) a step of the wall clock is a step here; clock_is_degraded() tells.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <time.h>

#include "common/clock.h"
#include "common/io.h"

static void read_wall(struct timespec *ts)
{
	struct timeval tv = {0, 0};

	gettimeofday(&tv, NULL);
	ts->tv_sec = tv.tv_sec;
	ts->tv_nsec = (long)tv.tv_usec * 1000L;
}

static uint64_t to_ns(const struct timespec *ts) { return (uint64_t)ts->tv_sec * 1000000000u + (uint64_t)ts->tv_nsec; }

static uint64_t to_ms(const struct timespec *ts) { return (uint64_t)ts->tv_sec * 1000u + (uint64_t)(ts->tv_nsec / 1000000L); }

static void read_now(struct timespec *ts)
{
	if (clock_gettime(CLOCK_MONOTONIC, ts))
		read_wall(ts);
}

/* `12345.67 ...`: seconds and hundredths. */
static int read_uptime(struct timespec *ts)
{
	char buf[64];
	unsigned long sec;
	unsigned hundredths;

	if (io_read_small("/proc/uptime", buf, sizeof(buf)) <= 0)
		return -1;
	if (sscanf(buf, "%lu.%2u", &sec, &hundredths) != 2)
		return -1;
	ts->tv_sec = (time_t)sec;
	ts->tv_nsec = (long)hundredths * 10000000L;
	return 0;
}

static void read_boot(struct timespec *ts)
{
	struct sysinfo si;

	if (!clock_gettime(CLOCK_BOOTTIME, ts) || !clock_gettime(CLOCK_MONOTONIC, ts) || !read_uptime(ts))
		return;
	memset(ts, 0, sizeof(*ts));
	if (!sysinfo(&si)) /* no /proc yet */
		ts->tv_sec = (time_t)si.uptime;
}

uint64_t clock_now_ns(void)
{
	struct timespec ts;

	read_now(&ts);
	return to_ns(&ts);
}

uint64_t clock_now_ms(void)
{
	struct timespec ts;

	read_now(&ts);
	return to_ms(&ts);
}

uint64_t clock_boot_ns(void)
{
	struct timespec ts;

	read_boot(&ts);
	return to_ns(&ts);
}

uint64_t clock_boot_ms(void)
{
	struct timespec ts;

	read_boot(&ts);
	return to_ms(&ts);
}

uint64_t clock_unix_ms(void)
{
	struct timespec ts;

	read_wall(&ts);
	return to_ms(&ts);
}

int clock_is_degraded(void)
{
	struct timespec ts;

	return clock_gettime(CLOCK_MONOTONIC, &ts) != 0;
}

void clock_sleep_ms(unsigned ms)
{
	struct timespec ts = {(time_t)(ms / 1000u), (long)(ms % 1000u) * 1000000L};

	while (nanosleep(&ts, &ts) && errno == EINTR)
		;
}
