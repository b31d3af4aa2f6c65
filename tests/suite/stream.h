/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stream: a byte at a time through a buffer of a size that is given, as stdio's putc and getc do it.
 *
 * Not stdio: its buffer is as large as the kernel says in st_blksize (512 bytes to 1 MiB, of NFS the wsize), so that a kernel with another
 * st_blksize is measured with another number of system calls. Two ways, as Bonnie's -u: unlocked is in line, position and buffer in
 * memory as a FILE has them; locked is a function call around an atomic exchange that finds the lock free, which is what putc costs
 * in a C library with threads.
 */
#ifndef KD_SUITE_STREAM_H
#define KD_SUITE_STREAM_H

#include <stddef.h>

struct stream {
	int fd;
	unsigned char *buf;
	size_t size; /* of the buffer */
	size_t at, end;
	int lock;
};

int stream_flush(struct stream *s); /* 0 or -errno */
/* The next buffer: the byte, or -errno, -ENODATA at end of file. */
int stream_fill(struct stream *s);

/* 0 or -errno. */
static inline int stream_put_unlocked(struct stream *s, unsigned char c)
{
	int err = 0;

	if (s->at == s->size)
		err = stream_flush(s);
	s->buf[s->at++] = c;
	__asm__ volatile("" ::: "memory"); /* a FILE is memory too: no loop in registers, no memcpy */
	return err;
}

/* The byte, or -errno. */
static inline int stream_get_unlocked(struct stream *s)
{
	__asm__ volatile("" ::: "memory");
	return s->at < s->end ? s->buf[s->at++] : stream_fill(s);
}

int stream_put(struct stream *s, unsigned char c);
int stream_get(struct stream *s);

#endif
