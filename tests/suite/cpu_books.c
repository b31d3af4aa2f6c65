/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cpu_books: getrusage and /proc/stat.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "common/io.h"
#include "cpu_books.h"
#include "fact_line.h"

enum { USER, NICE, SYSTEM, IDLE, IOWAIT, IRQ, SOFTIRQ, STEAL };

#define STAT_BYTES 16384 /* the cpu lines stand first; 100 bytes a CPU */
#define TICK_US 10000u

static uint64_t usage_us(int who)
{
	struct rusage u;

	if (getrusage(who, &u))
		return 0;
	return (uint64_t)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1000000u + (uint64_t)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

unsigned cpu_books_parse(const char *text, uint64_t *ticks)
{
	unsigned n = 0;

	memset(ticks, 0, CPU_BOOKS_COLUMNS * sizeof(*ticks));
	if (strncmp(text, "cpu ", 4))
		return 0;
	text += 4;
	while (n < CPU_BOOKS_COLUMNS) {
		char *end;

		while (*text == ' ')
			text++;
		if (*text < '0' || *text > '9')
			break;
		ticks[n++] = strtoull(text, &end, 10);
		text = end;
	}
	return n;
}

void cpu_books_take(struct cpu_books *b, const char *stat)
{
	memset(b, 0, sizeof(*b));
	b->self_us = usage_us(RUSAGE_SELF) + usage_us(RUSAGE_CHILDREN);
	if (stat)
		b->columns = cpu_books_parse(stat, b->ticks);
}

void cpu_books_read(struct cpu_books *b)
{
	char text[512];

	cpu_books_take(b, io_read_small("/proc/stat", text, sizeof(text)) > 0 ? text : NULL);
}

void cpu_books_add(struct cpu_books *sum, const struct cpu_books *before, const struct cpu_books *after)
{
	sum->self_us += after->self_us - before->self_us;
	sum->columns = after->columns;
	for (unsigned i = 0; i < after->columns; i++)
		if (after->ticks[i] > before->ticks[i])
			sum->ticks[i] += after->ticks[i] - before->ticks[i];
}

void cpu_books_report(const char *name, const struct cpu_books *sum)
{
	const uint64_t *t = sum->ticks;
	struct fact_line l;

	fact_line_open(&l, "cpu", name);
	fact_line_u64(&l, "self_us", sum->self_us);
	if (sum->columns > IDLE) {
		fact_line_u64(&l, "busy_us", (t[USER] + t[NICE] + t[SYSTEM] + t[IRQ] + t[SOFTIRQ] + t[STEAL]) * TICK_US);
		fact_line_u64(&l, "sys_us", t[SYSTEM] * TICK_US);
		fact_line_u64(&l, "idle_us", t[IDLE] * TICK_US);
	}
	if (sum->columns > SOFTIRQ) {
		fact_line_u64(&l, "irq_us", (t[IRQ] + t[SOFTIRQ]) * TICK_US);
		fact_line_u64(&l, "iowait_us", t[IOWAIT] * TICK_US);
	}
	fact_line_send(&l);
}

unsigned cpu_books_cpus(void)
{
	char *text = malloc(STAT_BYTES);
	unsigned n = 0;

	if (!text)
		return 0;
	if (io_read_small("/proc/stat", text, STAT_BYTES) > 0)
		for (char *line = text; line; line = strchr(line, '\n')) {
			line += *line == '\n';
			if (!strncmp(line, "cpu", 3) && line[3] >= '0' && line[3] <= '9')
				n++;
		}
	free(text);
	return n;
}
