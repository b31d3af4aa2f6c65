/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nfs_mount: mount(2) of NFS without mount.nfs, by the options in words that the kernel's own parser takes; before 2.6.23 by a struct (common/nfs_binary.h),
 * v3 by TCP, by UDP, then v2: old kernels have not all of them. In a child only: it may hang.
 */
#include "box/sink_nfs.h"
#include "common/nfs_binary.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <sys/mount.h>

#define TIMEO 50 /* tenths of a second */
#define RETRANS 2

static int mount_binary(const struct job_nfs *n, const char *path, const char *dir, unsigned long flags)
{
	static const struct {
		unsigned version;
		int udp;
	} way[] = {{3, 0}, {3, 1}, {2, 0}, {2, 1}};
	struct nfs_binary b = {.server = {.sin_family = AF_INET, .sin_port = htons((uint16_t)n->port)},
	                       .mount_port = n->mountport,
	                       .host = n->addr,
	                       .path = path,
	                       .soft = 1,
	                       .timeo = TIMEO,
	                       .retrans = RETRANS};
	int err = -EINVAL, first = 0;

	if (inet_pton(AF_INET, n->addr, &b.server.sin_addr) != 1)
		return -EINVAL;
	for (size_t i = 0; i < sizeof way / sizeof *way; i++) {
		b.version = way[i].version;
		b.udp = way[i].udp;
		err = nfs_binary_mount(&b, dir, flags);
		if (!err || err == -EBUSY)
			return 0;
		first = first ? first : err;
	}
	return first;
}

int nfs_mount(const char *server, const char *sub, const char *dir, int readonly)
{
	struct job_nfs n;
	char source[192], data[256];
	unsigned long flags = MS_NOATIME | MS_NOSUID | MS_NODEV | (readonly ? MS_RDONLY : 0);

	if (job_nfs_parse(&n, server) < 0)
		return -EINVAL;
	if (nfs_binary_is_needed()) {
		snprintf(source, sizeof source, "%s%s", n.path, sub);
		return mount_binary(&n, source, dir, flags);
	}
	snprintf(source, sizeof source, "%s:%s%s", n.addr, n.path, sub);
	/* In-kernel string options (fs/nfs/fs_context.c); addr= is what mount.nfs would add. */
	snprintf(data, sizeof data, "vers=3,proto=tcp,nolock,soft,timeo=50,retrans=2,addr=%s,port=%u,mountaddr=%s,mountport=%u,mountproto=tcp",
	         n.addr, n.port, n.addr, n.mountport);
	if (mount(source, dir, "nfs", flags, data) == 0)
		return 0;
	return errno == EBUSY ? 0 : -errno;
}
