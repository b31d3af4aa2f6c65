/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * next: from `what next?` to a loaded kernel: asks, obeys, fetches, loads, and where nobody answers goes on by itself from
 * the journals on NFS. A wrong answer goes a step down the ladder; no answer waits.
 */
#ifndef KD_BOX_NEXT_H
#define KD_BOX_NEXT_H

#include "box/box.h"
#include "common/journal.h"
#include "box/fetch.h"

/* Until it jumps or resets: BOX_EXIT_JUMP or BOX_EXIT_RESET. */
int next_run(struct box *b);

/* The plan from the servers, for the box's own use; allocated, plan_free it. */
enum next_answer { NEXT_OK, NEXT_WRONG, NEXT_NONE };
enum next_answer next_answer_of(enum fetch_result r);
enum next_answer next_fetch_plan(struct box *b, struct plan *p);
/* A text file of the lab, malloc'd. optional: a missing one is empty. */
enum next_answer next_fetch_text(struct box *b, const char *path, int nfs_only, int optional, char **text, size_t *len);
/* Kernel, image, pack and job of a line, fetched, hashed and loaded. */
enum next_answer next_prepare(struct box *b, const struct plan *p, const struct plan_try *t);
/* The line that the box may take by itself; 0: none. */
unsigned next_self(struct box *b, const struct plan *p);
/* Journals a state of a line as the box, on NFS. 0 or -errno. */
int next_journal(struct box *b, unsigned line, uint32_t tag, int state, const char *name);
/* Who brings the box back if the jump hangs: the watchdog where PID 1's carries over a kexec and both kernels have its driver, else the station. */
enum journal_guard next_guard(const struct box *b, const struct plan *p, const struct plan_try *t);
/* The pure part: carries_s as PID 1 says it ("": it does not). */
enum journal_guard next_guard_of(const struct plan *p, const char *own_kernel, const char *next_kernel, const char *carries_s);
/* 1 when the start has been journalled, by the station or on NFS, and the jump may be made. */
int next_may_jump(struct box *b, const struct plan_try *t, enum journal_guard guard, int self);

#endif
