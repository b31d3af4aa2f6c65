/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * job_text: what a subject finds in /kd/job (docs/formats.md), written by whoever boots it: the box that kexecs into it, or the station
 * where the firmware does. Read by runner/box/job.c. Pure, but for the archive.
 */
#ifndef KD_JOB_TEXT_H
#define KD_JOB_TEXT_H

#include "common/plan.h"

#define JOB_TEXT_MAX (PLAN_TESTS_MAX * 1100)

/* Servers as they stand in the `net` line; "" where there is none. */
struct job_net {
	char http[80]; /* ADDR:PORT */
	char tftp[80]; /* ADDR or ADDR:PORT */
	char nfs[160]; /* ADDR:PORT,MOUNTPORT:/path */
	char peer[80]; /* ADDR:PORT */
	char nfstest[160];
	char ip[80]; /* ADDR/PREFIX[,GATEWAY], or "": DHCP */
};

struct job_text {
	uint32_t prev;     /* the boot before, by its tag */
	const char *start; /* chain, via-home, firmware: how this boot is reached */
	const struct job_net *net;
	char kernel[17], image[17], pack[17]; /* the first 16 hex digits of their hashes, or "" */
};

/* Length or -errno. */
long job_text_format(const struct job_text *j, const struct plan *p, const struct plan_try *t, char *out, size_t size);
/* The archive that goes behind image and pack, at a multiple of 4. 0 or -errno. */
int job_text_archive(int fd, const char *text, size_t len);
/* Into a legacy image, which has room for it at `at`; the rest of the room is filled. 0 or -errno (-EFBIG: it has not). */
int job_text_write(int fd, uint64_t at, uint64_t room, const char *text, size_t len);
/* 1 for a word of a command line that is not the kernel's: kdyno's own, or one that a boot loader (pxelinux) adds. */
int job_text_own_word(const char *word);

#endif
