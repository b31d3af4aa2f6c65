/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * net-udp: UDP both ways against the station's peer, in datagrams of 8 KiB, which travel as six fragments: what NFS over UDP with 8 KiB transfers asks of a network.
 * A fault of fragmentation passes a TCP control and shows here.
 *
 * `recv`: the box grants, the peer sends as many; `send`: the box sends, the peer checks and acknowledges each. At most `window` datagrams are under
 * way, so nothing is ever flooded; a datagram that does not come is not sent again but counted as lost, and where nothing at all comes
 * for STALL_MS all that is under way is given up. The rates count what arrived, each datagram whole. Every byte is checked, in the timer, by both ends alike.
 * Protocol: common/peer_udp.h, docs/test-programs.md.
 * Traps: where even a first datagram of that size does not come, that is the network's, and a skip with that reason; in a twin the emulator takes
 * datagrams apart and sums them anew; a window beyond the socket's buffer loses at the receiver (rcvbuf_errs=).
 */
#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <unistd.h>

#include "address.h"
#include "arg.h"
#include "bell.h"
#include "common/clock.h"
#include "common/err.h"
#include "common/io.h"
#include "common/peer_udp.h"
#include "fact.h"
#include "flight.h"
#include "net_books.h"
#include "phase.h"
#include "sample.h"
#include "suite.h"

#define STALL_MS 200
#define STALLS_MAX 25 /* in a row: the peer has gone */
#define DRAIN_MS 2000 /* a peer that sends all twice does not keep us */
#define MEET_TRIES 5
#define SMALL_BYTES 1024 /* is it the size? */

enum { BYTES, DATAGRAM_BYTES, WINDOW, TIME_MS, REPS, WARM };
enum { RECV, SEND, WAYS };
static const char *const way_names[WAYS] = {"recv", "send"};

struct state {
	struct address peer;
	int fd;
	struct peer_udp me; /* nonce, cookie, epoch: as each datagram has them */
	unsigned char *buf, *noise;
	uint64_t bytes, next; /* next: number that was never used */
	uint32_t size;
	unsigned window, batch, time_ms;
	struct flight f;
	struct samples set[WAYS];
	struct phase phase[WAYS];
	uint64_t moved[WAYS];    /* bytes of what counts */
	struct flight sum[WAYS]; /* got, lost (in next), reordered, dup, late, stalls */
};

static int open_peer(struct state *s)
{
	struct timeval stall = {0, STALL_MS * 1000};
	struct sockaddr_in sin;
	int size = 1 << 20;

	memset(&sin, 0, sizeof(sin));
	sin.sin_family = AF_INET;
	sin.sin_addr.s_addr = s->peer.be;
	sin.sin_port = htons(s->peer.port);
	s->fd = socket(AF_INET, SOCK_DGRAM, 0);
	if (s->fd < 0 || connect(s->fd, (struct sockaddr *)&sin, sizeof(sin)))
		return -errno;
	io_set_cloexec(s->fd);
	setsockopt(s->fd, SOL_SOCKET, SO_RCVTIMEO, &stall, sizeof(stall));
	setsockopt(s->fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
	setsockopt(s->fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
	return 0;
}

/* A datagram of this type; data has its body behind it. */
static int put(struct state *s, enum peer_udp_type type, uint64_t seq, uint32_t n, uint32_t size)
{
	unsigned char head[PEER_UDP_HEAD];
	struct peer_udp d = s->me;
	struct iovec part[2];
	struct msghdr m;

	d.type = type;
	d.seq = seq;
	d.n = n;
	d.size = size;
	peer_udp_put(head, &d);
	memset(&m, 0, sizeof(m));
	part[0].iov_base = head;
	part[0].iov_len = sizeof(head);
	part[1].iov_base = (void *)(uintptr_t)peer_udp_body(s->noise, seq);
	part[1].iov_len = size - sizeof(head);
	m.msg_iov = part;
	m.msg_iovlen = type == PEER_UDP_DATA ? 2 : 1;
	while (sendmsg(s->fd, &m, MSG_NOSIGNAL) < 0)
		if (errno != EINTR)
			return errno == ENOBUFS || errno == EAGAIN ? 0 : -errno; /* not sent: lost */
	return 0;
}

/*
 * The next datagram that is for us, of that type. 0, -ETIMEDOUT (STALL_MS of nothing, or of others' datagrams alone), -EINTR (the bell), -EILSEQ,
 * -errno. The clock is asked only where one came that is not for us.
 */
static int get(struct state *s, enum peer_udp_type type, struct peer_udp *d)
{
	uint64_t stray_ns = 0;

	for (;;) {
		ssize_t n = recv(s->fd, s->buf, PEER_UDP_SIZE_MAX + 1, 0);
		uint32_t bad;

		if (n < 0 && errno == EINTR && !bell_rung())
			continue;
		if (n < 0)
			return errno == EAGAIN || errno == EWOULDBLOCK ? -ETIMEDOUT : -errno;
		if (peer_udp_get(d, s->buf, (size_t)n))
			return -EBADMSG;
		if (d->nonce != s->me.nonce || d->type != type) { /* of a question asked twice, or a stranger's */
			uint64_t now = clock_now_ns();

			stray_ns = stray_ns ? stray_ns : now;
			if (now - stray_ns > STALL_MS * 1000000ull)
				return -ETIMEDOUT;
			continue;
		}
		if (type == PEER_UDP_DATA && peer_udp_check(s->noise, s->buf, d->size, d->seq, &bad)) {
			d->n = bad;
			return -EILSEQ;
		}
		return type == PEER_UDP_ACK && d->n ? -EILSEQ : 0;
	}
}

/* Gets the cookie. 0 or -errno. */
static int meet(struct state *s)
{
	struct peer_udp d = {0};
	int err = -ETIMEDOUT;

	s->me.nonce = clock_unix_ms() << 20 ^ clock_now_ns() ^ (uint64_t)getpid() << 44;
	for (int i = 0; i < MEET_TRIES && err; i++) {
		err = put(s, PEER_UDP_HELLO, 0, 0, 0);
		if (!err)
			err = get(s, PEER_UDP_COOKIE_IS, &d);
		if (err == -EBADMSG)
			return err;
	}
	if (err)
		return err;
	memcpy(s->me.cookie, d.cookie, sizeof(d.cookie));
	s->me.epoch = d.epoch;
	return 0;
}

static int try_size(struct state *s, uint32_t size)
{
	struct peer_udp d;
	int err = -ETIMEDOUT;

	for (int i = 0; i < MEET_TRIES && err == -ETIMEDOUT; i++) {
		err = put(s, PEER_UDP_GRANT, s->next++, 1, size);
		if (!err)
			err = get(s, PEER_UDP_DATA, &d);
	}
	return err;
}

static int wrong(const struct state *s, const char *what, int err, const struct peer_udp *d)
{
	if (err == -EILSEQ && d && d->type == PEER_UDP_ACK)
		return fact_fail("%s: wrong data at the peer, in datagram %" PRIu64, what, d->seq);
	if (err == -EILSEQ && d)
		return fact_fail("%s: wrong data in datagram %" PRIu64 " at offset %" PRIu32, what, d->seq, d->n);
	return fact_fail("%s %s:%u: %s", what, s->peer.ip, s->peer.port, err == -EBADMSG ? "what came is no datagram of the peer's" : strerror(-err));
}

/* Is there a peer, and does that size pass? Exit status. */
static int probe(struct state *s)
{
	int err;

	fact_phase("probe", 3 * MEET_TRIES * STALL_MS + 5000);
	err = meet(s);
	if (err == -ETIMEDOUT || err == -ECONNREFUSED)
		return fact_skip("no answer over UDP from %s:%u", s->peer.ip, s->peer.port);
	if (!err)
		err = try_size(s, s->size);
	if (err == -ETIMEDOUT && s->size > SMALL_BYTES && !try_size(s, SMALL_BYTES))
		return fact_skip("datagrams of %u bytes do not come, of %u they do: fragments are lost on the way", s->size, SMALL_BYTES);
	if (err == -ETIMEDOUT)
		return fact_skip("no datagram of %u bytes comes", s->size);
	return err ? wrong(s, "probe of", err, NULL) : 0;
}

/* What may be under way is: granted, or sent. */
static int offer(struct state *s, int way, uint64_t end)
{
	int err = 0;

	while (!err && s->f.next < end && flight_under_way(&s->f) + (way == RECV ? s->batch : 1) <= s->window) {
		uint64_t n = way == SEND ? 1 : end - s->f.next < s->batch ? end - s->f.next : s->batch;

		err = way == SEND ? put(s, PEER_UDP_DATA, s->f.next, 0, s->size) : put(s, PEER_UDP_GRANT, s->f.next, (uint32_t)n, s->size);
		s->f.next += n;
	}
	return err;
}

/* Until all has come or been given up, or the bell rings. *d: the last datagram. */
static int move(struct state *s, int way, struct peer_udp *d)
{
	uint64_t end = s->f.first + (s->bytes + s->size - 1) / s->size;
	unsigned stalls = 0;
	int err = 0;

	while (!err && s->f.high < end && !bell_rung()) {
		err = offer(s, way, end);
		if (!err)
			err = get(s, way == RECV ? PEER_UDP_DATA : PEER_UDP_ACK, d);
		if (!err && d->size == s->size) {
			flight_take(&s->f, d->seq);
			stalls = 0;
		}
		if (err == -ETIMEDOUT && ++stalls < STALLS_MAX) {
			flight_stall(&s->f);
			err = 0;
		}
	}
	return err == -EINTR ? 0 : err;
}

/* What is still under way, outside the timer. */
static void drain(struct state *s, int way)
{
	uint64_t until = clock_now_ns() + DRAIN_MS * 1000000ull;
	struct peer_udp d;

	while (flight_under_way(&s->f) && clock_now_ns() < until && !get(s, way == RECV ? PEER_UDP_DATA : PEER_UDP_ACK, &d))
		if (d.size == s->size)
			flight_take(&s->f, d.seq);
}

static void add(struct flight *sum, const struct flight *f)
{
	sum->got += f->got;
	sum->next += f->next - f->first;
	sum->reordered += f->reordered;
	sum->dup += f->dup;
	sum->late += f->late;
	sum->stalls += f->stalls;
}

static int repeat(struct state *s, int way, int counts)
{
	struct peer_udp d = {0};
	uint64_t start, got, ns;
	int err;

	fact_phase(way_names[way], 2u * s->time_ms + 2u * STALLS_MAX * STALL_MS);
	flight_begin(&s->f, s->next);
	phase_begin(&s->phase[way], way_names[way], NULL);
	start = clock_now_ns();
	bell_set(s->time_ms);
	err = move(s, way, &d);
	ns = clock_now_ns() - start;
	got = s->f.got;
	bell_stop();
	phase_end(&s->phase[way], counts && !err && got);
	if (!err)
		drain(s, way);
	s->next = s->f.next;
	if (!err && !got)
		err = -ETIMEDOUT;
	if (err)
		return wrong(s, way_names[way], err, &d);
	if (counts) {
		sample_add(&s->set[way], got * s->size, ns);
		s->moved[way] += got * s->size;
		add(&s->sum[way], &s->f);
	}
	return 0;
}

static void report(const struct state *s, int way)
{
	const struct flight *f = &s->sum[way];
	struct fact out;

	fact_open(&out, "fact");
	kv_out_str(&out.o, "datagrams", way_names[way]);
	kv_out_u64(&out.o, "sent", f->next);
	kv_out_u64(&out.o, "lost", f->next - f->got);
	kv_out_u64(&out.o, "reordered", f->reordered);
	kv_out_u64(&out.o, "dup", f->dup);
	kv_out_u64(&out.o, "late", f->late);
	kv_out_u64(&out.o, "stalls", f->stalls);
	fact_send(&out);
	phase_report(&s->phase[way], s->moved[way]);
	sample_report(way_names[way], &s->set[way]);
}

static int run(struct state *s, unsigned warm, unsigned reps)
{
	static struct net_books books;
	int status = probe(s);

	for (int way = 0; way < WAYS && !status; way++) {
		net_books_begin(&books, way_names[way], &s->peer);
		for (unsigned i = 0; i < warm + reps && !status; i++)
			status = repeat(s, way, i >= warm);
		net_books_report(&books, NULL);
	}
	for (int way = 0; way < WAYS && !status; way++)
		report(s, way);
	return status;
}

int net_udp(char **argv)
{
	struct arg args[] = {
		[BYTES] = {"bytes", 4194304, 1, 1ull << 40, NULL, "of a repetition, at most"},
		[DATAGRAM_BYTES] = {"datagram_bytes", 8192, PEER_UDP_SIZE_MIN, PEER_UDP_SIZE_MAX, NULL, "of a datagram, without IP and UDP heads"},
		[WINDOW] = {"window", 8, 1, 1024, NULL, "datagrams under way, at most"},
		[TIME_MS] = {"time_ms", 1000, 100, 600000, NULL, "of a repetition, at most"},
		[REPS] = {"reps", 3, 1, SAMPLES_MAX, NULL, "repetitions that count, each way"},
		[WARM] = {"warm", 1, 0, 8, NULL, "repetitions before, that do not"},
		{0},
	};
	static struct state s;
	int err;

	arg_parse(args, argv);
	err = address_of_peer(&s.peer);
	if (err)
		return err;
	s.bytes = args[BYTES].v;
	s.size = (uint32_t)args[DATAGRAM_BYTES].v;
	s.window = (unsigned)args[WINDOW].v;
	s.batch = s.window < 4 ? 1 : s.window / 4 < PEER_UDP_GRANT_MAX ? s.window / 4 : PEER_UDP_GRANT_MAX;
	s.time_ms = (unsigned)args[TIME_MS].v;
	s.buf = malloc(PEER_UDP_SIZE_MAX + 1);
	s.noise = malloc(PEER_UDP_NOISE);
	if (!s.buf || !s.noise)
		return fact_skip("no memory");
	peer_udp_fill(s.noise);
	err = open_peer(&s);
	if (err)
		return fact_skip("a UDP socket to %s:%u: %s", s.peer.ip, s.peer.port, strerror(-err));
	return run(&s, (unsigned)args[WARM].v, (unsigned)args[REPS].v);
}
