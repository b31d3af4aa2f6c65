/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * import_tiobench: what tiobench.pl prints: a section a phase with an identifier a row (0.3.3 on), and the compact table of one row a number of
 * threads before that.
 *
 * Traps: the identifier is a kernel's release and is wrapped when it is long, before or behind its numbers; MB/s is of 2^20 (tiotest divides by
 * 1048576); CPU% is that of the process alone, and for more than one thread depends on the libc of its day. The random phases do 4000 operations
 * in all unless told otherwise, which no table says.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "host/import.h"

#define RANDOM_OPS 4000.
#define MIB 1048576.

struct point {
	const char *phase; /* seqread ... */
	double megabytes, block, threads, rate, cpu;
	double avg_ms, max_ms, over_2s, over_10s; /* NAN: not said */
};

static void add_point(struct import *im, unsigned line, const char *label, const struct point *p)
{
	char test[PLAN_ID_MAX + 1], metric[PLAN_ID_MAX + 1];
	if (!(p->threads >= 1 && p->threads <= 1024)) {
		import_skip(im, line, "%g threads", p->threads);
		return;
	}
	snprintf(metric, sizeof metric, "%s_%.0f", p->phase, p->threads);
	const struct import_metric m = {import_file_test(im, "threads", test, sizeof test), metric, "B/s", SUITE_HIGHER,
	                                !strcmp(metric, "seqread_1")};
	struct import_value *x = import_add(im, line, label, &m, p->rate * MIB);
	if (!x)
		return;
	int random = !strncmp(p->phase, "rand", 4);
	x->cpu_percent = p->cpu;
	x->bytes = random ? 0 : p->megabytes * MIB;
	x->footprint_bytes = random ? RANDOM_OPS * p->block : 0;
	import_say(x->how, "size_bytes", p->megabytes * MIB);
	import_say(x->how, "block_bytes", p->block);
	import_say(x->beside, "avg_ns", p->avg_ms * 1e6);
	import_say(x->beside, "max_ns", p->max_ms * 1e6);
	import_say(x->beside, "over_2s_percent", p->over_2s);
	import_say(x->beside, "over_10s_percent", p->over_10s);
	import_assume(im, 0, "MB/s of tiobench is 1048576 bytes a second");
	if (random)
		import_assume(im, 0, "the random phases of tiobench did 4000 operations, its default");
}

/* ---- a section a phase */

static const char *section_of(const char *s)
{
	static const struct {
		const char *title, *phase;
	} sections[] = {{"Sequential Reads", "seqread"},
	                {"Random Reads", "randread"},
	                {"Sequential Writes", "seqwrite"},
	                {"Random Writes", "randwrite"}};
	s += strspn(s, " \t*=-");
	for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
		if (!strncasecmp(s, sections[i].title, strlen(sections[i].title)) && strlen(s) < strlen(sections[i].title) + 8)
			return sections[i].phase;
	return NULL;
}

static int is_rule(const char *s) { return strspn(s, "- \t=") == strlen(s); }
static int is_word(const char *s) { return *s && !strpbrk(s + strspn(s, " "), " \t"); }

/* Ten numbers: size, block, threads, rate, CPU%, two latencies, two percentages, efficiency; perhaps on two lines. How many lines; 0: no row. */
static size_t gather(const struct import *im, size_t at, char *buf, size_t size, char **tok, size_t *n)
{
	size_t used = 0, numbers = 0, words, lines = 0;
	for (; lines < 3 && at + lines < im->lines; lines++) {
		const char *s = im->line[at + lines].s;
		size_t here = import_count_numbers(s, &words), len = strlen(s);
		if (numbers >= 10 || !words || (lines && here != words) || used + len + 2 > size)
			break;
		numbers += here;
		memcpy(buf + used, s, len);
		used += len;
		buf[used++] = ' ';
		buf[used] = 0;
	}
	*n = import_split(buf, tok, IMPORT_TOKENS_MAX);
	return numbers >= 5 ? lines : 0;
}

static int read_numbers(char **tok, double *v, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		/* The latency that the column is too narrow for. */
		if (import_percent(tok[i], &v[i]) && import_number(tok[i], &v[i]))
			return -1;
	}
	return 0;
}

static size_t read_row(struct import *im, size_t at, const char *phase, const char *wrapped)
{
	char buf[3 * IMPORT_LINE_MAX + 8], *tok[IMPORT_TOKENS_MAX], label[PLAN_ID_MAX + 1] = "";
	double v[10];
	size_t n, lines = gather(im, at, buf, sizeof buf, tok, &n), first;
	const unsigned nr = im->line[at].nr;
	if (!lines)
		return 0;
	if (n < 10 || n > 12 || read_numbers(tok + (first = n - 10), v, 10) || !(v[3] > 0) || isnan(v[4])) {
		import_skip(im, nr, "a row of %zu words in a section of tiobench, which wants an identifier and 10 numbers", n);
		return lines;
	}
	if (first)
		import_id(tok[0], label, sizeof label);
	else if (*wrapped)
		import_id(wrapped, label, sizeof label);
	add_point(im, nr, label, &(struct point){phase, v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8]});
	return lines;
}

static size_t read_section(struct import *im, size_t at, const char *phase)
{
	char wrapped[PLAN_ID_MAX + 1] = "";
	size_t i = at + 1;
	int rule = 0;
	for (; i < im->lines && i < at + 8 && !rule; i++) /* the head, up to its rule */
		rule = *im->line[i].s && is_rule(im->line[i].s);
	if (!rule)
		return 1;
	while (i < im->lines && !section_of(im->line[i].s)) {
		const char *s = im->line[i].s;
		size_t n = *s ? read_row(im, i, phase, wrapped) : 0;
		if (n) {
			*wrapped = 0;
		} else if (is_rule(s) || !*s) {
			if (!*s && i + 1 < im->lines && !*im->line[i + 1].s)
				break;
		} else if (is_word(s)) {
			snprintf(wrapped, sizeof wrapped, "%.60s", s + strspn(s, " "));
		} else {
			break;
		}
		i += n ? n : 1;
	}
	return i - at;
}

/* ---- the compact table */

static unsigned count_in(const char *s, const char *what)
{
	unsigned n = 0;
	for (; (s = strstr(s, what)); s++)
		n++;
	return n;
}

static size_t read_compact(struct import *im, size_t at)
{
	static const char *const phases[] = {"seqread", "randread", "seqwrite", "randwrite"};
	size_t i = at + 1;
	for (; i < im->lines; i++) {
		char copy[IMPORT_LINE_MAX + 1], *tok[IMPORT_TOKENS_MAX], label[PLAN_ID_MAX + 1] = "";
		double v[11];
		const struct import_line *l = &im->line[i];
		if (is_rule(l->s) && (*l->s || i == at + 1))
			continue;
		strncpy(copy, l->s, IMPORT_LINE_MAX);
		copy[IMPORT_LINE_MAX] = 0;
		size_t n = import_split(copy, tok, IMPORT_TOKENS_MAX);
		if (n < 8 || (n != 12 && import_count_numbers(l->s, &n) < 8))
			break;
		if (n != 12 && n != 11) {
			import_skip(im, l->nr, "a row of %zu words under tiobench's compact head, which wants a folder and 11 numbers", n);
			continue;
		}
		if (read_numbers(tok + n - 11, v, 11)) {
			import_skip(im, l->nr, "a row under tiobench's compact head holds what is no number");
			continue;
		}
		if (n == 12 && import_is_kernel(tok[0]))
			import_id(tok[0], label, sizeof label);
		for (size_t k = 0; k < 4; k++)
			add_point(im, l->nr, label, &(struct point){phases[k], v[0], v[1], v[2], v[3 + 2 * k], v[4 + 2 * k], NAN, NAN, NAN, NAN});
	}
	return i - at;
}

size_t import_tiobench(struct import *im, size_t at)
{
	const char *s = im->line[at].s, *phase = section_of(s);
	if (phase)
		return read_section(im, at, phase);
	if (strstr(s, "Thr") && count_in(s, "(CPU%)") == 4)
		return read_compact(im, at);
	return 0;
}
