/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * drive: what `sweep run` does about what a box says: a state machine, without files, sockets or a clock of its own.
 *
 * Records, text and time go in; marks in the journal, answers and power cycles come out through struct drive_ops. Contract: a
 * mark is on disk before the answer that depends on it is given; an answer is given only to a question (bye, ask, jump) that is
 * live; the same question gets the same answer. While the past is replayed (live = 0) nothing is answered and nothing is judged.
 * Trap: append_try changes the plan's table, so no pointer into it may be kept across.
 */
#ifndef KD_DRIVE_H
#define KD_DRIVE_H

#include "common/command.h"
#include "common/journal.h"
#include "common/plan.h"
#include "common/trace.h"
#include "host/try.h"

enum drive_box {
	DRIVE_UNKNOWN, /* nothing heard since the start or the last power cycle */
	DRIVE_HOME,
	DRIVE_CRASH,
	DRIVE_SUBJECT,
	DRIVE_JUMPING /* told to go; not heard from since */
};

enum drive_say { DRIVE_SAY_STATE = 1 /* of a line */, DRIVE_SAY_NOTE, DRIVE_SAY_WARN };

struct drive_ops {
	/* Appends to the station's journal and fsyncs. 0 or -errno: then the drive stops. The drive applies it to its own union. */
	int (*journal)(void *ctx, const struct journal_entry *e);
	/* Appends a line to the schedule (fsynced) and to the plan: another try of the boot of line `of`. -E2BIG: it is full, the boot is given up. */
	int (*append_try)(void *ctx, unsigned of, const char *why);
	/* Files a try, complete or failed; fsynced, and twice does no harm. line 0: home's. */
	int (*store)(void *ctx, const struct try *t, unsigned line);
	/* What the box wrote over NFS under this tag: malloc'd, or NULL where there is nothing. */
	char *(*nfs_text)(void *ctx, uint32_t tag, size_t *len);
	/* Resets the box, or cuts its power: begun, and journalled before. line: that ran, or 0. 0, or -errno where that could not be written. */
	int (*cycle)(void *ctx, unsigned nth, unsigned line, const char *why);
	/* Asks a kernel that is deaf what it does (BREAK and a letter). 1: done, what comes is worth waiting for; 0: not on this box. */
	int (*poke)(void *ctx);
	/* A try has failed under a name: what the console said around it is to be kept. Before the mark. */
	void (*evidence)(void *ctx, unsigned line, const char *name, const char *why);
	/*
	 * What the firmware boots next: that line (prev: the tag before it), or home (line 0). On disk when it returns. 0 or -errno. NULL: nothing.
	 */
	int (*boot_entry)(void *ctx, unsigned line, uint32_t prev);
	void (*say)(void *ctx, enum drive_say what, unsigned line, const char *text);
	/* Pauses the sweep (the journal says so, fsynced), because of what has happened. NULL: there is none to do it. 0 or -errno. */
	int (*pause)(void *ctx, const char *reason);
	void *ctx;
};

#define DRIVE_AGAIN_MAX 20   /* rounds of asking for lost records, in a row, that brought nothing */
#define DRIVE_AGAIN_ROOM 16  /* bytes of the shortest list of them */
#define DRIVE_OFF_PATH_MAX 6 /* in a row: switch-broken */
#define DRIVE_VOIDS_MAX 8    /* lines of a boot that came to nothing without its fault */
#define DRIVE_NOT_RUN_MAX 2  /* a boot */
#define DRIVE_CYCLES_MAX 5   /* without any hello: box-lost */
#define DRIVE_CYCLE_LOST_MS 3600000u
#define DRIVE_SLACK_MS 30000u    /* on top of a silence that was announced */
#define DRIVE_HOLD_MS 120000u    /* a box that is held asks once a minute at least */
#define DRIVE_DEADLINE_MS 60000u /* on top of a test's deadline */
#define DRIVE_PANIC_MS 60000u    /* the least from a panic to a power cycle, which wants deaf_s of silence too */
#define DRIVE_DEAF_MS 10000u     /* a serial line silent for so long is not asked who speaks */
#define DRIVE_NFS_MS 900u        /* how long a bye may wait for the other channel */
#define DRIVE_STUCK_DEAFS 3u     /* so many times deaf_s without getting on, though something comes: no-progress */
#define DRIVE_GATHER_MS 20000u   /* for what a kernel says of itself, while it comes */
#define DRIVE_GATHER_QUIET_MS 3000u
#define DRIVE_SAY_MAX 20
#define DRIVE_SAY_BYTES 512
#define DRIVE_KINDS 48
#define DRIVE_REASON_BYTES 120 /* of a test that did not pass */

/* Why a box is given up. name: of the failure of its try, NULL where nothing was heard of it. */
struct drive_verdict {
	const char *name, *why;
};

struct drive_kind {
	const char *fmt; /* NULL: a free row */
	uint64_t since_ms;
	unsigned said, held;
	char last[128]; /* of those that were held back */
};

struct drive {
	/* given */
	struct drive_ops ops;
	struct plan *plan;
	struct journal *journal;
	int no_power; /* the station can neither reset the box nor cut its power: set after drive_init */
	/* the box */
	enum drive_box box;
	struct try cur; /* of the tag that spoke last; cur.tag 0: none */
	unsigned line;  /* its line; 0: home, crash, none */
	unsigned jump_line;
	unsigned entry_line;     /* whose boot entry the firmware finds; 0: home's */
	uint64_t jump_stamp_ms;  /* of the jump, by the clock of the kernel that left */
	uint32_t go_tag, go_seq; /* the question that was answered with a go */
	struct command go;
	unsigned go_repeats;         /* the same line asked for again, not jumped to */
	uint32_t hold_tag, hold_seq; /* the question that was answered with a hold; tag 0: the box is not held */
	int hold_on_failure;
	/* time, of the caller's clock */
	uint64_t now_ms, heard_ms, jump_ms, test_ms, panic_ms, bye_ms, cycle_ms;
	uint64_t progress_ms;        /* when it last got on: something new that is not only talk */
	uint64_t boot_ms;            /* when this tag began to speak */
	uint64_t quiet_ms;           /* announced: of the boot, the phase, the jump */
	uint64_t test_quiet_ms;      /* of the test, for a phase that says nothing of its own */
	uint64_t deadline_ms;        /* of the test that runs */
	uint64_t gather_ms;          /* evidence is waited for since; 0: not */
	struct drive_verdict gather; /* and why */
	int after_power;             /* the power was cut, and no boot has been whole since */
	uint32_t question_seq;       /* of the last ask or jump */
	uint64_t text_since_jump;    /* bytes of text that is not the last kernel's */
	uint64_t text_ms;            /* when it began */
	enum journal_guard guard;    /* of the jump that is under way */
	const char *told;            /* NULL, or the failure that the console's text has named: PID 1's and the software watchdog's last words */
	unsigned again_rounds, cycles, tests_done;
	uint64_t again_news;        /* of the try, when it was asked for the last time */
	size_t again_room;          /* for the list of what is asked for */
	char test[PLAN_ID_MAX + 1]; /* that runs, or "" */
	int mending;
	int live; /* of the record that is being taken */
	int waiting_network, lost, ended, err;
	uint32_t refused_tag;
	struct trace trace; /* of the console, since the kernel that speaks began */
	unsigned trace_line;
	unsigned why_line; /* was marked as failed, and why */
	char trace_why[TRACE_WHY_MAX];
	uint32_t crash_tag;  /* of the crash kernel that spoke last */
	unsigned crash_line; /* whose death it tells, not yet marked; 0: none */
	unsigned unknown;    /* records with a tag that is not of this sweep */
	int full;            /* the schedule has all the lines it may have: said */
	struct drive_kind kind[DRIVE_KINDS];
	unsigned char bad_said[PLAN_SUBJECTS_MAX][PLAN_TESTS_MAX]; /* a bit a status */
	unsigned off_path;                                         /* boots in a row that did not come by the sweep's own path */
	unsigned strays;                                           /* those of a sweep with no failure before them */
	int recovered;                                             /* something has failed since the last whole boot */
	unsigned long long culprits; /* subjects, a bit each, of which a try failed since a boot came by the sweep's own path */
};

void drive_init(struct drive *d, const struct drive_ops *ops, struct plan *p, struct journal *j, uint64_t now_ms);
void drive_free(struct drive *d);
/* Bytes have come from the box, whatever they are. */
void drive_bytes(struct drive *d, uint64_t now_ms);
/* 1 where *answer is to be sent. ch: STORE_SERIAL from the console, STORE_NFS by HTTP. */
int drive_record(struct drive *d, const struct record *r, const char *line, enum store_channel ch, int live, struct command *answer);
/* A question that came by HTTP. 1 where *answer is to be sent; 0: it is not of this sweep, or no question. */
int drive_question(struct drive *d, const char *text, size_t len, struct command *answer);
void drive_text(struct drive *d, const char *s, size_t len);
/* The past has been replayed: lines that were started and are over are judged. cold: the box was found without power. */
void drive_live(struct drive *d, int cold);
void drive_tick(struct drive *d, uint64_t now_ms);
/* The line that runs or is being jumped to, or 0. */
unsigned drive_running(const struct drive *d);
/* The box was told to hold, and nothing else has been heard of it since. */
int drive_is_held(const struct drive *d);
/* The line that is finished before a pause takes effect, or 0. */
unsigned drive_going(const struct drive *d);
/* Of what the box that speaks has said: its IPv4 address, or "". size: 16 at least. */
void drive_address(const struct drive *d, char *out, size_t size);

/* drive_try.c: what becomes of a try */
/* Every boot that failed and has no other line gets one: the box alone appends nothing, and a station may have died in between. */
void drive_mend(struct drive *d);
/* The operator stops the box: what runs is not held against its subject. */
void drive_stop(struct drive *d);
int drive_final(const struct drive *d, unsigned line);
/* A boot must be reached as the sweep says, or it is not like the others: after a power cycle it comes by home, with everything cold. */
int drive_came_off_path(const struct drive *d, unsigned line, const struct try *t);
void drive_mark(struct drive *d, unsigned line, enum journal_state_id s, const char *name, const char *why);
void drive_merge_nfs(struct drive *d, struct try *t);
/*
 * Proves what ran and files it. 1: complete, 0: not (void, or the disk is full: d->err). With gaps that nothing fills any more it is complete
 * with gaps, where what proves the kernel is there: whole tests count, the others do not.
 */
int drive_complete(struct drive *d, unsigned line, struct try *t);
void drive_fail(struct drive *d, unsigned line, const char *name, const char *why);
/* Files what there is of a try that failed. */
void drive_store_failed(struct drive *d, unsigned line);
void drive_void(struct drive *d, unsigned line, const char *why);
/* A started line is over, whatever the reason: complete where NFS has all of it, else failed or not-run. reset: as in hello, or NULL. */
void drive_conclude(struct drive *d, unsigned line, const char *name, const char *why, const char *reset);
/* Does what was recorded match what was to run? NULL, or what does not. full: all of the try is there. */
const char *drive_wrong_kernel(const struct drive *d, unsigned line, const struct try *t, int full);

/* drive_switch.c: where the firmware boots the subjects. All do nothing where it does not. */
void drive_entry(struct drive *d, unsigned line, uint32_t prev);
/* The drive begins, or begins anew: nothing is known of the entry that stands. */
void drive_entry_begin(struct drive *d);
/* With every switch: text of the console during a jump, which may be the next kernel's or still the last one's. */
void drive_jump_text(struct drive *d, const char *s, size_t len);
/* Home is back after a jump (its hello): what was heard on the way was its own where its kernel had started by then. */
void drive_jump_home(struct drive *d, const struct record *hello);

/* drive_say.c: at most DRIVE_SAY_MAX a minute of each kind, which is its format. */
void drive_say(struct drive *d, enum drive_say what, unsigned line, const char *fmt, ...) __attribute__((format(printf, 4, 5)));
/* The same, formatted; fmt must live on. */
void drive_say_text(struct drive *d, enum drive_say what, unsigned line, const char *fmt, const char *text);
/* Says how many were held back, of the kinds whose minute is over, or of all. */
void drive_say_held(struct drive *d, int all);

/* drive_hold.c: something has failed: pauses the sweep where it was asked to. */
void drive_failed(struct drive *d, unsigned line, const char *what, const char *how);
/* The answer of a paused sweep. */
int drive_answer_hold(struct drive *d, const struct record *r, struct command *answer);

/* drive_crash.c: what killed a kernel. */
void drive_crash_begin(struct drive *d);
/* A line of the console. */
void drive_crash_text(struct drive *d, const char *s, size_t len);
/* The hello of a crash kernel. 1: it says whose death it tells. */
int drive_crash_hello(struct drive *d, const struct record *r, int live);
/* At the bye of what seemed to be home: its hello, which was lost, says that it is a crash kernel. */
void drive_crash_late(struct drive *d);
/* Nothing more is to come of it: files it, and marks the try that it speaks of. Harmless where there is none. */
void drive_crash_judge(struct drive *d);

/* The dumps of pstore in what home or crash kernel has said. */
void drive_crash_pstore(struct drive *d);

/* drive_answer.c: the three questions. 1 where *answer is to be sent. */
int drive_on_bye(struct drive *d, struct command *answer);
int drive_on_ask(struct drive *d, const struct record *r, struct command *answer);
int drive_on_jump(struct drive *d, const struct record *r, struct command *answer);

#endif
