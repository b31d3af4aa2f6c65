/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plan_manifest: reads which files a sweep boots, with their hashes, which command lines, and what a kernel must say of itself.
 *
 * A path goes into URLs, TFTP requests and open(2) on both sides, so it is held to letters that mean the same in all three, and
 * stays below the lab.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/ext2.h"
#include "common/plan_read.h"

#define WORDS "file, cmdline, home or expect"
#define PATH_BYTES 255
#define CMDLINE_BYTES 2048 /* COMMAND_LINE_SIZE of x86, arch/x86/include/asm/setup.h */

static int is_path(const char *s)
{
	if (!*s || strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._/+@,:-") != strlen(s))
		return 0;
	for (;;) {
		size_t n = strcspn(s, "/");

		if (!n || (n == 1 && s[0] == '.') || (n == 2 && s[0] == '.' && s[1] == '.'))
			return 0;
		if (!s[n])
			return 1;
		s += n + 1;
	}
}

static int is_sha256(const char *s) { return strlen(s) == 64 && strspn(s, "0123456789abcdef") == 64; }

static enum plan_role parse_role(const char *s)
{
	for (enum plan_role role = PLAN_KERNEL; role <= PLAN_PACK; role++)
		if (!strcmp(s, plan_role_name(role)))
			return role;
	return 0;
}

/* Only a legacy image has one, inside of it. */
static void read_job_place(struct plan_file *f, struct plan_reader *r)
{
	if (!kv_get(&r->kv, "job_at"))
		return;
	f->job_at = plan_take_u64(r, "job_at", 1, EXT2_BYTES_MAX);
	f->job_bytes = plan_take_u64(r, "job_bytes", 1, EXT2_BYTES_MAX);
	if (!r->err && (f->role != PLAN_IMAGE || f->job_at + f->job_bytes > f->bytes))
		plan_fail(r, "file: job_at= and job_bytes= want a place inside an image");
}

static void read_file(struct plan *p, struct plan_reader *r)
{
	struct plan_file *f = &p->file[p->files++]; /* counted at once, so that plan_free sees what it owns */
	const char *sum = plan_take(r, "sha256");

	f->role = parse_role(plan_take(r, "role"));
	plan_take_id(r, "id", f->id, sizeof(f->id));
	f->bytes = plan_take_u64(r, "bytes", 1, (uint64_t)1 << 40);
	f->path = plan_take_text(r, "path", PATH_BYTES);
	if (!f->role)
		plan_fail(r, "file: role= wants kernel, image or pack");
	if (f->path && !is_path(f->path))
		plan_fail(r, "file: path= wants a path below the lab, without .. or spaces");
	if (!is_sha256(sum))
		plan_fail(r, "file: sha256= wants 64 hex digits");
	if (r->err)
		return;
	memcpy(f->sha256, sum, 65);
	read_job_place(f, r);
	for (size_t i = 0; i + 1 < p->files; i++)
		if (p->file[i].role == f->role && !strcmp(p->file[i].id, f->id))
			plan_fail(r, "file: %s of %s is there twice", plan_role_name(f->role), f->id);
}

/* `kd=` and `kd.` are added where a try is started; here they would speak for another. */
static int has_kd_word(const char *s)
{
	for (; *s; s += strcspn(s, " ")) {
		s += strspn(s, " ");
		if (!strncmp(s, "kd=", 3) || !strncmp(s, "kd.", 3))
			return 1;
	}
	return 0;
}

static void read_cmdline(struct plan *p, struct plan_reader *r)
{
	const char *id = plan_take(r, "subject");
	char *words = plan_take_text(r, "words", CMDLINE_BYTES - 1);
	struct plan_subject *s = NULL;

	for (size_t i = 0; i < p->subjects; i++)
		if (!strcmp(p->subject[i].id, id))
			s = &p->subject[i];
	if (!s)
		plan_fail(r, "cmdline: subject=%.64s is not in the schedule", id);
	else if (s->cmdline)
		plan_fail(r, "cmdline of %.64s is there twice", id);
	else if (words && has_kd_word(words))
		plan_fail(r, "cmdline: words= holds a kd word");
	if (r->err)
		free(words);
	else
		s->cmdline = words;
}

/* What a crash kernel is started with, besides its kd words. */
static void read_home(struct plan *p, struct plan_reader *r)
{
	char *words = plan_take_text(r, "words", CMDLINE_BYTES - 1);

	if (words && has_kd_word(words))
		plan_fail(r, "home: words= holds a kd word");
	else if (p->home_cmdline)
		plan_fail(r, "home is there twice");
	if (r->err)
		free(words);
	else
		p->home_cmdline = words;
}

static void read_expect(struct plan *p, struct plan_reader *r)
{
	struct plan_expect *x = &p->expect[p->expects++];
	const char *release = plan_take(r, "release");

	plan_take_id(r, "kernel", x->kernel, sizeof(x->kernel));
	x->version = plan_take_text(r, "version", 512);
	if (kv_get(&r->kv, "watchdog")) /* sweeps that were made before there was one have none */
		plan_take_id(r, "watchdog", x->watchdog, sizeof(x->watchdog));
	if (!*release || strlen(release) >= sizeof(x->release) || strspn(release, " /") || strcspn(release, " \n\r\t") != strlen(release))
		plan_fail(r, "expect: release= wants what uname -r says, at most %zu bytes", sizeof(x->release) - 1);
	else
		memcpy(x->release, release, strlen(release) + 1);
	for (size_t i = 0; !r->err && i + 1 < p->expects; i++)
		if (!strcmp(p->expect[i].kernel, x->kernel))
			plan_fail(r, "expect of %s is there twice", x->kernel);
}

/* Every subject must be bootable from what is there. A pack may be missing: a kernel may have all that it needs built in. */
static void check_subjects(const struct plan *p, struct plan_reader *r)
{
	r->line = 0; /* of the file as a whole */
	for (size_t i = 0; i < p->subjects; i++) {
		const struct plan_subject *s = &p->subject[i];

		if (!s->cmdline)
			plan_fail(r, "no cmdline for %s (%u damaged lines)", s->id, r->bad_lines);
		if (!plan_file(p, PLAN_KERNEL, s->kernel))
			plan_fail(r, "no kernel file for %s (%u damaged lines)", s->kernel, r->bad_lines);
		if (!plan_file(p, PLAN_IMAGE, s->kernel))
			plan_fail(r, "no image file for %s (%u damaged lines)", s->kernel, r->bad_lines);
		if (!plan_expect(p, s->kernel))
			plan_fail(r, "no expect line for %s (%u damaged lines)", s->kernel, r->bad_lines);
	}
	if (p->crash_bytes && (!p->home_cmdline || !plan_file(p, PLAN_KERNEL, p->home) || !plan_file(p, PLAN_IMAGE, p->home)))
		plan_fail(r, "no home to be crash kernel (%u damaged lines)", r->bad_lines);
}

int plan_read_manifest(struct plan *p, const char *text, size_t len, struct plan_error *e)
{
	struct plan_reader *r = calloc(1, sizeof(*r));
	int err;

	memset(e, 0, sizeof(*e));
	if (!r) {
		plan_free(p);
		return -ENOMEM;
	}
	r->text = text;
	r->len = len;
	r->e = e;
	if (p->file || p->expect)
		plan_fail(r, "a second manifest");
	else
		p->file = plan_table(r, plan_count_lines(text, len, "file"), PLAN_FILES_MAX, sizeof(*p->file), "file");
	if (!r->err)
		p->expect = plan_table(r, plan_count_lines(text, len, "expect"), PLAN_FILES_MAX, sizeof(*p->expect), "expect");
	while (plan_next_line(r, WORDS) > 0) {
		if (!strcmp(r->kv.word, "file"))
			read_file(p, r);
		else if (!strcmp(r->kv.word, "cmdline"))
			read_cmdline(p, r);
		else if (!strcmp(r->kv.word, "home"))
			read_home(p, r);
		else if (!strcmp(r->kv.word, "expect"))
			read_expect(p, r);
		else
			plan_fail(r, "unknown word %.32s, want " WORDS, r->kv.word);
	}
	if (!r->err)
		check_subjects(p, r);
	p->bad_lines += r->bad_lines;
	err = r->err;
	free(r);
	if (err)
		plan_free(p);
	return err;
}
