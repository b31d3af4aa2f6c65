/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * next_fetch: the files of the next boot. They go once over the network and once into memory: image and pack straight behind each
 * other into the initrd, hashed beside that and beside the loading. A failure names the try that it cost: `fail of= name=fetch` or `load`.
 */
#include "box/fetch.h"
#include "box/hasher.h"
#include "box/load.h"
#include "box/next.h"
#include "common/clock.h"
#include "common/io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TEXT_BYTES_MAX (4u << 20)
#define HASH_MS 60000
#define TEXT_PATH BOX_NEXT_DIR "/text"
#define KERNEL_PATH BOX_NEXT_DIR "/kernel"
#define INITRD_PATH BOX_NEXT_DIR "/initrd"

static enum next_answer answer_of(enum fetch_result r) { return r == FETCH_OK ? NEXT_OK : r == FETCH_WRONG ? NEXT_WRONG : NEXT_NONE; }

static int create(const char *path)
{
	mkdir(BOX_NEXT_DIR, 0755);
	return open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
}

enum next_answer next_fetch_text(struct box *b, const char *path, int nfs_only, int optional, char **text, size_t *len)
{
	struct fetch f = {.net = &b->job.net, .promise = &b->promise, .path = path, .max_bytes = TEXT_BYTES_MAX, .nfs_only = nfs_only};

	f.out_fd = create(TEXT_PATH);
	if (f.out_fd < 0)
		return NEXT_NONE;
	enum next_answer r = answer_of(fetch_file(&f));
	close(f.out_fd);
	if (r == NEXT_WRONG && optional && strstr(f.why, "missing"))
		r = NEXT_OK; /* an empty file has been made above */
	else if (r != NEXT_OK)
		records_note(&b->rec, NULL, "fetch %s: %s", path, f.why);
	if (r == NEXT_OK && io_read_file(TEXT_PATH, TEXT_BYTES_MAX, text, len) < 0)
		r = NEXT_NONE;
	unlink(TEXT_PATH);
	return r;
}

enum next_answer next_fetch_plan(struct box *b, struct plan *p)
{
	char path[160], *text = NULL;
	size_t len = 0;
	struct plan_error e;

	snprintf(path, sizeof path, "sweeps/%s/schedule", b->job.sweep);
	enum next_answer r = next_fetch_text(b, path, 0, 0, &text, &len);
	if (r != NEXT_OK)
		return r;
	int err = plan_read_schedule(p, text, len, &e);
	free(text);
	text = NULL;
	if (!err) {
		snprintf(path, sizeof path, "sweeps/%s/manifest", b->job.sweep);
		r = next_fetch_text(b, path, 0, 0, &text, &len);
		err = r == NEXT_OK ? plan_read_manifest(p, text, len, &e) : 0;
		free(text);
		if (r != NEXT_OK) {
			plan_free(p);
			return r;
		}
	}
	if (!err)
		return NEXT_OK;
	records_note(&b->rec, NULL, "%s line %u: %s", path, e.line, e.text);
	return NEXT_WRONG;
}

/* One file on its way, and its hash. */
struct part {
	const struct plan_file *file; /* NULL: there is none */
	struct hasher hasher;
	char hash[17];
};

struct parts {
	struct part kernel, image, pack;
	int kernel_fd, initrd_fd;
};

static enum next_answer fetch_part(struct box *b, struct part *p, int fd)
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
	enum next_answer r = answer_of(fetch_file(&f));

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

/* The kernel takes no file that is open for writing. */
static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* The initrd is made when the kernel's hasher has been forked: that one must not hold it open. */
static enum next_answer fetch_all(struct box *b, struct parts *p)
{
	enum next_answer r = NEXT_NONE;

	if (!p->kernel.file || !p->image.file) {
		records_note(&b->rec, NULL, "the manifest has no %s", p->kernel.file ? "image" : "kernel");
		return NEXT_WRONG;
	}
	p->kernel_fd = create(KERNEL_PATH);
	if (p->kernel_fd >= 0)
		r = fetch_part(b, &p->kernel, p->kernel_fd);
	close_fd(&p->kernel_fd);
	p->initrd_fd = r == NEXT_OK ? create(INITRD_PATH) : -1;
	if (r == NEXT_OK)
		r = p->initrd_fd >= 0 ? fetch_part(b, &p->image, p->initrd_fd) : NEXT_NONE;
	if (r == NEXT_OK && load_pad(p->initrd_fd) < 0)
		r = NEXT_NONE;
	if (r == NEXT_OK)
		r = fetch_part(b, &p->pack, p->initrd_fd);
	return r;
}

static int hash_is_right(struct box *b, struct part *p)
{
	char hex[65];

	if (!p->file)
		return 1;
	promise_say(&b->promise, HASH_MS + 30000);
	int err = hasher_result(&p->hasher, hex, HASH_MS);
	if (!err && !strcmp(hex, p->file->sha256))
		return 1;
	if (err)
		records_note(&b->rec, NULL, "hash of %s: %s", p->file->path, strerror(-err));
	else
		records_note(&b->rec, NULL, "hash of %s: %.16s, wanted %.16s", p->file->path, hex, p->file->sha256);
	return 0;
}

static void drop_parts(struct parts *p)
{
	hasher_drop(&p->kernel.hasher);
	hasher_drop(&p->image.hasher);
	hasher_drop(&p->pack.hasher);
	close_fd(&p->kernel_fd);
	close_fd(&p->initrd_fd);
	unlink(KERNEL_PATH); /* memory; the running kernel has its copy */
	unlink(INITRD_PATH);
}

static int append_job(const struct plan *p, const struct plan_try *t, const struct job_text *j, int initrd_fd)
{
	char *text = malloc(JOB_TEXT_MAX);
	long len = text ? job_text_format(j, p, t, text, JOB_TEXT_MAX) : -ENOMEM;
	int err = len < 0 ? (int)len : load_append_job(initrd_fd, text, (size_t)len);

	free(text);
	return err;
}

/* Loads, and only then asks the hashers: a refusal of what was damaged on the way is the damage's, not the kernel's. */
static enum next_answer load_and_check(struct box *b, const struct plan *p, const struct plan_try *t, struct parts *parts)
{
	char cmdline[LOAD_CMDLINE_MAX + 64];
	const char *words = p->subject[t->subject].cmdline;
	struct load l = {.kernel_path = KERNEL_PATH, .initrd_path = INITRD_PATH, .cmdline = cmdline};

	snprintf(cmdline, sizeof cmdline, "%s%skd=%08x", words ? words : "", words && *words ? " " : "", (unsigned)t->tag);
	promise_say(&b->promise, 180000);
	int err = load_kernel(&l);
	if (!hash_is_right(b, &parts->kernel) || !hash_is_right(b, &parts->image) || !hash_is_right(b, &parts->pack)) {
		if (!err)
			load_unload(&l);
		records_fail(&b->rec, t->tag, "fetch");
		return NEXT_WRONG;
	}
	if (!err && l.file_errno)
		records_note(&b->rec, NULL, "loaded by kexec-tools; kexec_file_load: %s", strerror(l.file_errno));
	if (!err)
		return NEXT_OK;
	records_note(&b->rec, NULL, "load refused: %s", l.why);
	records_fail(&b->rec, t->tag, "load");
	return NEXT_WRONG;
}

enum next_answer next_prepare(struct box *b, const struct plan *p, const struct plan_try *t)
{
	const char *kernel = p->subject[t->subject].kernel;
	struct parts parts = {
		.kernel = {.file = plan_file(p, PLAN_KERNEL, kernel), .hasher = {.grow_fd = -1, .result_fd = -1}},
		.image = {.file = plan_file(p, PLAN_IMAGE, kernel), .hasher = {.grow_fd = -1, .result_fd = -1}},
		.pack = {.file = plan_file(p, PLAN_PACK, kernel), .hasher = {.grow_fd = -1, .result_fd = -1}},
		.kernel_fd = -1,
		.initrd_fd = -1,
	};
	struct job_text job = {.prev = b->rec.tag, .start = b->job.role == JOB_SUBJECT ? "chain" : "via-home", .net = &b->job.net};
	uint64_t start = clock_now_ms();
	enum next_answer r = fetch_all(b, &parts);
	uint64_t fetched = clock_now_ms();

	if (r == NEXT_WRONG)
		records_fail(&b->rec, t->tag, "fetch");
	memcpy(job.kernel, parts.kernel.hash, sizeof job.kernel);
	memcpy(job.image, parts.image.hash, sizeof job.image);
	memcpy(job.pack, parts.pack.hash, sizeof job.pack);
	if (r == NEXT_OK && append_job(p, t, &job, parts.initrd_fd) < 0)
		r = NEXT_NONE;
	close_fd(&parts.initrd_fd);
	if (r == NEXT_OK)
		r = load_and_check(b, p, t, &parts);
	drop_parts(&parts);
	if (r == NEXT_OK)
		records_note(&b->rec, NULL, "fetched in %llu ms, loaded in %llu ms", (unsigned long long)(fetched - start),
		             (unsigned long long)(clock_now_ms() - fetched));
	return r;
}
