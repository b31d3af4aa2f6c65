/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * next_fetch: the files of the next boot. They go once over the network and once into memory: image and pack straight behind each
 * other into the initrd, hashed beside that and beside the loading. A failure names the try that it cost: `fail of= name=fetch` or `load`.
 */
#include "box/fetch.h"
#include "box/files.h"
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
#define TEXT_PATH BOX_NEXT_DIR "/text"

enum next_answer next_answer_of(enum fetch_result r) { return r == FETCH_OK ? NEXT_OK : r == FETCH_WRONG ? NEXT_WRONG : NEXT_NONE; }

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
	enum next_answer r = next_answer_of(fetch_file(&f));
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

/* Into a legacy image only when its hash is known: the hasher reads the same file. */
static enum next_answer put_job(struct box *b, const struct plan *p, const struct plan_try *t, const struct job_text *j, struct files *files)
{
	const struct plan_file *image = files->image.file;
	char *text = malloc(JOB_TEXT_MAX);
	long len = text ? job_text_format(j, p, t, text, JOB_TEXT_MAX) : -ENOMEM;
	int err = len < 0 ? (int)len : 0;
	enum next_answer r = NEXT_OK;

	if (!err && image->job_bytes && !files_image_is_right(files, b)) {
		records_fail(&b->rec, t->tag, "fetch");
		r = NEXT_WRONG;
	} else if (!err && image->job_bytes) {
		err = job_text_write(files->initrd_fd, image->job_at, image->job_bytes, text, (size_t)len);
	} else if (!err) {
		err = load_append_job(files->initrd_fd, text, (size_t)len);
	}
	free(text);
	if (err)
		records_note(&b->rec, NULL, "job of %08x: %s", (unsigned)t->tag, strerror(-err));
	return err ? NEXT_NONE : r;
}

/* Loads, and only then asks the hashers: a refusal of what was damaged on the way is the damage's, not the kernel's. */
static enum next_answer load_and_check(struct box *b, const struct plan *p, const struct plan_try *t, struct files *files)
{
	char cmdline[LOAD_CMDLINE_MAX + 64];
	const char *words = p->subject[t->subject].cmdline;
	struct load l = {.kernel_path = FILES_KERNEL_PATH, .initrd_path = FILES_INITRD_PATH, .cmdline = cmdline};

	snprintf(cmdline, sizeof cmdline, "%s%skd=%08x%s", words ? words : "", words && *words ? " " : "", (unsigned)t->tag,
	         b->job.sysrq ? " kd.sysrq=1" : "");
	promise_say(&b->promise, 180000);
	int err = load_kernel(&l);
	if (!files_are_right(files, b)) {
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
	const char *how = b->job.role == JOB_SUBJECT ? "chain" : b->job.role == JOB_CRASH ? "crash" : "via-home";
	struct job_text job = {.prev = b->rec.tag, .start = how, .net = &b->job.net};
	struct files files;
	uint64_t start = clock_now_ms();
	enum next_answer r = files_fetch(&files, b, p, p->subject[t->subject].kernel);
	uint64_t fetched = clock_now_ms();

	if (r == NEXT_WRONG)
		records_fail(&b->rec, t->tag, "fetch");
	memcpy(job.kernel, files.kernel.hash, sizeof job.kernel);
	memcpy(job.image, files.image.hash, sizeof job.image);
	memcpy(job.pack, files.pack.hash, sizeof job.pack);
	if (r == NEXT_OK)
		r = put_job(b, p, t, &job, &files);
	files_close(&files);
	if (r == NEXT_OK)
		r = load_and_check(b, p, t, &files);
	files_drop(&files);
	if (r == NEXT_OK)
		records_note(&b->rec, NULL, "fetched in %llu ms, loaded in %llu ms", (unsigned long long)(fetched - start),
		             (unsigned long long)(clock_now_ms() - fetched));
	return r;
}
