/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nfs_rpc: /proc/net/rpc/nfs: what the NFS client of the whole box counts, on every kernel from 2.4 on, and the only source of retransmissions
 * before mountstats. Source of the format: net/sunrpc/stats.c, rpc_proc_show.
 *
 * The trap: the mount that takes the results is in it too. Where there is mountstats, that says what is the test's own.
 */
#ifndef KD_SUITE_NFS_RPC_H
#define KD_SUITE_NFS_RPC_H

#include <stddef.h>
#include <stdint.h>

#define NFS_RPC_V3 22 /* procedures of v3, NULL first */

/* `net packets udp tcp connections`, `rpc calls retrans authrefresh`. */
enum { RPC_UDP, RPC_TCP, RPC_CONNECTIONS, RPC_CALLS, RPC_RETRANS, RPC_AUTH, RPC_COUNTERS };

struct nfs_rpc {
	uint64_t v[RPC_COUNTERS], v3[NFS_RPC_V3], v4; /* v4: all operations together */
};

extern const char *const nfs_rpc_v3_names[NFS_RPC_V3]; /* as mountstats spells them */

/* Pure. 0, or -ENOENT where there is no line `rpc`. */
int nfs_rpc_parse(const char *text, struct nfs_rpc *out);
int nfs_rpc_read(struct nfs_rpc *out);
/* out += after - before; what went back (the module was loaded anew) adds nothing. */
void nfs_rpc_add(struct nfs_rpc *out, const struct nfs_rpc *before, const struct nfs_rpc *after);

#endif
