/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_import: what the parsers of old tables take, what they name, and that garbage costs nothing but a remark. */
#include "../common/unit.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "host/import.h"

static struct import im;

static int begin(void **state)
{
	(void)state;
	im = (struct import){.subjects = "k"};
	return 0;
}

static int end(void **state)
{
	(void)state;
	import_free(&im);
	return 0;
}

static void read_text(const char *text) { assert_int_equal(import_text(&im, "mail", text, strlen(text)), 0); }

static const struct import_value *find(const char *subject, const char *test, const char *metric)
{
	for (size_t i = 0; i < im.values; i++)
		if (!strcmp(im.value[i].subject, subject) && !strcmp(im.value[i].test, test) && !strcmp(im.value[i].metric, metric))
			return &im.value[i];
	return NULL;
}

static void is(const char *subject, const char *test, const char *metric, double v, double cpu)
{
	const struct import_value *x = find(subject, test, metric);
	if (!x)
		fail_msg("no %s %s of %s", test, metric, subject);
	assert_float_equal(x->v, v, v * 1e-6);
	if (isnan(cpu))
		assert_true(isnan(x->cpu_percent));
	else
		assert_float_equal(x->cpu_percent, cpu, 1e-6);
}

static int said(const char *text)
{
	for (size_t i = 0; i < im.remarks; i++)
		if (strstr(im.remark[i], text))
			return 1;
	return 0;
}

static void durations(void **state)
{
	static const struct {
		const char *text;
		double s;
	} good[] = {{"71 s", 71},          {"2m.80s", 120.8}, {"1 m 28 s", 88},   {"29 m 54 s", 1794}, {"1:28", 88},
	            {"1:02:03.5", 3723.5}, {"830 ms", .83},   {"194 min", 11640}, {"15.6 s", 15.6},    {"2m27.853s", 147.853},
	            {"3 m 47 s", 227},     {"1,024 s", 1024}, {"2 hours", 7200.}};
	static const char *const bad[] = {"",     "71",      "s",      "-3 s",   "nan s",     "inf s",  "28 s 1 m",
	                                  "1:75", "1:2:3:4", "0x10 s", "1e30 s", "3 parsecs", "1.2.3 s"};
	double s, resolution;
	(void)state;
	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		if (import_duration(good[i].text, &s, &resolution))
			fail_msg("refused: %s", good[i].text);
		assert_float_equal(s, good[i].s, 1e-9);
	}
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		if (!import_duration(bad[i], &s, &resolution))
			fail_msg("taken: '%s' as %g s", bad[i], s);
	assert_int_equal(import_duration("97 secs", &s, &resolution), 0);
	assert_float_equal(resolution, 1, 1e-9);
	assert_int_equal(import_duration("1.5 m", &s, &resolution), 0);
	assert_float_equal(resolution, 6, 1e-9);
}

static void numbers(void **state)
{
	double v;
	(void)state;
	assert_int_equal(import_number("1,072,458,941", &v), 0);
	assert_float_equal(v, 1072458941., 1e-3);
	assert_int_equal(import_number("1.1e+04", &v), 0);
	assert_float_equal(v, 11000, 1e-6);
	static const char *const bad[] = {"",      "-1", "nan", "inf", "0x12",    "1,23", "1,2345", "1e99", "99999999999999999999",
	                                  "1.2.3", ".",  "12a", "+5",  "1,234,56"};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		if (!import_number(bad[i], &v))
			fail_msg("taken: '%s' as %g", bad[i], v);
	assert_int_equal(import_percent("80.0%", &v), 0);
	assert_float_equal(v, 80, 1e-9);
	assert_int_equal(import_percent("+++", &v), 0);
	assert_true(isnan(v));
	assert_int_not_equal(import_percent("99999", &v), 0);
	assert_float_equal(import_size("1*1500", 1048576), 1500 * 1048576., 1);
	assert_float_equal(import_size("4G", 1048576), 4 * 1073741824., 1);
	assert_float_equal(import_size("300000K:32k", 1), 300000 * 1024., 1);
	assert_float_equal(import_size("client", 1), 0, 0);
}

static const char bonnie_head[] = "Machine    MB K/sec %CPU K/sec %CPU K/sec %CPU K/sec %CPU K/sec %CPU  /sec %CPU\n";

static void bonnie(void **state)
{
	char text[2000];
	(void)state;
	im.subjects = NULL;
	snprintf(text, sizeof text,
	         "> 2.4.19:\n> %s> 1*1500 10328 10.5 10319  3.8  4280  3.2 10436 14.3 10712  2.8   9.3  3.0\n\n"
	         "%s2.4.20-pre8 1500 7356  7.6  6939  1.7\n  3168  1.3  7389  7.0  7722  2.1\n 9.9  3.8\n",
	         bonnie_head, bonnie_head);
	read_text(text);
	is("2.4.19", "disk-bonnie", "putc", 10328 * 1024., 10.5);
	is("2.4.19", "disk-bonnie", "write", 10319 * 1024., 3.8);
	is("2.4.19", "disk-bonnie", "seek", 9.3, 3.0);
	is("2.4.20-pre8", "disk-bonnie", "read", 7722 * 1024., 2.1);
	is("2.4.20-pre8", "disk-bonnie", "seek", 9.9, 3.8);
	assert_float_equal(find("2.4.19", "disk-bonnie", "read")->bytes, 1500 * 1048576., 1);
	assert_int_equal(im.values, 12);
	assert_int_equal(im.skipped, 0);
	assert_true(said("assumed: K/sec"));
}

static double how(const struct import_value *x, const char *key)
{
	for (size_t i = 0; x && i < IMPORT_SAID_MAX && x->how[i].key; i++)
		if (!strcmp(x->how[i].key, key))
			return x->how[i].v;
	return NAN;
}

/* What Bonnie 1.3 says above its head is of the table below it, and of no other. */
static void bonnie_way(void **state)
{
	char text[2000];
	const struct import_value *x;
	(void)state;
	snprintf(text, sizeof text,
	         "   ---Sequential Output (nosync)--- ---Sequential Input-- --Rnd Seek-\n"
	         "   -Per Char- --Block--- -Rewrite-- -Per Char- --Block--- --04k (03)-\n"
	         "%s2.4.19 1*1500 10328 10.5 10319  3.8  4280  3.2 10436 14.3 10712  2.8   9.3  3.0\n\nand\n\n"
	         "%s2.4.20 10328 10.5 10319  3.8  4280  3.2 10436 14.3 10712  2.8   9.3  3.0\n",
	         bonnie_head, bonnie_head);
	read_text(text);
	x = find("2.4.19", "disk-bonnie", "seek");
	assert_float_equal(how(x, "fsync"), 0, 0);
	assert_float_equal(how(x, "unlocked"), 0, 0);
	assert_float_equal(how(x, "seeks"), 4000, 0);
	assert_float_equal(how(x, "seekers"), 3, 0);
	assert_float_equal(how(x, "size_bytes"), 1500 * 1048576., 0);
	x = find("2.4.20", "disk-bonnie", "seek");
	assert_non_null(x);
	assert_null(x->how[0].key);
}

static void bonnie_machine_is_no_kernel(void **state)
{
	char text[800];
	(void)state;
	snprintf(text, sizeof text, "%sgaia 100 10328 10.5 10319  3.8  4280  3.2 10436 14.3 10712  2.8   9.3  3.0\n", bonnie_head);
	read_text(text);
	is("k", "disk-bonnie", "putc", 10328 * 1024., 10.5);
	assert_string_equal(im.value[0].machine, "gaia");
	assert_true(said("that is the machine"));
}

static void bonnie_plusplus(void **state)
{
	(void)state;
	/* 2.00a prints units, and "+++++" where a phase was too short; its CSV below says the same once more */
	read_text("Version 2.00a       ------Sequential Output------ --Sequential Input- --Random-\n"
	          "                    -Per Chr- --Block-- -Rewrite- -Per Chr- --Block-- --Seeks--\n"
	          "Name:Size etc        /sec %CP  /sec %CP  /sec %CP  /sec %CP  /sec %CP  /sec %CP\n"
	          "boxy            16M 1046k  36 +++++ +++ 110m  12 1660k  37 +++++ +++ 8123  99\n"
	          "Latency             34152us    7529us    4112us   21832us    1523us   20216us\n\n"
	          "1.98,2.00a,boxy,1,1796063091,16M,,8192,5,1046,36,+++++,+++,112640,12,1660,37,+++++,+++,8123,99,,,,,,,,,,,,,,,,,,34152us,7529us\n");
	is("k", "disk-bonnie++", "putc", 1046 * 1024., 36);
	is("k", "disk-bonnie++", "rewrite", 110 * 1048576., 12);
	is("k", "disk-bonnie++", "seek", 8123, 99);
	assert_null(find("k", "disk-bonnie++", "write"));
	assert_int_equal(im.values, 4);
	assert_true(said("too short"));
}

static void bonnie_csv(void **state)
{
	(void)state;
	im.subjects = "a,b,c";
	read_text("box,4G,100,90,200,50,300,40,400,30,500,20,600.5,10,16,+++++,+++,+++++,+++,+++++,+++,+++++,+++,+++++,+++,+++++,+++\n"
	          "1.97,1.97,box,1,1309273452,4G,,101,90,201,50,301,40,401,30,501,20,601.5,10,16,,,,,+++++,+++\n"
	          "1.98,2.00a,box,1,1309273452,4G,,8192,5,102,90,202,50,302,40,402,30,502,20,602.5,10,16,,,,\n");
	is("a", "disk-bonnie++", "putc", 100 * 1024., 90);
	is("a", "disk-bonnie++", "seek", 600.5, 10);
	is("b", "disk-bonnie++", "read", 501 * 1024., 20);
	is("c", "disk-bonnie++", "write", 202 * 1024., 50);
	is("c", "disk-bonnie++", "seek", 602.5, 10);
	assert_int_equal(im.values, 18);
}

static void bonnie_fast(void **state)
{
	(void)state;
	read_text("Version  1.02b      ------Sequential Output------ --Sequential Input- --Random-\n"
	          "Machine        Size K/sec %CP K/sec %CP K/sec %CP K/sec %CP K/sec %CP  /sec %CP\n"
	          "box          1G:32k           26895  41 10177  12           25000  18 101.1   1\n");
	is("k", "disk-bonnie++", "write", 26895 * 1024., 41);
	is("k", "disk-bonnie++", "read", 25000 * 1024., 18);
	is("k", "disk-bonnie++", "seek", 101.1, 1);
	assert_null(find("k", "disk-bonnie++", "putc"));
}

static void bonnie_progress(void **state)
{
	(void)state;
	read_text("Writing with putc_unlocked()...         done:  10328 kB/s  10.5 %CPU\nRewriting...                            done:   4280 kB/s   "
	          "3.2 %CPU\n");
	is("k", "disk-bonnie", "putc", 10328 * 1024., 10.5);
	is("k", "disk-bonnie", "rewrite", 4280 * 1024., 3.2);
}

static void a_second_row_needs_a_name(void **state)
{
	(void)state;
	im.subjects = "a,b";
	read_text("Time: 1.5\nTime: 1.6\nTime: 1.7\n");
	is("a", "hackbench", "time", 1.5e9, NAN);
	is("b", "hackbench", "time", 1.6e9, NAN);
	assert_int_equal(im.values, 2);
	assert_true(said("mail:3: skipped: hackbench time: one more --subject"));
}

static void one_name_is_more_runs(void **state)
{
	(void)state;
	read_text("Running in process mode with 10 groups using 40 file descriptors each (== 400 tasks)\nTime: 1.5\nTime: 1.6\n");
	assert_int_equal(im.values, 2);
	assert_string_equal(im.value[1].subject, "k");
	assert_string_equal(im.value[1].metric, "time_10g");
}

static void nothing_names_it(void **state)
{
	(void)state;
	im.subjects = NULL;
	read_text("Time: 1.5\n");
	assert_int_equal(im.values, 0);
	assert_true(said("--subject NAME"));
}

static void schbench(void **state)
{
	(void)state;
	read_text("Latency percentiles (usec)\n\t50.0000th: 62\n\t*99.0000th: 12345\n\t99.9000th: 0\n\tmin=0, max=20000\n"
	          "Request Latencies percentiles (usec) runtime 30 (s) (2345 total samples)\n\t  50.0th: 500          (1234 samples)\n\t* 99.0th: "
	          "900 (1 samples)\n"
	          "RPS percentiles (requests) runtime 30 (s) (31 total samples)\n\t* 50.0th: 4000 (3 samples)\n");
	is("k", "schbench", "wakeup_p50", 62e3, NAN);
	is("k", "schbench", "wakeup_p99", 12345e3, NAN);
	is("k", "schbench", "wakeup_max", 2e7, NAN);
	is("k", "schbench", "request_p99", 9e5, NAN);
	is("k", "schbench", "rps_p50", 4000, NAN);
	assert_null(find("k", "schbench", "wakeup_p999"));
	assert_true(said("below its unit"));
}

static void fio(void **state)
{
	(void)state;
	read_text("fio: a note\n{\"jobs\":[{\"jobname\":\"seq "
	          "read\",\"error\":0,\"usr_cpu\":1.5,\"sys_cpu\":8.5,\"read\":{\"io_bytes\":1000000,\"runtime\":500,"
	          "\"total_ios\":400,\"clat_ns\":{\"percentile\":{\"50.000000\":1000,\"99.000000\":2000,\"99.900000\":3000}}}}]}\n");
	is("k", "fio-seq-read", "read", 2e6, 10);
	is("k", "fio-seq-read", "read_ops", 800, NAN);
	is("k", "fio-seq-read", "read_p99", 2000, NAN);
	assert_null(find("k", "fio-seq-read", "read_p999")); /* of 400 operations */
}

static void fio_damaged(void **state)
{
	static const char *const bad[] = {"{\"jobs\":[{\"jobname\":\"a\"", "{}", "{\"jobs\":3}", "{\"jobs\":[1,null,\"x\",{}]}",
	                                  "{\"jobs\":[{\"jobname\":7,\"read\":{\"io_bytes\":-5,\"runtime\":1e999}}]}"};
	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		read_text(bad[i]);
	assert_int_equal(im.values, 0);
	assert_true(said("damaged at line 1"));
	assert_true(said("only fio's"));
}

static void own_tables(void **state)
{
	(void)state;
	read_text("| kernel | cp -a | boot |\n| --- | ---: | --- |\n| 2.6.0-test3 | 2 min | 1:28 |\n| 2.6.0-test9, final | 29 m 54 s | soon |\n\n"
	          "                 boot   rm -rf\n2.2.21pre2       71 s   75 s\n2.5.2-pre8              157, 237, 292 s\n");
	is("2.6.0-test3", "time", "cp--a", 120e9, NAN);
	is("2.6.0-test3", "boot-time", "login", 88e9, NAN);
	is("2.6.0-test9", "time", "cp--a", 1794e9, NAN);
	is("2.2.21pre2", "disk-tree", "rm", 75e9, NAN);
	is("2.5.2-pre8", "disk-tree", "rm", 157e9, NAN);
	assert_true(said("mail:4: skipped: boot: 'soon' is no duration"));
	assert_int_equal(im.values, 8);
}

static void a_rate_needs_a_unit(void **state)
{
	(void)state;
	read_text("| kernel | putc |\n| --- | --- |\n| 2.4.19 | 10328 10.5% |\n");
	assert_int_equal(im.values, 0);
	assert_true(said("mail:3: skipped: putc: nothing says the unit"));
}

static void unknown_rows_are_named(void **state)
{
	(void)state;
	read_text("hello there\n  1024  77.1  88.2  99.3\nthe 2 of us had 3 cats, 4 dogs and no other pets at all that year\n");
	assert_int_equal(im.values, 0);
	assert_int_equal(im.skipped, 1);
	assert_true(said("mail:2: skipped: it looks like a row"));
}

static void rows_with_nonsense(void **state)
{
	char text[4000];
	static const char *const rows[] = {"nan nan nan nan nan nan nan nan nan nan nan nan", "-1 2 -3 4 -5 6 -7 8 -9 10 -11 12",
	                                   "1e999 1 1e999 1 1e999 1 1e999 1 1e999 1 1e999 1", "0 0 0 0 0 0 0 0 0 0 0 0",
	                                   "100 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17",   "12 13 14"};
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		snprintf(text, sizeof text, "%s%s\n", bonnie_head, rows[i]);
		read_text(text);
		snprintf(text, sizeof text, "Sequential Reads\nIdentifier Size Size Thr Rate (CPU%%)\n------- ----\n%s\n", rows[i]);
		read_text(text);
		snprintf(text, sizeof text, "| kernel | putc |\n| --- | --- |\n| %s | %s |\n|\n||\n| |", rows[i], rows[i]);
		read_text(text);
	}
	assert_int_equal(im.values, 0);
	assert_true(im.skipped > 0);
}

/* Bytes of no meaning, bytes with parts of every format in them, one endless line: nothing is read outside, nothing is taken. */
static void garbage(void **state)
{
	static const char *const bits[] = {"|",      "---",     "Machine MB K/sec %CPU K/sec",
	                                   "\n",     "Time:",   "Sequential Reads\n",
	                                   "1e9",    "th:",     "min=",
	                                   "real",   "0m",      "bytes received in",
	                                   "(CPU%)", "Thr",     "done:",
	                                   ">",      ",,,,",    "+++++",
	                                   "1*2*3",  ":",       "Latency percentiles (usec)",
	                                   "\t",     "2.4.19 ", "  ",
	                                   "\xff",   "{",       "| a | b |\n|---|---|\n"};
	unsigned x = 1;
	char *text = malloc(20001);
	(void)state;
	assert_non_null(text);
	for (int round = 0; round < 300; round++) {
		size_t n = 0;
		while (n < 3000) {
			x = x * 1103515245u + 12345u;
			if (x >> 30) {
				const char *b = bits[(x >> 16) % (sizeof bits / sizeof *bits)];
				memcpy(text + n, b, strlen(b));
				n += strlen(b);
			} else {
				text[n++] = (char)(1 + (x >> 16) % 255);
			}
		}
		text[n] = 0;
		assert_int_equal(import_text(&im, "mail", text, n), 0);
	}
	assert_int_equal(import_text(&im, "mail", "a\0b", 3), -EINVAL);
	free(text);
	text = malloc(10u << 20);
	assert_non_null(text);
	memset(text, '7', 10u << 20);
	assert_int_equal(import_text(&im, "mail", text, 10u << 20), 0);
	assert_true(im.remarks <= IMPORT_REMARKS_MAX);
	free(text);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, begin, end)
	const struct CMUnitTest tests[] = {
		T(durations),
		T(numbers),
		T(bonnie),
		T(bonnie_way),
		T(bonnie_machine_is_no_kernel),
		T(bonnie_plusplus),
		T(bonnie_csv),
		T(bonnie_fast),
		T(bonnie_progress),
		T(a_second_row_needs_a_name),
		T(one_name_is_more_runs),
		T(nothing_names_it),
		T(schbench),
		T(fio),
		T(fio_damaged),
		T(own_tables),
		T(a_rate_needs_a_unit),
		T(unknown_rows_are_named),
		T(rows_with_nonsense),
		T(garbage),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
