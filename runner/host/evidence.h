/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * evidence: what the console said around a failure, a file a failed try: sweeps/<id>/evidence/<tag>-<name>.txt.
 *
 * The last EVIDENCE_BYTES that came are kept in memory; a failure writes them at once, and once more when what comes behind it is there.
 * Contract: harmless on a terminal (what is not printable is \xNN, line ends are \n), bounded a file and a sweep; a file that cannot be
 * written is no reason to stop.
 */
#ifndef KD_EVIDENCE_H
#define KD_EVIDENCE_H

#include <stddef.h>
#include <stdint.h>

#define EVIDENCE_BYTES (128u << 10)
#define EVIDENCE_AFTER_BYTES (32u << 10) /* of them may come behind the failure */
#define EVIDENCE_AFTER_MS 10000u
#define EVIDENCE_SWEEP_BYTES (64u << 20)
#define EVIDENCE_NAME_MAX 48

struct evidence {
	char *dir;
	char *ring;
	uint64_t total;   /* bytes that have come; the last EVIDENCE_BYTES of them are in the ring */
	uint64_t written; /* in the folder */
	int full;         /* the sweep has its share */
	/* the one that waits for what comes behind it; file "": none */
	char file[EVIDENCE_NAME_MAX], head[512];
	uint64_t mark_total, mark_ms, file_bytes;
};

/* What identifies a failure. */
struct evidence_of {
	const char *sweep, *name, *why; /* why may be NULL */
	unsigned line;
	uint32_t tag;
	uint64_t unix_ms;
};

/* dir need not be there. 0 or -ENOMEM. */
int evidence_open(struct evidence *e, const char *dir);
/* Finishes the one that waits. */
void evidence_close(struct evidence *e);
void evidence_feed(struct evidence *e, const char *bytes, size_t len);
/*
 * 0, or -errno (-EDQUOT: the sweep has its share). past = 1: the failure is one of the past, and is left out where its file is there
 * already or what is in memory does not speak of its tag.
 */
int evidence_mark(struct evidence *e, const struct evidence_of *of, int past, uint64_t now_ms);
/* Finishes the one that waits when enough has come, or nothing more will. */
void evidence_tick(struct evidence *e, uint64_t now_ms);
/* The name of a file; name is a failure's. */
void evidence_name(char *out, size_t size, uint32_t tag, const char *name);

#endif
