/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cpu-parallel: how much integer work one process does in a fixed time, and how much two do at the same time. The control for
 * the number of CPUs: with two of them `two` is about twice `one`; under nosmp, or with a scheduler that leaves one idle, it is
 * about the same.
 *
 * The work: chunks (chunk.h), whose result is known, so that a CPU or a kernel that damages registers is seen.
 * Workers wait for a start gun; a bell ends them; the clock is read once at either end. `two` is the chunks of both over
 * the time from the first start to the last end. After the hogs of the fairness probes of the kernel's own scheduler tests.
 * Traps: frequency scaling, turbo and siblings of a core make `two` less than twice `one` on a healthy kernel; a host that
 * is busy shows in a twin. The first repetition warms up, and the arms alternate, so that drift hits both; the primary is the
 * ratio of the two arms of one repetition, in which the speed of the machine at that moment falls out.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arg.h"
#include "bell.h"
#include "chunk.h"
#include "common/clock.h"
#include "common/err.h"
#include "common/io.h"
#include "cpu_books.h"
#include "fact.h"
#include "gun.h"
#include "phase.h"
#include "sample.h"
#include "suite.h"
#include "team.h"

#define WORKERS_MAX 2

struct count {
	uint64_t chunks, start_ns, end_ns;
	uint64_t wrong;
};

struct arm {
	struct gun gun;
	int result[2]; /* a struct count from each worker, in one write */
	unsigned ms;
};

static int work(void *data)
{
	struct arm *a = data;
	struct count c;

	memset(&c, 0, sizeof(c));
	if (gun_worker_wait(&a->gun))
		return EXIT_FAIL;
	c.start_ns = clock_now_ns();
	bell_set(a->ms);
	while (!bell_rung()) {
		c.wrong += chunk_do(1);
		c.chunks++;
	}
	c.end_ns = clock_now_ns();
	bell_stop();
	return io_write_all(a->result[1], &c, sizeof(c)) ? EXIT_FAIL : EXIT_OK;
}

/* Starts, fires and reads the counts. 0 or -errno. */
static int shoot(struct arm *a, struct team *t, unsigned workers, struct count *c)
{
	int err = 0;

	for (unsigned i = 0; i < workers && !err; i++)
		err = team_add(t, work, a);
	if (!err)
		err = gun_wait_ready(&a->gun, workers);
	if (!err)
		err = gun_fire(&a->gun, workers);
	close(a->result[1]);
	a->result[1] = -1;
	for (unsigned i = 0; i < workers && !err; i++) {
		ssize_t n = read(a->result[0], &c[i], sizeof(c[i]));

		if (n != (ssize_t)sizeof(c[i]))
			err = n < 0 ? -errno : -EPIPE;
	}
	return err;
}

static int run_arm(unsigned workers, unsigned ms, struct count *c)
{
	struct team team = {0};
	struct arm a;
	int err;

	a.ms = ms;
	if (pipe(a.result))
		return -errno;
	err = gun_init(&a.gun);
	if (!err)
		err = shoot(&a, &team, workers, c);
	if (err)
		team_end(&team);
	else if (team_join(&team))
		err = -ECHILD;
	gun_close(&a.gun);
	close(a.result[0]);
	if (a.result[1] >= 0)
		close(a.result[1]);
	return err;
}

/* Adds the arm's sample; the smaller of the two shares, in thousandths of the larger, goes to *balance. Wrong chunks. */
static uint64_t sum_up(const struct count *c, unsigned workers, struct samples *set, uint64_t *balance)
{
	uint64_t start = c[0].start_ns, end = c[0].end_ns, chunks = 0, wrong = 0;
	uint64_t least = UINT64_MAX, most = 0;

	for (unsigned i = 0; i < workers; i++) {
		start = c[i].start_ns < start ? c[i].start_ns : start;
		end = c[i].end_ns > end ? c[i].end_ns : end;
		least = c[i].chunks < least ? c[i].chunks : least;
		most = c[i].chunks > most ? c[i].chunks : most;
		chunks += c[i].chunks;
		wrong += c[i].wrong;
	}
	if (set)
		sample_add(set, chunks, end - start);
	*balance = most ? least * 1000u / most : 0;
	return wrong;
}

static int by_size(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* What two do over what one does, in thousandths: the median of the repetitions, each against its neighbour in time. */
static uint64_t speedup_permille(const struct samples *one, const struct samples *two)
{
	uint64_t ratio[SAMPLES_MAX];
	size_t n = one->n < two->n ? one->n : two->n;

	for (size_t i = 0; i < n; i++) {
		/* rates in chunks a 1000 s: no product comes near 64 bits, and 10 chunks a second still give 4 digits */
		uint64_t slow = one->s[i].v * 1000000000u / (one->s[i].ns / 1000u + 1u);
		uint64_t fast = two->s[i].v * 1000000000u / (two->s[i].ns / 1000u + 1u);

		ratio[i] = slow ? fast * 1000u / slow : 0;
	}
	if (!n)
		return 0;
	qsort(ratio, n, sizeof(ratio[0]), by_size);
	return ratio[(n - 1) / 2];
}

enum { TIME_MS, REPS, WARM };

int cpu_parallel(char **argv)
{
	struct arg args[] = {
		[TIME_MS] = {"time_ms", 250, 10, 600000, NULL, "length of one arm of one repetition"},
		[REPS] = {"reps", 3, 1, SAMPLES_MAX, NULL, "repetitions that count"},
		[WARM] = {"warm", 1, 0, 8, NULL, "repetitions before, that do not"},
		{0},
	};
	static const char *const names[WORKERS_MAX] = {"one", "two"};
	static struct samples set[WORKERS_MAX];
	static struct phase phase[WORKERS_MAX];
	struct count c[WORKERS_MAX];
	uint64_t balance = 0, worst = 1000;

	arg_parse(args, argv);
	fact_u64("cpus", cpu_books_cpus());
	fact_u64("cpus_allowed", (uint64_t)sysconf(_SC_NPROCESSORS_ONLN));
	for (unsigned rep = 0; rep < args[WARM].v + args[REPS].v; rep++) {
		fact_phase(rep < args[WARM].v ? "warm" : "rep", 10000 + 20 * args[TIME_MS].v);
		for (unsigned n = 1; n <= WORKERS_MAX; n++) {
			int err;

			phase_begin(&phase[n - 1], names[n - 1], NULL);
			err = run_arm(n, (unsigned)args[TIME_MS].v, c);
			phase_end(&phase[n - 1], !err && rep >= args[WARM].v);
			if (err)
				return fact_fail("%u workers: %s", n, strerror(-err));
			if (sum_up(c, n, rep < args[WARM].v ? NULL : &set[n - 1], &balance))
				return fact_fail("a chunk of work had a wrong result");
		}
		worst = balance < worst ? balance : worst;
	}
	fact_u64("balance_permille", worst);
	for (unsigned n = 0; n < WORKERS_MAX; n++) {
		phase_report(&phase[n], 0);
		sample_report(names[n], &set[n]);
	}
	fact_metric("speedup", speedup_permille(&set[0], &set[1]));
	return EXIT_OK;
}
