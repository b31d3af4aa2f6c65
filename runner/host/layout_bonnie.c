/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * layout_bonnie: tables of Bonnie 1.3 and bonnie++. Layouts after what was posted to public lists (a table of 2002 stands in the unit test)
 * and, for bonnie++, after its own output.
 *
 * Traps: the columns stand in another order than the phases run. Bonnie's `--04k (03)-` is seeks / 1000 and the number of seekers.
 * bonnie++ prints +++++ for what took less than half a second, since it timed with a clock that could not; here the number stands.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "host/layout.h"

const char *const layout_bonnie_phases[LAYOUT_BONNIE_PHASES] = {"putc", "write", "rewrite", "getc", "read", "seek"};

static long kib(double rate) { return lround(rate / 1024); }

static int same_way(const struct layout_bonnie *a, const struct layout_bonnie *b)
{
	return a->sync == b->sync && a->unlocked == b->unlocked && a->seeks == b->seeks && a->seekers == b->seekers;
}

static void print_head(const struct layout_bonnie *b, FILE *f)
{
	const char *chars = b->unlocked < 0 ? "---Char---" : b->unlocked ? "-CharUnlk-" : "-Per Char-";
	const char *sync = b->sync < 0 ? "-----------" : b->sync ? "(sync)-----" : "(nosync)---";

	fprintf(f, "%14s---Sequential Output %s ---Sequential Input-- --Rnd Seek-\n", "", sync);
	fprintf(f, "%14s%s --Block--- -Rewrite-- %s --Block--- ", "", chars, chars);
	if (b->seekers)
		fprintf(f, "--%02" PRIu64 "k (%02" PRIu64 ")-\n", b->seeks / 1000, b->seekers);
	else
		fprintf(f, "---Seeks---\n");
	fprintf(f, "Machine    MB K/sec %%CPU K/sec %%CPU K/sec %%CPU K/sec %%CPU K/sec %%CPU   /sec %%CPU\n");
}

static void print_cpu(double cpu, FILE *f)
{
	if (isfinite(cpu))
		fprintf(f, " %4.1f", cpu);
	else
		fprintf(f, " %4s", "-");
}

void layout_bonnie_print(const struct layout_bonnie *row, size_t n, FILE *f)
{
	for (size_t i = 0; i < n; i++) {
		const struct layout_bonnie *b = &row[i];

		if (!i || !same_way(b, b - 1))
			print_head(b, f);
		if (b->size_bytes)
			fprintf(f, "%-6.6s 1*%4" PRIu64, b->name, b->size_bytes >> 20);
		else
			fprintf(f, "%-6.6s 1*%4s", b->name, "-");
		for (int p = 0; p < LAYOUT_BONNIE_PHASES; p++) {
			if (!isfinite(b->rate[p]))
				fprintf(f, " %*s", p == LAYOUT_SEEK ? 6 : 5, "-");
			else if (p == LAYOUT_SEEK)
				fprintf(f, " %6.1f", b->rate[p]);
			else
				fprintf(f, " %5ld", kib(b->rate[p]));
			print_cpu(b->cpu[p], f);
		}
		putc('\n', f);
	}
}

/* 12G, 1500M, 300000K; "-" where it is unknown */
static void size_text(uint64_t bytes, char *out, size_t size)
{
	uint64_t mib = bytes >> 20;

	if (!bytes)
		snprintf(out, size, "-");
	else if (bytes % (1 << 20))
		snprintf(out, size, "%" PRIu64 "K", bytes >> 10);
	else if (!(mib % 1024))
		snprintf(out, size, "%" PRIu64 "G", mib / 1024);
	else
		snprintf(out, size, "%" PRIu64 "M", mib);
}

/* A rate in 5 columns and its CPU in 3; what a long rate takes more, the CPU has less. */
static void print_pair(const char *rate, double cpu, FILE *f)
{
	int more = (int)strlen(rate) - 5;
	int width = more <= 0 ? 3 : more > 2 ? 1 : 3 - more;

	fprintf(f, " %5s", rate);
	if (isfinite(cpu))
		fprintf(f, " %*d", width, (int)cpu);
	else
		fprintf(f, " %*s", width, "-");
}

static void rate_text(const struct layout_bonnie *b, int phase, const char *unknown, char *out, size_t size)
{
	if (!isfinite(b->rate[phase]))
		snprintf(out, size, "%s", unknown);
	else if (phase != LAYOUT_SEEK)
		snprintf(out, size, "%ld", kib(b->rate[phase]));
	else
		snprintf(out, size, b->rate[phase] < 999.95 ? "%.1f" : "%.0f", b->rate[phase]);
}

void layout_bonnie_plus_print(const struct layout_bonnie *row, size_t n, FILE *f)
{
	char size[24], rate[32];

	if (n) {
		fprintf(f, "Version  1.03       ------Sequential Output------ --Sequential Input- --Random-\n");
		fprintf(f, "                    -Per Chr- --Block-- -Rewrite- -Per Chr- --Block-- --Seeks--\n");
		fprintf(f, "Machine        Size K/sec %%CP K/sec %%CP K/sec %%CP K/sec %%CP K/sec %%CP  /sec %%CP\n");
	}
	for (size_t i = 0; i < n; i++) {
		int room;

		size_text(row[i].size_bytes, size, sizeof size);
		room = 18 - (int)strlen(size);
		fprintf(f, "%-*.*s %s", room, room, row[i].name, size);
		for (int p = 0; p < LAYOUT_BONNIE_PHASES; p++) {
			rate_text(&row[i], p, "-", rate, sizeof rate);
			print_pair(rate, row[i].cpu[p], f);
		}
		putc('\n', f);
	}
}

static void print_known(uint64_t v, FILE *f)
{
	if (v)
		fprintf(f, "%" PRIu64, v);
}

/*
 * format, program, name, concurrency, seed, size, chunk, seeks, seekers, six pairs; then 17 fields of the file tests and 12 latencies,
 * all empty. A comma in a name would be a column.
 */
void layout_bonnie_plus_csv(const struct layout_bonnie *row, size_t n, FILE *f)
{
	char text[32];

	for (size_t i = 0; i < n; i++) {
		const struct layout_bonnie *b = &row[i];

		fprintf(f, "1.98,2.00a,");
		for (const char *c = b->name; *c; c++)
			putc(*c == ',' ? '_' : *c, f);
		size_text(b->size_bytes, text, sizeof text);
		fprintf(f, ",1,%" PRIu64 ",%s,", b->seed, b->size_bytes ? text : "");
		print_known(b->chunk_bytes, f);
		putc(',', f);
		print_known(b->seeks, f);
		putc(',', f);
		print_known(b->seekers, f);
		for (int p = 0; p < LAYOUT_BONNIE_PHASES; p++) {
			rate_text(b, p, "", text, sizeof text);
			fprintf(f, ",%s,", text);
			if (isfinite(b->cpu[p]))
				fprintf(f, "%d", (int)b->cpu[p]);
		}
		for (int empty = 0; empty < 17 + 12; empty++)
			putc(',', f);
		putc('\n', f);
	}
}
