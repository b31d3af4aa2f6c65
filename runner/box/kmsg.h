/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kmsg: the kernel's messages of level warning or worse, as records, at most KMSG_MAX a boot. Read between tests, never within one.
 */
#ifndef KD_BOX_KMSG_H
#define KD_BOX_KMSG_H

#include "box/box.h"

#define KMSG_MAX 50
#define KMSG_LEVEL 4 /* KERN_WARNING */
#define KMSG_MARK "try "

void kmsg_open(struct box *b);
void kmsg_collect(struct box *b);
/* Pure: 1 for the line by which a WARN of the kernel begins. They are counted to the end, also past KMSG_MAX and on kernels without warn_limit. */
int kmsg_is_warning(const char *text, size_t len);
/* Which try this is, in the kernel's own log: what is left of a dead kernel then says whose it was (pstore.c). Not on the console. */
void kmsg_mark(const struct box *b);
/* Pure: `prio,seq,us,flags;text` of /dev/kmsg (Documentation/ABI/testing/dev-kmsg). The text ends at the newline. 0 or -EINVAL. */
int kmsg_parse(const char *s, size_t len, unsigned *level, uint64_t *us, const char **text, size_t *text_len);

#endif
