/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * phase: a timed section with all its books: its time, CPU of the process and of the machine (cpu_books), kernel threads by name (kthreads),
 * switches, faults, run queue and pressure (counters), on an NFS place the client's own (nfs_books). A phase sums over the repetitions that count.
 *
 *     phase_begin(&p, "read", NULL);  ... work ...  phase_end(&p, rep > 0);      a struct phase begins as zeros
 *     phase_report(&p, bytes);
 *
 * All books are read outside the time between begin and end, the cheap ones next to it. A phase that has begun is to end (it holds memory), also
 * when the work failed. Two may be open at a time. Children count when they are reaped before phase_end.
 */
#ifndef KD_SUITE_PHASE_H
#define KD_SUITE_PHASE_H

#include "counters.h"
#include "cpu_books.h"
#include "kthreads.h"
#include "nfs_books.h"

struct place;

struct phase {
	const char *name;
	/* running */
	const struct place *place; /* an NFS mount has books of its own; may be NULL */
	uint64_t start_ns;
	struct cpu_books cpu_before;
	struct counters before;
	struct kthreads_mark *mark; /* NULL: no room, or no /proc */
	struct nfs_books nfs_before;
	/* result: sums over n repetitions */
	unsigned n;
	uint64_t ns;
	struct cpu_books cpu;
	struct counters counters;
	struct kthreads kthreads;
	struct nfs_books nfs;
};

void phase_begin(struct phase *p, const char *name, const struct place *place);
/* counts=0: a warm-up or a failure, thrown away. */
void phase_end(struct phase *p, int counts);
/* bytes: what all the repetitions that count moved; 0: none. Nothing where none counted. */
void phase_report(const struct phase *p, uint64_t bytes);

#endif
