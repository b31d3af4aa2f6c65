/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ext2: a file system of revision 0 in blocks of 1 KiB and one group (Documentation/filesystems/ext2.rst and fs/ext2/ext2.h of the kernel), which
 * each Linux since 1.0 mounts: boot block, superblock, group descriptor, two bitmaps, inodes, data. Contract: e2fsck finds nothing to say.
 * Trap: the job lies in one piece, so no indirect block may come to stand in the middle of it; those of a file come before its data.
 */
#include "common/ext2.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define BLOCK 1024u
#define POINTERS (BLOCK / 4)
#define DIRECT 12u
#define INODE 128u
#define ROOT_INO 2u
#define LOST_INO 11u /* the first that is not reserved */
#define SPARE_INODES 128u
#define BITMAP_BLOCK 3u
#define INODES_AT 5u
#define NAME_AT 136 /* s_last_mounted */
#define NAME_BYTES 64

struct maker {
	const struct ext2_tree *tree;
	unsigned char *image;
	size_t size;          /* of the buffer */
	uint32_t inodes;      /* all there are */
	uint32_t next;        /* the next free block */
	uint32_t used_inodes; /* the last one in use */
	uint32_t dirs;
	uint64_t job_at;
	int err;
};

static void put16(unsigned char *p, uint32_t v)
{
	p[0] = (unsigned char)v;
	p[1] = (unsigned char)(v >> 8);
}

static void put32(unsigned char *p, uint32_t v)
{
	put16(p, v);
	put16(p + 2, v >> 16);
}

static unsigned char *block_at(struct maker *m, uint32_t block) { return m->image + (size_t)block * BLOCK; }

static unsigned char *inode_at(struct maker *m, uint32_t ino) { return block_at(m, INODES_AT) + (size_t)(ino - 1) * INODE; }

/* A new block, zeroed; 0 where there is no room. */
static uint32_t take_block(struct maker *m)
{
	if ((size_t)(m->next + 1) * BLOCK > m->size) {
		m->err = -EFBIG;
		return 0;
	}
	return m->next++;
}

static void set_inode(struct maker *m, uint32_t ino, unsigned mode, size_t len, unsigned links, uint32_t blocks)
{
	unsigned char *i = inode_at(m, ino);

	put16(i, mode);
	put32(i + 4, (uint32_t)len);
	put16(i + 26, links);
	put32(i + 28, blocks * (BLOCK / 512));
}

/* Pointers and data of len bytes: indirect blocks first, then the data in one piece. The first block of the data, or 0. */
static uint32_t put_data(struct maker *m, uint32_t ino, const void *data, size_t len, uint32_t *blocks)
{
	uint32_t n = (uint32_t)((len + BLOCK - 1) / BLOCK), rest = n > DIRECT ? n - DIRECT : 0, first, single = 0, twice = 0;
	uint32_t far = rest > POINTERS ? rest - POINTERS : 0, tables = (far + POINTERS - 1) / POINTERS, table = 0;
	unsigned char *i = inode_at(m, ino);

	if (rest)
		single = take_block(m);
	if (far) {
		twice = take_block(m);
		table = m->next;
		for (uint32_t k = 0; k < tables; k++)
			take_block(m);
	}
	first = m->next;
	for (uint32_t k = 0; k < n; k++)
		take_block(m);
	*blocks = n + !!rest + !!far + tables;
	if (m->err)
		return 0;
	if (data)
		memcpy(block_at(m, first), data, len);
	for (uint32_t k = 0; k < n && k < DIRECT; k++)
		put32(i + 40 + 4 * k, first + k);
	for (uint32_t k = 0; k < rest && k < POINTERS; k++)
		put32(block_at(m, single) + 4 * k, first + DIRECT + k);
	for (uint32_t k = 0; k < tables; k++)
		put32(block_at(m, twice) + 4 * k, table + k);
	for (uint32_t k = 0; k < far; k++) /* the tables stand behind each other, so their pointers do too */
		put32(block_at(m, table) + 4 * k, first + DIRECT + POINTERS + k);
	put32(i + 40 + 4 * 12, single);
	put32(i + 40 + 4 * 13, twice);
	return first;
}

/* A directory while it is being written. */
struct folder {
	unsigned char *data;
	size_t len, last; /* where the last entry begins */
};

static void add_name(struct folder *f, uint32_t ino, const char *name, size_t len)
{
	size_t want = 8 + (len + 3) / 4 * 4, end = (f->len + BLOCK - 1) / BLOCK * BLOCK;

	if (f->len && f->len + want > end) { /* the last one of a block reaches to its end */
		put16(f->data + f->last + 4, (uint32_t)(end - f->last));
		f->len = end;
	}
	f->last = f->len;
	put32(f->data + f->len, ino);
	put16(f->data + f->len + 4, (uint32_t)want);
	put16(f->data + f->len + 6, (uint32_t)len);
	memcpy(f->data + f->len + 8, name, len);
	f->len += want;
}

/* The inode of entry k, counted from behind lost+found. */
static uint32_t ino_of(size_t k) { return LOST_INO + 1 + (uint32_t)k; }

/* 1 where path is a name straight in dir ("": the root); *name is where it begins. */
static int is_in(const char *path, const char *dir, const char **name)
{
	size_t n = strlen(dir);

	if (n && (strncmp(path, dir, n) != 0 || path[n] != '/'))
		return 0;
	*name = path + n + !!n;
	return !strchr(*name, '/');
}

static void put_folder(struct maker *m, const char *path, unsigned mode, uint32_t ino, uint32_t parent)
{
	const struct ext2_tree *t = m->tree;
	struct folder f = {.data = calloc(t->count + 4, 8 + 256)};
	unsigned links = 2;
	uint32_t blocks;
	const char *name;

	if (!f.data) {
		m->err = -ENOMEM;
		return;
	}
	add_name(&f, ino, ".", 1);
	add_name(&f, parent, "..", 2);
	if (ino == ROOT_INO) {
		add_name(&f, LOST_INO, "lost+found", 10);
		links++;
	}
	for (size_t k = 0; ino != LOST_INO && k < t->count; k++) {
		if (!is_in(t->entry[k].path, path, &name))
			continue;
		add_name(&f, ino_of(k), name, strlen(name));
		links += S_ISDIR(t->entry[k].mode) != 0;
	}
	size_t len = (f.len + BLOCK - 1) / BLOCK * BLOCK;
	put16(f.data + f.last + 4, (uint32_t)(len - f.last));
	put_data(m, ino, f.data, len, &blocks);
	set_inode(m, ino, S_IFDIR | (mode & 07777), len, links, blocks);
	m->dirs++;
	free(f.data);
}

static uint32_t parent_ino(const struct ext2_tree *t, const char *path)
{
	const char *slash = strrchr(path, '/'), *name;

	for (size_t k = 0; slash && k < t->count; k++)
		if (S_ISDIR(t->entry[k].mode) && is_in(path, t->entry[k].path, &name))
			return ino_of(k);
	return ROOT_INO;
}

static void put_entry(struct maker *m, size_t k)
{
	const struct ext2_entry *e = &m->tree->entry[k];
	uint32_t ino = ino_of(k), blocks = 0;

	if (S_ISDIR(e->mode)) {
		put_folder(m, e->path, e->mode, ino, parent_ino(m->tree, e->path));
	} else if (S_ISLNK(e->mode)) {
		if (!e->len || e->len >= 60) /* in the inode itself, or not at all */
			m->err = -EINVAL;
		else
			memcpy(inode_at(m, ino) + 40, e->data, e->len);
		set_inode(m, ino, e->mode, e->len, 1, 0);
	} else if (S_ISREG(e->mode)) {
		put_data(m, ino, e->data, e->len, &blocks);
		set_inode(m, ino, e->mode, e->len, 1, blocks);
	} else { /* a device: what a dev_t of 16 bits holds */
		if (e->major > 255 || e->minor > 255)
			m->err = -EINVAL;
		put32(inode_at(m, ino) + 40, e->major << 8 | e->minor);
		set_inode(m, ino, e->mode, 0, 1, 0);
	}
}

static void put_job(struct maker *m, size_t k)
{
	uint32_t blocks, first = put_data(m, ino_of(k), NULL, EXT2_JOB_BYTES, &blocks);

	set_inode(m, ino_of(k), S_IFREG | 0644, EXT2_JOB_BYTES, 1, blocks);
	if (!first)
		return;
	memset(block_at(m, first), EXT2_JOB_FILL, EXT2_JOB_BYTES);
	m->job_at = (uint64_t)first * BLOCK;
}

static void set_bits(unsigned char *bitmap, uint32_t from, uint32_t to)
{
	for (uint32_t i = from; i < to; i++)
		bitmap[i / 8] |= (unsigned char)(1u << i % 8);
}

/* Superblock, descriptor and bitmaps, when all else is known. */
static void put_head(struct maker *m, uint32_t total)
{
	unsigned char *s = block_at(m, 1), *g = block_at(m, 2);
	uint32_t free_blocks = total - m->next, free_inodes = m->inodes - m->used_inodes;

	put32(s, m->inodes);
	put32(s + 4, total);
	put32(s + 12, free_blocks);
	put32(s + 16, free_inodes);
	put32(s + 20, 1); /* the first block of the group */
	put32(s + 32, 8 * BLOCK);
	put32(s + 36, 8 * BLOCK);
	put32(s + 40, m->inodes);
	put16(s + 54, 0xffff); /* mounts without a check */
	put16(s + 56, 0xef53);
	put16(s + 58, 1); /* clean */
	put16(s + 60, 1); /* errors: go on */
	snprintf((char *)s + NAME_AT, NAME_BYTES, "job %llu %u", (unsigned long long)m->job_at, (unsigned)EXT2_JOB_BYTES);
	put32(g, BITMAP_BLOCK);
	put32(g + 4, BITMAP_BLOCK + 1);
	put32(g + 8, INODES_AT);
	put16(g + 12, free_blocks);
	put16(g + 14, free_inodes);
	put16(g + 16, m->dirs);
	set_bits(block_at(m, BITMAP_BLOCK), 0, m->next - 1); /* the first bit is block 1 */
	set_bits(block_at(m, BITMAP_BLOCK), total - 1, 8 * BLOCK);
	set_bits(block_at(m, BITMAP_BLOCK + 1), 0, m->used_inodes);
	set_bits(block_at(m, BITMAP_BLOCK + 1), m->inodes, 8 * BLOCK);
}

static int find_job(const struct ext2_tree *t, size_t *k)
{
	for (*k = 0; *k < t->count; ++*k)
		if (!strcmp(t->entry[*k].path, "kd/job"))
			return S_ISREG(t->entry[*k].mode) ? 0 : -EINVAL;
	for (size_t i = 0; i < t->count; i++)
		if (!strcmp(t->entry[i].path, "kd") && S_ISDIR(t->entry[i].mode))
			return 1; /* to be made */
	return -EINVAL;
}

/* The tree with its job, all in it. */
static void put_all(struct maker *m, size_t job)
{
	put_folder(m, "", 0755, ROOT_INO, ROOT_INO);
	put_folder(m, "lost+found", 0700, LOST_INO, ROOT_INO);
	for (size_t k = 0; !m->err && k < m->tree->count; k++) {
		if (k == job)
			put_job(m, k);
		else
			put_entry(m, k);
	}
}

int ext2_make(const struct ext2_tree *t, size_t free_bytes, unsigned char **image, size_t *bytes)
{
	struct ext2_tree with = {.count = t->count};
	struct maker m = {.tree = &with, .size = EXT2_BYTES_MAX};
	size_t job;
	int made = find_job(t, &job);

	*image = NULL;
	if (made < 0)
		return made;
	with.entry = malloc((t->count + 1) * sizeof *with.entry);
	m.image = calloc(1, m.size);
	if (!with.entry || !m.image) {
		m.err = -ENOMEM;
		goto out;
	}
	memcpy(with.entry, t->entry, t->count * sizeof *with.entry);
	if (made)
		with.entry[with.count++] = (struct ext2_entry){.path = "kd/job", .mode = S_IFREG | 0644};
	m.used_inodes = LOST_INO + (uint32_t)with.count;
	m.inodes = (m.used_inodes + SPARE_INODES + BLOCK / INODE - 1) / (BLOCK / INODE) * (BLOCK / INODE);
	m.next = INODES_AT + m.inodes / (BLOCK / INODE);
	put_all(&m, job);
	uint64_t total = m.next + (free_bytes + BLOCK - 1) / BLOCK;
	if (!m.err && total * BLOCK > m.size)
		m.err = -EFBIG;
	if (m.err)
		goto out;
	put_head(&m, (uint32_t)total);
	*image = m.image;
	*bytes = (size_t)total * BLOCK;
	m.image = NULL;
out:
	free(with.entry);
	free(m.image);
	return m.err;
}

int ext2_job_find(const void *head, size_t len, uint64_t *at, uint64_t *bytes)
{
	const unsigned char *s = (const unsigned char *)head + BLOCK;
	char name[NAME_BYTES + 1];
	unsigned long long a, b;

	if (len < EXT2_HEAD_BYTES || s[56] != 0x53 || s[57] != 0xef)
		return -EINVAL;
	memcpy(name, s + NAME_AT, NAME_BYTES);
	name[NAME_BYTES] = 0;
	if (sscanf(name, "job %llu %llu", &a, &b) != 2 || !b || a % BLOCK || a + b < a || a + b > EXT2_BYTES_MAX)
		return -EINVAL;
	*at = a;
	*bytes = b;
	return 0;
}
