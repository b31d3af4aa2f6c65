/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * findings: the rules in their order, and what they need to speak. Contract in findings.h.
 */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "host/findings.h"
#include "host/number.h"

struct finding *findings_say(struct findings_view *v, const char *rule, const char *fmt, ...)
{
	struct finding *more = v->err ? NULL : realloc(v->out, (v->n + 1) * sizeof *more);
	va_list ap;
	if (!more) {
		v->err = -ENOMEM;
		return NULL;
	}
	v->out = more;
	struct finding *f = &v->out[v->n++];
	memset(f, 0, sizeof *f);
	f->rule = rule;
	va_start(ap, fmt);
	vsnprintf(f->text, sizeof f->text, fmt, ap);
	va_end(ap);
	return f;
}

void findings_go_on(struct finding *f, const char *fmt, ...)
{
	va_list ap;
	if (!f)
		return;
	size_t at = strlen(f->text);
	va_start(ap, fmt);
	vsnprintf(f->text + at, sizeof f->text - at, fmt, ap);
	va_end(ap);
}

void findings_number(struct finding *f, double x, const char *fmt, ...)
{
	va_list ap;
	if (!f || f->numbers == FINDING_NUMBERS_MAX || !isfinite(x))
		return;
	va_start(ap, fmt);
	vsnprintf(f->number[f->numbers].name, sizeof f->number[0].name, fmt, ap);
	va_end(ap);
	f->number[f->numbers++].v = x;
}

void findings_list(struct finding *f, const struct findings_effect *e, int first)
{
	char change[NUMBER_MAX];
	findings_go_on(f, "%s %s %s (%s)", first ? "" : ",", e->metric->test, e->metric->name,
	               number_change(e->row->v.shift.ratio, change, sizeof change));
	findings_number(f, e->row->v.shift.ratio, "%s.%s.ratio", e->metric->test, e->metric->name);
}

int findings_make(const struct compare *c, struct compare_pair *p)
{
	static void (*const rules[])(struct findings_view *) = {
		findings_rule_machines, findings_rule_variant, findings_rule_control,        findings_rule_together, findings_rule_waiting,
		findings_rule_seek,     findings_rule_per_cpu, findings_rule_cache,          findings_rule_wake_up,  findings_rule_nfs,
		findings_rule_too_few,  findings_rule_one_run, findings_rule_kernel_threads,
	};
	struct nfs_client nfs;
	struct findings_view v = {.c = c, .p = p, .nfs = &nfs};
	int rc = nfs_client_read(&nfs, c->m);
	if (rc)
		return rc;
	v.err = findings_read(&v);
	for (size_t i = 0; !v.err && i < sizeof rules / sizeof *rules; i++)
		rules[i](&v);
	free(v.effect);
	nfs_client_free(&nfs);
	p->finding = v.out;
	p->findings = v.n;
	return v.err;
}
