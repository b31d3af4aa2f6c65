/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * net_books: what the network counted while a direction of a network test ran, warm-up included: protocols (snmp), interface, interrupts and softirq (nic).
 */
#ifndef KD_SUITE_NET_BOOKS_H
#define KD_SUITE_NET_BOOKS_H

#include "address.h"
#include "nic.h"
#include "snmp.h"

struct net_books {
	const char *name;
	struct nic nic;
	struct snmp snmp;
	struct nic_count count;
};

void net_books_begin(struct net_books *b, const char *name, const struct address *peer);
/* The facts of snmp_report and nic_report. TCP's retransmissions in *retrans, where the caller wants them (else NULL): 1 where they are known. */
int net_books_report(const struct net_books *b, uint64_t *retrans);

#endif
