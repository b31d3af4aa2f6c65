/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mem-fault: minor faults a second: one word is written into each page of fresh anonymous memory. A control: where this has moved, the machine or the
 * kernel's entry code has (mitigations, page table isolation, a hypervisor), and most else moves with it.
 *
 * After lat_pagefault of lmbench, but anonymous, and pages of the base size alone (mem_room.h): with transparent huge pages one fault does the
 * work of 512. Mapping and unmapping are outside the timer. The metric counts pages; what the kernel counted is a fact (faults=), and is the same
 * unless it maps more than one page a fault.
 * Traps: clearing the page is most of it on a fast CPU; under memory control groups the charge is in it; pages that were freed
 * just before are warm in the cache, hence the warm-up.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "arg.h"
#include "common/clock.h"
#include "common/err.h"
#include "fact.h"
#include "mem_room.h"
#include "phase.h"
#include "sample.h"
#include "suite.h"

enum { BYTES, REPS, WARM };

struct run {
	size_t bytes, page;
	uint64_t ns, faults;
	const char *thp;
};

static uint64_t minor_faults(void)
{
	struct rusage u;

	return getrusage(RUSAGE_SELF, &u) ? 0 : (uint64_t)u.ru_minflt;
}

static void touch(volatile char *p, size_t bytes, size_t page)
{
	for (size_t at = 0; at < bytes; at += page)
		*(volatile size_t *)(p + at) = at + 1;
}

/* A page is given out zeroed, and keeps what is written. The offset of the first that is not so, or bytes. */
static size_t find_bad(const char *p, size_t bytes, size_t page)
{
	const size_t *words;

	for (size_t at = 0; at < bytes; at += page) {
		words = (const size_t *)(p + at);
		if (words[0] != at + 1)
			return at;
		for (size_t i = 1; i < page / sizeof(*words); i++)
			if (words[i])
				return at + i * sizeof(*words);
	}
	return bytes;
}

static int repeat(struct run *r)
{
	char *p = mem_room_map(r->bytes, &r->thp);
	uint64_t faults, start;
	size_t bad;

	if (!p)
		return fact_skip("mmap: %s", strerror(errno));
	faults = minor_faults();
	start = clock_now_ns();
	touch(p, r->bytes, r->page);
	r->ns = clock_now_ns() - start;
	r->faults = minor_faults() - faults;
	bad = find_bad(p, r->bytes, r->page);
	munmap(p, r->bytes);
	if (bad < r->bytes)
		return fact_fail("a fresh page was not zero, or did not keep its word, at offset %zu", bad);
	return 0;
}

int mem_fault(char **argv)
{
	struct arg args[] = {
		[BYTES] = {"bytes", 8388608, 65536, 1ull << 30, NULL, "of fresh memory, a repetition"},
		[REPS] = {"reps", 5, 1, SAMPLES_MAX, NULL, "repetitions that count"},
		[WARM] = {"warm", 1, 0, 8, NULL, "repetitions before, that do not"},
		{0},
	};
	static struct samples set;
	static struct phase phase;
	struct run r = {0};
	int status;

	arg_parse(args, argv);
	r.page = (size_t)sysconf(_SC_PAGESIZE);
	r.bytes = (size_t)args[BYTES].v / r.page * r.page;
	status = mem_room_check(r.bytes);
	for (unsigned rep = 0; !status && rep < args[WARM].v + args[REPS].v; rep++) {
		fact_phase(rep < args[WARM].v ? "warm" : "rep", 60000);
		phase_begin(&phase, "minor", NULL);
		status = repeat(&r);
		phase_end(&phase, !status && rep >= args[WARM].v);
		if (!status && rep >= args[WARM].v)
			sample_add(&set, r.bytes / r.page, r.ns);
	}
	if (status)
		return status;
	fact_str("thp", r.thp);
	fact_u64("pages", r.bytes / r.page);
	fact_u64("faults", r.faults);
	phase_report(&phase, 0);
	sample_report("minor", &set);
	return EXIT_OK;
}
