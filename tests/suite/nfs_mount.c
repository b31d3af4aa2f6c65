/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nfs_mount: builds the words, mounts, unmounts.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>

#include "common/nfs_binary.h"
#include "nfs_mount.h"

/* Appends; past the end `at` only grows, which is seen at the end. */
static void add(char *out, unsigned size, unsigned *at, const char *name, unsigned v)
{
	int n = v ? snprintf(*at < size ? out + *at : NULL, *at < size ? size - *at : 0, ",%s=%u", name, v) : 0;

	*at += n > 0 ? (unsigned)n : 0;
}

int nfs_mount_data(const struct address *server, const struct nfs_options *o, const char *own, char *out, unsigned size)
{
	unsigned mount_port = server->mount_port ? server->mount_port : server->port, at;
	int n;

	if (*o->vers == '3')
		n = snprintf(out, size, "vers=3,proto=%s,nolock,hard,addr=%s,port=%u,mountproto=tcp,mountaddr=%s,mountport=%u", o->proto, server->ip,
		             server->port, server->ip, mount_port);
	else
		n = snprintf(out, size, "vers=%s,proto=%s,hard,addr=%s,port=%u,clientaddr=%s", o->vers, o->proto, server->ip, server->port, own);
	if (n < 0)
		return -EMSGSIZE;
	at = (unsigned)n;
	add(out, size, &at, "rsize", o->rsize);
	add(out, size, &at, "wsize", o->wsize);
	add(out, size, &at, "nconnect", o->nconnect);
	return at >= size ? -EMSGSIZE : 0;
}

/* Without a name for the version (`v2` in /proc/mounts) or more than one connection. */
static int mount_binary(const struct address *server, const struct nfs_options *o, const char *dir)
{
	struct nfs_binary b = {.server = {.sin_family = AF_INET, .sin_port = htons((uint16_t)server->port)},
	                       .mount_port = server->mount_port ? server->mount_port : server->port,
	                       .host = server->ip,
	                       .path = server->path,
	                       .version = 3,
	                       .udp = !strcmp(o->proto, "udp"),
	                       .rsize = o->rsize,
	                       .wsize = o->wsize};

	if (*o->vers != '3' || o->nconnect)
		return -EINVAL;
	if (inet_pton(AF_INET, server->ip, &b.server.sin_addr) != 1)
		return -EINVAL;
	return nfs_binary_mount(&b, dir, MS_NOATIME | MS_NOSUID | MS_NODEV);
}

int nfs_mount(const struct address *server, const struct nfs_options *o, const char *dir)
{
	char data[NFS_DATA_MAX], source[sizeof(server->ip) + sizeof(server->path) + 1], own[16];
	int err;

	if (nfs_binary_is_needed())
		return mount_binary(server, o, dir);
	if (address_own(server, own, sizeof(own)))
		strcpy(own, "0.0.0.0");
	err = nfs_mount_data(server, o, own, data, sizeof(data));
	if (err)
		return err;
	snprintf(source, sizeof(source), "%s:%s", server->ip, server->path);
	return mount(source, dir, "nfs", MS_NOATIME | MS_NOSUID | MS_NODEV, data) ? -errno : 0;
}

int nfs_mount_lacks(int err) { return err == -ENODEV || err == -EPROTONOSUPPORT || err == -EINVAL || err == -ENOSYS; }

int nfs_umount(const char *dir)
{
	int err;

	if (!umount(dir))
		return 0;
	err = -errno;
	umount2(dir, MNT_DETACH);
	return err;
}
