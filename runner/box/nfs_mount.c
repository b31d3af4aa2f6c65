/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nfs_mount: mount(2) of NFS without mount.nfs, by the options in words that the kernel's own parser takes. In a child only: it may hang. */
#include "box/sink_nfs.h"

#include <errno.h>
#include <stdio.h>
#include <sys/mount.h>

int nfs_mount(const char *server, const char *sub, const char *dir, int readonly)
{
	struct job_nfs n;
	char source[192], data[256];
	unsigned long flags = MS_NOATIME | MS_NOSUID | MS_NODEV | (readonly ? MS_RDONLY : 0);

	if (job_nfs_parse(&n, server) < 0)
		return -EINVAL;
	snprintf(source, sizeof source, "%s:%s%s", n.addr, n.path, sub);
	/* In-kernel string options (fs/nfs/fs_context.c); addr= is what mount.nfs would add. */
	snprintf(data, sizeof data, "vers=3,proto=tcp,nolock,soft,timeo=50,retrans=2,addr=%s,port=%u,mountaddr=%s,mountport=%u,mountproto=tcp",
	         n.addr, n.port, n.addr, n.mountport);
	if (mount(source, dir, "nfs", flags, data) == 0)
		return 0;
	return errno == EBUSY ? 0 : -errno;
}
