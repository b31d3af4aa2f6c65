/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * progress: how far a storage phase was at which time. A mean hides bursts and pauses; a series shows them.
 *
 * KiB done in each interval of 100 ms, in 600 u32; where a phase is longer than that, two intervals become one, again and again, so that it is always
 * the whole phase. What a long step did counts where it ended: a stall is a row of zeros and then a heap. The longest stall is exact: the longest
 * time between two notes. Note once a step of 256 KiB or so, never per small operation. It holds no pointer: it may lie in shared memory,
 * with one writer.
 * Throughput of 1 s: over windows of 1 s that begin each interval (so they overlap: it describes, it is no sample), p50 from 6 windows on, p1 from 100.
 * Where an interval is longer than 1 s, so are the windows.
 */
#ifndef KD_SUITE_PROGRESS_H
#define KD_SUITE_PROGRESS_H

#include <stddef.h>
#include <stdint.h>

#define PROGRESS_SLOTS 600
#define PROGRESS_FIRST_MS 100
#define PROGRESS_SAID_MAX 60

struct progress {
	uint64_t start_ns, last_ns;     /* last_ns: of the latest note */
	uint64_t bytes;                 /* done then */
	uint64_t stall_ns, stall_at_ns; /* the longest, and when it began, from the start on */
	uint32_t interval_ms;
	uint32_t n; /* slots in use */
	uint32_t kib[PROGRESS_SLOTS];
};

struct progress_windows {
	size_t n;
	uint64_t ms;           /* length of one */
	uint64_t min, p1, p50; /* KiB done in one; p1, p50 where there are enough */
	int has_p1, has_p50;
};

void progress_start(struct progress *p, uint64_t now_ns);
/* bytes_done: since the start. */
void progress_note(struct progress *p, uint64_t now_ns, uint64_t bytes_done);
/* Keeps of several repetitions the one with the longest stall. `worst` begins as zeros. */
void progress_keep(struct progress *worst, const struct progress *p);
/* Pure. */
void progress_windows(const struct progress *p, struct progress_windows *w);
/* Pure: at most max values, intervals put together. Their number; *ms is the length of one. */
size_t progress_series(const struct progress *p, uint64_t *kib, size_t max, uint64_t *ms);
/* `fact progress=NAME ns= bytes= stall_ns= stall_at_ms= min= p1= p50=` (bytes a second), `fact progress=NAME ms= i=1 kib=12,0,7`. */
void progress_report(const char *name, const struct progress *p);

#endif
