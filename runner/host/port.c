/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * port: see port.h. Traps: a tty must be raw and without echo, or it answers the box with the box's own words; a regular file never
 * polls as empty, so a twin's log is watched with inotify; and while a client of a twin's socket is connected and slow, QEMU writes
 * bytes to the log twice (chardev/char.c logs what met EAGAIN, and again when it is retried), so nobody is connected but while a
 * command is handed over.
 */
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <linux/sockios.h>
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
	{1200, B1200},   {2400, B2400},     {4800, B4800},     {9600, B9600},     {19200, B19200},   {38400, B38400},
	{57600, B57600}, {115200, B115200}, {230400, B230400}, {460800, B460800}, {921600, B921600}, {1500000, B1500000},
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
	if (strlen(colon + 1) > 5 || atoi(colon + 1) > 65535) /* getaddrinfo would take it modulo 65536 */
		return -ERANGE;
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

int port_open_twin(struct port *p, const char *log, const char *sock, uint64_t offset, char *why, size_t size)
{
	*p = (struct port){.kind = PORT_KIND_TWIN, .fd = -1, .wfd = -1, .watch = -1};
	p->fd = open(log, O_RDONLY | O_CREAT | O_CLOEXEC, 0644);
	if (p->fd < 0 || lseek(p->fd, (off_t)offset, SEEK_SET) < 0)
		goto bad;
	p->watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	if (p->watch < 0 || inotify_add_watch(p->watch, log, IN_MODIFY) < 0)
		goto bad;
	snprintf(p->sock, sizeof(p->sock), "%s", sock);
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

static int write_to(int fd, const void *data, size_t len)
{
	const char *s = data;
	uint64_t start = clock_now_ms();

	while (len) {
		ssize_t n = write(fd, s, len);
		struct pollfd pfd = {.fd = fd, .events = POLLOUT};

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

/* Connects, writes, waits until the guest has taken the last byte (QEMU takes no more than its UART holds), and goes. */
static int write_to_twin(const struct port *p, const void *data, size_t len)
{
	uint64_t start = clock_now_ms();
	int fd = server_socket(p->sock, 0), left = 1, err;
	char sink[4096];

	if (fd < 0)
		return fd;
	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
	err = write_to(fd, data, len);
	while (!err && left) {
		while (read(fd, sink, sizeof(sink)) > 0)
			;
		if (ioctl(fd, SIOCOUTQ, &left))
			err = -errno;
		else if (left && clock_now_ms() - start > WRITE_MS)
			err = -ETIMEDOUT;
		else if (left)
			clock_sleep_ms(1);
	}
	close(fd);
	return err;
}

int port_write(struct port *p, const void *data, size_t len)
{
	if (p->kind == PORT_KIND_TWIN)
		return write_to_twin(p, data, len);
	return p->wfd < 0 ? -ENOTCONN : write_to(p->wfd, data, len);
}

int port_break(struct port *p)
{
	if (p->kind != PORT_KIND_TTY)
		return -ENOTSUP;
	return p->wfd < 0 ? -ENOTCONN : tcsendbreak(p->wfd, 0) ? -errno : 0;
}

int port_poll_fd(const struct port *p) { return p->kind == PORT_KIND_TWIN ? p->watch : p->fd; }

void port_drain(struct port *p)
{
	char buf[4096];

	while (p->kind == PORT_KIND_TWIN && read(p->watch, buf, sizeof(buf)) > 0)
		;
}
