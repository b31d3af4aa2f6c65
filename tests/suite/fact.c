/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fact: lines on fd 3.
 *
 * The trap: children of a test share fd 3 with it. They are not to write there; they hand their counts to their parent.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/err.h"
#include "common/io.h"
#include "fact.h"

#define TEXT_PIECE 72 /* bytes of a piece as escaped */
#define REASON_PIECE 108

void fact_init(void)
{
	if (fcntl(FACT_FD, F_GETFD) < 0 && errno == EBADF)
		dup2(1, FACT_FD);
}

void fact_open(struct fact *f, const char *word)
{
	kv_out_init(&f->o, f->buf, sizeof(f->buf));
	kv_out_word(&f->o, word);
}

void fact_send(struct fact *f)
{
	if (f->o.err) {
		fact_note("a line did not fit: %.40s", f->buf);
		return;
	}
	f->buf[f->o.len] = '\n'; /* where the NUL was */
	io_write_all(FACT_FD, f->buf, f->o.len + 1);
}

void fact_u64(const char *key, uint64_t v)
{
	struct fact f;

	fact_open(&f, "fact");
	kv_out_u64(&f.o, key, v);
	fact_send(&f);
}

void fact_str(const char *key, const char *val)
{
	struct fact f;

	fact_open(&f, "fact");
	kv_out_str(&f.o, key, val);
	if (f.o.err == -EMSGSIZE)
		fact_text(key, val);
	else
		fact_send(&f);
}

/* Bytes of text that make a piece: as many as are at most max when escaped. */
static size_t piece_len(const char *text, size_t max)
{
	char escaped[4];
	size_t n = 0, used = 0;

	for (; text[n]; n++) {
		long len = kv_escape(escaped, sizeof(escaped), text + n, 1);

		used += len > 0 ? (size_t)len : 3;
		if (used > max)
			break;
	}
	return n;
}

void fact_text(const char *name, const char *text)
{
	unsigned parts = 0, i = 0;
	char part[24];
	struct fact f;

	for (const char *p = text; *p; p += piece_len(p, TEXT_PIECE))
		parts++;
	for (const char *p = text; *p; p += piece_len(p, TEXT_PIECE)) {
		snprintf(part, sizeof(part), "%u/%u", ++i, parts);
		fact_open(&f, "fact");
		kv_out_str(&f.o, "text", name);
		kv_out_str(&f.o, "part", part);
		kv_out_bytes(&f.o, "data", p, piece_len(p, TEXT_PIECE));
		fact_send(&f);
	}
}

void fact_phase(const char *name, uint64_t quiet_ms)
{
	struct fact f;

	fact_open(&f, "phase");
	kv_out_str(&f.o, "name", name);
	kv_out_u64(&f.o, "quiet_ms", quiet_ms);
	fact_send(&f);
}

void fact_metric(const char *name, uint64_t v)
{
	struct fact f;

	fact_open(&f, "metric");
	kv_out_str(&f.o, "name", name);
	kv_out_u64(&f.o, "v", v);
	fact_send(&f);
}

void fact_rate(const char *name, uint64_t v, uint64_t ns)
{
	struct fact f;

	fact_open(&f, "metric");
	kv_out_str(&f.o, "name", name);
	kv_out_u64(&f.o, "v", v);
	kv_out_u64(&f.o, "ns", ns);
	fact_send(&f);
}

/* `word key=text`, the text cut to what fits. */
static void say(const char *word, const char *key, const char *fmt, va_list ap)
{
	char text[256];
	struct fact f;
	size_t len;

	vsnprintf(text, sizeof(text), fmt, ap);
	len = piece_len(text, REASON_PIECE);
	fact_open(&f, word);
	kv_out_bytes(&f.o, key, text, len);
	fact_send(&f);
}

void fact_note(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say("note", "msg", fmt, ap);
	va_end(ap);
}

int fact_skip(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say("skip", "reason", fmt, ap);
	va_end(ap);
	return EXIT_SKIP;
}

int fact_fail(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say("fail", "reason", fmt, ap);
	va_end(ap);
	return EXIT_FAIL;
}
