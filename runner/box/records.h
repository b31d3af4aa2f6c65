/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * records: draws seqs, formats, keeps all lines in a bounded file on tmpfs and gives them to the sinks. The file is what
 * `again` and `runner --next` read; count and digest (docs/formats.md, `bye`) grow with it.
 *
 *     struct kv_out *o = records_begin(r, "metric", "disk-seq");
 *     kv_out_u64(o, "v", 1);
 *     records_end(r);
 */
#ifndef KD_BOX_RECORDS_H
#define KD_BOX_RECORDS_H

#include "box/sink.h"
#include "common/record.h"

#define RECORDS_PATH "/run/kd/records"
#define RECORDS_BYTES_MAX (4u << 20)
#define RECORDS_SINKS_MAX 2

struct records {
	/* given */
	struct sink *sink[RECORDS_SINKS_MAX];
	size_t sinks;
	uint64_t max_bytes;
	/* running */
	int fd;
	uint32_t tag, next_seq;
	uint32_t count, digest; /* of the records before bye */
	int closed;             /* bye has been drawn */
	uint32_t jump_tag;      /* of the last jump that a dead runner announced; 0 none */
	uint64_t bytes;
	unsigned dropped; /* records that found no room */
	uint64_t last_ms; /* of the last record that was found by records_resume */
	unsigned of_test; /* records with test= since the last begin */
	int test_record;  /* the one that is open has a test= */
	struct kv_out out;
	char buf[RECORD_MAX + 1];
	char last[RECORD_MAX + 1]; /* the last line, for repeats */
	size_t last_len;
};

/* A new file. 0 or -errno; on an error records still go to the sinks. */
int records_open(struct records *r, const char *path, uint32_t tag);
/* Goes on with the file of a runner that died. -ENOENT where there is no whole record in it. */
int records_resume(struct records *r, const char *path);
/* The runner's tag and the first record's kind is `hello`; test may be NULL. */
struct kv_out *records_begin(struct records *r, const char *kind, const char *test);
/* The same for a line that is said and not kept; it is closed and sent by the caller. */
struct kv_out *records_begin_as(struct records *r, uint32_t seq, const char *kind, const char *test);
/* Sends. 0, or -EMSGSIZE / -EINVAL when the record did not fit: nothing was sent and the seq is not used up. */
int records_end(struct records *r);
/* Adds a pair, cutting the value to what fits. */
void records_put_cut(struct records *r, const char *key, const char *val);
/* Like records_put_cut of a formatted text, as a whole `note` record. */
void records_note(struct records *r, const char *test, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
void records_fail(struct records *r, uint32_t of, const char *name);
/* A long value as `text name= part= n= data=` records. */
void records_text(struct records *r, const char *name, const char *data);
/* The same with of=TAG in each of them; of 0: without. */
void records_text_of(struct records *r, const char *name, uint32_t of, const char *data);
void records_bye(struct records *r);
/* The last record again, same bytes, to sink i only. */
void records_repeat(struct records *r, size_t i);
/* Resends those seqs (`1-3,7`) as `part` records, which are not kept. 0 or -EINVAL. */
int records_again(struct records *r, const char *what);
/* The line of a seq, without line end. Length or -ENOENT. */
long records_find(const struct records *r, uint32_t seq, char *out, size_t size);

#endif
