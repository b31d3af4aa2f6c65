/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tree_mark: as a line with a CRC, like everything that is read back in another boot.
 */
#include <errno.h>
#include <string.h>

#include "common/kv.h"
#include "tree_mark.h"

long tree_mark_format(const struct tree_mark *m, char *out, size_t size)
{
	struct kv_out o;

	kv_out_init(&o, out, size - 1); /* room for the newline */
	kv_out_word(&o, "kdyno-tree");
	kv_out_u64(&o, "v", 1);
	kv_out_u64(&o, "seed", m->tree.seed);
	kv_out_u64(&o, "files", m->tree.files);
	kv_out_u64(&o, "dirs", m->tree.dirs);
	kv_out_u64(&o, "median_bytes", m->tree.median_bytes);
	kv_out_str(&o, "tag", m->tag);
	kv_out_str(&o, "subject", m->subject);
	kv_out_str(&o, "release", m->release);
	kv_out_crc(&o, 0);
	if (o.err)
		return -EMSGSIZE;
	out[o.len] = '\n';
	out[o.len + 1] = 0;
	return (long)o.len + 1;
}

static unsigned take(const struct kv_line *l, const char *key, unsigned max)
{
	uint64_t v;

	return kv_u64(l, key, &v) || v > max ? 0 : (unsigned)v;
}

int tree_mark_parse(struct tree_mark *m, const char *text, size_t len)
{
	static struct kv_line l; /* 5 KiB; no threads here */
	const char *end = memchr(text, '\n', len);
	uint64_t v;

	memset(m, 0, sizeof(*m));
	if (!end || kv_parse_crc(&l, text, (size_t)(end - text)) < 0 || strcmp(l.word, "kdyno-tree") || kv_u64(&l, "v", &v) || v != 1)
		return -EBADMSG;
	m->tree.files = take(&l, "files", TREE_FILES_MAX);
	m->tree.dirs = take(&l, "dirs", TREE_DIRS_MAX);
	m->tree.median_bytes = take(&l, "median_bytes", TREE_FILE_BYTES_MAX);
	if (kv_u64(&l, "seed", &m->tree.seed) || !m->tree.files || !m->tree.dirs || !m->tree.median_bytes ||
	    kv_str(&l, "tag", m->tag, sizeof(m->tag)) || kv_str(&l, "subject", m->subject, sizeof(m->subject)) ||
	    kv_str(&l, "release", m->release, sizeof(m->release)))
		return -EBADMSG;
	return 0;
}
