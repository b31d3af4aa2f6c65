/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * drive_fixture: a box that is simulated word by word, and a world that notes what the state machine marks, answers and says.
 */
#ifndef KD_DRIVE_FIXTURE_H
#define KD_DRIVE_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/crc32c.h"
#include "common/sha256.h"
#include "host/drive.h"

#define CMD "console=ttyS0,115200 quiet"
#define BANNER "#1 SMP PREEMPT_DYNAMIC Debian 6.1.99-1"
#define HOME_TAG 0x80000001u

struct world {
	struct plan plan;
	struct journal *journal;
	struct drive d;
	char schedule[16384];
	char marks[8192]; /* "1 go;1 start;..." */
	char said[8192];
	char why[256];     /* of the last failure that was marked */
	const char *start; /* of the next hello; NULL: chain */
	const char *guard; /* of the next jump; NULL: not told */
	unsigned cycles, stored, homes, pokes;
	int sysrq;       /* the board lets the station ask a kernel */
	char kept[1024]; /* evidence: "1 silent;..." */
	char *nfs;       /* text of the tag that speaks */
	int disk_full;
	/* the box */
	uint32_t tag, seq, crc;
	char sent[400][RECORD_MAX + 1];
	uint64_t now;
	struct command answer;
	int answered;
};

static inline void line_end(struct kv_out *o, char *text)
{
	kv_out_crc(o, 0);
	assert_int_equal(o->err, 0);
	strcat(text, o->buf);
	strcat(text, "\n");
}

static inline void put_line(char *text, const char *pairs)
{
	char buf[1024];
	struct kv_out o;

	kv_out_init(&o, buf, sizeof(buf));
	kv_out_raw(&o, pairs);
	line_end(&o, text);
}

static inline void put_manifest(char *text, const char *kernel)
{
	char buf[1024], sha[65], pairs[512], subject[80];
	struct kv_out o;
	static const char *const roles[] = {"kernel", "image", "pack"};

	sha256_hex("x", 1, sha);
	for (int i = 0; i < 3; i++) {
		sprintf(pairs, "file role=%s id=%s path=sweeps/s/%s-%s bytes=1 sha256=%s", roles[i], kernel, roles[i], kernel, sha);
		put_line(text, pairs);
	}
	kv_out_init(&o, buf, sizeof(buf));
	kv_out_word(&o, "expect");
	kv_out_str(&o, "kernel", kernel);
	kv_out_str(&o, "release", kernel);
	kv_out_str(&o, "version", BANNER);
	line_end(&o, text);
	if (!strcmp(kernel, "home"))
		return;
	snprintf(subject, sizeof(subject), "%s/smp", kernel);
	kv_out_init(&o, buf, sizeof(buf));
	kv_out_word(&o, "cmdline");
	kv_out_str(&o, "subject", subject);
	kv_out_str(&o, "words", CMD);
	line_end(&o, text);
}

static inline int op_journal(void *ctx, const struct journal_entry *e)
{
	struct world *w = ctx;

	if (w->disk_full)
		return -28;
	if (e->state == JOURNAL_FAILED)
		snprintf(w->why, sizeof(w->why), "%s", e->why ? e->why : "");
	sprintf(w->marks + strlen(w->marks), "%u %s%s%s;", e->line, journal_state_name(e->state), e->name ? ":" : "", e->name ? e->name : "");
	return 0;
}

static inline int op_append(void *ctx, unsigned of, const char *why)
{
	struct world *w = ctx;
	struct plan *p = &w->plan;
	struct plan_try t = *plan_try_by_line(p, of);
	struct plan_try *more = realloc(p->try, (p->tries + 1) * sizeof(*more));

	assert_non_null(more);
	t.line = (unsigned)p->tries + 1;
	t.tag = 0x100 + t.line;
	t.of = of;
	snprintf(t.why, sizeof(t.why), "%s", why);
	more[p->tries] = t;
	p->try = more;
	p->tries++;
	sprintf(w->marks + strlen(w->marks), "+%u=%u;", t.line, of);
	return 0;
}

static inline int op_store(void *ctx, const struct try *t, unsigned line)
{
	struct world *w = ctx;

	(void)t;
	if (w->disk_full)
		return -28;
	w->stored += line > 0;
	sprintf(w->marks + strlen(w->marks), "stored %u;", line);
	return 0;
}

static inline char *op_nfs(void *ctx, uint32_t tag, size_t *len)
{
	struct world *w = ctx;

	if (!w->nfs || tag != w->tag)
		return NULL;
	*len = strlen(w->nfs);
	return strdup(w->nfs);
}

static inline int op_cycle(void *ctx, unsigned nth, unsigned line, const char *why)
{
	struct world *w = ctx;

	(void)line;
	assert_int_equal(nth, w->d.cycles);
	assert_non_null(why);
	if (w->disk_full)
		return -28;
	w->cycles++;
	return 0;
}

static inline int op_poke(void *ctx)
{
	struct world *w = ctx;

	w->pokes += w->sysrq != 0;
	return w->sysrq;
}

static inline void op_evidence(void *ctx, unsigned line, const char *name, const char *why)
{
	struct world *w = ctx;

	(void)why;
	sprintf(w->kept + strlen(w->kept), "%u %s;", line, name);
}

static inline int op_entry(void *ctx, unsigned line, uint32_t prev)
{
	struct world *w = ctx;

	(void)prev;
	if (w->disk_full)
		return -28;
	sprintf(w->marks + strlen(w->marks), "entry %u;", line);
	return 0;
}

static inline void op_say(void *ctx, enum drive_say what, unsigned line, const char *text)
{
	struct world *w = ctx;

	(void)what;
	if (strlen(w->said) < 7000)
		sprintf(w->said + strlen(w->said), "%u %s\n", line, text);
}

/* Two subjects, one discarded boot and one round: lines 1, 2, 3 with tags 0x101.. */
static inline void start(struct world *w)
{
	struct drive_ops ops = {.journal = op_journal,
	                        .append_try = op_append,
	                        .store = op_store,
	                        .nfs_text = op_nfs,
	                        .cycle = op_cycle,
	                        .boot_entry = op_entry,
	                        .poke = op_poke,
	                        .evidence = op_evidence,
	                        .say = op_say,
	                        .ctx = w};
	struct plan_error e;
	char manifest[8192] = "";

	memset(w, 0, sizeof(*w));
	put_line(w->schedule,
	         "sweep v=1 id=s box=box1 seed=1 rounds=1 tries=3 switch=chain suite=smoke home=home again_s=60 deaf_s=300 jump_s=120 made=1");
	put_line(w->schedule, "subject id=a/smp kernel=a variant=smp");
	put_line(w->schedule, "subject id=b/smp kernel=b variant=smp");
	put_line(w->schedule, "test name=boot-time deadline_ms=5000 quiet_ms=5000 mem_kb=1 needs= args=");
	put_line(w->schedule, "try line=1 tag=00000101 boot=1 round=0 subject=a/smp discard=1 why=plan");
	put_line(w->schedule, "try line=2 tag=00000102 boot=2 round=1 subject=b/smp discard=0 why=plan");
	put_line(w->schedule, "try line=3 tag=00000103 boot=3 round=1 subject=a/smp discard=0 why=plan");
	put_manifest(manifest, "home");
	put_manifest(manifest, "a");
	put_manifest(manifest, "b");
	if (plan_read_schedule(&w->plan, w->schedule, strlen(w->schedule), &e))
		fail_msg("schedule %u: %s", e.line, e.text);
	if (plan_read_manifest(&w->plan, manifest, strlen(manifest), &e))
		fail_msg("manifest %u: %s", e.line, e.text);
	w->journal = calloc(1, sizeof(*w->journal));
	journal_init(w->journal);
	w->now = 1000;
	drive_init(&w->d, &ops, &w->plan, w->journal, w->now);
}

static inline void stop(struct world *w)
{
	drive_free(&w->d);
	plan_free(&w->plan);
	free(w->journal);
	free(w->nfs);
}

static inline void hear(struct world *w, const char *line, int live)
{
	static struct record r;
	long at = record_find(line, strlen(line));

	assert_int_equal(record_parse(&r, line + at, strlen(line + at)), 0);
	drive_bytes(&w->d, w->now);
	w->answered = drive_record(&w->d, &r, line + at, STORE_SERIAL, live, &w->answer);
}

/* Sends (or, lost = 1, only counts) a record of the box's current boot. */
static inline void send(struct world *w, const char *kind, const char *pairs, int lost)
{
	char buf[RECORD_MAX + 1];
	struct kv_out o;

	kv_out_init(&o, buf, sizeof(buf));
	record_open(&o, w->tag, w->seq, w->now, kind);
	if (*pairs)
		kv_out_raw(&o, pairs);
	assert_true(record_close(&o) > 0);
	assert_true(w->seq < 400);
	strcpy(w->sent[w->seq], buf);
	w->seq++;
	if (strcmp(kind, "bye") && strcmp(kind, "ask") && strcmp(kind, "jump"))
		w->crc = crc32c(w->crc, buf + 2, strlen(buf + 2));
	if (!lost)
		hear(w, buf, 1);
}

static inline void boot_as(struct world *w, uint32_t tag)
{
	w->tag = tag;
	w->seq = w->crc = 0;
}

static inline void hello(struct world *w, const char *rel, const char *reset)
{
	char pairs[300], cmd[65], data[200];

	sprintf(pairs, "box=box1 sweep=s role=%s start=%s reset=%s image=0123456789abcdef quiet_ms=5000",
	        w->tag & RECORD_TAG_BOX ? "home" : "subject", w->start ? w->start : "chain", reset);
	send(w, "hello", pairs, 0);
	sha256_hex(CMD, strlen(CMD), cmd);
	cmd[16] = 0;
	sprintf(pairs, "prev=00000000 rel=%s proc=0123456789abcdef cmd=%s config=none", rel, cmd);
	send(w, "ident", pairs, 0);
	kv_escape(data, sizeof(data), "Linux version (gcc) " BANNER, strlen("Linux version (gcc) " BANNER));
	sprintf(pairs, "name=version part=1/1 data=%s", data);
	send(w, "text", pairs, 0);
}

static inline void tests(struct world *w, int lose)
{
	send(w, "begin", "test=boot-time quiet_ms=5000 deadline_ms=5000", 0);
	send(w, "metric", "test=boot-time name=init v=1", lose);
	send(w, "end", "test=boot-time status=pass records=3 ns=1 utime_us=1 stime_us=1", lose);
}

static inline void bye(struct world *w)
{
	char pairs[100];

	sprintf(pairs, "count=%u digest=%08x", w->seq, w->crc);
	send(w, "bye", pairs, 0);
}

static inline void jump(struct world *w)
{
	char pairs[100];

	assert_int_equal(w->answer.verb, COMMAND_GO);
	sprintf(pairs, "line=%u tag=%08x quiet_ms=5000%s%s", w->answer.line, w->answer.next_tag, w->guard ? " guard=" : "", w->guard ? w->guard : "");
	send(w, "jump", pairs, 0);
	assert_true(w->answered);
	assert_int_equal(w->answer.verb, COMMAND_OK);
	w->now += 3000;
}

/* From home's ask into line. */
static inline void go_from_home(struct world *w, unsigned line)
{
	boot_as(w, HOME_TAG + 0x100 + ++w->homes);
	hello(w, "home", "cold");
	bye(w);
	assert_int_equal(w->answer.verb, COMMAND_OK);
	send(w, "ask", "", 0);
	assert_int_equal(w->answer.line, line);
	jump(w);
}

/* Home comes up, is told to go to that line, and its subject says hello. */
static inline void come_up(struct world *w, unsigned line, const char *rel)
{
	go_from_home(w, line);
	boot_as(w, 0x100 + line);
	hello(w, rel, "unknown");
}

#endif
