/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kv: the line format of everything kdyno writes for itself: `word key=value ... *crc`, see docs/formats.md.
 *
 * Parsing is pure over (bytes, length), copies the line into the struct and never allocates. A kv_line is about
 * 5 KiB: keep it static or on a stack that is known to be large enough. Keys and words are checked against
 * [a-z0-9_.-]; values are unescaped in place, so a value may hold any byte but NUL (%00 is refused).
 */
#ifndef KD_KV_H
#define KD_KV_H

#include <stddef.h>
#include <stdint.h>

#define KV_LINE_MAX 4096 /* bytes of a line of a file, its newline not counted */
#define KV_PAIRS_MAX 48

struct kv_pair {
	const char *key; /* NUL-terminated, into kv_line.buf */
	const char *val; /* unescaped, NUL-terminated */
};

struct kv_line {
	const char *word; /* first word, or "" where the line starts with a pair */
	size_t n;
	struct kv_pair pair[KV_PAIRS_MAX];
	char buf[KV_LINE_MAX + 1];
};

/* Parses `word key=value ...` (no CRC; see kv_parse_crc). 0, -EMSGSIZE (too long, too many pairs), -EINVAL (syntax). */
int kv_parse(struct kv_line *l, const char *s, size_t len);
/* Checks and strips ` *crc` first. -EBADMSG where the CRC is missing or wrong. A trailing CR or LF is tolerated. */
int kv_parse_crc(struct kv_line *l, const char *s, size_t len);
/* Length of the part that the CRC covers, or -EBADMSG. */
long kv_crc_body(const char *s, size_t len);

/* The first value of key, or NULL. */
const char *kv_get(const struct kv_line *l, const char *key);
/* 0; -ENOENT absent; -EINVAL not a number; -ERANGE. kv_hex32 takes exactly 8 hex digits. */
int kv_u64(const struct kv_line *l, const char *key, uint64_t *out);
int kv_hex32(const struct kv_line *l, const char *key, uint32_t *out);
/* The first 8 bytes of s as hex, lower case: the one spelling of tags and CRCs. 0 or -EINVAL. */
int kv_hex32_text(const char *s, uint32_t *out);
/* 1 where a comma list holds the word. */
int kv_list_has(const char *list, const char *word);
/* Copies a value; -ENOENT, -ENAMETOOLONG (nothing is cut silently). */
int kv_str(const struct kv_line *l, const char *key, char *out, size_t size);

/* Builds a line into a caller's buffer. The first error sticks in err (-EMSGSIZE, -EINVAL); check it once, at the end. */
struct kv_out {
	char *buf; /* always NUL-terminated */
	size_t size, len;
	int err;
};

void kv_out_init(struct kv_out *o, char *buf, size_t size);
void kv_out_word(struct kv_out *o, const char *word); /* appends a word, a space before it where needed, not escaped */
void kv_out_str(struct kv_out *o, const char *key, const char *val);
void kv_out_bytes(struct kv_out *o, const char *key, const void *val, size_t len);
void kv_out_u64(struct kv_out *o, const char *key, uint64_t v);
void kv_out_hex32(struct kv_out *o, const char *key, uint32_t v); /* 8 digits */
/* Appends pairs that are escaped already (`a=b c=d`), as they stand. */
void kv_out_raw(struct kv_out *o, const char *pairs);
/* Appends ` *crc` over what is in the buffer from offset `from`. */
void kv_out_crc(struct kv_out *o, size_t from);

/* %XX escaping alone. Both return the length written without the NUL, or -EMSGSIZE / -EINVAL. */
long kv_escape(char *out, size_t size, const void *in, size_t len);
long kv_unescape(char *out, size_t size, const char *in, size_t len);
/* An id: [A-Za-z0-9][A-Za-z0-9._+-]{0,63}. */
int kv_is_id(const char *s);

#endif
