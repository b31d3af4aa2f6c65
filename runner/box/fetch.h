/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fetch: brings a file of the lab to the box, by HTTP, then TFTP, then NFS; a hasher follows what comes. Two ways to fail, which are
 * not alike: a wrong answer (missing, too large, hash) goes a step down the ladder, no answer waits for the network.
 */
#ifndef KD_BOX_FETCH_H
#define KD_BOX_FETCH_H

#include "box/hasher.h"
#include "box/job.h"
#include "box/promise.h"

enum fetch_result { FETCH_OK, FETCH_WRONG, FETCH_NONE };

struct fetch {
	/* given */
	const struct job_net *net;
	const struct promise *promise;
	const char *path; /* below the lab, no leading slash */
	uint64_t max_bytes;
	struct hasher *hasher; /* follows the file from where it begins, or NULL; its result is the caller's to wait for */
	int out_fd;            /* written at its position; after a failure it is cut back to there */
	int nfs_only;          /* the box's own journal is on no other server */
	/* result */
	const char *by; /* http, tftp, nfs */
	uint64_t bytes;
	char why[96];
	/* running */
	char *buf;
};

enum fetch_result fetch_file(struct fetch *f);
/* Takes bytes from a source: write, tell the hasher. 0 or -errno (-EFBIG). */
int fetch_take(struct fetch *f, const void *data, size_t len);

/* The sources; each calls fetch_take for what comes. */
enum fetch_result fetch_by_http(struct fetch *f);
enum fetch_result fetch_by_tftp(struct fetch *f);
enum fetch_result fetch_by_nfs(struct fetch *f);

#define FETCH_BUF_BYTES 65536
#define FETCH_CONNECT_MS 4000
#define FETCH_STALL_MS 10000 /* no byte for so long is no answer */

#endif
