/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * phase: reads the books in the order of their cost, so that the reading itself is in none but the dearest.
 */
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "common/io.h"
#include "fact_line.h"
#include "phase.h"
#include "place.h"

#define STAT_BYTES_MAX (1u << 20) /* of a machine with very many interrupts */

/* Whole; the caller frees it. NULL where there is none. */
static char *read_stat(void)
{
	char *stat;
	size_t len;

	return io_read_file("/proc/stat", STAT_BYTES_MAX, &stat, &len) ? NULL : stat;
}

void phase_begin(struct phase *p, const char *name, const struct place *place)
{
	char *stat;

	p->name = name;
	p->place = place;
	place_books_read(place, &p->nfs_before);
	p->mark = malloc(sizeof(*p->mark));
	if (p->mark && kthreads_mark(p->mark)) {
		free(p->mark);
		p->mark = NULL;
	}
	memset(&p->before, 0, sizeof(p->before));
	stat = read_stat();
	counters_read(&p->before, stat);
	counters_read_usage(&p->before);
	cpu_books_take(&p->cpu_before, stat);
	free(stat);
	p->start_ns = clock_now_ns();
}

void phase_end(struct phase *p, int counts)
{
	uint64_t end_ns = clock_now_ns();
	struct cpu_books cpu_after;
	struct counters after = {.known = 0};

	if (counts) {
		struct nfs_books nfs_after;
		char *stat;

		cpu_books_take(&cpu_after, NULL);
		counters_read_usage(&after);
		stat = read_stat();
		if (stat)
			cpu_after.columns = cpu_books_parse(stat, cpu_after.ticks);
		if (p->mark)
			kthreads_since(&p->kthreads, p->mark);
		counters_read(&after, stat);
		free(stat);
		p->n++;
		p->ns += end_ns - p->start_ns;
		cpu_books_add(&p->cpu, &p->cpu_before, &cpu_after);
		counters_add(&p->counters, &p->before, &after);
		place_books_read(p->place, &nfs_after);
		nfs_books_add(&p->nfs, &p->nfs_before, &nfs_after);
	}
	free(p->mark);
	p->mark = NULL;
}

void phase_report(const struct phase *p, uint64_t bytes)
{
	struct fact_line l;

	if (!p->n)
		return;
	fact_line_open(&l, "timed", p->name);
	fact_line_u64(&l, "n", p->n);
	fact_line_u64(&l, "ns", p->ns);
	if (bytes)
		fact_line_u64(&l, "bytes", bytes);
	fact_line_send(&l);
	cpu_books_report(p->name, &p->cpu);
	kthreads_report(p->name, &p->kthreads);
	counters_report(p->name, &p->counters);
	nfs_books_report(p->name, &p->nfs);
}
