/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * layout_tiobench: the tables of tiobench 0.3.x. Layouts after what was posted to public lists (tables of 2002 and 2005 stand in the
 * unit test).
 *
 * The trap: a number gets as many digits as its column has room for, so 5.013 and 47.53 stand in the same five.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "host/layout.h"

const char *const layout_tiobench_phases[LAYOUT_TIOBENCH_PHASES] = {"seqread", "randread", "seqwrite", "randwrite"};

static const char *const titles[LAYOUT_TIOBENCH_PHASES] = {"Sequential Reads", "Random Reads", "Sequential Writes", "Random Writes"};

/* As many digits as make `width` characters; a whole number that leaves room keeps its point (`103.`). */
static char *digits(double v, unsigned width, char *out, size_t size)
{
	if (!isfinite(v)) {
		snprintf(out, size, "-");
		return out;
	}
	for (int decimals = (int)width - 2; decimals >= 0; decimals--) {
		snprintf(out, size, "%.*f", decimals, v);
		if (strlen(out) <= width)
			break;
	}
	if (!strchr(out, '.') && strlen(out) < width)
		strcat(out, ".");
	return out;
}

/* Centred as perl's formats do: the odd blank stands on the right. */
static void centre(const char *text, int width, FILE *f)
{
	int spare = width - (int)strlen(text), left = spare > 0 ? spare / 2 : 0;

	fprintf(f, "%*s%s%*s", left, "", text, spare > 0 ? spare - left : 0, "");
}

/* 0 is a size that nobody knows. */
static void centre_u64(uint64_t v, int width, FILE *f)
{
	char text[24];

	if (v)
		snprintf(text, sizeof text, "%" PRIu64, v);
	else
		strcpy(text, "-");
	centre(text, width, f);
}

static void print_number(double v, double scale, int width, int decimals, FILE *f)
{
	if (isfinite(v))
		fprintf(f, " %*.*f", width, decimals, v * scale);
	else
		fprintf(f, " %*s", width, "-");
}

static void print_row(const struct layout_tiobench *t, int p, FILE *f)
{
	double rate = t->rate[p] / 1048576;
	char text[48];

	fprintf(f, "%-28.28s ", t->name);
	centre_u64(t->size_bytes >> 20, 6, f);
	putc(' ', f);
	centre_u64(t->block_bytes, 5, f);
	fprintf(f, " %3u ", t->threads);
	print_number(rate, 1, 6, 2, f);
	fprintf(f, " %5s%%", digits(t->cpu[p], 5, text, sizeof text));
	print_number(t->avg_ns[p], 1e-6, 9, 3, f);
	print_number(t->max_ns[p], 1e-6, 11, 2, f);
	putc(' ', f);
	print_number(t->over_2s[p], 1, 8, 5, f);
	print_number(t->over_10s[p], 1, 8, 5, f);
	print_number(t->cpu[p] > 0 ? rate / (t->cpu[p] / 100) : NAN, 1, 5, 0, f);
	putc('\n', f);
}

void layout_tiobench_print(const struct layout_tiobench *row, size_t n, FILE *f)
{
	fprintf(f, "Unit information\n================\n"
	           "File size = megabytes\nBlk Size  = bytes\nRate      = megabytes per second\n"
	           "CPU%%      = percentage of CPU used during the test\nLatency   = milliseconds\n"
	           "Lat%%      = percent of requests that took longer than X seconds\n"
	           "CPU Eff   = Rate divided by CPU%% - throughput per cpu load\n");
	for (int p = 0; p < LAYOUT_TIOBENCH_PHASES; p++) {
		fprintf(f, "\n%s\n", titles[p]);
		fprintf(f, "%30sFile  Blk   Num                   Avg      Maximum      Lat%%     Lat%%    CPU\n", "");
		fprintf(f, "Identifier                    Size  Size  Thr   Rate  (CPU%%)  Latency    Latency      >2s      >10s    Eff\n");
		fprintf(f, "---------------------------- ------ ----- ---  ------ ------ --------- -----------  -------- -------- -----\n");
		for (size_t i = 0; i < n; i++)
			print_row(&row[i], p, f);
	}
}

void layout_tiobench_short(const struct layout_tiobench *row, size_t n, FILE *f)
{
	char a[48], b[48], threads[12];

	for (size_t i = 0; i < n; i++) {
		const struct layout_tiobench *t = &row[i];

		if (!i || strcmp(t->name, row[i - 1].name)) {
			fprintf(f, "%s%s:\n", i ? "\n" : "", t->name);
			fprintf(f, "         File   Block  Num  Seq Read    Rand Read   Seq Write  Rand Write\n");
			fprintf(f, "  Dir    Size   Size   Thr Rate (CPU%%) Rate (CPU%%) Rate (CPU%%) Rate (CPU%%)\n");
			fprintf(f, "------- ------ ------- --- ----------- ----------- ----------- -----------\n");
		}
		fprintf(f, "   .    ");
		centre_u64(t->size_bytes >> 20, 6, f);
		putc(' ', f);
		centre_u64(t->block_bytes, 7, f);
		putc(' ', f);
		snprintf(threads, sizeof threads, "%u", t->threads);
		centre(threads, 3, f);
		for (int p = 0; p < LAYOUT_TIOBENCH_PHASES; p++)
			fprintf(f, " %5s %4s%%", digits(t->rate[p] / 1048576, 5, a, sizeof a), digits(t->cpu[p], 4, b, sizeof b));
		putc('\n', f);
	}
}
