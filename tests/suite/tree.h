/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tree: a tree of folders and files like that of a kernel's source, as pure functions of (seed, number): who made it needs no list, and who finds it
 * can tell from a name which folder it belongs in, how long it is and what is in it.
 *
 * Folders: number 0 is the top; the parent of number n is one of the first n/8, so that 550 lie at most 4 deep. Files: log-normal sizes, sigma 1.35, cut at
 * 1 MiB: a median of 5120 bytes gives a mean of about 12.6 KB, so 10 500 files are about 130 MB, as in Linux 2.4.17; folders differ in how many
 * they hold as kernel's do (also log-normal). Files are numbered folder by folder, in the order in which tar would unpack them.
 * Integers only: a normal variate is the sum of 12 uniform ones, 2^x a parabola (0.4 % off at most), so every machine makes the same tree.
 * Hash: SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
 */
#ifndef KD_SUITE_TREE_H
#define KD_SUITE_TREE_H

#include <stddef.h>
#include <stdint.h>

#define TREE_FILES_MAX (1u << 20)
#define TREE_DIRS_MAX (1u << 16)
#define TREE_FILE_BYTES_MAX (1u << 20)
#define TREE_NAME_MAX 32
#define TREE_PATH_MAX (8 * TREE_NAME_MAX) /* of a folder: 8^6 are more than TREE_DIRS_MAX */

struct tree {
	unsigned files, dirs; /* dirs: with the top, at least 1 */
	unsigned median_bytes;
	uint64_t seed;
	uint64_t weights; /* of all folders */
};

/* What is in a tree, or was found of one. */
struct tree_sum {
	uint64_t files, dirs, bytes; /* dirs: without the top */
	uint64_t check;              /* sum over the files of a hash of their numbers */
};

void tree_init(struct tree *t, unsigned files, unsigned dirs, unsigned median_bytes, uint64_t seed);
unsigned tree_parent(const struct tree *t, unsigned dir); /* of dir > 0 */
/* Path below the top, "" for the top itself. */
void tree_dir_path(const struct tree *t, unsigned dir, char out[TREE_PATH_MAX]);
/* Names: letters_NUMBER for a folder, letters_NUMBER.c (.h, .S) for a file. */
void tree_dir_name(const struct tree *t, unsigned dir, char out[TREE_NAME_MAX]);
void tree_file_name(const struct tree *t, unsigned file, char out[TREE_NAME_MAX]);
/* The number of the file or folder whose name this is. 1: a file, 0: a folder, -ENOENT: no name of this tree. */
int tree_find(const struct tree *t, const char *name, unsigned *number);
uint64_t tree_file_bytes(const struct tree *t, unsigned file);
/*
 * The end (exclusive) of the numbers of a folder's files. Folders are asked for in order, from 0 on: *weight is where it has got to, 0 at first.
 */
unsigned tree_files_end(const struct tree *t, unsigned dir, uint64_t *weight);
/* Adds one file of `bytes` to what was found. */
void tree_sum_file(struct tree_sum *s, const struct tree *t, unsigned file, uint64_t bytes);
/* What the whole tree holds; *room: what it takes in blocks of 4 KiB. */
void tree_whole(const struct tree *t, struct tree_sum *s, uint64_t *room);

#endif
