/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nfs_binary: see nfs_binary.h. The struct is written by offsets, which are the same with 32 and 64 bits: it holds ints, a sockaddr_in and bytes.
 * Trap: the socket (fd) is only looked at by kernels before 2.2, but all want the number of an open file.
 */
#include "common/nfs_binary.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/utsname.h>
#include <unistd.h>

enum { SOFT = 0x0001, INTR = 0x0002, TCP = 0x0040, VER3 = 0x0080, NONLM = 0x0200 };
enum {
	AT_VERSION = 0,
	AT_FD = 4,
	AT_OLD_ROOT = 8,
	AT_FLAGS = 40,
	AT_RSIZE = 44,
	AT_WSIZE = 48,
	AT_TIMEO = 52,
	AT_RETRANS = 56,
	AT_ACREGMIN = 60,
	AT_ACREGMAX = 64,
	AT_ACDIRMIN = 68,
	AT_ACDIRMAX = 72,
	AT_ADDR = 76,
	AT_HOST = 92,
	AT_NAMLEN = 348,
	AT_ROOT_SIZE = 356,
	AT_ROOT = 358
};

#define STRUCT_VERSION 4
#define FH2_BYTES 32
#define HOST_BYTES 256

int nfs_binary_is_wanted(const char *release)
{
	unsigned a = 0, b = 0, c = 0;

	if (sscanf(release, "%u.%u.%u", &a, &b, &c) < 2)
		return 0;
	return a != 2 ? a < 2 : b != 6 ? b < 6 : c < 23;
}

int nfs_binary_is_needed(void)
{
	struct utsname u;

	return !uname(&u) && nfs_binary_is_wanted(u.release);
}

static void put(unsigned char *out, size_t at, unsigned v) { memcpy(out + at, &v, sizeof v); }

void nfs_binary_format(unsigned char out[NFS_BINARY_BYTES], const struct nfs_binary *n, int fd, const struct mountd_fh *fh)
{
	unsigned short size = (unsigned short)fh->len;

	memset(out, 0, NFS_BINARY_BYTES);
	put(out, AT_VERSION, STRUCT_VERSION);
	put(out, AT_FD, (unsigned)fd);
	if (n->version == 2)
		memcpy(out + AT_OLD_ROOT, fh->data, FH2_BYTES);
	put(out, AT_FLAGS, (n->soft ? SOFT : 0) | (n->udp ? 0 : TCP) | (n->version == 3 ? VER3 : 0) | NONLM | INTR);
	put(out, AT_RSIZE, n->rsize);
	put(out, AT_WSIZE, n->wsize);
	put(out, AT_TIMEO, n->timeo ? n->timeo : n->udp ? 7 : 600);
	put(out, AT_RETRANS, n->retrans ? n->retrans : n->udp ? 3 : 2);
	put(out, AT_ACREGMIN, 3); /* seconds: nfs(5) */
	put(out, AT_ACREGMAX, 60);
	put(out, AT_ACDIRMIN, 30);
	put(out, AT_ACDIRMAX, 60);
	memcpy(out + AT_ADDR, &n->server, sizeof n->server);
	snprintf((char *)out + AT_HOST, HOST_BYTES, "%s", n->host);
	put(out, AT_NAMLEN, 255);
	memcpy(out + AT_ROOT_SIZE, &size, sizeof size);
	memcpy(out + AT_ROOT, fh->data, fh->len);
}

int nfs_binary_mount(const struct nfs_binary *n, const char *dir, unsigned long flags)
{
	unsigned char data[NFS_BINARY_BYTES];
	struct sockaddr_in mountd = n->server;
	char source[HOST_BYTES + MOUNTD_PATH_MAX + 2];
	struct mountd_fh fh;
	int err;

	mountd.sin_port = htons((uint16_t)n->mount_port);
	err = mountd_ask(&mountd, 0, n->version, n->path, &fh);
	if (err == -ECONNREFUSED || err == -ETIMEDOUT)
		err = mountd_ask(&mountd, 1, n->version, n->path, &fh);
	if (err)
		return err;
	int fd = socket(AF_INET, n->udp ? SOCK_DGRAM : SOCK_STREAM, 0);
	if (fd < 0)
		return -errno;
	nfs_binary_format(data, n, fd, &fh);
	snprintf(source, sizeof source, "%s:%s", n->host, n->path);
	err = mount(source, dir, "nfs", flags, data) ? -errno : 0;
	close(fd);
	return err;
}
