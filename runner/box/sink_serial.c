/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sink_serial: non-blocking writes with a deadline that follows from the speed. Trap: the port is shared with the kernel's
 * console, so its speed is never changed to something the kernel did not choose; only echo and line editing go. Where the kernel has no
 * driver for the port, the chip itself is polled (common/uart.h).
 */
#include "box/sink_serial.h"
#include "common/clock.h"
#include "common/io.h"
#include "common/record.h"
#include "common/serial.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#define TTY_BUFFER_BYTES 4096
#define STUCK_MS 20

/* ms that len bytes behind a full buffer need. */
static uint64_t line_ms(const struct sink_serial *s, size_t len) { return (len + TTY_BUFFER_BYTES) * 10 * 1000 / s->baud + 500; }

static int write_by(int fd, const char *buf, size_t len, uint64_t until_ms)
{
	size_t done = 0;

	while (done < len) {
		ssize_t n = write(fd, buf + done, len - done);

		if (n > 0) {
			done += (size_t)n;
			continue;
		}
		if (n < 0 && errno != EAGAIN && errno != EINTR)
			return -errno;
		uint64_t now = clock_now_ms();
		if (now >= until_ms)
			return -ETIMEDOUT;
		struct pollfd p = {.fd = fd, .events = POLLOUT};
		poll(&p, 1, (int)(until_ms - now));
	}
	return 0;
}

static int serial_put(struct sink *base, const char *line, size_t len)
{
	struct sink_serial *s = (struct sink_serial *)base;
	char out[RECORD_MAX + 2];
	int err = -ENODEV;

	if (sink_serial_is_open(s) && len <= RECORD_MAX) {
		memcpy(out, line, len);
		memcpy(out + len, "\r\n", 2);
		uint64_t until = clock_now_ms() + (s->stuck ? STUCK_MS : line_ms(s, len));
		err = s->uart.port ? uart_write(&s->uart, out, len + 2, until) : write_by(s->fd, out, len + 2, until);
		s->stuck = err == -ETIMEDOUT;
	}
	if (err)
		base->dropped_bytes += len + 2;
	else
		base->sent_bytes += len + 2;
	return err;
}

static int serial_flush(struct sink *base, uint64_t timeout_ms)
{
	struct sink_serial *s = (struct sink_serial *)base;
	uint64_t until = clock_now_ms() + timeout_ms;
	int waiting = 0;

	if (s->uart.port)
		uart_drain(&s->uart, until);
	if (s->fd < 0)
		return s->uart.port ? 0 : -ENODEV;
	while (ioctl(s->fd, TIOCOUTQ, &waiting) == 0 && waiting > 0) {
		if (clock_now_ms() >= until || s->stuck)
			return -ETIMEDOUT;
		clock_sleep_ms(1);
	}
	tcdrain(s->fd); /* the kernel's buffer is empty: what is left is the chip's 16 bytes */
	return 0;
}

static const struct sink_ops serial_ops = {"serial", serial_put, serial_flush};

static void set_raw(int fd, struct termios *t)
{
	cfmakeraw(t);
	t->c_cflag |= CLOCAL | CREAD | CS8;
	t->c_cflag &= ~(tcflag_t)(HUPCL | CRTSCTS | PARENB | CSTOPB);
	t->c_cc[VMIN] = 1;
	t->c_cc[VTIME] = 0;
	tcsetattr(fd, TCSANOW, t);
}

/* Is there nobody behind the node? A kernel with the driver opens even a port without a chip, which then answers EIO. */
static int has_no_driver(int fd, struct termios *t) { return fd < 0 ? errno != EBUSY : tcgetattr(fd, t) < 0 && errno == EIO; }

int sink_serial_open(struct sink_serial *s, const char *cmdline)
{
	char node[32], path[48];
	struct termios t;

	s->base.ops = &serial_ops;
	s->fd = -1;
	s->uart.port = 0;
	if (serial_find(cmdline, node, sizeof node, &s->baud) < 0)
		return -ENOENT;
	snprintf(path, sizeof path, "/dev/%s", node);
	s->fd = open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
	int err = s->fd < 0 ? -errno : 0;
	if (has_no_driver(s->fd, &t)) {
		if (uart_open(&s->uart, node, s->baud) == 0) {
			if (s->fd >= 0)
				close(s->fd);
			s->fd = -1;
			return 0;
		}
	}
	if (s->fd < 0)
		return err;
	io_set_cloexec(s->fd);         /* kernels before 2.6.23 know no O_CLOEXEC */
	if (tcgetattr(s->fd, &t) == 0) /* else no terminal: a pipe or file stands in for one */
		set_raw(s->fd, &t);
	return 0;
}

int sink_serial_is_open(const struct sink_serial *s) { return s->fd >= 0 || s->uart.port; }

void sink_serial_wait(const struct sink_serial *s, unsigned ms)
{
	if (s->uart.port)
		uart_wait(&s->uart, ms);
}

static ssize_t read_some(const struct sink_serial *s, char *buf, size_t size)
{
	if (s->uart.port)
		return (ssize_t)uart_read(&s->uart, buf, size);
	return s->fd < 0 ? -1 : read(s->fd, buf, size);
}

int sink_serial_command(struct sink_serial *s, struct command *c)
{
	char buf[256];

	for (;;) {
		if (reader_next(&s->reader, c))
			return 1;
		size_t room = reader_room(&s->reader);
		ssize_t n = read_some(s, buf, room < sizeof buf ? room : sizeof buf);
		if (n <= 0)
			return 0;
		s->heard_bytes += (uint64_t)n;
		reader_feed(&s->reader, buf, (size_t)n);
	}
}
