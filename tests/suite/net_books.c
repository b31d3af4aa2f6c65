/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * net_books: read, wait, read again.
 */
#include "net_books.h"

void net_books_begin(struct net_books *b, const char *name, const struct address *peer)
{
	b->name = name;
	nic_find(&b->nic, peer);
	nic_read(&b->nic, &b->count);
	snmp_read(&b->snmp);
}

int net_books_report(const struct net_books *b, uint64_t *retrans)
{
	struct nic_count count;
	struct snmp now;

	snmp_read(&now);
	nic_read(&b->nic, &count);
	snmp_report(b->name, &b->snmp, &now);
	nic_report(b->name, &b->nic, &b->count, &count);
	if (!b->snmp.known[SNMP_RETRANS] || !now.known[SNMP_RETRANS])
		return 0;
	if (retrans)
		*retrans = now.v[SNMP_RETRANS] - b->snmp.v[SNMP_RETRANS];
	return 1;
}
