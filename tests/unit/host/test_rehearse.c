/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of faults: every row is whole, names are known to the journal, and what is allowed is told from what is not. */
#include "../common/unit.h"

#include "common/kv.h"
#include "host/rehearse.h"

/* Every word of `allowed` is a state in which a line can end, or failed: and a name that the journal ranks. */
static void check_allowed(const struct rehearse_fault *f)
{
	char words[300], *save = NULL;

	assert_true(strlen(f->allowed) < sizeof(words));
	strcpy(words, f->allowed);
	for (char *w = strtok_r(words, " ", &save); w; w = strtok_r(NULL, " ", &save)) {
		if (!strncmp(w, "failed:", 7)) {
			if (journal_failure_rank(w + 7) == journal_failure_rank("no-such-name"))
				fail_msg("%s: the journal knows no failure '%s'", f->name, w + 7);
		} else if (strcmp(w, "complete") && strcmp(w, "not-run") && strcmp(w, "void")) {
			fail_msg("%s: '%s' is no state in which a line ends", f->name, w);
		}
	}
}

static void test_table(void **state)
{
	(void)state;
	assert_true(rehearse_faults_n <= REHEARSE_MAX);
	for (size_t i = 0; i < rehearse_faults_n; i++) {
		const struct rehearse_fault *f = &rehearse_faults[i];

		assert_true(kv_is_id(f->name));
		assert_ptr_equal(rehearse_find(f->name), f); /* no name twice */
		assert_true(*f->about && *f->allowed);
		check_allowed(f);
		assert_int_equal(f->where == REHEARSE_BOX, f->words != NULL);
		assert_int_equal(f->where == REHEARSE_STATION, f->act != REHEARSE_NONE);
		assert_true(f->where != REHEARSE_STATION || (f->at >= JOURNAL_GO && f->at <= JOURNAL_COMPLETE));
		/* a sweep that ran through a fault of the station has a complete boot behind it */
		assert_true(f->where != REHEARSE_STATION || rehearse_allows(f, JOURNAL_COMPLETE, "", ""));
	}
	assert_null(rehearse_find("nonsense"));
}

static void test_allowed(void **state)
{
	struct rehearse_fault f = {.allowed = "complete failed:panic failed:no-hello"};

	(void)state;
	assert_true(rehearse_allows(&f, JOURNAL_COMPLETE, "", ""));
	assert_true(rehearse_allows(&f, JOURNAL_FAILED, "panic", ""));
	assert_true(rehearse_allows(&f, JOURNAL_FAILED, "no-hello", ""));
	assert_false(rehearse_allows(&f, JOURNAL_FAILED, "pani", ""));
	assert_false(rehearse_allows(&f, JOURNAL_FAILED, "panics", ""));
	assert_false(rehearse_allows(&f, JOURNAL_FAILED, "", ""));
	assert_false(rehearse_allows(&f, JOURNAL_NOT_RUN, "", ""));
	assert_false(rehearse_allows(&f, JOURNAL_VOID, "", "wrong-kernel"));
	/* no fault of its own */
	assert_true(rehearse_allows(&f, JOURNAL_VOID, "", "off-path"));
	assert_true(rehearse_allows(&f, JOURNAL_VOID, "", "stopped"));
	assert_true(rehearse_allows(&f, JOURNAL_VOID, "", "after-power-cycle"));
	f.allowed = "failed:panic";
	assert_false(rehearse_allows(&f, JOURNAL_COMPLETE, "", ""));
	f.allowed = "void";
	assert_true(rehearse_allows(&f, JOURNAL_VOID, "", "wrong-kernel"));
}

static void test_shuffle(void **state)
{
	const struct rehearse_fault *a[REHEARSE_MAX], *b[REHEARSE_MAX];
	size_t n = rehearse_faults_n, moved = 0, other = 0;

	(void)state;
	for (size_t i = 0; i < n; i++)
		a[i] = b[i] = &rehearse_faults[i];
	rehearse_shuffle(a, n, 7);
	rehearse_shuffle(b, n, 7);
	assert_memory_equal(a, b, n * sizeof(*a)); /* the same seed, the same order */
	rehearse_shuffle(b, n, 8);
	for (size_t i = 0; i < n; i++) {
		size_t seen = 0;

		for (size_t k = 0; k < n; k++)
			seen += a[k] == &rehearse_faults[i];
		assert_int_equal(seen, 1);
		moved += a[i] != &rehearse_faults[i];
		other += a[i] != b[i];
	}
	assert_true(moved > n / 2);
	assert_true(other > n / 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_table), cmocka_unit_test(test_allowed), cmocka_unit_test(test_shuffle)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
