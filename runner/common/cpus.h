/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cpus: how many CPUs work. Lines `cpuN` of /proc/stat (proc(5)), which 2.2 has with SMP only and 2.4 always; sysconf(3) counts the mask of
 * sched_getaffinity(2), which came with 2.6, and says one where there is none.
 */
#ifndef KD_CPUS_H
#define KD_CPUS_H

/* Lines of a text like /proc/stat; 0: it has none. Pure. */
unsigned cpus_parse(const char *stat);
/* At least 1. */
unsigned cpus_online(void);

#endif
