/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * load: hands the next kernel to the one that runs. kexec_file_load(2) first; where that is missing or refused, kexec-tools, whose stderr
 * is kept. A crash kernel the other way round: the tool alone can hand it all of the machine's memory map (docs/box.md). Loading and jumping
 * are apart: nothing happens to the running kernel here.
 */
#ifndef KD_BOX_LOAD_H
#define KD_BOX_LOAD_H

#include "common/job_text.h"

#define LOAD_CMDLINE_MAX 2047 /* COMMAND_LINE_SIZE of x86 less its NUL */

struct load {
	/* given */
	const char *kernel_path, *initrd_path;
	const char *cmdline;
	int crash; /* for after a panic: into the memory kept for it */
	/* result */
	const char *by; /* file, tools */
	int file_errno; /* of kexec_file_load, 0 if it took the kernel */
	char why[200];  /* of a refusal: which piece of it, and what was said */
};

/* 0, or -errno with why. */
int load_kernel(struct load *l);

/* Takes back what load_kernel did. */
void load_unload(const struct load *l);

/* Appends the job as a cpio to the initrd: zero bytes up to a multiple of 4 first, as the kernel wants. 0 or -errno. */
int load_append_job(int initrd_fd, const char *text, size_t len);
/* Zero bytes up to a multiple of 4. */
int load_pad(int fd);

#endif
