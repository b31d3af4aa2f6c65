/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * import_word: numbers, percentages, durations, units and sizes as people write them in mails. Pure; contract in import.h.
 *
 * Traps: a unit of a rate is said loosely: kB/s, K/sec and KB/s of bonnie and MB/s of ftp and tiobench are all of 1024. Thousands may be
 * separated by commas; a comma with a blank behind it separates values.
 */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "host/import.h"

#define GREATEST 1e15

/* digits[,ddd...][.digits][e[+-]dd] without sign; the end in *rest. */
static int scan_number(const char *s, const char **rest, double *v)
{
	char plain[48];
	size_t n = 0, group = 0;
	const char *p = s;
	int comma = 0, dot = 0;
	for (; isdigit((unsigned char)*p) || (*p == '.' && !dot && (isdigit((unsigned char)p[1]) || p > s)) ||
	       (*p == ',' && !dot && group && group <= 3 && isdigit((unsigned char)p[1]) && isdigit((unsigned char)p[2]) &&
	        isdigit((unsigned char)p[3]) && !isdigit((unsigned char)p[4]));
	     p++) {
		if (n == sizeof plain - 1)
			return -EINVAL;
		if (*p == ',') {
			comma = 1;
			group = 0;
			continue;
		}
		dot |= *p == '.';
		group += !dot;
		plain[n++] = *p;
	}
	plain[n] = 0;
	if (!n || !strcmp(plain, ".") || (comma && group != 3))
		return -EINVAL;
	*v = strtod(plain, NULL);
	if (!comma && (*p == 'e' || *p == 'E')) {
		const char *q = p + 1 + (p[1] == '+' || p[1] == '-');
		size_t digits = strspn(q, "0123456789");
		if (digits && digits <= 2) {
			*v *= pow(10, strtol(p + 1, NULL, 10));
			p = q + digits;
		}
	}
	*rest = p;
	return isfinite(*v) && *v <= GREATEST ? 0 : -EINVAL;
}

int import_number(const char *s, double *v)
{
	const char *rest;
	return scan_number(s, &rest, v) || *rest ? -EINVAL : 0;
}

int import_percent(const char *s, double *v)
{
	const char *rest;
	size_t n = strlen(s);
	*v = NAN;
	if (n && (strspn(s, "+") == n || strspn(s, "*") == n || strspn(s, "-") == n))
		return 0;
	s += *s == '(';
	if (scan_number(s, &rest, v))
		return -EINVAL;
	rest += *rest == '%';
	rest += *rest == ')';
	rest += *rest == ',';
	return *rest || *v > 6400 ? -EINVAL : 0;
}

/* ---- durations */

static double unit_s(const char *word, size_t len)
{
	static const struct {
		const char *word;
		double s;
	} units[] = {{"ms", 1e-3},   {"msec", 1e-3},  {"us", 1e-6},   {"usec", 1e-6}, {"s", 1},       {"sec", 1},
	             {"secs", 1},    {"second", 1},   {"seconds", 1}, {"m", 60},      {"min", 60},    {"mins", 60},
	             {"minute", 60}, {"minutes", 60}, {"h", 3600},    {"hr", 3600},   {"hour", 3600}, {"hours", 3600}};
	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (strlen(units[i].word) == len && !strncasecmp(word, units[i].word, len))
			return units[i].s;
	return 0;
}

/* What the digits behind the point leave open: "15.6" is known to .1. */
static double digits_unit(const char *from, const char *to)
{
	const char *dot = memchr(from, '.', (size_t)(to - from));
	return dot ? pow(10, -(double)(to - dot - 1)) : 1;
}

/* m:ss, h:mm:ss[.f] */
static int colons(const char *s, double *seconds, double *resolution)
{
	double sum = 0, v = 0;
	int parts = 0;
	for (s += strspn(s, " \t");; s++) {
		const char *rest;
		if (scan_number(s, &rest, &v) || (parts && v >= 60) || ++parts > 3)
			return -EINVAL;
		sum = sum * 60 + v;
		if (*rest != ':') {
			*resolution = digits_unit(s, rest);
			rest += strspn(rest, " \t");
			*seconds = sum;
			return *rest || parts < 2 ? -EINVAL : 0;
		}
		if (memchr(s, '.', (size_t)(rest - s)) || memchr(s, ',', (size_t)(rest - s)))
			return -EINVAL;
		s = rest;
	}
}

int import_duration(const char *s, double *seconds, double *resolution)
{
	double sum = 0, last = INFINITY;
	int parts = 0;
	if (strchr(s, ':'))
		return colons(s, seconds, resolution);
	while (*s) {
		const char *rest;
		double v;
		s += strspn(s, " \t");
		if (!*s)
			break;
		if (scan_number(s, &rest, &v))
			return -EINVAL;
		double digits = digits_unit(s, rest);
		s = rest + strspn(rest, " \t");
		size_t len = strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
		double unit = unit_s(s, len);
		if (unit <= 0 || unit >= last)
			return -EINVAL; /* no unit, or units that do not fall: 28 s 1 m */
		s += len;
		sum += v * unit;
		last = unit;
		*resolution = digits * unit;
		parts++;
		s += parts && *s == '.' && isdigit((unsigned char)s[1]) ? 0 : strspn(s, " \t,");
	}
	*seconds = sum;
	return parts && sum <= 1e9 ? 0 : -EINVAL;
}

/* ---- units */

double import_rate_unit(const char *s, const char **said)
{
	static const struct {
		const char *word;
		double bytes;
	} units[] = {{"KiB/s", 1024},   {"kB/s", 1024},     {"K/sec", 1024},       {"kbytes/s", 1024},     {"MiB/s", 1048576},
	             {"MB/s", 1048576}, {"M/sec", 1048576}, {"mbytes/s", 1048576}, {"GiB/s", 1073741824.}, {"GB/s", 1073741824.}};
	for (; *s; s++)
		for (size_t i = 0; i < sizeof units / sizeof *units; i++)
			if (!strncasecmp(s, units[i].word, strlen(units[i].word))) {
				if (said)
					*said = units[i].word;
				return units[i].bytes;
			}
	return 0;
}

double import_size(const char *s, double plain)
{
	const char *rest;
	double v, times;
	if (scan_number(s, &rest, &v))
		return 0;
	if (*rest == '*') { /* files of so many MB each */
		times = v;
		if (scan_number(rest + 1, &rest, &v))
			return 0;
		v *= times;
	}
	double unit = plain;
	switch (tolower((unsigned char)*rest)) {
	case 'k':
		unit = 1024;
		break;
	case 'm':
		unit = 1048576;
		break;
	case 'g':
		unit = 1073741824.;
		break;
	case 't':
		unit = 1099511627776.;
		break;
	default:
		rest--;
	}
	rest++;
	if (*rest == 'B' || *rest == 'b')
		rest++;
	return *rest && *rest != ':' ? 0 : v * unit; /* :chunk may follow */
}

size_t import_split(char *s, char **tok, size_t max)
{
	size_t n = 0;
	char *save = NULL;
	for (char *t = strtok_r(s, " \t", &save); t && n < max; t = strtok_r(NULL, " \t", &save))
		tok[n++] = t;
	return n;
}

size_t import_count_numbers(const char *s, size_t *words)
{
	char copy[IMPORT_LINE_MAX + 1], *tok[IMPORT_TOKENS_MAX];
	size_t numbers = 0;
	double v;
	strncpy(copy, s, IMPORT_LINE_MAX);
	copy[IMPORT_LINE_MAX] = 0;
	*words = import_split(copy, tok, IMPORT_TOKENS_MAX);
	for (size_t i = 0; i < *words; i++)
		numbers += !import_percent(tok[i], &v) || import_size(tok[i], 1) > 0;
	return numbers;
}
