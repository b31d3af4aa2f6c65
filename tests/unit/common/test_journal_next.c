/* SPDX-License-Identifier: GPL-2.0-or-later */
/* journal: which line is next, which boots are done, and which subjects are out. */
#include "journal_fixture.h"

static void apply(unsigned line, enum journal_state_id s)
{
	struct journal_entry e = {.line = line, .state = s, .name = s == JOURNAL_FAILED ? "hang" : NULL};

	journal_apply(j, &e, 0);
}

static void test_next(void **state)
{
	(void)state;
	assert_int_equal(journal_next(j, &plan), 1);
	apply(1, JOURNAL_GO);
	assert_int_equal(journal_next(j, &plan), 1); /* told, but not started */
	apply(1, JOURNAL_START);
	assert_int_equal(journal_next(j, &plan), 2);
	apply(3, JOURNAL_COMPLETE);
	assert_int_equal(journal_next(j, &plan), 2);
	apply(2, JOURNAL_NOT_RUN);
	assert_int_equal(journal_next(j, &plan), 4);
	for (unsigned line = 1; line <= LINES; line++)
		apply(line, JOURNAL_VOID);
	assert_int_equal(journal_next(j, &plan), 0);
	plan.tries = 0;
	assert_int_equal(journal_next(j, &plan), 0);
}

/* A boot has several lines; once one is complete, the others are not run. */
static void test_next_skips_complete_boots(void **state)
{
	unsigned line = 99;

	(void)state;
	tries[8].boot = tries[10].boot = 1; /* lines 9 and 11 repeat line 1 */
	assert_int_equal(journal_boot_complete(j, &plan, 1, &line), 0);
	assert_int_equal(line, 99);
	apply(1, JOURNAL_FAILED);
	for (unsigned i = 2; i <= 8; i++)
		apply(i, JOURNAL_COMPLETE);
	assert_int_equal(journal_next(j, &plan), 9);
	apply(9, JOURNAL_COMPLETE);
	assert_int_equal(journal_boot_complete(j, &plan, 1, &line), 1);
	assert_int_equal(line, 9);
	assert_int_equal(journal_boot_complete(j, &plan, 1, NULL), 1);
	apply(10, JOURNAL_COMPLETE);
	assert_int_equal(journal_next(j, &plan), 12);
	apply(9, JOURNAL_VOID); /* what was complete and is void does not count */
	assert_int_equal(journal_boot_complete(j, &plan, 1, NULL), 0);
	assert_int_equal(journal_next(j, &plan), 11);
}

static void test_quarantine(void **state)
{
	(void)state;
	apply(1, JOURNAL_FAILED);
	apply(3, JOURNAL_FAILED);
	assert_int_equal(journal_quarantined(j, &plan, 0), 0);
	apply(5, JOURNAL_NOT_RUN); /* neither counts nor breaks the row */
	apply(7, JOURNAL_VOID);
	assert_int_equal(journal_quarantined(j, &plan, 0), 0);
	assert_int_equal(journal_next(j, &plan), 2);
	apply(9, JOURNAL_FAILED);
	assert_int_equal(journal_quarantined(j, &plan, 0), 1);
	assert_int_equal(journal_quarantined(j, &plan, 1), 0);
	for (unsigned line = 2; line <= 10; line += 2)
		apply(line, JOURNAL_COMPLETE);
	assert_int_equal(journal_next(j, &plan), 12); /* 11 is of the subject that is out */
	apply(12, JOURNAL_COMPLETE);
	assert_int_equal(journal_next(j, &plan), 0);
	apply(11, JOURNAL_COMPLETE); /* it came through after all */
	assert_int_equal(journal_quarantined(j, &plan, 0), 0);
}

static void test_quarantine_resets(void **state)
{
	(void)state;
	apply(1, JOURNAL_FAILED);
	apply(3, JOURNAL_FAILED);
	apply(5, JOURNAL_COMPLETE);
	apply(7, JOURNAL_FAILED);
	apply(9, JOURNAL_FAILED);
	assert_int_equal(journal_quarantined(j, &plan, 0), 0);
	apply(11, JOURNAL_FAILED);
	assert_int_equal(journal_quarantined(j, &plan, 0), 1);
	assert_int_equal(journal_quarantined(j, &plan, 7), 0);
}

static void test_fetch_is_not_held_against(void **state)
{
	(void)state;
	for (unsigned line = 1; line <= 9; line += 2)
		journal_apply(j, &(struct journal_entry){.line = line, .state = JOURNAL_FAILED, .name = "fetch"}, 0);
	assert_int_equal(journal_quarantined(j, &plan, 0), 0);
	assert_int_equal(journal_next(j, &plan), 2);
	apply(3, JOURNAL_FAILED); /* what else is said of a line ranks before its fetch */
	apply(7, JOURNAL_FAILED);
	assert_int_equal(journal_quarantined(j, &plan, 0), 0);
	apply(9, JOURNAL_FAILED);
	assert_int_equal(journal_quarantined(j, &plan, 0), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_next, setup, teardown),
		cmocka_unit_test_setup_teardown(test_next_skips_complete_boots, setup, teardown),
		cmocka_unit_test_setup_teardown(test_quarantine, setup, teardown),
		cmocka_unit_test_setup_teardown(test_quarantine_resets, setup, teardown),
		cmocka_unit_test_setup_teardown(test_fetch_is_not_held_against, setup, teardown),
	};

	return cmocka_run_group_tests_name("journal_next", tests, NULL, NULL);
}
