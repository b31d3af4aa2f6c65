/* SPDX-License-Identifier: GPL-2.0-or-later */
/* env_text: texts of kernels old and new; nothing is guessed. */
#include "../common/unit.h"

#include <errno.h>

#include "box/env_text.h"

static void test_chosen(void **state)
{
	char out[16];

	(void)state;
	env_chosen("always [madvise] never\n", out, sizeof out);
	assert_string_equal(out, "madvise");
	env_chosen("[none] mq-deadline", out, sizeof out);
	assert_string_equal(out, "none");
	env_chosen("none\n", out, sizeof out);
	assert_string_equal(out, "none");
	env_chosen("[broken\n", out, sizeof out);
	assert_string_equal(out, "[broken");
	env_chosen("", out, sizeof out);
	assert_string_equal(out, "");
	env_chosen("[a word that is much too long]", out, sizeof out);
	assert_int_equal(strlen(out), sizeof out - 1);
}

static void test_preempt(void **state)
{
	static const struct {
		const char *version, *debugfs, *is;
	} known[] = {
		{"Linux version 6.1.0 (gcc) #1 SMP PREEMPT_DYNAMIC Debian 6.1", "", "dynamic"},
		{"Linux version 6.1.0 (gcc) #1 SMP PREEMPT_DYNAMIC Debian 6.1", "none (voluntary) full\n", "voluntary"},
		{"Linux version 7.2 (gcc) #1 SMP PREEMPT_DYNAMIC Debian", "full (lazy)\n", "lazy"},
		{"Linux version 6.1.0 (gcc) #1 SMP PREEMPT_RT Debian", "", "rt"},
		{"Linux version 4.9 (gcc) #1 SMP PREEMPT RT Debian", "", "rt"},
		{"Linux version 2.6.11 (gcc) #1 SMP PREEMPT Mon", "", "full"},
		{"Linux version 7.2 (gcc) #1 SMP PREEMPT_LAZY Mon", "", "lazy"},
		{"Linux version 2.4.20 (me@PREEMPT_RTX) #1 Mon", "", "no"},
		{"", "", ""},
	};
	char out[16];

	(void)state;
	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		env_preempt(known[i].version, known[i].debugfs, out, sizeof out);
		assert_string_equal(out, known[i].is);
	}
}

static void test_hz(void **state)
{
	(void)state;
	assert_int_equal(env_hz(4000000), 250);
	assert_int_equal(env_hz(10000000), 100);
	assert_int_equal(env_hz(1000000), 1000);
	assert_int_equal(env_hz(999848), 1000); /* as old kernels round it */
	assert_int_equal(env_hz(3333333), 300);
	assert_int_equal(env_hz(1), 0);
	assert_int_equal(env_hz(0), 0);
	assert_int_equal(env_hz(UINT64_MAX), 0);
}

static void test_memory(void **state)
{
	static const char new[] = "MemTotal:  29000 kB\nMemFree:  1000 kB\nMemAvailable:  20000 kB\nBuffers: 5 kB\nCached: 7 kB\n";
	static const char old[] =
		"        total:    used:\nMem:  1 2 3\nMemTotal:  29000 kB\nMemFree:  1000 kB\nMemShared: 0 kB\nBuffers: 500 kB\nCached: 7000 kB\n"
		"SwapCached: 9999 kB\n";
	char reason[160];

	(void)state;
	assert_int_equal(env_lacks_memory(new, 15904, reason, sizeof reason), 0);
	assert_int_equal(env_lacks_memory(new, 15905, reason, sizeof reason), 1);
	assert_string_equal(reason, "memory: 20000 kB are free, it wants 15905 kB and 4096 kB to spare");
	assert_int_equal(env_lacks_memory(old, 4405, reason, sizeof reason), 1);
	assert_int_equal(env_lacks_memory(new, 0, reason, sizeof reason), 0);      /* it has said nothing */
	assert_int_equal(env_lacks_memory("", 1 << 30, reason, sizeof reason), 0); /* a kernel that says nothing */
}

static void test_clock(void **state)
{
	(void)state;
	assert_int_equal(env_clock_changed("tsc", "tsc"), 0);
	assert_int_equal(env_clock_changed("tsc", "hpet"), 1);
	assert_int_equal(env_clock_changed("hpet", "tsc-early"), 1);
	assert_int_equal(env_clock_changed("tsc-early", "tsc"), 0);
	assert_int_equal(env_clock_changed("unknown", "unknown"), 0);
}

static void test_weakness(void **state)
{
	(void)state;
	assert_int_equal(env_weakness("Not affected\n"), 'n');
	assert_int_equal(env_weakness("Mitigation: PTI\n"), 'm');
	assert_int_equal(env_weakness("Vulnerable: Clear CPU buffers attempted, no microcode\n"), 'v');
	assert_int_equal(env_weakness("KVM: Mitigation: VMX disabled\n"), 'm');
	assert_int_equal(env_weakness("Unknown: No mitigations\n"), '?');
	assert_int_equal(env_weakness(""), '?');
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_chosen), cmocka_unit_test(test_preempt),  cmocka_unit_test(test_hz),
		cmocka_unit_test(test_memory), cmocka_unit_test(test_weakness), cmocka_unit_test(test_clock),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
