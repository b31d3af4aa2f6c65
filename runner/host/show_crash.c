/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * show_crash: what kernels that died have left: by the crash kernel that came up behind them, or by what home found in pstore. Both say of
 * whom they tell (of=), and lie in the store under line 0.
 */
#include <stdio.h>
#include <string.h>

#include "common/err.h"
#include "common/trace.h"
#include "host/show.h"
#include "host/table.h"

#define LOG_MAX 65536

/* Is it the beginning of what tells of this try? Then the name of the text that holds the log. */
static const char *tells_of(const struct store_record *r, uint32_t tag)
{
	const char *of = r->line ? NULL : store_get(r, "of"), *role, *name; /* there are many records, and few of line 0 */
	char hex[9];

	if (!of)
		return NULL;
	role = store_get(r, "role");
	name = store_get(r, "name");
	snprintf(hex, sizeof(hex), "%08x", (unsigned)tag);
	if (strcmp(of, hex))
		return NULL;
	if (!strcmp(r->kind, "hello") && role && !strcmp(role, "crash"))
		return "dmesg";
	return !strcmp(r->kind, "text") && name && !strncmp(name, "pstore-", 7) ? name : NULL;
}

/* The parts of a text that there are, in the order in which they were sent. */
static size_t join(const struct store *s, uint32_t tag, const char *name, char *out, size_t size)
{
	size_t len = 0;

	for (size_t i = 0; i < s->records; i++) {
		const struct store_record *r = &s->record[i];
		const char *n = r->tag == tag && !strcmp(r->kind, "text") ? store_get(r, "name") : NULL, *data = n ? store_get(r, "data") : NULL;

		if (!data || strcmp(n, name) || len + strlen(data) >= size)
			continue;
		memcpy(out + len, data, strlen(data));
		len += strlen(data);
	}
	return len;
}

static char death_log[LOG_MAX]; /* of the try that was asked for last */

int show_death(const struct show *s, const struct show_try *t, struct show_death *d)
{
	struct trace trace;

	for (size_t i = 0; i < s->store->records; i++) {
		const struct store_record *r = &s->store->record[i];
		const char *name = tells_of(r, t->try->tag);

		if (!name)
			continue;
		d->by = name[0] == 'd' ? "crash kernel" : "pstore";
		d->tag = r->tag;
		d->bytes = join(s->store, r->tag, name, death_log, sizeof(death_log) - 1);
		death_log[d->bytes] = 0;
		d->log = death_log;
		trace_init(&trace);
		trace_feed_text(&trace, death_log, d->bytes);
		trace_why(&trace, d->why, sizeof(d->why));
		return 1;
	}
	return 0;
}

void show_print_deaths(const struct show *s, FILE *f)
{
	struct table table;
	struct show_death d;
	int any = 0;

	table_open(&table, ">line|state|told by|tag|>bytes|what killed it");
	for (size_t i = 0; i < s->tries; i++) {
		if (!show_death(s, &s->try[i], &d))
			continue;
		if (!any++)
			fprintf(f, "\nkernels that died, and what is kept of their logs (kdyno show %s --log prints them)\n", s->sweep->id);
		table_addf(&table, "%u", s->try[i].try->line);
		table_addf(&table, "%s%s%s", show_state_name(&s->try[i]), *s->try[i].failure ? ":" : "", s->try[i].failure);
		table_add(&table, d.by);
		table_addf(&table, "%08x", d.tag);
		table_addf(&table, "%zu", d.bytes);
		table_add(&table, *d.why ? d.why : "-");
	}
	table_print(&table, f, 0);
}

void show_print_logs(const struct show *s, const struct show_filter *filter, FILE *f)
{
	struct show_death d;
	char clean[4 * 1024];

	for (size_t i = 0; i < s->tries; i++) {
		const struct show_try *x = &s->try[i];

		if (!show_death(s, x, &d) || (filter->by_tag && filter->tag != x->try->tag && filter->tag != d.tag))
			continue;
		fprintf(f, "\nthe log of line %u, tag %08x, as the %s has it (tag %08x, %zu bytes)\n", x->try->line, x->try->tag, d.by, d.tag,
		        d.bytes);
		for (char *next = death_log, *text; (text = strsep(&next, "\n"));) {
			err_clean(clean, sizeof(clean), text);
			if (next || *clean)
				fprintf(f, "| %s\n", clean);
		}
	}
}
