/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sched-fair: how the scheduler shares CPUs out: `hogs` equal processes that compute for a fixed time (share, even), and three of different
 * nice values on one CPU (nice).
 *
 *     share  CPU time of the hogs over the CPU time that there was for them, in thousandths: what something else takes away lowers it
 *     even   work of the one that did least over that of the one that did most
 *     nice   how near the ratios of work between neighbours 5 apart come to 1.25^5, what Linux promises since 2.6.23; the worse one
 *
 * hog=one puts one more process beside them, bound to the first CPU; under hog=idle it is SCHED_IDLE, and may take next to nothing. What it
 * took of all work is hog_permille=. After the kernel's own weight table (sched_prio_to_weight: 3121, 1024, 335) and Jain's index.
 * Traps: all stop at the same time, by an interval timer each, whenever they got to run first; processes that outnumber the CPUs unevenly cannot be
 * shared evenly by a scheduler that does not move them (3 on 2 CPUs); nice -5 needs root, without it 0, 5 and 10 stand in; without
 * sched_setaffinity (2.4) nice is measured on one CPU alone. CPU time is sampled by the tick on old kernels.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "arg.h"
#include "background.h"
#include "bell.h"
#include "chunk.h"
#include "common/clock.h"
#include "common/err.h"
#include "common/io.h"
#include "fact.h"
#include "fair.h"
#include "gun.h"
#include "own.h"
#include "phase.h"
#include "sample.h"
#include "suite.h"
#include "team.h"

#define HOGS_MAX 64
#define NICES 3
#define NICE_STEP 5
#define NICE_RATIO 3052 /* 1.25^5, in thousandths */

enum { HOGS, TIME_MS, REPS, WARM, HOG };

struct count {
	unsigned me;
	uint64_t chunks, wrong, cpu_us, end_ns;
};

struct crew {
	/* given */
	unsigned n, ms;
	int bind;           /* all to the first CPU */
	const int *nice;    /* of each, or NULL */
	uint64_t *until_ns; /* shared: when all end, set before the gun is fired */
	/* running */
	unsigned me; /* to be forked */
	struct gun gun;
	int result[2];
	/* result */
	struct count count[HOGS_MAX];
	uint64_t elapsed_ns, hog_units;
};

static uint64_t own_us(void)
{
	struct rusage u;

	if (getrusage(RUSAGE_SELF, &u))
		return 0;
	return (uint64_t)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1000000u + (uint64_t)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

static int work(void *data)
{
	struct crew *crew = data;
	struct count c;
	uint64_t now, us;

	memset(&c, 0, sizeof(c));
	c.me = crew->me;
	if ((crew->bind && own_bind_or_only(0)) || (crew->nice && own_nice(crew->nice[c.me])))
		return EXIT_FAIL;
	if (gun_worker_wait(&crew->gun))
		return EXIT_FAIL;
	us = own_us();
	now = clock_now_ns();
	if (now < *crew->until_ns) {
		bell_set((unsigned)((*crew->until_ns - now) / 1000000u) + 1u);
		while (!bell_rung()) {
			c.wrong += chunk_do(1);
			c.chunks++;
		}
		bell_stop();
	}
	c.end_ns = clock_now_ns();
	c.cpu_us = own_us() - us;
	return io_write_all(crew->result[1], &c, sizeof(c)) ? EXIT_FAIL : EXIT_OK;
}

/* A count from each. 0 or -errno. */
static int collect(struct crew *crew)
{
	for (unsigned i = 0; i < crew->n; i++) {
		struct count c;
		ssize_t n;

		do
			n = read(crew->result[0], &c, sizeof(c));
		while (n < 0 && errno == EINTR);
		if (n != (ssize_t)sizeof(c) || c.me >= crew->n)
			return n < 0 ? -errno : -EPIPE;
		crew->count[c.me] = c;
	}
	return 0;
}

static int shoot(struct crew *crew, struct team *t, const struct background *hog)
{
	uint64_t start = 0, end = 0, units = 0;
	int err = 0;

	for (crew->me = 0; crew->me < crew->n && !err; crew->me++)
		err = team_add(t, work, crew);
	close(crew->result[1]);
	crew->result[1] = -1;
	if (!err)
		err = gun_wait_ready(&crew->gun, crew->n);
	if (!err) {
		units = background_units(hog);
		start = clock_now_ns();
		*crew->until_ns = start + crew->ms * 1000000ull;
		err = gun_fire(&crew->gun, crew->n);
	}
	if (!err)
		err = collect(crew);
	crew->hog_units = background_units(hog) - units;
	for (unsigned i = 0; i < crew->n; i++)
		end = crew->count[i].end_ns > end ? crew->count[i].end_ns : end;
	crew->elapsed_ns = end - start;
	return err;
}

/* 0 or -errno. */
static int run(struct crew *crew, const struct background *hog)
{
	struct team team = {0};
	int err;

	memset(crew->count, 0, sizeof(crew->count));
	if (pipe(crew->result))
		return -errno;
	err = gun_init(&crew->gun);
	if (!err)
		err = shoot(crew, &team, hog);
	if (err)
		team_end(&team);
	else if (team_join(&team))
		err = -ECHILD;
	gun_close(&crew->gun);
	close(crew->result[0]);
	if (crew->result[1] >= 0)
		close(crew->result[1]);
	return err;
}

struct sums {
	uint64_t chunks, cpu_us, wrong, least, most, jain_permille, even_permille;
};

static void sum_up(const struct crew *crew, struct sums *s)
{
	uint64_t share[HOGS_MAX];

	memset(s, 0, sizeof(*s));
	s->least = UINT64_MAX;
	for (unsigned i = 0; i < crew->n; i++) {
		const struct count *c = &crew->count[i];

		share[i] = c->chunks;
		s->chunks += c->chunks;
		s->cpu_us += c->cpu_us;
		s->wrong += c->wrong;
		s->least = c->chunks < s->least ? c->chunks : s->least;
		s->most = c->chunks > s->most ? c->chunks : s->most;
	}
	s->jain_permille = fair_jain_permille(share, crew->n);
	s->even_permille = fair_ratio_permille(share, crew->n);
}

/* One repetition of equal hogs; what counts goes to the sets. Wrong chunks. */
static uint64_t judge_share(const struct crew *crew, unsigned i, struct samples *share, struct samples *even)
{
	unsigned cpus = own_cpus();
	uint64_t there_us = crew->elapsed_ns / 1000u * (crew->n < cpus ? crew->n : cpus);
	struct fact f;
	struct sums s;

	sum_up(crew, &s);
	if (!i)
		return s.wrong;
	sample_add(share, there_us ? s.cpu_us * 1000u / there_us : 0, 1000);
	sample_add(even, s.even_permille, 1000);
	fact_open(&f, "fact");
	kv_out_str(&f.o, "fair", "share");
	kv_out_u64(&f.o, "i", i);
	kv_out_u64(&f.o, "cpu_us", s.cpu_us);
	kv_out_u64(&f.o, "of_us", there_us);
	kv_out_u64(&f.o, "least", s.least);
	kv_out_u64(&f.o, "most", s.most);
	kv_out_u64(&f.o, "jain_permille", s.jain_permille);
	kv_out_u64(&f.o, "hog_permille", s.chunks ? crew->hog_units * 1000u / (s.chunks + crew->hog_units) : 0);
	fact_send(&f);
	return s.wrong;
}

/* got and wanted in thousandths: how near, 1000 at best. */
static uint64_t nearness(uint64_t more, uint64_t less)
{
	uint64_t got = less ? more * 1000u / less : 0;

	if (!got)
		return 0;
	return got > NICE_RATIO ? NICE_RATIO * 1000u / got : got * 1000u / NICE_RATIO;
}

static uint64_t judge_nice(const struct crew *crew, unsigned i, struct samples *set)
{
	uint64_t near = 1000, wrong = 0;
	char chunks[NICES * 21];
	size_t len = 0;
	struct fact f;

	for (unsigned j = 0; j < NICES; j++) {
		wrong += crew->count[j].wrong;
		len += (size_t)snprintf(chunks + len, sizeof(chunks) - len, "%s%llu", j ? "," : "", (unsigned long long)crew->count[j].chunks);
		if (j) {
			uint64_t one = nearness(crew->count[j - 1].chunks, crew->count[j].chunks);

			near = one < near ? one : near;
		}
	}
	if (!i)
		return wrong;
	sample_add(set, near, 1000);
	fact_open(&f, "fact");
	kv_out_str(&f.o, "fair", "nice");
	kv_out_u64(&f.o, "i", i);
	kv_out_str(&f.o, "values", crew->nice[0] < 0 ? "-5,0,5" : "0,5,10");
	kv_out_str(&f.o, "chunks", chunks);
	kv_out_u64(&f.o, "permille", near);
	fact_send(&f);
	return wrong;
}

static int try_nice(void *data)
{
	(void)data;
	return own_bind_or_only(0) ? 2 : own_nice(-NICE_STEP) ? EXIT_FAIL : EXIT_OK;
}

static int try_bind(void *data)
{
	(void)data;
	return own_bind_or_only(0) ? EXIT_FAIL : EXIT_OK;
}

static int child_can(int (*what)(void *data))
{
	struct team team = {0};

	return !team_add(&team, what, NULL) && !team_join(&team);
}

/* The nice values that this process may give, or NULL where it cannot put all on one CPU. */
static const int *find_nices(void)
{
	static const int around[NICES] = {-NICE_STEP, 0, NICE_STEP}, above[NICES] = {0, NICE_STEP, 2 * NICE_STEP};

	if (!child_can(try_bind))
		return NULL;
	return child_can(try_nice) ? around : above;
}

struct results {
	struct samples share, even, nice;
	struct phase share_phase, nice_phase;
};

/* One part of one repetition beside its hog; i is 0 in a warm-up. 0 or the exit status. */
static int part(struct crew *crew, enum hog hog, unsigned i, struct results *r)
{
	static struct background beside;
	struct phase *phase = crew->nice ? &r->nice_phase : &r->share_phase;
	uint64_t wrong;
	int err;

	err = background_hog(&beside, hog);
	if (err)
		return fact_skip("hog=%s: %s", background_hogs[hog], background_hog_lacks(hog, err));
	phase_begin(phase, crew->nice ? "nice" : "share", NULL);
	err = run(crew, &beside);
	phase_end(phase, i && !err);
	background_stop(&beside);
	if (err)
		return fact_fail("%u hogs: %s", crew->n, strerror(-err));
	wrong = crew->nice ? judge_nice(crew, i, &r->nice) : judge_share(crew, i, &r->share, &r->even);
	return wrong ? fact_fail("a chunk of work had a wrong result") : EXIT_OK;
}

static void report_permille(const char *name, const struct samples *set)
{
	uint64_t v = set->n ? sample_median(set).v : 0;

	if (v)
		fact_metric(name, v);
	else
		fact_str("lacks", name);
}

static int run_all(const struct arg *args, struct crew *equal, struct crew *nice)
{
	static struct results r;
	int status = EXIT_OK;

	for (unsigned rep = 0; rep < args[WARM].v + args[REPS].v && !status; rep++) {
		unsigned i = rep < args[WARM].v ? 0 : rep - (unsigned)args[WARM].v + 1;

		fact_phase(i ? "rep" : "warm", 10000 + 20 * args[TIME_MS].v);
		status = part(equal, (enum hog)args[HOG].v, i, &r);
		if (!status && nice->nice)
			status = part(nice, (enum hog)args[HOG].v, i, &r);
	}
	if (status)
		return status;
	phase_report(&r.share_phase, 0);
	phase_report(&r.nice_phase, 0);
	report_permille("share", &r.share);
	report_permille("even", &r.even);
	report_permille("nice", &r.nice);
	return EXIT_OK;
}

int sched_fair(char **argv)
{
	struct arg args[] = {
		[HOGS] = {"hogs", 4, 1, HOGS_MAX, NULL, "equal processes that compute; twice the CPUs is a good number"},
		[TIME_MS] = {"time_ms", 250, 50, 600000, NULL, "length of one part of one repetition"},
		[REPS] = {"reps", 3, 1, SAMPLES_MAX, NULL, "repetitions that count"},
		[WARM] = {"warm", 0, 0, 8, NULL, "repetitions before, that do not"},
		[HOG] = {"hog", 0, 0, 0, background_hogs, "what competes with them on the first CPU"},
		{0},
	};
	static struct crew equal, nice;

	arg_parse(args, argv);
	equal.until_ns = mmap(NULL, sizeof(*equal.until_ns), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (equal.until_ns == MAP_FAILED)
		return fact_fail("mmap: %s", strerror(errno));
	equal.n = (unsigned)args[HOGS].v;
	equal.ms = (unsigned)args[TIME_MS].v;
	nice = equal;
	nice.n = NICES;
	nice.bind = 1;
	nice.nice = find_nices();
	return run_all(args, &equal, &nice);
}
