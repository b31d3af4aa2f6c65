/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * import_fio: `fio --output-format=json`: a test a job name, rates in bytes a second by bytes and run time, completion latencies in ns.
 * fio may print notes before the JSON; they are passed over. Percentiles with fewer operations than our own tests ask for are not taken.
 */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "host/import.h"

static double number(const json_t *o, const char *key)
{
	double v = json_number_value(json_object_get(o, key));
	return isfinite(v) && v > 0 ? v : 0;
}

static void add(struct import *im, const char *test, const char *direction, const char *what, const char *unit, enum suite_better better, double v,
                double bytes, double cpu)
{
	char name[PLAN_ID_MAX + 1];
	snprintf(name, sizeof name, "%s%s", direction, what);
	if (!(v > 0))
		return;
	struct import_value *x = import_add(im, 1, "", &(struct import_metric){test, name, unit, better, 0}, v);
	if (x) {
		x->bytes = bytes;
		x->cpu_percent = cpu;
	}
}

static void read_direction(struct import *im, const json_t *job, const char *test, const char *direction)
{
	static const struct {
		const char *key, *what;
		double least; /* operations */
	} percentiles[] = {{"50.000000", "_p50", 6}, {"90.000000", "_p90", 36}, {"99.000000", "_p99", 368}, {"99.900000", "_p999", 3688}};
	const json_t *d = json_object_get(job, direction), *clat = json_object_get(d, "clat_ns");
	double bytes = number(d, "io_bytes"), ms = number(d, "runtime"), ops = number(d, "total_ios");
	double cpu = number(job, "usr_cpu") + number(job, "sys_cpu");
	if (!(bytes > 0) || !(ms > 0))
		return;
	/* %CPU is of the whole job: with both directions it cannot be divided. */
	int both = number(json_object_get(job, "read"), "io_bytes") > 0 && number(json_object_get(job, "write"), "io_bytes") > 0;
	add(im, test, direction, "", "B/s", SUITE_HIGHER, bytes * 1e3 / ms, bytes, both ? NAN : cpu);
	add(im, test, direction, "_ops", "count/s", SUITE_HIGHER, ops * 1e3 / ms, 0, NAN);
	for (size_t i = 0; i < sizeof percentiles / sizeof *percentiles; i++)
		if (ops >= percentiles[i].least)
			add(im, test, direction, percentiles[i].what, "ns", SUITE_LOWER,
			    number(json_object_get(clat, "percentile"), percentiles[i].key), 0, NAN);
}

int import_fio(struct import *im, const char *text, size_t len)
{
	const char *start = text, *end = text + len;
	json_error_t e;
	while (start < end && *start != '{') { /* at the beginning of a line */
		const char *nl = memchr(start, '\n', (size_t)(end - start));
		if (!nl || start - text > 65536)
			return 0;
		start = nl + 1;
	}
	if (start >= end)
		return 0;
	json_t *o = json_loadb(start, (size_t)(end - start), JSON_DISABLE_EOF_CHECK, &e);
	const json_t *jobs = json_object_get(o, "jobs"), *job;
	size_t i;
	if (!o)
		import_skip(im, 0, "JSON, but damaged at line %d: %.100s", e.line, e.text);
	else if (!json_is_array(jobs))
		import_skip(im, 0, "JSON without an array of jobs: only fio's is known here");
	json_array_foreach(jobs, i, job)
	{
		char test[PLAN_ID_MAX + 1] = "fio-", name[PLAN_ID_MAX + 1];
		const char *said = json_string_value(json_object_get(job, "jobname"));
		if (json_number_value(json_object_get(job, "error")) != 0) {
			import_skip(im, 0, "job %zu ended with error %g", i + 1, json_number_value(json_object_get(job, "error")));
			continue;
		}
		snprintf(test + 4, sizeof test - 4, "%.56s", *import_id(said ? said : "", name, sizeof name) ? name : "job");
		read_direction(im, job, test, "read");
		read_direction(im, job, test, "write");
		read_direction(im, job, test, "trim");
	}
	json_decref(o);
	return 1;
}
