/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * serial-line: a bad, slow serial line between a box and a station. Bytes go at the pace of a UART, and are flipped, dropped and doubled by
 * chance of a seed, in both directions. One process, one poll loop, nothing unbounded; it ends by SIGTERM.
 *
 * Contract: a box that comes and goes is connected to again; without a station the bytes of the box go to the log alone; at the end (and at
 * SIGUSR1) it says on standard output what each direction took, gave and damaged. Trap: a socket holds what a UART does not, so the
 * sender would believe that everything is out at once: of a sender of this machine the socket's buffer is made as small as it goes.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <termios.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/err.h"
#include "common/io.h"

#define OUT_BYTES 65536
#define FIFO_MAX 4096
#define LAG_NS 20000000u /* a late waking is made up for by so much */
#define RETRY_NS 50000000u

struct way {
	const char *name;
	/* the UART: bytes that wait for the wire */
	unsigned char fifo[FIFO_MAX];
	size_t at, len;
	uint64_t free_ns; /* the wire is free from here on */
	/* what the receiver has not taken */
	char out[OUT_BYTES];
	size_t out_len;
	uint64_t random;
	uint64_t in_bytes, out_bytes, flips, drops, doubles, lost;
};

struct end {
	const char *path; /* unix socket, or pty:LINK */
	int fd, listener;
	uint64_t retry_ns;
};

static struct {
	uint64_t byte_ns; /* 0: not paced */
	size_t fifo;
	double flip, drop, dbl;
	int once, log_fd;
	struct end box, station;
	struct way up, down; /* from the box, to the box */
} line = {.fifo = 16,
          .log_fd = -1,
          .box.fd = -1,
          .box.listener = -1,
          .station.fd = -1,
          .station.listener = -1,
          .up.name = "from-box",
          .down.name = "to-box"};

static volatile sig_atomic_t stop, tell;

static void on_signal(int sig)
{
	if (sig == SIGUSR1)
		tell = 1;
	else
		stop = 1;
}

/* splitmix64 */
static double chance(struct way *w)
{
	uint64_t z = w->random += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

/* One byte leaves the wire. */
static void deliver(struct way *w, unsigned char c)
{
	double p = chance(w);
	size_t n = 1;

	if (p < line.flip) {
		c ^= (unsigned char)(1u << (int)(chance(w) * 8));
		w->flips++;
	} else if ((p -= line.flip) < line.drop) {
		n = 0;
		w->drops++;
	} else if (p - line.drop < line.dbl) {
		n = 2;
		w->doubles++;
	}
	for (; n; n--) {
		if (w->out_len == OUT_BYTES)
			w->lost++;
		else
			w->out[w->out_len++] = (char)c;
	}
}

/* What has had its time on the wire. 1 where the FIFO has room again. */
static int run_wire(struct way *w, uint64_t now)
{
	if (line.byte_ns && w->free_ns + LAG_NS < now)
		w->free_ns = now - LAG_NS;
	while (w->len && (!line.byte_ns || w->free_ns + line.byte_ns <= now)) {
		deliver(w, w->fifo[w->at]);
		w->at = (w->at + 1) % FIFO_MAX;
		w->len--;
		w->free_ns += line.byte_ns;
	}
	return w->len < line.fifo;
}

/* 0: there may be more; 1: nothing for now; -1: the end. */
static int fill(struct way *w, int fd, uint64_t now)
{
	unsigned char buf[FIFO_MAX];
	ssize_t n = read(fd, buf, line.fifo - w->len);

	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? 1 : -1;
	if (n == 0)
		return -1;
	if (!w->len && w->free_ns + LAG_NS < now)
		w->free_ns = now; /* it has been idle */
	for (ssize_t i = 0; i < n; i++)
		w->fifo[(w->at + w->len++) % FIFO_MAX] = buf[i];
	w->in_bytes += (uint64_t)n;
	return 0;
}

/* fd -1: nobody is there. */
static void drain(struct way *w, int fd, int log_fd)
{
	ssize_t n;

	if (log_fd >= 0 && w->out_len && io_write_all(log_fd, w->out, w->out_len))
		err_die("write the log:");
	if (!w->out_len)
		return;
	n = fd < 0 ? (ssize_t)w->out_len : send(fd, w->out, w->out_len, MSG_NOSIGNAL | MSG_DONTWAIT);
	if (n < 0 && errno == ENOTSOCK)
		n = write(fd, w->out, w->out_len);
	if (fd < 0 && log_fd < 0)
		w->lost += w->out_len;
	else if (n > 0 || log_fd >= 0)
		w->out_bytes += (uint64_t)(log_fd >= 0 ? w->out_len : (size_t)n);
	if (log_fd >= 0) /* the log has it: a client that does not read misses it */
		n = (ssize_t)w->out_len;
	if (n <= 0)
		return;
	w->out_len -= (size_t)n;
	memmove(w->out, w->out + n, w->out_len);
}

/* ---- the two ends */

static int unix_address(struct sockaddr_un *un, const char *path)
{
	*un = (struct sockaddr_un){.sun_family = AF_UNIX};
	if (strlen(path) >= sizeof un->sun_path)
		err_die("%s is too long for a socket", path);
	strcpy(un->sun_path, path);
	return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
}

/* The master of a new pty; LINK leads to its other end. */
static int open_pty(const char *link)
{
	int fd = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC), slave;
	struct termios t;

	if (fd < 0 || grantpt(fd) || unlockpt(fd))
		err_die("posix_openpt:");
	unlink(link);
	if (symlink(ptsname(fd), link))
		err_die("symlink %s:", link);
	slave = open(ptsname(fd), O_RDWR | O_NOCTTY); /* kept open, or reads fail while nobody has it */
	if (slave < 0 || tcgetattr(slave, &t))
		err_die("open %s:", ptsname(fd));
	cfmakeraw(&t);
	tcsetattr(slave, TCSANOW, &t);
	return fd;
}

/* Who sends to us on this unix socket keeps less: its own descriptor is fetched for a moment (pidfd_getfd(2)). Best effort. */
static void narrow_sender(int fd, const char *path)
{
	struct ucred peer;
	socklen_t len = sizeof peer;
	int pidfd, min = 1;

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len))
		return;
	pidfd = (int)syscall(SYS_pidfd_open, peer.pid, 0);
	for (int n = 0; pidfd >= 0 && n < 256; n++) {
		int theirs = (int)syscall(SYS_pidfd_getfd, pidfd, n, 0), listens = 1;
		struct sockaddr_un un = {0};
		socklen_t size = sizeof un;

		if (theirs < 0)
			continue;
		len = sizeof listens;
		if (!getsockopt(theirs, SOL_SOCKET, SO_ACCEPTCONN, &listens, &len) && !listens &&
		    !getsockname(theirs, (struct sockaddr *)&un, &size) && un.sun_family == AF_UNIX &&
		    !strncmp(un.sun_path, path, sizeof un.sun_path))
			setsockopt(theirs, SOL_SOCKET, SO_SNDBUF, &min, sizeof min);
		close(theirs);
	}
	if (pidfd >= 0)
		close(pidfd);
}

static void reach_box(uint64_t now)
{
	struct sockaddr_un un;
	int fd;

	if (line.box.fd >= 0 || now < line.box.retry_ns)
		return;
	line.box.retry_ns = now + RETRY_NS;
	if (!strncmp(line.box.path, "pty:", 4)) {
		fd = open_pty(line.box.path + 4);
	} else {
		fd = unix_address(&un, line.box.path);
		if (fd >= 0 && connect(fd, (struct sockaddr *)&un, sizeof un)) {
			close(fd);
			return;
		}
		if (line.byte_ns)
			narrow_sender(fd, line.box.path);
	}
	if (fd < 0)
		return;
	io_set_nonblock(fd, 1);
	line.box.fd = fd;
}

static void listen_for_station(void)
{
	struct sockaddr_un un;

	if (!strncmp(line.station.path, "pty:", 4)) {
		line.station.fd = open_pty(line.station.path + 4);
		io_set_nonblock(line.station.fd, 1);
		return;
	}
	line.station.listener = unix_address(&un, line.station.path);
	unlink(line.station.path);
	if (line.station.listener < 0 || bind(line.station.listener, (struct sockaddr *)&un, sizeof un) || listen(line.station.listener, 8))
		err_die("listen on %s:", line.station.path);
	io_set_nonblock(line.station.listener, 1);
}

static void take_station(void)
{
	if (line.station.fd >= 0 || line.station.listener < 0)
		return;
	line.station.fd = accept4(line.station.listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
}

/* ---- the loop */

static void say_way(const struct way *w)
{
	printf("%s in=%" PRIu64 " out=%" PRIu64 " flips=%" PRIu64 " drops=%" PRIu64 " doubles=%" PRIu64 " lost=%" PRIu64 "\n", w->name, w->in_bytes,
	       w->out_bytes, w->flips, w->drops, w->doubles, w->lost);
}

static void report(void)
{
	say_way(&line.up);
	say_way(&line.down);
	fflush(stdout);
	tell = 0;
}

static void hang_up(struct end *e)
{
	close(e->fd);
	e->fd = -1;
}

static void move(struct way *w, struct end *from, struct end *to, int log_fd, uint64_t now)
{
	int r = 0;

	while (run_wire(w, now) && from->fd >= 0 && r == 0 && w->out_len < OUT_BYTES / 2) {
		r = fill(w, from->fd, now);
		if (r < 0) {
			hang_up(from);
			if (line.once && from == &line.box)
				stop = 1;
		}
	}
	drain(w, to->fd, log_fd);
}

static void wait_event(uint64_t now)
{
	struct pollfd p[3];
	struct timespec ts = {.tv_nsec = RETRY_NS};
	nfds_t n = 0;
	uint64_t wait = RETRY_NS;
	sigset_t none;

	if (line.station.fd < 0 && line.station.listener >= 0)
		p[n++] = (struct pollfd){.fd = line.station.listener, .events = POLLIN};
	for (int up = 0; up < 2; up++) {
		struct way *w = up ? &line.up : &line.down;
		struct way *back = up ? &line.down : &line.up;
		struct end *from = up ? &line.box : &line.station;
		int events = (w->len < line.fifo && w->out_len < OUT_BYTES / 2 ? POLLIN : 0) | (back->out_len ? POLLOUT : 0);

		if (from->fd >= 0)
			p[n++] = (struct pollfd){.fd = from->fd, .events = (short)events};
		if (w->len && line.byte_ns) { /* until half of what waits is out */
			uint64_t due = w->free_ns + line.byte_ns * (w->len / 2 + 1);
			uint64_t in = due > now ? due - now : 0;

			wait = in < wait ? in : wait;
		}
	}
	ts.tv_nsec = (long)wait;
	sigemptyset(&none);
	ppoll(p, n, &ts, &none);
}

static void run(void)
{
	while (!stop) {
		uint64_t now = clock_now_ns();

		reach_box(now);
		take_station();
		move(&line.up, &line.box, &line.station, line.log_fd, now);
		move(&line.down, &line.station, &line.box, -1, now);
		if (tell)
			report();
		if (!stop)
			wait_event(clock_now_ns());
	}
}

static void take_signals(void)
{
	struct sigaction sa = {.sa_handler = on_signal};
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL); /* they come in ppoll alone */
	sigaction(SIGTERM, &sa, NULL);
	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGUSR1, &sa, NULL);
	signal(SIGPIPE, SIG_IGN);
}

static double probability(const char *s)
{
	char *end;
	double p = strtod(s, &end);

	if (*end || end == s || !(p >= 0 && p <= 1))
		err_die("'%s' is no probability (0 to 1)", s);
	return p;
}

static const char usage[] = "usage: serial-line [OPTION]... BOX [LOG] STATION\n"
			    "BOX: a unix socket to connect to, or pty:LINK; STATION: a unix socket to listen on, or pty:LINK\n"
			    "LOG: what comes from the box is appended to it (as a twin's console log)\n"
			    "  --baud N                      pace of both directions, 10 bits a byte (0: none)\n"
			    "  --fifo N                      bytes that the UART holds (16)\n"
			    "  --flip P --drop P --double P  chances a byte, both directions\n"
			    "  --seed N                      of chance (1)\n"
			    "  --once                        ends when the box hangs up\n";

static void die_usage(int status)
{
	fputs(usage, status ? stderr : stdout);
	exit(status);
}

static void take_args(int argc, char **argv)
{
	static const struct option opt[] = {{"baud", 1, 0, 'b'}, {"fifo", 1, 0, 'f'},   {"flip", 1, 0, 'F'},
	                                    {"drop", 1, 0, 'D'}, {"double", 1, 0, '2'}, {"seed", 1, 0, 's'},
	                                    {"once", 0, 0, 'o'}, {"help", 0, 0, 'h'},   {0}};
	uint64_t seed = 1, baud = 0, fifo = 16;
	int c;

	while ((c = getopt_long(argc, argv, "", opt, NULL)) != -1) {
		if (c == 'F' || c == 'D' || c == '2')
			*(c == 'F' ? &line.flip : c == 'D' ? &line.drop : &line.dbl) = probability(optarg);
		else if (c == 'b' || c == 'f' || c == 's')
			*(c == 'b' ? &baud : c == 'f' ? &fifo : &seed) = strtoull(optarg, NULL, 10);
		else if (c == 'o')
			line.once = 1;
		else
			die_usage(c == 'h' ? 0 : 2);
	}
	line.fifo = fifo;
	if (argc - optind < 2 || argc - optind > 3 || !line.fifo || line.fifo > FIFO_MAX || baud > 100000000)
		die_usage(2);
	line.byte_ns = baud ? 10 * UINT64_C(1000000000) / baud : 0;
	line.up.random = seed;
	line.down.random = seed ^ 0x5851f42d4c957f2du;
	line.box.path = argv[optind];
	line.station.path = argv[argc - 1];
	if (argc - optind == 3)
		line.log_fd = open(argv[optind + 1], O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
	if (argc - optind == 3 && line.log_fd < 0)
		err_die("open %s:", argv[optind + 1]);
}

int main(int argc, char **argv)
{
	take_args(argc, argv);
	take_signals();
	prctl(PR_SET_TIMERSLACK, 10000);
	listen_for_station();
	run();
	report();
	if (line.station.listener >= 0)
		unlink(line.station.path);
	return 0;
}
