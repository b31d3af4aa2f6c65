/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * import_bonnie: the tables of Bonnie 1.x (all its authors') and bonnie++ 1.03 to 2.00, and what Bonnie 1.x says as it goes.
 *
 *     Machine    MB K/sec %CPU K/sec %CPU ...      columns: putc, block write, rewrite, getc, block read, seeks (bonnie++ 2.00: Name:Size etc)
 *     Writing with putc_unlocked()...         done:  10328 kB/s  10.5 %CPU
 *
 * Traps: mailers wrap rows; the label is free text, a machine or a kernel; MB may be `1*1500`; a phase that was too short is "+++++"; bonnie++ -f has
 * blanks in the place of the per-character phases. Both families call their phases alike and do not do the same: they are two tests here.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "host/import.h"

enum { PUTC, WRITE, REWRITE, GETC, READ, SEEK, PHASES };

static const char *const phase_name[PHASES] = {"putc", "write", "rewrite", "getc", "read", "seek"};

struct row {
	char label[PLAN_ID_MAX + 1];
	double bytes; /* of the file; 0 unknown */
	char rate[PHASES][24], cpu[PHASES][24];
	struct import_said how[IMPORT_SAID_MAX]; /* but the size */
};

/* 1036k of 2.x is 1036 KiB/s with its unit; without a letter K/sec. */
static int read_rate(const char *s, double plain, double *v)
{
	if (!*s || strspn(s, "+*-") == strlen(s)) {
		*v = NAN;
		return 0;
	}
	*v = import_size(s, plain);
	return strchr(s, ':') || strchr(s, '*') || !(*v > 0);
}

static void add_row(struct import *im, unsigned line, const char *program, const struct row *r)
{
	char test[PLAN_ID_MAX + 1];
	import_file_test(im, program, test, sizeof test);
	for (int i = 0; i < PHASES; i++) {
		const struct import_metric m = {test, phase_name[i], i == SEEK ? "count/s" : "B/s", SUITE_HIGHER, i == READ};
		double v, cpu = NAN;
		if (read_rate(r->rate[i], i == SEEK ? 1 : 1024, &v)) {
			import_skip(im, line, "%s: '%.20s' is no rate", phase_name[i], r->rate[i]);
			continue;
		}
		if (isnan(v)) {
			if (*r->rate[i])
				import_skip(im, line, "%s: no rate, the phase was too short", phase_name[i]);
			continue;
		}
		struct import_value *x = import_add(im, line, r->label, &m, v);
		if (x && *r->cpu[i] && import_percent(r->cpu[i], &cpu))
			import_skip(im, line, "%s: '%.20s' is no percentage", phase_name[i], r->cpu[i]);
		if (x) {
			x->cpu_percent = cpu;
			x->bytes = i == SEEK ? 0 : r->bytes;
			memcpy(x->how, r->how, sizeof x->how);
			import_say(x->how, "size_bytes", r->bytes > 0 ? r->bytes : NAN);
		}
	}
}

/* A label that is a kernel is the subject; another is the machine's name, as the column says. */
static void take_label(struct import *im, unsigned line, struct row *r, const char *label)
{
	*r->label = 0;
	if (!*label)
		return;
	if (import_is_kernel(label)) {
		import_id(label, r->label, sizeof r->label);
		return;
	}
	import_id(label, im->table_machine, sizeof im->table_machine);
	if (!im->machine)
		import_assume(im, line, "the column Machine says %s: that is the machine, not the kernel", im->table_machine);
}

static int is_head(const char *s) { return (strstr(s, "Machine") || strstr(s, "Name:Size")) && strstr(s, "/sec") && strstr(s, "%CP"); }
static int is_rate(const char *s)
{
	double v;
	return !read_rate(s, 1, &v);
}

/* The words of a row, of as many lines as a mailer made of it. How many lines. */
static size_t gather(const struct import *im, size_t at, char *buf, size_t size, size_t *n)
{
	size_t used = 0, lines = 0, words;
	*n = 0;
	for (; lines < 4 && at + lines < im->lines; lines++) {
		const char *s = im->line[at + lines].s;
		size_t numbers = import_count_numbers(s, &words), len = strlen(s);
		if (lines && (!words || numbers != words))
			break;
		if (used + len + 2 > size)
			break;
		memcpy(buf + used, s, len);
		used += len;
		buf[used++] = ' ';
		buf[used] = 0;
		if (lines && words + *n > 14)
			break;
		*n += words;
		if (*n >= 13)
			return lines + 1;
	}
	return lines;
}

/* [label] [size] 12 numbers, or 8 of bonnie++ -f. The size may hang on the label: `host:4G`. 0 or -1. */
static int fill_row(struct import *im, unsigned line, char **tok, size_t n, int plus, struct row *r)
{
	static const int fast[] = {WRITE, REWRITE, READ, SEEK};
	size_t pairs = plus && n < 2 * PHASES ? 4 : PHASES, first;
	if (n < 2 * pairs || n > 2 * pairs + 2)
		return -1;
	first = n - 2 * pairs;
	for (size_t i = first; i < n; i++)
		if (!is_rate(tok[i]) && strspn(tok[i], "0123456789.%") != strlen(tok[i]))
			return -1;
	const char *label = first == 2 ? tok[0] : "", *size = first ? tok[first - 1] : "";
	if (first == 1 && !(import_size(size, 1048576) > 0))
		label = tok[0], size = "";
	r->bytes = import_size(size, 1048576);
	take_label(im, line, r, label);
	for (size_t i = 0; i < pairs; i++) {
		int phase = pairs == PHASES ? (int)i : fast[i];
		snprintf(r->rate[phase], sizeof r->rate[0], "%.20s", tok[first + 2 * i]);
		snprintf(r->cpu[phase], sizeof r->cpu[0], "%.20s", tok[first + 2 * i + 1]);
	}
	return 0;
}

/* What Bonnie 1.3 says above its head: (sync) or (nosync), -CharUnlk- or -Per Char-, --04k (03)-, thousands of seeks by so many seekers. */
static void read_head(const struct import *im, size_t at, struct import_said *how)
{
	for (size_t back = 1; back <= 2 && back <= at; back++) {
		const char *s = im->line[at - back].s, *seeks = strstr(s, "k (");
		unsigned thousands, seekers;
		if (strstr(s, "(sync)") || strstr(s, "(nosync)"))
			import_say(how, "fsync", strstr(s, "(sync)") != NULL);
		if (strstr(s, "-CharUnlk-") || strstr(s, "-Per Char-"))
			import_say(how, "unlocked", strstr(s, "-CharUnlk-") != NULL);
		while (seeks && seeks > s && seeks[-1] >= '0' && seeks[-1] <= '9')
			seeks--;
		if (seeks && sscanf(seeks, "%4uk (%4u)", &thousands, &seekers) == 2) {
			import_say(how, "seeks", thousands ? thousands * 1000. : NAN); /* 00k: fewer than 1000, and nobody knows how many */
			import_say(how, "seekers", seekers);
		}
	}
}

static size_t read_table(struct import *im, size_t at, int plus)
{
	struct import_said how[IMPORT_SAID_MAX] = {{NULL, 0}};
	size_t i = at + 1, rows = 0;
	if (!plus)
		read_head(im, at, how);
	while (i < im->lines) {
		char buf[4 * IMPORT_LINE_MAX], *tok[IMPORT_TOKENS_MAX];
		struct row r = {.bytes = 0};
		size_t n, words, numbers = import_count_numbers(im->line[i].s, &words);
		if (!words && !rows && i == at + 1) { /* a blank line behind the head */
			i++;
			continue;
		}
		if (numbers < 2 || strchr(im->line[i].s, ',') || numbers * 2 < words)
			break;
		size_t lines = gather(im, i, buf, sizeof buf, &n);
		n = import_split(buf, tok, IMPORT_TOKENS_MAX);
		memcpy(r.how, how, sizeof how);
		if (fill_row(im, im->line[i].nr, tok, n, plus, &r))
			import_skip(im, im->line[i].nr, "a row of %zu words under bonnie's head, which wants 12 numbers%s", n,
			            plus ? " (8 with -f)" : "");
		else
			add_row(im, im->line[i].nr, plus ? "bonnie++" : "bonnie", &r);
		rows++;
		i += lines ? lines : 1;
	}
	import_assume(im, 0, "K/sec of bonnie is 1024 bytes a second");
	return i - at;
}

/* `Reading intelligently...done`, the numbers behind `done:`; Bonnie 1.x writes the table as well, and then this is the same again. */
static size_t read_progress(struct import *im, size_t at)
{
	static const struct {
		const char *word;
		int phase;
	} words[] = {{"Writing with putc", PUTC},
	             {"Writing intelligently", WRITE},
	             {"Rewriting", REWRITE},
	             {"Reading with getc", GETC},
	             {"Reading intelligently", READ}};
	const struct import_line *l = &im->line[at];
	const char *done = strstr(l->s, "done");
	double rate, cpu = NAN;
	for (size_t i = 0; done && i < sizeof words / sizeof *words; i++) {
		char unit[16], value[24], percent[24];
		if (strncmp(l->s, words[i].word, strlen(words[i].word)))
			continue;
		done += 4 + strspn(done + 4, ": .");
		if (sscanf(done, "%23s %15s %23s", value, unit, percent) < 2 || !(import_rate_unit(unit, NULL) > 0))
			return *done ? (import_skip(im, l->nr, "no rate with a unit behind done"), 1) : 1;
		/* The table repeats it, rounded alike: taken there. */
		for (size_t k = at; k < im->lines && k < at + 40; k++)
			if (is_head(im->line[k].s))
				return 1;
		char test[PLAN_ID_MAX + 1];
		const struct import_metric m = {import_file_test(im, "bonnie", test, sizeof test), phase_name[words[i].phase], "B/s", SUITE_HIGHER,
		                                words[i].phase == READ};
		if (import_number(value, &rate))
			return import_skip(im, l->nr, "'%s' is no rate", value), 1;
		struct import_value *x = import_add(im, l->nr, "", &m, rate * import_rate_unit(unit, NULL));
		if (x && sscanf(done, "%*s %*s %23s", percent) == 1 && !import_percent(percent, &cpu))
			x->cpu_percent = cpu;
		return 1;
	}
	return 0;
}

size_t import_bonnie(struct import *im, size_t at)
{
	const char *s = im->line[at].s;
	int plus = 0;
	if (!is_head(s))
		return read_progress(im, at);
	for (size_t back = 1; back <= 3 && back <= at; back++)
		plus |= !strncmp(im->line[at - back].s, "Version", 7) || !strncmp(im->line[at - back].s, "Concurrency", 11);
	plus |= strstr(s, "Size") && strstr(s, "%CP ");
	return read_table(im, at, plus);
}

/* ---- CSV of bonnie++ */

static size_t split_commas(char *s, char **f, size_t max)
{
	size_t n = 0;
	for (char *p = s; n < max; p++) {
		f[n++] = p;
		p = strchr(p, ',');
		if (!p)
			break;
		*p = 0;
	}
	return n;
}

/*
 * 1.03:        name,size,putc,cpu,...seeks,cpu,16,...                                 27 fields
 * 1.9x:        1.96,1.96,name,concurrency,seed,size,chunk,putc,cpu,...
 * 1.98, 2.00:  the same with seeks and seek processes behind the chunk
 */
size_t import_bonnie_csv(struct import *im, size_t at)
{
	char copy[IMPORT_LINE_MAX + 1], *f[IMPORT_TOKENS_MAX];
	const struct import_line *l = &im->line[at];
	double version;
	size_t first = 2, name = 0, size = 1;
	struct row r = {.bytes = 0};
	strncpy(copy, l->s, IMPORT_LINE_MAX);
	copy[IMPORT_LINE_MAX] = 0;
	size_t n = split_commas(copy, f, IMPORT_TOKENS_MAX);
	if (n < 14)
		return 0;
	if (!import_number(f[0], &version) && version > 1.5 && version < 3 && strspn(f[1], "12.") >= 2) { /* the second is 1.97, 2.00a */
		name = 2;
		size = 5;
		first = version >= 1.98 ? 9 : 7;
	}
	if (!(import_size(f[size], 1048576) > 0) || n < first + 2 * PHASES)
		return 0;
	for (size_t i = 0; i < 2 * PHASES; i++)
		if (*f[first + i] && !is_rate(f[first + i]) && strspn(f[first + i], "0123456789.") != strlen(f[first + i]))
			return 0;
	take_label(im, l->nr, &r, f[name]);
	r.bytes = import_size(f[size], 1048576);
	for (size_t i = 4; name && i < first; i++) { /* behind the concurrency; import_size gives 0 where a field is empty */
		static const char *const keys[] = {"seed", NULL, "chunk_bytes", "seeks", "seekers"};
		double v = import_size(f[i], 1);
		if (keys[i - 4] && v > 0)
			import_say(r.how, keys[i - 4], v);
	}
	for (size_t i = 0; i < PHASES; i++) {
		snprintf(r.rate[i], sizeof r.rate[0], "%.20s", f[first + 2 * i]);
		snprintf(r.cpu[i], sizeof r.cpu[0], "%.20s", f[first + 2 * i + 1]);
	}
	/* The text table above it said the same. */
	for (size_t back = 1; back <= 16 && back <= at; back++)
		if (is_head(im->line[at - back].s)) {
			import_assume(im, l->nr, "the CSV line under a table of bonnie++ repeats it, and is not counted again");
			return 1;
		}
	add_row(im, l->nr, "bonnie++", &r);
	import_assume(im, 0, "K/sec of bonnie is 1024 bytes a second");
	return 1;
}
