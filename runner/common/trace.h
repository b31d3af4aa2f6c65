/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trace: what killed a kernel, from the lines of its log, as they come from a console or from vmcore-dmesg. Pure, bounded, and made for
 * lines that are torn or lost: what is not understood is passed over.
 */
#ifndef KD_TRACE_H
#define KD_TRACE_H

#include <stddef.h>

#define TRACE_FRAMES 4
#define TRACE_WHY_MAX 200 /* of trace_why, NUL included: even if all of it is escaped it fits a line of a journal */

struct trace {
	int panicked, done; /* the panic has been seen; all that there is of its trace has been */
	char cause[96];     /* of an oops or a BUG: its first line */
	char rip[48];       /* where it was */
	char panic[96];     /* what stands behind "Kernel panic - not syncing: " */
	char frame[TRACE_FRAMES][40];
	unsigned frames;
	int open; /* a call trace has begun */
};

void trace_init(struct trace *t);
/* One line, without its end. 1 where it is the line of the panic. */
int trace_feed(struct trace *t, const char *s, size_t len);
/* All lines of a text. */
void trace_feed_text(struct trace *t, const char *text, size_t len);
/* The failure's name: panic, or oops where a panic was made of one ("Fatal exception"). */
const char *trace_name(const struct trace *t);
/* `cause at rip: frame < frame < frame`, printable ASCII; "" where nothing is known. */
void trace_why(const struct trace *t, char *out, size_t size);
/* Where the last whole lines of a text begin that make at most max bytes once they are escaped (kv_escape). */
size_t trace_tail(const char *text, size_t len, size_t max);

#endif
