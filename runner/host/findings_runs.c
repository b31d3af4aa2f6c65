/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * findings_runs: rules about what was compared with what, how often, and where the time went.
 */
#include <math.h>
#include <string.h>

#include "host/findings.h"
#include "host/number.h"

#define NOISY .10     /* a coefficient of variation that is worth saying */
#define SYS_FLAT 1.10 /* system CPU up to this is flat */
#define IDLE_UP .05   /* idle share of the machine that is more */
#define KERNEL_MORE 1.25
#define KERNEL_OF .05 /* of the phase's time */
#define ELAPSED_UP 1.10

void findings_rule_machines(struct findings_view *v)
{
	for (size_t i = 0; i < v->p->notes; i++)
		if (v->p->note[i].weight == COMPARE_REFUSAL && !strcmp(v->p->note[i].about, "machine")) {
			findings_say(v, "different-machines", "the two sides ran on different machines: nothing is compared");
			return;
		}
}

void findings_rule_variant(struct findings_view *v)
{
	const struct plan_subject *a = &v->c->m->plan->subject[v->c->o.base], *b = &v->c->m->plan->subject[v->p->subject];
	if (v->effects && !strcmp(a->kernel, b->kernel))
		findings_say(v, "same-kernel", "both sides are the kernel %s: what is compared is the variant, %s against %s", a->kernel, b->variant,
		             a->variant);
}

/* Is every value of one side beyond every value of the other? */
static int is_separate(const struct findings_effect *e) { return e->row->v.test.u <= 0 || e->row->v.test.u >= (double)(e->row->v.na * e->row->v.nb); }

void findings_rule_too_few(struct findings_view *v)
{
	for (size_t i = 0; i < v->effects; i++) {
		const struct findings_effect *e = &v->effect[i];
		const struct verdict *x = &e->row->v;
		char change[NUMBER_MAX], cv[NUMBER_MAX];
		double noise = fmax(x->cv_a, x->cv_b);
		int few = e->row->primary && x->too_few && x->large;
		if (!few && !(e->row->primary && e->moved && is_separate(e) && noise >= NOISY))
			continue;
		struct finding *f = findings_say(v, few ? "too-few-runs" : "noisy-but-separate", "%s %s: a large effect (%s)", e->metric->test,
		                                 e->metric->name, number_change(x->shift.ratio, change, sizeof change));
		if (few)
			findings_go_on(f, ", too few runs: %u more each", x->more);
		if (x->na + x->nb > 2 && is_separate(e))
			findings_go_on(f, "; the sides do not overlap");
		if (noise >= NOISY)
			findings_go_on(f, "; a coefficient of variation of %s", number_percent(noise, cv, sizeof cv));
		findings_number(f, x->shift.ratio, "ratio");
		findings_number(f, x->more, "more_boots_each");
		findings_number(f, x->cv_a, "cv.base");
		findings_number(f, x->cv_b, "cv.subject");
	}
}

void findings_rule_one_run(struct findings_view *v)
{
	size_t one = 0;
	for (size_t i = 0; i < v->effects; i++)
		one += v->effect[i].row->v.na == 1 && v->effect[i].row->v.nb == 1;
	if (one && one == v->effects)
		findings_say(v, "one-run", "one run each: there is no error bar, and nothing here is proven");
}

/* ---- a time that grew */

static int is_wake_up(const struct findings_effect *e)
{
	return !strncmp(e->metric->test, "sched-wake", 10) || !strncmp(e->metric->test, "schbench", 8);
}

static int is_elapsed(const struct findings_effect *e)
{
	return e->metric->desc && !strcmp(e->metric->desc->unit, "ns") && strncmp(e->metric->test, "sched-", 6) && !is_wake_up(e) &&
	       strcmp(e->metric->test, "disk-fsync");
}

static void add_wake_ups(const struct findings_view *v, struct finding *f)
{
	int said = 0;
	for (size_t i = 0; i < v->effects; i++)
		if (is_wake_up(&v->effect[i]) && v->effect[i].moved < 0) {
			if (!said)
				findings_go_on(f, "; wake-up latency is up with it:");
			findings_list(f, &v->effect[i], !said++);
		}
	if (!said)
		findings_go_on(f, "; look at wake-up latency under I/O and at stalls in progress, not at means alone");
}

void findings_rule_wake_up(struct findings_view *v)
{
	for (size_t i = 0; i < v->effects; i++) {
		const struct findings_effect *e = &v->effect[i];
		const double *sys = e->book[BOOK_SYS_S], *idle = e->book[BOOK_IDLE];
		char change[NUMBER_MAX];
		if (!is_elapsed(e) || e->moved >= 0 || e->row->v.shift.ratio < ELAPSED_UP)
			continue;
		number_change(e->row->v.shift.ratio, change, sizeof change);
		struct finding *f = NULL;
		if (isfinite(sys[1] / sys[0]) && isfinite(idle[1] - idle[0])) {
			if (sys[1] > sys[0] * SYS_FLAT || idle[1] - idle[0] < IDLE_UP)
				continue;
			f = findings_say(v, "wake-up",
			                 "%s %s takes longer (%s), system CPU is flat (%.2f s, %.2f s) and idle is up (%.0f %% to %.0f %%): "
			                 "something that could run is woken late",
			                 e->metric->test, e->metric->name, change, sys[0], sys[1], idle[0] * 100, idle[1] * 100);
			findings_number(f, sys[1] / sys[0], "sys.ratio");
			findings_number(f, idle[1] - idle[0], "idle.difference");
		} else if (!isfinite(e->book[BOOK_SHARE][0])) {
			f = findings_say(v, "elapsed-only",
			                 "%s %s takes longer (%s), and no CPU time was told: if system CPU is flat and idle is up, it is a fault of "
			                 "wake-ups",
			                 e->metric->test, e->metric->name, change);
		} else {
			double cpu = e->book[BOOK_SHARE][1] * e->row->v.median_b / (e->book[BOOK_SHARE][0] * e->row->v.median_a);
			if (!(cpu <= SYS_FLAT))
				continue;
			f = findings_say(v, "elapsed-not-cpu", "%s %s takes longer (%s) for the same CPU time (x%.2f): it waits", e->metric->test,
			                 e->metric->name, change, cpu);
			findings_number(f, cpu, "cpu.ratio");
		}
		findings_number(f, e->row->v.shift.ratio, "elapsed.ratio");
		add_wake_ups(v, f);
	}
}

/* ---- CPU time that is not the process's */

void findings_rule_kernel_threads(struct findings_view *v)
{
	unsigned self = 0, machine = 0;
	for (size_t i = 0; i < v->effects; i++) {
		const struct findings_effect *e = &v->effect[i];
		const double *k = e->book[BOOK_KERNEL_S], *s = e->book[BOOK_SECONDS];
		self += isfinite(e->book[BOOK_SHARE][0]);
		machine += isfinite(e->book[BOOK_OUTSIDE_S][0]);
		/* per second of the phase: a slower phase has longer to do the same */
		double a = k[0] / s[0], b = k[1] / s[1];
		if (!isfinite(a) || !isfinite(b) || b < KERNEL_OF || b < a * KERNEL_MORE)
			continue;
		struct finding *f =
			findings_say(v, "kernel-threads",
		                     "%s %s: kernel threads used %.0f %% of a CPU, %.0f %% at the base; no %%CPU of the process shows that",
		                     e->metric->test, e->metric->name, b * 100, a * 100);
		findings_number(f, a, "kernel_share.base");
		findings_number(f, b, "kernel_share.subject");
	}
	if (self && !machine)
		findings_say(v, "cpu-of-process-only",
		             "%%CPU here is that of the process alone: a kernel thread (rpciod) that burns a CPU would not be seen");
}
