/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The verdict on a box as a line: there and back, strictly read; and the switch that follows from it. */
#include "../common/unit.h"

#include <errno.h>

#include "common/kv.h"

#include "host/qualified.h"

static char why[512];

static struct qualified make(void)
{
	struct qualified q = {.box = "b1", .kernel = "6.1.0-a", .suite = "smoke", .rounds = 6, .at_s = 1796000000, .board = "0123456789abcdef"};

	q.base = PLAN_FIRMWARE;
	for (enum plan_switch sw = PLAN_CHAIN; sw <= PLAN_FIRMWARE; sw++)
		q.way[sw] = (struct qualified_way){.safe = QUALIFIED_SAFE, .boots = 13, .complete = 13, .turn_ms = 3000u * sw, .shift = QUALIFIED_NO};
	return q;
}

static int parse(struct qualified *q, const char *text) { return qualified_parse(q, text, strlen(text), why, sizeof why); }

static void test_there_and_back(void **state)
{
	struct qualified q = make(), back;
	char text[QUALIFIED_TEXT_MAX];

	(void)state;
	q.way[PLAN_CHAIN] = (struct qualified_way){.safe = QUALIFIED_UNSAFE,
	                                           .boots = 13,
	                                           .complete = 12,
	                                           .bad = 4,
	                                           .why = "no-hello",
	                                           .shift = QUALIFIED_YES,
	                                           .shifted = "disk-seq.write@up:1.120,net-tcp.recv@smp:0.900"};
	long n = qualified_format(&q, text, sizeof text);
	assert_true(n > 0);
	assert_int_equal(n, (long)strlen(text));
	assert_int_equal(parse(&back, text), 0);
	assert_memory_equal(&q, &back, sizeof q);
	for (size_t size = 0; size <= (size_t)n; size += 13)
		assert_true(qualified_format(&q, text, size) < 0);
}

/* Any byte changed, any cut: refused, and said why. */
static void test_damage(void **state)
{
	struct qualified q = make(), back;
	char text[QUALIFIED_TEXT_MAX], bad[QUALIFIED_TEXT_MAX];
	long n = qualified_format(&q, text, sizeof text);

	(void)state;
	for (long i = 0; i < n; i++) {
		memcpy(bad, text, (size_t)n + 1);
		bad[i] = bad[i] == '1' ? '2' : '1';
		assert_int_equal(parse(&back, bad), -EINVAL);
		assert_true(why[0]);
		assert_int_equal(qualified_parse(&back, text, (size_t)i, why, sizeof why), -EINVAL);
	}
	snprintf(bad, sizeof bad, "%s%s", text, text);
	assert_int_equal(parse(&back, bad), -EINVAL);
}

/* Lines with a right CRC that say what cannot be. */
static void refused_line(const char *from, const char *to, const char *says)
{
	struct qualified q = make(), back;
	char text[QUALIFIED_TEXT_MAX], line[QUALIFIED_TEXT_MAX];
	struct kv_out o;

	assert_true(qualified_format(&q, text, sizeof text) > 0);
	*strrchr(text, ' ') = 0;
	char *at = strstr(text, from);
	if (!at)
		fail_msg("no %s in %s", from, text);
	kv_out_init(&o, line, sizeof line);
	*at = 0;
	at += strlen(from);
	snprintf(line, sizeof line, "%s%s%s", text, to, at);
	o.len = strlen(line);
	kv_out_crc(&o, 0);
	strcat(line, "\n");
	assert_int_equal(parse(&back, line), -EINVAL);
	if (!strstr(why, says))
		fail_msg("%s -> %s: says %s", from, to, why);
}

static void test_strict(void **state)
{
	(void)state;
	refused_line("qualified v=1", "qualifier v=1", "not a line of this version");
	refused_line(" v=1", " v=2", "v: ");
	refused_line(" kernel=6.1.0-a", " kernel=a/b", "kernel: ");
	refused_line(" rounds=6", " rounds=x", "rounds: ");
	refused_line(" rounds=6", "", "not a line of this version");
	refused_line(" rounds=6", " rounds=6 more=1", "not a line of this version");
	refused_line(" board=0123456789abcdef", " board=0123", "board: ");
	refused_line(" base=firmware", " base=disk", "base: ");
	refused_line(" chain=safe", " chain=fine", "chain: ");
	refused_line(" chain_bad=0", " chain_bad=1", "safe, though not every boot was");
	refused_line(" via-home_complete=13", " via-home_complete=12", "safe, though not every boot was");
	refused_line(" via-home_complete=13", " via-home_complete=14", "via-home_complete: ");
	refused_line(" firmware_shift=no", " firmware_shift=perhaps", "firmware_shift: ");
	refused_line(" chain_turn_ms=3000", " chain_turn_ms=-1", "chain_turn_ms: ");
}

static void expect(const struct qualified *q, enum plan_switch wanted, const char *no_kexec, int home_kexecs, enum plan_switch got, const char *says)
{
	struct qualified_can can = {.no_kexec = no_kexec, .home_kexecs = home_kexecs};
	char text[200];

	assert_int_equal(qualified_choose(q, wanted, &can, text, sizeof text), got);
	if (*says ? !strstr(text, says) : *text)
		fail_msg("says '%s', not '%s'", text, says);
}

static void test_choose(void **state)
{
	struct qualified q = make();

	(void)state;
	for (enum plan_switch sw = PLAN_CHAIN; sw <= PLAN_FIRMWARE; sw++) {
		expect(&q, sw, NULL, 1, sw, "");
		expect(NULL, sw, NULL, 1, sw, "");
	}
	/* what the kernels can */
	expect(NULL, PLAN_CHAIN, "6.1", 1, PLAN_VIA_HOME, "kernel 6.1 cannot kexec");
	expect(NULL, PLAN_VIA_HOME, "6.1", 1, PLAN_VIA_HOME, "");
	expect(NULL, PLAN_CHAIN, NULL, 0, PLAN_FIRMWARE, "home cannot kexec");
	expect(NULL, PLAN_FIRMWARE, "6.1", 0, PLAN_FIRMWARE, "");
	/* via-home is enough where nothing was found against it, tried or not */
	q.way[PLAN_VIA_HOME].safe = QUALIFIED_UNTRIED;
	expect(&q, PLAN_CHAIN, "6.1", 1, PLAN_VIA_HOME, "kernel 6.1 cannot kexec");
	/* what was found: a slower one must have been found safe */
	q = make();
	q.way[PLAN_CHAIN].safe = QUALIFIED_UNSAFE;
	strcpy(q.way[PLAN_CHAIN].why, "no-hello");
	q.way[PLAN_CHAIN].complete = 12;
	expect(&q, PLAN_CHAIN, NULL, 1, PLAN_VIA_HOME, "chain is not safe here (12 of 13 boots complete, no-hello)");
	expect(&q, PLAN_VIA_HOME, NULL, 1, PLAN_VIA_HOME, "");
	q.way[PLAN_VIA_HOME].safe = QUALIFIED_OPEN;
	expect(&q, PLAN_CHAIN, NULL, 1, PLAN_FIRMWARE, "chain is not safe here");
	q.way[PLAN_VIA_HOME].safe = QUALIFIED_SAFE;
	q.way[PLAN_VIA_HOME].shift = QUALIFIED_YES;
	strcpy(q.way[PLAN_VIA_HOME].shifted, "disk-seq.write@up:1.120");
	expect(&q, PLAN_CHAIN, NULL, 1, PLAN_FIRMWARE, "chain is not safe here");
	expect(&q, PLAN_VIA_HOME, NULL, 1, PLAN_FIRMWARE, "via-home shifts disk-seq.write@up:1.120");
	/* shifts: of the boot itself do no harm, for all boots of a sweep come the same way */
	q = make();
	q.way[PLAN_CHAIN].shift = QUALIFIED_BOOT;
	expect(&q, PLAN_CHAIN, NULL, 1, PLAN_CHAIN, "");
	q.way[PLAN_CHAIN].shift = QUALIFIED_UNKNOWN;
	expect(&q, PLAN_CHAIN, NULL, 1, PLAN_CHAIN, "");
	q.way[PLAN_CHAIN].shift = QUALIFIED_YES;
	expect(&q, PLAN_CHAIN, NULL, 1, PLAN_VIA_HOME, "chain shifts ");
	/* not tried or not at an end is no finding */
	q = make();
	q.way[PLAN_CHAIN].safe = QUALIFIED_OPEN;
	expect(&q, PLAN_CHAIN, NULL, 1, PLAN_CHAIN, "");
}

static void words(const struct qualified *q, enum plan_switch sw, const char *want)
{
	char text[700];

	assert_string_equal(qualified_words(q, sw, text, sizeof text), want);
}

static void test_words(void **state)
{
	struct qualified q = make();

	(void)state;
	words(&q, PLAN_CHAIN, "safe (13 of 13 boots complete), no shift against firmware");
	words(&q, PLAN_FIRMWARE, "safe (13 of 13 boots complete)");
	q.way[PLAN_CHAIN].shift = QUALIFIED_UNKNOWN;
	words(&q, PLAN_CHAIN, "safe (13 of 13 boots complete), whether it shifts a metric: not known");
	q.way[PLAN_CHAIN].shift = QUALIFIED_BOOT;
	strcpy(q.way[PLAN_CHAIN].shifted, "boot-time.init@smp:0.610");
	words(&q, PLAN_CHAIN, "safe (13 of 13 boots complete), shifts what measures the boot itself: boot-time.init@smp:0.610");
	q.way[PLAN_CHAIN] = (struct qualified_way){.safe = QUALIFIED_UNTRIED, .why = "the kernel cannot kexec"};
	words(&q, PLAN_CHAIN, "untried: the kernel cannot kexec");
}

int main(void)
{
	const struct CMUnitTest list[] = {
		cmocka_unit_test(test_there_and_back), cmocka_unit_test(test_damage), cmocka_unit_test(test_strict),
		cmocka_unit_test(test_choose),         cmocka_unit_test(test_words),
	};

	return cmocka_run_group_tests(list, NULL, NULL);
}
