/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * counters: single numbers of the test's own process (with its reaped children) and of the whole machine, whose difference over a phase explains
 * a rate: context switches, forks, page faults, time on the run queue, pressure (PSI).
 *
 * What a kernel does not count is not known (a bit in `known`), and is not said: rusage has context switches from 2.6.0 on, /proc/vmstat
 * came in 2.5, schedstat is in ns from 2.6.23 on (before, in jiffies: left out), PSI came in 4.20 and can be off. Of /proc/schedstat only the last
 * three fields of a CPU's line are read, which all its versions have in common. Traps: own run_ns, wait_ns and slices are of the
 * test's main process without its children; machine-wide numbers hold whatever else runs.
 */
#ifndef KD_SUITE_COUNTERS_H
#define KD_SUITE_COUNTERS_H

#include <stdint.h>

enum counter {
	/* own */
	OWN_SYS_US,
	OWN_MINOR,
	OWN_MAJOR,
	OWN_VOLUNTARY,
	OWN_FORCED,
	OWN_RUN_NS,
	OWN_WAIT_NS,
	OWN_SLICES,
	/* the machine's */
	ALL_SWITCHES,
	ALL_FORKS,
	ALL_FAULTS,
	ALL_MAJOR,
	ALL_RUN_NS,
	ALL_WAIT_NS,
	ALL_SLICES,
	/* PSI */
	PSI_CPU,
	PSI_IO,
	PSI_IO_FULL,
	PSI_MEMORY,
	PSI_MEMORY_FULL,
	COUNTERS
};

struct counters {
	uint64_t v[COUNTERS];
	uint32_t known; /* a bit each */
};

/* Pure, over the text of the file of that name; what is not there stays unknown. */
void counters_parse_stat(const char *text, struct counters *c);      /* /proc/stat */
void counters_parse_vmstat(const char *text, struct counters *c);    /* /proc/vmstat */
void counters_parse_schedstat(const char *text, struct counters *c); /* /proc/schedstat */
void counters_parse_own(const char *text, struct counters *c);       /* /proc/self/schedstat */
/* The totals of /proc/pressure/<x>; full may be COUNTERS: of no interest. */
void counters_parse_pressure(const char *text, enum counter some, enum counter full, struct counters *c);

/* Of this kernel, into a struct that began as zeros: rusage, which is cheap, and the rest. stat: the text of /proc/stat, or NULL. */
void counters_read_usage(struct counters *c);
void counters_read(struct counters *c, const char *stat);
/* sum += after - before, of what both know; a counter that went back adds nothing. `sum` knows what was ever known. */
void counters_add(struct counters *sum, const struct counters *before, const struct counters *after);
/* `fact own=NAME ...`, `fact machine=NAME ...`, `fact psi=NAME ...`. */
void counters_report(const char *name, const struct counters *sum);

#endif
