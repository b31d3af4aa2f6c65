/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * number: quantities for people, three or four significant digits. Contract in number.h.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "host/number.h"

/* Three significant digits; whole numbers without a prefix as they are. */
static void digits(double v, int whole, char *out, size_t size)
{
	double a = fabs(v);
	if (a < 1e6 && v == floor(v) && (whole || a >= 100 || a == 0))
		snprintf(out, size, "%.0f", v);
	else if (a >= 1e6 || a < .001)
		snprintf(out, size, "%.3g", v);
	else
		snprintf(out, size, "%.*f", a >= 99.95 ? 0 : a >= 9.995 ? 1 : a >= .9995 ? 2 : 3, v);
}

static void prefixed(double v, double base, const char *const *unit, size_t units, char *out, size_t size)
{
	char d[NUMBER_MAX];
	size_t i = 0;
	while (i + 1 < units && fabs(v) >= base * .99995) {
		v /= base;
		i++;
	}
	digits(v, !i, d, sizeof d);
	snprintf(out, size, "%s%s%s", d, *unit[i] ? " " : "", unit[i]);
}

#define COUNT(a) (sizeof(a) / sizeof *(a))

char *number_human(double v, const char *unit, char *out, size_t size)
{
	static const char *const bytes[] = {"B", "KiB", "MiB", "GiB", "TiB"};
	static const char *const rates[] = {"B/s", "KiB/s", "MiB/s", "GiB/s", "TiB/s"};
	static const char *const times[] = {"ps", "ns", "us", "ms", "s"};
	static const char *const per_s[] = {"/s", "k/s", "M/s", "G/s"};
	static const char *const plain[] = {""};
	char d[NUMBER_MAX];
	size_t len = strlen(unit);
	if (!isfinite(v))
		snprintf(out, size, "-");
	else if (!strcmp(unit, "B/s"))
		prefixed(v, 1024, rates, COUNT(rates), out, size);
	else if (!strcmp(unit, "B"))
		prefixed(v, 1024, bytes, COUNT(bytes), out, size);
	else if (!strcmp(unit, "ns") || !strcmp(unit, "ps"))
		prefixed(v, 1000, times + (*unit == 'n'), COUNT(times) - (*unit == 'n'), out, size);
	else if (len > 2 && !strcmp(unit + len - 2, "/s"))
		prefixed(v, 1000, per_s, COUNT(per_s), out, size);
	else if (!*unit || !strcmp(unit, "count") || !strcmp(unit, "ratio"))
		prefixed(v, 1000, plain, 1, out, size);
	else {
		digits(v, 1, d, sizeof d);
		snprintf(out, size, "%s %.15s", d, unit);
	}
	return out;
}

char *number_change(double ratio, char *out, size_t size)
{
	double change = (ratio - 1) * 100;
	if (!isfinite(ratio))
		snprintf(out, size, "-");
	else if (ratio >= 2 || ratio <= .5)
		snprintf(out, size, ratio >= 100 ? "x%.0f" : ratio >= 10 ? "x%.1f" : ratio >= 1 ? "x%.2f" : "x%.3f", ratio);
	else
		snprintf(out, size, "%+.1f %%", fabs(change) < .05 ? 0. : change);
	return out;
}

char *number_interval(double lo, double hi, char *out, size_t size)
{
	char a[NUMBER_MAX], b[NUMBER_MAX];
	snprintf(out, size, "-");
	if (!isfinite(lo) || !isfinite(hi))
		return out;
	if (lo <= .5 || hi >= 2) { /* both as factors, or neither */
		snprintf(out, size, "x%.3g .. x%.3g", lo, hi);
		return out;
	}
	number_change(lo, a, sizeof a);
	*strchrnul(a, ' ') = 0; /* one % is enough */
	snprintf(out, size, "%s .. %s", a, number_change(hi, b, sizeof b));
	return out;
}

char *number_percent(double fraction, char *out, size_t size)
{
	if (!isfinite(fraction))
		snprintf(out, size, "-");
	else
		snprintf(out, size, fraction >= .995 ? "%.0f %%" : "%.1f %%", fraction * 100);
	return out;
}

char *number_p(double p, char *out, size_t size)
{
	char d[NUMBER_MAX];
	if (!isfinite(p))
		snprintf(out, size, "-");
	else if (p >= .9995)
		snprintf(out, size, "1");
	else if (p < .0001)
		snprintf(out, size, "<.0001");
	else {
		snprintf(d, sizeof d, "%.*f", p < .1 ? 4 : 3, p);
		snprintf(out, size, "%s", *d == '0' ? d + 1 : d);
	}
	return out;
}

char *number_duration(uint64_t ms, char *out, size_t size)
{
	unsigned long long s = ms / 1000;
	if (ms < 1000)
		snprintf(out, size, "%u ms", (unsigned)ms);
	else if (ms < 100000)
		snprintf(out, size, "%.1f s", (double)ms / 1000);
	else if (s < 3600)
		snprintf(out, size, "%llu min %02llu s", s / 60, s % 60);
	else
		snprintf(out, size, "%llu h %02llu min", s / 3600, s / 60 % 60);
	return out;
}

char *number_time(uint64_t unix_s, char *out, size_t size)
{
	struct tm tm;
	time_t t = (time_t)unix_s;
	if (!unix_s || unix_s > 253402300799 || !localtime_r(&t, &tm) || !strftime(out, size, "%Y-%m-%d %H:%M", &tm))
		snprintf(out, size, "-");
	return out;
}
