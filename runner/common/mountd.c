/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mountd: XDR by hand (RFC 4506: words of 32 bits, big-endian), RPC as in RFC 5531, AUTH_SYS as root. */
#include "common/mountd.h"

#include <errno.h>
#include <string.h>

enum { CALL = 0, REPLY = 1, RPC_VERSION = 2, MOUNT_PROGRAM = 100005, MNT = 1, AUTH_SYS = 1 };
enum { ACCEPTED = 0, DENIED = 1, SUCCESS = 0, PROG_UNAVAIL = 1, PROG_MISMATCH = 2 };

#define VERIFIER_MAX 400u
#define FH2_BYTES 32u
#define NAME "box"

struct writer {
	unsigned char *p;
	size_t len;
};

static void put(struct writer *w, uint32_t v)
{
	w->p[w->len++] = (unsigned char)(v >> 24);
	w->p[w->len++] = (unsigned char)(v >> 16);
	w->p[w->len++] = (unsigned char)(v >> 8);
	w->p[w->len++] = (unsigned char)v;
}

static void put_text(struct writer *w, const char *s)
{
	size_t n = strlen(s);

	put(w, (uint32_t)n);
	memcpy(w->p + w->len, s, n);
	memset(w->p + w->len + n, 0, (4 - n % 4) % 4);
	w->len += (n + 3) / 4 * 4;
}

static uint32_t get(const unsigned char *p) { return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3]; }

int mountd_call(unsigned char out[MOUNTD_CALL_MAX], uint32_t xid, unsigned version, const char *path)
{
	struct writer w = {out, 0};

	if (strlen(path) > MOUNTD_PATH_MAX)
		return -ENAMETOOLONG;
	put(&w, xid);
	put(&w, CALL);
	put(&w, RPC_VERSION);
	put(&w, MOUNT_PROGRAM);
	put(&w, version == 3 ? 3 : 1);
	put(&w, MNT);
	put(&w, AUTH_SYS);
	put(&w, 4 + 4 + 4 + 4 + 4 + 4); /* stamp, length of the name, name, uid, gid, no further gids */
	put(&w, 0);
	put_text(&w, NAME);
	put(&w, 0);
	put(&w, 0);
	put(&w, 0);
	put(&w, 0); /* no verifier */
	put(&w, 0);
	put_text(&w, path);
	return (int)w.len;
}

/* Both versions take their numbers from Unix; those that are not an errno everywhere are v3's own. */
static int status_errno(uint32_t status)
{
	switch (status) {
	case 1:
		return -EPERM;
	case 2:
		return -ENOENT;
	case 13:
		return -EACCES;
	case 20:
		return -ENOTDIR;
	case 22:
		return -EINVAL;
	case 63:
		return -ENAMETOOLONG;
	case 10004:
		return -EOPNOTSUPP;
	}
	return -EIO;
}

static int take_handle(const unsigned char *p, size_t len, unsigned version, struct mountd_fh *fh)
{
	size_t at = version == 3 ? 8 : 4;

	if (len < 4)
		return -EBADMSG;
	if (get(p))
		return status_errno(get(p));
	fh->len = version == 3 && len >= 8 ? get(p + 4) : FH2_BYTES;
	if (!fh->len || fh->len > MOUNTD_FH_MAX || len < at + fh->len)
		return -EBADMSG;
	memcpy(fh->data, p + at, fh->len);
	return 0;
}

int mountd_reply(const unsigned char *reply, size_t len, uint32_t xid, unsigned version, struct mountd_fh *fh)
{
	size_t at;

	memset(fh, 0, sizeof *fh);
	if (len < 12 || get(reply + 4) != REPLY)
		return -EBADMSG;
	if (get(reply) != xid)
		return -EAGAIN;
	if (get(reply + 8) == DENIED)
		return -EACCES;
	if (get(reply + 8) != ACCEPTED || len < 24 || get(reply + 16) > VERIFIER_MAX)
		return -EBADMSG;
	at = 20 + (get(reply + 16) + 3) / 4 * 4;
	if (len < at + 4)
		return -EBADMSG;
	switch (get(reply + at)) {
	case SUCCESS:
		return take_handle(reply + at + 4, len - at - 4, version, fh);
	case PROG_UNAVAIL:
	case PROG_MISMATCH:
		return -EPROTONOSUPPORT;
	}
	return -EIO;
}
