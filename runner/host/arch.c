/* SPDX-License-Identifier: GPL-2.0-or-later */
/* arch: see arch.h. */
#include "host/arch.h"

#include <stddef.h>
#include <string.h>

static const struct arch table[] = {
	{"x86_64", {"x86_64"}, "qemu-system-x86_64", "pc", NULL},
	{"i486", {"i386", "x86_64"}, "qemu-system-x86_64", "pc", NULL},
	{"aarch64", {"aarch64"}, "qemu-system-aarch64", "virt", "cortex-a57"},
	{"armv7", {"arm"}, "qemu-system-arm", "virt", "cortex-a15"},
	{"riscv64", {"riscv64"}, "qemu-system-riscv64", "virt", NULL},
};

const char *const arch_words[] = {"x86_64", "i486", "aarch64", "armv7", "riscv64", NULL};
_Static_assert(sizeof(arch_words) / sizeof(*arch_words) == sizeof(table) / sizeof(*table) + 1, "a name for each row");

const struct arch *arch_find(const char *name)
{
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
		if (!strcmp(table[i].name, name))
			return &table[i];
	return NULL;
}

int arch_runs_on(const struct arch *a, const char *kernel)
{
	for (size_t i = 0; a->kernels[i]; i++)
		if (!strcmp(a->kernels[i], kernel))
			return 1;
	return 0;
}
