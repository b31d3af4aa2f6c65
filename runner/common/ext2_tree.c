/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ext2_tree: archives to a list of entries. newc (buffer-format.rst of the kernel): 110 bytes of header, thirteen numbers of 8 hex digits behind the
 * magic, then name and data, each filled up to a multiple of 4. Trap: between archives stand zeros, as many as anyone liked.
 */
#include "common/ext2.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define HEADER 110

static int hex_at(const char *s, uint32_t *out)
{
	uint32_t v = 0;

	for (int i = 0; i < 8; i++) {
		char c = s[i];
		unsigned d = c >= '0' && c <= '9' ? (unsigned)(c - '0') : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10 : (unsigned)(c - 'A') + 10;

		if (d > 15)
			return -EINVAL;
		v = v << 4 | d;
	}
	*out = v;
	return 0;
}

static struct ext2_entry *find(const struct ext2_tree *t, const char *path, size_t len)
{
	for (size_t i = 0; i < t->count; i++)
		if (strlen(t->entry[i].path) == len && !memcmp(t->entry[i].path, path, len))
			return &t->entry[i];
	return NULL;
}

static int has_parent(const struct ext2_tree *t, const char *path)
{
	const char *slash = strrchr(path, '/');
	const struct ext2_entry *e = slash ? find(t, path, (size_t)(slash - path)) : NULL;

	return !slash || (e && S_ISDIR(e->mode));
}

static int add(struct ext2_tree *t, const struct ext2_entry *e)
{
	struct ext2_entry *there = find(t, e->path, strlen(e->path));

	if (there && S_ISDIR(there->mode) != S_ISDIR(e->mode))
		return -EINVAL;
	if (there) {
		*there = *e;
		return 0;
	}
	if (!e->path[0] || !has_parent(t, e->path))
		return -EINVAL;
	if (t->count == EXT2_ENTRIES_MAX)
		return -E2BIG;
	if (!t->entry) {
		t->entry = malloc(EXT2_ENTRIES_MAX * sizeof *t->entry);
		if (!t->entry)
			return -ENOMEM;
	}
	t->entry[t->count++] = *e;
	return 0;
}

static size_t up4(size_t n) { return (n + 3) / 4 * 4; }

/* One entry at text; *used is its length. 1: the trailer, 0: an entry. */
static int read_entry(const char *text, size_t len, struct ext2_entry *e, size_t *used)
{
	uint32_t n[13];
	size_t at;

	if (len < HEADER || (memcmp(text, "070701", 6) != 0 && memcmp(text, "070702", 6) != 0))
		return -EINVAL;
	for (size_t i = 0; i < 13; i++)
		if (hex_at(text + 6 + i * 8, &n[i]))
			return -EINVAL;
	/* ino mode uid gid nlink mtime filesize devmajor devminor rdevmajor rdevminor namesize check */
	at = up4(HEADER + n[11]);
	if (n[11] < 2 || n[11] > sizeof e->path || at > len || n[6] > len - at || text[HEADER + n[11] - 1])
		return -EINVAL;
	memset(e, 0, sizeof *e);
	memcpy(e->path, text + HEADER, n[11]);
	e->mode = n[1];
	e->major = n[9];
	e->minor = n[10];
	e->data = text + at;
	e->len = n[6];
	*used = up4(at + n[6]);
	return !strcmp(e->path, "TRAILER!!!");
}

int ext2_tree_cpio(struct ext2_tree *t, const void *text, size_t len)
{
	const char *s = text;

	for (size_t at = 0; at < len;) {
		struct ext2_entry e;
		size_t used;
		int r;

		if (!s[at]) {
			at++;
			continue;
		}
		r = read_entry(s + at, len - at, &e, &used);
		if (!r)
			r = add(t, &e);
		if (r < 0)
			return r;
		at += used;
	}
	return 0;
}

void ext2_tree_free(struct ext2_tree *t)
{
	free(t->entry);
	t->entry = NULL;
	t->count = 0;
}
