/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * files: see files.h. They go once over the network and once into memory, and are hashed beside that and beside the loading.
 * Trap: the initrd is made when the kernel's hasher has been forked: that one must not hold it open.
 */
#include "box/files.h"
#include "box/fetch.h"
#include "box/load.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HASH_MS 60000

static int create(const char *path)
{
	mkdir(BOX_NEXT_DIR, 0755);
	return open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
}

static enum next_answer fetch_part(struct box *b, struct files_part *p, int fd)
{
	if (!p->file)
		return NEXT_OK;
	struct fetch f = {
		.net = &b->job.net,
		.promise = &b->promise,
		.path = p->file->path,
		.hasher = &p->hasher,
		.max_bytes = p->file->bytes,
		.out_fd = fd,
	};
	enum next_answer r = next_answer_of(fetch_file(&f));

	if (r == NEXT_OK && f.bytes != p->file->bytes) {
		snprintf(f.why, sizeof f.why, "%s: %llu bytes, wanted %llu", f.by, (unsigned long long)f.bytes, (unsigned long long)p->file->bytes);
		r = NEXT_WRONG;
	}
	if (r != NEXT_OK)
		records_note(&b->rec, NULL, "fetch %s: %s", p->file->path, f.why);
	memcpy(p->hash, p->file->sha256, 16);
	p->hash[16] = 0;
	return r;
}

static void start_part(struct files_part *p, const struct plan *plan, enum plan_role role, const char *kernel)
{
	*p = (struct files_part){.file = plan_file(plan, role, kernel), .hasher = {.grow_fd = -1, .result_fd = -1}};
}

static enum next_answer fetch_kernel(struct files *p, struct box *b)
{
	int fd = create(FILES_KERNEL_PATH);
	enum next_answer r = fd >= 0 ? fetch_part(b, &p->kernel, fd) : NEXT_NONE;

	if (fd >= 0)
		close(fd);
	return r;
}

enum next_answer files_fetch(struct files *p, struct box *b, const struct plan *plan, const char *kernel)
{
	start_part(&p->kernel, plan, PLAN_KERNEL, kernel);
	start_part(&p->image, plan, PLAN_IMAGE, kernel);
	start_part(&p->pack, plan, PLAN_PACK, kernel);
	p->initrd_fd = -1;
	if (!p->kernel.file || !p->image.file) {
		records_note(&b->rec, NULL, "the manifest has no %s", p->kernel.file ? "image" : "kernel");
		return NEXT_WRONG;
	}
	enum next_answer r = fetch_kernel(p, b);
	p->initrd_fd = r == NEXT_OK ? create(FILES_INITRD_PATH) : -1;
	if (r == NEXT_OK)
		r = p->initrd_fd >= 0 ? fetch_part(b, &p->image, p->initrd_fd) : NEXT_NONE;
	if (r == NEXT_OK && load_pad(p->initrd_fd) < 0)
		r = NEXT_NONE;
	if (r == NEXT_OK)
		r = fetch_part(b, &p->pack, p->initrd_fd);
	return r;
}

void files_close(struct files *p)
{
	if (p->initrd_fd >= 0)
		close(p->initrd_fd);
	p->initrd_fd = -1;
}

static int is_right(struct box *b, struct files_part *p)
{
	char hex[65];

	if (!p->file)
		return 1;
	if (p->verdict)
		return p->verdict > 0;
	promise_say(&b->promise, HASH_MS + 30000);
	int err = hasher_result(&p->hasher, hex, HASH_MS);
	p->verdict = !err && !strcmp(hex, p->file->sha256) ? 1 : -1;
	if (err)
		records_note(&b->rec, NULL, "hash of %s: %s", p->file->path, strerror(-err));
	else if (p->verdict < 0)
		records_note(&b->rec, NULL, "hash of %s: %.16s, wanted %.16s", p->file->path, hex, p->file->sha256);
	return p->verdict > 0;
}

int files_are_right(struct files *p, struct box *b) { return is_right(b, &p->kernel) && is_right(b, &p->image) && is_right(b, &p->pack); }

int files_image_is_right(struct files *p, struct box *b) { return is_right(b, &p->image); }

void files_drop(struct files *p)
{
	hasher_drop(&p->kernel.hasher);
	hasher_drop(&p->image.hasher);
	hasher_drop(&p->pack.hasher);
	files_close(p);
	unlink(FILES_KERNEL_PATH); /* memory; the running kernel has its copy */
	unlink(FILES_INITRD_PATH);
}
