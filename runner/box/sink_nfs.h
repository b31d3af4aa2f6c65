/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sink_nfs: the same lines in <sweep>/<box>/<tag>.kd1 on the results mount, and the box's journal beside them. All that touches
 * NFS is a child behind a non-blocking pipe: it may hang in D state, and nobody waits for it past a deadline.
 */
#ifndef KD_BOX_SINK_NFS_H
#define KD_BOX_SINK_NFS_H

#include "box/job.h"
#include "box/sink.h"

#include <sys/types.h>

struct sink_nfs {
	struct sink base; /* first */
	pid_t pid;        /* 0: no child */
	int cmd_fd, reply_fd;
	int mounted;              /* 1 yes, 0 not yet, -errno: the last try failed */
	int late;                 /* a deadline was missed; nothing waits until it has caught up */
	uint64_t mounted_ms;      /* since kernel start */
	unsigned asked, answered; /* ids of requests; answered: the last that was done */
	int journal_err;          /* of the last journal line that was answered */
	char line[128];           /* replies, as they come */
	size_t len;
};

/* Forks the child; it does nothing before sink_nfs_net_up. 0, -ENOENT without nfs=, or -errno. */
int sink_nfs_open(struct sink_nfs *s, const struct job *j, const char *records_path, const int *close_fds, size_t n);
void sink_nfs_net_up(struct sink_nfs *s);
/* Asks for a sync without waiting for it. Its id, or -errno. */
long sink_nfs_push(struct sink_nfs *s);
/* Reads replies. Call when reply_fd is readable, or any time. */
void sink_nfs_poll(struct sink_nfs *s);
/* Appends a line (newline included) to the box's journal, fsynced. 0, -ENOTCONN, -ETIMEDOUT, -EIO. */
int sink_nfs_journal(struct sink_nfs *s, const char *line, size_t len, uint64_t timeout_ms);
/* Only sends the request. Its id, to wait for, or -errno. */
long sink_nfs_journal_start(struct sink_nfs *s, const char *line, size_t len);
/* Waits until a request is done. */
int sink_nfs_wait(struct sink_nfs *s, unsigned id, uint64_t timeout_ms);

/* The child: reads requests from in, answers on out, never returns before end of file. */
int nfs_child_run(const struct job *j, const char *records_path, int in, int out);
/* mount(2) of base + sub at dir. 0 or -errno; may hang. */
int nfs_mount(const char *server, const char *sub, const char *dir, int readonly);

#endif
