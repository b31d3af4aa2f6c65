/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * order: what a person's command (`sweep pause`, `sweep resume`, `ssh`) asks of a `sweep run` that runs, over run/order-<sweep>.sock:
 * a line there, a line back, the end. The socket is not the one that boxes' questions come by: HTTP hands those on as they
 * are, and nothing that a box sends may ever be an order.
 *
 *     order word=pause reason=... *crc      order word=resume *crc      order word=state *crc
 *     state paused=0|1 since=<unix ms> reason=... held=0|1 line=N going=N port=N addr=A.B.C.D changed=0|1 *crc
 */
#ifndef KD_ORDER_H
#define KD_ORDER_H

#include "common/journal.h"

#define ORDER_PREFIX "order-"
#define ORDER_SUFFIX ".sock"
#define ORDER_MAX 1024

enum order_word { ORDER_PAUSE = 1, ORDER_RESUME, ORDER_STATE };

struct order {
	enum order_word word;
	char reason[JOURNAL_REASON_MAX + 1]; /* of a pause */
};

struct order_state {
	int paused, changed; /* changed: by this order */
	uint64_t since_ms;   /* of the pause, unix */
	char reason[JOURNAL_REASON_MAX + 1];
	int held;       /* the box has been told so, and has not been heard to do anything else since */
	unsigned line;  /* in whose kernel it stands; 0: home or crash kernel */
	unsigned going; /* the line that is finished before the pause takes effect, or 0 */
	unsigned port;  /* where its ssh is reached, where the sweep has one; 0: not known */
	char addr[16];  /* IPv4, or "" */
};

/* Pure. 0 or -EINVAL; length or -errno. */
int order_parse(struct order *o, const char *s, size_t len);
long order_format(const struct order *o, char *out, size_t size);
int order_state_parse(struct order_state *st, const char *s, size_t len);
long order_state_format(const struct order_state *st, char *out, size_t size);
/* A dotted quad, and nothing else. */
int order_is_addr(const char *s);

/* Name of the socket in run/. */
void order_socket_name(const char *sweep, char *out, size_t size);
/* Asks the `sweep run` of that sweep. 0; -ECONNREFUSED: none listens; -ETIMEDOUT, -EPROTO. */
int order_ask(const char *sweep, const struct order *o, struct order_state *st);

#endif
