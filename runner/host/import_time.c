/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * import_time: single lines that tell a time: what ftp says of a transfer, and real/user/sys of time(1).
 *
 *     1072458941 bytes received in 97 secs (1.1e+04 Kbytes/sec)
 *
 * Trap: the rate in the brackets is rounded and its unit loose; bytes and seconds are what is kept. Whole seconds are known to half a second.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "host/import.h"

static size_t read_ftp(struct import *im, size_t at)
{
	const struct import_line *l = &im->line[at];
	char word[32], time[64], *in;
	double bytes, seconds, resolution;
	int sent = strstr(l->s, "bytes sent in") != NULL;
	if (sscanf(l->s, " %31s", word) != 1 || import_number(word, &bytes))
		return 0;
	in = strstr(l->s, sent ? "sent in" : "received in");
	snprintf(time, sizeof time, "%s", in + (sent ? 7 : 11));
	time[strcspn(time, "(")] = 0;
	if (import_duration(time, &seconds, &resolution) || !(seconds > 0)) {
		import_skip(im, l->nr, "'%.30s' is no time", time);
		return 1;
	}
	const struct import_metric m = {"ftp", sent ? "put" : "get", "B/s", SUITE_HIGHER, 0};
	struct import_value *x = import_add(im, l->nr, "", &m, bytes / seconds);
	if (x) {
		x->bytes = bytes;
		x->resolution = resolution / 2 / seconds;
	}
	return 1;
}

/* `real 2m27.853s`, and user and sys on the next two lines: the CPU of the process and of those it waited for. */
static size_t read_real(struct import *im, size_t at)
{
	static const char *const words[] = {"real", "user", "sys"};
	const struct import_line *l = &im->line[at];
	double s[3] = {NAN, NAN, NAN}, resolution[3] = {0, 0, 0};
	size_t n = 0;
	for (; n < 3 && at + n < im->lines; n++) {
		const char *text = im->line[at + n].s;
		size_t len = strlen(words[n]);
		if (strncmp(text, words[n], len) || !strchr(" \t", text[len]))
			break;
		if (import_duration(text + len, &s[n], &resolution[n])) {
			double plain; /* POSIX -p: seconds alone */
			const char *p = text + len + strspn(text + len, " \t");
			if (import_number(p, &plain))
				break;
			s[n] = plain;
			resolution[n] = .01;
		}
	}
	if (!n)
		return 0;
	if (!(s[0] > 0)) {
		import_skip(im, l->nr, "time: real is not above 0");
		return n;
	}
	const struct import_metric m = {"time", "real", "ns", SUITE_LOWER, 1};
	struct import_value *x = import_add(im, l->nr, "", &m, s[0] * 1e9);
	if (x) {
		x->resolution = resolution[0] / 2 / s[0];
		if (n == 3)
			x->cpu_percent = (s[1] + s[2]) / s[0] * 100;
	}
	return n;
}

size_t import_time(struct import *im, size_t at)
{
	const char *s = im->line[at].s;
	if (strstr(s, "bytes received in") || strstr(s, "bytes sent in"))
		return read_ftp(im, at);
	if (!strncmp(s, "real", 4) && strchr(" \t", s[4]))
		return read_real(im, at);
	return 0;
}
