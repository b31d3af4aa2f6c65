/* SPDX-License-Identifier: GPL-2.0-or-later */
/* measure_arm: contract in measure_arm.h. A second crash_armed_ns= in a boot makes its value unusable, as with any metric. */
#include <math.h>
#include <string.h>

#include "host/measure_arm.h"

static struct suite_metric arm = {.name = "arm", .unit = "ns", .better = SUITE_LOWER, .about = "to fetch, hash and load the crash kernel"};
static const struct suite_test crash_kernel = {.name = "crash-kernel",
                                               .summary = "loading the crash kernel, before the timed tests",
                                               .metric = &arm,
                                               .metrics = 1};

void measure_arm_add(struct measure *m)
{
	struct measure_metric *x = &m->metric[m->metrics];

	if (!m->plan->crash_bytes || m->metrics == MEASURE_METRICS_MAX)
		return;
	strcpy(x->test, crash_kernel.name);
	strcpy(x->name, arm.name);
	x->test_index = m->tests;
	x->desc = &arm;
	m->metrics++;
	m->test[m->tests++] = (struct measure_test){crash_kernel.name, &crash_kernel};
}

static const char *get_env(const struct store_record *r, const char *key) { return strcmp(r->kind, "env") ? NULL : store_get(r, key); }

const char *measure_arm_said(const struct measure_boot *b)
{
	for (size_t i = 0; i < b->records; i++) {
		const char *armed = get_env(&b->record[i], "crash_armed");
		if (armed)
			return armed;
	}
	return "";
}

void measure_arm_read(struct measure *m, size_t boot)
{
	const struct measure_boot *b = &m->boot[boot];
	size_t t = m->plan->tests, at = 0;

	if (t == m->tests || !*b->armed)
		return;
	while (m->metric[at].test_index != t)
		at++;
	struct measure_run *run = &m->run[boot * m->tests + t];
	double *v = &m->value[boot * m->metrics + at];
	unsigned char *bad = &m->bad[boot * m->metrics + at];
	run->status = !strcmp(b->armed, "yes") ? MEASURE_PASS : MEASURE_FAIL;
	for (size_t i = 0; i < b->records; i++) {
		const char *why = get_env(&b->record[i], "crash_why"), *ns = get_env(&b->record[i], "crash_armed_ns");
		if (why && run->status == MEASURE_FAIL)
			run->reason = why;
		if (!ns || run->status != MEASURE_PASS)
			continue;
		struct kv_pair pair = {.key = "v", .val = ns};
		*bad = (unsigned char)(isnan(*v) && !*bad ? measure_parse(&(struct store_record){.n = 1, .pair = &pair}, v) : MEASURE_TWICE);
		if (*bad)
			*v = NAN;
	}
}
