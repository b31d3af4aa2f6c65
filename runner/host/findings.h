/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * findings: what a reader who knows the field would say of a comparison: a control that did not move, a process that waits, a page cache that is
 * measured in place of a network. Each rule is a small function over the rows of a pair and the books that its tests kept; it has a name, a sentence and
 * its numbers. Rules know no report and no kernel; docs/reading-results.md lists them with their bounds.
 *
 * A finding is no verdict: it is said of what moved, and with one run each a movement is a guess. Where a book is missing the rule is silent.
 */
#ifndef KD_FINDINGS_H
#define KD_FINDINGS_H

#include "host/compare.h"
#include "host/nfs_client.h"

#define FINDING_TEXT_MAX 640
#define FINDING_NUMBERS_MAX 12

struct finding {
	const char *rule;
	char text[FINDING_TEXT_MAX]; /* may quote a box: clean it */
	struct {
		char name[2 * PLAN_ID_MAX + 8];
		double v;
	} number[FINDING_NUMBERS_MAX];
	size_t numbers;
};

/* ---- what rules look at */

/* Books of a phase, a process's or the machine's; the median over the boots of a side, NAN where no boot has them. */
enum findings_book {
	BOOK_SHARE,      /* CPU time of the process over the phase's time */
	BOOK_PER_BYTE,   /* CPU seconds of the process a byte moved */
	BOOK_SYS_S,      /* system CPU seconds of the machine */
	BOOK_IDLE,       /* idle share of the machine's CPU time */
	BOOK_KERNEL_S,   /* CPU seconds of kernel threads */
	BOOK_OUTSIDE_S,  /* busy CPU seconds of the machine that are not the process's */
	BOOK_SECONDS,    /* of the phase */
	BOOK_BYTES,      /* moved in it */
	BOOK_RESOLUTION, /* by what fraction rounding may have moved the value */
	BOOK_FOOTPRINT,  /* bytes that random accesses fell on */
	BOOKS,
};

struct findings_effect {
	const struct compare_row *row;
	const struct measure_metric *metric;
	double log;  /* of the ratio; 0 where there is none */
	int moved;   /* -1 worse, 1 better: beyond threshold, and by what the runs allow to say */
	int still;   /* within threshold, or within its own resolution */
	int is_rate; /* B/s */
	double book[BOOKS][2];
};

struct findings_view {
	const struct compare *c;
	const struct compare_pair *p;
	const struct nfs_client *nfs;
	struct findings_effect *effect;
	size_t effects;
	struct finding *out; /* being made */
	size_t n;
	int err;
};

/* Fills p->finding. 0 or -ENOMEM. */
int findings_make(const struct compare *c, struct compare_pair *p);
/* Fills v->effect. 0 or -ENOMEM. */
int findings_read(struct findings_view *v);
/* A median over the pair's boots of a side, of an NFS row. */
double findings_nfs(const struct findings_view *v, const struct nfs_client_row *r, enum nfs_client_value what, int side);
/* Starts a finding; NULL when out of memory (v->err). */
struct finding *findings_say(struct findings_view *v, const char *rule, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* Goes on with its sentence. */
void findings_go_on(struct finding *f, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void findings_number(struct finding *f, double v, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* ` test metric (-28.8 %)` into the sentence and the ratio among the numbers. first: no comma before it. */
void findings_list(struct finding *f, const struct findings_effect *e, int first);

int findings_is_control(const char *test);
/* Of a file test: bytes in order (putc, write, seqread_2 ...). */
int findings_is_sequential(const struct findings_effect *e);
int findings_is_random(const struct findings_effect *e);

/* The rules: findings_rate.c, findings_runs.c, findings_nfs.c. */
void findings_rule_control(struct findings_view *v);
void findings_rule_waiting(struct findings_view *v);
void findings_rule_together(struct findings_view *v);
void findings_rule_seek(struct findings_view *v);
void findings_rule_per_cpu(struct findings_view *v);
void findings_rule_cache(struct findings_view *v);
void findings_rule_machines(struct findings_view *v);
void findings_rule_variant(struct findings_view *v);
void findings_rule_too_few(struct findings_view *v);
void findings_rule_one_run(struct findings_view *v);
void findings_rule_wake_up(struct findings_view *v);
void findings_rule_kernel_threads(struct findings_view *v);
void findings_rule_nfs(struct findings_view *v);

#endif
