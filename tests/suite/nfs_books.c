/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nfs_books: sums and facts.
 */
#include <string.h>

#include "fact_line.h"
#include "nfs_books.h"

#define SAID_MAX 12 /* operations a phase */

static const char *const column_names[MS_COLUMNS] = {"ops", "trans", "timeouts", "sent", "recv", "queue_ms", "rtt_ms", "exe_ms", "errors"};
static const char *const byte_names[MS_READ_PAGES] = {"read", "write", "direct_read", "direct_write", "server_read", "server_write"};
static const char *const xprt_names[MS_XPRT] = {"sends", "recvs", "bad_xids", "req_u", "bklog_u", "max_slots", "sending_u", "pending_u"};
static const char *const rpc_names[RPC_COUNTERS] = {"rpc_udp", "rpc_tcp", "rpc_connections", "rpc_calls", "rpc_retrans", "rpc_auth"};

void nfs_books_add(struct nfs_books *sum, const struct nfs_books *before, const struct nfs_books *after)
{
	if (before->has_rpc && after->has_rpc) {
		nfs_rpc_add(&sum->rpc, &before->rpc, &after->rpc);
		sum->has_rpc = 1;
	}
	if (!before->has_mount || !after->has_mount)
		return;
	if (mountstats_add(&sum->mount, &before->mount, &after->mount))
		fact_note("mountstats went back: that time is left out");
	else
		sum->has_mount = 1;
}

/* The columns from..to of an operation that the kernel has. */
static void say_columns(const char *name, const struct mountstats_op *o, unsigned from, unsigned to)
{
	struct fact f;

	fact_open(&f, "fact");
	kv_out_str(&f.o, "nfs", name);
	kv_out_str(&f.o, "op", o->name);
	for (unsigned i = from; i < to && i < o->columns; i++)
		kv_out_u64(&f.o, column_names[i], o->v[i]);
	if (f.o.err && from + 1 < to) { /* too long: in halves */
		say_columns(name, o, from, (from + to) / 2);
		say_columns(name, o, (from + to) / 2, to);
		return;
	}
	fact_send(&f);
}

/* The most frequent first; what is past SAID_MAX together. */
static void say_ops(const char *name, const struct mountstats *m)
{
	const struct mountstats_op *by_count[MOUNTSTATS_OPS];
	struct mountstats rest = {.n = 0};
	struct mountstats_op all;

	for (size_t i = 0; i < m->n; i++) {
		size_t at = i;

		for (; at && m->op[i].v[MS_OPS] > by_count[at - 1]->v[MS_OPS]; at--)
			by_count[at] = by_count[at - 1];
		by_count[at] = &m->op[i];
	}
	for (size_t i = 0; i < m->n; i++) {
		if (i < SAID_MAX)
			say_columns(name, by_count[i], 0, MS_COLUMNS);
		else
			rest.op[rest.n++] = *by_count[i];
	}
	if (rest.n) {
		mountstats_all(&rest, &all);
		strcpy(all.name, "other");
		say_columns(name, &all, 0, MS_COLUMNS);
	}
	mountstats_all(m, &all);
	if (all.columns)
		say_columns(name, &all, 0, MS_COLUMNS);
}

/* A kernel without mountstats counts the operations of the box alone, without times. */
static void say_procedures(const char *name, const struct nfs_rpc *r)
{
	struct mountstats m = {.n = 0};

	for (size_t i = 0; i < NFS_RPC_V3 && m.n < MOUNTSTATS_OPS; i++)
		if (r->v3[i]) {
			strcpy(m.op[m.n].name, nfs_rpc_v3_names[i]);
			m.op[m.n].columns = 1;
			m.op[m.n++].v[MS_OPS] = r->v3[i];
		}
	say_ops(name, &m);
}

static void say(const char *name, const char *const *keys, const uint64_t *v, unsigned n)
{
	struct fact_line l;

	fact_line_open(&l, "nfs", name);
	for (unsigned i = 0; i < n; i++)
		fact_line_u64(&l, keys[i], v[i]);
	fact_line_send(&l);
}

void nfs_books_report(const char *name, const struct nfs_books *sum)
{
	struct fact_line l;

	if (sum->has_mount) {
		say_ops(name, &sum->mount);
		say(name, byte_names, sum->mount.bytes, MS_READ_PAGES);
		fact_line_open(&l, "nfs", name);
		fact_line_u64(&l, "xprts", sum->mount.xprts);
		for (unsigned i = 0; i < sum->mount.xprt_columns; i++)
			fact_line_u64(&l, xprt_names[i], sum->mount.xprt[i]);
		fact_line_send(&l);
	} else if (sum->has_rpc) {
		say_procedures(name, &sum->rpc);
	}
	if (sum->has_rpc)
		say(name, rpc_names, sum->rpc.v, RPC_COUNTERS);
}
