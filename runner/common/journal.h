/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * journal: what has happened to each try. Three writers, three append-only files; the state of a line is the greatest
 * over their union, so neither clocks nor the order of lines matter. Everything here is pure; the files are io.h's.
 */
#ifndef KD_JOURNAL_H
#define KD_JOURNAL_H

#include "common/plan.h"

enum journal_state_id { JOURNAL_PLANNED, JOURNAL_GO, JOURNAL_START, JOURNAL_NOT_RUN, JOURNAL_HELLO, JOURNAL_FAILED, JOURNAL_COMPLETE, JOURNAL_VOID };

/* Who brings the box back when a jump hangs. */
enum journal_guard { JOURNAL_GUARD_UNKNOWN, JOURNAL_GUARD_STATION, JOURNAL_GUARD_WATCHDOG };

enum journal_control { JOURNAL_NONE, JOURNAL_RUN, JOURNAL_HOLD, JOURNAL_SELF };

#define JOURNAL_NAME_MAX 24
#define JOURNAL_REASON_MAX 120

/* What is known of one line of the schedule. */
struct journal_try {
	enum journal_state_id state;
	char name[JOURNAL_NAME_MAX];      /* of the failure that ranks first, or "" */
	enum journal_guard guard;         /* of its start; the greatest that was written */
	int void_bounded;                 /* void, and for a reason of which a sweep replaces only so many */
	uint64_t at_ms[JOURNAL_VOID + 1]; /* unix ms of the first entry for a state, 0 unknown */
};

struct journal {
	struct journal_try try[PLAN_TRIES_MAX + 1]; /* by line; [0] unused */
	enum journal_control control;               /* last control line seen with by=station */
	int paused;                                 /* it is a hold that stays until a person lifts it */
	uint64_t paused_ms;                         /* unix ms, 0 unknown */
	char reason[JOURNAL_REASON_MAX + 1];        /* of the pause: printable ASCII, may be "" */
	int after_power;                            /* the power was cut, and behind that line none says complete or void */
	unsigned bad_lines;
};

struct journal_entry {
	unsigned line;
	uint32_t tag;
	enum journal_state_id state;
	const char *name;         /* failed: its name; NULL otherwise */
	const char *why;          /* remark or NULL */
	enum journal_guard guard; /* start: who guards the jump */
};

/* Starts empty. The struct is large (about 400 KiB): allocate it once. */
void journal_init(struct journal *j);
/* Merges all lines of a journal file. Torn or unknown lines are counted, not errors. Entries whose tag is not that of their line in p are dropped. */
void journal_merge(struct journal *j, const struct plan *p, const char *text, size_t len);
void journal_apply(struct journal *j, const struct journal_entry *e, uint64_t at_ms);

enum journal_state_id journal_state(const struct journal *j, unsigned line);
/*
 * The next line to run: the first without a start whose boot is not complete and whose subject is not quarantined (tries_max failures in a row,
 * in order of lines). 0 when there is none.
 */
unsigned journal_next(const struct journal *j, const struct plan *p);
/* 1 if a subject (index) has failed tries_max times in a row; failed fetches neither count nor break the row. */
int journal_quarantined(const struct journal *j, const struct plan *p, unsigned subject);
/* 1 if any try of the boot is complete. *line (may be NULL) is that try. */
int journal_boot_complete(const struct journal *j, const struct plan *p, unsigned boot, unsigned *line);

/* One line with CRC and newline. by is "station" or "box". Length or -EMSGSIZE. */
long journal_format(const struct journal_entry *e, const char *by, uint64_t at_ms, char *out, size_t size);
long journal_format_control(enum journal_control c, const char *by, uint64_t at_ms, char *out, size_t size);
/* A hold that is a pause; the reason is printable ASCII of at most JOURNAL_REASON_MAX bytes, else -EINVAL. Only the station pauses. */
long journal_format_pause(const char *reason, uint64_t at_ms, char *out, size_t size);
/* The journal has got that line, or (reason NULL) the other control word c. */
void journal_apply_control(struct journal *j, enum journal_control c, const char *reason, uint64_t at_ms);
int journal_is_reason(const char *s);
/* A step of the power ladder, written before it is taken. how: reset, cycle, off, on, start, none. line: of the try that it ends, or 0. */
struct journal_power {
	unsigned line, nth;
	const char *how, *why; /* why may be NULL */
};
long journal_format_power(const struct journal_power *p, const char *by, uint64_t at_ms, char *out, size_t size);
/* What the serial line brought between the first byte of a try and its end: bytes, damaged records, bytes that the log could not keep. */
struct journal_console {
	unsigned line;
	uint64_t bytes, bad, dropped;
};
long journal_format_console(const struct journal_console *c, const char *by, uint64_t at_ms, char *out, size_t size);
const char *journal_state_name(enum journal_state_id s);
/* station, watchdog; "" for unknown. journal_guard_parse: NULL and what is no guard are unknown. */
const char *journal_guard_name(enum journal_guard g);
enum journal_guard journal_guard_parse(const char *s);
/* Void for this: only `rounds` boots of a sweep are replaced? Stops and detours, which are nobody's fault, always are. why may be NULL. */
int journal_void_is_bounded(const char *why);
/* Rank of a failure's name: the first that applies names it (0 first); unknown names rank last. */
unsigned journal_failure_rank(const char *name);

#endif
