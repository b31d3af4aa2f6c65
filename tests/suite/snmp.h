/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * snmp: counters of /proc/net/snmp (all kernels): a line of names, a line of values, by protocol. System-wide: with nothing else on the
 * network their difference is the test's.
 */
#ifndef KD_SUITE_SNMP_H
#define KD_SUITE_SNMP_H

#include <stdint.h>

struct snmp {
	uint64_t tcp_retrans, tcp_in_errs, tcp_out_segs, tcp_in_segs;
};

/* Pure. One value: -ENOENT where it is not there. */
int snmp_value(const char *text, const char *protocol, const char *name, uint64_t *out);
void snmp_read(struct snmp *s); /* what is not there is 0 */
/* `fact snmp=NAME retrans= in_errs= out_segs= in_segs=` of the differences. */
void snmp_report(const char *name, const struct snmp *before, const struct snmp *after);

#endif
