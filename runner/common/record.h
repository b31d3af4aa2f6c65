/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * record: one line of result on its way from the box to the station, see docs/formats.md.
 *
 *     # kd1 <tag> <seq> <ms since kernel start> <kind> key=value ... *<crc32c>
 *
 * At most RECORD_MAX bytes without the line end. Formatting and parsing are pure. A record's identity is (tag, seq).
 */
#ifndef KD_RECORD_H
#define KD_RECORD_H

#include "common/kv.h"

#define RECORD_MAX 200
#define RECORD_TAG_BOX 0x80000000u /* set in tags that home and crash kernels draw themselves */

struct record {
	uint32_t tag, seq;
	uint64_t ms;
	struct kv_line kv; /* kv.word is the kind */
	size_t len;        /* bytes from `kd1` to the last digit of the CRC */
};

/*
 * s points at `kd1 `; parses to the CRC that ends the line (trailing CR, LF tolerated).
 * 0; -EBADMSG CRC missing or wrong; -EINVAL right CRC but not a record; -EMSGSIZE.
 */
int record_parse(struct record *r, const char *s, size_t len);
/* Starts a record in o (`# kd1 tag seq ms kind`); add pairs with kv_out_*, close with record_close. o->size >= RECORD_MAX + 1. */
void record_open(struct kv_out *o, uint32_t tag, uint32_t seq, uint64_t ms, const char *kind);
/* Appends the CRC. Length of the line without line end, or -EMSGSIZE / -EINVAL: then nothing may be sent. */
long record_close(struct kv_out *o);
/* Offset of `kd1 ` in a line, or -1. */
long record_find(const char *s, size_t len);
/* `1-3,7` from a sorted list of seqs, and back. -EMSGSIZE when it does not fit, -EINVAL on bad text. */
long record_ranges_format(char *out, size_t size, const uint32_t *seq, size_t n);
long record_ranges_parse(const char *s, uint32_t *seq, size_t max);

#endif
