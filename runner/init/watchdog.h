/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * watchdog: /dev/watchdog (Documentation/watchdog/watchdog-api.rst), held by PID 1 for the life of the kernel and
 * never closed: once it is open, only petting keeps the machine from being reset. Where driver and kernel can, it stays armed over a kexec.
 */
#ifndef KD_INIT_WATCHDOG_H
#define KD_INIT_WATCHDOG_H

#include <stdint.h>

#define WATCHDOG_TIMEOUT_S 30

struct watchdog {
	int fd; /* -1: none */
	unsigned timeout_s;
	int was_reset;      /* 1: the last reset was the watchdog's, 0: it was not, -1: unknown */
	char identity[33];  /* what the driver calls itself, "" where there is none */
	unsigned carries_s; /* the longest time-out that it keeps over a kexec; 0: it keeps none */
	uint64_t next_ms;
};

void watchdog_open(struct watchdog *w);
/* Pets when it is time to; ms until the next time. */
uint64_t watchdog_pet(struct watchdog *w, uint64_t now_ms);
/* Before the jump: armed for jump_s seconds, petted once; 0: stopped, since the next kernel could not pet it. */
void watchdog_jump(struct watchdog *w, unsigned jump_s);
/* From now on it waits so long, where the driver takes that: a crash kernel may have no driver to pet it. */
void watchdog_lengthen(struct watchdog *w, unsigned s);
/* The jump came back: as before it. */
void watchdog_stay(struct watchdog *w);

#endif
