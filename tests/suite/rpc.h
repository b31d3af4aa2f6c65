/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rpc: the NULL call of NFS v3 and its reply, in XDR (RFC 5531, RFC 4506, RFC 1813), and record marking for TCP (RFC 5531, section 11). Pure: bytes in, bytes
 * out.
 *
 * The trap: a reply may legally come in several fragments, and carry a verifier; all else than "accepted, success, nothing behind it" is an error here, by
 * name.
 */
#ifndef KD_SUITE_RPC_H
#define KD_SUITE_RPC_H

#include <stddef.h>
#include <stdint.h>

#define RPC_CALL_BYTES 40u /* without a record mark */
#define RPC_MARK_BYTES 4u
#define RPC_REPLY_MAX 512u /* without marks: 24 and a verifier of at most 400 */

/* A NULL call, program 100003, version 3, AUTH_NONE: RPC_CALL_BYTES. */
void rpc_null_call(unsigned char *out, uint32_t xid);
/* The mark of a record of one fragment: RPC_MARK_BYTES. */
void rpc_mark(unsigned char *out, uint32_t bytes);
/*
 * A whole reply without marks. 0 and its xid, or: -EBADMSG (cut short, too long, or no reply at all), -EACCES (denied: RPC version or
 * credentials), -EPROTONOSUPPORT (no such program or version), -EIO (the server's own error).
 */
int rpc_null_reply(const unsigned char *reply, size_t len, uint32_t *xid);

/* A record as it comes out of a stream, fragment by fragment. */
struct rpc_record {
	unsigned char mark[RPC_MARK_BYTES], body[RPC_REPLY_MAX];
	size_t mark_len, len; /* so far */
	size_t left;          /* of the fragment */
	int last;             /* it is the last one */
};

/* Takes bytes, at most up to the end of the record; *used of them. 1: a record is whole (the next call begins a new one), 0: more is wanted, -EMSGSIZE. */
int rpc_record_take(struct rpc_record *r, const unsigned char *bytes, size_t len, size_t *used);

#endif
