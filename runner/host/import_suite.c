/* SPDX-License-Identifier: GPL-2.0-or-later */
/* import_suite: the descriptors of an imported sweep, as its metric records say them. A record that says none is of a metric without unit. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/kv.h"
#include "host/import.h"

#define METRICS_MAX 128 /* a test; what is more is shown without a unit */

static struct suite_test *want_test(struct suite *s, const char *name)
{
	for (size_t i = 0; i < s->tests; i++)
		if (!strcmp(s->test[i].name, name))
			return &s->test[i];
	if (s->tests == PLAN_TESTS_MAX)
		return NULL;
	struct suite_test *t = &s->test[s->tests];
	t->metric = calloc(METRICS_MAX, sizeof *t->metric);
	if (!t->metric)
		return NULL;
	s->tests++;
	strcpy(t->name, name);
	snprintf(t->summary, sizeof t->summary, "imported");
	return t;
}

static void take(struct suite *s, const struct store_record *r)
{
	const char *test = store_get(r, "test"), *name = store_get(r, "name"), *unit = store_get(r, "unit"), *better = store_get(r, "better");
	int known = test && name && unit && better && kv_is_id(test) && kv_is_id(name) && strlen(unit) < sizeof(((struct suite_metric *)0)->unit);
	struct suite_test *t = known ? want_test(s, test) : NULL;
	int primaries = 0;
	if (!t || t->metrics == METRICS_MAX)
		return;
	for (size_t i = 0; i < t->metrics; i++) {
		if (!strcmp(t->metric[i].name, name))
			return;
		primaries += t->metric[i].primary;
	}
	struct suite_metric *m = &t->metric[t->metrics++];
	strcpy(m->name, name);
	strcpy(m->unit, unit);
	m->better = !strcmp(better, "higher") ? SUITE_HIGHER : !strcmp(better, "lower") ? SUITE_LOWER : SUITE_NEITHER;
	m->primary = !primaries && store_get(r, "primary") && !strcmp(store_get(r, "primary"), "yes");
}

int import_suite(struct suite *s, const struct store *store)
{
	*s = (struct suite){.test = calloc(PLAN_TESTS_MAX, sizeof *s->test)};
	if (!s->test)
		return -ENOMEM;
	for (size_t i = 0; i < store->records; i++)
		if (!strcmp(store->record[i].kind, "metric"))
			take(s, &store->record[i]);
	return 0;
}
