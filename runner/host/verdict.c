/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * verdict: two samples to a word. Contract and order of the rules in verdict.h.
 *
 * All is done on logs, so that swapping the sides swaps the words: a threshold of 3 % is the band from 1/1.03 to 1.03.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "host/verdict.h"

#define LARGE 1.10

const char *verdict_name(enum verdict_id id)
{
	static const char *const names[] = {
		[VERDICT_FAILED] = "failed",
		[VERDICT_REGRESSION] = "regression",
		[VERDICT_PROBABLE_REGRESSION] = "probable-regression",
		[VERDICT_IMPROVEMENT] = "improvement",
		[VERDICT_PROBABLE_IMPROVEMENT] = "probable-improvement",
		[VERDICT_INCONCLUSIVE] = "inconclusive",
		[VERDICT_NO_CHANGE] = "no-change",
		[VERDICT_SKIPPED] = "skipped",
		[VERDICT_NONE] = "none",
	};
	return id >= VERDICT_FAILED && id <= VERDICT_NONE ? names[id] : "none";
}

int verdict_measure(struct verdict *v, const double *a, size_t na, const double *b, size_t nb, double alpha)
{
	memset(v, 0, sizeof *v);
	v->na = na;
	v->nb = nb;
	v->median_a = stats_median(a, na);
	v->median_b = stats_median(b, nb);
	v->cv_a = stats_cv(a, na);
	v->cv_b = stats_cv(b, nb);
	v->mde = v->p_adj = v->test.p = v->test.p_min = NAN;
	v->shift = (struct stats_shift){NAN, NAN, NAN, NAN, STATS_EXACT};
	if (!na || !nb)
		return 0;
	int rc = stats_mwu(a, na, b, nb, &v->test);
	if (!rc)
		rc = stats_shift(a, na, b, nb, alpha, &v->shift);
	if (rc == -EDOM)
		return 0; /* ranks need no logs: p stands, a ratio does not exist */
	if (!rc && !stats_mde(a, na, b, nb, alpha, &v->mde))
		v->mde = exp(v->mde) - 1;
	return rc;
}

int verdict_direction(const struct verdict *v, enum suite_better better)
{
	double r = v->shift.ratio;
	if (better == SUITE_NEITHER || !isfinite(r) || r == 1)
		return 0;
	return (r > 1) == (better == SUITE_HIGHER) ? 1 : -1;
}

/* The least k for which na + k against nb + k boots could be told apart in this family. */
static unsigned more_to_reach(const struct verdict *v, double alpha, size_t family)
{
	unsigned k = 0;
	while (k < VERDICT_MORE_MAX && stats_mwu_p_min(v->na + k, v->nb + k) * (double)family > alpha)
		k++;
	return k;
}

/*
 * Half-widths shrink with the root of n: n * (hw / t)^2 boots bring the interval down to +-t. Where it is that narrow already, the effect
 * lies at the threshold itself, and what must be resolved is its distance from there.
 */
static unsigned more_to_decide(const struct verdict *v, double t)
{
	double n = (double)(v->na < v->nb ? v->na : v->nb), half = (log(v->shift.hi) - log(v->shift.lo)) / 2;
	double distance = fabs(fabs(log(v->shift.ratio)) - t);
	double need = half > t ? n * (half / t) * (half / t) : n * (half / distance) * (half / distance);
	if (!(need < VERDICT_MORE_MAX))
		return VERDICT_MORE_MAX;
	return need > n + 1 ? (unsigned)ceil(need - n) : 1;
}

void verdict_judge(struct verdict *v, enum suite_better better, double alpha, double threshold, size_t family)
{
	double t = log1p(threshold), lo = log(v->shift.lo), hi = log(v->shift.hi), effect = fabs(log(v->shift.ratio));
	int measured = isfinite(v->shift.ratio);
	v->id = VERDICT_INCONCLUSIVE;
	v->too_few = !v->na || !v->nb || v->test.p_min * (double)family > alpha;
	if (v->too_few) {
		v->large = measured && (lo > t || hi < -t) && effect >= log(LARGE);
		v->more = v->na && v->nb ? more_to_reach(v, alpha, family) : 0;
		return;
	}
	if (!measured)
		return;
	if (lo >= -t && hi <= t) {
		v->id = VERDICT_NO_CHANGE;
		return;
	}
	int direction = verdict_direction(v, better);
	if (v->p_adj <= alpha && direction) {
		int beyond = lo > t || hi < -t;
		if (direction < 0)
			v->id = beyond ? VERDICT_REGRESSION : VERDICT_PROBABLE_REGRESSION;
		else
			v->id = beyond ? VERDICT_IMPROVEMENT : VERDICT_PROBABLE_IMPROVEMENT;
		return;
	}
	v->more = more_to_decide(v, t);
}
