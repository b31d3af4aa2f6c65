/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * timer: absolute sleeps.
 *
 * As in clock.c each call finds out anew what the kernel has. The clock that degrades (gettimeofday on 2.4) is the one that select is
 * given the rest of, so that both agree.
 */
#include <errno.h>
#include <sys/prctl.h>
#include <sys/select.h>
#include <time.h>

#include "common/clock.h"
#include "fact.h"
#include "timer.h"

#ifndef PR_GET_TIMERSLACK
#define PR_GET_TIMERSLACK 30
#endif

static int sleep_absolute(uint64_t ns)
{
	struct timespec ts = {(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)};
	int err;

	do
		err = clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL);
	while (err == EINTR);
	return err;
}

static void sleep_rest(uint64_t ns)
{
	struct timeval tv = {(time_t)(ns / 1000000000u), (suseconds_t)(ns % 1000000000u / 1000u)};

	if (!tv.tv_sec && !tv.tv_usec)
		tv.tv_usec = 1;
	select(0, NULL, NULL, NULL, &tv);
}

uint64_t timer_sleep_until(uint64_t ns)
{
	uint64_t now = clock_now_ns();

	while (now < ns) {
		if (clock_is_degraded() || sleep_absolute(ns))
			sleep_rest(ns - now);
		now = clock_now_ns();
	}
	return now;
}

void timer_report(void)
{
	struct timespec past = {0, 0};
	int absolute = !clock_is_degraded() && !clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &past, NULL);
	int slack = prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0); /* an int: more than 2 s is no slack that a box has */

	fact_str("timer", absolute ? "clock_nanosleep" : "select");
	if (slack >= 0)
		fact_u64("slack_ns", (uint64_t)slack);
}
