/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * own: sched_setaffinity, sched_setscheduler, setpriority.
 */
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cpu_books.h"
#include "own.h"

#ifndef SCHED_IDLE
#define SCHED_IDLE 5
#endif

unsigned own_cpus(void)
{
	unsigned n = 0;
	cpu_set_t set;

	CPU_ZERO(&set);
	if (!sched_getaffinity(0, sizeof(set), &set))
		n = (unsigned)CPU_COUNT(&set);
	if (!n)
		n = cpu_books_cpus();
	return n ? n : 1;
}

int own_bind(unsigned nth)
{
	cpu_set_t have, want;

	CPU_ZERO(&have);
	CPU_ZERO(&want);
	if (sched_getaffinity(0, sizeof(have), &have))
		return -errno;
	for (unsigned cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, &have) || nth--)
			continue;
		CPU_SET(cpu, &want);
		return sched_setaffinity(0, sizeof(want), &want) ? -errno : 0;
	}
	return -ENODEV;
}

int own_bind_or_only(unsigned nth)
{
	if (own_cpus() == 1)
		return nth ? -ENODEV : 0;
	return own_bind(nth);
}

int own_idle(void)
{
	struct sched_param param;

	memset(&param, 0, sizeof(param));
	return syscall(SYS_sched_setscheduler, 0, SCHED_IDLE, &param) ? -errno : 0;
}

int own_nice(int value) { return setpriority(PRIO_PROCESS, 0, value) ? -errno : 0; }
