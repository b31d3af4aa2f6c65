/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * boot_marks: the milestones of every boot of a sweep, by two clocks that are never mixed: those of the box count from its kernel's start, those of the
 * station from the mark that told it to jump.
 *
 * Only kernel start -> init compares kernels. What counts from the jump holds the shutdown of the kernel before; link, address and NFS hold what cable, DHCP server
 * and NFS server take. The station's are read from the console log, so they are there after a restart and for old sweeps; where the console says nothing
 * before init (`quiet`), there are none. Points into the show that it was made from.
 */
#ifndef KD_BOOT_MARKS_H
#define KD_BOOT_MARKS_H

#include <stddef.h>
#include <stdint.h>

#include "host/show.h"

enum boot_mark {
	BOOT_INIT,     /* kernel start -> init: the metric boot-time.init */
	BOOT_READY,    /* kernel start -> runner */
	BOOT_LINK,     /* kernel start -> carrier */
	BOOT_ADDRESS,  /* kernel start -> address configured, by DHCP or not */
	BOOT_NFS,      /* kernel start -> results mounted */
	BOOT_BANNER,   /* jump -> "Linux version" on the console */
	BOOT_RUN_INIT, /* jump -> "Run /init", "Freeing unused kernel" */
	BOOT_HELLO,    /* jump -> hello */
	BOOT_MARKS
};

struct boot_marks_try {
	const struct show_try *try;
	int counts;              /* complete, and not a boot that is thrown away */
	uint64_t from_ms, to_ms; /* unix: in which its console lines came; 0: not started */
	double ms[BOOT_MARKS];   /* -1: unknown */
};

/* One initcall of one boot, as the test boot-initcalls has said. */
struct boot_call {
	unsigned subject;
	const char *name;
	double us;
};

struct boot_marks {
	const struct show *show;
	struct boot_marks_try *try; /* one a try of the show */
	size_t tries;
	struct boot_call *call; /* sorted by subject and name */
	size_t calls;
};

/* Dies when out of memory. A console log that is not there leaves its marks unknown. */
void boot_marks_make(struct boot_marks *b, const struct show *s);
void boot_marks_free(struct boot_marks *b);
/* A line of the console that came at at_ms (unix). Pure. */
void boot_marks_console(struct boot_marks *b, uint64_t at_ms, const char *line, size_t len);
/* The median over the boots of a subject that count, in ms; NAN where none has it. *n (may be NULL): how many have. */
double boot_marks_median(const struct boot_marks *b, unsigned subject, enum boot_mark mark, size_t *n);
/* link, nfs ...: a word for JSON and tables, and which clock it is by. */
const char *boot_marks_name(enum boot_mark mark);
int boot_marks_by_box(enum boot_mark mark);

/* The slowest initcalls of a subject by median, at most max of them. How many. */
struct boot_slow {
	const char *name;
	double us;
	size_t n; /* boots */
};
size_t boot_marks_slowest(const struct boot_marks *b, unsigned subject, struct boot_slow *out, size_t max);

#endif
