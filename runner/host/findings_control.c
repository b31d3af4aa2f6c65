/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * findings_control: controls that did, or did not, move while sequential phases of file tests fell. All controls that stand alike are told in one
 * finding. Trap: a control that stood still acquits nothing that another control of the same kind convicts.
 */
#include <math.h>
#include <string.h>

#include "host/findings.h"
#include "host/number.h"
#include "host/stats.h"

#define NAMED_MAX 6 /* of a finding's controls; the rest are counted */

enum area { AREA_TCP, AREA_NET, AREA_MEMORY, AREA_CPU, AREA_TMPFS, AREAS };
enum stand { NO_CONTROL, STILL, MOVED, COARSE };

/* Where an unmoved control leaves the fault. */
static const char *const leaves[AREAS] = {
	"above TCP, the network driver and the wire", "above the network driver and the wire", "above memory", "above the CPUs",
	"below the VFS and the copying of data",
};

struct fallen {
	unsigned n;
	int is_nfs;
	double least, most; /* in logs */
};

static enum area area_of(const char *test)
{
	if (!strcmp(test, "ftp") || !strcmp(test, "net-tcp"))
		return AREA_TCP;
	if (!strncmp(test, "net-", 4))
		return AREA_NET;
	if (!strncmp(test, "tmpfs-", 6))
		return AREA_TMPFS;
	return !strncmp(test, "mem-", 4) ? AREA_MEMORY : AREA_CPU;
}

static struct fallen read_fallen(const struct findings_view *v)
{
	struct fallen x = {.least = INFINITY};
	for (size_t i = 0; i < v->effects; i++) {
		const struct findings_effect *e = &v->effect[i];
		if (!findings_is_sequential(e) || e->moved >= 0)
			continue;
		x.n++;
		x.is_nfs |= !strncmp(e->metric->test, "nfs-", 4);
		x.least = fmin(x.least, fabs(e->log));
		x.most = fmax(x.most, fabs(e->log));
	}
	return x;
}

/* How well a control is known, in logs: its table's resolution, or how far from none its interval reaches. */
static double blur_of(const struct findings_view *v, const struct findings_effect *e)
{
	double blur = fmax(e->book[BOOK_RESOLUTION][0], 0) + fmax(e->book[BOOK_RESOLUTION][1], 0);
	if (isnan(blur))
		blur = 0;
	if (stats_mwu_p_min(e->row->v.na, e->row->v.nb) <= v->c->o.alpha)
		blur = fmax(blur, fmax(fabs(log(e->row->v.shift.lo)), fabs(log(e->row->v.shift.hi))));
	return blur;
}

static enum stand stand_of(const struct findings_view *v, const struct findings_effect *e, const struct fallen *x)
{
	if (!findings_is_control(e->metric->test) || (!e->still && !e->moved))
		return NO_CONTROL;
	if (!e->moved && blur_of(v, e) * 2 > x->least) /* what is that coarse cannot acquit */
		return COARSE;
	if (e->still)
		return STILL;
	return e->moved < 0 ? MOVED : NO_CONTROL;
}

struct group {
	const struct findings_effect *worst; /* that moved most; of coarse ones, the coarsest */
	unsigned n, areas;
	double blur; /* the greatest */
};

static struct group read_group(const struct findings_view *v, const struct fallen *x, enum stand stand)
{
	struct group g = {0};
	for (size_t i = 0; i < v->effects; i++) {
		const struct findings_effect *e = &v->effect[i];
		if (stand_of(v, e, x) != stand)
			continue;
		double blur = blur_of(v, e);
		if (!g.n++ || (stand == COARSE ? blur > g.blur : fabs(e->log) > fabs(g.worst->log)))
			g.worst = e;
		g.blur = fmax(g.blur, blur);
		g.areas |= 1u << area_of(e->metric->test);
	}
	return g;
}

/* ` A x (+1.0 %), B y (+0.2 %) and 3 more`, their ratios among the numbers. */
static void add_names(const struct findings_view *v, struct finding *f, const struct fallen *x, enum stand stand, unsigned n)
{
	unsigned said = 0;
	for (size_t i = 0; i < v->effects && said < NAMED_MAX; i++)
		if (stand_of(v, &v->effect[i], x) == stand) {
			findings_list(f, &v->effect[i], !said);
			said++;
		}
	if (n > said)
		findings_go_on(f, " and %u more", n - said);
}

/* What still controls leave out, but for kinds of which another moved. TCP's words hold the wire's. */
static void add_areas(struct finding *f, unsigned still, unsigned moved)
{
	const unsigned wire = 1u << AREA_TCP | 1u << AREA_NET;
	if (moved & wire)
		still &= ~wire;
	if (still & 1u << AREA_TCP)
		still &= ~(1u << AREA_NET);
	still &= ~moved;
	if (!still)
		findings_go_on(f, ": but others of the same kind moved, so that this acquits nothing");
	for (unsigned i = 0, said = 0; i < AREAS; i++)
		if (still & 1u << i)
			findings_go_on(f, "%s%s", said++ ? "; " : ": the fault is ", leaves[i]);
}

static void add_numbers(struct finding *f, const struct group *g, const struct fallen *x)
{
	findings_number(f, g->worst->row->v.shift.ratio, "control.ratio");
	findings_number(f, g->blur, "control.resolution");
	findings_number(f, exp(-x->least), "phases.least");
	findings_number(f, exp(-x->most), "phases.most");
}

static void say_moved(struct findings_view *v, const struct fallen *x, const struct group *g)
{
	char change[NUMBER_MAX];
	const struct findings_effect *e = g->worst;
	const char *worst = number_change(e->row->v.shift.ratio, change, sizeof change);
	struct finding *f = g->n == 1 ? findings_say(v, "control-moved", "the control %s %s moved too (%s)", e->metric->test, e->metric->name, worst)
	                              : findings_say(v, "control-moved", "%u controls moved too (the worst by %s):", g->n, worst);
	add_numbers(f, g, x);
	if (g->n > 1)
		add_names(v, f, x, MOVED, g->n);
	findings_go_on(f, ": what fell may be no fault of the file system or of NFS");
}

static void say_still(struct findings_view *v, const struct fallen *x, const struct group *g, unsigned moved)
{
	char a[NUMBER_MAX], lo[NUMBER_MAX], hi[NUMBER_MAX];
	const struct findings_effect *e = g->worst;
	const char *worst = number_change(e->row->v.shift.ratio, a, sizeof a);
	struct finding *f =
		g->n == 1 ? findings_say(v, "control-unchanged", "the control %s %s did not move (%s)", e->metric->test, e->metric->name, worst)
			  : findings_say(v, "control-unchanged", "%u controls did not move (the farthest by %s):", g->n, worst);
	add_numbers(f, g, x);
	if (g->n > 1)
		add_names(v, f, x, STILL, g->n);
	findings_go_on(f, "%s while %u sequential phase%s fell (%s to %s)", g->n > 1 ? "," : "", x->n, x->n == 1 ? "" : "s",
	               number_change(exp(-x->least), lo, sizeof lo), number_change(exp(-x->most), hi, sizeof hi));
	add_areas(f, g->areas, moved);
	if (x->is_nfs && !moved)
		findings_go_on(f, ", in the sequential NFS path");
}

static void say_coarse(struct findings_view *v, const struct fallen *x, const struct group *g)
{
	char least[NUMBER_MAX];
	const struct findings_effect *e = g->worst;
	number_change(exp(-x->least), least, sizeof least);
	struct finding *f =
		g->n == 1
			? findings_say(v, "control-too-coarse", "the control %s %s is known to %.1f %% only: it says nothing about effects of %s",
	                               e->metric->test, e->metric->name, g->blur * 100, least)
			: findings_say(v, "control-too-coarse",
	                               "%u controls are known too coarsely (the worst, %s %s, to %.1f %%) to say anything about effects of %s:", g->n,
	                               e->metric->test, e->metric->name, g->blur * 100, least);
	add_numbers(f, g, x);
	if (g->n > 1)
		add_names(v, f, x, COARSE, g->n);
}

void findings_rule_control(struct findings_view *v)
{
	struct fallen x = read_fallen(v);
	if (!x.n)
		return;
	struct group moved = read_group(v, &x, MOVED), still = read_group(v, &x, STILL), coarse = read_group(v, &x, COARSE);
	if (moved.n)
		say_moved(v, &x, &moved);
	if (still.n)
		say_still(v, &x, &still, moved.areas);
	if (coarse.n)
		say_coarse(v, &x, &coarse);
}
