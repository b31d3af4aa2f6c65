/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * compare_env: what else differed between two subjects, from the `env` records of their boots.
 *
 * Every key is looked at, known or not. A few have a weight of their own (the table); of the rest, text is noted where each side has one
 * value and the two differ, numbers where the ranges lie apart by more than a tenth: so what wanders from boot to boot makes no noise. Keys
 * that end in _ms, _ns or _bytes are measurements of that boot, and left out.
 * Trap: keys and values are the box's words; they are bounded here and cleaned where they are printed.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/compare.h"

#define KEYS_MAX 96
#define VALUES_MAX 6 /* distinct texts of one key that are told apart */

struct rule {
	const char *key;
	enum compare_weight weight;
	double apart; /* numbers: how far apart ranges must lie to be noted; 0: any difference */
	const char *because;
};

static const struct rule rules[] = {
	{"machine", COMPARE_REFUSAL, 0, "another machine is another experiment"},
	{"clocksource", COMPARE_WARNING, 0, "times were not taken with the same clock"},
	{"nic", COMPARE_WARNING, 0, "network tests ran on another interface"},
	{"driver", COMPARE_WARNING, 0, "network tests ran with another driver"},
	{"tls", COMPARE_WARNING, 0, "creating processes costs otherwise, and is not compared"},
	{"crashkernel", COMPARE_REFUSAL, 0, "another size of memory is kept for a crash kernel"},
	{"crash_armed", COMPARE_REFUSAL, 0,
         "with and without a crash kernel loaded is not comparable: count the former alone (--armed), or sweep without crash_kernel"},
	{"link_mbit", COMPARE_WARNING, 0, "network tests ran at another speed"},
	{"duplex", COMPARE_WARNING, 0, "network tests ran half or full duplex"},
	{"governor", COMPARE_WARNING, 0, "the CPUs may have run at other speeds"},
	{"preempt", COMPARE_WARNING, 0, "another preemption model is another experiment for latencies and switches"},
	{"hz", COMPARE_WARNING, 0, "time slices and timers are another tick's"},
	{"cpus", COMPARE_WARNING, 0, "work that runs in parallel is not comparable"},
	{"warnings", COMPARE_WARNING, 0, "a kernel that warns does other work beside what is measured"},
	{"clock_ns", COMPARE_FACT, .25, NULL},
	{"clock_res_ns", COMPARE_FACT, .25, NULL},
	{"mem_kb", COMPARE_FACT, .01, NULL},
	{"serial_dropped_bytes", COMPARE_FACT, .1, NULL},
};
static const struct rule any_rule = {NULL, COMPARE_FACT, .1, NULL};

struct value {
	const char *text;
	unsigned n[2];
};

struct seen {
	const char *key;
	struct value value[VALUES_MAX];
	size_t values;
	int more;    /* there were further texts */
	int numeric; /* all of them are numbers */
	double min[2], max[2];
	unsigned n[2], distinct[2];
};

static const struct rule *rule_of(const char *key)
{
	for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
		if (!strcmp(rules[i].key, key))
			return &rules[i];
	return &any_rule;
}

static void add_number(struct seen *s, const char *text, int side)
{
	char *end;
	double x = strtod(text, &end);
	if (strspn(text, "-.0123456789") != strlen(text) || end == text || *end) {
		s->numeric = 0;
		return;
	}
	s->min[side] = fmin(s->min[side], x);
	s->max[side] = fmax(s->max[side], x);
}

static void add_value(struct seen *s, const char *text, int side)
{
	size_t i = 0;
	s->n[side]++;
	add_number(s, text, side);
	while (i < s->values && strcmp(s->value[i].text, text))
		i++;
	if (i == VALUES_MAX) {
		s->more = 1;
		return;
	}
	if (i == s->values)
		s->value[s->values++].text = text;
	s->distinct[side] += !s->value[i].n[side]++;
}

static struct seen *find(struct seen *s, size_t *n, const char *key)
{
	for (size_t i = 0; i < *n; i++)
		if (!strcmp(s[i].key, key))
			return &s[i];
	if (*n == KEYS_MAX)
		return NULL;
	s[*n] = (struct seen){.key = key, .numeric = 1, .min = {INFINITY, INFINITY}, .max = {-INFINITY, -INFINITY}};
	return &s[(*n)++];
}

static size_t collect(const struct compare *c, const struct compare_pair *p, struct seen *s)
{
	size_t n = 0;
	for (size_t i = 0; i < c->m->boots; i++) {
		const struct measure_boot *b = &c->m->boot[i];
		int side = b->subject == p->subject;
		if ((b->subject != c->o.base && !side) || !compare_has_boot(p, b))
			continue;
		for (size_t k = 0; k < b->records; k++)
			for (size_t j = 0; !strcmp(b->record[k].kind, "env") && j < b->record[k].n; j++) {
				/* an empty value: that kernel does not tell */
				struct seen *x = *b->record[k].pair[j].val ? find(s, &n, b->record[k].pair[j].key) : NULL;
				if (x)
					add_value(x, b->record[k].pair[j].val, side);
			}
	}
	return n;
}

/* `tsc`, or `tsc (5 boots), hpet (1)` where a side has several. */
static void list_values(const struct seen *s, int side, char *out, size_t size)
{
	size_t at = 0;
	*out = 0;
	if (!s->n[side]) {
		snprintf(out, size, "unknown");
		return;
	}
	for (size_t i = 0; i < s->values && at < size; i++) {
		const struct value *v = &s->value[i];
		if (!v->n[side])
			continue;
		at += (size_t)snprintf(out + at, size - at, "%s%.48s", at ? ", " : "", v->text);
		if (s->distinct[side] > 1 && at < size)
			at += (size_t)snprintf(out + at, size - at, " (%u)", v->n[side]);
	}
	if (s->more && at < size)
		snprintf(out + at, size - at, ", ...");
}

/* How long this boot took to settle, how much it sent: measured, not an environment. */
static int is_measured(const char *key)
{
	static const char *const ends[] = {"_ms", "_ns", "_bytes"};
	size_t n = strlen(key);
	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
		if (n > strlen(ends[i]) && !strcmp(key + n - strlen(ends[i]), ends[i]))
			return 1;
	return 0;
}

/* Do the sides differ in a way that this rule wants noted? */
static int differs(const struct seen *s, const struct rule *r)
{
	if (r == &any_rule && is_measured(s->key))
		return 0;
	if (!s->n[0] || !s->n[1])
		return r != &any_rule && s->n[0] + s->n[1] > 0;
	if (s->numeric && r->apart > 0) {
		double gap = s->max[0] < s->min[1] ? s->min[1] - s->max[0] : s->min[0] - s->max[1];
		double size = fmax(fabs(s->max[0]), fabs(s->max[1]));
		return gap > 0 && gap > r->apart * size;
	}
	if (r == &any_rule && (s->distinct[0] > 1 || s->distinct[1] > 1))
		return 0;
	for (size_t i = 0; i < s->values; i++)
		if (!s->value[i].n[0] != !s->value[i].n[1])
			return 1;
	return 0;
}

static int note_difference(const struct compare *c, struct compare_pair *p, const struct seen *s, const struct rule *r)
{
	const struct plan_subject *a = &c->m->plan->subject[c->o.base], *b = &c->m->plan->subject[p->subject];
	enum compare_weight w = r->weight;
	const char *because = r->because;
	char va[96], vb[96];
	list_values(s, 0, va, sizeof va);
	list_values(s, 1, vb, sizeof vb);
	if (!strcmp(s->key, "cpus") && strcmp(a->variant, b->variant)) {
		w = COMPARE_FACT;
		because = "the variants differ: that is what is compared";
	} else if (w == COMPARE_REFUSAL && (!s->n[0] || !s->n[1]) && s->distinct[0] + s->distinct[1] == 1) {
		w = COMPARE_FACT;
		because = NULL;
	}
	return compare_note(p, w, s->key, "%.32s: %s in %.64s, %s in %.64s%s%s", s->key, va, a->id, vb, b->id, because ? "; " : "",
	                    because ? because : "");
}

int compare_add_env(const struct compare *c, struct compare_pair *p)
{
	if (!p->boots_a || !p->boots_b)
		return 0;
	struct seen *s = calloc(KEYS_MAX, sizeof *s);
	int rc = s ? 0 : -ENOMEM;
	size_t n = s ? collect(c, p, s) : 0;
	for (size_t i = 0; !rc && i < n; i++) {
		const struct rule *r = rule_of(s[i].key);
		if (differs(&s[i], r)) {
			rc = note_difference(c, p, &s[i], r);
		} else if (r != &any_rule && r->apart <= 0 && (s[i].distinct[0] > 1 || s[i].distinct[1] > 1)) {
			int refuse = r->weight == COMPARE_REFUSAL;
			char all[96];
			list_values(&s[i], s[i].distinct[1] > 1, all, sizeof all);
			rc = compare_note(p, refuse ? r->weight : COMPARE_WARNING, s[i].key, "%.32s differs from boot to boot: %s%s%s", s[i].key, all,
			                  refuse ? "; " : "", refuse ? r->because : "");
		}
	}
	free(s);
	return rc;
}

int compare_processes_differ(const struct compare *c, const struct compare_pair *p, char *why, size_t size)
{
	const struct plan_subject *a = &c->m->plan->subject[c->o.base], *b = &c->m->plan->subject[p->subject];
	struct seen *s = calloc(KEYS_MAX, sizeof *s);
	size_t n = s ? collect(c, p, s) : 0;
	int rc = s ? 0 : -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		char va[64], vb[64];
		if (strcmp(s[i].key, "tls") || !s[i].n[0] || !s[i].n[1] || !differs(&s[i], rule_of("tls")))
			continue;
		list_values(&s[i], 0, va, sizeof va);
		list_values(&s[i], 1, vb, sizeof vb);
		snprintf(why, size,
		         "not comparable: thread-local storage is kept by %s in %.64s, by %s in %.64s, which makes processes dearer by itself", va,
		         a->id, vb, b->id);
		rc = 1;
	}
	free(s);
	return rc;
}
