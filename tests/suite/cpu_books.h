/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cpu_books: the CPU time of a phase, in two independent books: this process and its reaped children (getrusage), and the whole
 * machine (/proc/stat), in which the work of rpciod, kworker, interrupts and softirqs shows that getrusage cannot see.
 *
 * Rates per CPU second are the station's to derive. The traps: /proc/stat is sampled by the tick (a standard error of 1 % of
 * a CPU over 10 s at HZ=100), iowait is unreliable and may go back (then 0 here), and 2.4 has only the first four columns.
 */
#ifndef KD_SUITE_CPU_BOOKS_H
#define KD_SUITE_CPU_BOOKS_H

#include <stdint.h>

#define CPU_BOOKS_COLUMNS 8 /* user nice system idle iowait irq softirq steal */

struct cpu_books {
	uint64_t self_us;                  /* user and system, self and children */
	uint64_t ticks[CPU_BOOKS_COLUMNS]; /* of 10 ms (USER_HZ is 100 wherever kdyno runs) */
	unsigned columns;                  /* how many there are: 0 without /proc */
};

void cpu_books_read(struct cpu_books *b);
/* The same with the text of /proc/stat in hand, or NULL. */
void cpu_books_take(struct cpu_books *b, const char *stat);
/* Pure: the `cpu ` line of /proc/stat. The number of columns found. */
unsigned cpu_books_parse(const char *text, uint64_t *ticks);
/* Adds after - before to sum, column by column; a column that went back adds nothing. */
void cpu_books_add(struct cpu_books *sum, const struct cpu_books *before, const struct cpu_books *after);
/* `fact cpu=NAME self_us= busy_us= idle_us= sys_us= irq_us= iowait_us=` (only what is known). */
void cpu_books_report(const char *name, const struct cpu_books *sum);
/* CPUs that are online: `cpuN` lines of /proc/stat; 0 unknown. */
unsigned cpu_books_cpus(void);

#endif
