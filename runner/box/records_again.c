/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * records_again: reading the kept lines back, for a station that missed some and for a runner that died. The file is
 * small and read from its start each time; lines that a crash tore are skipped. Parts are said and not kept, or a bad line would fill the file; their
 * seq is that of their record.
 */
#include "box/records.h"
#include "common/crc32c.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define PART_BYTES 40 /* fits a record even where each byte is escaped; 64 is what the format allows */
#define AGAIN_MAX 256

/* Walks the lines of a file through one buffer. */
struct walk {
	int fd;
	off_t at; /* of buf[0] in the file */
	size_t have;
	char buf[4096];
};

/* The next line without its end; *len; NULL at the end. off is advanced past it. */
static const char *walk_next(struct walk *w, off_t *off, size_t *len)
{
	for (;;) {
		size_t skip = (size_t)(*off - w->at);

		if (skip <= w->have) {
			char *nl = memchr(w->buf + skip, '\n', w->have - skip);

			if (nl) {
				*len = (size_t)(nl - (w->buf + skip));
				*off += (off_t)*len + 1;
				return w->buf + skip;
			}
			if (skip == 0 && w->have == sizeof w->buf) { /* no line of ours is that long */
				*off += (off_t)w->have;
			}
		}
		ssize_t n = pread(w->fd, w->buf, sizeof w->buf, *off);
		if (n <= 0)
			return NULL;
		if (w->at == *off && w->have == (size_t)n && (size_t)n < sizeof w->buf)
			return NULL; /* a last line without its end */
		w->at = *off;
		w->have = (size_t)n;
	}
}

long records_find(const struct records *r, uint32_t seq, char *out, size_t size)
{
	static struct record rec; /* 5 KiB: not on the stack of a small box; no threads here */
	struct walk w = {.fd = r->fd};
	off_t off = 0;
	size_t len;
	const char *s;

	while ((s = walk_next(&w, &off, &len))) {
		long at = record_find(s, len);

		if (at < 0 || record_parse(&rec, s + at, len - (size_t)at) < 0 || rec.seq != seq)
			continue;
		if (len >= size)
			return -ENOENT;
		memcpy(out, s, len);
		out[len] = 0;
		return (long)len;
	}
	return -ENOENT;
}

/* To the line alone: who has NFS has the record. */
static void say_part(struct records *r)
{
	long len = record_close(&r->out);

	if (len > 0 && r->sinks)
		r->sink[0]->ops->put(r->sink[0], r->buf, (size_t)len);
}

static void send_parts(struct records *r, uint32_t seq)
{
	char line[RECORD_MAX + 1];
	long len = records_find(r, seq, line, sizeof line);
	size_t n = len > 0 ? ((size_t)len + PART_BYTES - 1) / PART_BYTES : 0;

	for (size_t i = 0; i < n; i++) {
		struct kv_out *o = records_begin_as(r, seq, "part", NULL);
		size_t at = i * PART_BYTES, piece = (size_t)len - at;

		if (piece > PART_BYTES)
			piece = PART_BYTES;
		kv_out_u64(o, "of", seq);
		kv_out_u64(o, "i", i + 1);
		kv_out_u64(o, "n", n);
		kv_out_bytes(o, "data", line + at, piece);
		say_part(r);
	}
}

int records_again(struct records *r, const char *what)
{
	uint32_t seq[AGAIN_MAX];
	long n = record_ranges_parse(what, seq, AGAIN_MAX);

	if (n < 0)
		return -EINVAL;
	for (long i = 0; i < n; i++)
		send_parts(r, seq[i]);
	return 0;
}

int records_resume(struct records *r, const char *path)
{
	static struct record rec;
	struct walk w;
	off_t off = 0;
	size_t len;
	const char *s;
	int any = 0;

	if (!r->max_bytes)
		r->max_bytes = RECORDS_BYTES_MAX;
	r->fd = open(path, O_RDWR | O_CLOEXEC);
	if (r->fd < 0)
		return -errno;
	w = (struct walk){.fd = r->fd};
	while ((s = walk_next(&w, &off, &len))) {
		long at = record_find(s, len);

		if (at < 0 || record_parse(&rec, s + at, len - (size_t)at) < 0)
			continue;
		any = 1;
		r->tag = rec.tag;
		r->next_seq = rec.seq + 1;
		r->last_ms = rec.ms;
		if (!strcmp(rec.kv.word, "bye"))
			r->closed = 1;
		if (!strcmp(rec.kv.word, "jump"))
			kv_hex32(&rec.kv, "tag", &r->jump_tag);
		if (!r->closed) {
			r->count++;
			r->digest = crc32c(r->digest, s + at, len - (size_t)at);
		}
	}
	r->bytes = (uint64_t)lseek(r->fd, 0, SEEK_END);
	if (r->bytes && pread(r->fd, r->buf, 1, (off_t)r->bytes - 1) == 1 && r->buf[0] != '\n' && write(r->fd, "\n", 1) == 1)
		r->bytes++;
	return any ? 0 : -ENOENT;
}
