/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * prove_records: what the store and the console say of each line. The store is read here without store.c, whose reader hides what this looks for:
 * it leaves out what stands twice.
 */
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "common/crc32c.h"
#include "common/record.h"
#include "common/sha256.h"
#include "host/prove.h"

#define SEQ_MAX 65536u

/* Marks a seq; 1 where a record of it was there before. */
static int mark(struct prove_try *x, uint64_t seq, unsigned char what)
{
	if (seq >= SEQ_MAX)
		return 0;
	if (seq >= x->haves) {
		size_t n = x->haves ? x->haves : 256;
		unsigned char *more;

		while (n <= seq)
			n *= 2;
		more = realloc(x->have, n);
		if (!more)
			return 0;
		memset(more + x->haves, 0, n - x->haves);
		x->have = more;
		x->haves = n;
	}
	if (what == 1 && x->have[seq] == 1)
		return 1;
	if (x->have[seq] != 1)
		x->have[seq] = what;
	return 0;
}

static const char *text(const json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));

	return s ? s : "";
}

static uint64_t number(const json_t *o, const char *key) { return strtoull(text(o, key), NULL, 10); }

static void take_test(struct prove *p, struct prove_try *x, const char *kind, const json_t *kv)
{
	const char *test = text(kv, "test");

	for (size_t i = 0; *test && i < p->plan.tests; i++) {
		if (strcmp(p->plan.test[i].name, test))
			continue;
		x->got[i]++;
		x->began[i] += !strcmp(kind, "begin");
		if (!strcmp(kind, "end"))
			x->said[i] = number(kv, "records");
	}
}

/* What ran is what was meant: release and command line, as the box said them. */
static void take_ident(struct prove *p, struct prove_try *x, const json_t *kv)
{
	const struct plan_subject *s = &p->plan.subject[x->t->subject];
	const struct plan_expect *e = plan_expect(&p->plan, s->kernel);
	char sha[65];

	x->wrong_rel = e && strcmp(text(kv, "rel"), e->release);
	if (!s->cmdline)
		return;
	sha256_hex(s->cmdline, strlen(s->cmdline), sha);
	x->wrong_cmd = strlen(text(kv, "cmd")) != 16 || strncmp(text(kv, "cmd"), sha, 16);
}

static void take_record(struct prove *p, struct prove_try *x, const json_t *o)
{
	const char *kind = text(o, "kind"), *ch = text(o, "ch");
	const json_t *kv = json_object_get(o, "kv");
	uint64_t seq = (uint64_t)json_integer_value(json_object_get(o, "seq"));

	if (!strcmp(kind, "ask") || !strcmp(kind, "jump") || !strcmp(kind, "part"))
		return;
	if (mark(x, seq, 1)) {
		if (!x->twice++)
			prove_say(p, "line %u: record %llu stands twice in the store", x->t->line, (unsigned long long)seq);
		return;
	}
	x->records++;
	x->differ += !strcmp(ch, "differ");
	if (!strcmp(kind, "bye")) {
		x->bye = 1;
		x->count = number(kv, "count");
		if (seq != x->count)
			prove_say(p, "line %u: bye is record %llu and counts %llu", x->t->line, (unsigned long long)seq,
			          (unsigned long long)x->count);
	}
	if (!strcmp(kind, "ident"))
		take_ident(p, x, kv);
	take_test(p, x, kind, kv);
}

static void take_gap(struct prove_try *x, const json_t *gap)
{
	uint64_t a = (uint64_t)json_integer_value(json_array_get(gap, 0)), b = (uint64_t)json_integer_value(json_array_get(gap, 1));

	for (; a <= b && a < SEQ_MAX; a++)
		mark(x, a, 2);
}

static void take_object(struct prove *p, const json_t *o)
{
	uint32_t tag = (uint32_t)strtoul(text(o, "tag"), NULL, 16);
	json_int_t line = json_integer_value(json_object_get(o, "line"));
	const json_t *gap = json_object_get(o, "gap");
	struct prove_try *x = NULL;

	for (size_t i = 0; !x && i < p->plan.tries; i++)
		if (p->plan.try[i].tag == tag)
			x = &p->try[i];
	if (!line && tag & RECORD_TAG_BOX)
		return; /* home's */
	if (!x || x->t->line != (unsigned)line)
		prove_say(p, "a record of tag %08x is filed under line %lld, which is not its own", tag, (long long)line);
	else if (gap)
		take_gap(x, gap);
	else
		take_record(p, x, o);
}

int prove_read_records(struct prove *p, const struct prove_text *t)
{
	const char *s = t->s, *end = t->s + t->len;

	while (s < end) {
		const char *nl = memchr(s, '\n', (size_t)(end - s));
		size_t n = nl ? (size_t)(nl - s) : (size_t)(end - s);
		json_t *o = n ? json_loadb(s, n, JSON_REJECT_DUPLICATES, NULL) : NULL;

		if (json_is_object(o))
			take_object(p, o);
		else
			p->torn += n > 0;
		json_decref(o);
		s += n + 1;
	}
	return 0;
}

static int hex(char c) { return c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1; }

/* A line of the console's log without its %XX. Length. */
static size_t plain(char *out, size_t size, const char *s, size_t n)
{
	size_t len = 0;

	for (size_t i = 0; i < n && len < size; i++) {
		if (s[i] == '%' && i + 2 < n && hex(s[i + 1]) >= 0 && hex(s[i + 2]) >= 0) {
			out[len++] = (char)(hex(s[i + 1]) * 16 + hex(s[i + 2]));
			i += 2;
		} else {
			out[len++] = s[i];
		}
	}
	return len;
}

/* Every hello that is whole; the same bytes again are the same hello, sent again. */
void prove_read_console(struct prove *p, const struct prove_text *t)
{
	const char *s = t->s, *end = t->s + t->len;

	while (s < end) {
		const char *nl = memchr(s, '\n', (size_t)(end - s));
		size_t n = nl ? (size_t)(nl - s) : (size_t)(end - s), len;
		struct record r;
		char line[2048];
		long at;

		len = plain(line, sizeof(line), s, n);
		at = record_find(line, len);
		s += n + 1;
		if (at < 0 || record_parse(&r, line + at, len - (size_t)at) || strcmp(r.kv.word, "hello"))
			continue;
		for (size_t i = 0; i < p->plan.tries; i++) {
			uint32_t crc = crc32c(0, line + at, r.len);

			if (p->plan.try[i].tag != r.tag || (p->try[i].hellos && p->try[i].hello_crc == crc))
				continue;
			p->try[i].hellos++;
			p->try[i].hello_crc = crc;
		}
	}
}

/* A test that began ended, and all of it is there. */
static void judge_tests(struct prove *p, const struct prove_try *x)
{
	for (size_t i = 0; i < p->plan.tests; i++) {
		const char *name = p->plan.test[i].name;

		if (x->began[i] != 1 || !x->said[i])
			prove_say(p, "line %u is complete, and %s %s", x->t->line, name, x->began[i] ? "has no end, or began twice" : "did not run");
		else if (x->said[i] != x->got[i])
			prove_say(p, "line %u: %u records of %s, its end counts %llu", x->t->line, x->got[i], name, (unsigned long long)x->said[i]);
	}
}

void prove_judge_records(struct prove *p, struct prove_try *x)
{
	uint64_t missing = 0;

	p->records += x->records;
	if (journal_state(p->journal, x->t->line) != JOURNAL_COMPLETE)
		return;
	if (!x->bye) {
		prove_say(p, "line %u is complete without a bye in the store", x->t->line);
		return;
	}
	if (x->differ)
		prove_say(p, "line %u is complete, and %u of its records differ between the channels", x->t->line, x->differ);
	if (x->wrong_rel || x->wrong_cmd)
		prove_say(p, "line %u is complete, and another %s ran", x->t->line, x->wrong_rel ? "release" : "command line");
	for (uint64_t i = 0; i < x->count && i < SEQ_MAX; i++) {
		missing += i >= x->haves || !x->have[i];
		x->gaps += i < x->haves && x->have[i] == 2;
	}
	p->gaps += x->gaps;
	if (missing)
		prove_say(p, "line %u: %llu of %llu records are neither there nor a gap", x->t->line, (unsigned long long)missing,
		          (unsigned long long)x->count);
	if (x->gaps && !x->with_gaps)
		prove_say(p, "line %u has %u gaps, and is complete as if it had none", x->t->line, x->gaps);
	if (x->records + x->gaps != x->count + 1 && !missing)
		prove_say(p, "line %u: %u records, bye counts %llu", x->t->line, x->records, (unsigned long long)x->count);
	if (!x->gaps && !missing)
		judge_tests(p, x);
}
