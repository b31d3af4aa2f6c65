/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plan: the schedule, and all that can be wrong with it; what is looked up in it and appended to it. */
#include "plan_fixture.h"

#include <errno.h>

/* The good schedule with one line put in place of another. */
static int read_with(size_t at, const char *line)
{
	const char *lines[16];

	memcpy(lines, good_schedule, sizeof(good_schedule));
	lines[at] = line;
	add_all(&schedule, lines);
	return read_schedule();
}

static void refuse(size_t at, const char *line, const char *want)
{
	if (read_with(at, line) != -EINVAL)
		fail_msg("taken: %s", line);
	if (why.line != at + 1)
		fail_msg("line %u, not %zu: %s", why.line, at + 1, why.text);
	if (!strstr(why.text, want))
		fail_msg("'%s' does not say '%s'", why.text, want);
	assert_int_equal(plan.subjects + plan.tests + plan.tries, 0);
	assert_null(plan.subject);
}

/* A sweep from before there was such a word has no ssh. */
static void test_ssh(void **state)
{
	(void)state;
	add_all(&schedule, good_schedule);
	assert_int_equal(read_with(0, SWEEP " ssh=1"), 0);
	assert_int_equal(plan.ssh, 1);
	plan_free(&plan);
	assert_int_equal(read_with(0, SWEEP " ssh=0"), 0);
	assert_int_equal(plan.ssh, 0);
	plan_free(&plan);
	refuse(0, SWEEP " ssh=2", "ssh=");
}

/* An instance: its name is the test's, program and metrics are another's. */
static void test_instance(void **state)
{
#define TEST_C "test name=x program=prog like=desc primary=none deadline_ms=1 quiet_ms=1 mem_kb=1 needs= args="
	(void)state;
	assert_int_equal(read_with(4, TEST_C), 0);
	assert_string_equal(plan.test[0].program, plan.test[0].name);
	assert_string_equal(plan.test[0].like, "");
	assert_string_equal(plan.test[1].name, "x");
	assert_string_equal(plan.test[1].program, "prog");
	assert_string_equal(plan.test[1].like, "desc");
	assert_string_equal(plan.test[1].primary, "none");
	plan_free(&plan);
	refuse(4, "test name=x program=../p deadline_ms=1 quiet_ms=1 mem_kb=1 needs= args=", "program= wants an id");
	refuse(4, "test name=x like= deadline_ms=1 quiet_ms=1 mem_kb=1 needs= args=", "like= wants an id");
}

static void test_schedule(void **state)
{
	char out[32];

	(void)state;
	add_all(&schedule, good_schedule);
	assert_int_equal(read_schedule(), 0);
	assert_string_equal(plan.id, "s1");
	assert_string_equal(plan.box, "b1");
	assert_string_equal(plan.suite, "quick");
	assert_string_equal(plan.home, "h1");
	assert_true(plan.seed == 42);
	assert_int_equal(plan.rounds, 2);
	assert_int_equal(plan.tries_max, 3);
	assert_int_equal(plan.sw, PLAN_CHAIN);
	assert_int_equal(plan.again_s, 60);
	assert_int_equal(plan.deaf_s, 180);
	assert_int_equal(plan.jump_s, 90);
	assert_int_equal(plan.ssh, 0);
	assert_int_equal(plan.subjects, 2);
	assert_string_equal(plan.subject[1].id, "6.1/up");
	assert_null(plan.subject[1].cmdline);
	assert_int_equal(plan.tests, 2);
	assert_string_equal(plan.test[1].needs, "scratch,net");
	assert_string_equal(plan.test[1].args, "size_bytes=16,loops=3,x=");
	assert_int_equal(strncmp(plan.test[1].line, TEST_B " *", sizeof(TEST_B) + 1), 0);
	assert_int_equal(strlen(plan.test[1].line), sizeof(TEST_B) - 1 + 10);
	assert_int_equal(plan.tries, 3);
	assert_int_equal(plan.try[0].discard, 1);
	assert_int_equal(plan.try[2].of, 1);
	assert_string_equal(plan.try[2].why, "again");
	assert_int_equal(plan.try[1].subject, 1);
	assert_int_equal(plan.bad_lines, 0);
	assert_ptr_equal(plan_try_by_line(&plan, 2), &plan.try[1]);
	assert_null(plan_try_by_line(&plan, 0));
	assert_null(plan_try_by_line(&plan, 4));
	assert_ptr_equal(plan_try_by_tag(&plan, 0x7fffffff), &plan.try[2]);
	assert_null(plan_try_by_tag(&plan, 9));
	assert_int_equal(plan_arg(plan.test[1].args, "loops", out, sizeof(out)), 0);
	assert_string_equal(out, "3");
	assert_int_equal(plan_arg(plan.test[1].args, "x", out, 1), 0);
	assert_string_equal(out, "");
	assert_int_equal(plan_arg(plan.test[1].args, "loop", out, sizeof(out)), -ENOENT);
	assert_int_equal(plan_arg(plan.test[1].args, "size_bytes", out, 2), -ENAMETOOLONG);
	assert_int_equal(plan_arg("", "x", out, sizeof(out)), -ENOENT);
	plan_free(&plan);
}

static void test_schedule_refused(void **state)
{
	(void)state;
	refuse(0, SUBJECT_A, "before the sweep line");
	refuse(1, SWEEP, "second sweep");
	refuse(1, "box id=x", "unknown word box, want sweep, subject, test or try");
	refuse(1, "id=x", "without a word");
	refuse(1, "subject id=6.1/smp kernel=6.1", "no variant=");
	refuse(1, "subject kernel=6.1 variant=smp", "no id=");
	refuse(1, "subject id=6.1/up kernel=6.1 variant=smp", "want");
	refuse(1, "subject id=6.1%2Fsmp kernel=6.1%2F variant=smp", "kernel= wants an id");
	refuse(1, "subject id=../smp kernel=.. variant=smp", "kernel= wants an id");
	refuse(2, SUBJECT_A, "twice");
	refuse(4, TEST_A, "twice");
	refuse(4, "test name=x deadline_ms=0 quiet_ms=1 mem_kb=1 needs= args=", "deadline_ms= wants");
	refuse(4, "test name=x deadline_ms=1 quiet_ms=1 mem_kb=1 needs=disk args=", "needs= wants");
	refuse(4, "test name=x deadline_ms=1 quiet_ms=1 mem_kb=1 needs=nfs, args=", "needs= wants");
	refuse(4, "test name=x deadline_ms=1 quiet_ms=1 mem_kb=1 args=", "needs= wants");
	refuse(4, "test name=x deadline_ms=1 quiet_ms=1 mem_kb=1 needs= args=x", "args= wants");
	refuse(4, "test name=x deadline_ms=1 quiet_ms=1 mem_kb=1 needs= args=x%3D1,,", "args= wants");
	refuse(4, "test name=x deadline_ms=1 quiet_ms=1 mem_kb=1 needs= args=x%3D%1B", "control byte");
	refuse(6, "try line=2 tag=00000001 boot=2 round=1 subject=6.1/up discard=0 why=plan", "tag=00000001 is that of line=1");
	refuse(6, "try line=2 tag=80000002 boot=2 round=1 subject=6.1/up discard=0 why=plan", "top bit");
	refuse(6, "try line=2 tag=2 boot=2 round=1 subject=6.1/up discard=0 why=plan", "8 hex digits");
	refuse(6, "try line=2 tag=00000002 boot=2 round=1 subject=6.2/up discard=0 why=plan", "subject=6.2/up is not");
	refuse(6, "try line=2 tag=00000002 boot=1 round=1 subject=6.1/up discard=0 why=plan", "another subject");
	refuse(6, "try line=3 tag=00000002 boot=2 round=1 subject=6.1/up discard=0 why=plan", "line=3 after line=1");
	refuse(6, "try line=1 tag=00000002 boot=2 round=1 subject=6.1/up discard=0 why=plan", "line=1 after line=1");
	refuse(6, "try line=0 tag=00000002 boot=2 round=1 subject=6.1/up discard=0 why=plan", "line= wants");
	refuse(6, "try line=4097 tag=00000002 boot=2 round=1 subject=6.1/up discard=0 why=plan", "line= wants");
	refuse(6, "try line=2 tag=00000002 boot=2 round=1 subject=6.1/up discard=2 why=plan", "discard= wants");
	refuse(6, "try line=2 tag=00000002 boot=2 round=1 subject=6.1/up discard=0 why=because", "why= wants");
	refuse(6, "try line=2 tag=00000002 boot=2 round=1 subject=6.1/up discard=0 why=plan of=2", "of= wants");
	refuse(6, "try line=2 tag=00000002 round=1 subject=6.1/up discard=0 why=plan", "no boot=");
	assert_int_equal(plan_read_schedule(&plan, "", 0, &why), -EINVAL);
	assert_string_equal(why.text, "no sweep line");
}

/* Each pair of the sweep line: missing, empty, and too long. */
static void test_sweep_line(void **state)
{
	char line[512], want[64];

	(void)state;
	for (const char *p = strchr(SWEEP, ' '); p; p = strchr(p + 1, ' ')) {
		size_t klen = strcspn(p + 1, "="), plen = strcspn(p + 1, " ");

		if (!strncmp(p + 1, "made=", 5))
			continue;
		snprintf(line, sizeof(line), "%.*s%s", (int)(p - SWEEP), SWEEP, p + 1 + plen);
		snprintf(want, sizeof(want), "no %.*s=", (int)klen, p + 1);
		refuse(0, line, want);
		snprintf(line, sizeof(line), "%.*s %.*s=%s", (int)(p - SWEEP), SWEEP, (int)klen, p + 1, p + 1 + plen);
		refuse(0, line, " wants ");
		snprintf(line, sizeof(line), "%.*s%s %.*s=%070d", (int)(p - SWEEP), SWEEP, p + 1 + plen, (int)klen, p + 1, 0);
		if (strncmp(p + 1, "seed", 4)) /* a zero of 70 digits is a seed */
			refuse(0, line, " wants ");
	}
}

static void test_unknown_keys_pass(void **state)
{
	(void)state;
	assert_int_equal(read_with(1, SUBJECT_A " colour=red"), 0);
	plan_free(&plan);
}

static void test_right_crc_bad_syntax(void **state)
{
	char many[1024] = SUBJECT_A;

	(void)state;
	refuse(1, SUBJECT_A "  x=1", "not a line");
	refuse(1, SUBJECT_A " x=%00", "not a line");
	for (int i = 0; i < KV_PAIRS_MAX; i++)
		strcat(many, " x=1");
	refuse(1, many, "too long");
}

static void test_damaged_lines(void **state)
{
	(void)state;
	add_all(&schedule, good_schedule);
	*strstr(schedule.s, "line=2") = 'L'; /* its number is missing now, and may be */
	assert_int_equal(read_schedule(), 0);
	assert_int_equal(plan.bad_lines, 1);
	assert_int_equal(plan.tries, 2);
	assert_null(plan_try_by_line(&plan, 2));
	assert_ptr_equal(plan_try_by_line(&plan, 3), &plan.try[1]);
	plan_free(&plan);
	add_all(&schedule, good_schedule); /* but a hole no larger than what was seen to be damaged */
	*strstr(schedule.s, "try line=2") = 'x';
	memmove(strstr(schedule.s, "try line=3"), "# no line\n", 11);
	schedule.len = strlen(schedule.s);
	add(&schedule, "try line=4 tag=00000004 boot=2 round=1 subject=6.1/up discard=0 why=plan");
	assert_int_equal(read_schedule(), -EINVAL);
	assert_non_null(strstr(why.text, "line=4 after line=1"));
	add_all(&schedule, good_schedule); /* a damaged head is no schedule */
	schedule.s[0] = 'S';
	assert_int_equal(read_schedule(), -EINVAL);
}

/* The station appends while the box reads: whatever the cut, what is whole before it is read. */
static void test_torn_tail(void **state)
{
	size_t head;

	(void)state;
	add_all(&schedule, good_schedule);
	head = (size_t)(strstr(schedule.s, "try line=3") - schedule.s);
	for (size_t len = head; len <= schedule.len; len++) {
		assert_int_equal(plan_read_schedule(&plan, schedule.s, len, &why), 0);
		assert_int_equal(plan.tries, len >= schedule.len - 1 ? 3 : 2);
		assert_int_equal(plan.bad_lines, len > head && len < schedule.len - 1);
		plan_free(&plan);
	}
	for (size_t len = 0; len < head; len++) { /* never a crash, and nothing lost */
		if (!plan_read_schedule(&plan, schedule.s, len, &why))
			plan_free(&plan);
		assert_null(plan.try);
	}
	/* The next writer begins with a newline, and says the line again. */
	schedule.len = head + 20;
	schedule.s[schedule.len++] = '\n';
	add(&schedule, TRY_3);
	assert_int_equal(read_schedule(), 0);
	assert_int_equal(plan.tries, 3);
	assert_int_equal(plan.bad_lines, 1);
	plan_free(&plan);
}

static void test_comments(void **state)
{
	(void)state;
	schedule.len = 0;
	add(&schedule, SWEEP);
	schedule.len += (size_t)sprintf(schedule.s + schedule.len, "\n# made by hand\r\n\r\n\n");
	add(&schedule, SUBJECT_A);
	assert_int_equal(read_schedule(), 0);
	assert_int_equal(plan.bad_lines, 0);
	plan_free(&plan);
	schedule.len += (size_t)sprintf(schedule.s + schedule.len, "# kd1 is none\n#nor this\n");
	add(&schedule, "what");
	assert_int_equal(read_schedule(), -EINVAL);
	assert_int_equal(why.line, 9);
}

static void test_tables(void **state)
{
	char line[128];

	(void)state;
	schedule.len = 0;
	add(&schedule, SWEEP);
	for (int i = 0; i <= PLAN_SUBJECTS_MAX; i++) {
		snprintf(line, sizeof(line), "subject id=k%d/smp kernel=k%d variant=smp", i, i);
		if (i == PLAN_SUBJECTS_MAX) {
			assert_int_equal(read_schedule(), 0);
			assert_int_equal(plan.subjects, PLAN_SUBJECTS_MAX);
			plan_free(&plan);
		}
		add(&schedule, line);
	}
	assert_int_equal(read_schedule(), -E2BIG);
	assert_non_null(strstr(why.text, "65 lines of subject, at most 64"));
}

static void test_format(void **state)
{
	char line[256], copy[256];
	long n;

	(void)state;
	add_all(&schedule, good_schedule);
	assert_int_equal(read_schedule(), 0);
	for (size_t i = 0; i < plan.tries; i++) {
		n = plan_format_try(&plan, &plan.try[i], line, sizeof(line));
		assert_true(n > 0);
		assert_int_equal(strlen(line), n);
		assert_non_null(strstr(schedule.s, line)); /* what was read is what is written */
		for (long size = 0; size <= n; size++)
			assert_int_equal(plan_format_try(&plan, &plan.try[i], copy, (size_t)size), -EMSGSIZE);
	}
	plan.try[0].subject = 2;
	assert_int_equal(plan_format_try(&plan, &plan.try[0], line, sizeof(line)), -EINVAL);
	plan_free(&plan);
}

static void test_names(void **state)
{
	enum plan_switch s;

	(void)state;
	for (enum plan_switch i = PLAN_CHAIN; i <= PLAN_FIRMWARE; i++) {
		assert_int_equal(plan_switch_parse(plan_switch_name(i), &s), 0);
		assert_int_equal(s, i);
	}
	assert_int_equal(plan_switch_parse("kexec", &s), -EINVAL);
	assert_int_equal(plan_switch_parse("", &s), -EINVAL);
	assert_string_equal(plan_switch_name(0), "unknown");
	assert_string_equal(plan_role_name(PLAN_PACK), "pack");
	assert_string_equal(plan_role_name(0), "unknown");
}

/* Words of the format, thrown together, each line with a right CRC: an answer, never a crash. */
static void test_random(void **state)
{
	static const char *const words[] = {
		"sweep",       "subject",        "test",         "try",       " line=1",  " line=2",          " tag=00000001", " tag=ffffffff",
		" id=6.1/smp", " kernel=6.1",    " variant=smp", " boot=1",   " round=1", " subject=6.1/smp", " discard=0",    " why=plan",
		" name=x",     " deadline_ms=1", " quiet_ms=1",  " mem_kb=1", " needs=",  " args=",           " of=1",         " args=a%3D1",
		" x",
	};
	uint32_t r = 5;

	(void)state;
	for (int round = 0; round < 20000; round++) {
		schedule.len = 0;
		add(&schedule, SWEEP);
		for (unsigned i = unit_random(&r) % 6; i; i--) {
			char line[512] = "";

			for (unsigned k = unit_random(&r) % 12; k; k--)
				strcat(line, words[unit_random(&r) % (sizeof(words) / sizeof(words[0]))]);
			add(&schedule, *line ? line : SUBJECT_A);
		}
		if (!read_schedule())
			plan_free(&plan);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_instance),
		cmocka_unit_test(test_schedule),
		cmocka_unit_test(test_ssh),
		cmocka_unit_test(test_schedule_refused),
		cmocka_unit_test(test_sweep_line),
		cmocka_unit_test(test_unknown_keys_pass),
		cmocka_unit_test(test_right_crc_bad_syntax),
		cmocka_unit_test(test_damaged_lines),
		cmocka_unit_test(test_torn_tail),
		cmocka_unit_test(test_comments),
		cmocka_unit_test(test_tables),
		cmocka_unit_test(test_format),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_random),
	};

	return cmocka_run_group_tests_name("plan", tests, NULL, NULL);
}
