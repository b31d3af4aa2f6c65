/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * net-tcp: raw TCP both ways against the station's peer (docs/test-programs.md), without disk and without NFS: the control. When an NFS test
 * is slower and this one is not, the fault is above the network driver.
 *
 * After the ftp control of old kernel reports, with the clock in ns. Bounded by bytes and by time: what has come when the time is over counts.
 * `recv` is timed from the request to the last byte; `send` from the request until the peer has confirmed all bytes, or, when the time is over, until
 * the kernel has nothing left that the peer's TCP has not acknowledged (SIOCOUTQ): what lies in the own socket buffer has not been sent.
 * Facts: what the network counted (net_books.h), what the connection says of itself at its end (TCP_INFO), CPU books, and whether bytes or time
 * ended a repetition. Retransmissions of both directions are a metric that is neither better nor worse: they explain.
 * Traps: in a twin the peer's TCP is the emulator's; a repetition that the time ended is shorter in slow start's share than one that the bytes ended; a
 * connection a repetition, so that congestion windows start alike (metrics that 2.4 and later keep by route do not).
 */
#include <errno.h>
#include <inttypes.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "address.h"
#include "arg.h"
#include "bell.h"
#include "common/clock.h"
#include "common/err.h"
#include "common/io.h"
#include "fact.h"
#include "net_books.h"
#include "pattern.h"
#include "phase.h"
#include "sample.h"
#include "suite.h"

#define CHUNK 65536
#define CONNECT_MS 5000
#define STUCK_S 10 /* no byte for so long is a failure */

enum { BYTES, TIME_MS, REPS, WARM };
enum { RECV, SEND, WAYS };
static const char *const way_names[WAYS] = {"recv", "send"};

struct state {
	struct address peer;
	uint64_t bytes;
	unsigned time_ms;
	char *buf; /* CHUNK of noise to send, or to receive into */
	struct samples set[WAYS];
	struct phase phase[WAYS];
	uint64_t moved[WAYS];   /* bytes, of what counts */
	unsigned by_time[WAYS]; /* repetitions that the time ended */
};

/* What a repetition moved. */
struct run {
	uint64_t bytes, ns;
};

/* Bytes that have come until all are here, the time is over or the peer has closed. */
static int receive(struct state *s, int fd, struct run *r)
{
	while (r->bytes < s->bytes && !bell_rung()) {
		ssize_t n = recv(fd, s->buf, CHUNK, 0);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (!n)
			return -ENODATA;
		r->bytes += (uint64_t)n;
	}
	return 0;
}

/* The peer's `ok BYTES`. */
static int await_ok(int fd, uint64_t bytes)
{
	char text[64], want[64];
	size_t len = 0;

	while (len + 1 < sizeof(text) && (!len || text[len - 1] != '\n')) {
		ssize_t n = recv(fd, text + len, sizeof(text) - 1 - len, 0);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -ENODATA;
		len += (size_t)n;
	}
	text[len] = 0;
	snprintf(want, sizeof(want), "ok %" PRIu64 "\n", bytes);
	return strcmp(text, want) ? -EBADMSG : 0;
}

/* Until the peer's TCP has acknowledged all, at most STUCK_S. Where the kernel cannot tell, all counts. */
static int drain(int fd)
{
	int left = 0;

	for (unsigned i = 0; i < STUCK_S * 1000u; i++) {
		if (ioctl(fd, SIOCOUTQ, &left) || left <= 0)
			return 0;
		clock_sleep_ms(1);
	}
	return -ETIMEDOUT;
}

static int transmit(struct state *s, int fd, struct run *r)
{
	int err;

	while (r->bytes < s->bytes && !bell_rung()) {
		uint64_t left = s->bytes - r->bytes;
		ssize_t n = send(fd, s->buf, left < CHUNK ? (size_t)left : CHUNK, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		r->bytes += (uint64_t)n;
	}
	bell_stop();
	err = r->bytes == s->bytes ? await_ok(fd, r->bytes) : drain(fd);
	return err;
}

#define HAS(len, field) ((len) >= offsetof(struct tcp_info, field) + sizeof(((struct tcp_info *)0)->field))

/* What the connection says of itself; kernels fill in as much as they know of (2.4 nothing of total_retrans). */
static void report_info(int fd, int way)
{
	struct tcp_info t;
	socklen_t len = sizeof(t);
	struct fact f;

	memset(&t, 0, sizeof(t));
	if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &t, &len) || !HAS(len, tcpi_snd_cwnd))
		return;
	fact_open(&f, "fact");
	kv_out_str(&f.o, "tcp", way_names[way]);
	kv_out_u64(&f.o, "rtt_us", t.tcpi_rtt);
	kv_out_u64(&f.o, "rttvar_us", t.tcpi_rttvar);
	kv_out_u64(&f.o, "cwnd", t.tcpi_snd_cwnd);
	kv_out_u64(&f.o, "mss", t.tcpi_snd_mss);
	if (HAS(len, tcpi_rcv_rtt))
		kv_out_u64(&f.o, "rcv_rtt_us", t.tcpi_rcv_rtt);
	if (HAS(len, tcpi_total_retrans))
		kv_out_u64(&f.o, "retrans", t.tcpi_total_retrans);
	fact_send(&f);
}

/* One connection one way. 0 or -errno. */
static int move(struct state *s, int way, struct run *r)
{
	struct timeval stuck = {STUCK_S, 0};
	char request[64];
	uint64_t start;
	int fd = address_connect(&s->peer, CONNECT_MS);
	int err;

	if (fd < 0)
		return fd;
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &stuck, sizeof(stuck));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &stuck, sizeof(stuck));
	snprintf(request, sizeof(request), "kd-peer %s %" PRIu64 "\n", way == RECV ? "send" : "recv", s->bytes);
	r->bytes = 0;
	start = clock_now_ns();
	bell_set(s->time_ms);
	err = io_write_all(fd, request, strlen(request));
	if (!err)
		err = way == RECV ? receive(s, fd, r) : transmit(s, fd, r);
	r->ns = clock_now_ns() - start;
	bell_stop();
	if (!err)
		report_info(fd, way);
	close(fd);
	return !err && !r->bytes ? -ETIMEDOUT : err; /* nothing at all is no rate */
}

static int repeat(struct state *s, int way, unsigned rep)
{
	struct run r = {0, 0};
	int err;

	fact_phase(way_names[way], 3u * s->time_ms + 2000u * STUCK_S + CONNECT_MS);
	phase_begin(&s->phase[way], way_names[way], NULL);
	err = move(s, way, &r);
	phase_end(&s->phase[way], !err && rep);
	if (err == -EAGAIN)
		err = -ETIMEDOUT; /* SO_RCVTIMEO, SO_SNDTIMEO */
	if (err)
		return fact_fail("%s from %s:%u: %s", way_names[way], s->peer.ip, s->peer.port,
		                 err == -ENODATA ? "the peer closed early" : strerror(-err));
	if (!rep)
		return 0;
	s->by_time[way] += r.bytes < s->bytes;
	s->moved[way] += r.bytes;
	sample_add(&s->set[way], r.bytes, r.ns);
	return 0;
}

static int run(struct state *s, unsigned warm, unsigned reps)
{
	uint64_t retrans[WAYS] = {0, 0};
	static struct net_books books;
	struct fact f;
	int status = 0, known = 1;

	for (int way = 0; way < WAYS && !status; way++) {
		net_books_begin(&books, way_names[way], &s->peer);
		for (unsigned i = 0; i < warm + reps && !status; i++)
			status = repeat(s, way, i < warm ? 0 : i - warm + 1);
		known &= net_books_report(&books, &retrans[way]);
	}
	for (int way = 0; way < WAYS && !status; way++) {
		fact_open(&f, "fact");
		kv_out_str(&f.o, "ended", way_names[way]);
		kv_out_u64(&f.o, "by_bytes", reps - s->by_time[way]);
		kv_out_u64(&f.o, "by_time", s->by_time[way]);
		fact_send(&f);
		phase_report(&s->phase[way], s->moved[way]);
		sample_report(way_names[way], &s->set[way]);
	}
	if (!status && known)
		fact_metric("retrans", retrans[RECV] + retrans[SEND]);
	return status;
}

int net_tcp(char **argv)
{
	struct arg args[] = {
		[BYTES] = {"bytes", 8388608, 1, 1ull << 40, NULL, "of a repetition, at most"},
		[TIME_MS] = {"time_ms", 1500, 100, 600000, NULL, "of a repetition, at most"},
		[REPS] = {"reps", 3, 1, SAMPLES_MAX, NULL, "repetitions that count, each way"},
		[WARM] = {"warm", 1, 0, 8, NULL, "repetitions before, that do not"},
		{0},
	};
	static struct state s;
	struct pattern noise;
	int status;

	arg_parse(args, argv);
	status = address_of_peer(&s.peer);
	if (status)
		return status;
	s.bytes = args[BYTES].v;
	s.time_ms = (unsigned)args[TIME_MS].v;
	if (pattern_init(&noise, 1, CHUNK))
		return fact_skip("no memory");
	s.buf = (char *)noise.noise;
	status = run(&s, (unsigned)args[WARM].v, (unsigned)args[REPS].v);
	pattern_free(&noise);
	return status;
}
