/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * show_more: what the station's journal says of a try beyond its state (why, and what the serial line brought), and the files of
 * evidence. The journal is read a second time for it: what goes by states needs none of this, and a box keeps the same table in memory.
 */
#include <stdlib.h>
#include <string.h>

#include "common/err.h"
#include "common/kv.h"
#include "host/lab.h"
#include "host/show.h"

#define JOURNAL_MAX_BYTES (64u << 20)

static struct show_try *by_line(struct show *s, uint64_t line)
{
	for (size_t i = 0; i < s->tries; i++)
		if (s->try[i].try->line == line)
			return &s->try[i];
	return NULL;
}

/* The last remark on the state that the try is in. */
static void take_why(struct show *s, const struct kv_line *l)
{
	const char *state = kv_get(l, "state"), *why = kv_get(l, "why"), *name = kv_get(l, "name");
	struct show_try *t;
	uint64_t line;
	uint32_t tag;

	if (!state || !why || kv_u64(l, "line", &line) || kv_hex32(l, "tag", &tag))
		return;
	t = by_line(s, line);
	if (!t || t->try->tag != tag || strcmp(state, journal_state_name(t->state)) || (*t->failure && (!name || strcmp(name, t->failure))))
		return;
	err_clean(t->why, sizeof t->why, why);
}

/* A try that ended twice (failed, then void) has two: the later one holds what came in between too. */
static void take_counts(struct show *s, const struct kv_line *l)
{
	struct show_console c = {.known = 1};
	struct show_try *t;
	uint64_t line;

	if (kv_u64(l, "line", &line) || kv_u64(l, "bytes", &c.bytes) || kv_u64(l, "bad", &c.bad) || kv_u64(l, "dropped", &c.dropped))
		return;
	t = by_line(s, line);
	if (t && (!t->console.known || c.bytes >= t->console.bytes))
		t->console = c;
}

static void read_journal(struct show *s)
{
	char below[PLAN_ID_MAX + 32], *text, *at;
	struct kv_line l;
	size_t len;

	snprintf(below, sizeof below, "sweeps/%s/journal", s->sweep->id);
	if (lab_read_plain(below, JOURNAL_MAX_BYTES, &text, &len))
		return;
	for (at = text; at < text + len;) {
		char *nl = memchr(at, '\n', len - (size_t)(at - text));
		size_t n = nl ? (size_t)(nl - at) : len - (size_t)(at - text);

		if (n && !kv_parse_crc(&l, at, n)) {
			if (!strcmp(l.word, "try"))
				take_why(s, &l);
			else if (!strcmp(l.word, "console"))
				take_counts(s, &l);
		}
		at += n + 1;
	}
	free(text);
}

/* Of several the one that the failure's name names, else any. */
static void find_evidence(struct show *s)
{
	char folder[PLAN_ID_MAX + 32], want[EVIDENCE_NAME_MAX], tag[12];
	char **names;
	size_t n;

	snprintf(folder, sizeof folder, "sweeps/%s/evidence", s->sweep->id);
	names = lab_list(folder, &n);
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < s->tries; k++) {
			struct show_try *t = &s->try[k];

			snprintf(tag, sizeof tag, "%08x-", t->try->tag);
			if (strncmp(names[i], tag, 9) || strlen(names[i]) >= sizeof t->evidence)
				continue;
			evidence_name(want, sizeof want, t->try->tag, *t->failure ? t->failure : journal_state_name(t->state));
			if (!*t->evidence || !strcmp(names[i], want))
				strcpy(t->evidence, names[i]);
		}
	}
	lab_list_free(names);
}

void show_read_more(struct show *s)
{
	read_journal(s);
	find_evidence(s);
}

const char *show_came_by(const struct show_try *t)
{
	if (t->differ)
		return "differ";
	if (t->missing)
		return "gap";
	if (!t->records)
		return "nothing";
	if (t->both == t->records)
		return "both";
	if (t->serial == t->records)
		return "serial only";
	return t->nfs == t->records ? "NFS only" : "mixed";
}
