/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mem-copy: memcpy and memset over buffers that are larger than the caches. A control: no system call is in the timer, so where this has moved, the
 * machine has (memory clock, a neighbour, an emulator), or the kernel's page placement.
 *
 * After bw_mem of lmbench. Bytes are those that were copied, not read plus written. The code is the C library's that is linked in (musl), so it
 * is the same on all kernels; the copy is compared with its source after the timer, and the fill is looked through.
 * Traps: a buffer that fits the last cache measures that cache: bytes= is a parameter, and a box with more cache wants more; page colouring and the
 * placement of pages differ from boot to boot.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "arg.h"
#include "common/clock.h"
#include "common/err.h"
#include "fact.h"
#include "mem_room.h"
#include "pattern.h"
#include "sample.h"
#include "suite.h"

#define PASSES_MAX 10000

enum { BYTES, PASSES, REPS, WARM };

struct state {
	char *from, *to;
	size_t bytes;
	unsigned passes;
	struct samples copy, fill;
	const char *thp;
};

/* What the compiler must not see through. */
static void hide(void *p) { __asm__ volatile("" : : "r"(p) : "memory"); }

static int fill_source(struct state *s)
{
	struct pattern noise;

	if (pattern_init(&noise, 1, PATTERN_PERIOD))
		return fact_skip("no memory");
	for (size_t at = 0; at < s->bytes; at += PATTERN_PERIOD)
		memcpy(s->from + at, pattern_at(&noise, at, PATTERN_PERIOD, 0), PATTERN_PERIOD);
	pattern_free(&noise);
	return 0;
}

static int find_other(const char *p, int value, size_t bytes, size_t *at)
{
	for (*at = 0; *at < bytes; ++*at)
		if (p[*at] != (char)value)
			return 1;
	return 0;
}

static size_t find_difference(const struct state *s)
{
	size_t at = 0;

	while (at < s->bytes && s->from[at] == s->to[at])
		at++;
	return at;
}

static int repeat(struct state *s, int counts, int value)
{
	uint64_t start = clock_now_ns(), middle, end;
	size_t at;

	for (unsigned i = 0; i < s->passes; i++) {
		memset(s->to, value, s->bytes);
		hide(s->to);
	}
	middle = clock_now_ns();
	if (find_other(s->to, value, s->bytes, &at))
		return fact_fail("a wrong byte after the fill, at offset %zu", at);
	if (counts)
		sample_add(&s->fill, (uint64_t)s->bytes * s->passes, middle - start);
	start = clock_now_ns();
	for (unsigned i = 0; i < s->passes; i++) {
		memcpy(s->to, s->from, s->bytes);
		hide(s->to);
	}
	end = clock_now_ns();
	if (memcmp(s->to, s->from, s->bytes))
		return fact_fail("a wrong byte after the copy, at offset %zu", find_difference(s));
	if (counts)
		sample_add(&s->copy, (uint64_t)s->bytes * s->passes, end - start);
	return 0;
}

int mem_copy(char **argv)
{
	struct arg args[] = {
		[BYTES] = {"bytes", 8388608, PATTERN_PERIOD, 1ull << 30, NULL, "of the buffer (there are two), a multiple of 65536"},
		[PASSES] = {"passes", 2, 1, PASSES_MAX, NULL, "over the buffer, a repetition"},
		[REPS] = {"reps", 5, 1, SAMPLES_MAX, NULL, "repetitions that count"},
		[WARM] = {"warm", 1, 0, 8, NULL, "repetitions before, that do not"},
		{0},
	};
	static struct state s;
	int status;

	arg_parse(args, argv);
	if (args[BYTES].v % PATTERN_PERIOD)
		err_usage("bytes: wanted a multiple of %d", PATTERN_PERIOD);
	s.bytes = (size_t)args[BYTES].v;
	s.passes = (unsigned)args[PASSES].v;
	status = mem_room_check(2 * (uint64_t)s.bytes);
	if (status)
		return status;
	fact_phase("fill", 60000);
	s.from = mem_room_map(s.bytes, &s.thp);
	s.to = mem_room_map(s.bytes, &s.thp);
	if (!s.from || !s.to)
		return fact_skip("mmap: %s", strerror(errno));
	status = fill_source(&s);
	for (unsigned rep = 0; !status && rep < args[WARM].v + args[REPS].v; rep++) {
		fact_phase(rep < args[WARM].v ? "warm" : "rep", 60000);
		status = repeat(&s, rep >= args[WARM].v, (int)(rep % 255 + 1));
	}
	if (status)
		return status;
	fact_str("thp", s.thp);
	sample_report("copy", &s.copy);
	sample_report("fill", &s.fill);
	return EXIT_OK;
}
