/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * step_fact: a line of a test becomes a record. A test is our own program, but it runs on a kernel that may be broken: its
 * lines are parsed and written anew, never passed on.
 */
#include "box/step.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static int is_known(const char *word)
{
	static const char *const known[] = {"phase", "metric", "fact", "hist"};

	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (!strcmp(word, known[i]))
			return 1;
	return 0;
}

/* One pair more. -EMSGSIZE where it, with the CRC to come, does not fit; the record is then as it was. */
static int add_pair(struct records *r, const struct kv_pair *p)
{
	char pair[RECORD_MAX + 1];
	struct kv_out o;

	kv_out_init(&o, pair, sizeof pair);
	kv_out_str(&o, p->key, p->val);
	if (o.err || r->out.len + o.len + 1 + 10 > RECORD_MAX)
		return -EMSGSIZE;
	kv_out_str(&r->out, p->key, p->val);
	return r->out.err;
}

/* Facts may be spread over records; a metric, phase or histogram is whole or not at all. */
static void send_pairs(struct records *r, const char *test, const struct kv_line *l)
{
	int spread = !strcmp(l->word, "fact"), in_record = 0;

	records_begin(r, l->word, test);
	for (size_t i = 0; i < l->n; i++) {
		if (!strcmp(l->pair[i].key, "test"))
			continue;
		if (add_pair(r, &l->pair[i]) == 0) {
			in_record++;
			continue;
		}
		if (!spread || !in_record) {
			records_note(r, test, "a %s is too long: %s", l->word, l->pair[i].key);
			return;
		}
		records_end(r);
		records_begin(r, l->word, test);
		in_record = 0;
		i--; /* once more, into the new record */
	}
	records_end(r);
}

void step_take_fact(struct records *r, const char *test, const char *line, size_t len, char *reason, size_t reason_size)
{
	static struct kv_line l; /* 5 KiB; no threads here */
	const char *text;

	if (!len)
		return;
	if (len > STEP_FACT_MAX || kv_parse(&l, line, len) < 0) {
		records_note(r, test, "not a fact: %.*s", (int)(len < 80 ? len : 80), line);
		return;
	}
	if (is_known(l.word)) {
		send_pairs(r, test, &l);
	} else if (!strcmp(l.word, "skip") || !strcmp(l.word, "fail")) {
		text = kv_get(&l, "reason");
		snprintf(reason, reason_size, "%s", text ? text : "");
	} else if (!strcmp(l.word, "note")) {
		text = kv_get(&l, "msg");
		records_note(r, test, "%s", text ? text : "");
	} else {
		records_note(r, test, "unknown fact: %s", l.word);
	}
}
