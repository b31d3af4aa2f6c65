/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * console: finds the records in a stream of console bytes.
 *
 * Fast path: a line that lies whole in the input and holds no `kd1 ` costs one memchr and one memmem. Trap: the box writes a
 * record with one write(2), but printk on another CPU may put whole lines anywhere into it, so that the head of the record stands
 * before the kernel's text, and the tail on a line of its own.
 */
#include <string.h>

#include "common/crc32c.h"
#include "host/console.h"

#define MARK "kd1 "
#define MARK_LEN 4
#define TAIL_LEN 10 /* ` *` and 8 digits */

void console_init(struct console *c, const struct console_sink *sink)
{
	memset(c, 0, sizeof(*c));
	c->sink = *sink;
}

static void emit_text(struct console *c, const char *s, size_t len)
{
	if (!len)
		return;
	c->count.text_bytes += len;
	if (c->sink.text)
		c->sink.text(c->sink.ctx, s, len);
}

static int is_hex(const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!((s[i] >= '0' && s[i] <= '9') || (s[i] >= 'a' && s[i] <= 'f')))
			return 0;
	return 1;
}

static int ends_in_crc(const char *s, size_t len) { return len > TAIL_LEN && s[len - 10] == ' ' && s[len - 9] == '*' && is_hex(s + len - 8, 8); }

/* Is s..len a record with its CRC at the end? Then it is parsed into c->record. */
static int is_record(struct console *c, const char *s, size_t len)
{
	return len <= RECORD_MAX && ends_in_crc(s, len) && !record_parse(&c->record, s, len);
}

static void emit_record(struct console *c, const char *s)
{
	char line[RECORD_MAX + 1];

	memcpy(line, s, c->record.len);
	line[c->record.len] = 0;
	c->count.records++;
	if (c->sink.record)
		c->sink.record(c->sink.ctx, &c->record, line);
}

static const char *find_mark(const char *s, const char *end) { return end - s < MARK_LEN ? NULL : memmem(s, (size_t)(end - s), MARK, MARK_LEN); }

/* A record that begins at s: to the end of the line, or to any CRC before it that holds. Its length, or 0. */
static size_t match_record(struct console *c, const char *s, const char *end)
{
	size_t len = (size_t)(end - s);

	if (is_record(c, s, len))
		return len;
	if (len > RECORD_MAX)
		len = RECORD_MAX;
	for (size_t i = MARK_LEN; i + TAIL_LEN <= len; i++)
		if (s[i] == ' ' && is_record(c, s, i + TAIL_LEN))
			return i + TAIL_LEN;
	return 0;
}

static int may_be_tail(const char *s, size_t len)
{
	if (ends_in_crc(s, len))
		return 1;
	if (!len || len > TAIL_LEN)
		return 0;
	return is_hex(s + len - (len < 8 ? len : 8), len < 8 ? len : 8);
}

static void drop_head(struct console *c)
{
	if (c->head_len) {
		c->count.bad++;
		emit_text(c, c->head, c->head_len);
	}
	c->head_len = 0;
}

/*
 * tail ends in a CRC that covers some beginning of the head followed by the tail: all of them are tried, from the longest. By chance
 * one in 2^32 / 200 holds. 0, or 1 + the bytes of the head that belong to the record.
 */
static int join_at(struct console *c, const char *tail, size_t len)
{
	char buf[RECORD_MAX];
	uint32_t crc[RECORD_MAX + 1], want = 0;
	size_t max = c->head_len;

	if (len > RECORD_MAX)
		return 0;
	if (max + len > RECORD_MAX)
		max = RECORD_MAX - len;
	for (int i = 0; i < 8; i++) {
		char d = tail[len - 8 + (size_t)i];

		want = want << 4 | (uint32_t)(d <= '9' ? d - '0' : d - 'a' + 10);
	}
	crc[0] = 0;
	for (size_t i = 0; i < max; i++)
		crc[i + 1] = crc32c(crc[i], c->head + i, 1);
	for (size_t p = max + 1; p-- > 0;) {
		if (crc32c(crc[p], tail, len - TAIL_LEN) != want)
			continue;
		memcpy(buf, c->head, p);
		memcpy(buf + p, tail, len);
		if (!is_record(c, buf, p + len))
			return 0;
		emit_record(c, buf);
		c->count.joined++;
		return (int)p + 1;
	}
	return 0;
}

/* The kernel line stood in the CRC itself: what is left of it is at most 10 bytes. */
static int join_short(struct console *c, const char *tail, size_t len)
{
	char buf[RECORD_MAX];

	for (size_t p = c->head_len + len > RECORD_MAX ? RECORD_MAX - len : c->head_len; p > MARK_LEN; p--) {
		memcpy(buf, c->head, p);
		memcpy(buf + p, tail, len);
		if (!is_record(c, buf, p + len))
			continue;
		emit_record(c, buf);
		c->count.joined++;
		return (int)p + 1;
	}
	return 0;
}

static int join(struct console *c, const char *tail, size_t len)
{
	int n = len <= TAIL_LEN ? join_short(c, tail, len) : join_at(c, tail, len);

	if (!n)
		return 0;
	emit_text(c, c->head + n - 1, c->head_len - (size_t)(n - 1)); /* the kernel's line */
	c->head_len = 0;
	return 1;
}

/* The mark itself may be broken: "k" + kernel line + "d1 ...". */
static int join_mark(struct console *c, const char *s, size_t len)
{
	int n;

	memcpy(c->head, MARK, 3);
	c->head_len = 3;
	n = join_at(c, s, len);
	c->head_len = 0;
	return n > 0;
}

/* A line with a mark in it, clean of NULs and CRs. */
static void take_marked(struct console *c, const char *s, const char *end, const char *mark)
{
	const char *done = s, *broken = NULL;

	while (mark) {
		size_t n = match_record(c, mark, end);
		const char *before = mark;

		if (!n) {
			broken = mark;
			mark = find_mark(mark + MARK_LEN, end);
			continue;
		}
		if (before - done >= 2 && !memcmp(before - 2, "# ", 2))
			before -= 2;
		drop_head(c);
		if (broken)
			c->count.bad++;
		broken = NULL;
		emit_text(c, done, (size_t)(before - done));
		emit_record(c, mark);
		done = mark + n;
		mark = find_mark(done, end);
	}
	if (!broken) {
		emit_text(c, done, (size_t)(end - done));
		return;
	}
	drop_head(c);
	if (broken - done >= 2 && !memcmp(broken - 2, "# ", 2))
		emit_text(c, done, (size_t)(broken - 2 - done));
	else
		emit_text(c, done, (size_t)(broken - done));
	c->head_len = (size_t)(end - broken);
	memcpy(c->head, broken, c->head_len);
	c->head_age = 0;
}

static size_t strip(char *out, const char *s, size_t len)
{
	size_t n = 0;

	for (size_t i = 0; i < len; i++)
		if (s[i] && s[i] != '\r')
			out[n++] = s[i];
	return n;
}

/* A whole line without its newline. */
static void take_line(struct console *c, const char *s, size_t len)
{
	const char *mark;

	while (len && s[len - 1] == '\r')
		len--;
	if (memchr(s, 0, len) || (len && memchr(s, '\r', len))) {
		size_t n = strip(c->clean, s, len);

		if (find_mark(c->clean, c->clean + n) || ends_in_crc(c->clean, n) || (c->head_len && may_be_tail(c->clean, n))) {
			s = c->clean;
			len = n;
		}
	}
	mark = find_mark(s, s + len);
	if (mark) {
		take_marked(c, s, s + len, mark);
		return;
	}
	if (c->head_len ? may_be_tail(s, len) && join(c, s, len) : ends_in_crc(s, len) && join_mark(c, s, len))
		return;
	if (c->head_len && ++c->head_age > CONSOLE_JOIN_LINES)
		drop_head(c);
	emit_text(c, s, len);
}

/* The buffer is full without a newline: all but its end is handed out; a record that begins near the cut is kept whole. */
static void cut_long(struct console *c)
{
	size_t cut = CONSOLE_LINE_MAX - RECORD_MAX - 8;
	const char *mark = find_mark(c->buf + cut - RECORD_MAX, c->buf + cut + MARK_LEN);

	while (mark) {
		const char *next = find_mark(mark + MARK_LEN, c->buf + cut + MARK_LEN);

		if (!next)
			break;
		mark = next;
	}
	if (mark)
		cut = (size_t)(mark - c->buf);
	take_line(c, c->buf, cut);
	c->fill -= cut;
	memmove(c->buf, c->buf + cut, c->fill);
}

static void keep(struct console *c, const char *s, size_t len)
{
	while (len) {
		size_t n = CONSOLE_LINE_MAX - c->fill;

		if (n > len)
			n = len;
		memcpy(c->buf + c->fill, s, n);
		c->fill += n;
		s += n;
		len -= n;
		if (c->fill == CONSOLE_LINE_MAX)
			cut_long(c);
	}
}

void console_feed(struct console *c, const void *data, size_t len)
{
	const char *s = data, *end = s + len;

	c->count.bytes += len;
	while (s < end) {
		const char *nl = memchr(s, '\n', (size_t)(end - s));

		if (!nl) {
			keep(c, s, (size_t)(end - s));
			return;
		}
		if (!c->fill && nl - s <= CONSOLE_LINE_MAX) {
			take_line(c, s, (size_t)(nl - s));
		} else {
			keep(c, s, (size_t)(nl - s));
			take_line(c, c->buf, c->fill);
			c->fill = 0;
		}
		s = nl + 1;
	}
}

void console_flush(struct console *c)
{
	if (c->fill)
		take_line(c, c->buf, c->fill);
	c->fill = 0;
	drop_head(c);
}
