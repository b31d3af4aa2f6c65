/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rehearse: faults on purpose, and what becomes of the boots that they hit. One table (rehearse_table.c) drives the list, the run, the verdicts
 * and the page docs/RELIABILITY.md.
 *
 * A fault of the box is a word on the command line of a variant (tests/suite/fault.c does it), a fault of the station is done to a sweep that
 * runs. All of it happens in a lab of its own, LAB/rehearsal: files are damaged on the way.
 */
#ifndef KD_REHEARSE_H
#define KD_REHEARSE_H

#include <stddef.h>
#include <stdint.h>

#include "common/journal.h"
#include "common/plan.h"
#include "common/proc.h"
#include "host/board.h"

/* Each is a sweep of its own. */
enum rehearse_where { REHEARSE_BOX = 1, REHEARSE_STATION, REHEARSE_KERNEL /* one that is not what its facts say */, REHEARSE_LINE };

/* What a fault of the station does. */
enum rehearse_act {
	REHEARSE_NONE,
	REHEARSE_POWER,
	REHEARSE_KILL,
	REHEARSE_NET,
	REHEARSE_DHCP,
	REHEARSE_NFS_STOP,
	REHEARSE_NFS_RESTART,
	REHEARSE_NFS_GONE,
	REHEARSE_HOME_CUT,
	REHEARSE_KERNEL_CUT,
	REHEARSE_IMAGE_CUT
};

struct rehearse_fault {
	const char *name;
	enum rehearse_where where;
	const char *words;        /* BOX: of the variant, blanks between */
	enum rehearse_act act;    /* STATION */
	enum journal_state_id at; /* STATION: when a line comes to this state */
	unsigned seconds;         /* STATION: until it is undone; 0: nothing is to be undone */
	const char *allowed;      /* states of a line, blanks between: complete, not-run, void, failed:NAME */
	const char *about;
};

extern const struct rehearse_fault rehearse_faults[];
extern const size_t rehearse_faults_n;
#define REHEARSE_MAX 64

/* The fault of that name, or NULL. */
const struct rehearse_fault *rehearse_find(const char *name);
/* A line that was stopped, came off its path, or was the first behind a power cycle (after a failure before it) is void by no fault of its own. */
int rehearse_is_detour(enum journal_state_id s, const char *why);
/* 1 where the table allows it. Detours always are. */
int rehearse_allows(const struct rehearse_fault *f, enum journal_state_id s, const char *name, const char *why);
/* The order in which the station's faults are done: of a seed. Shuffles n of them in place. */
void rehearse_shuffle(const struct rehearse_fault **f, size_t n, uint64_t seed);

struct rehearse_result {
	const struct rehearse_fault *fault;
	char seen[256], evidence[128], why[160]; /* why: of what is not as it should be, or of a skip */
	uint64_t ms;
	unsigned tries;
	int done, skipped, ok;
};

/* ---- what a sweep's files say while it runs (rehearse_watch.c) */

struct rehearse_event {
	unsigned line;
	enum journal_state_id state;
	uint64_t at_ms;
	char name[JOURNAL_NAME_MAX], why[48];
};

struct rehearse_watch {
	struct plan plan;
	struct journal *journal;      /* of station and box */
	struct rehearse_event *event; /* of the station's journal, in its order */
	size_t events;
};

/* Reads them anew. 0, or -errno where there is nothing to be read yet (w is as it was). */
int rehearse_watch_read(struct rehearse_watch *w, const char *sweep);
void rehearse_watch_free(struct rehearse_watch *w);
/* why of a line's entry for that state, or "". */
const char *rehearse_watch_why(const struct rehearse_watch *w, unsigned line, enum journal_state_id s);

/* ---- the run */

struct rehearse {
	/* given */
	const char *box, *kernel, *module, *line;
	uint64_t seed;
	int keep;
	const struct rehearse_fault *chosen[REHEARSE_MAX];
	size_t n;
	/* running */
	char *self, *lab; /* the command; the lab of the rehearsal */
	struct board board;
	struct proc child; /* sweep run */
	int running;
	char sweep[PLAN_ID_MAX + 1];
	/* result */
	struct rehearse_result result[REHEARSE_MAX];
	size_t results;
	unsigned boots, complete, given_up; /* of all sweeps, by the prover */
	uint64_t records;
	unsigned wrongs;
	char wrong[8][200];
};

/* rehearse_lab.c. Dies with one line where something is missing. */
void rehearse_lab_make(struct rehearse *r);
/* Ends all that runs in it; removes it unless keep. */
void rehearse_lab_end(struct rehearse *r);
/* The box with a bad line between it and the station, in place of the one without. */
void rehearse_lab_line(struct rehearse *r);
/* Runs `kdyno ARGS` (NULL-terminated) to its end; dies with its last line where it fails. */
void rehearse_kdyno(struct rehearse *r, const char *const *args);
/* A line of what happens, on stderr. */
void rehearse_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* 1: somebody has had enough. */
int rehearse_stopped(void);

/* rehearse_sweep.c: plans the sweep of a group and drives it to its end. */
void rehearse_sweep_box(struct rehearse *r);
void rehearse_sweep_station(struct rehearse *r);
void rehearse_sweep_kernel(struct rehearse *r);
void rehearse_sweep_line(struct rehearse *r);
/* Starts `sweep run`; ends it. */
void rehearse_start(struct rehearse *r);
void rehearse_stop(struct rehearse *r, int sig);

/* rehearse_inject.c: does it, undoes it. 0 or -errno. */
int rehearse_inject(struct rehearse *r, const struct rehearse_fault *f);
int rehearse_undo(struct rehearse *r, const struct rehearse_fault *f);

/* rehearse_judge.c: what became of lines: all of a boot of this subject; or all whose verdict fell between two moments. */
void rehearse_judge_subject(struct rehearse *r, struct rehearse_result *x, const struct rehearse_watch *w, const char *variant);
void rehearse_judge_time(struct rehearse *r, struct rehearse_result *x, const struct rehearse_watch *w, uint64_t from_ms, uint64_t to_ms);
/* The prover over the sweep. */
void rehearse_prove(struct rehearse *r);

/* rehearse_text.c */
void rehearse_list(int json);
void rehearse_print(const struct rehearse *r, int json);

#endif
