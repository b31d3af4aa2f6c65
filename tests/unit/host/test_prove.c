/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The prover: a sweep that is right, and each thing that can be wrong with it put in alone: it must be found, and nothing else. */
#include "../common/unit.h"

#include "common/record.h"
#include "common/sha256.h"
#include "host/prove.h"

#define CMD "console=ttyS0"

struct text {
	char s[16384];
};

static struct text schedule, manifest, station, box, records, console;
static unsigned kept_files;

static void line(struct text *t, const char *fmt, ...)
{
	char pairs[1000], buf[1200];
	struct kv_out o;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(pairs, sizeof(pairs), fmt, ap);
	va_end(ap);
	kv_out_init(&o, buf, sizeof(buf));
	kv_out_raw(&o, pairs);
	kv_out_crc(&o, 0);
	assert_int_equal(o.err, 0);
	strcat(t->s, buf);
	strcat(t->s, "\n");
}

static void mark(struct text *t, unsigned n, const char *state, const char *more)
{
	line(t, "try line=%u tag=%08x state=%s by=%s at=1%s%s", n, 0x100 + n, state, t == &box ? "box" : "station", *more ? " " : "", more);
}

static void json(unsigned n, unsigned seq, const char *kind, const char *kv)
{
	sprintf(records.s + strlen(records.s),
	        "{\"sweep\":\"s\",\"box\":\"b\",\"line\":%u,\"tag\":\"%08x\",\"seq\":%u,\"ms\":1,\"kind\":\"%s\",\"kv\":{%s},\"ch\":\"both\"}\n", n,
	        0x100 + n, seq, kind, kv);
}

static void hello_on_console(unsigned n, unsigned ms)
{
	char buf[RECORD_MAX + 1];
	struct kv_out o;

	kv_out_init(&o, buf, sizeof(buf));
	record_open(&o, 0x100 + n, 0, ms, "hello");
	kv_out_str(&o, "box", "b");
	assert_true(record_close(&o) > 0);
	sprintf(console.s + strlen(console.s), "1000 0 noise%%0D%%0A\n1000 7 %s%%0D%%0A\n", buf);
}

/* hello, ident, a test of three records, bye: what a complete try has. but: a seq that is left out. */
static void complete_records(unsigned n, int but)
{
	char sha[65], ident[100];

	sha256_hex(CMD, strlen(CMD), sha);
	sprintf(ident, "\"rel\":\"6.1\",\"cmd\":\"%.16s\"", sha);
	const char *const kinds[] = {"hello", "ident", "begin", "metric", "end", "bye"};
	const char *const kv[] = {"\"box\":\"b\"",  ident, "\"test\":\"t\"", "\"test\":\"t\",\"v\":\"1\"", "\"test\":\"t\",\"records\":\"3\"",
	                          "\"count\":\"5\""};

	for (int i = 0; i < 6; i++)
		if (i != but)
			json(n, (unsigned)i, kinds[i], kv[i]);
}

/* Line 1 discarded and complete; 2 failed, 4 its second try, complete; 3 complete. */
static void good(void)
{
	memset(&schedule, 0, sizeof(schedule));
	manifest = station = box = records = console = schedule;
	kept_files = 0;
	line(&schedule, "sweep v=1 id=s box=b seed=1 rounds=1 tries=2 switch=chain suite=smoke home=h again_s=1 deaf_s=1 jump_s=1 made=1");
	line(&schedule, "subject id=k/a kernel=k variant=a");
	line(&schedule, "subject id=k/b kernel=k variant=b");
	line(&schedule, "test name=t deadline_ms=1 quiet_ms=1 mem_kb=1 needs= args=");
	line(&schedule, "try line=1 tag=00000101 boot=1 round=0 subject=k/a discard=1 why=plan");
	line(&schedule, "try line=2 tag=00000102 boot=2 round=1 subject=k/b discard=0 why=plan");
	line(&schedule, "try line=3 tag=00000103 boot=3 round=1 subject=k/a discard=0 why=plan");
	line(&schedule, "try line=4 tag=00000104 boot=2 round=1 subject=k/b discard=0 why=again of=2");
	line(&station, "control word=run by=station at=1");
	for (unsigned n = 1; n <= 4; n++) {
		mark(&station, n, "go", "");
		mark(&station, n, "start", "");
		mark(&box, n, "start", "");
		mark(&station, n, "hello", "");
		hello_on_console(n, 1000 + n);
		if (n != 2)
			complete_records(n, -1);
		mark(&station, n, n == 2 ? "failed" : "complete", n == 2 ? "name=panic" : "");
	}
	json(2, 0, "hello", "\"box\":\"b\"");
	line(&station, "control word=hold by=station at=1");
}

static unsigned kept(void *ctx, const struct plan_try *t)
{
	(void)ctx;
	return t->line == 2 ? kept_files : 0;
}

static struct prove prove_now(void)
{
	struct prove_input in = {.schedule = {schedule.s, strlen(schedule.s)},
	                         .manifest = {manifest.s, strlen(manifest.s)},
	                         .station = {station.s, strlen(station.s)},
	                         .box = {box.s, strlen(box.s)},
	                         .records = {records.s, strlen(records.s)},
	                         .console = {console.s, strlen(console.s)},
	                         .kept = kept};
	struct prove p;

	assert_int_equal(prove_sweep(&p, &in), 0);
	return p;
}

/* wrong: the one sentence that is wanted, NULL: none. */
static void expect(const char *wrong)
{
	struct prove p = prove_now();

	for (size_t i = 0; i < p.wrongs; i++)
		if (!wrong || p.wrongs > 1)
			print_message("found: %s\n", p.wrong[i]);
	assert_int_equal(p.wrongs, wrong ? 1 : 0);
	if (wrong && !strstr(p.wrong[0], wrong))
		fail_msg("'%s' instead of '%s'", p.wrong[0], wrong);
	prove_free(&p);
}

static void test_good(void **state)
{
	struct prove p;

	(void)state;
	good();
	expect(NULL);
	p = prove_now();
	assert_int_equal(p.boots, 3);
	assert_int_equal(p.complete, 3);
	assert_int_equal(p.given_up, 0);
	assert_int_equal(p.failed, 1);
	assert_int_equal(p.records, 19);
	prove_free(&p);
}

/* The line of text t that holds word, taken out. */
static void without(struct text *t, const char *word)
{
	char *at = strstr(t->s, word), *end;

	assert_non_null(at);
	while (at > t->s && at[-1] != '\n')
		at--;
	end = strchr(at, '\n');
	memmove(at, end + 1, strlen(end + 1) + 1);
}

static void test_records(void **state)
{
	(void)state;
	good();
	json(3, 3, "metric", "\"test\":\"t\",\"v\":\"1\"");
	expect("record 3 stands twice");
	good();
	without(&records, "\"line\":3,\"tag\":\"00000103\",\"seq\":3");
	expect("neither there nor a gap");
	good();
	without(&records, "\"line\":3,\"tag\":\"00000103\",\"seq\":3");
	strcat(records.s, "{\"line\":3,\"tag\":\"00000103\",\"gap\":[3,3]}\n");
	expect("as if it had none");
	good();
	without(&records, "\"line\":3,\"tag\":\"00000103\",\"seq\":5");
	expect("without a bye");
	good();
	strcat(records.s, "{\"line\":1,\"tag\":\"00000103\",\"seq\":9,\"kind\":\"env\",\"kv\":{},\"ch\":\"nfs\"}\n");
	expect("filed under line 1, which is not its own");
	good();
	without(&records, "\"line\":3,\"tag\":\"00000103\",\"seq\":3");
	json(3, 3, "env", "");
	expect("2 records of t, its end counts 3");
	good();
	json(0x80000000u - 0x100, 0, "hello", ""); /* its tag is home's, its line is not 0 */
	expect("which is not its own");
}

static void test_gaps(void **state)
{
	struct prove p;

	(void)state;
	good();
	without(&station, "line=3 tag=00000103 state=complete");
	mark(&station, 3, "complete", "why=with-gaps");
	without(&records, "\"line\":3,\"tag\":\"00000103\",\"seq\":3");
	strcat(records.s, "{\"line\":3,\"tag\":\"00000103\",\"gap\":[3,3]}\n");
	expect(NULL);
	p = prove_now();
	assert_int_equal(p.gaps, 1);
	prove_free(&p);
	complete_records(3, 0); /* the gap is filled, and all else is there twice */
	expect("stands twice");
}

static void test_verdicts(void **state)
{
	(void)state;
	good();
	without(&schedule, "line=4");
	for (int i = 0; i < 6; i++)
		without(&records, "\"line\":4,");
	expect("boot 2 has no verdict (failed)");
	good();
	without(&station, "line=4 tag=00000104 state=complete");
	mark(&station, 4, "failed", "name=hang");
	expect(NULL); /* given up: as many tries as it may have */
	good();
	without(&station, "line=4 tag=00000104 state=complete");
	{
		struct prove p = prove_now();

		assert_int_equal(p.wrongs, 2); /* the line, and its boot */
		assert_non_null(strstr(p.wrong[0], "line 4 was started and has no verdict (hello)"));
		assert_non_null(strstr(p.wrong[1], "boot 2 has no verdict (failed, hello)"));
		prove_free(&p);
	}
	good();
	line(&schedule, "try line=5 tag=00000105 boot=3 round=1 subject=k/a discard=0 why=again of=3");
	mark(&station, 5, "complete", "");
	complete_records(5, -1);
	expect("boot 3 is complete 2 times");
	good();
	line(&station, "control word=run by=station at=1");
	expect("not hold");
}

static void test_starts(void **state)
{
	static struct text again;

	(void)state;
	good();
	again = station;
	memset(&station, 0, sizeof(station));
	mark(&station, 2, "start", "");
	strcat(station.s, again.s);
	expect("line 2 was started twice, by the journal of the station");
	good();
	mark(&box, 3, "start", "");
	expect("line 3 was started twice, by the journal of the box");
	good();
	hello_on_console(3, 1003); /* the same bytes: said again */
	expect(NULL);
	hello_on_console(3, 9999);
	expect("line 3 was started twice: the console heard 2 different hellos");
	good();
	mark(&station, 3, "complete", "");
	expect("line 3 was completed 2 times");
	good();
	line(&schedule, "try line=5 tag=00000105 boot=3 round=1 subject=k/a discard=0 why=again of=3");
	mark(&station, 5, "start", "");
	mark(&station, 5, "void", "why=stopped");
	expect("line 5 was started though boot 3 was complete");
}

static void test_evidence(void **state)
{
	(void)state;
	good();
	without(&records, "\"line\":2,");
	expect("line 2 failed (panic), and nothing is kept of it");
	kept_files = 1;
	expect(NULL);
	good();
	without(&station, "line=2 tag=00000102 state=failed");
	mark(&station, 2, "failed", "");
	expect("line 2 failed without a name");
}

/* What ran must be what the manifest says. */
static void test_kernel(void **state)
{
	char sha[65];

	(void)state;
	good();
	sha256_hex("x", 1, sha);
	for (int i = 0; i < 2; i++)
		for (int k = 0; k < 2; k++)
			line(&manifest, "file role=%s id=%s path=%s bytes=1 sha256=%s", i ? "kernel" : "image", k ? "k" : "h", k ? "k" : "h", sha);
	line(&manifest, "expect kernel=h release=6.1 version=%%23");
	line(&manifest, "cmdline subject=k/a words="
	                "console%%3DttyS0");
	line(&manifest, "cmdline subject=k/b words=console%%3DttyS0");
	line(&manifest, "expect kernel=k release=6.1 version=%%23");
	expect(NULL);
	without(&manifest, "expect kernel=k");
	line(&manifest, "expect kernel=k release=6.2 version=%%23");
	{
		struct prove p = prove_now();

		assert_int_equal(p.wrongs, 3); /* of each that is complete */
		assert_non_null(strstr(p.wrong[0], "another release ran"));
		prove_free(&p);
	}
}

/* Whatever the files hold, nothing is read past their end. */
static void test_noise(void **state)
{
	struct text *all[] = {&station, &box, &records, &console};
	uint32_t seed = 7;

	(void)state;
	for (int n = 0; n < 2000; n++) {
		struct text *t = all[unit_random(&seed) % 4];
		struct prove p;
		size_t len;

		good();
		len = strlen(t->s);
		for (int k = 0; k < 4 && len; k++)
			t->s[unit_random(&seed) % len] = (char)(unit_random(&seed) % 255 + 1);
		t->s[unit_random(&seed) % (len + 1)] = 0;
		p = prove_now();
		prove_free(&p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good),   cmocka_unit_test(test_records),  cmocka_unit_test(test_gaps),   cmocka_unit_test(test_verdicts),
		cmocka_unit_test(test_starts), cmocka_unit_test(test_evidence), cmocka_unit_test(test_kernel), cmocka_unit_test(test_noise),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
