/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ask: the three lines that the station answers, `bye`, `ask` and `jump`, by serial line and HTTP at once: the first valid answer
 * wins. One rule for waiting: repeat each second; with no byte received in this boot give up after 3 s, else after again_s.
 */
#ifndef KD_BOX_ASK_H
#define KD_BOX_ASK_H

#include "box/box.h"
#include "common/journal.h"

#define ASK_REPEAT_MS 1000
#define ASK_DEAF_MS 3000

/* The rule, pure. */
struct ask_clock {
	uint64_t start_ms, repeat_ms; /* repeat_ms: of the next repeat */
};
enum ask_step { ASK_WAIT, ASK_REPEAT, ASK_GIVE_UP };
void ask_clock_start(struct ask_clock *a, uint64_t now_ms);
/* What to do now; *wait_ms: until there is something to do again (valid for ASK_WAIT). */
enum ask_step ask_clock_step(struct ask_clock *a, uint64_t now_ms, int heard, unsigned again_s, uint64_t *wait_ms);

/* Bye, resending what is asked for. 0: the station has it all; -ETIMEDOUT. */
int ask_bye(struct box *b);
/* What next? 0 and *c (go or hold), or -ETIMEDOUT. */
int ask_next(struct box *b, struct command *c);
/* About to jump. 0: the station has journalled the start, -ETIMEDOUT. */
int ask_jump(struct box *b, unsigned line, uint32_t tag, unsigned quiet_ms, enum journal_guard guard);

#endif
