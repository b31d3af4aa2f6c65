/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * uart: registers as in the data sheet of National's PC16550D: +0 data (or divisor), +1 interrupts (or divisor), +2 FIFO, +3 line control, +4 modem
 * control, +5 line status, +7 scratch. Interrupts stay off: there is nobody to take them.
 */
#include "common/uart.h"

#include <errno.h>
#include <string.h>

#include "common/clock.h"

#define CLOCK_HZ 115200u
#define PORTS 8
#define FIFO_BYTES 16
#define SILENT_CHARS 4
#define LSR_READY 0x01
#define LSR_ROOM 0x20
#define LSR_EMPTY 0x40

unsigned uart_port(const char *node)
{
	static const unsigned port[] = {0x3f8, 0x2f8, 0x3e8, 0x2e8};

	if (strncmp(node, "ttyS", 4) != 0 || node[4] < '0' || node[4] > '3' || node[5])
		return 0;
	return port[node[4] - '0'];
}

unsigned uart_divisor(unsigned baud) { return baud && baud <= CLOCK_HZ && CLOCK_HZ / baud <= 0xffff ? CLOCK_HZ / baud : 0; }

#if defined(__i386__) || defined(__x86_64__)
#include <sys/io.h>

static unsigned get(const struct uart *u, unsigned reg) { return inb((unsigned short)(u->port + reg)); }

static void put(const struct uart *u, unsigned reg, unsigned v) { outb((unsigned char)v, (unsigned short)(u->port + reg)); }

/* An empty bus reads as ones; a chip keeps what is put into its scratch register (all but the first 8250s have one). */
static int is_there(const struct uart *u)
{
	if (get(u, 5) == 0xff)
		return 0;
	put(u, 7, 0x5a);
	if (get(u, 7) != 0x5a)
		return 0;
	put(u, 7, 0xa5);
	return get(u, 7) == 0xa5;
}

int uart_open(struct uart *u, const char *node, unsigned baud)
{
	unsigned divisor = uart_divisor(baud);

	u->port = uart_port(node);
	u->baud = baud;
	if (!u->port || !divisor) {
		u->port = 0;
		return -EINVAL;
	}
	/* ioperm reaches only below 0x400; a kernel may have neither (CONFIG_X86_IOPL_IOPERM). */
	int err = ioperm(u->port, PORTS, 1) ? -errno : 0;
	if (!err && !is_there(u))
		err = -ENODEV;
	if (err) {
		u->port = 0;
		return err;
	}
	uart_drain(u, clock_now_ms() + 100); /* what the firmware or the kernel before was saying */
	put(u, 1, 0);
	put(u, 3, 0x83); /* 8N1, and the divisor's registers */
	put(u, 0, divisor & 0xff);
	put(u, 1, divisor >> 8);
	put(u, 3, 0x03);
	put(u, 2, 0xc1); /* FIFO on; what has come is kept */
	put(u, 4, 0x03); /* DTR, RTS */
	return 0;
}

/* Until one of these bits of the line's status is set. 1, or 0 at the end of the time. */
static int wait_status(const struct uart *u, unsigned bits, uint64_t until_ms)
{
	for (unsigned n = 0; !(get(u, 5) & bits); n++)
		if (n % 64 == 63 && clock_now_ms() >= until_ms)
			return 0;
	return 1;
}

int uart_write(const struct uart *u, const char *buf, size_t len, uint64_t until_ms)
{
	for (size_t i = 0; i < len;) {
		if (!wait_status(u, LSR_ROOM, until_ms))
			return -ETIMEDOUT;
		/* The FIFO is empty when there is room; a chip without one takes a single byte. */
		size_t n = (get(u, 2) & 0xc0) == 0xc0 ? FIFO_BYTES : 1;
		for (; n && i < len; n--)
			put(u, 0, (unsigned char)buf[i++]);
	}
	return 0;
}

size_t uart_read(const struct uart *u, char *buf, size_t size)
{
	unsigned silent_ms = SILENT_CHARS * 10000 / u->baud + 2;
	size_t n = 0;

	while (n < size && (get(u, 5) & LSR_READY || (n && uart_wait(u, silent_ms))))
		buf[n++] = (char)get(u, 0);
	return n;
}

int uart_wait(const struct uart *u, unsigned ms) { return wait_status(u, LSR_READY, clock_now_ms() + ms); }

void uart_drain(const struct uart *u, uint64_t until_ms) { wait_status(u, LSR_EMPTY, until_ms); }

#else

int uart_open(struct uart *u, const char *node, unsigned baud)
{
	(void)node;
	u->port = 0;
	u->baud = baud;
	return -ENOSYS;
}

int uart_write(const struct uart *u, const char *buf, size_t len, uint64_t until_ms)
{
	(void)u, (void)buf, (void)len, (void)until_ms;
	return -ENODEV;
}

size_t uart_read(const struct uart *u, char *buf, size_t size)
{
	(void)u, (void)buf, (void)size;
	return 0;
}

int uart_wait(const struct uart *u, unsigned ms)
{
	(void)u;
	clock_sleep_ms(ms);
	return 0;
}

void uart_drain(const struct uart *u, uint64_t until_ms) { (void)u, (void)until_ms; }
#endif
