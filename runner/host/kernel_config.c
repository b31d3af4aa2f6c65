/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernel_config: what a kernel's own configuration says about booting it. Trap: a kernel without CONFIG_RD_GZIP exists in public and
 * ends in silence when it is given a gzipped image; before 2.6.30 there was no such option and gzip the only one.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/kernel.h"

/* The value of `NAME=value` on a line of its own: y, m, ... or 0. `# NAME is not set` is 'n'. */
static char look_up(const char *text, size_t len, const char *name)
{
	size_t n = strlen(name);
	for (const char *p = text, *end = text + len; p < end;) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));
		size_t line = (size_t)((nl ? nl : end) - p);
		if (line > n + 1 && !memcmp(p, name, n) && p[n] == '=')
			return p[n + 1];
		if (line > n + 2 && !memcmp(p, "# ", 2) && !memcmp(p + 2, name, n) && p[n + 2] == ' ')
			return 'n';
		p += line + 1;
	}
	return 0;
}

static void set_yes_no(char out[8], const char *text, size_t len, const char *name) { strcpy(out, look_up(text, len, name) == 'y' ? "yes" : "no"); }

static void add_word(char *list, size_t size, const char *word)
{
	size_t n = strlen(list);
	snprintf(list + n, size - n, "%s%s", n ? "," : "", word);
}

static void set_compression(struct kernel *k, const char *text, size_t len)
{
	static const char *const names[][2] = {
		{"CONFIG_RD_GZIP", "gzip"}, {"CONFIG_RD_XZ", "xz"},   {"CONFIG_RD_ZSTD", "zstd"}, {"CONFIG_RD_BZIP2", "bzip2"},
		{"CONFIG_RD_LZMA", "lzma"}, {"CONFIG_RD_LZO", "lzo"}, {"CONFIG_RD_LZ4", "lz4"},
	};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (look_up(text, len, names[i][0]) == 'y')
			add_word(k->compression, sizeof k->compression, names[i][1]);
	if (!*k->compression)
		strcpy(k->compression, look_up(text, len, "CONFIG_RD_GZIP") ? "none" : "gzip");
}

/* Without a config: what follows from the age alone (kexec came with 2.6.13, kexec_file_load with 3.17), the rest is unknown. */
static void set_by_age(struct kernel *k, int legacy)
{
	unsigned a = 0, b = 0, c = 0;
	int known = sscanf(k->release, "%u.%u.%u", &a, &b, &c) >= 2;
	unsigned version = a << 16 | b << 8 | (c > 255 ? 255 : c);
	strcpy(k->initrd, "unknown");
	strcpy(k->compression, legacy ? "none" : "gzip");
	strcpy(k->kexec, known && version < (2 << 16 | 6 << 8 | 13) ? "no" : "unknown");
	strcpy(k->kexec_file, known && version < (3 << 16 | 17 << 8) ? "no" : "unknown");
}

void kernel_config_parse(struct kernel *k, const char *text, size_t len)
{
	int legacy = kernel_is_legacy(k);
	*k->compression = '\0';
	if (!text) {
		set_by_age(k, legacy);
		return;
	}
	strcpy(k->initrd, look_up(text, len, "CONFIG_BLK_DEV_INITRD") != 'y' ? "none" : legacy ? "legacy" : "initramfs");
	if (!strcmp(k->initrd, "initramfs"))
		set_compression(k, text, len);
	else
		strcpy(k->compression, "none");
	set_yes_no(k->kexec, text, len, "CONFIG_KEXEC");
	set_yes_no(k->kexec_file, text, len, "CONFIG_KEXEC_FILE");
	if (look_up(text, len, "CONFIG_X86_64") == 'y')
		strcpy(k->arch, "x86_64");
	else if (look_up(text, len, "CONFIG_X86_32") == 'y')
		strcpy(k->arch, "i386");
}
