/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * job_cmdline: the kd words of a command line, and addresses. One table says which word fills which field.
 */
#include "box/job.h"
#include "common/kv.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIELD(word, member)                                                           \
	{                                                                             \
		word, offsetof(struct job, member), sizeof(((struct job *)0)->member) \
	}

static const struct {
	const char *word;
	size_t offset, size;
} cmdline_table[] = {
	FIELD("kd.box=", box),     FIELD("kd.sweep=", sweep),   FIELD("kd.http=", net.http),       FIELD("kd.tftp=", net.tftp),
	FIELD("kd.nfs=", net.nfs), FIELD("kd.peer=", net.peer), FIELD("kd.nfstest=", net.nfstest), FIELD("kd.ip=", net.ip),
	FIELD("kd.image=", image),
};

static int wrong(struct job_error *e, const char *word, size_t len)
{
	snprintf(e->text, sizeof e->text, "bad word %.*s", (int)(len < 80 ? len : 80), word);
	return -EINVAL;
}

static int parse_tag(const char *s, size_t len, uint32_t *tag)
{
	char text[9], *end;

	if (len != 8 || strspn(s, "0123456789abcdef") < 8)
		return -1;
	memcpy(text, s, 8);
	text[8] = 0;
	*tag = (uint32_t)strtoul(text, &end, 16);
	return 0;
}

static int parse_number(const char *s, size_t len, uint64_t max, uint64_t *out)
{
	uint64_t v = 0;

	for (size_t i = 0; i < len; i++) {
		if (s[i] < '0' || s[i] > '9' || v > max)
			return -1;
		v = v * 10 + (uint64_t)(s[i] - '0');
	}
	if (!len || v > max)
		return -1;
	*out = v;
	return 0;
}

static int parse_switch(const char *s, size_t len, enum plan_switch *out)
{
	char name[16];

	if (len >= sizeof name)
		return -1;
	memcpy(name, s, len);
	name[len] = 0;
	return plan_switch_parse(name, out) ? -1 : 0;
}

static int parse_seconds(const char *s, size_t len, unsigned *out)
{
	uint64_t v;

	if (parse_number(s, len, 3600, &v))
		return -1;
	*out = (unsigned)v;
	return 0;
}

static int take_word(struct job *j, const char *w, size_t len)
{
	for (size_t i = 0; i < sizeof cmdline_table / sizeof *cmdline_table; i++) {
		size_t n = strlen(cmdline_table[i].word);

		if (len < n || strncmp(w, cmdline_table[i].word, n))
			continue;
		char *out = (char *)j + cmdline_table[i].offset;
		return kv_unescape(out, cmdline_table[i].size, w + n, len - n) < 0 ? -1 : 0;
	}
	if (len > 3 && !strncmp(w, "kd=", 3))
		return parse_tag(w + 3, len - 3, &j->tag);
	if (len > 6 && !strncmp(w, "kd.of=", 6))
		return parse_tag(w + 6, len - 6, &j->of);
	if (len > 11 && !strncmp(w, "kd.again_s=", 11))
		return parse_seconds(w + 11, len - 11, &j->again_s);
	if (len > 10 && !strncmp(w, "kd.jump_s=", 10))
		return parse_seconds(w + 10, len - 10, &j->jump_s);
	if (len > 7 && !strncmp(w, "kd.ram=", 7))
		return parse_number(w + 7, len - 7, (uint64_t)1 << 52, &j->ram_bytes);
	if (len > 7 && !strncmp(w, "kd.bsp=", 7)) {
		uint64_t bsp;

		if (parse_number(w + 7, len - 7, JOB_BSP_UNKNOWN - 1, &bsp))
			return -1;
		j->bsp = (unsigned)bsp;
		return 0;
	}
	if (len > 10 && !strncmp(w, "kd.switch=", 10))
		return parse_switch(w + 10, len - 10, &j->sw);
	if (len == 13 && !strncmp(w, "kd.role=crash", 13))
		j->role = JOB_CRASH;
	if (len == 10 && !strncmp(w, "kd.sysrq=1", 10))
		j->sysrq = 1;
	return 0;
}

int job_read_cmdline(struct job *j, const char *cmdline, struct job_error *e)
{
	*e = (struct job_error){0};
	while (*cmdline) {
		size_t len = strcspn(cmdline, " \t\n");

		if (len && take_word(j, cmdline, len))
			return wrong(e, cmdline, len);
		cmdline += len;
		cmdline += strspn(cmdline, " \t\n");
	}
	if (j->box[0] && !kv_is_id(j->box))
		return wrong(e, "kd.box", 6);
	if (j->sweep[0] && !kv_is_id(j->sweep))
		return wrong(e, "kd.sweep", 8);
	return 0;
}

static int parse_port(const char *s, size_t len, unsigned *port)
{
	unsigned v = 0;

	if (!len || len > 5)
		return -1;
	for (size_t i = 0; i < len; i++) {
		if (s[i] < '0' || s[i] > '9')
			return -1;
		v = v * 10 + (unsigned)(s[i] - '0');
	}
	if (!v || v > 65535)
		return -1;
	*port = v;
	return 0;
}

static int copy_addr(const char *s, size_t len, char *out, size_t size)
{
	if (!len || len >= size || strspn(s, "0123456789.") < len)
		return -1;
	memcpy(out, s, len);
	out[len] = 0;
	return 0;
}

int job_addr_parse(const char *s, unsigned default_port, char *addr, size_t size, unsigned *port)
{
	size_t n = strcspn(s, ":");

	if (copy_addr(s, n, addr, size))
		return -EINVAL;
	if (s[n] == ':')
		return parse_port(s + n + 1, strlen(s + n + 1), port) ? -EINVAL : 0;
	if (!default_port)
		return -EINVAL;
	*port = default_port;
	return 0;
}

int job_nfs_parse(struct job_nfs *n, const char *s)
{
	size_t a = strcspn(s, ":"), p, m;

	if (copy_addr(s, a, n->addr, sizeof n->addr) || s[a] != ':')
		return -EINVAL;
	s += a + 1;
	p = strcspn(s, ",:");
	if (parse_port(s, p, &n->port))
		return -EINVAL;
	n->mountport = n->port; /* v4, or a server that has both on one */
	s += p;
	if (*s == ',') {
		m = strcspn(++s, ":");
		if (parse_port(s, m, &n->mountport))
			return -EINVAL;
		s += m;
	}
	if (*s != ':' || s[1] != '/' || strlen(s + 1) >= sizeof n->path || strstr(s, "..") || strchr(s + 1, ','))
		return -EINVAL;
	strcpy(n->path, s + 1);
	return 0;
}
