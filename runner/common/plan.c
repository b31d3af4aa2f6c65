/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plan: what a schedule and a manifest hold, once read (plan_schedule.c, plan_manifest.c), and the one line that is appended
 * to a schedule afterwards. A line is found by its number, never by its place: a damaged line leaves a hole.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/kv.h"
#include "common/plan.h"

void plan_free(struct plan *p)
{
	for (size_t i = 0; i < p->subjects; i++)
		free(p->subject[i].cmdline);
	for (size_t i = 0; i < p->tests; i++) {
		free(p->test[i].args);
		free(p->test[i].line);
	}
	for (size_t i = 0; i < p->files; i++)
		free(p->file[i].path);
	for (size_t i = 0; i < p->expects; i++)
		free(p->expect[i].version);
	free(p->home_cmdline);
	free(p->subject);
	free(p->test);
	free(p->try);
	free(p->file);
	free(p->expect);
	memset(p, 0, sizeof(*p));
}

const struct plan_try *plan_try_by_line(const struct plan *p, unsigned line)
{
	size_t lo = 0, hi = p->tries;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (p->try[mid].line == line)
			return &p->try[mid];
		if (p->try[mid].line < line)
			lo = mid + 1;
		else
			hi = mid;
	}
	return NULL;
}

const struct plan_try *plan_try_by_tag(const struct plan *p, uint32_t tag)
{
	for (size_t i = 0; i < p->tries; i++)
		if (p->try[i].tag == tag)
			return &p->try[i];
	return NULL;
}

const struct plan_file *plan_file(const struct plan *p, enum plan_role role, const char *kernel)
{
	for (size_t i = 0; i < p->files; i++)
		if (p->file[i].role == role && !strcmp(p->file[i].id, kernel))
			return &p->file[i];
	return NULL;
}

const struct plan_expect *plan_expect(const struct plan *p, const char *kernel)
{
	for (size_t i = 0; i < p->expects; i++)
		if (!strcmp(p->expect[i].kernel, kernel))
			return &p->expect[i];
	return NULL;
}

int plan_arg(const char *args, const char *name, char *out, size_t size)
{
	size_t nlen = strlen(name);

	while (*args) {
		size_t n = strcspn(args, ",");

		if (n > nlen && args[nlen] == '=' && !memcmp(args, name, nlen)) {
			n -= nlen + 1;
			if (n >= size)
				return -ENAMETOOLONG;
			memcpy(out, args + nlen + 1, n);
			out[n] = 0;
			return 0;
		}
		args += n + (args[n] != 0);
	}
	return -ENOENT;
}

long plan_format_try(const struct plan *p, const struct plan_try *t, char *out, size_t size)
{
	struct kv_out o;

	if (t->subject >= p->subjects || !memchr(t->why, 0, sizeof(t->why)))
		return -EINVAL;
	kv_out_init(&o, out, size);
	kv_out_word(&o, "try");
	kv_out_u64(&o, "line", t->line);
	kv_out_hex32(&o, "tag", t->tag);
	kv_out_u64(&o, "boot", t->boot);
	kv_out_u64(&o, "round", t->round);
	kv_out_str(&o, "subject", p->subject[t->subject].id);
	kv_out_u64(&o, "discard", t->discard ? 1 : 0);
	kv_out_str(&o, "why", t->why);
	if (t->of)
		kv_out_u64(&o, "of", t->of);
	kv_out_crc(&o, 0);
	if (o.err)
		return o.err;
	if (size - o.len < 2 || o.len > KV_LINE_MAX)
		return -EMSGSIZE;
	memcpy(out + o.len, "\n", 2);
	return (long)o.len + 1;
}

static const char *const switches[] = {
	[PLAN_CHAIN] = "chain",
	[PLAN_VIA_HOME] = "via-home",
	[PLAN_FIRMWARE] = "firmware",
};

const char *plan_switch_name(enum plan_switch s) { return s >= PLAN_CHAIN && s <= PLAN_FIRMWARE ? switches[s] : "unknown"; }

int plan_switch_parse(const char *s, enum plan_switch *out)
{
	for (enum plan_switch i = PLAN_CHAIN; i <= PLAN_FIRMWARE; i++) {
		if (!strcmp(s, switches[i])) {
			*out = i;
			return 0;
		}
	}
	return -EINVAL;
}

const char *plan_role_name(enum plan_role r)
{
	static const char *const roles[] = {
		[PLAN_KERNEL] = "kernel",
		[PLAN_IMAGE] = "image",
		[PLAN_PACK] = "pack",
	};

	return r >= PLAN_KERNEL && r <= PLAN_PACK ? roles[r] : "unknown";
}
