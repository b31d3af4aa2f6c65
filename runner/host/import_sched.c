/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * import_sched: hackbench (`Time: 1.234` behind a line that says how many groups) and schbench, of before and after it learned of requests.
 */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "host/import.h"

/* `Running in process mode with 10 groups using 40 file descriptors each`, or `Running with 10*40 (== 400) tasks.` */
static unsigned groups_above(const struct import *im, size_t at)
{
	unsigned groups = 0;
	for (size_t back = 1; back <= 6 && back <= at && !groups; back++) {
		const char *s = im->line[at - back].s, *with = strstr(s, "with ");
		if (!strncmp(s, "Running", 7) && with && sscanf(with + 5, "%4u", &groups) != 1)
			groups = 0;
	}
	return groups;
}

static size_t read_hackbench(struct import *im, size_t at)
{
	char name[PLAN_ID_MAX + 1];
	double s;
	const struct import_line *l = &im->line[at];
	const char *text = l->s + 5 + strspn(l->s + 5, " ");
	char word[32];
	if (sscanf(text, "%31s", word) != 1 || import_number(word, &s)) {
		import_skip(im, l->nr, "'%.20s' is no time", text);
		return 1;
	}
	unsigned groups = groups_above(im, at);
	snprintf(name, sizeof name, groups ? "time_%ug" : "time", groups);
	const struct import_metric m = {"hackbench", name, "ns", SUITE_LOWER, 1};
	import_add(im, l->nr, "", &m, s * 1e9);
	return 1;
}

/* ---- schbench */

struct block {
	const char *prefix, *unit;
	double factor;
	enum suite_better better;
};

static int block_of(const char *s, struct block *b)
{
	if (!strncasecmp(s, "Latency percentiles (usec)", 26) || !strncasecmp(s, "Wakeup Latencies percentiles (usec)", 35))
		*b = (struct block){"wakeup", "ns", 1e3, SUITE_LOWER};
	else if (!strncasecmp(s, "Request Latencies percentiles (usec)", 36))
		*b = (struct block){"request", "ns", 1e3, SUITE_LOWER};
	else if (!strncasecmp(s, "RPS percentiles", 15))
		*b = (struct block){"rps", "count/s", 1, SUITE_HIGHER};
	else
		return 0;
	return 1;
}

/* "50.0th" -> p50, "99.9000th" -> p999 */
static int percentile_name(const char *text, const struct block *b, char *out, size_t size)
{
	char digits[16], word[32];
	double p;
	if (sscanf(text, "%31[0-9.]th", word) != 1 || import_number(word, &p) || p > 100)
		return -1;
	snprintf(digits, sizeof digits, "%g", p);
	char *dot = strchr(digits, '.');
	if (dot)
		memmove(dot, dot + 1, strlen(dot));
	snprintf(out, size, "%s_p%s", b->prefix, digits);
	return 0;
}

static size_t read_schbench(struct import *im, size_t at, const struct block *b)
{
	size_t i = at + 1;
	for (; i < im->lines; i++) {
		const struct import_line *l = &im->line[i];
		const char *s = l->s + strspn(l->s, " \t*");
		char name[PLAN_ID_MAX + 1], word[32];
		const char *colon = strstr(s, "th:");
		double v;
		if (!strncmp(s, "min=", 4)) {
			const char *max = strstr(s, "max=");
			if (max && sscanf(max + 4, "%31[0-9.]", word) == 1 && !import_number(word, &v) && v > 0 && b->better == SUITE_LOWER) {
				snprintf(name, sizeof name, "%s_max", b->prefix);
				import_add(im, l->nr, "", &(struct import_metric){"schbench", name, b->unit, b->better, 0}, v * b->factor);
			}
			return i + 1 - at;
		}
		if (!colon)
			break;
		if (percentile_name(s, b, name, sizeof name) || sscanf(colon + 3, "%31s", word) != 1 || import_number(word, &v)) {
			import_skip(im, l->nr, "no percentile and value");
			continue;
		}
		/* 0 us is a time below its unit, and no time has a ratio to it */
		if (!(v > 0)) {
			import_skip(im, l->nr, "%s is 0, below its unit", name);
			continue;
		}
		const struct import_metric m = {"schbench", name, b->unit, b->better, !strcmp(name, "wakeup_p99")};
		import_add(im, l->nr, "", &m, v * b->factor);
	}
	return i - at;
}

size_t import_sched(struct import *im, size_t at)
{
	struct block b;
	const char *s = im->line[at].s;
	if (!strncmp(s, "Time:", 5))
		return read_hackbench(im, at);
	if (block_of(s + strspn(s, " \t"), &b))
		return read_schbench(im, at, &b);
	return 0;
}
