/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * files: kernel, image and pack of one kernel id, on their way into memory, each with a hasher beside it. For the next boot (next_fetch.c)
 * and for the crash kernel (arm.c). files_fetch, then load, then files_are_right, and files_drop in any case.
 */
#ifndef KD_BOX_FILES_H
#define KD_BOX_FILES_H

#include "box/hasher.h"
#include "box/next.h"

#define FILES_KERNEL_PATH BOX_NEXT_DIR "/kernel"
#define FILES_INITRD_PATH BOX_NEXT_DIR "/initrd" /* image and pack, straight behind each other */

/* One file, and its hash. */
struct files_part {
	const struct plan_file *file; /* NULL: there is none */
	struct hasher hasher;
	char hash[17];
	int verdict; /* of its hash: 1 right, -1 wrong, 0 not asked yet */
};

struct files {
	struct files_part kernel, image, pack;
	int initrd_fd; /* open for appending after files_fetch; -1 when closed */
};

enum next_answer files_fetch(struct files *p, struct box *b, const struct plan *plan, const char *kernel);
/* The kernel loads no file that is open for writing. */
void files_close(struct files *p);
/* Waits for the hashers. 1, or 0 with a note. */
int files_are_right(struct files *p, struct box *b);
/* Of the image alone. */
int files_image_is_right(struct files *p, struct box *b);
void files_drop(struct files *p);

#endif
