/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mkfs: see mkfs.h. The trap: busybox's mke2fs counts the size in KiB, whatever -b says; mkfs.ext4 in blocks.
 */
#include "box/mkfs.h"
#include "common/plan.h"
#include "common/proc.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define MKFS_MS 60000
#define BLOCK_BYTES 4096

/* ext4.h: EXT4_FEATURE_COMPAT_HAS_JOURNAL, EXT4_FEATURE_INCOMPAT_EXTENTS, ext2_super_block's magic. */
#define HAS_JOURNAL 0x4u
#define EXTENTS 0x40u
#define MAGIC 0xef53u

#define EXT2_WORDS "-F -b 4096 -m 0"
#define EXT4_WORDS                                                                                                                \
	"-q -F -b 4096 -m 0 -I 256 -i 8192 "                                                                                      \
	"-O none,has_journal,ext_attr,dir_index,filetype,extent,flex_bg,sparse_super,large_file,huge_file,dir_nlink,extra_isize " \
	"-U 6b64796e-6f00-4000-8000-000000000001 "                                                                                \
	"-E hash_seed=6b64796e-6f00-4000-8000-000000000002,lazy_itable_init=0,lazy_journal_init=0,nodiscard"

int mkfs_want(struct mkfs_want *w, const char *args)
{
	static const struct {
		const char *word;
		struct mkfs_want want;
	} words[] = {{"ext2", {0, 0}}, {"ext4", {1, 0}}, {"keep", {0, 1}}, {"keep-ext4", {1, 1}}};
	char word[16];
	int err = plan_arg(args, "fs", word, sizeof word);

	*w = (struct mkfs_want){0};
	if (err == -ENOENT)
		return 0;
	for (size_t i = 0; !err && i < sizeof words / sizeof *words; i++)
		if (!strcmp(words[i].word, word)) {
			*w = words[i].want;
			return 0;
		}
	return -EINVAL;
}

static uint32_t le(const unsigned char *p, unsigned bytes)
{
	uint32_t v = 0;

	while (bytes--)
		v = v << 8 | p[bytes];
	return v;
}

int mkfs_super_parse(struct mkfs_super *s, const unsigned char *text, size_t len)
{
	uint32_t log;

	*s = (struct mkfs_super){0};
	if (len < 104 || le(text + 56, 2) != MAGIC)
		return -EBADMSG;
	log = le(text + 24, 4);
	if (log > 6)
		return -EBADMSG;
	s->inodes = le(text, 4);
	s->blocks = le(text + 4, 4);
	s->block_bytes = 1024u << log;
	s->inode_bytes = 128;
	if (le(text + 76, 4)) { /* revision 0 has neither sizes nor features */
		s->inode_bytes = le(text + 88, 2);
		s->compat = le(text + 92, 4);
		s->incompat = le(text + 96, 4);
		s->ro_compat = le(text + 100, 4);
	}
	s->ext4 = (s->compat & HAS_JOURNAL) || (s->incompat & EXTENTS);
	return s->inodes && s->blocks ? 0 : -EBADMSG;
}

int mkfs_kernel_has(const char *text, const char *type)
{
	size_t n = strlen(type);

	for (const char *p = text; (p = strstr(p, type)); p += n)
		if (p > text && p[-1] == '\t' && (p[n] == '\n' || !p[n]))
			return 1;
	return 0;
}

const char *mkfs_words(int ext4) { return ext4 ? "mkfs.ext4 " EXT4_WORDS : "mke2fs " EXT2_WORDS; }

int mkfs_run(int ext4, const char *node, uint64_t bytes, char *reason, size_t size)
{
	char words[sizeof EXT4_WORDS], count[24], *next = words;
	const char *argv[24] = {ext4 ? "mkfs.ext4" : "mke2fs"};
	size_t n = 1;
	struct proc p = {.argv = argv, .fd = {-1, -1, -1, -1}};
	int err;

	snprintf(words, sizeof words, "%s", ext4 ? EXT4_WORDS : EXT2_WORDS);
	while (n < sizeof argv / sizeof *argv - 3 && (argv[n] = strsep(&next, " ")))
		n++;
	snprintf(count, sizeof count, "%" PRIu64, ext4 ? bytes / BLOCK_BYTES : bytes / BLOCK_BYTES * (BLOCK_BYTES / 1024));
	argv[n++] = node;
	argv[n++] = count;
	argv[n] = NULL;
	err = proc_start(&p);
	if (!err) {
		proc_wait(&p, MKFS_MS, 1000);
		err = p.timed_out ? -ETIMEDOUT : p.status ? -EIO : 0;
	}
	if (err)
		snprintf(reason, size, "%s: %s", argv[0], strerror(-err));
	return err;
}
