/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fault: the faults of the test `fault`, by the files they stand in. Each does its harm and returns an exit status where there is
 * still something to return to.
 */
#ifndef KD_SUITE_FAULT_H
#define KD_SUITE_FAULT_H

#include <stdint.h>

struct fault_how {
	uint64_t seconds; /* of those that last */
	const char *arg;  /* behind the name, "" for none */
};

/* What was done before it acts, and time for that to get out of the kernel. */
void fault_announce(const char *name, uint64_t quiet_ms);
/* Writes a word to a file of /proc or /sys. 0 or -errno. */
int fault_write(const char *path, const char *text);

/* fault_kernel.c */
int fault_panic(const struct fault_how *h);
int fault_module(const struct fault_how *h); /* arg: what the module is to do */
int fault_hungtask(const struct fault_how *h);
int fault_flood(const struct fault_how *h);

/* fault_memory.c */
int fault_oom(const struct fault_how *h);
int fault_forkbomb(const struct fault_how *h);
int fault_diskfull(const struct fault_how *h);

#endif
