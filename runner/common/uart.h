/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * uart: a serial port of a PC (8250 to 16550A) without a driver: on a kernel that has none, records still go out and commands come in, by
 * polling the chip's registers from user space. Only on x86, where ioperm(2) gives a process its ports; elsewhere uart_open says -ENOSYS.
 *
 * Contract: only ever opened where the kernel has no driver of its own for the port (its device node does not open, or is no terminal).
 * Traps: the processor waits for each 16 bytes, so what is sent takes time from what is measured (the record `env serial=uart` tells); and what
 * comes in while nobody looks is lost behind the chip's 16 bytes.
 */
#ifndef KD_UART_H
#define KD_UART_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct uart {
	unsigned port; /* 0: not open */
	unsigned baud;
};

/* Where ttyS0 to ttyS3 have been since the PC/AT; 0 for any other name. Pure. */
unsigned uart_port(const char *node);
/* What the chip's divisor must be; 0: it cannot do that speed. Pure. */
unsigned uart_divisor(unsigned baud);
/* Asks for the ports, looks for a chip, sets speed, 8N1 and FIFO. -ENOSYS, -EPERM, -ENODEV (no chip there), -EINVAL (node or speed). */
int uart_open(struct uart *u, const char *node, unsigned baud);
/* All of it, or -ETIMEDOUT. */
int uart_write(const struct uart *u, const char *buf, size_t len, uint64_t until_ms);
/* What there is, until the line is silent for a few characters; 0: nothing. */
size_t uart_read(const struct uart *u, char *buf, size_t size);
/* Looks for input for so long; 1 when there is some. */
int uart_wait(const struct uart *u, unsigned ms);
/* Until the last bit has left, or the time is over. */
void uart_drain(const struct uart *u, uint64_t until_ms);

#endif
