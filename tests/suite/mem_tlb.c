/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mem-tlb: time of a load that depends on the one before it, one word a page: `near` in few pages, which the TLB holds, `far` in many, so that each load walks
 * the page table. A control: `near` is the machine's alone; `far` moves with page size, with nested paging, with page table isolation (which
 * flushes) and with what a hypervisor does.
 *
 * After lat_mem_rd of lmbench (the stride is a page, the order random; chase.h). Pages are of the base size and were touched before. Repetitions of both
 * alternate, so that drift hits both.
 * Traps: the words of far_pages are far_pages cache lines: 4096 of them are 256 KiB, which a first-level cache does not hold, so `far` is TLB and
 * second-level cache; an emulator has a TLB of its own, and `far` tells about that one.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "arg.h"
#include "chase.h"
#include "common/clock.h"
#include "common/err.h"
#include "fact.h"
#include "mem_room.h"
#include "sample.h"
#include "suite.h"

enum { NEAR_PAGES, FAR_PAGES, STEPS, REPS, WARM };
enum { NEAR, FAR, SIZES };
static const char *const names[SIZES] = {"near", "far"};

struct ring {
	char *base;
	size_t pages;
	void **first;
	struct samples set;
};

static int repeat(struct ring *r, size_t rounds, int counts, const char *name)
{
	uint64_t start = clock_now_ns(), ns;
	size_t steps = rounds * r->pages;
	void **at = chase_run(r->first, steps);

	ns = clock_now_ns() - start;
	if (at != r->first)
		return fact_fail("%s: %zu steps round a ring of %zu ended elsewhere", name, steps, r->pages);
	if (counts)
		sample_add(&r->set, steps, ns);
	return 0;
}

/* Picoseconds an access: v / ns is at most some 10 a ns, and ns below 2^44. */
static void report(const char *name, const struct samples *set)
{
	struct sample m = sample_median(set);

	sample_list(name, set);
	fact_metric(name, m.v ? m.ns * 1000u / m.v + !(m.ns * 1000u / m.v) : 0);
}

int mem_tlb(char **argv)
{
	struct arg args[] = {
		[NEAR_PAGES] = {"near_pages", 16, 2, 64, NULL, "pages that the TLB holds"},
		[FAR_PAGES] = {"far_pages", 4096, 65, 1u << 18, NULL, "pages that it does not"},
		[STEPS] = {"steps", 1000000, 1000, 1000000000, NULL, "loads of a repetition, rounded to whole rounds"},
		[REPS] = {"reps", 5, 1, SAMPLES_MAX, NULL, "repetitions that count"},
		[WARM] = {"warm", 1, 0, 8, NULL, "repetitions before, that do not"},
		{0},
	};
	static struct ring ring[SIZES];
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	const char *thp = "none";
	int status;

	arg_parse(args, argv);
	ring[NEAR].pages = (size_t)args[NEAR_PAGES].v;
	ring[FAR].pages = (size_t)args[FAR_PAGES].v;
	status = mem_room_check((args[NEAR_PAGES].v + args[FAR_PAGES].v) * page);
	if (status)
		return status;
	for (int i = 0; i < SIZES; i++) {
		ring[i].base = mem_room_map(ring[i].pages * page, &thp);
		if (!ring[i].base)
			return fact_skip("mmap: %s", strerror(errno));
		ring[i].first = chase_lay(ring[i].base, ring[i].pages, page);
	}
	for (unsigned rep = 0; !status && rep < args[WARM].v + args[REPS].v; rep++) {
		fact_phase(rep < args[WARM].v ? "warm" : "rep", 60000);
		for (int i = 0; !status && i < SIZES; i++)
			status = repeat(&ring[i], ((size_t)args[STEPS].v + ring[i].pages - 1) / ring[i].pages, rep >= args[WARM].v, names[i]);
	}
	if (status)
		return status;
	fact_str("thp", thp);
	fact_u64("page_bytes", page);
	for (int i = 0; i < SIZES; i++)
		report(names[i], &ring[i].set);
	return EXIT_OK;
}
