/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sched-pingpong: two processes that answer each other through pipes or a socket: both on the same CPU (switches alone), on two CPUs
 * (a wake-up across), and where the scheduler puts them.
 *
 * After perf bench sched pipe: a message of four bytes there and back; it counts, and the echo must be the number that was sent. Time-bounded, so
 * that a slow box ends in time; the clock is read once at either end. The three arms take turns, so that drift hits all.
 * Traps: unpinned, the value depends on where the scheduler puts the two, and is often bimodal: that is the reason for the bound arms beside
 * it. Where they ran is not known from here, so it is not guessed. Without sched_setaffinity (Linux 2.4) only `free` is measured, which
 * on one CPU is `same` as well.
 */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "arg.h"
#include "bell.h"
#include "common/clock.h"
#include "common/err.h"
#include "common/io.h"
#include "fact.h"
#include "gun.h"
#include "own.h"
#include "phase.h"
#include "sample.h"
#include "suite.h"
#include "team.h"

static const char *const via_names[] = {"pipe", "socket", NULL};

enum { TIME_MS, REPS, WARM, VIA };

enum { ARM_SAME, ARM_CROSS, ARM_FREE, ARMS };
static const char *const arm_names[ARMS] = {"same", "cross", "free"};

struct pair {
	/* given */
	int arm, socket;
	unsigned ms;
	/* running */
	struct gun gun;
	int there[2], back[2], result[2];
};

struct count {
	uint64_t rounds, ns;
	int err; /* -errno; -EILSEQ: a wrong echo */
};

/* Four bytes, whole or not at all: pipes and sockets do not cut them. 1, 0 at end of file, -errno. */
static int take(int fd, uint32_t *v)
{
	ssize_t n;

	do
		n = read(fd, v, sizeof(*v));
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	return n == (ssize_t)sizeof(*v);
}

static void shut(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static int echo(void *data)
{
	struct pair *p = data;
	uint32_t v;
	int got;

	shut(&p->there[1]);
	shut(&p->back[0]);
	shut(&p->result[0]);
	shut(&p->result[1]);
	if (p->arm != ARM_FREE && own_bind_or_only(p->arm == ARM_CROSS))
		return EXIT_FAIL;
	if (gun_worker_wait(&p->gun))
		return EXIT_FAIL;
	while ((got = take(p->there[0], &v)) == 1)
		if (io_write_all(p->back[1], &v, sizeof(v)))
			return EXIT_FAIL;
	return got ? EXIT_FAIL : EXIT_OK;
}

static void serve(struct pair *p, struct count *c)
{
	uint32_t i = 0, v = 0;
	uint64_t start = clock_now_ns();

	bell_set(p->ms);
	while (!bell_rung() && !c->err) {
		c->err = io_write_all(p->there[1], &i, sizeof(i));
		if (!c->err && take(p->back[0], &v) != 1)
			c->err = -EPIPE;
		if (v != i)
			c->err = c->err ? c->err : -EILSEQ;
		i++;
	}
	bell_stop();
	c->ns = clock_now_ns() - start;
	c->rounds = i;
}

/* The one that serves is a child as well, so that no binding outlives its arm. */
static int lead(void *data)
{
	struct pair *p = data;
	struct count c;

	memset(&c, 0, sizeof(c));
	shut(&p->there[0]);
	shut(&p->back[1]);
	shut(&p->result[0]);
	if (p->arm != ARM_FREE && own_bind_or_only(0))
		return EXIT_FAIL;
	if (gun_worker_wait(&p->gun))
		return EXIT_FAIL;
	serve(p, &c);
	return io_write_all(p->result[1], &c, sizeof(c)) ? EXIT_FAIL : EXIT_OK;
}

/* 0 or -errno. */
static int shoot(struct pair *p, struct team *t, struct count *c)
{
	ssize_t n;
	int err = team_add(t, echo, p);

	if (!err)
		err = team_add(t, lead, p);
	shut(&p->there[0]);
	shut(&p->there[1]);
	shut(&p->back[0]);
	shut(&p->back[1]);
	shut(&p->result[1]);
	if (!err)
		err = gun_wait_ready(&p->gun, 2);
	if (!err)
		err = gun_fire(&p->gun, 2);
	if (err)
		return err;
	do
		n = read(p->result[0], c, sizeof(*c));
	while (n < 0 && errno == EINTR);
	if (n != (ssize_t)sizeof(*c))
		return n < 0 ? -errno : -EPIPE;
	return c->err;
}

static int open_pair(int via_socket, int there[2], int back[2])
{
	int err;

	there[0] = there[1] = back[0] = back[1] = -1;
	if (via_socket ? socketpair(AF_UNIX, SOCK_STREAM, 0, there) : pipe(there))
		return -errno;
	if (via_socket ? socketpair(AF_UNIX, SOCK_STREAM, 0, back) : pipe(back)) {
		err = errno;
		shut(&there[0]);
		shut(&there[1]);
		return -err;
	}
	return 0;
}

static int run_arm(struct pair *p, struct count *c)
{
	struct team team = {0};
	int err = open_pair(p->socket, p->there, p->back);

	if (err)
		return err;
	p->result[0] = p->result[1] = -1;
	err = gun_init(&p->gun);
	if (!err && pipe(p->result))
		err = -errno;
	if (!err)
		err = shoot(p, &team, c);
	if (err)
		team_end(&team);
	else if (team_join(&team))
		err = -ECHILD;
	gun_close(&p->gun);
	for (int i = 0; i < 2; i++) {
		shut(&p->there[i]);
		shut(&p->back[i]);
		shut(&p->result[i]);
	}
	return err;
}

static int try_bind(void *data)
{
	const unsigned *nth = data;

	return own_bind_or_only(*nth) ? EXIT_FAIL : EXIT_OK;
}

/* Whether this box can bind processes as the arm wants it. */
static int has_arm(int arm)
{
	struct team team = {0};
	unsigned nth = arm == ARM_CROSS;

	if (arm == ARM_FREE)
		return 1;
	return !team_add(&team, try_bind, &nth) && !team_join(&team);
}

static void report(int arm, const struct samples *set)
{
	struct sample m;

	if (!set->n) {
		fact_str("lacks", arm_names[arm]);
		return;
	}
	sample_list(arm_names[arm], set);
	m = sample_median(set);
	fact_metric(arm_names[arm], m.v ? m.ns / m.v : 0);
}

static int run_all(struct arg *args, struct samples *set, struct phase *phases)
{
	struct pair p = {.socket = args[VIA].v == 1, .ms = (unsigned)args[TIME_MS].v};

	for (unsigned rep = 0; rep < args[WARM].v + args[REPS].v; rep++) {
		fact_phase(rep < args[WARM].v ? "warm" : "rep", 10000 + 20 * args[TIME_MS].v);
		for (p.arm = 0; p.arm < ARMS; p.arm++) {
			struct count c = {0};
			int counts = rep >= args[WARM].v, err;

			if (!has_arm(p.arm))
				continue;
			phase_begin(&phases[p.arm], arm_names[p.arm], NULL);
			err = run_arm(&p, &c);
			phase_end(&phases[p.arm], counts && !err);
			if (err == -EILSEQ)
				return fact_fail("%s: an echo was not what had been sent", arm_names[p.arm]);
			if (err == -EAFNOSUPPORT && p.socket)
				return fact_skip("this kernel has no Unix sockets; via=pipe does without");
			if (err)
				return fact_fail("%s: %s", arm_names[p.arm], strerror(-err));
			if (counts)
				sample_add(&set[p.arm], c.rounds, c.ns);
		}
	}
	return EXIT_OK;
}

int sched_pingpong(char **argv)
{
	struct arg args[] = {
		[TIME_MS] = {"time_ms", 50, 10, 600000, NULL, "length of one arm of one repetition"},
		[REPS] = {"reps", 3, 1, SAMPLES_MAX, NULL, "repetitions that count"},
		[WARM] = {"warm", 1, 0, 8, NULL, "repetitions before, that do not"},
		[VIA] = {"via", 0, 0, 0, via_names, "what messages go through"},
		{0},
	};
	static struct samples set[ARMS];
	static struct phase phases[ARMS];
	int status;

	arg_parse(args, argv);
	status = run_all(args, set, phases);
	if (status)
		return status;
	for (int arm = 0; arm < ARMS; arm++) {
		phase_report(&phases[arm], 0);
		report(arm, &set[arm]);
	}
	return EXIT_OK;
}
