/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * counters: a table of numbers, where each comes from and under which name it is said.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>

#include "common/io.h"
#include "counters.h"
#include "fact_line.h"

#define FILE_BYTES_MAX (1u << 20)

enum group { OWN, MACHINE, PSI, GROUPS };

static const char *const groups[GROUPS] = {"own", "machine", "psi"};

static const struct {
	enum group group;
	const char *key;
} table[COUNTERS] = {
	[OWN_SYS_US] = {OWN, "sys_us"},
	[OWN_MINOR] = {OWN, "minor"},
	[OWN_MAJOR] = {OWN, "major"},
	[OWN_VOLUNTARY] = {OWN, "switches"},
	[OWN_FORCED] = {OWN, "forced"},
	[OWN_RUN_NS] = {OWN, "run_ns"},
	[OWN_WAIT_NS] = {OWN, "wait_ns"},
	[OWN_SLICES] = {OWN, "slices"},
	[ALL_SWITCHES] = {MACHINE, "switches"},
	[ALL_FORKS] = {MACHINE, "forks"},
	[ALL_FAULTS] = {MACHINE, "faults"},
	[ALL_MAJOR] = {MACHINE, "major"},
	[ALL_RUN_NS] = {MACHINE, "run_ns"},
	[ALL_WAIT_NS] = {MACHINE, "wait_ns"},
	[ALL_SLICES] = {MACHINE, "slices"},
	[PSI_CPU] = {PSI, "cpu_us"},
	[PSI_IO] = {PSI, "io_us"},
	[PSI_IO_FULL] = {PSI, "io_full_us"},
	[PSI_MEMORY] = {PSI, "memory_us"},
	[PSI_MEMORY_FULL] = {PSI, "memory_full_us"},
};

static void set(struct counters *c, enum counter which, uint64_t v)
{
	c->v[which] = v;
	c->known |= 1u << which;
}

/* The number behind `name ` at the start of a line. */
static void take(const char *text, const char *name, struct counters *c, enum counter which)
{
	size_t len = strlen(name);

	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (!strncmp(line, name, len) && line[len] == ' ' && line[len + 1] >= '0' && line[len + 1] <= '9') {
			set(c, which, strtoull(line + len + 1, NULL, 10));
			return;
		}
	}
}

void counters_parse_stat(const char *text, struct counters *c)
{
	take(text, "ctxt", c, ALL_SWITCHES);
	take(text, "processes", c, ALL_FORKS);
}

void counters_parse_vmstat(const char *text, struct counters *c)
{
	take(text, "pgfault", c, ALL_FAULTS);
	take(text, "pgmajfault", c, ALL_MAJOR);
}

/* The last three numbers of a line; 0, or -1 where there are fewer. */
static int last_three(const char *line, uint64_t v[3])
{
	const char *end = line + strcspn(line, "\n"), *p = line + strcspn(line, " \n");
	unsigned n = 0;

	while (p < end) {
		char *next;
		uint64_t x = strtoull(p, &next, 10);

		if (next == p || next > end)
			break;
		v[0] = v[1];
		v[1] = v[2];
		v[2] = x;
		n++;
		p = next;
	}
	return n >= 3 ? 0 : -1;
}

void counters_parse_schedstat(const char *text, struct counters *c)
{
	uint64_t sum[3] = {0}, v[3] = {0};
	unsigned cpus = 0;

	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, "cpu", 3) || line[3] < '0' || line[3] > '9' || last_three(line, v))
			continue;
		for (int i = 0; i < 3; i++)
			sum[i] += v[i];
		cpus++;
	}
	if (!cpus || !sum[2])
		return; /* not counted */
	set(c, ALL_RUN_NS, sum[0]);
	set(c, ALL_WAIT_NS, sum[1]);
	set(c, ALL_SLICES, sum[2]);
}

void counters_parse_own(const char *text, struct counters *c)
{
	char *end;
	uint64_t run = strtoull(text, &end, 10), wait, slices;

	if (end == text || *end != ' ')
		return;
	text = end;
	wait = strtoull(text, &end, 10);
	if (end == text || *end != ' ')
		return;
	text = end;
	slices = strtoull(text, &end, 10);
	if (end == text || !slices)
		return;
	set(c, OWN_RUN_NS, run);
	set(c, OWN_WAIT_NS, wait);
	set(c, OWN_SLICES, slices);
}

void counters_parse_pressure(const char *text, enum counter some, enum counter full, struct counters *c)
{
	for (const char *line = text; line; line = strchr(line, '\n')) {
		enum counter which = COUNTERS;
		const char *total;

		line += *line == '\n';
		if (!strncmp(line, "some ", 5))
			which = some;
		else if (!strncmp(line, "full ", 5))
			which = full;
		total = strstr(line, " total=");
		if (which != COUNTERS && total && total < line + strcspn(line, "\n"))
			set(c, which, strtoull(total + 7, NULL, 10));
	}
}

/* Is this kernel at least a.b.c? */
static int kernel_is(unsigned a, unsigned b, unsigned c)
{
	unsigned x = 0, y = 0, z = 0;
	struct utsname u;

	if (uname(&u) || sscanf(u.release, "%u.%u.%u", &x, &y, &z) < 2)
		return 0;
	return x != a ? x > a : y != b ? y > b : z >= c;
}

void counters_read_usage(struct counters *c)
{
	uint64_t us = 0, minor = 0, major = 0, voluntary = 0, forced = 0;

	for (int i = 0; i < 2; i++) {
		struct rusage u;

		if (getrusage(i ? RUSAGE_CHILDREN : RUSAGE_SELF, &u))
			return;
		us += (uint64_t)u.ru_stime.tv_sec * 1000000u + (uint64_t)u.ru_stime.tv_usec;
		minor += (uint64_t)u.ru_minflt;
		major += (uint64_t)u.ru_majflt;
		voluntary += (uint64_t)u.ru_nvcsw;
		forced += (uint64_t)u.ru_nivcsw;
	}
	set(c, OWN_SYS_US, us);
	set(c, OWN_MINOR, minor);
	set(c, OWN_MAJOR, major);
	if (!kernel_is(2, 6, 0))
		return;
	set(c, OWN_VOLUNTARY, voluntary);
	set(c, OWN_FORCED, forced);
}

/* Whole, however long; the caller frees it. NULL where there is no such file. */
static char *text_of(const char *path)
{
	char *text;
	size_t len;

	return io_read_file(path, FILE_BYTES_MAX, &text, &len) ? NULL : text;
}

void counters_read(struct counters *c, const char *stat)
{
	static const struct {
		const char *path;
		enum counter some, full;
	} pressure[] = {
		{"/proc/pressure/cpu", PSI_CPU, COUNTERS}, /* `full` means nothing for the whole machine */
		{"/proc/pressure/io", PSI_IO, PSI_IO_FULL},
		{"/proc/pressure/memory", PSI_MEMORY, PSI_MEMORY_FULL},
	};
	char small[256], *text;

	if (stat)
		counters_parse_stat(stat, c);
	for (size_t i = 0; i < sizeof(pressure) / sizeof(pressure[0]); i++)
		if (io_read_small(pressure[i].path, small, sizeof(small)) > 0)
			counters_parse_pressure(small, pressure[i].some, pressure[i].full, c);
	text = text_of("/proc/vmstat");
	if (text)
		counters_parse_vmstat(text, c);
	free(text);
	if (!kernel_is(2, 6, 23))
		return;
	if (io_read_small("/proc/self/schedstat", small, sizeof(small)) > 0)
		counters_parse_own(small, c);
	text = text_of("/proc/schedstat");
	if (text)
		counters_parse_schedstat(text, c);
	free(text);
}

void counters_add(struct counters *sum, const struct counters *before, const struct counters *after)
{
	uint32_t known = before->known & after->known;

	for (unsigned i = 0; i < COUNTERS; i++)
		if (known & 1u << i && after->v[i] > before->v[i])
			sum->v[i] += after->v[i] - before->v[i];
	sum->known |= known;
}

void counters_report(const char *name, const struct counters *sum)
{
	struct fact_line l;

	for (enum group g = OWN; g < GROUPS; g++) {
		fact_line_open(&l, groups[g], name);
		for (unsigned i = 0; i < COUNTERS; i++)
			if (table[i].group == g && sum->known & 1u << i)
				fact_line_u64(&l, table[i].key, sum->v[i]);
		fact_line_send(&l);
	}
}
