/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * compare: every subject of a sweep against a base: a verdict on each primary metric, the rest shown, and what else differed.
 *
 * Failures stand apart from numbers: a boot that was given up, a test that failed or is missing on one side is `failed` with its reason,
 * ranked first, and takes no part in Holm's family. Boots of different ways to start are never mixed: each pair is compared in the stratum
 * that gives it most boots; a pair without a common one, of different machines, or of boots with and without a crash kernel loaded, is refused.
 *
 * Points into the measure it was made from. Texts may quote the box: print them through table.h or err_clean().
 */
#ifndef KD_COMPARE_H
#define KD_COMPARE_H

#include <stdio.h>

#include "host/measure.h"
#include "host/verdict.h"

#define COMPARE_TEXT_MAX 320

struct compare_options {
	unsigned base;           /* index of a subject */
	double alpha, threshold; /* threshold: a fraction */
	int threshold_given;     /* by the person, not the default */
	int armed;               /* only boots whose crash kernel was loaded */
};

struct compare_row {
	size_t metric; /* of the measure */
	int primary;
	struct verdict v;
	double q;                   /* exploratory: Benjamini-Hochberg; else NAN */
	unsigned bad_a, bad_b;      /* values not taken */
	int refused;                /* its numbers are not comparable: why says it, and nothing is judged */
	char why[COMPARE_TEXT_MAX]; /* failed, skipped or not begun: the reason */
};

enum compare_weight { COMPARE_FACT = 1, COMPARE_WARNING, COMPARE_FAILURE, COMPARE_REFUSAL };

struct compare_note {
	enum compare_weight weight;
	char about[PLAN_ID_MAX + 1]; /* a word to find it by: clocksource, boots, ... */
	char text[COMPARE_TEXT_MAX];
};

struct compare_pair {
	unsigned subject;
	const char *start; /* the stratum: how its boots were started; NULL where they all are the same unknown */
	int armed;         /* and only those with a crash kernel loaded */
	unsigned boots_a, boots_b;
	int refused;             /* then there are no rows; the note says why */
	size_t family;           /* p values that Holm adjusted together */
	struct compare_row *row; /* primaries first, worst first; then exploratory in the suite's order */
	size_t rows;
	struct compare_note *note; /* gravest first */
	size_t notes;
	struct finding *finding; /* findings.h; in the order of the rules */
	size_t findings;
};

struct compare {
	const struct measure *m;
	struct compare_options o;
	struct compare_pair *pair;
	size_t pairs;
};

/* 0 or -ENOMEM. */
int compare_make(struct compare *c, const struct measure *m, const struct compare_options *o);
void compare_free(struct compare *c);
/* 1 if a boot belongs to the pair's stratum. */
int compare_has_boot(const struct compare_pair *p, const struct measure_boot *b);
/* The values of a metric in a subject's boots of the stratum, into v (room for all boots). How many. */
size_t compare_values(const struct compare *c, const struct compare_pair *p, size_t metric, unsigned subject, double *v);
/* 0 where one value a side leaves none: its ends would be the one ratio that there is, at a level of nothing. */
int compare_has_interval(const struct compare_row *r);
/* Add notes: what the boxes said of themselves that differed (compare_env.c); boots lost, values not taken (compare_notes.c). 0 or -ENOMEM. */
int compare_add_env(const struct compare *c, struct compare_pair *p);
/*
 * 1 where the sides keep thread-local storage in different ways (and both say so), which makes creating processes dearer on one of them; why: for people.
 * -ENOMEM.
 */
int compare_processes_differ(const struct compare *c, const struct compare_pair *p, char *why, size_t size);
int compare_add_notes(const struct compare *c, struct compare_pair *p);
int compare_note(struct compare_pair *p, enum compare_weight w, const char *about, const char *fmt, ...) __attribute__((format(printf, 4, 5)));
const char *compare_weight_name(enum compare_weight w);

/* Printing: for people, and everything as JSON. */
void compare_print(const struct compare *c, FILE *f);
/* A pair in one line, not cleaned; malloc'd. */
char *compare_summary(const struct compare *c, const struct compare_pair *p);
struct json_t;
struct json_t *compare_json(const struct compare *c);

#endif
