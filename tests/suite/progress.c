/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * progress: notes into slots, slots into windows and series.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fact_line.h"
#include "progress.h"

#define WINDOW_MS 1000u
#define P50_LEAST 6
#define P1_LEAST 100

void progress_start(struct progress *p, uint64_t now_ns)
{
	memset(p, 0, sizeof(*p));
	p->start_ns = p->last_ns = now_ns;
	p->interval_ms = PROGRESS_FIRST_MS;
}

/* Two slots become one. */
static void halve(struct progress *p)
{
	for (unsigned i = 0; i < PROGRESS_SLOTS; i += 2) {
		uint32_t room = UINT32_MAX - p->kib[i];

		p->kib[i / 2] = p->kib[i] + (p->kib[i + 1] < room ? p->kib[i + 1] : room);
	}
	memset(&p->kib[PROGRESS_SLOTS / 2], 0, sizeof(p->kib) / 2);
	p->interval_ms *= 2;
	p->n = (p->n + 1) / 2;
}

void progress_note(struct progress *p, uint64_t now_ns, uint64_t bytes_done)
{
	uint64_t slot, kib = (bytes_done >> 10) - (p->bytes >> 10); /* of a difference of both, so that no odd bytes are lost */

	if (now_ns < p->last_ns || bytes_done < p->bytes)
		return;
	if (now_ns - p->last_ns > p->stall_ns) {
		p->stall_ns = now_ns - p->last_ns;
		p->stall_at_ns = p->last_ns - p->start_ns;
	}
	while ((slot = (now_ns - p->start_ns) / 1000000u / p->interval_ms) >= PROGRESS_SLOTS)
		halve(p);
	p->n = (uint32_t)slot + 1;
	kib += p->kib[slot];
	p->kib[slot] = kib < UINT32_MAX ? (uint32_t)kib : UINT32_MAX;
	p->last_ns = now_ns;
	p->bytes = bytes_done;
}

void progress_keep(struct progress *worst, const struct progress *p)
{
	if (!worst->interval_ms || p->stall_ns > worst->stall_ns)
		*worst = *p;
}

static int by_size(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

void progress_windows(const struct progress *p, struct progress_windows *w)
{
	unsigned wide = p->interval_ms < WINDOW_MS ? (WINDOW_MS + p->interval_ms - 1) / p->interval_ms : 1;
	uint64_t full = p->interval_ms ? (p->last_ns - p->start_ns) / 1000000u / p->interval_ms : 0; /* slots whose time is over */
	uint64_t sum[PROGRESS_SLOTS];

	memset(w, 0, sizeof(*w));
	w->ms = (uint64_t)wide * p->interval_ms;
	for (uint64_t i = 0; i + wide <= full; i++) {
		sum[w->n] = 0;
		for (unsigned j = 0; j < wide; j++)
			sum[w->n] += p->kib[i + j];
		w->n++;
	}
	if (!w->n)
		return;
	qsort(sum, w->n, sizeof(sum[0]), by_size);
	w->min = sum[0];
	w->has_p50 = w->n >= P50_LEAST;
	w->p50 = sum[(w->n - 1) / 2];
	w->has_p1 = w->n >= P1_LEAST;
	w->p1 = sum[(w->n + 99) / 100 - 1];
}

size_t progress_series(const struct progress *p, uint64_t *kib, size_t max, uint64_t *ms)
{
	size_t each = (p->n + max - 1) / max, n = 0;

	*ms = (uint64_t)each * p->interval_ms;
	for (size_t i = 0; i < p->n; i++) {
		if (i % each == 0)
			kib[n++] = 0;
		kib[n - 1] += p->kib[i];
	}
	return n;
}

/* As many values a line as fit. */
static void say_series(const char *name, const struct progress *p)
{
	uint64_t kib[PROGRESS_SAID_MAX], ms;
	size_t n = progress_series(p, kib, PROGRESS_SAID_MAX, &ms), i = 0;

	while (i < n) {
		char list[FACT_MAX + 1] = "", value[24];
		size_t len = 0, first = i, room = FACT_MAX - 60 - (strlen(name) < 30 ? strlen(name) : 30);
		struct fact f;

		for (; i < n; i++) {
			size_t more = (size_t)snprintf(value, sizeof(value), "%s%" PRIu64, len ? "," : "", kib[i]);

			if (len && len + more > room)
				break;
			memcpy(list + len, value, more + 1);
			len += more;
		}
		fact_open(&f, "fact");
		kv_out_str(&f.o, "progress", name);
		kv_out_u64(&f.o, "ms", ms);
		kv_out_u64(&f.o, "i", first + 1);
		kv_out_str(&f.o, "kib", list);
		fact_send(&f);
	}
}

void progress_report(const char *name, const struct progress *p)
{
	struct progress_windows w;
	struct fact_line l;

	if (!p->n)
		return;
	progress_windows(p, &w);
	fact_line_open(&l, "progress", name);
	fact_line_u64(&l, "ns", p->last_ns - p->start_ns);
	fact_line_u64(&l, "bytes", p->bytes);
	fact_line_u64(&l, "stall_ns", p->stall_ns);
	fact_line_u64(&l, "stall_at_ms", p->stall_at_ns / 1000000u);
	if (w.n)
		fact_line_u64(&l, "min", w.min * 1024u * 1000u / w.ms);
	if (w.has_p1)
		fact_line_u64(&l, "p1", w.p1 * 1024u * 1000u / w.ms);
	if (w.has_p50)
		fact_line_u64(&l, "p50", w.p50 * 1024u * 1000u / w.ms);
	fact_line_send(&l);
	say_series(name, p);
}
