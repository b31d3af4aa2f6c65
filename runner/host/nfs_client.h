/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nfs_client: what the NFS client did in a phase, derived from the raw counters that a boot's facts carry (`nfs=PHASE ...`, docs/facts.md). One value a
 * boot, test, phase and operation; the boots that count, and tests that passed, are measure.h's.
 *
 * With the differences of a phase: retrans = trans - ops; queue, rtt, exe = their ms / ops; outstanding = rtt_ms over the phase's time (Little's law: the mean
 * number of requests under way); KiB an operation = (sent + recv) / ops / 1024; wire/read = bytes over the wire for each byte that programs read.
 * What a kernel does not count is NAN. Values come from a box: nothing here trusts them.
 */
#ifndef KD_NFS_CLIENT_H
#define KD_NFS_CLIENT_H

#include <stddef.h>

#include "host/measure.h"

#define NFS_CLIENT_ROWS_MAX 1024

enum nfs_client_value {
	NFS_OPS,
	NFS_RETRANS,
	NFS_TIMEOUTS,
	NFS_ERRORS,
	NFS_QUEUE_MS,
	NFS_RTT_MS,
	NFS_EXE_MS,
	NFS_OUTSTANDING,
	NFS_KIB_OP,
	NFS_WIRE_READ, /* of "all" only, as the following */
	NFS_WIRE_WRITE,
	NFS_RPC_RETRANS, /* of the whole box, the results mount included */
	NFS_VALUES,
};

struct nfs_client_row {
	size_t test;                         /* index into measure.test */
	char phase[PLAN_ID_MAX + 1], op[24]; /* op: all, READ ... */
	double *value;                       /* NFS_VALUES * boots; NAN: none */
};

struct nfs_client {
	const struct measure *m;
	struct nfs_client_row *row; /* by test; phases and operations as they came, "all" first of its phase */
	size_t rows;
	unsigned left_out; /* past NFS_CLIENT_ROWS_MAX */
};

/* The name of a value in JSON. */
const char *nfs_client_name(enum nfs_client_value v);
/* 0 or -ENOMEM; then c is empty. m must outlive it. */
int nfs_client_read(struct nfs_client *c, const struct measure *m);
void nfs_client_free(struct nfs_client *c);
/* Of a subject's boots, those that have it, into v (room for m->boots). How many. */
size_t nfs_client_values(const struct nfs_client *c, size_t row, unsigned subject, enum nfs_client_value what, double *v);

#endif
