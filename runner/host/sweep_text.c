/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sweep_text: see sweep_text.h. Trap: a schedule that its own reader refuses would be found out by a box at night, so it is
 * read back here, with its manifest.
 */
#include "host/sweep_text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "common/err.h"
#include "common/io.h"
#include "host/choose.h"
#include "host/freeze.h"

static int sweep_line(struct work *w, const struct plan *p, FILE *out)
{
	char buf[KV_LINE_MAX + 32];
	struct kv_out o;
	kv_out_init(&o, buf, sizeof buf);
	kv_out_word(&o, "sweep");
	kv_out_u64(&o, "v", 1);
	kv_out_str(&o, "id", p->id);
	kv_out_str(&o, "box", p->box);
	kv_out_u64(&o, "seed", p->seed);
	kv_out_u64(&o, "rounds", p->rounds);
	kv_out_u64(&o, "tries", p->tries_max);
	kv_out_str(&o, "switch", plan_switch_name(p->sw));
	kv_out_str(&o, "suite", p->suite);
	kv_out_str(&o, "home", p->home);
	kv_out_u64(&o, "again_s", p->again_s);
	kv_out_u64(&o, "deaf_s", p->deaf_s);
	kv_out_u64(&o, "jump_s", p->jump_s);
	if (p->ssh)
		kv_out_u64(&o, "ssh", 1);
	if (p->crash_bytes)
		kv_out_u64(&o, "crash", p->crash_bytes);
	kv_out_u64(&o, "made", clock_unix_ms() / 1000);
	return freeze_line(w, &o, out);
}

static int subject_line(struct work *w, const struct plan_subject *s, FILE *out)
{
	char buf[KV_LINE_MAX + 32];
	struct kv_out o;
	kv_out_init(&o, buf, sizeof buf);
	kv_out_word(&o, "subject");
	kv_out_str(&o, "id", s->id);
	kv_out_str(&o, "kernel", s->kernel);
	kv_out_str(&o, "variant", s->variant);
	return freeze_line(w, &o, out);
}

static int test_line(struct work *w, const struct plan_test *t, FILE *out)
{
	char buf[KV_LINE_MAX + 32];
	struct kv_out o;
	kv_out_init(&o, buf, sizeof buf);
	kv_out_word(&o, "test");
	kv_out_str(&o, "name", t->name);
	if (strcmp(t->program, t->name))
		kv_out_str(&o, "program", t->program);
	if (*t->like)
		kv_out_str(&o, "like", t->like);
	if (*t->primary)
		kv_out_str(&o, "primary", t->primary);
	kv_out_u64(&o, "deadline_ms", t->deadline_ms);
	kv_out_u64(&o, "quiet_ms", t->quiet_ms);
	kv_out_u64(&o, "mem_kb", t->mem_kb);
	kv_out_str(&o, "needs", t->needs);
	kv_out_str(&o, "args", t->args);
	return freeze_line(w, &o, out);
}

int sweep_text_cmdlines(struct work *w, const struct plan *p, FILE *manifest)
{
	int err = 0;
	for (size_t i = 0; !err && i < p->subjects; i++) {
		char buf[KV_LINE_MAX + 32];
		struct kv_out o;
		kv_out_init(&o, buf, sizeof buf);
		kv_out_word(&o, "cmdline");
		kv_out_str(&o, "subject", p->subject[i].id);
		kv_out_str(&o, "words", p->subject[i].cmdline);
		err = freeze_line(w, &o, manifest);
	}
	if (!err && p->home_cmdline) {
		char buf[KV_LINE_MAX + 32];
		struct kv_out o;
		kv_out_init(&o, buf, sizeof buf);
		kv_out_word(&o, "home");
		kv_out_str(&o, "words", p->home_cmdline);
		err = freeze_line(w, &o, manifest);
	}
	return err;
}

static int write_lines(struct work *w, const struct plan *p, FILE *out)
{
	char line[KV_LINE_MAX + 2];
	int err = sweep_line(w, p, out);
	for (size_t i = 0; !err && i < p->subjects; i++)
		err = subject_line(w, &p->subject[i], out);
	for (size_t i = 0; !err && i < p->tests; i++)
		err = test_line(w, &p->test[i], out);
	for (size_t i = 0; !err && i < p->tries; i++) {
		long n = plan_format_try(p, &p->try[i], line, sizeof line);
		if (n < 0)
			return work_fail(w, (int)n, "line %zu of the schedule:", i + 1);
		fwrite(line, 1, (size_t)n, out);
	}
	return err;
}

static int read_back(struct work *w, const char *schedule, size_t len, const char *manifest, size_t manifest_len)
{
	struct plan p;
	struct plan_error e = {0};
	int err = plan_read_schedule(&p, schedule, len, &e);
	const char *which = "schedule";
	if (!err) {
		which = "manifest";
		err = plan_read_manifest(&p, manifest, manifest_len, &e);
	}
	if (err)
		return work_fail(w, err, "%s that was made, line %u: %s", which, e.line, e.text);
	plan_free(&p);
	return 0;
}

int sweep_text_write(struct work *w, const struct plan *p, const char *manifest, size_t manifest_len)
{
	char *text = NULL, path[4352];
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);
	int err = out ? write_lines(w, p, out) : work_fail(w, -ENOMEM, "out of memory");
	if (out && fclose(out) && !err)
		err = work_fail(w, -ENOMEM, "out of memory");
	if (!err)
		err = read_back(w, text, len, manifest, manifest_len);
	snprintf(path, sizeof path, "%s/schedule", w->dir);
	if (!err && (err = io_write_file(path, text, len, 0644)))
		work_fail(w, err, "write %s:", path);
	free(text);
	return err;
}

unsigned sweep_text_primaries(const struct plan *p, const struct suite *all)
{
	unsigned n = 0;
	for (size_t i = 0; i < p->tests; i++)
		n += suite_primary(suite_test(all, p->test[i].name)) != NULL;
	return n;
}

/* The least two-sided p of an exact Mann-Whitney test with n boots a side: 2 / C(2n, n). */
static double least_p(unsigned n)
{
	double ways = 1;
	for (unsigned i = 1; i <= n; i++)
		ways = ways * (n + i) / i;
	return 2 / ways;
}

static void print_time(const struct plan *p, unsigned boot_s)
{
	uint64_t most_ms = 0;
	for (size_t i = 0; i < p->tests; i++)
		most_ms += p->test[i].deadline_ms;
	if (boot_s > most_ms / 1000 + 60) /* a few tests of a long profile */
		boot_s = (unsigned)(most_ms / 1000 + 60);
	printf("time       ");
	if (boot_s)
		printf("about %llu min (%u s a boot with the profile's own sizes); ", (unsigned long long)(p->tries * boot_s + 59) / 60, boot_s);
	printf("at most %llu min by the tests' deadlines\n", (unsigned long long)(p->tries * (most_ms / 1000 + 60) + 59) / 60);
}

static void warn(const struct plan *p, unsigned primaries)
{
	if (p->subjects < 2)
		err_warn("one subject: there is nothing to compare it with");
	if (p->rounds < 6)
		err_warn("%u round%s: %s; 6 is the least default", p->rounds, p->rounds == 1 ? "" : "s",
		         least_p(p->rounds) * (primaries ? primaries : 1) > 0.05 ? "an exact test cannot call any difference at this number"
		                                                                 : "few differences can be called at this number");
}

void sweep_text_print(const struct plan *p, const struct suite *all, unsigned boot_s, const char *remarks)
{
	unsigned primaries = sweep_text_primaries(p, all);
	printf("sweep      %s on %s, switch %s, home %s, seed %llu\n", p->id, p->box, plan_switch_name(p->sw), p->home, (unsigned long long)p->seed);
	for (size_t i = 0; i < p->subjects; i++)
		printf("subject    %s: %s\n", p->subject[i].id, p->subject[i].cmdline);
	if (p->crash_bytes)
		printf("crash      home is loaded as crash kernel beside every subject, in %llu MiB\n", (unsigned long long)(p->crash_bytes >> 20));
	printf("boots      %zu: one discarded, then %u round%s of %zu\n", p->tries, p->rounds, p->rounds == 1 ? "" : "s", p->subjects);
	printf("tests     ");
	for (size_t i = 0; i < p->tests; i++)
		printf(" %s", p->test[i].name);
	printf(" (%s)\nprimaries  %u of at most %d:", p->suite, primaries, CHOOSE_PRIMARIES_MAX);
	for (size_t i = 0; i < p->tests; i++) {
		const struct suite_metric *m = suite_primary(suite_test(all, p->test[i].name));
		if (m)
			printf(" %s.%s", p->test[i].name, m->name);
	}
	printf("\n%s", remarks ? remarks : "");
	if (p->ssh)
		printf("ssh        while the box is held: kdyno ssh %s\n", p->box);
	print_time(p, boot_s);
	warn(p, primaries);
	printf("run it     kdyno sweep run %s\n", p->id);
}
