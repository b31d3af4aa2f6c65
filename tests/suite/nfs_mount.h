/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nfs_mount: an NFS mount by mount(2) alone, with string data, which the kernel parses since 2.6.23: no mount.nfs, no portmapper, no statd.
 * Source: fs/nfs/super.c and fs_context.c; `addr=` is mandatory there, `clientaddr=` for v4 up to about 3.x.
 *
 * Older kernels get a binary struct with a file handle from the mount protocol (common/nfs_binary.h), v3 only. Always hard, so that data is never lost; the
 * runner's deadline ends what hangs. The mount protocol goes over TCP whatever the mount does: one datagram less to lose.
 */
#ifndef KD_SUITE_NFS_MOUNT_H
#define KD_SUITE_NFS_MOUNT_H

#include "address.h"

#define NFS_DATA_MAX 400

struct nfs_options {
	const char *vers;                /* "3", "4.0", "4.1", "4.2" */
	const char *proto;               /* "tcp", "udp" */
	unsigned rsize, wsize, nconnect; /* 0: left to the kernel, not said */
};

/* Pure: the data of mount(2). own: the own address, or "0.0.0.0". 0 or -EMSGSIZE. */
int nfs_mount_data(const struct address *server, const struct nfs_options *o, const char *own, char *out, unsigned size);
/* Mounts on dir, which exists. 0 or -errno. */
int nfs_mount(const struct address *server, const struct nfs_options *o, const char *dir);
/* 1 where this error of nfs_mount says that the kernel has no such thing, not that the server is at fault. */
int nfs_mount_lacks(int err);
/* umount, lazily where something is busy. 0 or -errno of the first attempt. */
int nfs_umount(const char *dir);

#endif
