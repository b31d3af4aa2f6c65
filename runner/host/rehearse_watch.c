/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rehearse_watch: schedule and journals of a sweep, read anew each time: other processes append to them meanwhile. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/io.h"
#include "common/kv.h"
#include "host/lab.h"
#include "host/rehearse.h"

#define FILE_MAX_BYTES (16u << 20)

static void take_line(struct rehearse_watch *w, const struct kv_line *l)
{
	const char *state = kv_get(l, "state"), *name = kv_get(l, "name"), *why = kv_get(l, "why");
	struct rehearse_event *e = &w->event[w->events];
	const struct plan_try *t;
	uint64_t line;
	uint32_t tag;

	if (strcmp(l->word, "try") || !state || kv_u64(l, "line", &line) || kv_hex32(l, "tag", &tag) || kv_u64(l, "at", &e->at_ms))
		return;
	t = plan_try_by_line(&w->plan, (unsigned)line);
	if (!t || t->tag != tag)
		return;
	for (e->state = JOURNAL_GO; e->state <= JOURNAL_VOID && strcmp(state, journal_state_name(e->state)); e->state++)
		;
	if (e->state > JOURNAL_VOID)
		return;
	e->line = (unsigned)line;
	snprintf(e->name, sizeof(e->name), "%s", name ? name : "");
	snprintf(e->why, sizeof(e->why), "%s", why ? why : "");
	w->events++;
}

static int read_events(struct rehearse_watch *w, const char *text, size_t len)
{
	static struct kv_line l;
	size_t lines = 1;

	for (size_t i = 0; i < len; i++)
		lines += text[i] == '\n';
	w->event = calloc(lines, sizeof(*w->event));
	if (!w->event)
		return -ENOMEM;
	for (size_t at = 0; at < len;) {
		const char *nl = memchr(text + at, '\n', len - at);
		size_t n = nl ? (size_t)(nl - text) - at : len - at;

		if (n && !kv_parse_crc(&l, text + at, n))
			take_line(w, &l);
		at += n + 1;
	}
	return 0;
}

static int read_text(char **text, size_t *len, const char *folder, const char *sweep, const char *file)
{
	char below[3 * PLAN_ID_MAX + 32];

	*text = NULL;
	*len = 0;
	snprintf(below, sizeof(below), "%s/%.64s/%.80s", folder, sweep, file);
	return lab_read_plain(below, FILE_MAX_BYTES, text, len);
}

int rehearse_watch_read(struct rehearse_watch *w, const char *sweep)
{
	struct rehearse_watch new = {.journal = malloc(sizeof(*new.journal))};
	char *schedule, *ours, *box, file[PLAN_ID_MAX + 16];
	size_t schedule_len, ours_len, box_len;
	struct plan_error e;
	int err = new.journal ? 0 : -ENOMEM;

	if (err)
		return err;
	journal_init(new.journal);
	err = read_text(&schedule, &schedule_len, "sweeps", sweep, "schedule");
	if (!err)
		err = plan_read_schedule(&new.plan, schedule, schedule_len, &e);
	free(schedule);
	if (err) {
		free(new.journal);
		return err;
	}
	snprintf(file, sizeof(file), "%s/journal", new.plan.box);
	if (!read_text(&box, &box_len, "results", sweep, file))
		journal_merge(new.journal, &new.plan, box, box_len);
	err = read_text(&ours, &ours_len, "sweeps", sweep, "journal");
	if (!err) {
		journal_merge(new.journal, &new.plan, ours, ours_len);
		err = read_events(&new, ours, ours_len);
	}
	free(box);
	free(ours);
	if (err) {
		rehearse_watch_free(&new);
		return err;
	}
	rehearse_watch_free(w);
	*w = new;
	return 0;
}

void rehearse_watch_free(struct rehearse_watch *w)
{
	if (w->journal)
		plan_free(&w->plan);
	free(w->journal);
	free(w->event);
	memset(w, 0, sizeof(*w));
}

const char *rehearse_watch_why(const struct rehearse_watch *w, unsigned line, enum journal_state_id s)
{
	for (size_t i = 0; i < w->events; i++)
		if (w->event[i].line == line && w->event[i].state == s)
			return w->event[i].why;
	return "";
}
