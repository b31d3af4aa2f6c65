/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * snmp: counters of /proc/net/snmp (all kernels): a line of names, a line of values, by protocol. System-wide: with nothing else on the
 * network their difference is the test's.
 */
#ifndef KD_SUITE_SNMP_H
#define KD_SUITE_SNMP_H

#include <stdint.h>

#define SNMP_RETRANS 0 /* row of TCP's retransmissions */
#define SNMP_ROWS 13

struct snmp {
	uint64_t v[SNMP_ROWS];
	unsigned char known[SNMP_ROWS];
};

/* Pure. One value: -ENOENT where it is not there. */
int snmp_value(const char *text, const char *protocol, const char *name, uint64_t *out);
void snmp_parse(struct snmp *s, const char *text); /* pure */
void snmp_read(struct snmp *s);
/*
 * `fact snmp=NAME retrans= in_errs= out_segs= in_segs=` (TCP), `fact ip=NAME reasm_oks= reasm_fails= frag_oks= frag_fails= in_discards=` and `fact udp=NAME
 * in= in_errs= no_ports= rcvbuf_errs=` of the differences; what the kernel does not count is left out.
 */
void snmp_report(const char *name, const struct snmp *before, const struct snmp *after);

#endif
