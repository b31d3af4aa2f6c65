/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernel_embedded: the configuration that a kernel built with CONFIG_IKCONFIG carries: gzipped between IKCFG_ST and IKCFG_ED (kernel/configs.c) in what the
 * bzImage unpacks itself to. That lies at payload_offset from the protected-mode code on (Documentation/arch/x86/boot.rst, from protocol 2.08; before, the
 * first gzip header in the file). Whatever is not as it should be means: no configuration, which is no error.
 * Trap: all compressions but gzip have their unpacked size in four bytes behind them, which belong to the payload's length.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/io.h"
#include "host/kernel.h"
#include "host/unpack.h"

#define IMAGE_MAX (128u << 20)
#define KERNEL_MAX (512u << 20)
#define CONFIG_MAX (4u << 20)
#define PAYLOAD_PROTOCOL 0x0208u
#define HEADER_END 0x250u

static const char gzip_magic[] = "\x1f\x8b\x08";

static size_t number_at(const unsigned char *d, size_t at, unsigned bytes)
{
	size_t v = 0;
	for (unsigned i = bytes; i--;)
		v = v << 8 | d[at + i];
	return v;
}

int kernel_image_payload(const void *image, size_t len, size_t *at, size_t *bytes)
{
	const unsigned char *d = image;
	if (len < HEADER_END || memcmp(d + 0x202, "HdrS", 4))
		return -EINVAL;
	size_t code = ((d[0x1f1] ? d[0x1f1] : 4u) + 1u) * 512u;
	if (number_at(d, 0x206, 2) >= PAYLOAD_PROTOCOL) {
		*at = code + number_at(d, 0x248, 4);
		*bytes = number_at(d, 0x24c, 4);
		if (*bytes < 16 || *at >= len || *bytes > len - *at)
			return -EINVAL;
		if (memcmp(d + *at, gzip_magic, 2))
			*bytes -= 4;
		return 0;
	}
	const unsigned char *gz = code < len ? memmem(d + code, len - code, gzip_magic, 3) : NULL;
	if (!gz)
		return -EINVAL;
	*at = (size_t)(gz - d);
	*bytes = len - *at;
	return 0;
}

/* A piece of memory, decompressed by way of a file in the work folder. malloc'd or NULL. */
static char *unpack_piece(const char *dir, const void *piece, size_t bytes, size_t max, size_t *len)
{
	char path[4200], why[200], *out = NULL;
	snprintf(path, sizeof path, "%s/.payload", dir);
	if (io_write_file(path, piece, bytes, 0600) || unpack_file(path, max, &out, len, why, sizeof why))
		out = NULL;
	unlink(path);
	return out;
}

void kernel_embedded_config(const char *dir)
{
	char path[4200], *image = NULL, *kernel = NULL, *config = NULL;
	size_t len, bytes, at, n;
	snprintf(path, sizeof path, "%s/vmlinuz", dir);
	if (io_read_file(path, IMAGE_MAX, &image, &len) || kernel_image_payload(image, len, &at, &bytes))
		goto out;
	kernel = unpack_piece(dir, image + at, bytes, KERNEL_MAX, &n);
	const char *begin = kernel ? memmem(kernel, n, "IKCFG_ST\x1f\x8b", 10) : NULL;
	const char *end = begin ? memmem(begin, n - (size_t)(begin - kernel), "IKCFG_ED", 8) : NULL;
	if (!end)
		goto out;
	config = unpack_piece(dir, begin + 8, (size_t)(end - begin) - 8, CONFIG_MAX, &n);
	if (!config || !memmem(config, n, "CONFIG_", 7))
		goto out;
	snprintf(path, sizeof path, "%s/config", dir);
	if (io_write_file(path, config, n, 0644))
		unlink(path);
out:
	free(image);
	free(kernel);
	free(config);
}
