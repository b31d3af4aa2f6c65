/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * net-rpc: NULL calls to the NFS server of the tests (NFS v3, procedure 0), by the program itself over one connection: `depth1` with one call under way, whose
 * latencies are a histogram, `depth16` with sixteen. It tells what a call costs from what a byte costs, and both from the client in the kernel, which
 * has no part in it: where NFS is slower and this is not, the fault is in that client.
 *
 * A call goes out as soon as a reply has come. Every reply is parsed whole, and must answer a call that is under way (xid). Bounded by calls and by time. At depth 1
 * the clock is read once a call: the end of one is the beginning of the next; what a reading costs is in env (clock_ns).
 * Traps: Nagle's algorithm is off, as it is in the kernel's client; at depth 16 replies may come in any order, and several at once; over UDP a lost call
 * is given up after a second and counted (lost=), and a server that does not answer there is a skip.
 */
#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "address.h"
#include "arg.h"
#include "bell.h"
#include "common/clock.h"
#include "common/err.h"
#include "common/hist.h"
#include "common/io.h"
#include "fact.h"
#include "phase.h"
#include "rpc.h"
#include "sample.h"
#include "suite.h"

#define CONNECT_MS 5000
#define STUCK_S 10 /* no reply for so long is a failure, over TCP */
#define UDP_LOST_S 1
#define UDP_TRIES 3
#define DEPTH_MAX 64

enum { CALLS, TIME_MS, DEPTH, REPS, WARM, PROTO };
enum { TCP, UDP };
enum { ONE, MANY, DEPTHS };
static const char *const depth_names[DEPTHS] = {"depth1", "depth16"};
static const char *const protos[] = {"tcp", "udp", NULL};

struct state {
	struct address server;
	int fd, udp;
	uint64_t calls; /* of a repetition, at most */
	unsigned time_ms, depth[DEPTHS];
	uint32_t xid;                  /* of the next call */
	uint32_t under_way[DEPTH_MAX]; /* xids */
	unsigned flying;
	uint64_t replies, lost;
	struct rpc_record record;
	unsigned char in[4096]; /* what has come and is not taken */
	size_t in_at, in_len;
	struct hist hist;
	struct samples set[DEPTHS];
	struct phase phase[DEPTHS];
};

static int call(struct state *s)
{
	unsigned char out[RPC_MARK_BYTES + RPC_CALL_BYTES];
	unsigned skip = s->udp ? RPC_MARK_BYTES : 0;

	rpc_mark(out, RPC_CALL_BYTES);
	rpc_null_call(out + RPC_MARK_BYTES, s->xid);
	s->under_way[s->flying++] = s->xid++;
	while (send(s->fd, out + skip, sizeof(out) - skip, MSG_NOSIGNAL) < 0)
		if (errno != EINTR)
			return -errno;
	return 0;
}

/* Strikes the call off; -ENOMSG where there is no such one. */
static int settle(struct state *s, uint32_t xid)
{
	for (unsigned i = 0; i < s->flying; i++)
		if (s->under_way[i] == xid) {
			s->under_way[i] = s->under_way[--s->flying];
			return 0;
		}
	return -ENOMSG;
}

static ssize_t receive(struct state *s)
{
	ssize_t n;

	do
		n = recv(s->fd, s->in, sizeof(s->in), 0);
	while (n < 0 && errno == EINTR && !bell_rung());
	if (n < 0)
		return errno == EAGAIN || errno == EWOULDBLOCK ? -ETIMEDOUT : -errno;
	return n;
}

/* The next whole reply, out of the stream. */
static int await_record(struct state *s)
{
	for (;;) {
		size_t used;
		ssize_t n;
		int got = rpc_record_take(&s->record, s->in + s->in_at, s->in_len - s->in_at, &used);

		s->in_at += used;
		if (got)
			return got < 0 ? got : 0;
		n = receive(s);
		if (n <= 0)
			return n ? (int)n : -ENODATA;
		s->in_at = 0;
		s->in_len = (size_t)n;
	}
}

/* One reply. 0; -EINTR: the time is over; -errno. */
static int reply(struct state *s)
{
	const unsigned char *body = s->udp ? s->in : s->record.body;
	ssize_t n = s->udp ? receive(s) : await_record(s);
	uint32_t xid = 0;
	int err;

	if (n < 0)
		return (int)n;
	err = rpc_null_reply(body, s->udp ? (size_t)n : s->record.len, &xid);
	if (err)
		return err;
	err = settle(s, xid);
	if (err && s->udp && xid < s->xid)
		return 0; /* of one that was given up */
	s->replies += !err;
	return err;
}

/* As many as are under way have come, or are given up. */
static int drain(struct state *s)
{
	int err = 0;

	while (s->flying && !err)
		err = reply(s);
	if (err == -ETIMEDOUT && s->udp) {
		s->lost += s->flying;
		s->flying = 0;
		err = 0;
	}
	return err;
}

/* Calls and replies until calls or time are over. hist may be NULL. */
static int pump(struct state *s, unsigned depth, struct hist *hist, uint64_t start)
{
	uint64_t before = start, now;
	int err = 0;

	for (unsigned i = 0; i < depth && !err; i++)
		err = call(s);
	while (!err && s->replies < s->calls && !bell_rung()) {
		uint64_t had = s->replies;

		err = reply(s);
		if (err == -ETIMEDOUT && s->udp) {
			s->lost += s->flying;
			s->flying = 0;
			err = 0;
		}
		if (hist && s->replies > had) {
			now = clock_now_ns();
			hist_add(hist, now - before);
			before = now;
		}
		while (!err && s->flying < depth && !bell_rung())
			err = call(s);
	}
	return err == -EINTR ? 0 : err;
}

static int open_server(struct state *s)
{
	struct timeval stuck = {s->udp ? UDP_LOST_S : STUCK_S, 0};
	struct sockaddr_in sin;
	int one = 1;

	if (s->udp) {
		memset(&sin, 0, sizeof(sin));
		sin.sin_family = AF_INET;
		sin.sin_addr.s_addr = s->server.be;
		sin.sin_port = htons(s->server.port);
		s->fd = socket(AF_INET, SOCK_DGRAM, 0);
		if (s->fd < 0 || connect(s->fd, (struct sockaddr *)&sin, sizeof(sin)))
			return -errno;
		io_set_cloexec(s->fd);
	} else {
		s->fd = address_connect(&s->server, CONNECT_MS);
		if (s->fd < 0)
			return s->fd;
		setsockopt(s->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	}
	setsockopt(s->fd, SOL_SOCKET, SO_RCVTIMEO, &stuck, sizeof(stuck));
	setsockopt(s->fd, SOL_SOCKET, SO_SNDTIMEO, &stuck, sizeof(stuck));
	return 0;
}

static int fail(const struct state *s, const char *what, int err)
{
	const char *text = strerror(-err);

	switch (err) {
	case -EBADMSG:
		text = "what came back is no reply to a NULL call";
		break;
	case -EMSGSIZE:
		text = "a reply that is too long";
		break;
	case -ENOMSG:
		text = "a reply to a call that is not under way (xid)";
		break;
	case -ENODATA:
		text = "the server closed the connection";
		break;
	case -EACCES:
		text = "the server denied the call";
		break;
	case -EIO:
		text = "the server could not do it";
		break;
	}
	return fact_fail("%s %s:%u: %s", what, s->server.ip, s->server.port, text);
}

/* Does the server answer at all, and by this protocol? Exit status. */
static int probe(struct state *s)
{
	int err = 0;

	fact_phase("probe", CONNECT_MS + 2000 * STUCK_S);
	bell_stop();
	for (int i = 0; i < (s->udp ? UDP_TRIES : 1); i++) {
		err = call(s);
		if (!err)
			err = reply(s);
		if (!s->udp || (err != -ETIMEDOUT && err != -ECONNREFUSED))
			break;
	}
	if (err == -EPROTONOSUPPORT)
		return fact_skip("the server has no NFS v3");
	if (s->udp && (err == -ETIMEDOUT || err == -ECONNREFUSED))
		return fact_skip("the server does not answer over UDP");
	s->flying = 0;
	return err ? fail(s, "a call to", err) : 0;
}

static int repeat(struct state *s, int which, int counts)
{
	struct hist *hist = which == ONE && counts ? &s->hist : NULL;
	uint64_t start, ns, replies;
	int err;

	fact_phase(depth_names[which], 2u * s->time_ms + 2000 * STUCK_S);
	phase_begin(&s->phase[which], depth_names[which], NULL);
	s->replies = 0;
	start = clock_now_ns();
	bell_set(s->time_ms);
	err = pump(s, s->depth[which], hist, start);
	replies = s->replies;
	ns = clock_now_ns() - start;
	bell_stop();
	phase_end(&s->phase[which], counts && !err && replies);
	if (!err)
		err = drain(s);
	if (!err && !replies)
		err = -ETIMEDOUT;
	if (err)
		return fail(s, depth_names[which], err);
	if (counts)
		sample_add(&s->set[which], replies, ns);
	return 0;
}

static int run(struct state *s, unsigned warm, unsigned reps)
{
	int status = probe(s);

	for (unsigned i = 0; i < warm + reps && !status; i++)
		for (int which = 0; which < DEPTHS && !status; which++)
			status = repeat(s, which, i >= warm);
	if (status)
		return status;
	fact_str("proto", s->udp ? "udp" : "tcp");
	if (s->udp)
		fact_u64("lost", s->lost);
	fact_hist("depth1", &s->hist);
	for (int which = 0; which < DEPTHS; which++) {
		phase_report(&s->phase[which], 0);
		sample_report(depth_names[which], &s->set[which]);
	}
	return EXIT_OK;
}

int net_rpc(char **argv)
{
	struct arg args[] = {
		[CALLS] = {"calls", 20000, 1, 1u << 30, NULL, "of a repetition, at most"},
		[TIME_MS] = {"time_ms", 500, 50, 600000, NULL, "of a repetition, at most"},
		[DEPTH] = {"depth", 16, 2, DEPTH_MAX, NULL, "calls under way, for depth16"},
		[REPS] = {"reps", 3, 1, SAMPLES_MAX, NULL, "repetitions that count, of each depth"},
		[WARM] = {"warm", 1, 0, 8, NULL, "repetitions before, that do not"},
		[PROTO] = {"proto", TCP, 0, 0, protos, "how calls travel"},
		{0},
	};
	const char *where = getenv("KD_NFSTEST");
	static struct state s;
	int err;

	arg_parse(args, argv);
	if (!where || !*where)
		return fact_skip("KD_NFSTEST is not set");
	if (address_parse(where, &s.server))
		return fact_fail("KD_NFSTEST=%.60s: wanted ADDR:PORT[,MOUNTPORT][:/PATH]", where);
	s.calls = args[CALLS].v;
	s.time_ms = (unsigned)args[TIME_MS].v;
	s.depth[ONE] = 1;
	s.depth[MANY] = (unsigned)args[DEPTH].v;
	s.udp = args[PROTO].v == UDP;
	s.xid = (uint32_t)clock_unix_ms() << 8; /* not those of a boot before: servers remember replies */
	err = open_server(&s);
	if (err)
		return fail(&s, "connect to", err);
	return run(&s, (unsigned)args[WARM].v, (unsigned)args[REPS].v);
}
