/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * job: lines to a struct. Unknown keys are let pass (the station may be newer than the image), unknown words of a line are not errors
 * either; what is known is checked before it is used, because it comes to name files and addresses.
 */
#include "box/job.h"
#include "common/record.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define AGAIN_S 60
#define JUMP_S 120

static int wrong(struct job_error *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static int wrong(struct job_error *e, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(e->text, sizeof e->text, fmt, ap);
	va_end(ap);
	return -EINVAL;
}

/* Optional value; an absent one leaves out as it is. 1: there but too long. */
static int take(const struct kv_line *l, const char *key, char *out, size_t size)
{
	int err = kv_str(l, key, out, size);

	return err && err != -ENOENT;
}

static unsigned take_u32(const struct kv_line *l, const char *key, unsigned fallback, unsigned max)
{
	uint64_t v;

	return kv_u64(l, key, &v) == 0 && v <= max ? (unsigned)v : fallback;
}

static int is_start(const char *s) { return !strcmp(s, "chain") || !strcmp(s, "via-home") || !strcmp(s, "firmware") || !strcmp(s, "crash"); }

static int is_subject(const char *s)
{
	char kernel[PLAN_SUBJECT_MAX];
	const char *slash = strchr(s, '/');
	size_t n = slash ? (size_t)(slash - s) : 0;

	if (!n || n >= sizeof kernel)
		return 0;
	memcpy(kernel, s, n);
	kernel[n] = 0;
	return kv_is_id(kernel) && kv_is_id(slash + 1);
}

static int read_job_line(struct job *j, const struct kv_line *l, struct job_error *e)
{
	char sw[16] = "";

	if (kv_hex32(l, "tag", &j->tag))
		return wrong(e, "job: tag= of 8 hex digits wanted");
	if (kv_hex32(l, "prev", &j->prev))
		j->prev = 0;
	if (kv_hex32(l, "of", &j->of))
		j->of = 0;
	if (take(l, "subject", j->subject, sizeof j->subject) || (j->role == JOB_SUBJECT && !is_subject(j->subject)))
		return wrong(e, "job: subject=kernel/variant wanted");
	if (take(l, "sweep", j->sweep, sizeof j->sweep) || !kv_is_id(j->sweep))
		return wrong(e, "job: sweep= wanted");
	if (take(l, "box", j->box, sizeof j->box) || !kv_is_id(j->box))
		return wrong(e, "job: box= wanted");
	if (take(l, "start", j->start, sizeof j->start) || !is_start(j->start))
		return wrong(e, "job: start=chain, via-home, firmware or crash wanted");
	take(l, "kernel", j->kernel, sizeof j->kernel);
	take(l, "image", j->image, sizeof j->image);
	take(l, "pack", j->pack, sizeof j->pack);
	/* Without switch=, how this boot came is how the next one goes. */
	if (take(l, "switch", sw, sizeof sw) || plan_switch_parse(*sw ? sw : j->start, &j->sw))
		j->sw = PLAN_CHAIN;
	j->line = take_u32(l, "line", 0, PLAN_TRIES_MAX);
	j->boot = take_u32(l, "boot", 0, PLAN_TRIES_MAX);
	j->discard = take_u32(l, "discard", 0, 1) == 1;
	j->again_s = take_u32(l, "again_s", AGAIN_S, 3600);
	j->jump_s = take_u32(l, "jump_s", JUMP_S, 3600);
	if (kv_u64(l, "crash", &j->crash_bytes))
		j->crash_bytes = 0;
	return 0;
}

static int read_net_line(struct job *j, const struct kv_line *l, struct job_error *e)
{
	struct job_net *n = &j->net;

	if (take(l, "http", n->http, sizeof n->http) || take(l, "tftp", n->tftp, sizeof n->tftp) || take(l, "nfs", n->nfs, sizeof n->nfs) ||
	    take(l, "peer", n->peer, sizeof n->peer) || take(l, "nfstest", n->nfstest, sizeof n->nfstest) || take(l, "ip", n->ip, sizeof n->ip))
		return wrong(e, "net: a value is too long");
	return 0;
}

static int read_test_line(struct job *j, const struct kv_line *l, const char *s, size_t len, struct job_error *e)
{
	struct job_test *t = &j->test[j->tests];

	if (j->tests == PLAN_TESTS_MAX)
		return wrong(e, "more than %d tests", PLAN_TESTS_MAX);
	memset(t, 0, sizeof *t);
	if (take(l, "name", t->name, sizeof t->name) || !kv_is_id(t->name))
		return wrong(e, "test: name= wanted");
	memcpy(t->program, t->name, sizeof t->program);
	if (take(l, "program", t->program, sizeof t->program) || !kv_is_id(t->program))
		return wrong(e, "test %s: program= is no name", t->name);
	if (kv_u64(l, "deadline_ms", &t->deadline_ms) || !t->deadline_ms || t->deadline_ms > 24u * 3600 * 1000)
		return wrong(e, "test %s: deadline_ms= wanted", t->name);
	kv_u64(l, "quiet_ms", &t->quiet_ms);
	kv_u64(l, "mem_kb", &t->mem_kb);
	if (take(l, "needs", t->needs, sizeof t->needs) || take(l, "args", t->args, sizeof t->args) || len >= sizeof t->line)
		return wrong(e, "test %s: a value is too long", t->name);
	memcpy(t->line, s, len);
	t->line[len] = 0;
	j->tests++;
	return 0;
}

static int read_line(struct job *j, const char *s, size_t len, int *have_job, struct job_error *e)
{
	static struct kv_line l; /* 5 KiB; no threads here */

	if (kv_parse_crc(&l, s, len) < 0)
		return wrong(e, "not a line with a right CRC");
	if (!strcmp(l.word, "job")) {
		*have_job = 1;
		return read_job_line(j, &l, e);
	}
	if (!strcmp(l.word, "net"))
		return read_net_line(j, &l, e);
	if (!strcmp(l.word, "test"))
		return read_test_line(j, &l, s, len, e);
	return 0;
}

int job_read(struct job *j, const char *text, size_t len, struct job_error *e)
{
	size_t at = 0;
	int have_job = 0;

	*e = (struct job_error){0};
	if (j->role == JOB_HOME)
		j->role = JOB_SUBJECT;
	while (at < len) {
		const char *nl = memchr(text + at, '\n', len - at);
		size_t n = nl ? (size_t)(nl - (text + at)) : len - at;

		e->line++;
		if (n && text[at] != '#' && text[at] != 0) { /* NULs: the padding of a block device */
			int err = read_line(j, text + at, n, &have_job, e);

			if (err)
				return err;
		}
		at += n + 1;
	}
	return have_job ? 0 : wrong(e, "no job line");
}

int job_needs(const struct job_test *t, const char *what) { return kv_list_has(t->needs, what); }
