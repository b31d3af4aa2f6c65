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

void snmp_read(struct snmp *s)
{
	char text[4096];

	memset(s, 0, sizeof(*s));
	if (io_read_small("/proc/net/snmp", text, sizeof(text)) <= 0)
		return;
	snmp_value(text, "Tcp", "RetransSegs", &s->tcp_retrans);
	snmp_value(text, "Tcp", "InErrs", &s->tcp_in_errs);
	snmp_value(text, "Tcp", "OutSegs", &s->tcp_out_segs);
	snmp_value(text, "Tcp", "InSegs", &s->tcp_in_segs);
}

void snmp_report(const char *name, const struct snmp *before, const struct snmp *after)
{
	struct fact f;

	fact_open(&f, "fact");
	kv_out_str(&f.o, "snmp", name);
	kv_out_u64(&f.o, "retrans", after->tcp_retrans - before->tcp_retrans);
	kv_out_u64(&f.o, "in_errs", after->tcp_in_errs - before->tcp_in_errs);
	kv_out_u64(&f.o, "out_segs", after->tcp_out_segs - before->tcp_out_segs);
	kv_out_u64(&f.o, "in_segs", after->tcp_in_segs - before->tcp_in_segs);
	fact_send(&f);
}
