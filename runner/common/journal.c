/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * journal: the state of each line of a schedule, as the greatest of all that was written about it.
 *
 * Merging is commutative and idempotent by construction: state is a maximum, a failure's name the one of least rank, a time the
 * earliest. The only thing that depends on order is the control word, and it has one writer, the station.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/journal.h"
#include "common/kv.h"

static const char *const states[] = {
	[JOURNAL_PLANNED] = "planned", [JOURNAL_GO] = "go",         [JOURNAL_START] = "start",       [JOURNAL_NOT_RUN] = "not-run",
	[JOURNAL_HELLO] = "hello",     [JOURNAL_FAILED] = "failed", [JOURNAL_COMPLETE] = "complete", [JOURNAL_VOID] = "void",
};

static const char *const controls[] = {
	[JOURNAL_RUN] = "run",
	[JOURNAL_HOLD] = "hold",
	[JOURNAL_SELF] = "self",
};

static const char *const hows[] = {"reset", "cycle", "off", "on", "start", "none"};

/* The first that applies names the failure. */
static const char *const failures[] = {
	"wrong-kernel", "panic", "oops", "hang", "load", "fetch", "jump", "runner", "no-hello", "no-progress", "deadline", "reset", "silent",
};

#define FAILURES (sizeof(failures) / sizeof(failures[0]))

void journal_init(struct journal *j) { memset(j, 0, sizeof(*j)); }

const char *journal_state_name(enum journal_state_id s) { return (unsigned)s <= JOURNAL_VOID ? states[s] : "unknown"; }

const char *journal_guard_name(enum journal_guard g)
{
	return g == JOURNAL_GUARD_STATION ? "station" : g == JOURNAL_GUARD_WATCHDOG ? "watchdog" : "";
}

enum journal_guard journal_guard_parse(const char *s)
{
	if (s && !strcmp(s, "station"))
		return JOURNAL_GUARD_STATION;
	return s && !strcmp(s, "watchdog") ? JOURNAL_GUARD_WATCHDOG : JOURNAL_GUARD_UNKNOWN;
}

unsigned journal_failure_rank(const char *name)
{
	unsigned i;

	for (i = 0; i < FAILURES; i++)
		if (!strcmp(name, failures[i]))
			break;
	return i;
}

int journal_void_is_bounded(const char *why)
{
	return !why || (strcmp(why, "stopped") && strcmp(why, "off-path") && strcmp(why, "after-power-cycle"));
}

static int is_name(const char *s)
{
	size_t n = strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789-");

	return n && n < JOURNAL_NAME_MAX && !s[n];
}

/* Whether a comes before b; names that are not known have one order too, or it would depend on who was read first. */
static int names_first(const char *a, const char *b)
{
	unsigned ra = journal_failure_rank(a), rb = journal_failure_rank(b);

	if (!*b)
		return 1;
	return ra != rb ? ra < rb : strcmp(a, b) < 0;
}

void journal_apply(struct journal *j, const struct journal_entry *e, uint64_t at_ms)
{
	struct journal_try *t;

	if (!e->line || e->line > PLAN_TRIES_MAX || (unsigned)e->state > JOURNAL_VOID)
		return;
	t = &j->try[e->line];
	if (e->state > t->state)
		t->state = e->state;
	if (e->guard > t->guard)
		t->guard = e->guard;
	t->void_bounded |= e->state == JOURNAL_VOID && journal_void_is_bounded(e->why);
	if (at_ms && (!t->at_ms[e->state] || at_ms < t->at_ms[e->state]))
		t->at_ms[e->state] = at_ms;
	if (e->state == JOURNAL_FAILED && e->name && is_name(e->name) && names_first(e->name, t->name)) {
		memset(t->name, 0, sizeof(t->name)); /* no rest of a longer name: equal journals are equal bytes */
		memcpy(t->name, e->name, strlen(e->name));
	}
}

static int parse_state(const char *s, enum journal_state_id *out)
{
	for (enum journal_state_id i = JOURNAL_GO; i <= JOURNAL_VOID; i++) {
		if (!strcmp(s, states[i])) {
			*out = i;
			return 0;
		}
	}
	return -EINVAL;
}

static int is_writer(const char *by) { return by && (!strcmp(by, "station") || !strcmp(by, "box")); }

/* 0, or -EINVAL for a line that is not of this kind. */
static int merge_try(struct journal *j, const struct plan *p, const struct kv_line *l)
{
	struct journal_entry e = {0};
	const char *state = kv_get(l, "state");
	const struct plan_try *t;
	uint64_t line, at;

	if (kv_u64(l, "line", &line) || !line || line > PLAN_TRIES_MAX || kv_hex32(l, "tag", &e.tag) || !state || parse_state(state, &e.state) ||
	    kv_u64(l, "at", &at) || !is_writer(kv_get(l, "by")))
		return -EINVAL;
	e.name = kv_get(l, "name");
	if (e.name && !is_name(e.name))
		return -EINVAL;
	e.why = kv_get(l, "why");
	e.guard = journal_guard_parse(kv_get(l, "guard"));
	e.line = (unsigned)line;
	t = plan_try_by_line(p, e.line);
	if (!t || t->tag != e.tag)
		return 0; /* it speaks of another schedule */
	journal_apply(j, &e, at);
	if (e.state >= JOURNAL_COMPLETE && !strcmp(kv_get(l, "by"), "station"))
		j->after_power = 0; /* by the order of the lines, which are of one file: a clock may have been set */
	return 0;
}

int journal_is_reason(const char *s)
{
	size_t n = 0;

	while (s[n] >= ' ' && s[n] <= '~')
		n++;
	return !s[n] && n <= JOURNAL_REASON_MAX;
}

void journal_apply_control(struct journal *j, enum journal_control c, const char *reason, uint64_t at_ms)
{
	j->control = c;
	j->paused = c == JOURNAL_HOLD && reason;
	j->paused_ms = j->paused ? at_ms : 0;
	memset(j->reason, 0, sizeof(j->reason));
	if (j->paused && journal_is_reason(reason))
		memcpy(j->reason, reason, strlen(reason));
}

static int merge_control(struct journal *j, const struct kv_line *l)
{
	const char *word = kv_get(l, "word"), *by = kv_get(l, "by");
	uint64_t at;

	if (!word || !is_writer(by) || kv_u64(l, "at", &at))
		return -EINVAL;
	for (enum journal_control c = JOURNAL_RUN; c <= JOURNAL_SELF; c++) {
		if (strcmp(word, controls[c]))
			continue;
		if (!strcmp(by, "station"))
			journal_apply_control(j, c, kv_get(l, "pause"), at);
		return 0;
	}
	return -EINVAL;
}

static int is_how(const char *s)
{
	for (size_t i = 0; s && i < sizeof(hows) / sizeof(hows[0]); i++)
		if (!strcmp(s, hows[i]))
			return 1;
	return 0;
}

/* It changes no state: what becomes of a try stands in a line of its own. */
static int merge_power(struct journal *j, const struct kv_line *l)
{
	uint64_t line, nth, at;

	if (kv_u64(l, "line", &line) || line > PLAN_TRIES_MAX || kv_u64(l, "nth", &nth) || !is_how(kv_get(l, "how")) || !is_writer(kv_get(l, "by")) ||
	    kv_u64(l, "at", &at))
		return -EINVAL;
	j->after_power = 1;
	return 0;
}

/* What the line brought of a try: for people and for `show`; nothing here goes by it. */
static int check_console(const struct kv_line *l)
{
	static const char *const counts[] = {"line", "bytes", "bad", "dropped", "at"};
	uint64_t v;

	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		if (kv_u64(l, counts[i], &v))
			return -EINVAL;
	return is_writer(kv_get(l, "by")) ? 0 : -EINVAL;
}

static int merge_line(struct journal *j, const struct plan *p, const char *s, size_t len)
{
	struct kv_line l;
	int err;

	if (len && s[len - 1] == '\r')
		len--;
	if (!len || (len >= 2 && !memcmp(s, "# ", 2) && !(len >= 5 && !memcmp(s + 2, "kd1", 3))))
		return 0;
	err = kv_parse_crc(&l, s, len);
	if (err)
		return err;
	if (!strcmp(l.word, "try"))
		return merge_try(j, p, &l);
	if (!strcmp(l.word, "control"))
		return merge_control(j, &l);
	if (!strcmp(l.word, "power"))
		return merge_power(j, &l);
	if (!strcmp(l.word, "console"))
		return check_console(&l);
	return -EINVAL;
}

void journal_merge(struct journal *j, const struct plan *p, const char *text, size_t len)
{
	while (len) {
		const char *nl = memchr(text, '\n', len);
		size_t n = nl ? (size_t)(nl - text) : len;

		if (merge_line(j, p, text, n))
			j->bad_lines++;
		n += nl != NULL;
		text += n;
		len -= n;
	}
}

enum journal_state_id journal_state(const struct journal *j, unsigned line)
{
	return line && line <= PLAN_TRIES_MAX ? j->try[line].state : JOURNAL_PLANNED;
}

/* A fetch that fails says something of the network, not of the subject. */
static int counts_against(const struct journal *j, unsigned line)
{
	return journal_state(j, line) == JOURNAL_FAILED && strcmp(j->try[line].name, "fetch") != 0;
}

int journal_quarantined(const struct journal *j, const struct plan *p, unsigned subject)
{
	unsigned run = 0;

	for (size_t i = 0; i < p->tries; i++) {
		if (p->try[i].subject != subject)
			continue;
		if (counts_against(j, p->try[i].line))
			run++;
		else if (journal_state(j, p->try[i].line) == JOURNAL_COMPLETE)
			run = 0;
	}
	return p->tries_max && run >= p->tries_max;
}

int journal_boot_complete(const struct journal *j, const struct plan *p, unsigned boot, unsigned *line)
{
	for (size_t i = 0; i < p->tries; i++) {
		if (p->try[i].boot != boot || journal_state(j, p->try[i].line) != JOURNAL_COMPLETE)
			continue;
		if (line)
			*line = p->try[i].line;
		return 1;
	}
	return 0;
}

unsigned journal_next(const struct journal *j, const struct plan *p)
{
	char out[PLAN_SUBJECTS_MAX]; /* 0 not looked at yet, 1 runs, 2 quarantined */

	memset(out, 0, sizeof(out));
	for (size_t i = 0; i < p->tries; i++) {
		const struct plan_try *t = &p->try[i];

		if (journal_state(j, t->line) >= JOURNAL_START || t->subject >= PLAN_SUBJECTS_MAX)
			continue;
		if (!out[t->subject])
			out[t->subject] = journal_quarantined(j, p, t->subject) ? 2 : 1;
		if (out[t->subject] == 1 && !journal_boot_complete(j, p, t->boot, NULL))
			return t->line;
	}
	return 0;
}

/* Closes a line with CRC and newline. */
static long close_line(struct kv_out *o)
{
	kv_out_crc(o, 0);
	if (o->err)
		return o->err;
	if (o->size - o->len < 2 || o->len > KV_LINE_MAX)
		return -EMSGSIZE;
	memcpy(o->buf + o->len, "\n", 2);
	return (long)o->len + 1;
}

long journal_format(const struct journal_entry *e, const char *by, uint64_t at_ms, char *out, size_t size)
{
	struct kv_out o;

	if (!e->line || e->line > PLAN_TRIES_MAX || e->state < JOURNAL_GO || e->state > JOURNAL_VOID || !is_writer(by))
		return -EINVAL;
	if (e->name && !is_name(e->name))
		return -EINVAL;
	kv_out_init(&o, out, size);
	kv_out_word(&o, "try");
	kv_out_u64(&o, "line", e->line);
	kv_out_hex32(&o, "tag", e->tag);
	kv_out_str(&o, "state", states[e->state]);
	kv_out_str(&o, "by", by);
	kv_out_u64(&o, "at", at_ms);
	if (e->name)
		kv_out_str(&o, "name", e->name);
	if (e->guard)
		kv_out_str(&o, "guard", journal_guard_name(e->guard));
	if (e->why)
		kv_out_str(&o, "why", e->why);
	return close_line(&o);
}

static long format_control(enum journal_control c, const char *pause, const char *by, uint64_t at_ms, char *out, size_t size)
{
	struct kv_out o;

	kv_out_init(&o, out, size);
	kv_out_word(&o, "control");
	kv_out_str(&o, "word", controls[c]);
	kv_out_str(&o, "by", by);
	kv_out_u64(&o, "at", at_ms);
	if (pause)
		kv_out_str(&o, "pause", pause);
	return close_line(&o);
}

long journal_format_pause(const char *reason, uint64_t at_ms, char *out, size_t size)
{
	return journal_is_reason(reason) ? format_control(JOURNAL_HOLD, reason, "station", at_ms, out, size) : -EINVAL;
}

long journal_format_control(enum journal_control c, const char *by, uint64_t at_ms, char *out, size_t size)
{
	if (c < JOURNAL_RUN || c > JOURNAL_SELF || !is_writer(by))
		return -EINVAL;
	return format_control(c, NULL, by, at_ms, out, size);
}

long journal_format_power(const struct journal_power *p, const char *by, uint64_t at_ms, char *out, size_t size)
{
	struct kv_out o;

	if (p->line > PLAN_TRIES_MAX || !is_how(p->how) || !is_writer(by))
		return -EINVAL;
	kv_out_init(&o, out, size);
	kv_out_word(&o, "power");
	kv_out_u64(&o, "line", p->line);
	kv_out_u64(&o, "nth", p->nth);
	kv_out_str(&o, "how", p->how);
	kv_out_str(&o, "by", by);
	kv_out_u64(&o, "at", at_ms);
	if (p->why)
		kv_out_str(&o, "why", p->why);
	return close_line(&o);
}

long journal_format_console(const struct journal_console *c, const char *by, uint64_t at_ms, char *out, size_t size)
{
	struct kv_out o;

	if (!c->line || c->line > PLAN_TRIES_MAX || !is_writer(by))
		return -EINVAL;
	kv_out_init(&o, out, size);
	kv_out_word(&o, "console");
	kv_out_u64(&o, "line", c->line);
	kv_out_u64(&o, "bytes", c->bytes);
	kv_out_u64(&o, "bad", c->bad);
	kv_out_u64(&o, "dropped", c->dropped);
	kv_out_str(&o, "by", by);
	kv_out_u64(&o, "at", at_ms);
	return close_line(&o);
}
