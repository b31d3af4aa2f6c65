/* SPDX-License-Identifier: GPL-2.0-or-later */
/* journal: whatever the order in which journals are read, and however they are torn, the state is the same. */
#include "journal_fixture.h"

#include <errno.h>

#include "common/kv.h"

static void add_line(char *text, unsigned line, enum journal_state_id s, const char *name, uint64_t at)
{
	struct journal_entry e = {.line = line, .tag = 100 + line, .state = s, .name = name};

	assert_true(journal_format(&e, "station", at, text + strlen(text), 256) > 0);
}

static void merge(const char *text) { journal_merge(j, &plan, text, strlen(text)); }

static void test_round_trip(void **state)
{
	char text[4096] = "";

	(void)state;
	for (enum journal_state_id s = JOURNAL_GO; s <= JOURNAL_VOID; s++)
		add_line(text, (unsigned)s, s, s == JOURNAL_FAILED ? "panic" : NULL, 1000 + (uint64_t)s);
	assert_int_equal(strncmp(text, "try line=1 tag=00000065 state=go by=station at=1001 *", 53), 0);
	merge(text);
	assert_int_equal(j->bad_lines, 0);
	for (enum journal_state_id s = JOURNAL_GO; s <= JOURNAL_VOID; s++) {
		assert_int_equal(journal_state(j, (unsigned)s), s);
		assert_true(j->try[s].at_ms[s] == 1000 + (uint64_t)s);
	}
	assert_string_equal(j->try[JOURNAL_FAILED].name, "panic");
	assert_string_equal(j->try[JOURNAL_HELLO].name, "");
	assert_int_equal(journal_state(j, 8), JOURNAL_PLANNED);
	assert_int_equal(journal_state(j, 0), JOURNAL_PLANNED);
	assert_int_equal(journal_state(j, UINT32_MAX), JOURNAL_PLANNED);
}

static void test_format_refused(void **state)
{
	struct journal_entry e = {.line = 1, .tag = 1, .state = JOURNAL_FAILED, .name = "hang", .why = "a b"};
	char out[256];
	long n = journal_format(&e, "box", 5, out, sizeof(out));

	(void)state;
	assert_int_equal(strncmp(out, "try line=1 tag=00000001 state=failed by=box at=5 name=hang why=a%20b *", 70), 0);
	for (long size = 0; size <= n; size++)
		assert_int_equal(journal_format(&e, "box", 5, out, (size_t)size), -EMSGSIZE);
	assert_int_equal(journal_format(&e, "me", 5, out, sizeof(out)), -EINVAL);
	e.name = "a name that is not one";
	assert_int_equal(journal_format(&e, "box", 5, out, sizeof(out)), -EINVAL);
	e.name = "a-name-of-more-than-23-bytes";
	assert_int_equal(journal_format(&e, "box", 5, out, sizeof(out)), -EINVAL);
	e.name = NULL;
	e.state = JOURNAL_PLANNED;
	assert_int_equal(journal_format(&e, "box", 5, out, sizeof(out)), -EINVAL);
	e.state = JOURNAL_GO;
	e.line = 0;
	assert_int_equal(journal_format(&e, "box", 5, out, sizeof(out)), -EINVAL);
	e.line = PLAN_TRIES_MAX + 1;
	assert_int_equal(journal_format(&e, "box", 5, out, sizeof(out)), -EINVAL);
	assert_int_equal(journal_format_control(JOURNAL_NONE, "station", 0, out, sizeof(out)), -EINVAL);
	assert_int_equal(journal_format_control(JOURNAL_RUN, NULL, 0, out, sizeof(out)), -EINVAL);
	assert_int_equal(journal_format_control(JOURNAL_RUN, "station", 0, out, 20), -EMSGSIZE);
}

/* All orders of seven entries about one line, once each and some twice. */
static void test_permutations(void **state)
{
	static const struct journal_entry e[7] = {
		{.line = 3, .state = JOURNAL_GO},
		{.line = 3, .state = JOURNAL_START},
		{.line = 3, .state = JOURNAL_HELLO},
		{.line = 3, .state = JOURNAL_FAILED, .name = "silent"},
		{.line = 3, .state = JOURNAL_FAILED, .name = "panic"},
		{.line = 3, .state = JOURNAL_FAILED, .name = "zebra"},
		{.line = 3, .state = JOURNAL_FAILED, .name = "ant"},
	};
	struct journal_try first;
	unsigned perm = 0;

	(void)state;
	memset(&first, 0, sizeof(first));
	for (unsigned code = 0; code < 5040; code++) { /* the factorial number system: each code is one order */
		unsigned left[7] = {0, 1, 2, 3, 4, 5, 6}, c = code;

		memset(&j->try[3], 0, sizeof(j->try[3]));
		for (unsigned n = 7; n; n--) {
			unsigned k = c % n, i = left[k];

			c /= n;
			memmove(left + k, left + k + 1, (n - k - 1) * sizeof(left[0]));
			journal_apply(j, &e[i], 100 + i);
			if (n & 1)
				journal_apply(j, &e[i], 200 + i);
		}
		if (!perm++)
			first = j->try[3];
		assert_memory_equal(&first.at_ms, &j->try[3].at_ms, sizeof(first.at_ms));
		assert_int_equal(j->try[3].state, JOURNAL_FAILED);
		assert_string_equal(j->try[3].name, "panic");
	}
	assert_true(first.at_ms[JOURNAL_FAILED] == 103);
}

static void test_unknown_names_have_an_order(void **state)
{
	const struct journal_entry a = {.line = 1, .state = JOURNAL_FAILED, .name = "ant"};
	const struct journal_entry z = {.line = 1, .state = JOURNAL_FAILED, .name = "zebra"};
	const struct journal_entry none = {.line = 1, .state = JOURNAL_FAILED};

	(void)state;
	journal_apply(j, &none, 0);
	assert_string_equal(j->try[1].name, "");
	journal_apply(j, &z, 0);
	journal_apply(j, &a, 0);
	journal_apply(j, &z, 0);
	journal_apply(j, &none, 0);
	assert_string_equal(j->try[1].name, "ant");
}

/* Who guards the jump: written with the start, read back, the greatest of all writers. */
static void test_guard(void **state)
{
	struct journal_entry e = {.line = 1, .tag = 1, .state = JOURNAL_START, .guard = JOURNAL_GUARD_WATCHDOG};
	char out[200];

	(void)state;
	assert_true(journal_format(&e, "box", 5, out, sizeof(out)) > 0);
	assert_int_equal(strncmp(out, "try line=1 tag=00000001 state=start by=box at=5 guard=watchdog *", 63), 0);
	journal_apply(j, &e, 5);
	e.guard = JOURNAL_GUARD_STATION;
	journal_apply(j, &e, 5);
	assert_int_equal(j->try[1].guard, JOURNAL_GUARD_WATCHDOG);
	assert_int_equal(journal_guard_parse("station"), JOURNAL_GUARD_STATION);
	assert_int_equal(journal_guard_parse("dog"), JOURNAL_GUARD_UNKNOWN);
	assert_int_equal(journal_guard_parse(NULL), JOURNAL_GUARD_UNKNOWN);
	assert_string_equal(journal_guard_name(JOURNAL_GUARD_UNKNOWN), "");
}

static void test_rank(void **state)
{
	static const char *const order[] = {"wrong-kernel", "panic",    "oops",        "hang",     "load",  "fetch",  "jump",
	                                    "runner",       "no-hello", "no-progress", "deadline", "reset", "silent", "other"};

	(void)state;
	for (unsigned i = 0; i < sizeof(order) / sizeof(order[0]); i++)
		assert_int_equal(journal_failure_rank(order[i]), i);
}

/* Three files, in all six orders, each read twice. */
static void test_files_in_any_order(void **state)
{
	static const unsigned orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
	char text[3][2048] = {"", "", ""};
	struct journal *first = malloc(sizeof(*first));

	(void)state;
	assert_non_null(first);
	add_line(text[0], 1, JOURNAL_START, NULL, 10);
	add_line(text[0], 1, JOURNAL_COMPLETE, NULL, 20);
	add_line(text[0], 2, JOURNAL_FAILED, "silent", 30);
	journal_format_control(JOURNAL_HOLD, "station", 0, text[0] + strlen(text[0]), 128);
	journal_format_control(JOURNAL_RUN, "station", 0, text[0] + strlen(text[0]), 128);
	add_line(text[1], 1, JOURNAL_FAILED, "hang", 15);
	add_line(text[1], 2, JOURNAL_FAILED, "oops", 0);
	journal_format_control(JOURNAL_SELF, "box", 0, text[1] + strlen(text[1]), 128);
	add_line(text[2], 2, JOURNAL_START, NULL, 25);
	add_line(text[2], 3, JOURNAL_VOID, NULL, 25);
	add_line(text[2], 3, JOURNAL_COMPLETE, NULL, 25);
	for (unsigned o = 0; o < 6; o++) {
		journal_init(j);
		for (unsigned i = 0; i < 6; i++)
			merge(text[orders[o][i % 3]]);
		if (!o)
			memcpy(first, j, sizeof(*j));
		assert_memory_equal(first, j, sizeof(*j));
	}
	assert_int_equal(journal_state(j, 1), JOURNAL_COMPLETE);
	assert_string_equal(j->try[2].name, "oops");
	assert_int_equal(journal_state(j, 3), JOURNAL_VOID);
	assert_int_equal(j->control, JOURNAL_RUN);
	assert_int_equal(j->bad_lines, 0);
	free(first);
}

static void test_torn_and_damaged(void **state)
{
	char text[1024] = "", more[1200];
	size_t head, len;

	(void)state;
	add_line(text, 1, JOURNAL_START, NULL, 0);
	head = strlen(text);
	add_line(text, 1, JOURNAL_COMPLETE, NULL, 0);
	len = strlen(text);
	for (size_t cut = head; cut <= len; cut++) {
		char *exact = malloc(cut);

		assert_non_null(exact);
		memcpy(exact, text, cut);
		journal_init(j);
		journal_merge(j, &plan, exact, cut);
		assert_int_equal(journal_state(j, 1), cut >= len - 1 ? JOURNAL_COMPLETE : JOURNAL_START);
		assert_int_equal(j->bad_lines, cut > head && cut < len - 1);
		free(exact);
		if (cut == len)
			break;
		/* The next writer begins with a newline; its line counts. */
		snprintf(more, sizeof(more), "%.*s\n", (int)cut, text);
		add_line(more, 2, JOURNAL_GO, NULL, 0);
		journal_init(j);
		merge(more);
		assert_int_equal(journal_state(j, 2), JOURNAL_GO);
	}
	for (size_t i = head; i < len - 1; i++) {
		text[i] = (char)(text[i] ^ 4);
		journal_init(j);
		merge(text);
		assert_int_equal(journal_state(j, 1), JOURNAL_START);
		assert_int_equal(j->bad_lines, 1);
		text[i] = (char)(text[i] ^ 4);
	}
}

static void merge_with_crc(const char *body)
{
	char text[512];
	struct kv_out o;

	kv_out_init(&o, text, sizeof(text));
	kv_out_raw(&o, body);
	kv_out_crc(&o, 0);
	assert_int_equal(o.err, 0);
	merge(text);
}

static void test_wrong_lines(void **state)
{
	static const char *const bad[] = {
		"try line=1 tag=00000065 state=planned by=station at=0",
		"try line=1 tag=00000065 state=done by=station at=0",
		"try line=0 tag=00000065 state=go by=station at=0",
		"try line=4097 tag=00000065 state=go by=station at=0",
		"try line=1 tag=65 state=go by=station at=0",
		"try line=1 tag=00000065 state=go by=me at=0",
		"try line=1 tag=00000065 state=go by=station",
		"try line=1 tag=00000065 by=station at=0",
		"try",
		"what line=1",
		"try line=1 tag=00000065 state=failed by=box at=0 name=Ugly%1B",
		"control word=stop by=station at=0",
		"control word=run by=me at=0",
		"control word=run at=0",
		"control",
		"power line=1 nth=1 how=axe by=station at=0",
		"power line=1 nth=1 by=station at=0",
		"power line=4097 nth=1 how=reset by=station at=0",
		"power line=1 how=reset by=station at=0",
		"power line=1 nth=1 how=reset by=me at=0",
		"power line=1 nth=1 how=reset by=station",
		"console line=1 bytes=1 bad=0 by=station at=0",
		"console line=1 bytes=-1 bad=0 dropped=0 by=station at=0",
		"console line=1 bytes=1 bad=0 dropped=0 at=0",
		"line=1 tag=00000065 state=go by=station at=0",
		"try line=1 tag=00000065 state=failed by=box at=0 name=longer-than-23-bytes-are",
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		merge_with_crc(bad[i]);
		if (j->bad_lines != i + 1)
			fail_msg("taken: %s", bad[i]);
	}
	assert_int_equal(journal_state(j, 1), JOURNAL_PLANNED);
	assert_int_equal(j->control, JOURNAL_NONE);
	merge("\n# a remark\r\n\r\n");
	assert_int_equal(j->bad_lines, sizeof(bad) / sizeof(bad[0]));
	/* Another schedule's: dropped, but not damage. */
	merge_with_crc("try line=1 tag=00000066 state=go by=station at=0");
	merge_with_crc("try line=13 tag=00000065 state=go by=station at=0");
	assert_int_equal(j->bad_lines, sizeof(bad) / sizeof(bad[0]));
	assert_int_equal(journal_state(j, 1), JOURNAL_PLANNED);
	assert_int_equal(journal_state(j, 13), JOURNAL_PLANNED);
	merge_with_crc("try line=1 tag=00000065 state=go by=station at=0 new=1");
	assert_int_equal(journal_state(j, 1), JOURNAL_GO);
}

/* Steps of the power ladder change no state; they say whether a boot is the first after one. */
static void test_power(void **state)
{
	struct journal_power p = {.line = 3, .nth = 2, .how = "reset", .why = "no hello after the jump"};
	struct journal_console c = {.line = 3, .bytes = 1000, .bad = 2, .dropped = 0};
	char out[512];
	long n = journal_format_power(&p, "station", 50, out, sizeof(out));

	(void)state;
	assert_true(n > 0 && out[n - 1] == '\n');
	assert_memory_equal(out, "power line=3 nth=2 how=reset by=station at=50 why=no%20hello%20after%20the%20jump *", 80);
	assert_false(j->after_power);
	merge(out);
	assert_int_equal(j->bad_lines, 0);
	assert_int_equal(journal_state(j, 3), JOURNAL_PLANNED);
	assert_true(j->after_power);
	merge_with_crc("try line=1 tag=00000065 state=hello by=station at=60");
	merge_with_crc("try line=1 tag=00000065 state=complete by=box at=60");
	assert_true(j->after_power);
	merge_with_crc("try line=1 tag=00000065 state=complete by=station at=40"); /* the clock was set back */
	assert_false(j->after_power);
	assert_true(journal_format_console(&c, "station", 9, out, sizeof(out)) > 0);
	assert_memory_equal(out, "console line=3 bytes=1000 bad=2 dropped=0 by=station at=9 *", 58);
	merge(out);
	assert_int_equal(j->bad_lines, 0);
	p.how = "axe";
	assert_int_equal(journal_format_power(&p, "station", 0, out, sizeof(out)), -EINVAL);
	c.line = 0;
	assert_int_equal(journal_format_console(&c, "station", 0, out, sizeof(out)), -EINVAL);
}

static void test_control(void **state)
{
	(void)state;
	merge_with_crc("control word=hold by=station at=5");
	assert_int_equal(j->control, JOURNAL_HOLD);
	merge_with_crc("control word=self by=box at=9");
	merge_with_crc("control word=run by=box at=9");
	assert_int_equal(j->control, JOURNAL_HOLD);
	merge_with_crc("control word=run by=station at=1"); /* the last of the file, whatever the clock said */
	assert_int_equal(j->control, JOURNAL_RUN);
}

static void test_apply_bounds(void **state)
{
	struct journal_entry e = {.line = PLAN_TRIES_MAX, .state = JOURNAL_GO};

	(void)state;
	journal_apply(j, &e, 1);
	assert_int_equal(journal_state(j, PLAN_TRIES_MAX), JOURNAL_GO);
	e.line++;
	journal_apply(j, &e, 1);
	e.line = 1;
	e.state = (enum journal_state_id)(JOURNAL_VOID + 1);
	journal_apply(j, &e, 1);
	e.state = (enum journal_state_id) - 1;
	journal_apply(j, &e, 1);
	assert_int_equal(journal_state(j, 1), JOURNAL_PLANNED);
	assert_string_equal(journal_state_name(JOURNAL_NOT_RUN), "not-run");
	assert_string_equal(journal_state_name((enum journal_state_id)99), "unknown");
}

/* Random histories, shuffled and torn: the same state, and a next line that has no start. */
static void test_random(void **state)
{
	static const char *const names[] = {"panic", "hang", "odd", "silent"};
	struct journal *other = malloc(sizeof(*other));
	uint32_t r = 6;

	(void)state;
	assert_non_null(other);
	for (int round = 0; round < 300; round++) {
		char line[40][256], text[2][16384] = {"", ""};
		unsigned n = unit_random(&r) % 40, next;

		for (unsigned i = 0; i < n; i++) {
			enum journal_state_id s = (enum journal_state_id)(unit_random(&r) % 7 + 1);

			line[i][0] = 0;
			add_line(line[i], unit_random(&r) % LINES + 1, s, s == JOURNAL_FAILED ? names[unit_random(&r) % 4] : NULL,
			         unit_random(&r) % 5);
		}
		for (unsigned i = 0; i < n; i++)
			strcat(text[0], line[i]);
		for (unsigned i = n; i > 1; i--) {
			unsigned k = unit_random(&r) % i;
			char swap[256];

			memcpy(swap, line[k], 256);
			memcpy(line[k], line[i - 1], 256);
			memcpy(line[i - 1], swap, 256);
		}
		for (unsigned i = 0; i < n; i++)
			strcat(text[1], line[i]);
		journal_init(j);
		merge(text[0]);
		journal_init(other);
		journal_merge(other, &plan, text[1], strlen(text[1]));
		assert_memory_equal(j, other, sizeof(*j));
		next = journal_next(j, &plan);
		if (next)
			assert_true(journal_state(j, next) < JOURNAL_START);
	}
	free(other);
}

/* A pause is a hold with a reason; the next word of the station's ends it, a box's does not. */
static void test_pause(void **state)
{
	char text[2048] = "", line[1024], longest[JOURNAL_REASON_MAX + 2];

	(void)state;
	assert_true(journal_format_pause("to look: 100 %", 77, text, sizeof(text)) > 0);
	journal_format_control(JOURNAL_SELF, "box", 0, text + strlen(text), 128);
	journal_init(j);
	merge(text);
	assert_int_equal(j->control, JOURNAL_HOLD);
	assert_true(j->paused && j->paused_ms == 77);
	assert_string_equal(j->reason, "to look: 100 %");
	journal_format_control(JOURNAL_HOLD, "station", 0, line, sizeof(line));
	merge(line);
	assert_true(!j->paused && !*j->reason && j->control == JOURNAL_HOLD);
	assert_true(journal_format_pause("", 1, line, sizeof(line)) > 0);
	merge(line);
	assert_true(j->paused);
	journal_format_control(JOURNAL_RUN, "station", 0, line, sizeof(line));
	merge(line);
	assert_true(!j->paused && j->control == JOURNAL_RUN);
	assert_int_equal(j->bad_lines, 0);
	assert_int_equal(journal_format_pause("a\nb", 1, line, sizeof(line)), -EINVAL);
	memset(longest, '%', sizeof(longest));
	longest[JOURNAL_REASON_MAX + 1] = 0;
	assert_int_equal(journal_format_pause(longest, 1, line, sizeof(line)), -EINVAL);
	longest[JOURNAL_REASON_MAX] = 0;
	assert_true(journal_format_pause(longest, UINT64_MAX, line, sizeof(line)) > 0);
	merge(line);
	assert_string_equal(j->reason, longest);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_pause, setup, teardown),
		cmocka_unit_test_setup_teardown(test_round_trip, setup, teardown),
		cmocka_unit_test_setup_teardown(test_format_refused, setup, teardown),
		cmocka_unit_test_setup_teardown(test_permutations, setup, teardown),
		cmocka_unit_test_setup_teardown(test_unknown_names_have_an_order, setup, teardown),
		cmocka_unit_test_setup_teardown(test_rank, setup, teardown),
		cmocka_unit_test_setup_teardown(test_guard, setup, teardown),
		cmocka_unit_test_setup_teardown(test_files_in_any_order, setup, teardown),
		cmocka_unit_test_setup_teardown(test_torn_and_damaged, setup, teardown),
		cmocka_unit_test_setup_teardown(test_wrong_lines, setup, teardown),
		cmocka_unit_test_setup_teardown(test_control, setup, teardown),
		cmocka_unit_test_setup_teardown(test_power, setup, teardown),
		cmocka_unit_test_setup_teardown(test_apply_bounds, setup, teardown),
		cmocka_unit_test_setup_teardown(test_random, setup, teardown),
	};

	return cmocka_run_group_tests_name("journal", tests, NULL, NULL);
}
