/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mountstats: what the NFS client counts for one mount, from /proc/self/mountstats. Source of the format: fs/nfs/super.c, nfs_show_stats,
 * and net/sunrpc/stats.c, rpc_clnt_show_stats.
 *
 * Generations: absent to 2.6.15; statvers=1.0 of 2.6.16 has 8 columns an operation and 7 numbers of a UDP transport; later ones have more, always
 * at the end. So fields are counted from the left, and what is missing is unknown (a column) or 0 (a sum). Counters begin at the mount and end with
 * it: a difference is taken between two readings of the same mount only. Every operation that happened is kept, by its name.
 */
#ifndef KD_SUITE_MOUNTSTATS_H
#define KD_SUITE_MOUNTSTATS_H

#include <stddef.h>
#include <stdint.h>

#define MOUNTSTATS_OPS 24 /* of about 70; more in one mount are put together as "other" */
#define MOUNTSTATS_NAME_MAX 20

/* Columns of an operation, from the left. */
enum { MS_OPS, MS_TRANS, MS_TIMEOUTS, MS_SENT, MS_RECV, MS_QUEUE_MS, MS_RTT_MS, MS_EXE_MS, MS_ERRORS, MS_COLUMNS };
/* `bytes:`, from the left: by programs through the cache and past it, over the wire, and pages. */
enum { MS_READ, MS_WRITE, MS_DIRECT_READ, MS_DIRECT_WRITE, MS_SERVER_READ, MS_SERVER_WRITE, MS_READ_PAGES, MS_WRITE_PAGES, MS_BYTES };
/* Of all transports (`xprt:` lines, several with nconnect). The last three are of 3.x on. */
enum { MS_SENDS, MS_RECVS, MS_BAD_XIDS, MS_REQ_U, MS_BKLOG_U, MS_MAX_SLOTS, MS_SENDING_U, MS_PENDING_U, MS_XPRT };

struct mountstats_op {
	char name[MOUNTSTATS_NAME_MAX + 1];
	unsigned columns; /* that the kernel has: 8 or 9 */
	uint64_t v[MS_COLUMNS];
};

struct mountstats {
	uint64_t age_s;
	unsigned xprts, xprt_columns; /* lines; what the first one has of the columns above */
	uint64_t bytes[MS_BYTES], xprt[MS_XPRT];
	size_t n;
	struct mountstats_op op[MOUNTSTATS_OPS]; /* in the kernel's order; only what happened */
};

/* Pure: the block of the mount at dir (the last one). 0, -ENOENT. */
int mountstats_parse(const char *text, const char *dir, struct mountstats *out);
/* From /proc/self/mountstats. -ENOENT also where the kernel has none. */
int mountstats_read(const char *dir, struct mountstats *out);
/* out += after - before. 0, or -EINVAL and out as it was where a counter went back: another mount. */
int mountstats_add(struct mountstats *out, const struct mountstats *before, const struct mountstats *after);
/* NULL: it did not happen. */
const struct mountstats_op *mountstats_find(const struct mountstats *m, const char *name);
/* All operations together, under the name "all". */
void mountstats_all(const struct mountstats *m, struct mountstats_op *all);

#endif
