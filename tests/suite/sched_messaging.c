/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sched-messaging: groups of senders and receivers, each sender sending `messages` messages of `bytes` to each receiver of its group:
 * what the scheduler does with many short wake-ups.
 *
 * After hackbench (rt-tests) and perf bench sched messaging: AF_UNIX stream socketpairs or pipes, 20 + 20 processes a group there. The start gun
 * keeps fork out of the timer; the clock stops when the last receiver has had all its messages, so that exit and wait are out as well (the
 * whole time is a fact, reps=whole). Groups are fixed by the parameters; 2 * 10 processes of this size fit in 28 MB.
 * Traps: a receiver ends at end of file too, so that a sender that died fails the test in place of hanging it (hackbench spins there);
 * a single value varies by more than 5 %, hence the median; pipes measure the pipe's lock as much as the scheduler; buffers of sockets are
 * counted with the kernel's own overhead, so that sizes of wake-up batches differ between kernels: that is part of what is measured.
 */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "arg.h"
#include "common/clock.h"
#include "common/err.h"
#include "common/io.h"
#include "fact.h"
#include "gun.h"
#include "phase.h"
#include "sample.h"
#include "suite.h"
#include "team.h"

#define MESSAGE_MAX 4096
#define RECEIVERS_MAX 32

static const char *const via_names[] = {"socket", "pipe", NULL};

enum { GROUPS, SENDERS, RECEIVERS, MESSAGES, REPS, WARM, VIA, BYTES };

struct bench {
	unsigned groups, senders, receivers, messages;
	size_t bytes;
	int pipes;
	struct gun gun;
	int done[2];            /* a byte from each receiver that has had all */
	int in[RECEIVERS_MAX];  /* of the group that is being forked: what each receiver reads */
	int out[RECEIVERS_MAX]; /* and what all senders write */
	unsigned me;            /* receiver to be forked */
	struct team team;
};

static int send_all(void *data)
{
	struct bench *b = data;
	char message[MESSAGE_MAX];

	memset(message, 'm', b->bytes);
	for (unsigned i = 0; i < b->receivers; i++)
		close(b->in[i]);
	close(b->done[0]);
	close(b->done[1]);
	if (gun_worker_wait(&b->gun))
		return EXIT_FAIL;
	for (unsigned i = 0; i < b->messages; i++)
		for (unsigned j = 0; j < b->receivers; j++)
			if (io_write_all(b->out[j], message, b->bytes))
				return EXIT_FAIL;
	return EXIT_OK;
}

static int receive_all(void *data)
{
	struct bench *b = data;
	uint64_t left = (uint64_t)b->senders * b->messages * b->bytes;
	char message[MESSAGE_MAX];
	int fd = b->in[b->me];

	for (unsigned i = 0; i < b->receivers; i++) {
		close(b->out[i]); /* or end of file would never come */
		if (i != b->me && b->in[i] >= 0)
			close(b->in[i]);
	}
	close(b->done[0]);
	if (gun_worker_wait(&b->gun))
		return EXIT_FAIL;
	while (left) {
		ssize_t n = read(fd, message, left < b->bytes ? (size_t)left : b->bytes);

		if (n <= 0)
			return EXIT_FAIL;
		left -= (uint64_t)n;
	}
	return io_write_all(b->done[1], "", 1) ? EXIT_FAIL : EXIT_OK;
}

static void close_all(int *fd, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		if (fd[i] >= 0)
			close(fd[i]);
		fd[i] = -1;
	}
}

/* Channels and processes of one group; its ends are closed in this process when it returns. 0 or -errno. */
static int fork_group(struct bench *b)
{
	int pair[2], err = 0;

	memset(b->in, -1, sizeof(b->in));
	memset(b->out, -1, sizeof(b->out));
	for (unsigned i = 0; i < b->receivers && !err; i++) {
		if (b->pipes ? pipe(pair) : socketpair(AF_UNIX, SOCK_STREAM, 0, pair)) {
			err = -errno;
			break;
		}
		b->in[i] = pair[0];
		b->out[i] = pair[1];
	}
	for (b->me = 0; b->me < b->receivers && !err; b->me++)
		err = team_add(&b->team, receive_all, b);
	for (unsigned i = 0; i < b->senders && !err; i++)
		err = team_add(&b->team, send_all, b);
	close_all(b->in, b->receivers);
	close_all(b->out, b->receivers);
	return err;
}

/* Reads a byte from each receiver; 0, -EPIPE when one ended without. */
static int await_done(const struct bench *b)
{
	unsigned left = b->groups * b->receivers;
	char bytes[64];

	while (left) {
		ssize_t n = read(b->done[0], bytes, left < sizeof(bytes) ? left : sizeof(bytes));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -EPIPE;
		left -= (unsigned)n;
	}
	return 0;
}

static int shoot(struct bench *b, uint64_t *ns)
{
	unsigned workers = b->groups * (b->senders + b->receivers);
	uint64_t start = 0;
	int err = 0;

	for (unsigned g = 0; g < b->groups && !err; g++)
		err = fork_group(b);
	close(b->done[1]);
	b->done[1] = -1;
	if (!err)
		err = gun_wait_ready(&b->gun, workers);
	if (!err) {
		start = clock_now_ns();
		err = gun_fire(&b->gun, workers);
	}
	if (!err)
		err = await_done(b);
	*ns = clock_now_ns() - start;
	return err;
}

/* One repetition. *ns: from the gun to the last message; *whole_ns: with fork, exit and wait. 0 or -errno. */
static int repeat(struct bench *b, uint64_t *ns, uint64_t *whole_ns)
{
	uint64_t start = clock_now_ns();
	int err;

	b->team.n = 0;
	if (pipe(b->done))
		return -errno;
	err = gun_init(&b->gun);
	if (!err) {
		err = shoot(b, ns);
		if (err)
			team_end(&b->team);
		else if (team_join(&b->team))
			err = -ECHILD;
		gun_close(&b->gun);
	}
	close_all(b->done, 2);
	*whole_ns = clock_now_ns() - start;
	return err;
}

int sched_messaging(char **argv)
{
	struct arg args[] = {
		[GROUPS] = {"groups", 1, 1, 12, NULL, "groups of senders and receivers"},
		[SENDERS] = {"senders", 10, 1, 32, NULL, "of a group"},
		[RECEIVERS] = {"receivers", 10, 1, RECEIVERS_MAX, NULL, "of a group"},
		[MESSAGES] = {"messages", 50, 1, 1000000, NULL, "from each sender to each receiver"},
		[REPS] = {"reps", 5, 1, SAMPLES_MAX, NULL, "repetitions that count"},
		[WARM] = {"warm", 1, 0, 8, NULL, "repetitions before, that do not"},
		[VIA] = {"via", 0, 0, 0, via_names, "what messages go through"},
		[BYTES] = {"bytes", 100, 1, MESSAGE_MAX, NULL, "of a message"},
		{0},
	};
	static struct bench b;
	static struct samples set, whole;
	static struct phase phase;
	uint64_t ns = 0, whole_ns = 0, msgs;

	arg_parse(args, argv);
	b.groups = (unsigned)args[GROUPS].v;
	b.senders = (unsigned)args[SENDERS].v;
	b.receivers = (unsigned)args[RECEIVERS].v;
	b.messages = (unsigned)args[MESSAGES].v;
	b.bytes = args[BYTES].v;
	b.pipes = args[VIA].v == 1;
	msgs = (uint64_t)b.groups * b.senders * b.receivers * b.messages;
	if (b.groups * (b.senders + b.receivers) > TEAM_MAX)
		err_usage("more than %d processes", TEAM_MAX);
	for (unsigned rep = 0; rep < args[WARM].v + args[REPS].v; rep++) {
		int err;

		fact_phase(rep < args[WARM].v ? "warm" : "rep", 10000 + msgs); /* 1 ms a message */
		phase_begin(&phase, "msgs", NULL);
		err = repeat(&b, &ns, &whole_ns);
		phase_end(&phase, !err && rep >= args[WARM].v);
		if (err == -EPIPE)
			return fact_fail("a worker ended before it had all its messages");
		if (err == -EAFNOSUPPORT && !b.pipes)
			return fact_skip("this kernel has no Unix sockets; via=pipe does without");
		if (err)
			return fact_fail("workers: %s", strerror(-err));
		if (rep < args[WARM].v)
			continue;
		sample_add(&set, msgs, ns);
		sample_add(&whole, msgs, whole_ns);
	}
	phase_report(&phase, 0);
	sample_list("whole", &whole);
	sample_report("msgs", &set);
	return EXIT_OK;
}
