/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nfs_binary: NFS mounts of kernels before 2.6.23, which take no words: mount(2) gets a struct nfs_mount_data of version 4 (include/linux/nfs_mount.h of
 * 2.4; 2.2 and all later kernels take it too, for v2 and v3) with a file handle that the MOUNT protocol gave. Given words, such a kernel would read them
 * as that struct, and mount from an address that is part of a sentence.
 */
#ifndef KD_NFS_BINARY_H
#define KD_NFS_BINARY_H

#include <stdint.h>

#include "common/mountd.h"

#define NFS_BINARY_BYTES 688 /* of the whole struct, version 6 */

struct nfs_binary {
	struct sockaddr_in server; /* address and port of NFS */
	unsigned mount_port;
	const char *host, *path; /* host: for people, in /proc/mounts */
	unsigned version;        /* 2 or 3 */
	int udp;
	int soft;
	unsigned timeo, retrans; /* tenths of a second, tries; 0: 7 and 3 by UDP, 600 and 2 by TCP */
	unsigned rsize, wsize;   /* 0: left to the kernel */
};

/* 1 for a release below 2.6.23. Pure. */
int nfs_binary_is_wanted(const char *release);
/* The same of the kernel that runs. */
int nfs_binary_is_needed(void);
/* The struct, in this machine's own byte order. Pure. */
void nfs_binary_format(unsigned char out[NFS_BINARY_BYTES], const struct nfs_binary *n, int fd, const struct mountd_fh *fh);
/* Asks mountd (by TCP, then by UDP), and mounts. 0 or -errno. May hang where a server does. */
int nfs_binary_mount(const struct nfs_binary *n, const char *dir, unsigned long flags);

#endif
