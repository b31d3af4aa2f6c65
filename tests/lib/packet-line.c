/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * packet-line: a slow, lossy network cable of a QEMU twin. Each Ethernet frame between the twin's NIC and QEMU's own network comes through here: it is
 * held for delay_ms, or lost by chance of a seed, each direction by itself. For faults of known size under a real kernel, without privileges.
 *
 * Contract: QEMU connects to four unix sockets in DIR (two filter-redirector objects, tests/lib/packet.sh); a frame is a length of 4 bytes, big
 * endian, and its bytes (QEMU, net/filter-mirror.c). SIGHUP reads the settings file again, so that a cable goes bad between two boots or in one;
 * SIGUSR1 and the end say what was carried and lost. Order is kept. Trap: a cable holds as much as its bandwidth and delay make; past QUEUE_BYTES
 * frames are lost as in a full queue of a switch, and counted apart.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/err.h"
#include "common/io.h"
#include "common/kv.h"

#define FRAME_MAX 65550
#define QUEUE_FRAMES 8192
#define QUEUE_BYTES (8u << 20)
#define HEADER 4

struct frame {
	unsigned char *data; /* with its header; malloc'd */
	size_t len;
	uint64_t due_ns;
};

struct way {
	const char *name;
	int listen_from, listen_to, from, to;
	/* a frame that is coming in */
	unsigned char in[HEADER + FRAME_MAX];
	size_t in_len;
	/* frames on the cable, and how much of the first has gone out */
	struct frame queue[QUEUE_FRAMES];
	size_t first, frames, bytes, sent;
	/* settings and counts */
	uint64_t delay_ns, loss_ppm, random;
	uint64_t carried, lost, full;
};

static struct {
	const char *dir, *settings;
	struct way up, down;
} cable;

static volatile sig_atomic_t stop, tell, again;

static void on_signal(int sig)
{
	if (sig == SIGUSR1)
		tell = 1;
	else if (sig == SIGHUP)
		again = 1;
	else
		stop = 1;
}

/* splitmix64; 0 .. 999999 */
static uint64_t draw_ppm(struct way *w)
{
	uint64_t z = w->random += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return (z ^ z >> 31) % 1000000;
}

/* ---- settings: a line `up delay_us= loss_ppm=`, one `down ...` */

static void set_way(struct way *w, const struct kv_line *l)
{
	uint64_t us = 0;

	w->loss_ppm = 0;
	kv_u64(l, "delay_us", &us);
	kv_u64(l, "loss_ppm", &w->loss_ppm);
	w->delay_ns = us * 1000;
}

static void read_settings(void)
{
	static struct kv_line l;
	char text[1024], *next = text, *line;

	again = 0;
	if (io_read_small(cable.settings, text, sizeof(text)) < 0)
		err_die("open %s:", cable.settings);
	while ((line = strsep(&next, "\n"))) {
		if (!*line)
			continue;
		if (kv_parse(&l, line, strlen(line)) < 0 || (strcmp(l.word, "up") && strcmp(l.word, "down")))
			err_die("%s: '%.60s' is no setting; wanted 'up delay_us=N loss_ppm=N' or 'down ...'", cable.settings, line);
		set_way(!strcmp(l.word, "up") ? &cable.up : &cable.down, &l);
	}
	printf("settings up delay_us=%" PRIu64 " loss_ppm=%" PRIu64 " down delay_us=%" PRIu64 " loss_ppm=%" PRIu64 "\n", cable.up.delay_ns / 1000,
	       cable.up.loss_ppm, cable.down.delay_ns / 1000, cable.down.loss_ppm);
	fflush(stdout);
}

static void report(void)
{
	const struct way *ways[2] = {&cable.up, &cable.down};

	for (int i = 0; i < 2; i++)
		printf("%s frames=%" PRIu64 " lost=%" PRIu64 " full=%" PRIu64 "\n", ways[i]->name, ways[i]->carried, ways[i]->lost, ways[i]->full);
	fflush(stdout);
	tell = 0;
}

/* ---- frames */

/* A whole frame has come in. */
static void take_frame(struct way *w, uint64_t now)
{
	struct frame *f;

	if (draw_ppm(w) < w->loss_ppm) {
		w->lost++;
		return;
	}
	if (w->frames == QUEUE_FRAMES || w->bytes + w->in_len > QUEUE_BYTES) {
		w->full++;
		return;
	}
	f = &w->queue[(w->first + w->frames) % QUEUE_FRAMES];
	f->data = malloc(w->in_len);
	if (!f->data)
		err_die("out of memory");
	memcpy(f->data, w->in, w->in_len);
	f->len = w->in_len;
	f->due_ns = now + w->delay_ns;
	w->frames++;
	w->bytes += f->len;
}

static void hang_up(int *fd)
{
	close(*fd);
	*fd = -1;
}

static size_t frame_bytes(const unsigned char *h) { return (size_t)h[0] << 24 | (size_t)h[1] << 16 | (size_t)h[2] << 8 | h[3]; }

static void fill(struct way *w, uint64_t now)
{
	for (;;) {
		size_t want = w->in_len < HEADER ? HEADER : HEADER + frame_bytes(w->in);
		ssize_t n;

		if (want > sizeof(w->in))
			err_die("%s: a frame of %zu bytes: the stream is out of step", w->name, want - HEADER);
		if (w->in_len == want && want > HEADER) {
			take_frame(w, now);
			w->in_len = 0;
			continue;
		}
		n = read(w->from, w->in + w->in_len, want - w->in_len);
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return;
		if (n <= 0) {
			hang_up(&w->from);
			w->in_len = 0;
			return;
		}
		w->in_len += (size_t)n;
	}
}

/* The first frame has gone, or nobody is there to take it. */
static void drop_first(struct way *w)
{
	struct frame *f = &w->queue[w->first];

	free(f->data);
	w->bytes -= f->len;
	w->first = (w->first + 1) % QUEUE_FRAMES;
	w->frames--;
	w->sent = 0;
}

/* 1 where the other end takes no more for now. */
static int drain(struct way *w, uint64_t now)
{
	while (w->frames && w->queue[w->first].due_ns <= now) {
		struct frame *f = &w->queue[w->first];
		ssize_t n = w->to < 0 ? (ssize_t)(f->len - w->sent) : send(w->to, f->data + w->sent, f->len - w->sent, MSG_NOSIGNAL | MSG_DONTWAIT);

		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return 1;
		if (n < 0) {
			hang_up(&w->to);
			continue;
		}
		w->sent += (size_t)n;
		if (w->sent < f->len)
			continue;
		w->carried += w->to >= 0;
		drop_first(w);
	}
	return 0;
}

/* ---- the sockets */

static int listen_at(const char *name)
{
	struct sockaddr_un un = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if ((size_t)snprintf(un.sun_path, sizeof(un.sun_path), "%s/%s", cable.dir, name) >= sizeof(un.sun_path))
		err_die("%s/%s is too long for a socket", cable.dir, name);
	unlink(un.sun_path);
	if (fd < 0 || bind(fd, (struct sockaddr *)&un, sizeof(un)) || listen(fd, 4))
		err_die("listen on %s:", un.sun_path);
	return fd;
}

/* Who comes anew is another QEMU: what the old one left half said is void. */
static void take_ends(struct way *w)
{
	int fd = accept4(w->listen_from, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (fd >= 0) {
		if (w->from >= 0)
			close(w->from);
		w->from = fd;
		w->in_len = 0;
	}
	fd = accept4(w->listen_to, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (fd >= 0) {
		if (w->to >= 0)
			close(w->to);
		w->to = fd;
		w->sent = 0;
	}
}

static void wait_event(uint64_t now, const int blocked[2])
{
	struct way *ways[2] = {&cable.up, &cable.down};
	uint64_t wait = 1000000000u;
	struct pollfd p[8];
	struct timespec ts;
	sigset_t none;
	nfds_t n = 0;

	for (int i = 0; i < 2; i++) {
		struct way *w = ways[i];

		p[n++] = (struct pollfd){.fd = w->listen_from, .events = POLLIN};
		p[n++] = (struct pollfd){.fd = w->listen_to, .events = POLLIN};
		p[n++] = (struct pollfd){.fd = w->from, .events = POLLIN}; /* poll(2) skips -1 */
		p[n++] = (struct pollfd){.fd = w->to, .events = (short)(blocked[i] ? POLLOUT : 0)};
		if (w->frames && !blocked[i]) {
			uint64_t due = w->queue[w->first].due_ns, in = due > now ? due - now : 0;

			wait = in < wait ? in : wait;
		}
	}
	ts.tv_sec = (time_t)(wait / 1000000000u);
	ts.tv_nsec = (long)(wait % 1000000000u);
	sigemptyset(&none);
	ppoll(p, n, &ts, &none);
	for (nfds_t i = 3; i < n; i += 4) /* who only takes is not read: its end shows here */
		if (p[i].fd >= 0 && p[i].revents & (POLLHUP | POLLERR))
			hang_up(i == 3 ? &cable.up.to : &cable.down.to);
}

static void run(void)
{
	struct way *ways[2] = {&cable.up, &cable.down};

	while (!stop) {
		int blocked[2];
		uint64_t now;

		if (again)
			read_settings();
		if (tell)
			report();
		for (int i = 0; i < 2; i++) {
			take_ends(ways[i]);
			now = clock_now_ns();
			if (ways[i]->from >= 0)
				fill(ways[i], now);
			blocked[i] = drain(ways[i], now);
		}
		wait_event(clock_now_ns(), blocked);
	}
}

static void take_signals(void)
{
	static const int signals[] = {SIGTERM, SIGINT, SIGUSR1, SIGHUP};
	struct sigaction sa = {.sa_handler = on_signal};
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		sigaddset(&set, signals[i]);
		sigaction(signals[i], &sa, NULL);
	}
	sigprocmask(SIG_BLOCK, &set, NULL); /* they come in ppoll alone */
	signal(SIGPIPE, SIG_IGN);
}

static void init_way(struct way *w, const char *name, uint64_t seed)
{
	char path[32];

	w->name = name;
	w->from = w->to = -1;
	w->random = seed;
	snprintf(path, sizeof(path), "%s-from", name);
	w->listen_from = listen_at(path);
	snprintf(path, sizeof(path), "%s-to", name);
	w->listen_to = listen_at(path);
}

static const char usage[] = "usage: packet-line [--seed N] SETTINGS DIR\n"
			    "DIR gets the sockets up-from, up-to (frames of the twin), down-from, down-to (frames to it)\n"
			    "SETTINGS: lines 'up delay_us=N loss_ppm=N' and 'down delay_us=N loss_ppm=N'; SIGHUP reads them again\n";

int main(int argc, char **argv)
{
	static const struct option opt[] = {{"seed", 1, 0, 's'}, {"help", 0, 0, 'h'}, {0}};
	uint64_t seed = 1;
	int c;

	err_set_name("packet-line");
	while ((c = getopt_long(argc, argv, "", opt, NULL)) != -1) {
		if (c == 's')
			seed = strtoull(optarg, NULL, 10);
		else {
			fputs(usage, c == 'h' ? stdout : stderr);
			return c == 'h' ? 0 : 2;
		}
	}
	if (argc - optind != 2) {
		fputs(usage, stderr);
		return 2;
	}
	cable.settings = argv[optind];
	cable.dir = argv[optind + 1];
	take_signals();
	init_way(&cable.up, "up", seed);
	init_way(&cable.down, "down", seed ^ 0x5bd1e995);
	read_settings();
	run();
	report();
	return 0;
}
