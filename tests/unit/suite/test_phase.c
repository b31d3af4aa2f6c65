/* SPDX-License-Identifier: GPL-2.0-or-later */
/* phase: what its books read out of /proc, of kernels old and new, and what of it they say. */
#include "../common/unit.h"

#include <errno.h>
#include <fcntl.h>

#include "../../suite/fact.h"
#include "../../suite/phase.h"

static void test_kthread_lines(void **state)
{
	struct kthread t;

	(void)state;
	/* 6.1, 2.4, a user's program, a name that looks like the end of itself, a zombie */
	assert_int_equal(kthreads_parse("14 (kworker/0:1-events) I 2 0 0 0 -1 69238880 0 0 0 0 3 14 0 0 20 0 1 0 25 0 0 18446744073709551615 0\n",
	                                &t),
	                 1);
	assert_string_equal(t.name, "kworker/0:1-events");
	assert_int_equal(t.pid, 14);
	assert_int_equal(t.ticks, 17);
	assert_int_equal(t.start, 25);
	assert_int_equal(kthreads_parse("5 (bdflush) S 1 1 1 0 -1 64 0 0 0 0 0 2 0 0 9 0 0 0 33 0 0 4294967295 0 0 0 0 0 0\n", &t), 1);
	assert_string_equal(t.name, "bdflush");
	assert_int_equal(t.ticks, 2);
	assert_int_equal(kthreads_parse("1 (init) S 0 1 1 0 -1 256 9 9 9 9 3 14 0 0 20 0 1 0 5 1384448 96 18446744073709551615 1\n", &t), 0);
	assert_int_equal(kthreads_parse("77 (a) S) (b) S 2 0 0 0 -1 0 0 0 0 0 1 0 0 0 20 0 1 0 2 0 0 1\n", &t), 1);
	assert_string_equal(t.name, "a) S) (b");
	assert_int_equal(kthreads_parse("78 (sh) Z 1 1 1 0 -1 0 0 0 0 0 1 5 0 0 20 0 1 0 2 0 0 0\n", &t), 0);
	/* a program that ends: no memory any more, and no zombie yet */
	assert_int_equal(kthreads_parse("79 (ld) R 1 1 1 0 -1 4194572 0 0 0 0 8 5 0 0 20 0 1 0 2 0 0 0\n", &t), 0);
	assert_int_equal(kthreads_parse("78 (sh) S 1 1 1 0\n", &t), -EINVAL);
	assert_int_equal(kthreads_parse("", &t), -EINVAL);
	assert_int_equal(kthreads_parse(")78 (sh S", &t), -EINVAL);
	assert_int_equal(kthreads_parse("78 ()", &t), -EINVAL);
}

static void test_families(void **state)
{
	static const char *const known[][2] = {
		{"kworker/0:1-events", "kworker"},
		{"kworker/u8:2-rpciod", "kworker_u"},
		{"kworker/R-nfsiod", "kworker"},
		{"kworker/0:1H", "kworker"},
		{"kswapd0", "kswapd"},
		{"jbd2/vda-8", "jbd2"},
		{"flush-8:0", "flush"},
		{"ksoftirqd/1", "ksoftirqd"},
		{"ksoftirqd_CPU0", "ksoftirqd_cpu"},
		{"rpciod", "rpciod"},
		{"rpciod/0", "rpciod"},
		{"kupdated", "kupdated"},
		{"pdflush", "pdflush"},
		{"kjournald", "kjournald"},
		{"irq/24-virtio0", "irq"},
		{"nfsv4.1-svc", "nfsv"},
		{"scsi_eh_0", "scsi_eh"},
		{"migration/0", "migration"},
		{"0", "other"},
		{"", "other"},
		{"all", "other"},
		{"a name=with\nspaces", "a_name_with_spa"},
	};
	char out[KTHREADS_NAME];

	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		kthreads_family(known[i][0], out);
		assert_string_equal(out, known[i][1]);
	}
}

static struct kthread thread(uint32_t pid, uint64_t start, uint64_t ticks, const char *name)
{
	struct kthread t = {.pid = pid, .start = start, .ticks = ticks};

	snprintf(t.name, sizeof(t.name), "%s", name);
	return t;
}

static void test_since(void **state)
{
	static struct kthreads_mark before = {.n = 2, .t = {{2, 100, 7}, {3, 5, 8}}};
	struct kthreads k = {.families = 0};
	struct kthread t;
	char name[16];

	(void)state;
	t = thread(2, 7, 105, "rpciod");
	kthreads_add(&k, &before, &t);
	t = thread(3, 9, 50, "kworker/0:0"); /* the pid is another thread's now */
	kthreads_add(&k, &before, &t);
	t = thread(4, 9, 0, "kswapd0");
	kthreads_add(&k, &before, &t);
	assert_int_equal(k.families, 2);
	assert_string_equal(k.family[0].name, "rpciod");
	assert_int_equal(k.family[0].ticks, 5);
	assert_int_equal(k.family[1].ticks, 50);
	assert_int_equal(k.all, 55);
	assert_string_equal(k.top, "kworker/0:0");
	assert_int_equal(k.top_ticks, 50);
	for (unsigned i = 0; i < 20; i++) { /* more families than are told apart */
		snprintf(name, sizeof(name), "%c%c", 'a' + i, 'x');
		t = thread(100 + i, 9, 1, name);
		kthreads_add(&k, &before, &t);
	}
	assert_int_equal(k.families, KTHREADS_FAMILIES);
	assert_int_equal(k.other, 20 - (KTHREADS_FAMILIES - 2));
	assert_int_equal(k.all, 75);
}

static void test_counters(void **state)
{
	struct counters c = {.known = 0};

	(void)state;
	counters_parse_stat("cpu  1 2 3 4\nintr 5 6\nctxt 1234\nbtime 9\nprocesses 56\nprocs_running 1\n", &c);
	assert_int_equal(c.known, 1u << ALL_SWITCHES | 1u << ALL_FORKS);
	assert_int_equal(c.v[ALL_SWITCHES], 1234);
	assert_int_equal(c.v[ALL_FORKS], 56);
	counters_parse_vmstat("nr_free_pages 1\npgfault 77\npgmajfault 3", &c);
	assert_int_equal(c.v[ALL_FAULTS], 77);
	assert_int_equal(c.v[ALL_MAJOR], 3);
	counters_parse_pressure("some avg10=0.00 avg60=0.00 avg300=0.00 total=10\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=4\n", PSI_IO,
	                        PSI_IO_FULL, &c);
	assert_int_equal(c.v[PSI_IO], 10);
	assert_int_equal(c.v[PSI_IO_FULL], 4);
	counters_parse_pressure("some avg10=0.00 total=11\nfull avg10=0.00 total=0\n", PSI_CPU, COUNTERS, &c);
	assert_int_equal(c.v[PSI_CPU], 11);
	counters_parse_own("300 200 7\n", &c);
	assert_int_equal(c.v[OWN_WAIT_NS], 200);
	assert_int_equal(c.v[OWN_SLICES], 7);
	/* versions 15 and 17; the same three fields stand last */
	counters_parse_schedstat("version 15\ntimestamp 4294937296\ncpu0 0 0 0 0 0 0 100 20 3\ndomain0 3 1 2 3 4\ncpu1 0 0 0 0 0 0 1000 200 30\n",
	                         &c);
	assert_int_equal(c.v[ALL_RUN_NS], 1100);
	assert_int_equal(c.v[ALL_WAIT_NS], 220);
	assert_int_equal(c.v[ALL_SLICES], 33);
}

/* What is not there, or not counted, is not known: never 0. */
static void test_lacking(void **state)
{
	struct counters c = {.known = 0};

	(void)state;
	counters_parse_stat("", &c);
	counters_parse_stat("ctxt\nprocesses x\nxctxt 5\n", &c);
	counters_parse_vmstat("pgfaultx 7\n", &c);
	counters_parse_pressure("", PSI_IO, PSI_IO_FULL, &c);
	counters_parse_pressure("some avg10=0.00\nnone total=3\n", PSI_IO, PSI_IO_FULL, &c);
	counters_parse_own("", &c);
	counters_parse_own("1 2", &c);
	counters_parse_own("0 0 0\n", &c);
	counters_parse_schedstat("version 15\n", &c);
	counters_parse_schedstat("version 15\ncpu0 1 2\ncpu1\n", &c);
	counters_parse_schedstat("version 15\ncpu0 0 0 0 0 0 0 0 0 0\n", &c);
	assert_int_equal(c.known, 0);
}

static void test_difference(void **state)
{
	struct counters before = {.known = 7}, after = {.known = 5}, sum = {.known = 0};

	(void)state;
	before.v[0] = 10;
	after.v[0] = 15;
	after.v[1] = 100;
	before.v[2] = 9;
	after.v[2] = 3; /* it went back */
	counters_add(&sum, &before, &after);
	counters_add(&sum, &before, &after);
	assert_int_equal(sum.known, 5);
	assert_int_equal(sum.v[0], 10);
	assert_int_equal(sum.v[1], 0);
	assert_int_equal(sum.v[2], 0);
}

/* On this kernel: a phase that counts, one that does not; every line within the limit. */
static void test_phase(void **state)
{
	static struct phase p;
	int saved = fcntl(FACT_FD, F_DUPFD, 100);
	FILE *file = tmpfile();
	char line[512];
	unsigned lines = 0, cpu = 0;
	volatile unsigned x = 0;

	(void)state;
	assert_non_null(file);
	assert_int_equal(dup2(fileno(file), FACT_FD), FACT_FD);
	phase_begin(&p, "work", NULL);
	phase_end(&p, 0);
	phase_report(&p, 0);
	assert_int_equal(p.n, 0);
	for (int i = 0; i < 2; i++) {
		phase_begin(&p, "work", NULL);
		for (int j = 0; j < 1000000; j++)
			x += (unsigned)j;
		phase_end(&p, 1);
	}
	assert_int_equal(p.n, 2);
	assert_true(p.ns > 0);
	assert_null(p.mark);
	phase_report(&p, 4096);
	rewind(file);
	while (fgets(line, sizeof(line), file)) {
		assert_true(strlen(line) <= FACT_MAX + 1);
		if (!lines++)
			assert_non_null(strstr(line, "fact timed=work n=2 ns="));
		cpu += !strncmp(line, "fact cpu=work self_us=", 22);
		assert_null(strstr(line, "note"));
	}
	assert_int_equal(cpu, 1);
	assert_true(lines >= 3 && lines <= 9);
	if (saved >= 0)
		dup2(saved, FACT_FD);
	if (fileno(file) != FACT_FD)
		fclose(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kthread_lines), cmocka_unit_test(test_families), cmocka_unit_test(test_since),
		cmocka_unit_test(test_counters),      cmocka_unit_test(test_lacking),  cmocka_unit_test(test_difference),
		cmocka_unit_test(test_phase),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
