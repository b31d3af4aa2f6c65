/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nfs_rpc: /proc/net/rpc/nfs.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/io.h"
#include "nfs_rpc.h"

#define FIELDS 96 /* proc4 has about 70 */

const char *const nfs_rpc_v3_names[NFS_RPC_V3] = {
	"NULL",  "GETATTR", "SETATTR", "LOOKUP", "ACCESS", "READLINK", "READ",        "WRITE",  "CREATE", "MKDIR",    "SYMLINK",
	"MKNOD", "REMOVE",  "RMDIR",   "RENAME", "LINK",   "READDIR",  "READDIRPLUS", "FSSTAT", "FSINFO", "PATHCONF", "COMMIT",
};

/* The numbers behind a line's word, from the left; the rest of v is 0. How many; -1: no such line. */
static int line_numbers(const char *text, const char *word, uint64_t *v)
{
	size_t len = strlen(word);
	int n = 0;

	memset(v, 0, FIELDS * sizeof(*v));
	while (text && (strncmp(text, word, len) || text[len] != ' ')) {
		text = strchr(text, '\n');
		text = text ? text + 1 : NULL;
	}
	if (!text)
		return -1;
	text += len;
	while (n < FIELDS) {
		char *end;

		text += strspn(text, " ");
		if (*text < '0' || *text > '9')
			break;
		v[n++] = strtoull(text, &end, 10);
		text = end;
	}
	return n;
}

int nfs_rpc_parse(const char *text, struct nfs_rpc *out)
{
	uint64_t v[FIELDS];
	int n;

	memset(out, 0, sizeof(*out));
	if (line_numbers(text, "rpc", v) < 0)
		return -ENOENT;
	memcpy(out->v + RPC_CALLS, v, 3 * sizeof(*v));
	line_numbers(text, "net", v);
	memcpy(out->v + RPC_UDP, v + 1, 3 * sizeof(*v));
	line_numbers(text, "proc3", v); /* the first number says how many follow */
	memcpy(out->v3, v + 1, sizeof(out->v3));
	n = line_numbers(text, "proc4", v);
	for (int i = 1; i < n; i++)
		out->v4 += v[i];
	return 0;
}

int nfs_rpc_read(struct nfs_rpc *out)
{
	char text[4096];

	memset(out, 0, sizeof(*out));
	if (io_read_small("/proc/net/rpc/nfs", text, sizeof(text)) <= 0)
		return -ENOENT;
	return nfs_rpc_parse(text, out);
}

static void add(uint64_t *out, uint64_t before, uint64_t after)
{
	if (after > before)
		*out += after - before;
}

void nfs_rpc_add(struct nfs_rpc *out, const struct nfs_rpc *before, const struct nfs_rpc *after)
{
	for (size_t i = 0; i < RPC_COUNTERS; i++)
		add(&out->v[i], before->v[i], after->v[i]);
	for (size_t i = 0; i < NFS_RPC_V3; i++)
		add(&out->v3[i], before->v3[i], after->v3[i]);
	add(&out->v4, before->v4, after->v4);
}
