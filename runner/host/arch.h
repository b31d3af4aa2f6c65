/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * arch: the architectures that an image can be built for (image/arch/NAME), and what each runs on.
 *
 * A board's architecture is that of the image it gets, not of its kernels: the i486 image runs under the kernels of i386 and, by their 32-bit emulation, of
 * x86-64, so that one set of binaries measures all kernels that a box ever had.
 */
#ifndef KD_ARCH_H
#define KD_ARCH_H

struct arch {
	const char *name;
	const char *kernels[3]; /* what may stand in a kernel's facts as arch=; ends with NULL */
	const char *qemu;       /* the program that emulates it */
	const char *machine;    /* its -machine */
	const char *cpu;        /* its -cpu where the board names none; NULL: QEMU's own */
};

/* NULL where there is none of that name. */
const struct arch *arch_find(const char *name);
/* 1 if programs of this image run under a kernel of that architecture. */
int arch_runs_on(const struct arch *a, const char *kernel);
/* The names; ends with NULL. */
extern const char *const arch_words[];

#endif
