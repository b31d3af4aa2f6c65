/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * freeze: see freeze.h. gzip comes first because its decompressor is the quickest that all kernels since 2.4 have, and in emulation
 * that is seconds. Trap: the build writes its image in place, so it is copied, never linked.
 */
#include "host/arch.h"
#include "host/freeze.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/io.h"
#include "common/kv.h"
#include "common/sha256.h"
#include "host/lab.h"
#include "host/legacy.h"
#include "host/overlay.h"
#include "host/pack.h"
#include "host/ssh_keys.h"

const char *freeze_compression(const struct kernel *k, int (*have)(void *user, const char *ext), void *user)
{
	static const char *const order[][2] = {{"gzip", "gz"}, {"xz", "xz"}, {"zstd", "zst"}};
	for (size_t i = 0; i < sizeof order / sizeof *order; i++)
		if (kv_list_has(k->compression, order[i][0]) && have(user, order[i][1]))
			return order[i][1];
	return have(user, "") ? "" : NULL;
}

static int have_image(void *user, const char *ext)
{
	char *path = lab_image(user, ext);
	free(path);
	return path != NULL;
}

int freeze_line(struct work *w, struct kv_out *o, FILE *out)
{
	kv_out_crc(o, 0);
	if (o->err || o->len > KV_LINE_MAX)
		return work_fail(w, o->err ? o->err : -EMSGSIZE, "a line of the sweep is too long: %.60s...", o->buf);
	fprintf(out, "%s\n", o->buf);
	return 0;
}

/* A file line: path is below the lab, real where the file is now; job_bytes 0: no place for a job. */
static int file_line_job(struct work *w, FILE *out, const char *role, const char *id, const char *path, const char *real, uint64_t job_at,
                         uint64_t job_bytes)
{
	char buf[KV_LINE_MAX + 32], hex[65];
	struct kv_out o;
	uint64_t bytes;
	int err = sha256_file(real, hex, &bytes);
	if (err)
		return work_fail(w, err, "read %s:", real);
	kv_out_init(&o, buf, sizeof buf);
	kv_out_word(&o, "file");
	kv_out_str(&o, "role", role);
	kv_out_str(&o, "id", id);
	kv_out_str(&o, "path", path);
	kv_out_u64(&o, "bytes", bytes);
	kv_out_str(&o, "sha256", hex);
	if (job_bytes) {
		kv_out_u64(&o, "job_at", job_at);
		kv_out_u64(&o, "job_bytes", job_bytes);
	}
	return freeze_line(w, &o, out);
}

static int file_line(struct work *w, FILE *out, const char *role, const char *id, const char *path, const char *real)
{
	return file_line_job(w, out, role, id, path, real, 0, 0);
}

/* What follows in memory must begin on a multiple of 4 (buffer-format.rst); NULs behind a compressed cpio are skipped. */
static int pad(const char *path)
{
	struct stat st;
	if (stat(path, &st) || truncate(path, (st.st_size + 511) / 512 * 512))
		return -errno;
	return 0;
}

static int freeze_image(struct work *w, const char *sweep, const struct kernel *k, const struct board *b, FILE *out)
{
	char name[128], path[256], real[4352], first[4352];
	const char *ext = freeze_compression(k, have_image, (void *)(uintptr_t)b->arch);
	if (!ext)
		return work_fail(w, -ENOENT, "no image for %s that kernel %s can unpack (%s); 'make image' or './build.sh image' builds it", b->arch,
		                 k->id, k->compression);
	const char *dot = *ext ? "." : "";
	snprintf(name, sizeof name, "image-%s.cpio%s%s", k->id, dot, ext);
	snprintf(path, sizeof path, "sweeps/%s/%s", sweep, name);
	snprintf(real, sizeof real, "%s/%s", w->dir, name);
	/* One copy a compression; the kernels share it. */
	snprintf(first, sizeof first, "%s/image.cpio%s%s", w->dir, dot, ext);
	int err = 0;
	if (access(first, F_OK)) {
		char *built = lab_image(b->arch, ext);
		err = built ? work_copy(built, first) : -ENOENT;
		if (!err)
			err = pad(first);
		if (err)
			work_fail(w, err, "copy %s:", built ? built : "image");
		free(built);
	}
	if (!err && (err = work_link(first, real)))
		work_fail(w, err, "link %s:", real);
	return err ? err : file_line(w, out, "image", k->id, path, real);
}

/* As an ext2 file system, with the archives inside that others have behind their pack. */
static int freeze_legacy(struct work *w, const char *sweep, const struct kernel *k, const struct board *b, FILE *out, FILE *remarks)
{
	char name[128], path[256], real[4352], ssh[4352], overlay[4352];
	char *built = lab_image(b->arch, "");
	uint64_t job_at = 0, job_bytes = 0;
	int err;
	if (!built)
		return work_fail(w, -ENOENT, "no image for %s; 'make image' or './build.sh image' builds it", b->arch);
	snprintf(name, sizeof name, "image-%s.ext2", k->id);
	snprintf(path, sizeof path, "sweeps/%s/%s", sweep, name);
	snprintf(real, sizeof real, "%s/%s", w->dir, name);
	snprintf(ssh, sizeof ssh, "%s/%s", w->dir, SSH_KEYS_ARCHIVE);
	snprintf(overlay, sizeof overlay, "%s/%s", w->dir, OVERLAY_ARCHIVE);
	const char *const archives[] = {built, ssh, overlay, NULL};
	err = legacy_image(w, archives, real, &job_at, &job_bytes);
	free(built);
	if (err)
		return err;
	fprintf(remarks, "pack       %s: none, it is older than 2.6: every driver and file system that the box needs must be built in\n", k->id);
	return file_line_job(w, out, "image", k->id, path, real, job_at, job_bytes);
}

/* What goes where the pack goes: home, subjects and crash kernels all load it. Nothing where there is no such archive. */
static int append_archive(struct work *w, const char *pack, const char *archive)
{
	char from[4352];
	snprintf(from, sizeof from, "%s/%s", w->dir, archive);
	int in = open(from, O_RDONLY | O_CLOEXEC), out, err = 0;
	if (in < 0)
		return errno == ENOENT ? 0 : work_fail(w, -errno, "open %s:", from);
	out = open(pack, O_WRONLY | O_APPEND | O_CLOEXEC);
	err = out < 0 ? -errno : io_copy(in, out, UINT64_MAX, NULL);
	if (!err && fsync(out))
		err = -errno;
	close(in);
	if (out >= 0)
		close(out);
	return err ? work_fail(w, err, "write %s:", pack) : 0;
}

static int freeze_pack(struct work *w, const char *sweep, const struct kernel *k, const struct board *b, struct pack *p, FILE *out, FILE *remarks)
{
	char name[128], path[256], real[4352], why[512] = "";
	snprintf(name, sizeof name, "pack-%s.cpio", k->id);
	snprintf(path, sizeof path, "sweeps/%s/%s", sweep, name);
	snprintf(real, sizeof real, "%s/%s", w->dir, name);
	int err = pack_write(p, k, b, real, why, sizeof why);
	if (err)
		return work_fail(w, err, "%s", *why ? why : strerror(-err));
	if ((err = append_archive(w, real, SSH_KEYS_ARCHIVE)) || (err = append_archive(w, real, OVERLAY_ARCHIVE)))
		return err;
	fprintf(remarks, "pack       %s: %zu modules, %.1f MB", k->id, p->modules, (double)p->bytes / 1e6);
	if (*p->missing)
		fprintf(remarks, "; it has no %s, which the box can do without", p->missing);
	if (p->unproven)
		fprintf(remarks, "; nothing is known of what is built in: that it has what the box needs is taken on trust");
	fprintf(remarks, "\n");
	return file_line(w, out, "pack", k->id, path, real);
}

/* Can this kernel be booted on this box at all? */
static int check_kernel(struct work *w, const struct kernel *k, const struct board *b)
{
	const struct arch *a = arch_find(b->arch);

	if (!a || !arch_runs_on(a, k->arch))
		return work_fail(w, -EINVAL, "kernel %s is %s, box %s is %s", k->id, k->arch, b->name, b->arch);
	if (!strcmp(k->initrd, "none"))
		return work_fail(w, -EINVAL, "kernel %s takes no initrd (CONFIG_BLK_DEV_INITRD is not set), and the image is one", k->id);
	return 0;
}

void freeze_finish(struct work *w)
{
	static const char *const exts[] = {"", ".gz", ".xz", ".zst"};
	char path[4352];
	for (size_t i = 0; i < sizeof exts / sizeof *exts; i++) {
		snprintf(path, sizeof path, "%s/image.cpio%s", w->dir, exts[i]);
		unlink(path);
	}
	snprintf(path, sizeof path, "%s/" SSH_KEYS_ARCHIVE, w->dir);
	unlink(path);
	snprintf(path, sizeof path, "%s/" OVERLAY_ARCHIVE, w->dir);
	unlink(path);
}

int freeze_kernel(struct work *w, const char *sweep, const struct kernel *k, const struct board *b, FILE *manifest, FILE *remarks)
{
	char buf[KV_LINE_MAX + 32], path[128], hex[65];
	struct kv_out o;
	struct pack pack = {0};
	char *real = lab_path("kernels/%s/vmlinuz", k->id);
	uint64_t bytes;
	snprintf(path, sizeof path, "kernels/%s/vmlinuz", k->id);
	int err = check_kernel(w, k, b);
	if (!err && (err = sha256_file(real, hex, &bytes)))
		work_fail(w, err, "read %s:", real);
	if (!err && (strcmp(hex, k->sha256) || bytes != k->bytes))
		err = work_fail(w, -EBADMSG, "%s is not what was added; 'kdyno kernel remove %s', then add it again", real, k->id);
	if (!err)
		err = file_line(w, manifest, "kernel", k->id, path, real);
	if (!err && kernel_is_legacy(k)) {
		err = freeze_legacy(w, sweep, k, b, manifest, remarks);
	} else if (!err) {
		err = freeze_image(w, sweep, k, b, manifest);
		if (!err)
			err = freeze_pack(w, sweep, k, b, &pack, manifest, remarks);
	}
	free(real);
	if (err)
		return err;
	kv_out_init(&o, buf, sizeof buf);
	kv_out_word(&o, "expect");
	kv_out_str(&o, "kernel", k->id);
	kv_out_str(&o, "release", k->release);
	kv_out_str(&o, "version", k->version);
	if (*pack.watchdog)
		kv_out_str(&o, "watchdog", pack.watchdog);
	return freeze_line(w, &o, manifest);
}
