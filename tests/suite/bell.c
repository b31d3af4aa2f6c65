/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bell: setitimer(ITIMER_REAL), which every kernel since 2.0 has.
 */
#include <signal.h>
#include <string.h>
#include <sys/time.h>

#include "bell.h"

static volatile sig_atomic_t rung; /* what a handler can reach is global */

static void ring(int sig)
{
	(void)sig;
	rung = 1;
}

void bell_set(unsigned ms)
{
	struct itimerval it;
	struct sigaction sa;

	memset(&sa, 0, sizeof(sa));
	sa.sa_handler = ring; /* no SA_RESTART: blocking calls are to break off */
	sigemptyset(&sa.sa_mask);
	sigaction(SIGALRM, &sa, NULL);
	rung = 0;
	it.it_value.tv_sec = (time_t)(ms / 1000u);
	it.it_value.tv_usec = (suseconds_t)(ms % 1000u) * 1000;
	it.it_interval.tv_sec = 0;
	it.it_interval.tv_usec = 100000;
	setitimer(ITIMER_REAL, &it, NULL);
}

int bell_rung(void) { return rung; }

void bell_stop(void)
{
	struct itimerval it;

	memset(&it, 0, sizeof(it));
	setitimer(ITIMER_REAL, &it, NULL);
}
