/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * records: formatting and keeping. A line that does not fit is never cut in a way that changes its meaning: values that
 * may be cut go through records_put_cut. Trap: the seq is used up only by a line that was sent, or gaps would be seen.
 */
#include "box/records.h"
#include "common/clock.h"
#include "common/crc32c.h"
#include "common/io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define CRC_ROOM 10         /* ` *` and 8 digits */
#define RESERVE_BYTES 16384 /* of the file, for what closes a boot: end, bye, ask, jump, fail */
#define TEXT_PARTS_MAX 200

int records_open(struct records *r, const char *path, uint32_t tag)
{
	r->tag = tag;
	if (!r->max_bytes)
		r->max_bytes = RECORDS_BYTES_MAX;
	r->fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (r->fd < 0)
		return -errno;
	io_set_cloexec(r->fd);
	return 0;
}

struct kv_out *records_begin(struct records *r, const char *kind, const char *test) { return records_begin_as(r, r->next_seq, kind, test); }

struct kv_out *records_begin_as(struct records *r, uint32_t seq, const char *kind, const char *test)
{
	kv_out_init(&r->out, r->buf, sizeof r->buf);
	record_open(&r->out, r->tag, seq, clock_boot_ms(), kind);
	r->test_record = test != NULL;
	if (test)
		kv_out_str(&r->out, "test", test);
	if (!strcmp(kind, "begin"))
		r->of_test = 0;
	return &r->out;
}

/* The kind of a line that starts with `# kd1 tag seq ms kind`. */
static int is_kind(const char *line, const char *kind)
{
	size_t len = strlen(kind);
	int spaces = 0;

	for (; *line && spaces < 5; line++)
		spaces += *line == ' ';
	return !strncmp(line, kind, len) && (line[len] == ' ' || !line[len]);
}

static int is_vital(const char *line)
{
	static const char *const kind[] = {"end", "bye", "ask", "jump", "fail"};

	for (size_t i = 0; i < sizeof kind / sizeof *kind; i++)
		if (is_kind(line, kind[i]))
			return 1;
	return 0;
}

/* Counts a whole line; what comes after bye is not counted. */
static void account(struct records *r, const char *line, size_t len, int is_bye)
{
	long at = record_find(line, len);

	if (is_bye)
		r->closed = 1;
	if (r->closed || at < 0)
		return;
	r->count++;
	r->digest = crc32c(r->digest, line + at, len - (size_t)at);
}

static void keep(struct records *r, const char *line, size_t len)
{
	char whole[RECORD_MAX + 2];

	memcpy(whole, line, len);
	whole[len] = '\n';
	if (r->fd >= 0 && io_write_all(r->fd, whole, len + 1) == 0)
		r->bytes += len + 1;
}

int records_end(struct records *r)
{
	long len = record_close(&r->out);

	if (len < 0)
		return (int)len;
	if (r->bytes + (size_t)len + 1 > r->max_bytes - RESERVE_BYTES && !is_vital(r->buf)) {
		if (r->dropped++ == 0) { /* overflow is a record, and the reserve has room for it */
			struct kv_out *o = records_begin(r, "fail", NULL);

			kv_out_hex32(o, "of", r->tag);
			kv_out_str(o, "name", "overflow");
			return records_end(r);
		}
		return -ENOSPC;
	}
	r->next_seq++;
	r->of_test += r->test_record ? 1 : 0;
	account(r, r->buf, (size_t)len, is_kind(r->buf, "bye"));
	keep(r, r->buf, (size_t)len);
	memcpy(r->last, r->buf, (size_t)len + 1);
	r->last_len = (size_t)len;
	for (size_t i = 0; i < r->sinks; i++)
		r->sink[i]->ops->put(r->sink[i], r->last, r->last_len);
	return 0;
}

static int is_plain(unsigned char c)
{
	return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (c && strchr("._:/+,@-", c));
}

/* How many of the bytes fit into room once they are escaped. */
static size_t fits(const char *val, size_t room)
{
	size_t n = 0, used = 0;

	while (val[n]) {
		size_t one = is_plain((unsigned char)val[n]) ? 1 : 3;

		if (used + one > room)
			break;
		used += one;
		n++;
	}
	return n;
}

void records_put_cut(struct records *r, const char *key, const char *val)
{
	size_t taken = r->out.len + CRC_ROOM + strlen(key) + 2;

	if (taken < RECORD_MAX)
		kv_out_bytes(&r->out, key, val, fits(val, RECORD_MAX - taken));
}

void records_note(struct records *r, const char *test, const char *fmt, ...)
{
	char msg[RECORD_MAX];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(msg, sizeof msg, fmt, ap);
	va_end(ap);
	records_begin(r, "note", test);
	records_put_cut(r, "msg", msg);
	records_end(r);
}

void records_fail(struct records *r, uint32_t of, const char *name)
{
	struct kv_out *o = records_begin(r, "fail", NULL);

	kv_out_hex32(o, "of", of);
	kv_out_str(o, "name", name);
	records_end(r);
}

void records_text(struct records *r, const char *name, const char *data) { records_text_of(r, name, 0, data); }

void records_text_of(struct records *r, const char *name, uint32_t of, const char *data)
{
	char part[16];
	size_t at = 0, n = 0, room;

	/* `# kd1 tag seq ms text name= part=ii/nn data=` with the longest seq and ms, so that the cut does not depend on them. */
	room = RECORD_MAX - CRC_ROOM - strlen("# kd1 00000000 4294967295 1234567890123 text name= part=000/000 data=") - strlen(name) -
	       (of ? strlen(" of=00000000") : 0);
	for (at = 0; data[at] && n < TEXT_PARTS_MAX; n++)
		at += fits(data + at, room);
	if (!n)
		n = 1;
	at = 0;
	for (size_t i = 1; i <= n; i++) {
		struct kv_out *o = records_begin(r, "text", NULL);
		size_t len = fits(data + at, room);

		kv_out_str(o, "name", name);
		if (of)
			kv_out_hex32(o, "of", of);
		snprintf(part, sizeof part, "%zu/%zu", i, n);
		kv_out_str(o, "part", part);
		kv_out_bytes(o, "data", data + at, len);
		records_end(r);
		at += len;
	}
}

void records_bye(struct records *r)
{
	struct kv_out *o = records_begin(r, "bye", NULL);

	kv_out_u64(o, "count", r->count);
	kv_out_hex32(o, "digest", r->digest);
	records_end(r);
}

void records_repeat(struct records *r, size_t i)
{
	if (i < r->sinks && r->last_len)
		r->sink[i]->ops->put(r->sink[i], r->last, r->last_len);
}
