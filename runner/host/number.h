/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * number: quantities for people. Machine output stays in base units (B/s, ns, counts); only text for a person gets a prefix, and a rate of
 * bytes always a binary one (KiB/s), so that MB is never ambiguous. All write a NUL-terminated ASCII string and return out.
 */
#ifndef KD_NUMBER_H
#define KD_NUMBER_H

#include <stddef.h>
#include <stdint.h>

#define NUMBER_MAX 48

/* A value in a descriptor's unit (B/s, B, ns, count, count/s, X/s, ratio, anything): `7.31 MiB/s`, `12.4 ms`, `981 /s`. "-" for NAN. */
char *number_human(double v, const char *unit, char *out, size_t size);
/* A ratio as a change: 1.12 -> "+12.0 %", 3.1 -> "x3.10", .3 -> "x0.300". "-" for NAN. */
char *number_change(double ratio, char *out, size_t size);
/* Two ratios as an interval of changes: `+9.8 .. +14.1 %`, from a factor of two on `x0.9 .. x2.3`. "-" for NAN. size: 2 * NUMBER_MAX. */
char *number_interval(double lo, double hi, char *out, size_t size);
/* A fraction: .036 -> "3.6 %". "-" for NAN. */
char *number_percent(double fraction, char *out, size_t size);
/* p values: .0022, <.0001, 1. "-" for NAN. */
char *number_p(double p, char *out, size_t size);
/* Milliseconds of a human's time: 830 ms, 12.3 s, 4 min 05 s, 3 h 20 min. */
char *number_duration(uint64_t ms, char *out, size_t size);
/* `2026-01-31 14:05` in local time; "-" for 0. */
char *number_time(uint64_t unix_s, char *out, size_t size);

#endif
