/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * show: what is known of the tries of a sweep, gathered from schedule, journals and store; and its printing as text and as JSON.
 * Points into the sweep and the store it was made from.
 */
#ifndef KD_SHOW_H
#define KD_SHOW_H

#include <stdio.h>

#include "common/trace.h"
#include "host/evidence.h"
#include "host/measure.h"
#include "host/stats.h"
#include "host/sweep.h"

struct json_t;

/* What the serial line brought of a try, by the station's journal. */
struct show_console {
	int known;
	uint64_t bytes, bad, dropped;
};

struct show_try {
	const struct plan_try *try;
	enum journal_state_id state;
	int quarantined;     /* not started, and its subject is given up: it will not run */
	const char *failure; /* its name, or "" */
	const char *start;   /* of its hello, or "" */
	const char *guard;   /* of the jump into it: watchdog, station, or "" */
	const struct store_record *record;
	size_t records;
	unsigned both, serial, nfs, differ, missing; /* records by channel; missing: seqs in gaps */
	/* in ms; -1 unknown */
	double jump_ms;                   /* told to jump -> hello, by the station's clock */
	double init_ms;                   /* kernel start -> init, by the box's */
	double tests_ms;                  /* first test -> bye, by the box's */
	double total_ms;                  /* told to jump -> complete or failed, by the station's */
	uint64_t at_ms;                   /* unix time of the start, else 0 */
	char why[120];                    /* of its state, or "" */
	char evidence[EVIDENCE_NAME_MAX]; /* a file in sweeps/<id>/evidence, or "" */
	struct show_console console;
};

struct show {
	const struct sweep *sweep;
	const struct store *store;
	struct show_try *try; /* one a line of the schedule */
	size_t tries;
	unsigned boots, done, lost; /* of the schedule: distinct, with a complete try, given up */
	const char *state;          /* imported, running, paused, done, held, planned, ended, unfinished */
	uint64_t at_ms;             /* of the first start */
};

/* What --records and --channels are narrowed to. */
struct show_filter {
	int by_tag;
	uint32_t tag;
	const char *test; /* or NULL */
};

/* Dies when out of memory. store may be empty. */
void show_make(struct show *s, const struct sweep *sw, const struct store *store);
void show_free(struct show *s);
/* The second half of show_make: why, evidence, console. */
void show_read_more(struct show *s);
/* both, serial only, NFS only, mixed, gap, differ, nothing */
const char *show_came_by(const struct show_try *t);
/* The state as people and scripts read it: the journal's, or complete-with-gaps. */
const char *show_state_name(const struct show_try *t);
int show_wants(const struct show_filter *f, const struct store_record *r);

void show_print(const struct show *s, FILE *f);
/* What a kernel that died has left, and who has brought it. */
struct show_death {
	const char *by; /* crash kernel, pstore */
	uint32_t tag;   /* under which it is kept */
	size_t bytes;
	const char *log; /* what there is of it, untrusted, until the next call */
	char why[TRACE_WHY_MAX];
};
/* 1: there is something of this try. */
int show_death(const struct show *s, const struct show_try *t, struct show_death *d);
/* Nothing where nothing is kept. */
void show_print_deaths(const struct show *s, FILE *f);
/* The logs themselves, a line behind a `| `; with a tag only that try's. */
void show_print_logs(const struct show *s, const struct show_filter *filter, FILE *f);
void show_print_channels(const struct show *s, const struct show_filter *filter, FILE *f);
void show_print_records(const struct show *s, const struct show_filter *filter, FILE *f);
void show_print_metrics(const struct measure *m, const struct show_filter *filter, FILE *f);

/* What phases cost: %CPU, CPU seconds for a GiB, kernel threads by name, stalls. */
void show_print_cost(const struct measure *m, const struct show_filter *filter, FILE *f);
/* Latencies: percentiles, and a picture of each histogram. */
void show_print_hist(const struct measure *m, const struct show_filter *filter, FILE *f);
void show_print_variation(const struct measure *m, const struct show_filter *filter, FILE *f);

struct boot_marks;
void show_print_boot(const struct boot_marks *b, FILE *f);
struct nfs_client;
void show_print_nfs(const struct nfs_client *c, const struct show_filter *filter, FILE *f);

/* As the tables that people post: bonnie, bonnie++, bonnie++csv, tiobench, boot (show_as.c). Dies where the sweep has no such test. */
void show_print_as(const struct show *s, const struct measure *m, const char *as, const struct show_filter *filter, FILE *f);
void show_as_check(const char *as); /* dies on an unknown one, names the nearest */

struct json_t *show_json(const struct show *s);
struct json_t *show_json_channels(const struct show *s, const struct show_filter *filter);
struct json_t *show_json_records(const struct show *s, const struct show_filter *filter);
struct json_t *show_json_metrics(const struct measure *m, const struct show_filter *filter);
struct json_t *show_json_cost(const struct measure *m, const struct show_filter *filter);
struct json_t *show_json_hist(const struct measure *m, const struct show_filter *filter);
struct json_t *show_json_variation(const struct measure *m, const struct show_filter *filter);
struct json_t *show_json_boot(const struct boot_marks *b);
struct json_t *show_json_nfs(const struct nfs_client *c, const struct show_filter *filter);

/* All sweeps of the lab (show_list.c); a damaged one is listed as such. */
void show_list(int as_json);

#endif
