/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * watchdog: /dev/watchdog (Documentation/watchdog/watchdog-api.rst), held by PID 1 for the life of the kernel and
 * never closed: once it is open, only petting keeps the machine from being reset.
 */
#ifndef KD_INIT_WATCHDOG_H
#define KD_INIT_WATCHDOG_H

#include <stdint.h>

#define WATCHDOG_TIMEOUT_S 30

struct watchdog {
	int fd; /* -1: none */
	unsigned timeout_s;
	int was_reset; /* 1: the last reset was the watchdog's, 0: it was not, -1: unknown */
	uint64_t next_ms;
};

void watchdog_open(struct watchdog *w);
/* Pets when it is time to; ms until the next time. */
uint64_t watchdog_pet(struct watchdog *w, uint64_t now_ms);
/* The longest silence that the jump may take. Pets once, with that time-out. */
void watchdog_jump(struct watchdog *w, unsigned jump_s);

#endif
