/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * proc_fixture: a folder for each test of processes, and looking at processes from outside.
 */
#ifndef KD_PROC_FIXTURE_H
#define KD_PROC_FIXTURE_H

#include "unit.h"

#include "common/clock.h"
#include "common/io.h"
#include "common/proc.h"

#define SH(script) ((const char *const[]){"/bin/sh", "-c", script, NULL})

static struct unit_dir dir;

static inline int setup(void **state)
{
	(void)state;
	unit_dir_make(&dir);
	return 0;
}

static inline int teardown(void **state)
{
	(void)state;
	unit_dir_remove(&dir);
	return 0;
}

/* 0 once a process is gone, or is a corpse that waits for PID 1 to bury it. */
static inline int still_runs(pid_t pid)
{
	char path[64], buf[512];
	const char *s;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	if (io_read_small(path, buf, sizeof(buf)) <= 0)
		return 0;
	s = strrchr(buf, ')');
	return s && s[2] != 'Z' && s[2] != 'X';
}

static inline pid_t read_pid(const char *name)
{
	char buf[32];

	for (int i = 0; i < 200; i++) {
		if (io_read_small(unit_path(&dir, name), buf, sizeof(buf)) > 0 && strchr(buf, '\n'))
			return (pid_t)atoi(buf);
		clock_sleep_ms(10);
	}
	return -1;
}

#endif
