/* SPDX-License-Identifier: GPL-2.0-or-later */
/* drive: a simulated box talks to the state machine; what it marks, answers and cycles is looked at. */
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
	const char *start; /* of the next hello; NULL: chain */
	unsigned cycles, stored, homes;
	char *nfs; /* text of the tag that speaks */
	int disk_full;
	/* the box */
	uint32_t tag, seq, crc;
	char sent[400][RECORD_MAX + 1];
	uint64_t now;
	struct command answer;
	int answered;
};

static void line_end(struct kv_out *o, char *text)
{
	kv_out_crc(o, 0);
	assert_int_equal(o->err, 0);
	strcat(text, o->buf);
	strcat(text, "\n");
}

static void put_line(char *text, const char *pairs)
{
	char buf[1024];
	struct kv_out o;

	kv_out_init(&o, buf, sizeof(buf));
	kv_out_raw(&o, pairs);
	line_end(&o, text);
}

static void put_manifest(char *text, const char *kernel)
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

static int op_journal(void *ctx, const struct journal_entry *e)
{
	struct world *w = ctx;

	if (w->disk_full)
		return -28;
	sprintf(w->marks + strlen(w->marks), "%u %s%s%s;", e->line, journal_state_name(e->state), e->name ? ":" : "", e->name ? e->name : "");
	return 0;
}

static int op_append(void *ctx, unsigned of, const char *why)
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

static int op_store(void *ctx, const struct try *t, unsigned line)
{
	struct world *w = ctx;

	(void)t;
	if (w->disk_full)
		return -28;
	w->stored += line > 0;
	sprintf(w->marks + strlen(w->marks), "stored %u;", line);
	return 0;
}

static char *op_nfs(void *ctx, uint32_t tag, size_t *len)
{
	struct world *w = ctx;

	if (!w->nfs || tag != w->tag)
		return NULL;
	*len = strlen(w->nfs);
	return strdup(w->nfs);
}

static void op_cycle(void *ctx, unsigned nth, const char *why)
{
	(void)nth;
	(void)why;
	((struct world *)ctx)->cycles++;
}

static void op_say(void *ctx, enum drive_say what, unsigned line, const char *text)
{
	struct world *w = ctx;

	(void)what;
	if (strlen(w->said) < 7000)
		sprintf(w->said + strlen(w->said), "%u %s\n", line, text);
}

/* Two subjects, one discarded boot and one round: lines 1, 2, 3 with tags 0x101.. */
static void start(struct world *w)
{
	struct drive_ops ops =
		{.journal = op_journal, .append_try = op_append, .store = op_store, .nfs_text = op_nfs, .cycle = op_cycle, .say = op_say, .ctx = w};
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

static void stop(struct world *w)
{
	drive_free(&w->d);
	plan_free(&w->plan);
	free(w->journal);
	free(w->nfs);
}

static void hear(struct world *w, const char *line, int live)
{
	static struct record r;
	long at = record_find(line, strlen(line));

	assert_int_equal(record_parse(&r, line + at, strlen(line + at)), 0);
	drive_bytes(&w->d, strlen(line), w->now);
	w->answered = drive_record(&w->d, &r, line + at, STORE_SERIAL, live, &w->answer);
}

/* Sends (or, lost = 1, only counts) a record of the box's current boot. */
static void send(struct world *w, const char *kind, const char *pairs, int lost)
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

static void boot_as(struct world *w, uint32_t tag)
{
	w->tag = tag;
	w->seq = w->crc = 0;
}

static void hello(struct world *w, const char *rel, const char *reset)
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

static void tests(struct world *w, int lose)
{
	send(w, "begin", "test=boot-time quiet_ms=5000 deadline_ms=5000", 0);
	send(w, "metric", "test=boot-time name=init v=1", lose);
	send(w, "end", "test=boot-time status=pass records=3 ns=1 utime_us=1 stime_us=1", lose);
}

static void bye(struct world *w)
{
	char pairs[100];

	sprintf(pairs, "count=%u digest=%08x", w->seq, w->crc);
	send(w, "bye", pairs, 0);
}

static void jump(struct world *w)
{
	char pairs[100];

	assert_int_equal(w->answer.verb, COMMAND_GO);
	sprintf(pairs, "line=%u tag=%08x quiet_ms=5000", w->answer.line, w->answer.next_tag);
	send(w, "jump", pairs, 0);
	assert_true(w->answered);
	assert_int_equal(w->answer.verb, COMMAND_OK);
	w->now += 3000;
}

/* From home's ask into line. */
static void go_from_home(struct world *w, unsigned line)
{
	boot_as(w, HOME_TAG + 0x100 + ++w->homes);
	hello(w, "home", "cold");
	bye(w);
	assert_int_equal(w->answer.verb, COMMAND_OK);
	send(w, "ask", "", 0);
	assert_int_equal(w->answer.line, line);
	jump(w);
}

static void test_whole(void **state)
{
	struct world *w = malloc(sizeof(*w));
	static const char *const rel[] = {"", "a", "b", "a"};

	(void)state;
	start(w);
	go_from_home(w, 1);
	for (unsigned line = 1; line <= 3; line++) {
		boot_as(w, 0x100 + line);
		hello(w, rel[line], "unknown");
		tests(w, 0);
		bye(w);
		assert_int_equal(w->answer.verb, COMMAND_OK);
		hear(w, w->sent[w->seq - 1], 1); /* the answer was lost: the same again */
		assert_int_equal(w->answer.verb, COMMAND_OK);
		send(w, "ask", "", 0);
		assert_true(w->answered);
		if (line == 3)
			break;
		assert_int_equal(w->answer.next_tag, 0x101 + line);
		hear(w, w->sent[w->seq - 1], 1);
		assert_int_equal(w->answer.next_tag, 0x101 + line);
		jump(w);
		hear(w, w->sent[w->seq - 1], 1);
		assert_int_equal(w->answer.verb, COMMAND_OK);
	}
	assert_int_equal(w->answer.verb, COMMAND_HOLD);
	assert_true(w->d.ended);
	assert_string_equal(w->marks, "stored 0;1 go;1 start;1 hello;stored 1;1 complete;2 go;2 start;2 hello;stored 2;2 complete;"
	                              "3 go;3 start;3 hello;stored 3;3 complete;");
	stop(w);
	free(w);
}

static void send_part(struct world *w, uint32_t of)
{
	char pairs[300], data[200];
	const char *line = w->sent[of] + 2;
	size_t len = strlen(line), n = (len + 63) / 64;

	for (size_t i = 0; i < n; i++) {
		size_t k = len - i * 64 < 64 ? len - i * 64 : 64;

		kv_escape(data, sizeof(data), line + i * 64, k);
		sprintf(pairs, "of=%u i=%zu n=%zu data=%s", of, i + 1, n, data);
		send(w, "part", pairs, 0);
	}
}

static void test_again(void **state)
{
	struct world *w = malloc(sizeof(*w));
	uint32_t count;

	(void)state;
	start(w);
	go_from_home(w, 1);
	boot_as(w, 0x101);
	hello(w, "a", "unknown");
	tests(w, 1);
	bye(w);
	count = w->seq - 1;
	assert_int_equal(w->answer.verb, COMMAND_AGAIN);
	assert_string_equal(w->answer.what, "4-5");
	send_part(w, 4);
	hear(w, w->sent[count], 1);
	assert_string_equal(w->answer.what, "5");
	send_part(w, 5);
	hear(w, w->sent[count], 1);
	assert_int_equal(w->answer.verb, COMMAND_OK);
	assert_int_equal(journal_state(w->journal, 1), JOURNAL_COMPLETE);
	stop(w);
	free(w);
}

static void test_nfs_fills(void **state)
{
	struct world *w = malloc(sizeof(*w));

	(void)state;
	start(w);
	go_from_home(w, 1);
	boot_as(w, 0x101);
	hello(w, "a", "unknown");
	tests(w, 1);
	w->nfs = calloc(1, 400 * RECORD_MAX);
	for (uint32_t i = 0; i < w->seq; i++)
		sprintf(w->nfs + strlen(w->nfs), "%s\n", w->sent[i]);
	bye(w);
	assert_int_equal(w->answer.verb, COMMAND_OK);
	assert_int_equal(journal_state(w->journal, 1), JOURNAL_COMPLETE);
	stop(w);
	free(w);
}

static void test_differ(void **state)
{
	struct world *w = malloc(sizeof(*w));
	struct kv_out o;
	char buf[256];

	(void)state;
	start(w);
	go_from_home(w, 1);
	boot_as(w, 0x101);
	hello(w, "a", "unknown");
	tests(w, 0);
	kv_out_init(&o, buf, sizeof(buf));
	record_open(&o, 0x101, 4, 1, "metric");
	kv_out_raw(&o, "test=boot-time name=init v=2");
	assert_true(record_close(&o) > 0);
	w->nfs = strdup(buf);
	bye(w);
	assert_int_equal(w->answer.verb, COMMAND_OK);
	assert_int_equal(journal_state(w->journal, 1), JOURNAL_VOID);
	assert_non_null(strstr(w->marks, "1 void;+4=1;"));
	stop(w);
	free(w);
}

static void test_wrong_kernel(void **state)
{
	struct world *w = malloc(sizeof(*w));

	(void)state;
	start(w);
	go_from_home(w, 1);
	boot_as(w, 0x101);
	hello(w, "b", "unknown");
	tests(w, 0);
	bye(w);
	assert_int_equal(w->answer.verb, COMMAND_OK);
	assert_non_null(strstr(w->marks, "1 failed:wrong-kernel;1 void;+4=1;"));
	assert_int_equal(w->stored, 0);
	stop(w);
	free(w);
}

static void test_panic(void **state)
{
	struct world *w = malloc(sizeof(*w));
	static const char text[] = "[    9.1] Kernel panic - not syncing: sysrq";

	(void)state;
	start(w);
	go_from_home(w, 1);
	boot_as(w, 0x101);
	hello(w, "a", "unknown");
	drive_text(&w->d, text, strlen(text));
	assert_non_null(strstr(w->marks, "1 failed:panic;+4=1;"));
	/* the firmware brings home back */
	go_from_home(w, 2);
	assert_int_equal(w->cycles, 0);
	/* and this one never comes back */
	boot_as(w, 0x102);
	hello(w, "b", "unknown");
	drive_text(&w->d, text, strlen(text));
	drive_tick(&w->d, w->now + 59000);
	assert_int_equal(w->cycles, 0);
	drive_tick(&w->d, w->now + 61000);
	assert_int_equal(w->cycles, 1);
	stop(w);
	free(w);
}

static void test_silence(void **state)
{
	struct world *w = malloc(sizeof(*w));

	(void)state;
	start(w);
	go_from_home(w, 1);
	drive_tick(&w->d, w->now + 100000);
	assert_int_equal(w->cycles, 0);
	drive_tick(&w->d, w->now += 130000);
	assert_int_equal(w->cycles, 1);
	assert_non_null(strstr(w->marks, "1 not-run;+4=1;"));
	go_from_home(w, 2);
	boot_as(w, 0x102);
	hello(w, "b", "unknown");
	drive_tick(&w->d, w->now + 290000);
	assert_int_equal(w->cycles, 1);
	drive_tick(&w->d, w->now += 301000);
	assert_int_equal(w->cycles, 2);
	assert_non_null(strstr(w->marks, "2 failed:silent;+5=2;"));
	/* box-lost: five in a row, then one an hour */
	for (int i = 0; i < 40; i++)
		drive_tick(&w->d, w->now += 301000);
	assert_true(w->d.lost);
	assert_in_range(w->cycles, 6, 10);
	stop(w);
	free(w);
}

static void test_hang_and_limits(void **state)
{
	struct world *w = malloc(sizeof(*w));

	(void)state;
	start(w);
	go_from_home(w, 1);
	for (unsigned i = 0; i < 3; i++) {
		boot_as(w, 0x101);
		if (i)
			boot_as(w, w->answer.next_tag);
		/* the subject says hello, then the watchdog brings home back */
		boot_as(w, w->d.plan->try[w->d.jump_line - 1].tag);
		hello(w, w->d.plan->subject[w->d.plan->try[w->d.jump_line - 1].subject].kernel, "unknown");
		boot_as(w, HOME_TAG + i + 1);
		hello(w, "home", "watchdog");
		bye(w);
		send(w, "ask", "", 0);
		if (w->answer.verb != COMMAND_GO)
			break;
		jump(w);
	}
	assert_non_null(strstr(w->marks, "1 failed:hang;+4=1;"));
	stop(w);
	free(w);
}

static void test_fetch_waits(void **state)
{
	struct world *w = malloc(sizeof(*w));

	(void)state;
	start(w);
	boot_as(w, HOME_TAG);
	hello(w, "home", "cold");
	bye(w);
	for (int i = 0; i < 4; i++) {
		send(w, "ask", "", 0);
		assert_int_equal(w->answer.line, 1);
		w->now += 5000;
	}
	assert_true(w->d.waiting_network);
	assert_non_null(strstr(w->said, "waiting: network"));
	jump(w);
	assert_false(w->d.waiting_network);
	stop(w);
	free(w);
}

/* The past is heard again after a restart: nothing is answered, what is whole is complete, the rest waits for the box. */
static void test_replay(void **state)
{
	struct world *w = malloc(sizeof(*w));
	uint32_t last;

	(void)state;
	start(w);
	boot_as(w, 0x101);
	hello(w, "a", "unknown");
	tests(w, 0);
	bye(w);
	last = w->seq;
	drive_free(&w->d);
	journal_init(w->journal);
	{
		struct drive_ops ops = w->d.ops;

		w->marks[0] = 0;
		drive_init(&w->d, &ops, &w->plan, w->journal, w->now);
	}
	for (uint32_t i = 0; i < last; i++) {
		hear(w, w->sent[i], 0);
		assert_false(w->answered);
	}
	drive_live(&w->d, 0);
	assert_string_equal(w->marks, "1 hello;stored 1;1 complete;");
	send(w, "ask", "", 0);
	assert_int_equal(w->answer.line, 2);
	/* started, then the power was cut with nobody there */
	jump(w);
	drive_live(&w->d, 1);
	assert_non_null(strstr(w->marks, "2 not-run;+4=2;"));
	stop(w);
	free(w);
}

static void test_full_disk(void **state)
{
	struct world *w = malloc(sizeof(*w));

	(void)state;
	start(w);
	go_from_home(w, 1);
	boot_as(w, 0x101);
	hello(w, "a", "unknown");
	tests(w, 0);
	w->disk_full = 1;
	bye(w);
	assert_false(w->answered);
	assert_int_equal(w->d.err, -28);
	send(w, "ask", "", 0);
	assert_false(w->answered);
	stop(w);
	free(w);
}

static void test_strangers(void **state)
{
	struct world *w = malloc(sizeof(*w));
	char first[RECORD_MAX + 1];

	(void)state;
	start(w);
	/* an unknown tag, and another box */
	boot_as(w, 0x777);
	hello(w, "a", "unknown");
	assert_int_equal(w->d.unknown, 3);
	boot_as(w, HOME_TAG);
	send(w, "hello", "box=box2 sweep=s role=home start=via-home reset=cold image=0 quiet_ms=1", 0);
	send(w, "ask", "", 0);
	assert_false(w->answered);
	assert_non_null(strstr(w->said, "wrong-box"));
	/* a second hello under a tag */
	go_from_home(w, 1);
	boot_as(w, 0x101);
	hello(w, "a", "unknown");
	strcpy(first, w->sent[0]);
	boot_as(w, 0x101);
	w->now += 7;
	hello(w, "a", "unknown");
	assert_int_equal(journal_state(w->journal, 1), JOURNAL_VOID);
	stop(w);
	free(w);
}

/* By HTTP: the same answers; a late question of a kernel that is gone gets none. */
static void test_http(void **state)
{
	struct world *w = malloc(sizeof(*w));
	char old[RECORD_MAX + 1];

	(void)state;
	start(w);
	go_from_home(w, 1);
	strcpy(old, w->sent[w->seq - 2]); /* home's ask */
	boot_as(w, 0x101);
	hello(w, "a", "unknown");
	tests(w, 0);
	bye(w);
	assert_int_equal(drive_question(&w->d, old, strlen(old), &w->answer), 0);
	assert_int_equal(w->d.cur.tag, 0x101);
	send(w, "ask", "", 1);
	strcpy(old, w->sent[w->seq - 1]);
	assert_int_equal(drive_question(&w->d, old, strlen(old), &w->answer), 1);
	assert_int_equal(w->answer.line, 2);
	assert_int_equal(drive_question(&w->d, "# kd1 nonsense", 14, &w->answer), 0);
	assert_int_equal(drive_question(&w->d, w->sent[0], strlen(w->sent[0]), &w->answer), 0);
	stop(w);
	free(w);
}

/* After home came back, the next boot is not like the others; six such in a row end the sweep. */
static void test_off_path(void **state)
{
	struct world *w = malloc(sizeof(*w));
	unsigned line = 1;

	(void)state;
	start(w);
	w->start = "via-home";
	go_from_home(w, 1);
	for (int i = 0; i < 6 && !w->d.ended; i++) {
		const struct plan_try *t = plan_try_by_line(w->d.plan, line);

		boot_as(w, t->tag);
		hello(w, w->d.plan->subject[t->subject].kernel, "unknown");
		bye(w);
		assert_int_equal(w->answer.verb, COMMAND_OK);
		send(w, "ask", "", 0);
		if (w->answer.verb != COMMAND_GO)
			break;
		line = w->answer.line;
		jump(w);
	}
	/* the first of a schedule is discarded, and may */
	assert_non_null(strstr(w->marks, "1 complete;"));
	assert_non_null(strstr(w->marks, "2 hello;2 void;+4=2;"));
	assert_int_equal(w->stored, 1);
	stop(w);
	free(w);
}

/* Ctrl-C is not held against the subject; a failure that nobody appended a line for gets one. */
static void test_stop_and_mend(void **state)
{
	struct world *w = malloc(sizeof(*w));
	struct journal_entry failed = {.line = 3, .state = JOURNAL_FAILED, .name = "hang"};

	(void)state;
	start(w);
	go_from_home(w, 1);
	boot_as(w, 0x101);
	hello(w, "a", "unknown");
	drive_stop(&w->d);
	assert_non_null(strstr(w->marks, "1 void;+4=1;"));
	assert_false(journal_quarantined(w->journal, &w->plan, 0));
	drive_stop(&w->d);
	assert_int_equal(w->plan.tries, 4);
	/* the box alone had line 3 fail */
	journal_apply(w->journal, &failed, 1);
	drive_live(&w->d, 1);
	assert_non_null(strstr(w->marks, "+5=3;"));
	drive_live(&w->d, 1);
	assert_int_equal(w->plan.tries, 5);
	stop(w);
	free(w);
}

/* A box with right CRCs that says anything at all: nothing breaks, nothing that is complete changes, the schedule stays bounded. */
static void test_any_record(void **state)
{
	static const char *const kinds[] = {"hello", "ident", "text", "begin", "phase", "metric", "end",
	                                    "fail",  "bye",   "ask",  "jump",  "part",  "env",    "zzz"};
	static const char *const pairs[] = {"box=box1",
	                                    "box=box2",
	                                    "role=home",
	                                    "role=crash",
	                                    "role=subject",
	                                    "start=chain",
	                                    "start=%00",
	                                    "rel=a",
	                                    "cmd=0123456789abcdef",
	                                    "name=version",
	                                    "part=1/1",
	                                    "part=9/2",
	                                    "data=x",
	                                    "test=boot-time",
	                                    "test=../%1B[2J",
	                                    "quiet_ms=1",
	                                    "quiet_ms=18446744073709551615",
	                                    "deadline_ms=1",
	                                    "line=1",
	                                    "line=2",
	                                    "line=4096",
	                                    "line=99999999",
	                                    "tag=00000101",
	                                    "tag=00000102",
	                                    "of=00000101",
	                                    "of=1",
	                                    "of=65535",
	                                    "name=panic",
	                                    "name=load",
	                                    "name=Z%20Z",
	                                    "count=2",
	                                    "count=65536",
	                                    "digest=00000000",
	                                    "i=1",
	                                    "n=1",
	                                    "n=8",
	                                    "reset=cold",
	                                    "reset=watchdog"};
	static const uint32_t tags[] = {0x101, 0x102, 0x103, HOME_TAG, HOME_TAG + 1, 0x777};
	unsigned x = 99, done = 0;

	(void)state;
	for (int round = 0; round < 30; round++) {
		struct world *w = malloc(sizeof(*w));

		start(w);
		for (int i = 0; i < 400; i++) {
			char buf[600];
			struct kv_out o;
			static struct record r;

			x = x * 1103515245 + 12345;
			kv_out_init(&o, buf, RECORD_MAX + 1);
			record_open(&o, tags[(x >> 8) % 6], (x >> 12) % 12, x >> 4, kinds[(x >> 16) % 14]);
			for (unsigned k = 0; k < x % 5; k++) {
				x = x * 1103515245 + 12345;
				kv_out_raw(&o, pairs[(x >> 16) % (sizeof(pairs) / sizeof(pairs[0]))]);
			}
			if (record_close(&o) < 0 || record_parse(&r, buf + 2, strlen(buf + 2)))
				continue;
			w->now += x >> 22;
			w->marks[0] = w->said[0] = 0;
			drive_bytes(&w->d, 10, w->now);
			if (drive_record(&w->d, &r, buf + 2, STORE_SERIAL, (x >> 9) & 7 ? 1 : 0, &w->answer))
				assert_int_equal(w->answer.tag, r.tag);
			if (!(x >> 13 & 63))
				drive_tick(&w->d, w->now += 200000);
			assert_true(w->plan.tries <= 3 * (3 + DRIVE_VOIDS_MAX));
			assert_null(strchr(w->said, 27));
			done++;
		}
		stop(w);
		free(w);
	}
	assert_true(done > 5000);
}

int main(void)
{
	const struct CMUnitTest all[] = {
		cmocka_unit_test(test_whole),      cmocka_unit_test(test_again),           cmocka_unit_test(test_nfs_fills),
		cmocka_unit_test(test_differ),     cmocka_unit_test(test_wrong_kernel),    cmocka_unit_test(test_panic),
		cmocka_unit_test(test_silence),    cmocka_unit_test(test_hang_and_limits), cmocka_unit_test(test_fetch_waits),
		cmocka_unit_test(test_replay),     cmocka_unit_test(test_full_disk),       cmocka_unit_test(test_strangers),
		cmocka_unit_test(test_http),       cmocka_unit_test(test_off_path),        cmocka_unit_test(test_stop_and_mend),
		cmocka_unit_test(test_any_record),
	};

	return cmocka_run_group_tests(all, NULL, NULL);
}
