/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * port: see port.h. Traps: a tty must be raw and without echo, or it answers the box with the box's own words; a regular file never
 * polls as empty, so a twin's log is watched with inotify; QEMU stalls the guest when its socket is connected and not drained.
 */
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <termios.h>
#include <unistd.h>

#include "common/clock.h"
#include "host/port.h"
#include "host/server.h"

#define WRITE_MS 1000

static const struct {
	unsigned baud;
	speed_t speed;
} speeds[] = {
	{1200, B1200},	   {2400, B2400},     {4800, B4800},	 {9600, B9600},	    {19200, B19200},   {38400, B38400},
	{57600, B57600},   {115200, B115200}, {230400, B230400}, {460800, B460800}, {921600, B921600}, {1500000, B1500000},
};

static int fail(char *why, size_t size, int err, const char *source)
{
	snprintf(why, size, "open %s: %s", source, strerror(-err));
	return err;
}

static int set_raw(int fd, unsigned baud)
{
	struct termios t;

	if (tcgetattr(fd, &t))
		return -errno;
	cfmakeraw(&t);
	t.c_cflag |= CLOCAL | CREAD;
	t.c_cflag &= ~(tcflag_t)(HUPCL | CRTSCTS);
	for (size_t i = 0; baud && i < sizeof(speeds) / sizeof(speeds[0]); i++)
		if (speeds[i].baud == baud && (cfsetispeed(&t, speeds[i].speed) || cfsetospeed(&t, speeds[i].speed)))
			return -errno;
	return tcsetattr(fd, TCSANOW, &t) ? -errno : 0;
}

static int open_unix(const char *path)
{
	struct sockaddr_un un = {.sun_family = AF_UNIX};
	int fd;

	if (strlen(path) >= sizeof(un.sun_path))
		return -ENAMETOOLONG;
	strcpy(un.sun_path, path);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd >= 0 && connect(fd, (struct sockaddr *)&un, sizeof(un))) {
		int err = -errno;

		close(fd);
		return err;
	}
	return fd < 0 ? -errno : fd;
}

/* HOST:PORT; -EINVAL where it is not of that shape. */
static int open_tcp(const char *source)
{
	const char *colon = strrchr(source, ':');
	struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *list = NULL;
	char host[256];
	int fd = -EINVAL;

	if (!colon || colon == source || !colon[1] || colon[1 + strspn(colon + 1, "0123456789")] || (size_t)(colon - source) >= sizeof(host))
		return -EINVAL;
	memcpy(host, source, (size_t)(colon - source));
	host[colon - source] = 0;
	if (getaddrinfo(host, colon + 1, &hints, &list))
		return -EHOSTUNREACH;
	for (struct addrinfo *a = list; a; a = a->ai_next) {
		fd = socket(a->ai_family, a->ai_socktype | SOCK_CLOEXEC, a->ai_protocol);
		if (fd >= 0 && !connect(fd, a->ai_addr, a->ai_addrlen))
			break;
		if (fd >= 0) {
			int err = -errno;

			close(fd);
			fd = err;
		}
	}
	freeaddrinfo(list);
	return fd;
}

static int open_path(struct port *p, const char *source, unsigned speed, const struct stat *st)
{
	int err = 0;

	if (S_ISSOCK(st->st_mode)) {
		p->kind = PORT_KIND_SOCKET;
		return open_unix(source);
	}
	p->kind = S_ISFIFO(st->st_mode) ? PORT_KIND_PIPE : S_ISCHR(st->st_mode) ? PORT_KIND_TTY : PORT_KIND_FILE;
	p->fd = open(source, (p->kind == PORT_KIND_TTY ? O_RDWR | O_NONBLOCK : O_RDONLY) | O_CLOEXEC | O_NOCTTY);
	if (p->fd < 0)
		return -errno;
	if (p->kind == PORT_KIND_TTY && isatty(p->fd))
		err = set_raw(p->fd, speed);
	return err ? err : p->fd;
}

int port_open(struct port *p, const char *source, unsigned speed, char *why, size_t size)
{
	struct stat st;
	int fd;

	*p = (struct port){.fd = -1, .wfd = -1, .watch = -1};
	if (!strcmp(source, "-")) {
		p->kind = PORT_KIND_PIPE;
		p->fd = STDIN_FILENO;
		return 0;
	}
	if (!stat(source, &st)) {
		fd = open_path(p, source, speed, &st);
	} else {
		p->kind = PORT_KIND_SOCKET;
		fd = open_tcp(source);
		if (fd == -EINVAL)
			fd = -ENOENT;
	}
	if (fd < 0) {
		port_close(p);
		return fail(why, size, fd, source);
	}
	p->fd = fd;
	if (p->kind == PORT_KIND_SOCKET || p->kind == PORT_KIND_TTY) {
		p->wfd = fd;
		fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
	}
	return 0;
}

int port_twin_connect(struct port *p, const char *sock)
{
	if (p->wfd >= 0)
		return 0;
	p->wfd = server_socket(sock, 0);
	if (p->wfd < 0) {
		int err = p->wfd;

		p->wfd = -1;
		return err;
	}
	fcntl(p->wfd, F_SETFL, fcntl(p->wfd, F_GETFL) | O_NONBLOCK);
	return 0;
}

int port_open_twin(struct port *p, const char *log, const char *sock, uint64_t offset, char *why, size_t size)
{
	*p = (struct port){.kind = PORT_KIND_TWIN, .fd = -1, .wfd = -1, .watch = -1};
	p->fd = open(log, O_RDONLY | O_CREAT | O_CLOEXEC, 0644);
	if (p->fd < 0 || lseek(p->fd, (off_t)offset, SEEK_SET) < 0)
		goto bad;
	p->watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	if (p->watch < 0 || inotify_add_watch(p->watch, log, IN_MODIFY) < 0)
		goto bad;
	port_twin_connect(p, sock);
	return 0;
bad:
	fail(why, size, -errno, log);
	port_close(p);
	return -EIO;
}

void port_close(struct port *p)
{
	if (p->wfd >= 0 && p->wfd != p->fd)
		close(p->wfd);
	if (p->fd > STDERR_FILENO)
		close(p->fd);
	if (p->watch >= 0)
		close(p->watch);
	p->fd = p->wfd = p->watch = -1;
}

ssize_t port_read(struct port *p, void *buf, size_t size)
{
	ssize_t n = read(p->fd, buf, size);

	if (n > 0)
		return n;
	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : errno == EIO && p->kind == PORT_KIND_TTY ? -EPIPE : -errno;
	return p->kind == PORT_KIND_TWIN ? 0 : -EPIPE;
}

int port_write(struct port *p, const void *data, size_t len)
{
	const char *s = data;
	uint64_t start = clock_now_ms();

	if (p->wfd < 0)
		return -ENOTCONN;
	while (len) {
		ssize_t n = write(p->wfd, s, len);
		struct pollfd pfd = {.fd = p->wfd, .events = POLLOUT};

		if (n < 0 && errno != EAGAIN && errno != EINTR)
			return -errno;
		if (n > 0) {
			s += n;
			len -= (size_t)n;
			continue;
		}
		if (clock_now_ms() - start > WRITE_MS)
			return -ETIMEDOUT;
		poll(&pfd, 1, 50);
	}
	return 0;
}

int port_poll_fds(const struct port *p, int fd[2])
{
	int n = 0;

	if (p->kind != PORT_KIND_TWIN) {
		fd[0] = p->fd;
		return p->fd >= 0;
	}
	fd[n++] = p->watch;
	if (p->wfd >= 0)
		fd[n++] = p->wfd;
	return n;
}

void port_drain(struct port *p)
{
	char buf[4096];
	ssize_t n = 1;

	if (p->kind != PORT_KIND_TWIN)
		return;
	while (read(p->watch, buf, sizeof(buf)) > 0)
		;
	while (p->wfd >= 0 && (n = read(p->wfd, buf, sizeof(buf))) > 0)
		;
	if (p->wfd >= 0 && (n == 0 || (errno != EAGAIN && errno != EINTR))) {
		close(p->wfd);
		p->wfd = -1;
	}
}
