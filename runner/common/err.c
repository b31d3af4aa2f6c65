/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * err: one line to stderr, in one write(2), with nothing in it that a terminal would obey.
 *
 * A message may quote what a box sent: control bytes, bytes that are not UTF-8, C1 controls and bidirectional overrides
 * are shown as \xNN. The program's name is the one global of common/.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/err.h"

static const char *program;

void err_set_name(const char *name) { program = name; }

/* Length of a harmless character at s, or 0. */
static size_t harmless(const unsigned char *s)
{
	unsigned long cp;
	size_t n, i;

	if (s[0] < 0x80)
		return s[0] >= ' ' && s[0] != 0x7f;
	n = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
	if (s[0] < 0xc2 || s[0] > 0xf4)
		return 0;
	cp = s[0] & (0x7fu >> n);
	for (i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		cp = cp << 6 | (s[i] & 0x3f);
	}
	if (cp < 0xa0 || (n == 3 && cp < 0x800) || (n == 4 && (cp < 0x10000 || cp > 0x10ffff)) || (cp >= 0xd800 && cp <= 0xdfff))
		return 0;
	/* Marks and overrides of writing direction, line and paragraph separators. */
	if ((cp >= 0x200e && cp <= 0x200f) || (cp >= 0x2028 && cp <= 0x202e) || (cp >= 0x2066 && cp <= 0x2069) || cp == 0xfeff)
		return 0;
	return n;
}

size_t err_clean(char *out, size_t size, const char *in)
{
	const unsigned char *s = (const unsigned char *)in;
	size_t n = 0;

	if (!size)
		return 0;
	while (*s) {
		size_t k = harmless(s);

		if (n + (k ? k : 4) >= size)
			break;
		if (k) {
			memcpy(out + n, s, k);
			n += k;
			s += k;
		} else {
			n += (size_t)snprintf(out + n, size - n, "\\x%02x", *s++);
		}
	}
	out[n] = 0;
	return n;
}

static void say(int code, const char *fmt, va_list ap)
{
	char text[1024], line[2048];
	size_t len = strlen(fmt), n = 0;

	vsnprintf(text, sizeof(text), fmt, ap);
	if (program)
		n = err_clean(line, 64, program);
	if (n) {
		memcpy(line + n, ": ", 2);
		n += 2;
	}
	n += err_clean(line + n, sizeof(line) - n - 256, text);
	if (len && fmt[len - 1] == ':') {
		line[n++] = ' ';
		n += err_clean(line + n, 200, strerror(code));
	}
	line[n++] = '\n';
	fflush(stdout); /* or the reason would stand before what led to it */
	while (write(STDERR_FILENO, line, n) < 0 && errno == EINTR)
		;
}

void err_warn(const char *fmt, ...)
{
	int code = errno;
	va_list ap;

	va_start(ap, fmt);
	say(code, fmt, ap);
	va_end(ap);
}

void err_die(const char *fmt, ...)
{
	int code = errno;
	va_list ap;

	va_start(ap, fmt);
	say(code, fmt, ap);
	va_end(ap);
	exit(EXIT_FAIL);
}

void err_usage(const char *fmt, ...)
{
	int code = errno;
	va_list ap;

	va_start(ap, fmt);
	say(code, fmt, ap);
	va_end(ap);
	exit(EXIT_USAGE);
}

void err_die_code(int neg_errno, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(-neg_errno, fmt, ap);
	va_end(ap);
	exit(EXIT_FAIL);
}

#define WORD_MAX 64

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

/* Edits from a to b, two letters swapped being one (optimal string alignment); three rows, both are at most WORD_MAX long. */
static size_t distance(const char *a, size_t alen, const char *b, size_t blen)
{
	size_t rows[3][WORD_MAX + 1], *before = rows[0], *last = rows[1], *row = rows[2];

	for (size_t j = 0; j <= blen; j++)
		row[j] = j;
	for (size_t i = 1; i <= alen; i++) {
		size_t *oldest = before;

		before = last;
		last = row;
		row = oldest;
		row[0] = i;
		for (size_t j = 1; j <= blen; j++) {
			row[j] = least(last[j - 1] + (a[i - 1] != b[j - 1]), least(last[j], row[j - 1]) + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				row[j] = least(row[j], before[j - 2] + 1);
		}
	}
	return row[blen];
}

const char *err_nearest(const char *word, const char *const *list)
{
	size_t len = strlen(word), best = SIZE_MAX;
	const char *nearest = NULL;

	for (; len <= WORD_MAX && *list; list++) {
		size_t other = strlen(*list);
		size_t longer = other > len ? other : len;
		size_t d;

		if (other > WORD_MAX)
			continue;
		d = distance(word, len, *list, other);
		if (d <= longer / 3 && d < best) {
			best = d;
			nearest = *list;
		}
	}
	return nearest;
}
