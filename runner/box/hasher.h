/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hasher: SHA-256 of a file that is still growing, in a child, so that a second CPU hashes while the first receives, and then
 * loads. The kernel is loaded before its hash is known; it is not jumped into before.
 */
#ifndef KD_BOX_HASHER_H
#define KD_BOX_HASHER_H

#include <stdint.h>
#include <sys/types.h>

struct hasher {
	pid_t pid; /* 0: none */
	int grow_fd, result_fd;
	uint64_t said; /* bytes that the child may read */
};

/* Hashes the file behind fd from offset at on, by a descriptor of its own. 0 or -errno. */
int hasher_start(struct hasher *h, int fd, off_t at);
/* bytes more lie in the file than at the start. Told in large steps; the last one by hasher_finish. */
void hasher_grow(struct hasher *h, uint64_t bytes);
/* No more comes: the child may end. */
void hasher_finish(struct hasher *h, uint64_t bytes);
/* 64 hex digits. 0, -ETIMEDOUT, -EIO; the child is gone then. Only after hasher_finish. */
int hasher_result(struct hasher *h, char hex[65], uint64_t timeout_ms);
void hasher_drop(struct hasher *h);

#endif
