/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernel_image: what a bzImage says of itself in its setup header. Offsets from Documentation/arch/x86/boot.rst: setup_sects 0x1f1,
 * syssize 0x1f4 (16-byte units), "HdrS" 0x202, version 0x206, kernel_version 0x20e (an offset from 0x200 to a string), xloadflags 0x236.
 * Trap: the string is the release, then who built it, then the banner from # on; /proc/version has the compiler in between.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "host/kernel.h"

#define HEADER_END 0x238
#define SECTOR 512u
#define MAGIC_AT 0x202

static unsigned u16_at(const unsigned char *d, size_t at) { return d[at] | (unsigned)d[at + 1] << 8; }

static uint64_t u32_at(const unsigned char *d, size_t at) { return u16_at(d, at) | (uint64_t)u16_at(d, at + 2) << 16; }

/* The banner's parts out of `release (builder) #1 SMP ...`; refuses what is not text. */
static int take_banner(struct kernel *k, const char *s, size_t room, char *err, size_t size)
{
	size_t len = strnlen(s, room), rel = len < room ? strcspn(s, " ") : 0;
	for (size_t i = 0; i < len; i++)
		if (s[i] < ' ' || s[i] > '~')
			len = 0;
	if (!len || !rel || rel >= sizeof k->release) {
		snprintf(err, size, "its header holds no kernel version");
		return -EINVAL;
	}
	snprintf(k->release, sizeof k->release, "%.*s", (int)rel, s);
	const char *hash = strstr(s, " #");
	snprintf(k->version, sizeof k->version, "%s", hash ? hash + 1 : "");
	return 0;
}

int kernel_image_parse(struct kernel *k, const void *data, size_t len, uint64_t bytes, char *err, size_t size)
{
	const unsigned char *d = data;
	if (len < HEADER_END || memcmp(d + MAGIC_AT, "HdrS", 4)) {
		snprintf(err, size, "no bzImage: a file with an x86 setup header was expected");
		return -EINVAL;
	}
	unsigned protocol = u16_at(d, 0x206), sects = d[0x1f1] ? d[0x1f1] : 4;
	/* Before 2.04 the upper half of syssize is something else. */
	uint64_t sys = (protocol >= 0x0204 ? u32_at(d, 0x1f4) : u16_at(d, 0x1f4)) * 16;
	uint64_t want = (sects + 1) * (uint64_t)SECTOR + sys;
	if (bytes + 15 < want) {
		snprintf(err, size, "truncated: %llu bytes of %llu", (unsigned long long)bytes, (unsigned long long)want);
		return -EINVAL;
	}
	size_t at = u16_at(d, 0x20e) ? u16_at(d, 0x20e) + 0x200u : 0;
	if (!at || at >= len) {
		snprintf(err, size, "its header holds no kernel version");
		return -EINVAL;
	}
	snprintf(k->arch, sizeof k->arch, "%s", protocol >= 0x020c && (u16_at(d, 0x236) & 1) ? "x86_64" : "i386");
	return take_banner(k, (const char *)d + at, len - at, err, size);
}
