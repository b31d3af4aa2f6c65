/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_findings: each rule says its word where its evidence stands, and is silent where one part of it is taken away. The figures are made up here, so
 * that no rule can know them.
 */
#include "results_fixture.h"

#include <math.h>

#include "host/compare.h"
#include "host/findings.h"

#define BOOTS 6

static struct fx f;
static struct compare c;

static int begin(void **state)
{
	(void)state;
	fx_init(&f, 2, BOOTS, 3);
	return 0;
}

static int end(void **state)
{
	(void)state;
	compare_free(&c);
	fx_free(&f);
	return 0;
}

/* What test i is called, and its metrics m and x. */
static void call(unsigned i, const char *test, const char *m, const char *x)
{
	strcpy(f.test[i].name, test);
	strcpy(f.suite_test[i].name, test);
	strcpy(f.metric[i][0].name, m);
	strcpy(f.metric[i][1].name, x);
}

static void unit(unsigned i, const char *u, enum suite_better better)
{
	for (int k = 0; k < 2; k++) {
		strcpy(f.metric[i][k].unit, u);
		f.metric[i][k].better = better;
	}
}

/* The whole test i in every boot: values of m and of x (0: none) of base and subject, each a little apart from boot to boot; facts of either side. */
static void fill(unsigned i, const double m[2], const double x[2], const char *const facts[2][6])
{
	for (unsigned l = 1; l <= 2 * BOOTS; l++) {
		unsigned side = (l - 1) % 2, records = 2;
		double off = 1 + .001 * ((l - 1) / 2);
		char text[256];
		snprintf(text, sizeof text, "test=%s", f.test[i].name);
		fx_record(&f, l, "begin", text);
		for (int k = 0; k < 6 && facts && facts[side][k]; k++) {
			snprintf(text, sizeof text, "test=%s %s", f.test[i].name, facts[side][k]);
			fx_record(&f, l, "fact", text);
			records++;
		}
		snprintf(text, sizeof text, "test=%s name=%s v=%.3f", f.test[i].name, f.metric[i][0].name, m[side] * off);
		fx_record(&f, l, "metric", text);
		records++;
		if (x) {
			snprintf(text, sizeof text, "test=%s name=%s v=%.3f", f.test[i].name, f.metric[i][1].name, x[side] * off);
			fx_record(&f, l, "metric", text);
			records++;
		}
		snprintf(text, sizeof text, "test=%s records=%u status=pass", f.test[i].name, records);
		fx_record(&f, l, "end", text);
	}
}

static void compare(void)
{
	const struct compare_options o = {.alpha = .05, .threshold = .03};
	fx_measure(&f);
	assert_int_equal(compare_make(&c, &f.m, &o), 0);
}

static const struct finding *find(const char *rule)
{
	for (size_t i = 0; i < c.pair[0].findings; i++)
		if (!strcmp(c.pair[0].finding[i].rule, rule))
			return &c.pair[0].finding[i];
	return NULL;
}

static void says(const char *rule, const char *text)
{
	const struct finding *x = find(rule);
	if (!x)
		fail_msg("nothing says %s", rule);
	if (!strstr(x->text, text))
		fail_msg("%s: '%s' lacks '%s'", rule, x->text, text);
}

static void silent(const char *rule)
{
	const struct finding *x = find(rule);
	if (x)
		fail_msg("%s: %s", rule, x->text);
}

/* ---- controls */

static void with_control(double control)
{
	call(0, "nfs-bulk", "write", "read");
	unit(0, "B/s", SUITE_HIGHER);
	call(1, "net-tcp", "recv", "send");
	unit(1, "B/s", SUITE_HIGHER);
	fill(0, (double[]){1e8, .8e8}, (double[]){2e8, 1.5e8}, NULL);
	fill(1, (double[]){1e8, control * 1e8}, NULL, NULL);
	compare();
}

static void control_unchanged(void **state)
{
	(void)state;
	with_control(1.01);
	says("control-unchanged", "did not move (+1.0 %) while 2 sequential phases fell");
	says("control-unchanged", "sequential NFS path");
	silent("control-moved");
}

/* The same programs without a disk: below them is what is left. */
static void control_on_tmpfs(void **state)
{
	(void)state;
	call(0, "disk-seq", "write", "read");
	unit(0, "B/s", SUITE_HIGHER);
	call(1, "tmpfs-rand", "read", "write");
	unit(1, "count/s", SUITE_HIGHER);
	fill(0, (double[]){1e8, .8e8}, (double[]){2e8, 1.5e8}, NULL);
	fill(1, (double[]){1e5, 1.01e5}, NULL, NULL);
	compare();
	says("control-unchanged", "the control tmpfs-rand read did not move (+1.0 %)");
	says("control-unchanged", "the fault is below the VFS");
	silent("control-moved");
}

static void control_moved(void **state)
{
	(void)state;
	with_control(.8);
	silent("control-unchanged");
	says("control-moved", "net-tcp recv moved too");
}

/* Several that stand alike are one finding, which names them all. */
static void with_controls(double recv, double send)
{
	call(0, "nfs-bulk", "write", "read");
	unit(0, "B/s", SUITE_HIGHER);
	call(1, "net-tcp", "recv", "send");
	unit(1, "B/s", SUITE_HIGHER);
	fill(0, (double[]){1e8, .8e8}, (double[]){2e8, 1.5e8}, NULL);
	fill(1, (double[]){1e8, recv * 1e8}, (double[]){1e8, send * 1e8}, NULL);
	compare();
}

static void controls_unchanged(void **state)
{
	(void)state;
	with_controls(1.01, .98);
	says("control-unchanged", "2 controls did not move (the farthest by -2.0 %): net-tcp recv (+1.0 %), net-tcp send (-2.0 %), while 2");
	silent("control-moved");
}

static void controls_moved(void **state)
{
	(void)state;
	with_controls(.8, .7);
	says("control-moved", "2 controls moved too (the worst by -30.0 %): net-tcp recv (-20.0 %), net-tcp send (-30.0 %): what fell");
	silent("control-unchanged");
}

static void controls_of_two_minds(void **state)
{
	(void)state;
	with_controls(1.01, .7);
	says("control-moved", "net-tcp send moved too (-30.0 %)");
	says("control-unchanged", "net-tcp recv did not move (+1.0 %)");
	says("control-unchanged", "acquits nothing");
}

static void control_without_a_fall(void **state)
{
	(void)state;
	call(0, "nfs-bulk", "write", "read");
	unit(0, "B/s", SUITE_HIGHER);
	call(1, "net-tcp", "recv", "send");
	unit(1, "B/s", SUITE_HIGHER);
	fill(0, (double[]){1e8, 1e8}, (double[]){2e8, 2.5e8}, NULL); /* one the same, one better */
	fill(1, (double[]){1e8, 1e8}, NULL, NULL);
	compare();
	silent("control-unchanged");
	silent("control-moved");
}

/* Fell by 4.8 %; a control that wanders by 7 % from boot to boot may not acquit. */
static void control_too_coarse(void **state)
{
	(void)state;
	call(0, "disk-seq", "write", "read");
	unit(0, "B/s", SUITE_HIGHER);
	call(1, "cpu-parallel", "one", "two");
	unit(1, "count/s", SUITE_HIGHER);
	fill(0, (double[]){1e8, .95e8}, NULL, NULL);
	for (unsigned l = 1; l <= 2 * BOOTS; l++) {
		char text[128];
		snprintf(text, sizeof text, "test=cpu-parallel name=one v=%u", 1000 + (l * 5 % 7) * 20);
		fx_record(&f, l, "begin", "test=cpu-parallel");
		fx_record(&f, l, "metric", text);
		fx_record(&f, l, "end", "test=cpu-parallel records=3 status=pass");
	}
	compare();
	silent("control-unchanged");
}

/* ---- waiting, bytes a CPU second, kernel threads */

static void with_cpu(const char *base, const char *subject)
{
	const char *const facts[2][6] = {{"timed=write n=1 ns=10000000000 bytes=1000000000", base},
	                                 {"timed=write n=1 ns=15000000000 bytes=1000000000", subject}};
	call(0, "disk-seq", "write", "read");
	unit(0, "B/s", SUITE_HIGHER);
	fill(0, (double[]){1e8, .667e8}, NULL, facts);
	compare();
}

static void waiting(void **state)
{
	(void)state;
	with_cpu("cpu=write self_us=1000000 busy_us=2000000 sys_us=900000 idle_us=8000000",
	         "cpu=write self_us=1000000 busy_us=2000000 sys_us=900000 idle_us=13000000");
	says("waiting", "the lower %CPU is no improvement");
	says("waiting", "write 1.07 to 1.07");
	silent("per-cpu-second");
	silent("kernel-threads");
	silent("cpu-of-process-only");
}

static void not_waiting(void **state)
{
	(void)state;
	with_cpu("cpu=write self_us=1000000 busy_us=2000000 sys_us=900000 idle_us=8000000",
	         "cpu=write self_us=6000000 busy_us=7000000 sys_us=5900000 idle_us=8000000");
	silent("waiting");
}

static void per_cpu_second(void **state)
{
	const char *const facts[2][6] = {{"timed=write n=1 ns=10000000000 bytes=1000000000", "cpu=write self_us=4000000"},
	                                 {"timed=write n=1 ns=5000000000 bytes=1000000000", "cpu=write self_us=2000000"}};
	(void)state;
	call(0, "disk-seq", "write", "read");
	unit(0, "B/s", SUITE_HIGHER);
	fill(0, (double[]){1e8, 2e8}, NULL, facts);
	compare();
	says("per-cpu-second", "write x2.00");
	says("cpu-of-process-only", "rpciod");
	silent("waiting");
}

static void kernel_threads(void **state)
{
	const char *const facts[2][6] = {{"timed=write n=1 ns=10000000000 bytes=1000000000",
	                                  "cpu=write self_us=1000000 busy_us=2000000 sys_us=1 idle_us=8",
	                                  "kernel=write all_us=300000 rpciod_us=300000"},
	                                 {"timed=write n=1 ns=10000000000 bytes=1000000000",
	                                  "cpu=write self_us=1000000 busy_us=9900000 sys_us=1 idle_us=8",
	                                  "kernel=write all_us=9000000 rpciod_us=9000000"}};
	(void)state;
	call(0, "nfs-bulk", "write", "read");
	unit(0, "B/s", SUITE_HIGHER);
	fill(0, (double[]){1e8, 1e8}, NULL, facts);
	compare();
	says("kernel-threads", "kernel threads used 90 % of a CPU, 3 % at the base");
}

/* ---- together */

static void with_third(double third)
{
	f.suite_test[0].metrics = 2;
	call(0, "disk-bonnie", "read", "write");
	unit(0, "B/s", SUITE_HIGHER);
	call(1, "x", "y", "z");
	static const double down[2] = {1e8, .8e8};
	for (unsigned l = 1; l <= 2 * BOOTS; l++) {
		unsigned side = (l - 1) % 2;
		char text[128];
		fx_record(&f, l, "begin", "test=disk-bonnie");
		snprintf(text, sizeof text, "test=disk-bonnie name=read v=%.0f", down[side] + l);
		fx_record(&f, l, "metric", text);
		snprintf(text, sizeof text, "test=disk-bonnie name=write v=%.0f", down[side] * 1.1 + l);
		fx_record(&f, l, "metric", text);
		fx_record(&f, l, "end", "test=disk-bonnie records=4 status=pass");
	}
	/* a third phase needs a third description */
	static struct suite_metric three[3];
	memcpy(three, f.metric[0], sizeof f.metric[0]);
	three[2] = three[1];
	strcpy(three[2].name, "rewrite");
	f.suite_test[0].metric = three;
	f.suite_test[0].metrics = 3;
	for (size_t i = 0; i < f.store.records; i++) /* into the same test: make room before `end` */
		if (!strcmp(f.store.record[i].kind, "end"))
			f.store.record[i].seq++;
	for (unsigned l = 1; l <= 2 * BOOTS; l++) {
		char text[128];
		f.seq[l] = 3;
		snprintf(text, sizeof text, "test=disk-bonnie name=rewrite v=%.0f", ((l - 1) % 2 ? third : 1) * 5e7 + l);
		fx_record(&f, l, "metric", text);
	}
	for (size_t i = 0; i < f.store.records; i++)
		if (!strcmp(f.store.record[i].kind, "end"))
			for (size_t k = 0; k < f.store.record[i].n; k++)
				if (!strcmp(f.store.record[i].pair[k].key, "records"))
					f.store.record[i].pair[k].val = "5";
	compare();
}

static void together(void **state)
{
	(void)state;
	with_third(.75);
	says("together", "all 3 sequential phases of disk-bonnie fell alike");
}

static void not_together(void **state)
{
	(void)state;
	with_third(1);
	silent("together");
}

/* ---- the page cache */

static void with_wire(const char *subject)
{
	const char *const facts[2][6] = {{"timed=randread_1 n=1 ns=10000000000 bytes=100000000",
	                                  "nfs=randread_1 op=all ops=1000 trans=1000 rtt_ms=5000 exe_ms=5100",
	                                  "nfs=randread_1 read=100000000 direct_read=0 server_read=100000000"},
	                                 {"timed=randread_1 n=1 ns=1000000000 bytes=100000000",
	                                  "nfs=randread_1 op=all ops=1000 trans=1000 rtt_ms=500 exe_ms=510", subject}};
	call(0, "nfs-threads", "randread_1", "seqread_1");
	unit(0, "B/s", SUITE_HIGHER);
	fill(0, (double[]){1e7, 1e8}, (double[]){1e8, 1.1e8}, facts);
	compare();
}

static void cache_by_the_wire(void **state)
{
	(void)state;
	with_wire("nfs=randread_1 read=100000000 direct_read=0 server_read=1000000");
	says("cache-dominated", "1.00 (base) and 0.01 went over the wire");
}

static void no_cache_by_the_wire(void **state)
{
	(void)state;
	with_wire("nfs=randread_1 read=100000000 direct_read=0 server_read=100000000");
	silent("cache-dominated");
}

/* ---- elapsed time */

static void with_elapsed(const char *subject, double wake)
{
	const char *const facts[2][6] = {{"timed=rm n=1 ns=70000000000 bytes=0",
	                                  "cpu=rm self_us=9000000 busy_us=20000000 sys_us=18000000 idle_us=50000000"},
	                                 {"timed=rm n=1 ns=240000000000 bytes=0", subject}};
	call(0, "disk-tree", "rm", "walk");
	unit(0, "ns", SUITE_LOWER);
	call(1, "sched-wake-disk", "p99", "p50");
	unit(1, "ns", SUITE_LOWER);
	fill(0, (double[]){70e9, 240e9}, NULL, facts);
	fill(1, (double[]){1e6, wake}, NULL, NULL);
	compare();
}

static void wake_up(void **state)
{
	(void)state;
	with_elapsed("cpu=rm self_us=9000000 busy_us=20500000 sys_us=18200000 idle_us=219500000", 4e7);
	says("wake-up", "system CPU is flat (18.00 s, 18.20 s) and idle is up (71 % to 91 %)");
	says("wake-up", "wake-up latency is up with it: sched-wake-disk p99 (x40.0)");
	silent("elapsed-only");
}

static void elapsed_in_the_system(void **state)
{
	(void)state;
	with_elapsed("cpu=rm self_us=9000000 busy_us=190000000 sys_us=188000000 idle_us=50000000", 1e6);
	silent("wake-up");
	silent("elapsed-only");
}

static void elapsed_alone(void **state)
{
	(void)state;
	call(0, "disk-tree", "rm", "walk");
	unit(0, "ns", SUITE_LOWER);
	fill(0, (double[]){70e9, 240e9}, NULL, NULL);
	compare();
	says("elapsed-only", "no CPU time was told");
	silent("wake-up");
}

/* ---- NFS */

static void with_nfs(const char *subject)
{
	const char *const facts[2][6] = {{"timed=read n=1 ns=10000000000 bytes=100000000",
	                                  "nfs=read op=all ops=10000 trans=10000 rtt_ms=40000 exe_ms=42000 queue_ms=100"},
	                                 {"timed=read n=1 ns=20000000000 bytes=100000000", subject}};
	call(0, "nfs-bulk", "read", "write");
	unit(0, "B/s", SUITE_HIGHER);
	fill(0, (double[]){1e7, .5e7}, NULL, facts);
	compare();
}

static void lost_pipelining(void **state)
{
	(void)state;
	with_nfs("nfs=read op=all ops=10000 trans=10000 rtt_ms=41000 exe_ms=43000 queue_ms=100");
	says("lost-pipelining", "(4.00 and 4.10 ms) with fewer requests under way (4.00 to 2.05)");
	silent("retransmissions");
	silent("client-queue");
	silent("more-operations");
}

/* Twice the round trip with as many under way: a slow server or wire, and no loss of pipelining. */
static void slower_round_trip(void **state)
{
	(void)state;
	with_nfs("nfs=read op=all ops=10000 trans=10000 rtt_ms=80000 exe_ms=84000 queue_ms=100");
	silent("lost-pipelining");
	silent("client-queue");
}

static void retransmissions(void **state)
{
	(void)state;
	with_nfs("nfs=read op=all ops=10000 trans=10200 rtt_ms=80000 exe_ms=84000 queue_ms=100");
	says("retransmissions", "200 requests were sent again (0 at the base, of 10000)");
}

static void client_queue(void **state)
{
	(void)state;
	with_nfs("nfs=read op=all ops=10000 trans=10000 rtt_ms=80000 exe_ms=400000 queue_ms=300000");
	says("client-queue", "5.0 times its round trip");
}

static void more_operations(void **state)
{
	(void)state;
	with_nfs("nfs=read op=all ops=30000 trans=30000 rtt_ms=240000 exe_ms=250000 queue_ms=100");
	says("more-operations", "(10000 to 30000)");
}

/* ---- runs */

static void noisy_but_separate(void **state)
{
	static const unsigned bad[] = {157, 237, 292, 180, 260, 330};
	(void)state;
	call(0, "disk-tree", "rm", "walk");
	unit(0, "ns", SUITE_LOWER);
	for (unsigned l = 1; l <= 2 * BOOTS; l++) {
		char text[64];
		snprintf(text, sizeof text, "test=disk-tree name=rm v=%u", (l - 1) % 2 ? bad[(l - 1) / 2] : 70 + l / 2);
		fx_record(&f, l, "begin", "test=disk-tree");
		fx_record(&f, l, "metric", text);
		fx_record(&f, l, "end", "test=disk-tree records=3 status=pass");
	}
	compare();
	says("noisy-but-separate", "the sides do not overlap; a coefficient of variation of 27.1 %");
	silent("too-few-runs");
	silent("one-run");
}

static void same_everywhere(void **state)
{
	(void)state;
	call(0, "disk-seq", "write", "read");
	unit(0, "B/s", SUITE_HIGHER);
	fill(0, (double[]){1e8, 1e8}, (double[]){2e8, 2e8}, NULL);
	compare();
	assert_int_equal(c.pair[0].findings, 0);
}

int main(void)
{
#define T(x) cmocka_unit_test_setup_teardown(x, begin, end)
	const struct CMUnitTest tests[] = {
		T(control_unchanged),
		T(control_on_tmpfs),
		T(control_moved),
		T(controls_unchanged),
		T(controls_moved),
		T(controls_of_two_minds),
		T(control_without_a_fall),
		T(control_too_coarse),
		T(waiting),
		T(not_waiting),
		T(per_cpu_second),
		T(kernel_threads),
		T(together),
		T(not_together),
		T(cache_by_the_wire),
		T(no_cache_by_the_wire),
		T(wake_up),
		T(elapsed_in_the_system),
		T(elapsed_alone),
		T(lost_pipelining),
		T(slower_round_trip),
		T(retransmissions),
		T(client_queue),
		T(more_operations),
		T(noisy_but_separate),
		T(same_everywhere),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
