/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mountstats: parser, difference and facts.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/io.h"
#include "fact.h"
#include "mountstats.h"

#define TEXT_BYTES 65536 /* a mount takes 4 to 8 KiB, and a box has a few */
#define FIELDS 16

/* Numbers of a line, from the left; the rest of v is 0. How many there were. */
static unsigned numbers(const char *s, uint64_t *v)
{
	unsigned n = 0;

	memset(v, 0, FIELDS * sizeof(*v));
	while (n < FIELDS) {
		char *end;

		while (*s == ' ' || *s == '\t')
			s++;
		if (*s < '0' || *s > '9')
			break;
		v[n++] = strtoull(s, &end, 10);
		s = end;
	}
	return n;
}

/* What stands behind a line's first word, or NULL. */
static const char *after(const char *line, const char *word)
{
	size_t len = strlen(word);

	line += strspn(line, " \t");
	return strncmp(line, word, len) ? NULL : line + len;
}

/* `xprt:\ttcp port bind connects connect_time idle sends recvs ...`, `udp port bind sends recvs ...`. */
static void parse_xprt(const char *s, struct mountstats *m)
{
	uint64_t v[FIELDS];
	unsigned at;

	s += strspn(s, " \t");
	at = strncmp(s, "udp", 3) ? 5 : 2;
	s += strcspn(s, " \t\n");
	numbers(s, v);
	m->sends += v[at];
	m->recvs += v[at + 1];
	m->bad_xids += v[at + 2];
	m->req_u += v[at + 3];
	m->bklog_u += v[at + 4];
}

static void add_op(struct mountstats_op *o, const uint64_t *v)
{
	o->ops += v[0];
	o->trans += v[1];
	o->timeouts += v[2];
	o->sent += v[3];
	o->recv += v[4];
	o->queue_ms += v[5];
	o->rtt_ms += v[6];
	o->exe_ms += v[7];
	o->errors += v[8];
}

/* `        READ: 128 128 0 ...`. */
static void parse_op(const char *line, struct mountstats *m)
{
	uint64_t v[FIELDS];
	size_t len;

	line += strspn(line, " \t");
	len = strcspn(line, ": \t\n");
	if (!len || line[len] != ':' || !numbers(line + len + 1, v))
		return;
	add_op(&m->all, v);
	if ((len == 4 && !memcmp(line, "READ", 4)) || (len == 9 && !memcmp(line, "READ_PLUS", 9)))
		add_op(&m->read, v);
	else if (len == 5 && !memcmp(line, "WRITE", 5))
		add_op(&m->write, v);
	else if (len == 6 && !memcmp(line, "COMMIT", 6))
		add_op(&m->commit, v);
}

static void parse_bytes(const char *s, struct mountstats *m)
{
	uint64_t v[FIELDS];

	numbers(s, v);
	m->bytes_read = v[0] + v[2];
	m->bytes_written = v[1] + v[3];
	m->server_read = v[4];
	m->server_written = v[5];
}

/* 1 if the line begins the block of dir: `device S:/p mounted on DIR with fstype nfs ...`. */
static int begins(const char *line, const char *dir)
{
	const char *end = line + strcspn(line, "\n");
	const char *on = strstr(line, " mounted on ");
	size_t len = strlen(dir);

	if (!on || on > end)
		return 0;
	on += 12;
	if ((size_t)(end - on) < len + 16 || memcmp(on, dir, len))
		return 0;
	return !strncmp(on + len, " with fstype nfs", 16);
}

int mountstats_parse(const char *text, const char *dir, struct mountstats *out)
{
	int inside = 0, ops = 0, err = -ENOENT;

	for (const char *line = text, *s; line && *line; line = strchr(line, '\n'), line = line ? line + 1 : NULL) {
		if (after(line, "device ")) {
			inside = begins(line, dir);
			ops = 0;
			if (inside) {
				memset(out, 0, sizeof(*out));
				err = 0;
			}
			continue;
		}
		if (!inside)
			continue;
		if (after(line, "per-op statistics"))
			ops = 1;
		else if (ops)
			parse_op(line, out);
		else if ((s = after(line, "age:")))
			out->age_s = strtoull(s, NULL, 10);
		else if ((s = after(line, "bytes:")))
			parse_bytes(s, out);
		else if ((s = after(line, "xprt:")))
			parse_xprt(s, out);
	}
	return err;
}

int mountstats_read(const char *dir, struct mountstats *out)
{
	char *text = malloc(TEXT_BYTES);
	int err = -ENOENT;

	if (!text)
		return -ENOMEM;
	if (io_read_small("/proc/self/mountstats", text, TEXT_BYTES) > 0)
		err = mountstats_parse(text, dir, out);
	free(text);
	return err;
}

/* Structs of uint64_t alone, added as arrays; age_s comes first and is no counter of work, but grows as they do. */
int mountstats_add(struct mountstats *out, const struct mountstats *before, const struct mountstats *later)
{
	const uint64_t *b = (const uint64_t *)before, *a = (const uint64_t *)later;
	uint64_t *o = (uint64_t *)out;
	size_t n = sizeof(*out) / sizeof(uint64_t);

	for (size_t i = 0; i < n; i++)
		if (a[i] < b[i])
			return -EINVAL;
	for (size_t i = 0; i < n; i++)
		o[i] += a[i] - b[i];
	return 0;
}

static void report_op(const char *name, const char *op, const struct mountstats_op *o)
{
	struct fact f;

	if (!o->ops)
		return;
	fact_open(&f, "fact");
	kv_out_str(&f.o, "nfs", name);
	kv_out_str(&f.o, "op", op);
	kv_out_u64(&f.o, "ops", o->ops);
	kv_out_u64(&f.o, "retrans", o->trans > o->ops ? o->trans - o->ops : 0);
	kv_out_u64(&f.o, "timeouts", o->timeouts);
	kv_out_u64(&f.o, "errors", o->errors);
	kv_out_u64(&f.o, "queue_ms", o->queue_ms);
	kv_out_u64(&f.o, "rtt_ms", o->rtt_ms);
	kv_out_u64(&f.o, "exe_ms", o->exe_ms);
	fact_send(&f);
	fact_open(&f, "fact");
	kv_out_str(&f.o, "nfs", name);
	kv_out_str(&f.o, "op", op);
	kv_out_u64(&f.o, "sent_bytes", o->sent);
	kv_out_u64(&f.o, "recv_bytes", o->recv);
	fact_send(&f);
}

void mountstats_report(const char *name, const struct mountstats *m)
{
	struct fact f;

	report_op(name, "READ", &m->read);
	report_op(name, "WRITE", &m->write);
	report_op(name, "COMMIT", &m->commit);
	report_op(name, "all", &m->all);
	fact_open(&f, "fact");
	kv_out_str(&f.o, "nfs", name);
	kv_out_u64(&f.o, "server_read", m->server_read);
	kv_out_u64(&f.o, "server_written", m->server_written);
	kv_out_u64(&f.o, "sends", m->sends);
	kv_out_u64(&f.o, "req_u", m->req_u);
	kv_out_u64(&f.o, "bklog_u", m->bklog_u);
	kv_out_u64(&f.o, "bad_xids", m->bad_xids);
	fact_send(&f);
}
