/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * snmp: /proc/net/snmp.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/io.h"
#include "fact.h"
#include "snmp.h"

/* The next line that begins with `PROTOCOL:`, from s on: what stands behind the colon, or NULL. */
static const char *next_line(const char *s, const char *protocol)
{
	size_t len = strlen(protocol);

	while (s && *s) {
		if (!strncmp(s, protocol, len) && s[len] == ':')
			return s + len + 1;
		s = strchr(s, '\n');
		s = s ? s + 1 : NULL;
	}
	return NULL;
}

int snmp_value(const char *text, const char *protocol, const char *name, uint64_t *out)
{
	const char *names = next_line(text, protocol);
	const char *values = names ? next_line(names, protocol) : NULL;
	size_t want = strlen(name);

	while (names && values) {
		size_t n, v;

		names += strspn(names, " ");
		values += strspn(values, " ");
		n = strcspn(names, " \n");
		v = strcspn(values, " \n");
		if (!n || !v)
			break;
		if (n == want && !memcmp(names, name, n)) {
			*out = strtoull(values, NULL, 10);
			return 0;
		}
		names += n;
		values += v;
	}
	return -ENOENT;
}

/* A line of facts a group, in this order. */
static const struct {
	const char *group, *protocol, *name, *key;
} rows[SNMP_ROWS] = {
	{"snmp", "Tcp", "RetransSegs", "retrans"},     {"snmp", "Tcp", "InErrs", "in_errs"},    {"snmp", "Tcp", "OutSegs", "out_segs"},
	{"snmp", "Tcp", "InSegs", "in_segs"},          {"ip", "Ip", "ReasmOKs", "reasm_oks"},   {"ip", "Ip", "ReasmFails", "reasm_fails"},
	{"ip", "Ip", "FragOKs", "frag_oks"},           {"ip", "Ip", "FragFails", "frag_fails"}, {"ip", "Ip", "InDiscards", "in_discards"},
	{"udp", "Udp", "InDatagrams", "in"},           {"udp", "Udp", "InErrors", "in_errs"},   {"udp", "Udp", "NoPorts", "no_ports"},
	{"udp", "Udp", "RcvbufErrors", "rcvbuf_errs"},
};

void snmp_parse(struct snmp *s, const char *text)
{
	memset(s, 0, sizeof(*s));
	for (unsigned i = 0; i < SNMP_ROWS; i++)
		s->known[i] = !snmp_value(text, rows[i].protocol, rows[i].name, &s->v[i]);
}

void snmp_read(struct snmp *s)
{
	char text[4096];

	if (io_read_small("/proc/net/snmp", text, sizeof(text)) <= 0)
		text[0] = 0;
	snmp_parse(s, text);
}

void snmp_report(const char *name, const struct snmp *before, const struct snmp *after)
{
	unsigned i = 0;

	while (i < SNMP_ROWS) {
		const char *group = rows[i].group;
		unsigned said = 0;
		struct fact f;

		fact_open(&f, "fact");
		kv_out_str(&f.o, group, name);
		for (; i < SNMP_ROWS && !strcmp(rows[i].group, group); i++)
			if (before->known[i] && after->known[i]) {
				kv_out_u64(&f.o, rows[i].key, after->v[i] - before->v[i]);
				said++;
			}
		if (said)
			fact_send(&f);
	}
}
