/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rpc: XDR by hand: 32-bit words, big-endian.
 */
#include <errno.h>
#include <string.h>

#include "rpc.h"

enum { CALL = 0, REPLY = 1, RPC_VERSION = 2, NFS_PROGRAM = 100003, NFS_VERSION = 3 };
enum { ACCEPTED = 0, DENIED = 1 };
enum { SUCCESS = 0, PROG_UNAVAIL = 1, PROG_MISMATCH = 2, PROC_UNAVAIL = 3, GARBAGE_ARGS = 4, SYSTEM_ERR = 5 };

#define VERIFIER_MAX 400u
#define LAST_FRAGMENT 0x80000000u

static void put(unsigned char *p, uint32_t v)
{
	p[0] = (unsigned char)(v >> 24);
	p[1] = (unsigned char)(v >> 16);
	p[2] = (unsigned char)(v >> 8);
	p[3] = (unsigned char)v;
}

static uint32_t get(const unsigned char *p) { return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3]; }

void rpc_null_call(unsigned char *out, uint32_t xid)
{
	memset(out, 0, RPC_CALL_BYTES); /* procedure 0; credentials and verifier: flavour 0, length 0 */
	put(out, xid);
	put(out + 4, CALL);
	put(out + 8, RPC_VERSION);
	put(out + 12, NFS_PROGRAM);
	put(out + 16, NFS_VERSION);
}

void rpc_mark(unsigned char *out, uint32_t bytes) { put(out, LAST_FRAGMENT | bytes); }

int rpc_null_reply(const unsigned char *reply, size_t len, uint32_t *xid)
{
	size_t verifier;

	if (len < 12 || len % 4 || get(reply + 4) != REPLY)
		return -EBADMSG;
	*xid = get(reply);
	if (get(reply + 8) == DENIED)
		return -EACCES;
	if (get(reply + 8) != ACCEPTED || len < 24)
		return -EBADMSG;
	verifier = get(reply + 16);
	if (verifier > VERIFIER_MAX || len < 24 + (verifier + 3) / 4 * 4)
		return -EBADMSG;
	verifier = (verifier + 3) / 4 * 4;
	switch (get(reply + 20 + verifier)) {
	case SUCCESS:
		return len == 24 + verifier ? 0 : -EBADMSG;
	case PROG_UNAVAIL:
	case PROG_MISMATCH:
		return -EPROTONOSUPPORT;
	case PROC_UNAVAIL:
	case GARBAGE_ARGS:
	case SYSTEM_ERR:
		return -EIO;
	}
	return -EBADMSG;
}

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

/* The mark is whole: a fragment begins. */
static int begin_fragment(struct rpc_record *r)
{
	uint32_t mark = get(r->mark);

	r->last = !!(mark & LAST_FRAGMENT);
	r->left = mark & ~LAST_FRAGMENT;
	if (r->left > RPC_REPLY_MAX - r->len || (!r->left && !r->last)) /* empty fragments could go on for ever */
		return -EMSGSIZE;
	return 0;
}

int rpc_record_take(struct rpc_record *r, const unsigned char *bytes, size_t len, size_t *used)
{
	size_t n;

	*used = 0;
	if (r->mark_len == RPC_MARK_BYTES && !r->left && r->last)
		memset(r, 0, sizeof(*r));
	while (*used < len) {
		if (r->mark_len < RPC_MARK_BYTES) {
			n = least(RPC_MARK_BYTES - r->mark_len, len - *used);
			memcpy(r->mark + r->mark_len, bytes + *used, n);
			r->mark_len += n;
			*used += n;
			if (r->mark_len < RPC_MARK_BYTES)
				return 0;
			if (begin_fragment(r))
				return -EMSGSIZE;
		}
		n = least(r->left, len - *used);
		memcpy(r->body + r->len, bytes + *used, n);
		r->len += n;
		r->left -= n;
		*used += n;
		if (!r->left && r->last)
			return 1;
		if (!r->left)
			r->mark_len = 0;
	}
	return 0;
}
