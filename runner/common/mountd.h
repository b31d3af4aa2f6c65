/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mountd: asks an NFS server for the file handle of a path, by the MOUNT protocol (program 100005: version 3 of RFC 1813, section 5.2; version 1 of RFC
 * 1094, appendix A), over UDP or TCP: what mount.nfs did for kernels before 2.6.23. Reply bytes are untrusted.
 *
 * Contract: bounded in time and memory; from a reserved port where we may (servers ask for one). Trap: a server remembers each MNT as a client until
 * UMNT; nothing depends on that, and none is sent.
 */
#ifndef KD_MOUNTD_H
#define KD_MOUNTD_H

#include <netinet/in.h>
#include <stddef.h>
#include <stdint.h>

#define MOUNTD_PATH_MAX 255
#define MOUNTD_FH_MAX 64 /* of v3; of v2 always 32 */
#define MOUNTD_CALL_MAX (40 + 20 + 8 + 4 + MOUNTD_PATH_MAX + 1)
#define MOUNTD_REPLY_MAX 1024

struct mountd_fh {
	unsigned len;
	unsigned char data[MOUNTD_FH_MAX];
};

/* Pure. version: of NFS, 2 or 3. The call without a record mark; its length or -ENAMETOOLONG. */
int mountd_call(unsigned char out[MOUNTD_CALL_MAX], uint32_t xid, unsigned version, const char *path);
/*
 * Pure. A whole reply without marks: 0 and the handle; -EAGAIN: of another call; -EBADMSG; -EACCES (denied, or the server says so), -EPROTONOSUPPORT (no such
 * version), -EIO, -ENOENT and what else the server's status means.
 */
int mountd_reply(const unsigned char *reply, size_t len, uint32_t xid, unsigned version, struct mountd_fh *fh);
/* The whole of it: 0 or -errno. server: address and port of mountd. */
int mountd_ask(const struct sockaddr_in *server, int udp, unsigned version, const char *path, struct mountd_fh *fh);

#endif
