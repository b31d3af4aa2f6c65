/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sched-thief: does work that waits for other work get the CPU when it has become ready? A worker that alternates blocking reads with
 * computation, fed through a pipe by a process that does I/O: one of the two is always ready, so that on an otherwise idle machine both
 * together are as fast as one process that does all of it (the arm `alone`, the same calls in the same order, none of which blocks).
 *
 *     stretch  elapsed over CPU time (user and system of both) in the alternating arm, against the same in the arm alone, thousandths
 *
 * The fault that it looks for is that of the idle task in 2.5.2-pre, which competed as an ordinary process with those that had just been woken: elapsed up,
 * system CPU flat, idle up. So each arm says `fact thief=ARM rounds= elapsed_us= user_us= sys_us= idle_permille=` (idle_permille: of all CPUs, by
 * /proc/stat). A slower CPU or a dearer system call raises elapsed and CPU time alike and leaves stretch as it is.
 * Traps: a healthy kernel is a little above 1000, by what an idle CPU needs to get up; whatever else runs raises it too, and then idle does not.
 * lag_us is for proving the test: the feeder sleeps that long before each answer, which is what the fault looks like from outside.
 */
#include <errno.h>
#include <string.h>
#include <sys/resource.h>
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
#include "timer.h"

#define IO_BYTES 4096

enum { TIME_MS, REPS, WARM, WORK_CHUNKS, IO_KB, LAG_US };
enum { ALONE, FED, ARMS };
static const char *const arm_names[ARMS] = {"alone", "fed"};

struct count {
	uint64_t rounds, wrong, elapsed_us, user_us, sys_us;
};

struct thief {
	/* given */
	uint64_t work_chunks, io_kb, lag_us;
	unsigned ms;
	/* running */
	struct gun gun;
	int ask[2], give[2]; /* a byte, a round's number */
	int result[2];       /* a struct count from each process */
};

static void shut(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static int take(int fd, void *data, size_t len)
{
	ssize_t n;

	do
		n = read(fd, data, len);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	return n == (ssize_t)len ? 0 : -EPIPE;
}

static void add_usage(struct count *c, int sign)
{
	struct rusage u;
	uint64_t user, sys;

	if (getrusage(RUSAGE_SELF, &u))
		return;
	user = (uint64_t)u.ru_utime.tv_sec * 1000000u + (uint64_t)u.ru_utime.tv_usec;
	sys = (uint64_t)u.ru_stime.tv_sec * 1000000u + (uint64_t)u.ru_stime.tv_usec;
	c->user_us += sign > 0 ? user : -user; /* unsigned: the first one wraps, the second comes back */
	c->sys_us += sign > 0 ? sys : -sys;
}

/* System calls that move data and never block: a page into a pipe and out of it. */
static int do_io(const int *pipe_fd, uint64_t kb)
{
	static char page[IO_BYTES];
	int err = 0;

	for (uint64_t i = 0; i < kb * 1024u / IO_BYTES && !err; i++) {
		err = io_write_all(pipe_fd[1], page, sizeof(page));
		if (!err)
			err = take(pipe_fd[0], page, sizeof(page));
	}
	return err;
}

/* What the feeder does for a round: hears, does its I/O, answers. */
static int feed(const struct thief *t, const int *io, uint64_t lag_us, uint32_t i)
{
	char c;
	int err = take(t->ask[0], &c, 1);

	if (!err)
		err = do_io(io, t->io_kb);
	if (!err && lag_us)
		timer_sleep_until(clock_now_ns() + lag_us * 1000u);
	return err ? err : io_write_all(t->give[1], &i, sizeof(i));
}

static int hear(const struct thief *t, struct count *c, uint32_t i)
{
	uint32_t got = 0;
	int err = take(t->give[0], &got, sizeof(got));

	if (!err && got != i)
		err = -EILSEQ;
	if (!err)
		c->wrong += chunk_do(t->work_chunks);
	return err;
}

static int run_feeder(void *data)
{
	struct thief *t = data;
	struct count c;
	int io[2];

	memset(&c, 0, sizeof(c));
	shut(&t->ask[1]);
	shut(&t->give[0]);
	shut(&t->result[0]);
	if (pipe(io) || gun_worker_wait(&t->gun))
		return EXIT_FAIL;
	add_usage(&c, -1);
	for (uint32_t i = 0; !feed(t, io, t->lag_us, i); i++) /* until the worker has gone */
		;
	add_usage(&c, 1);
	return io_write_all(t->result[1], &c, sizeof(c)) ? EXIT_FAIL : EXIT_OK;
}

/* The worker, which is its own feeder where it is alone. */
static int loop(struct thief *t, int alone, struct count *c)
{
	uint64_t start;
	int io[2] = {-1, -1}, err = 0;

	if (alone && pipe(io))
		return -errno;
	if (gun_worker_wait(&t->gun))
		return -EPIPE;
	add_usage(c, -1);
	start = clock_now_ns();
	bell_set(t->ms);
	for (uint32_t i = 0; !bell_rung() && !err; i++) {
		err = io_write_all(t->ask[1], "", 1);
		if (!err && alone)
			err = feed(t, io, 0, i);
		if (!err)
			err = hear(t, c, i);
		c->rounds++;
	}
	bell_stop();
	c->elapsed_us = (clock_now_ns() - start) / 1000u;
	add_usage(c, 1);
	return err;
}

static int run_worker(struct thief *t, int alone)
{
	struct count c;

	memset(&c, 0, sizeof(c));
	shut(&t->result[0]);
	if (!alone) {
		shut(&t->ask[0]);
		shut(&t->give[1]);
	}
	if (loop(t, alone, &c))
		return EXIT_FAIL;
	return io_write_all(t->result[1], &c, sizeof(c)) ? EXIT_FAIL : EXIT_OK;
}

static int run_fed(void *data) { return run_worker(data, 0); }
static int run_alone(void *data) { return run_worker(data, 1); }

static int shoot(struct thief *t, struct team *team, int arm, struct count *sum)
{
	unsigned n = arm == FED ? 2 : 1;
	int err = team_add(team, arm == FED ? run_fed : run_alone, t);

	if (!err && arm == FED)
		err = team_add(team, run_feeder, t);
	for (int i = 0; i < 2; i++) {
		shut(&t->ask[i]);
		shut(&t->give[i]);
	}
	shut(&t->result[1]);
	if (!err)
		err = gun_wait_ready(&t->gun, n);
	if (!err)
		err = gun_fire(&t->gun, n);
	for (unsigned i = 0; i < n && !err; i++) {
		struct count c;

		err = take(t->result[0], &c, sizeof(c));
		if (err)
			break;
		sum->rounds += c.rounds;
		sum->wrong += c.wrong;
		sum->elapsed_us += c.elapsed_us;
		sum->user_us += c.user_us;
		sum->sys_us += c.sys_us;
	}
	return err;
}

/* 0 or -errno. */
static int run_arm(struct thief *t, int arm, struct count *c)
{
	struct team team = {0};
	int err = 0;

	memset(c, 0, sizeof(*c));
	t->ask[0] = t->ask[1] = t->give[0] = t->give[1] = t->result[0] = t->result[1] = -1;
	if (pipe(t->ask) || pipe(t->give) || pipe(t->result))
		err = -errno;
	if (!err)
		err = gun_init(&t->gun);
	if (!err) {
		err = shoot(t, &team, arm, c);
		gun_close(&t->gun);
	}
	if (err)
		team_end(&team);
	else if (team_join(&team))
		err = -ECHILD;
	for (int i = 0; i < 2; i++) {
		shut(&t->ask[i]);
		shut(&t->give[i]);
		shut(&t->result[i]);
	}
	return err;
}

/* Of the machine's CPU time over a phase, in thousandths; waiting for a disk is idle as well. */
static uint64_t idle_permille(const struct cpu_books *b)
{
	uint64_t all = 0;

	for (unsigned i = 0; i < b->columns; i++)
		all += b->ticks[i];
	return all ? (b->ticks[3] + b->ticks[4]) * 1000u / all : 0;
}

static void report_arm(const char *name, const struct count *c, const struct phase *phase)
{
	struct fact f;

	fact_open(&f, "fact");
	kv_out_str(&f.o, "thief", name);
	kv_out_u64(&f.o, "rounds", c->rounds);
	kv_out_u64(&f.o, "elapsed_us", c->elapsed_us);
	kv_out_u64(&f.o, "user_us", c->user_us);
	kv_out_u64(&f.o, "sys_us", c->sys_us);
	if (phase->cpu.columns)
		kv_out_u64(&f.o, "idle_permille", idle_permille(&phase->cpu));
	fact_send(&f);
	phase_report(phase, 0);
}

/* Elapsed over CPU time, in thousandths; 0 where the CPU time is too little to be seen. */
static uint64_t waited(const struct count *c)
{
	uint64_t cpu = c->user_us + c->sys_us;

	return cpu ? c->elapsed_us * 1000u / cpu : 0;
}

static void add(struct count *sum, const struct count *c)
{
	sum->rounds += c->rounds;
	sum->elapsed_us += c->elapsed_us;
	sum->user_us += c->user_us;
	sum->sys_us += c->sys_us;
}

/* One repetition: both arms. 0 or the exit status. */
static int repeat(struct thief *t, struct count *c, struct phase *phases, int counts)
{
	for (int arm = 0; arm < ARMS; arm++) {
		int err;

		phase_begin(&phases[arm], arm_names[arm], NULL);
		err = run_arm(t, arm, &c[arm]);
		phase_end(&phases[arm], counts && !err);
		if (err)
			return fact_fail("%s: %s", arm_names[arm], strerror(-err));
		if (c[arm].wrong)
			return fact_fail("a chunk of work had a wrong result");
	}
	return EXIT_OK;
}

int sched_thief(char **argv)
{
	struct arg args[] = {
		[TIME_MS] = {"time_ms", 250, 50, 600000, NULL, "length of one arm of one repetition"},
		[REPS] = {"reps", 3, 1, SAMPLES_MAX, NULL, "repetitions that count"},
		[WARM] = {"warm", 1, 0, 8, NULL, "repetitions before, that do not"},
		[WORK_CHUNKS] = {"work_chunks", 4, 0, 100000, NULL, "computation of a round"},
		[IO_KB] = {"io_kb", 64, 0, 65536, NULL, "I/O of a round, by the feeder"},
		[LAG_US] = {"lag_us", 0, 0, 1000000, NULL, "sleep of the feeder in each round: makes the fault, to prove the test"},
		{0},
	};
	static struct samples set;
	struct count c[ARMS], sum[ARMS];
	static struct phase phases[ARMS];
	struct thief t;

	arg_parse(args, argv);
	memset(sum, 0, sizeof(sum));
	t.ms = (unsigned)args[TIME_MS].v;
	t.work_chunks = args[WORK_CHUNKS].v;
	t.io_kb = args[IO_KB].v;
	t.lag_us = args[LAG_US].v;
	for (unsigned rep = 0; rep < args[WARM].v + args[REPS].v; rep++) {
		int counts = rep >= args[WARM].v, status;

		fact_phase(counts ? "rep" : "warm", 10000 + 20 * args[TIME_MS].v);
		status = repeat(&t, c, phases, counts);
		if (status)
			return status;
		if (!counts)
			continue;
		for (int arm = 0; arm < ARMS; arm++)
			add(&sum[arm], &c[arm]);
		if (waited(&c[ALONE]) && waited(&c[FED]))
			sample_add(&set, waited(&c[FED]) * 1000u / waited(&c[ALONE]), 1000);
	}
	for (int arm = 0; arm < ARMS; arm++)
		report_arm(arm_names[arm], &sum[arm], &phases[arm]);
	if (set.n)
		fact_metric("stretch", sample_median(&set).v);
	else
		fact_str("lacks", "stretch");
	return EXIT_OK;
}
