/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mountstats: what the NFS client counts for one mount, from /proc/self/mountstats. Source of the format: fs/nfs/super.c, nfs_show_stats,
 * and net/sunrpc/stats.c, rpc_clnt_show_stats.
 *
 * Generations: absent to 2.6.15; statvers=1.0 of 2.6.16 has 8 columns an operation and 8 fields of a UDP transport; later ones have more, always
 * at the end. So fields are counted from the left, and what is missing is 0. Counters begin at the mount and end with it: a difference is
 * taken between two readings of the same mount only.
 */
#ifndef KD_SUITE_MOUNTSTATS_H
#define KD_SUITE_MOUNTSTATS_H

#include <stdint.h>

struct mountstats_op {
	uint64_t ops, trans, timeouts, sent, recv; /* sent, recv in bytes */
	uint64_t queue_ms, rtt_ms, exe_ms;
	uint64_t errors; /* 0 where the kernel has no such column */
};

struct mountstats {
	uint64_t age_s;
	uint64_t bytes_read, bytes_written, server_read, server_written; /* by programs; over the wire */
	uint64_t sends, recvs, bad_xids, req_u, bklog_u;                 /* of all transports of the mount */
	struct mountstats_op read, write, commit, all;                   /* read: READ and READ_PLUS (v4.2) */
};

/* Pure: the block of the mount at dir (the last one). 0, -ENOENT. */
int mountstats_parse(const char *text, const char *dir, struct mountstats *out);
/* From /proc/self/mountstats. -ENOENT also where the kernel has none. */
int mountstats_read(const char *dir, struct mountstats *out);
/* out += after - before. 0, or -EINVAL where a counter went back: another mount. */
int mountstats_add(struct mountstats *out, const struct mountstats *before, const struct mountstats *after);
/* Facts, `nfs=NAME op=READ ops= retrans= ...`. */
void mountstats_report(const char *name, const struct mountstats *m);

#endif
