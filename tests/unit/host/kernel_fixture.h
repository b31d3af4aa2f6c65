/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A file that looks like a bzImage as far as its setup header goes. */
#ifndef KD_KERNEL_FIXTURE_H
#define KD_KERNEL_FIXTURE_H

#include <string.h>

#define FIXTURE_IMAGE_BYTES 4096
#define FIXTURE_BANNER "6.9.0-test (somebody@somewhere) #1 SMP Sat Feb 3 2026"

static inline void fixture_image(unsigned char out[FIXTURE_IMAGE_BYTES])
{
	memset(out, 0, FIXTURE_IMAGE_BYTES);
	out[0x1f1] = 3;                                       /* setup_sects: 2048 bytes in all */
	out[0x1f4] = (FIXTURE_IMAGE_BYTES - 2048) / 16 % 256; /* syssize */
	memcpy(out + 0x202, "HdrS", 4);
	out[0x206] = 0x0f, out[0x207] = 0x02; /* protocol 2.15 */
	out[0x20e] = 0x00, out[0x20f] = 0x02; /* the banner at 0x400 */
	out[0x236] = 1;                       /* XLF_KERNEL_64 */
	strcpy((char *)out + 0x400, FIXTURE_BANNER);
}

#endif
