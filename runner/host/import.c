/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * import: splits a file into lines, asks each parser, keeps values and remarks. Contract in import.h.
 */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/kv.h"
#include "host/import.h"

#define HEADING_MAX 72 /* a longer line is prose */

void import_free(struct import *im)
{
	for (size_t i = 0; i < im->remarks; i++)
		free(im->remark[i]);
	free(im->remark);
	free(im->value);
	im->remark = NULL;
	im->value = NULL;
	im->remarks = im->values = 0;
}

/* ---- remarks */

static void remark(struct import *im, unsigned line, const char *kind, const char *fmt, va_list ap)
{
	char text[400], *whole = NULL;
	vsnprintf(text, sizeof text, fmt, ap);
	for (size_t i = 0; !line && i < im->remarks; i++) /* an assumption of the whole file */
		if (strstr(im->remark[i], text))
			return;
	char **more = im->remarks < IMPORT_REMARKS_MAX ? realloc(im->remark, (im->remarks + 1) * sizeof *more) : NULL;
	if (more)
		im->remark = more;
	int ok = more &&
	         (line ? asprintf(&whole, "%s:%u: %s%s", im->file, line, kind, text) : asprintf(&whole, "%s: %s%s", im->file, kind, text)) >= 0;
	if (ok)
		im->remark[im->remarks++] = whole;
	else
		im->more_remarks++;
}

void import_skip(struct import *im, unsigned line, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	remark(im, line, "skipped: ", fmt, ap);
	va_end(ap);
	im->skipped++;
}

void import_assume(struct import *im, unsigned line, const char *fmt, ...)
{
	va_list ap;
	(void)line;
	va_start(ap, fmt);
	remark(im, 0, "assumed: ", fmt, ap);
	va_end(ap);
}

/* ---- names */

int import_is_kernel(const char *word)
{
	static const char *const lead[] = {"linux-", "linux", "kernel-", "vmlinuz-", "v"};
	for (size_t i = 0; i < sizeof lead / sizeof *lead; i++)
		if (!strncasecmp(word, lead[i], strlen(lead[i])) && isdigit((unsigned char)word[strlen(lead[i])])) {
			word += strlen(lead[i]);
			break;
		}
	size_t major = strspn(word, "0123456789");
	if (!major || major > 2 || word[major] != '.')
		return 0;
	word += major + 1;
	size_t minor = strspn(word, "0123456789");
	return minor && minor <= 3 && (word[minor] == '.' || word[minor] == '-' || isalpha((unsigned char)word[minor]) || (!word[minor] && minor));
}

char *import_id(const char *label, char *out, size_t size)
{
	size_t n = 0;
	if (size > PLAN_ID_MAX + 1)
		size = PLAN_ID_MAX + 1;
	for (const char *p = label; *p && *p != ',' && n + 1 < size; p++) {
		int good = isalnum((unsigned char)*p) || (n && strchr("._+-", *p));
		if (good)
			out[n++] = *p;
		else if (n && out[n - 1] != '-')
			out[n++] = '-';
	}
	while (n && strchr("-.:", out[n - 1]))
		n--;
	out[n] = 0;
	return out;
}

const char *import_file_test(const struct import *im, const char *rest, char *out, size_t size)
{
	snprintf(out, size, "%s-%s", im->nfs ? "nfs" : "disk", rest);
	return out;
}

/* ---- values */

static int has_value(const struct import *im, const char *subject, const struct import_metric *m)
{
	for (size_t i = 0; i < im->values; i++)
		if (!strcmp(im->value[i].subject, subject) && !strcmp(im->value[i].test, m->test) && !strcmp(im->value[i].metric, m->name))
			return 1;
	return 0;
}

/* The nth of --subject; 0 where there are not so many. */
static int nth_subject(const struct import *im, size_t nth, char *out, size_t size)
{
	const char *s = im->subjects;
	for (; s && nth; nth--)
		s = strchr(s, ',') ? strchr(s, ',') + 1 : NULL;
	if (!s || !*s)
		return 0;
	snprintf(out, size, "%.*s", (int)strcspn(s, ","), s);
	return 1;
}

/* With several names the next one begins where the present one has that metric already; with one name that is its next run. */
static int choose_given(struct import *im, const struct import_metric *m, char *out, size_t size)
{
	char next[PLAN_ID_MAX + 1];
	if (!nth_subject(im, im->subject_at, out, size))
		return 0;
	if (!strchr(im->subjects, ',') || !has_value(im, out, m))
		return 1;
	if (!nth_subject(im, im->subject_at + 1, next, sizeof next))
		return 0;
	im->subject_at++;
	snprintf(out, size, "%s", next);
	return 1;
}

static int choose_subject(struct import *im, unsigned line, const char *label, const struct import_metric *m, char *out, size_t size)
{
	import_id(label, out, size);
	if (*out)
		return 1;
	if (im->subjects) {
		if (choose_given(im, m, out, size))
			return 1;
		import_skip(im, line, "%s %s: one more --subject is wanted, %s has that already", m->test, m->name, out);
		return 0;
	}
	if (*im->heading) {
		snprintf(out, size, "%s", im->heading);
		return 1;
	}
	import_skip(im, line, "%s %s: nothing names its kernel (--subject NAME)", m->test, m->name);
	return 0;
}

struct import_value *import_add(struct import *im, unsigned line, const char *label, const struct import_metric *m, double v)
{
	char subject[PLAN_ID_MAX + 1];
	if (!(v > 0) || v > 1e15 || !kv_is_id(m->test) || !kv_is_id(m->name)) {
		import_skip(im, line, "%.64s %.64s: %g is no usable value", m->test, m->name, v);
		return NULL;
	}
	if (!choose_subject(im, line, label, m, subject, sizeof subject))
		return NULL;
	if (!(im->values & (im->values + 1))) {
		struct import_value *more = im->values < IMPORT_VALUES_MAX ? realloc(im->value, (im->values + 1) * 2 * sizeof *more) : NULL;
		if (!more) {
			im->dropped++;
			return NULL;
		}
		im->value = more;
	}
	struct import_value *x = &im->value[im->values++];
	*x = (struct import_value){.unit = m->unit,
	                           .better = m->better,
	                           .primary = m->primary,
	                           .v = v,
	                           .cpu_percent = NAN,
	                           .file = im->file,
	                           .line = line};
	strcpy(x->subject, subject);
	snprintf(x->test, sizeof x->test, "%s", m->test);
	snprintf(x->metric, sizeof x->metric, "%s", m->name);
	snprintf(x->machine, sizeof x->machine, "%s", im->machine ? im->machine : im->table_machine);
	return x;
}

void import_say(struct import_said *list, const char *key, double v)
{
	size_t i = 0;
	while (i < IMPORT_SAID_MAX && list[i].key)
		i++;
	if (i < IMPORT_SAID_MAX && isfinite(v))
		list[i] = (struct import_said){key, v};
}

/* ---- lines */

/* In place: quote marks of mails (`> > `), tabs, non-breaking blanks, CR and trailing blanks. */
static void clean(char *s)
{
	size_t n = strlen(s);
	char *from = s, *to = s;
	for (;;) {
		char *q = from + strspn(from, " ");
		if (*q != '>')
			break;
		from = q + 1;
		from += *from == ' ';
	}
	for (; *from; from++) {
		if ((unsigned char)from[0] == 0xc2 && (unsigned char)from[1] == 0xa0)
			*to++ = ' ', from++;
		else
			*to++ = *from == '\r' ? ' ' : *from;
	}
	*to = 0;
	for (n = (size_t)(to - s); n && strchr(" \t", s[n - 1]);)
		s[--n] = 0;
}

static int split_lines(struct import *im, char *text, size_t len)
{
	size_t n = 1;
	for (size_t i = 0; i < len; i++)
		n += text[i] == '\n';
	im->line = calloc(n, sizeof *im->line);
	im->lines = 0;
	if (!im->line)
		return -ENOMEM;
	char *s = text, *end = text + len;
	for (unsigned nr = 1; s < end; nr++) {
		char *nl = memchr(s, '\n', (size_t)(end - s));
		size_t size = nl ? (size_t)(nl - s) : (size_t)(end - s);
		s[size] = 0;
		if (size > IMPORT_LINE_MAX) {
			import_skip(im, nr, "a line of %zu bytes is no row of a table (at most %d)", size, IMPORT_LINE_MAX);
			*s = 0;
		}
		clean(s);
		im->line[im->lines++] = (struct import_line){s, nr};
		s += size + 1;
	}
	return 0;
}

/* `2.4.20-pre8-ac3:`, `kernel 2.6.11`, `== 2.4.19 ==`: a short line with one word that is a release, and hardly a number besides. */
static void take_heading(struct import *im, const struct import_line *l)
{
	char copy[HEADING_MAX + 1], *tok[IMPORT_TOKENS_MAX];
	const char *found = NULL;
	size_t words, numbers;
	if (strlen(l->s) > HEADING_MAX)
		return;
	numbers = import_count_numbers(l->s, &words);
	strcpy(copy, l->s);
	words = import_split(copy, tok, IMPORT_TOKENS_MAX);
	for (size_t i = 0; i < words; i++) {
		char *w = tok[i] + strspn(tok[i], "=*[(\"'`");
		if (!import_is_kernel(w) || w[strspn(w, "0123456789.")] == '%')
			continue;
		if (found || strchr(w, '/'))
			return; /* two of them: a sentence about both */
		found = w;
	}
	double v;
	/* 3.8 alone is a number: only words around it, or a third part, make it a release */
	if (!found || (!import_number(found, &v) && numbers > 1) || words > 8)
		return;
	import_id(found, im->heading, sizeof im->heading);
}

static size_t parse_line(struct import *im, size_t at)
{
	static size_t (*const parser[])(struct import *, size_t) = {import_bonnie_csv, import_bonnie, import_tiobench,
	                                                            import_sched,      import_time,   import_table};
	for (size_t i = 0; i < sizeof parser / sizeof *parser; i++) {
		size_t n = parser[i](im, at);
		if (n)
			return n;
	}
	return 0;
}

/* Many numbers and few words: a row that nobody knew. */
static int looks_like_row(const char *s)
{
	size_t words, numbers = import_count_numbers(s, &words);
	return numbers >= 3 && numbers * 2 >= words;
}

int import_text(struct import *im, const char *file, const char *text, size_t len)
{
	im->file = file;
	*im->heading = *im->table_machine = 0;
	if (memchr(text, 0, len))
		return -EINVAL;
	if (import_fio(im, text, len))
		return 0;
	char *copy = malloc(len + 1);
	int rc = copy ? 0 : -ENOMEM;
	if (copy) {
		memcpy(copy, text, len);
		copy[len] = 0;
		rc = split_lines(im, copy, len);
	}
	for (size_t at = 0, n; !rc && at < im->lines; at += n ? n : 1) {
		n = *im->line[at].s ? parse_line(im, at) : 0;
		if (!n && looks_like_row(im->line[at].s))
			import_skip(im, im->line[at].nr, "it looks like a row, but of no table that is known here");
		else if (!n)
			take_heading(im, &im->line[at]);
	}
	free(im->line);
	im->line = NULL;
	im->lines = 0;
	free(copy);
	return rc;
}
