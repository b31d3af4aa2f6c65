/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nfs_books: what the NFS client did in a phase: mountstats of the test's own mount, and /proc/net/rpc/nfs of the whole box. Raw counters; rates,
 * means and ratios are the station's to derive (`kdyno show --nfs`).
 *
 *     nfs=NAME op=READ ops= trans= timeouts= sent= recv= queue_ms= rtt_ms= exe_ms= [errors=]     an operation; at most 12, the rest is op=other; op=all
 *     nfs=NAME read= write= direct_read= direct_write= server_read= server_write=                bytes: of programs, and over the wire
 *     nfs=NAME xprts= sends= recvs= bad_xids= req_u= bklog_u= [max_slots= sending_u= pending_u=]
 *     nfs=NAME rpc_calls= rpc_retrans= rpc_auth= rpc_udp= rpc_tcp= rpc_connections=              of the box, the results mount included
 *
 * Without mountstats (to 2.6.15) the operations of v3 are counted from /proc/net/rpc/nfs: `nfs=NAME op=READ ops=`, and no times.
 */
#ifndef KD_SUITE_NFS_BOOKS_H
#define KD_SUITE_NFS_BOOKS_H

#include "mountstats.h"
#include "nfs_rpc.h"

struct nfs_books {
	int has_mount, has_rpc; /* what there is of it */
	struct mountstats mount;
	struct nfs_rpc rpc;
};

/* sum += after - before. A mount that is another one (its counters went back) adds nothing, and says so in a note. */
void nfs_books_add(struct nfs_books *sum, const struct nfs_books *before, const struct nfs_books *after);
void nfs_books_report(const char *name, const struct nfs_books *sum);

#endif
