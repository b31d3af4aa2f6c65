/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gun: the start gun of hackbench: workers say that they are ready, then one byte each starts them, so that the cost of
 * fork stays outside the timer.
 *
 * Two pipes, made before the first fork. A worker calls gun_worker_wait; the parent gun_wait_ready, takes the time, gun_fire. A
 * worker that dies before it is ready is seen as end of file, never as a wait for ever: the parent closes its own end of
 * the ready pipe (in gun_wait_ready), so call it only when all are forked.
 */
#ifndef KD_SUITE_GUN_H
#define KD_SUITE_GUN_H

struct gun {
	int ready[2], go[2];
};

int gun_init(struct gun *g); /* 0 or -errno */
/* In a worker: 0 when it is to start, -errno (-EPIPE: the parent has gone). Closes its ends. */
int gun_worker_wait(struct gun *g);
/* In the parent. 0, -EPIPE when a worker died before it was ready, -errno. */
int gun_wait_ready(struct gun *g, unsigned workers);
int gun_fire(struct gun *g, unsigned workers);
void gun_close(struct gun *g);

#endif
