/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plan_schedule: reads the schedule of a sweep: `sweep` first, then `subject`, `test` and `try` lines.
 *
 * The file is read while the station appends to it, so its last line may be torn; and a line that is lost to damage leaves
 * a hole in the numbering, which is tolerated only as far as damaged lines were seen. Lines are never renumbered: a line's number
 * is what the journals speak of. Keys that are not known are let pass: a newer station may say more.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/plan_read.h"
#include "common/record.h"

#define WORDS "sweep, subject, test or try"
#define DAY_S 86400u
#define WEEK_MS (7u * DAY_S * 1000u)

static void read_sweep(struct plan *p, struct plan_reader *r)
{
	if (*p->id)
		plan_fail(r, "a second sweep line");
	plan_take_u64(r, "v", 1, 1);
	plan_take_id(r, "id", p->id, sizeof(p->id));
	plan_take_id(r, "box", p->box, sizeof(p->box));
	plan_take_id(r, "suite", p->suite, sizeof(p->suite));
	plan_take_id(r, "home", p->home, sizeof(p->home));
	p->seed = plan_take_u64(r, "seed", 0, UINT64_MAX);
	p->rounds = (unsigned)plan_take_u64(r, "rounds", 1, PLAN_TRIES_MAX);
	p->tries_max = (unsigned)plan_take_u64(r, "tries", 1, 100);
	p->again_s = (unsigned)plan_take_u64(r, "again_s", 1, DAY_S);
	p->deaf_s = (unsigned)plan_take_u64(r, "deaf_s", 1, DAY_S);
	p->jump_s = (unsigned)plan_take_u64(r, "jump_s", 1, DAY_S);
	if (kv_get(&r->kv, "ssh"))
		p->ssh = (int)plan_take_u64(r, "ssh", 0, 1);
	if (kv_get(&r->kv, "imported"))
		p->imported = (int)plan_take_u64(r, "imported", 0, 1);
	if (kv_get(&r->kv, "crash"))
		p->crash_bytes = plan_take_u64(r, "crash", 1 << 20, (uint64_t)1 << 40);
	if (!r->err && plan_switch_parse(plan_take(r, "switch"), &p->sw))
		plan_fail(r, "sweep: switch= wants chain, via-home or firmware");
}

static long find_subject(const struct plan *p, const char *id)
{
	for (size_t i = 0; i < p->subjects; i++)
		if (!strcmp(p->subject[i].id, id))
			return (long)i;
	return -1;
}

static void read_subject(struct plan *p, struct plan_reader *r)
{
	struct plan_subject *s = &p->subject[p->subjects];
	const char *id = plan_take(r, "id");
	size_t klen;

	plan_take_id(r, "kernel", s->kernel, sizeof(s->kernel));
	plan_take_id(r, "variant", s->variant, sizeof(s->variant));
	if (r->err)
		return;
	klen = strlen(s->kernel);
	if (strncmp(id, s->kernel, klen) || id[klen] != '/' || strcmp(id + klen + 1, s->variant)) {
		plan_fail(r, "subject: id= wants kernel/variant, %s/%s", s->kernel, s->variant);
		return;
	}
	if (find_subject(p, id) >= 0) {
		plan_fail(r, "subject %s is there twice", id);
		return;
	}
	memcpy(s->id, id, strlen(id) + 1); /* two ids and a slash fit */
	p->subjects++;
}

/* A comma list, each item of which `is_item` accepts. */
static int is_list(const char *s, int (*is_item)(const char *item, size_t len))
{
	while (*s) {
		size_t n = strcspn(s, ",");

		if (!is_item(s, n) || (s[n] && !s[n + 1]))
			return 0;
		s += n + (s[n] != 0);
	}
	return 1;
}

static int is_need(const char *s, size_t len)
{
	static const char *const known[] = {"scratch", "nfs", "net", "early"};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (strlen(known[i]) == len && !memcmp(s, known[i], len))
			return 1;
	return 0;
}

static int is_arg(const char *s, size_t len)
{
	size_t n = strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-");

	return n && n < len && s[n] == '=';
}

/* An id that need not be there: out stays as it is. */
static void take_optional_id(struct plan_reader *r, const char *key, char *out, size_t size)
{
	if (kv_get(&r->kv, key))
		plan_take_id(r, key, out, size);
}

static void read_test(struct plan *p, struct plan_reader *r)
{
	struct plan_test *t = &p->test[p->tests++]; /* counted at once, so that plan_free sees what it owns */

	plan_take_id(r, "name", t->name, sizeof(t->name));
	memcpy(t->program, t->name, sizeof(t->program));
	take_optional_id(r, "program", t->program, sizeof(t->program));
	take_optional_id(r, "like", t->like, sizeof(t->like));
	take_optional_id(r, "primary", t->primary, sizeof(t->primary));
	t->deadline_ms = plan_take_u64(r, "deadline_ms", 1, WEEK_MS);
	t->quiet_ms = plan_take_u64(r, "quiet_ms", 1, WEEK_MS);
	t->mem_kb = plan_take_u64(r, "mem_kb", 0, UINT64_MAX >> 10);
	if (kv_str(&r->kv, "needs", t->needs, sizeof(t->needs)) || !is_list(t->needs, is_need))
		plan_fail(r, "test: needs= wants a comma list of scratch, nfs, net, early");
	t->args = plan_take_text(r, "args", KV_LINE_MAX);
	if (t->args && !is_list(t->args, is_arg))
		plan_fail(r, "test: args= wants a comma list of name=value");
	for (size_t i = 0; !r->err && i + 1 < p->tests; i++)
		if (!strcmp(p->test[i].name, t->name))
			plan_fail(r, "test %s is there twice", t->name);
	if (r->err)
		return;
	t->line = strndup(r->raw, r->raw_len);
	if (!t->line) {
		plan_fail(r, "no memory");
		r->err = -ENOMEM;
	}
}

/* Against the tries before it. */
static void check_try(const struct plan *p, struct plan_reader *r, const struct plan_try *t)
{
	unsigned last = p->tries ? p->try[p->tries - 1].line : 0;
	unsigned holes = last - (unsigned)p->tries; /* of before */

	if (t->line <= last || t->line - last - 1 > r->bad_lines - (holes < r->bad_lines ? holes : r->bad_lines))
		plan_fail(r, "try: line=%u after line=%u", t->line, last);
	if (t->tag & RECORD_TAG_BOX)
		plan_fail(r, "try: tag=%08x has its top bit set", t->tag);
	if (t->of && !plan_try_by_line(p, t->of) && !r->bad_lines)
		plan_fail(r, "try: of=%u is no line before it", t->of);
	for (size_t i = 0; i < p->tries; i++) {
		const struct plan_try *o = &p->try[i];

		if (o->tag == t->tag)
			plan_fail(r, "try: tag=%08x is that of line=%u", t->tag, o->line);
		if (o->boot == t->boot && o->subject != t->subject)
			plan_fail(r, "try: boot=%u is of another subject in line=%u", t->boot, o->line);
	}
}

static void read_try(struct plan *p, struct plan_reader *r)
{
	struct plan_try *t = &p->try[p->tries];
	const char *id = plan_take(r, "subject"), *why = plan_take(r, "why");
	long subject = find_subject(p, id);

	t->line = (unsigned)plan_take_u64(r, "line", 1, PLAN_TRIES_MAX);
	t->boot = (unsigned)plan_take_u64(r, "boot", 0, PLAN_TRIES_MAX);
	t->round = (unsigned)plan_take_u64(r, "round", 0, PLAN_TRIES_MAX);
	t->discard = (int)plan_take_u64(r, "discard", 0, 1);
	if (kv_get(&r->kv, "of"))
		t->of = (unsigned)plan_take_u64(r, "of", 1, t->line > 1 ? t->line - 1 : 1);
	if (kv_hex32(&r->kv, "tag", &t->tag))
		plan_fail(r, "try: tag= wants 8 hex digits");
	if (subject < 0)
		plan_fail(r, "try: subject=%.64s is not in the schedule", id);
	if (strcmp(why, "plan") && strcmp(why, "again") && strcmp(why, "replace"))
		plan_fail(r, "try: why= wants plan, again or replace");
	if (r->err)
		return;
	t->subject = (unsigned)subject;
	memcpy(t->why, why, strlen(why) + 1);
	check_try(p, r, t);
	p->tries++;
}

static void read_line(struct plan *p, struct plan_reader *r)
{
	const char *word = r->kv.word;

	if (!strcmp(word, "sweep"))
		read_sweep(p, r);
	else if (!*p->id)
		plan_fail(r, "%.32s before the sweep line", word);
	else if (!strcmp(word, "subject"))
		read_subject(p, r);
	else if (!strcmp(word, "test"))
		read_test(p, r);
	else if (!strcmp(word, "try"))
		read_try(p, r);
	else
		plan_fail(r, "unknown word %.32s, want " WORDS, word);
}

int plan_read_schedule(struct plan *p, const char *text, size_t len, struct plan_error *e)
{
	struct plan_reader *r = calloc(1, sizeof(*r)); /* 5 KiB: not for a small stack */
	int err;

	memset(p, 0, sizeof(*p));
	memset(e, 0, sizeof(*e));
	if (!r)
		return -ENOMEM;
	r->text = text;
	r->len = len;
	r->e = e;
	p->subject = plan_table(r, plan_count_lines(text, len, "subject"), PLAN_SUBJECTS_MAX, sizeof(*p->subject), "subject");
	p->test = plan_table(r, plan_count_lines(text, len, "test"), PLAN_TESTS_MAX, sizeof(*p->test), "test");
	p->try = plan_table(r, plan_count_lines(text, len, "try"), PLAN_TRIES_MAX, sizeof(*p->try), "try");
	while (plan_next_line(r, WORDS) > 0)
		read_line(p, r);
	if (!r->err && !*p->id)
		plan_fail(r, "no sweep line");
	p->bad_lines = r->bad_lines;
	err = r->err;
	free(r);
	if (err)
		plan_free(p);
	return err;
}
