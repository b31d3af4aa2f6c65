/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernel: a kernel of the lab: its image, its facts (docs/formats.md), its modules. `kernel add` makes one, `sweep new` uses it.
 */
#ifndef KD_KERNEL_H
#define KD_KERNEL_H

#include <stddef.h>
#include <stdint.h>

#include "common/plan.h"
#include "host/work.h"

struct kernel {
	char id[PLAN_ID_MAX + 1];
	char release[96];             /* what uname -r says */
	char version[512];            /* the banner from # on; "" where the image does not tell */
	char arch[16];                /* x86_64, i386 */
	uint64_t bytes;               /* of vmlinuz */
	char sha256[65];              /* of vmlinuz */
	int modules;                  /* 1: there is a modules tree */
	char initrd[16];              /* initramfs, legacy, none, unknown */
	char compression[64];         /* comma list of what its initrd code unpacks: gzip,xz,zstd,bzip2,lzma,lzo,lz4 or none */
	char kexec[8], kexec_file[8]; /* yes, no, unknown */
	char from[256];               /* file names */
	char source[65];              /* digest over what it was made from; "" for folders */
	uint64_t added;               /* unix s */
};

/* Facts as a line of the lab and back. Pure. Length or -errno; 0 or -errno. */
long kernel_format(const struct kernel *k, char *out, size_t size);
int kernel_parse(struct kernel *k, const char *text, size_t len);
/* Reads kernels/<id>/facts. 0 or -errno, nothing printed. */
int kernel_read(struct kernel *k, const char *id);
/* The same; dies with one line: no such kernel (nearest named), damaged facts. */
void kernel_load(struct kernel *k, const char *id);
/* 1 for a kernel before 2.6: it unpacks no initramfs, and what it needs must be built in. */
int kernel_is_legacy(const struct kernel *k);
/* 1 where its config has neither of the two system calls. */
int kernel_cannot_kexec(const struct kernel *k);

/*
 * The setup header of a bzImage (Documentation/arch/x86/boot.rst of the kernel): fills release, version, arch.
 * data: the first KERNEL_HEAD_BYTES of the file (or all of a smaller one), bytes: the length of the whole file.
 * 0, or -EINVAL with the reason in err: no bzImage, truncated.
 */
#define KERNEL_HEAD_BYTES 65536
int kernel_image_parse(struct kernel *k, const void *data, size_t len, uint64_t bytes, char *err, size_t size);
/* Where in a bzImage lies what it unpacks itself to. Pure. 0 or -EINVAL. */
int kernel_image_payload(const void *image, size_t len, size_t *at, size_t *bytes);
/* Writes <dir>/config where <dir>/vmlinuz carries its own (CONFIG_IKCONFIG); else nothing. */
void kernel_embedded_config(const char *dir);
/* Facts from the kernel's .config; NULL: there is none, all unknown, gzip taken for granted. Pure. release must be filled. */
void kernel_config_parse(struct kernel *k, const char *text, size_t len);

/* Where a path of a package goes: what kind of file, of which release, and what is left of the path. Pure. */
enum kernel_part { KERNEL_OTHER, KERNEL_VMLINUZ, KERNEL_CONFIG, KERNEL_MODULE };
struct kernel_path {
	enum kernel_part part;
	char release[96];
	const char *rest; /* KERNEL_MODULE: below lib/modules/<release>/ */
};
void kernel_path_parse(struct kernel_path *p, const char *path);

/* Lays files out below w->dir as a kernel of the lab: vmlinuz, config, modules/. 0 or -errno with w->err. */
int kernel_take(struct work *w, const char *const *files, char release[96]);

enum kernel_added { KERNEL_ADDED = 1, KERNEL_HAVE };
/*
 * Adds a kernel to the lab: all or nothing. as: the id, or NULL for its release. Returns enum kernel_added, k filled; dies with one line.
 */
enum kernel_added kernel_add(struct kernel *k, const char *const *files, const char *as);
/* The same kernel under another id, by hard links. */
enum kernel_added kernel_add_again(struct kernel *k, const char *id, const char *as);
/* Digest over the SHA-256s of files, whatever their order. hex: n strings of 64 digits; sorted in place. */
void kernel_source_digest(char (*hex)[65], size_t n, char out[65]);
/* A kernel of the lab that was made from the same files, under the id that is asked for (NULL: its release). 1 or 0. */
int kernel_find(struct kernel *k, const char *source, const char *as);
/* One line of what is known, to stdout: `have`, `added` or no word. */
void kernel_print(const char *word, const struct kernel *k);

#endif
