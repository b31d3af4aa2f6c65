/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * qualified: what `kdyno box qualify` found out about a box, in boxes/<box>/qualified (docs/formats.md), and what follows from it for the
 * next sweep. One line with a CRC, replaced whole, read strictly: a file that is not right counts as none, and is said.
 */
#ifndef KD_QUALIFIED_H
#define KD_QUALIFIED_H

#include "common/plan.h"

enum qualified_safe {
	QUALIFIED_UNTRIED,
	QUALIFIED_OPEN,   /* its sweep has not come to its end */
	QUALIFIED_SAFE,   /* every boot came up, was complete and as expected, at the first try */
	QUALIFIED_UNSAFE, /* not every one */
};

enum qualified_shift {
	QUALIFIED_UNKNOWN, /* not measured, or too few boots to tell */
	QUALIFIED_NO,      /* every primary is within the threshold of what it is under the base */
	QUALIFIED_BOOT,    /* only what a test of the boot itself measures differs (needs=early) */
	QUALIFIED_YES,
};

#define QUALIFIED_LIST_MAX 400

struct qualified_way {
	enum qualified_safe safe;
	unsigned boots, complete, bad;    /* planned; complete; tries that failed, were not run, or brought another kernel */
	char why[64];                     /* the failure that ranks first, or "" */
	uint64_t turn_ms;                 /* from a boot's end to the next one's hello, median; 0 unknown */
	enum qualified_shift shift;       /* against the base; of the base itself QUALIFIED_NO */
	char shifted[QUALIFIED_LIST_MAX]; /* test.metric@variant:ratio,... of what was proven to differ */
};

struct qualified {
	char box[PLAN_ID_MAX + 1], kernel[PLAN_ID_MAX + 1], suite[PLAN_ID_MAX + 1];
	unsigned rounds;
	uint64_t at_s;                               /* unix s */
	char board[17];                              /* the first 16 hex digits of the SHA-256 of the board config */
	enum plan_switch base;                       /* what the others are measured against; 0: there was none */
	struct qualified_way way[PLAN_FIRMWARE + 1]; /* by switch; [0] unused */
};

#define QUALIFIED_TEXT_MAX 4096

/* The line with CRC and newline. Length or -errno. */
long qualified_format(const struct qualified *q, char *out, size_t size);
/* Pure. 0 or -EINVAL with what is wrong in why. */
int qualified_parse(struct qualified *q, const char *text, size_t len, char *why, size_t size);
/* boxes/<box>/qualified. 0; -ENOENT: there is none; other -errno with why (the file is named). */
int qualified_read(struct qualified *q, const char *box, char *why, size_t size);
int qualified_write(const struct qualified *q);
/* The hash of boards/<box>.ini as it stands in `board`. 0 or -errno. */
int qualified_board_hash(const char *box, char out[17]);

struct qualified_can {
	const char *no_kexec; /* a subject that cannot kexec, or NULL */
	int home_kexecs;
};
/*
 * The switch for a sweep on a box whose board says `wanted`: the fastest, from that on, which the kernels can do, which was not found
 * unsafe, and under which no metric was proven to shift (those of the boot itself apart). One that is slower than what was wanted must have been
 * found safe, where the finding is why it is needed; firmware needs nothing. q NULL: not qualified. why: "" or why it is not the wanted one.
 */
enum plan_switch qualified_choose(const struct qualified *q, enum plan_switch wanted, const struct qualified_can *can, char *why, size_t size);

/* A way in a few words: `safe (9 of 9 boots), no shift`. */
char *qualified_words(const struct qualified *q, enum plan_switch sw, char *out, size_t size);
const char *qualified_safe_name(enum qualified_safe s);
const char *qualified_shift_name(enum qualified_shift s);

#endif
