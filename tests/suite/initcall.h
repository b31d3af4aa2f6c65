/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * initcall: what a kernel booted with `initcall_debug` says when one of its initcalls has returned (init/main.c). Pure, over the text of its log as klogctl(2)
 * gives it.
 *
 * The trap: since 2.6.2x the line is `initcall NAME+0x0/0x10 returned 0 after 12 usecs`, before it said `msecs`, and a module's has `[module]` behind the name;
 * messages of others may stand in a log that has lost its beginning.
 */
#ifndef KD_SUITE_INITCALL_H
#define KD_SUITE_INITCALL_H

#include <stddef.h>
#include <stdint.h>

#define INITCALL_NAME_MAX 48
#define INITCALL_TOP_MAX 30

struct initcall {
	char name[INITCALL_NAME_MAX];
	uint64_t us;
	long returned;
};

struct initcalls {
	struct initcall top[INITCALL_TOP_MAX]; /* the slowest first */
	unsigned n, max;                       /* max: how many are kept */
	unsigned count, failed;                /* of all */
	uint64_t sum_us;
	int whole; /* the log has its first line still */
};

/* One line without its newline: 0, or -EINVAL: it is none of these. */
int initcall_parse(const char *line, size_t len, struct initcall *out);
/* All lines of a log. max: at most INITCALL_TOP_MAX. */
void initcalls_read(struct initcalls *all, const char *log, size_t len, unsigned max);

#endif
