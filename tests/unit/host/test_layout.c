/* SPDX-License-Identifier: GPL-2.0-or-later */
/* layout: fed the numbers of reports A and B (names changed), the tables as they were posted; unknown values and wide ones. */
#include "../common/unit.h"

#include <math.h>

#include "host/layout.h"

#define KIB 1024.0
#define MIB 1048576.0

/* What a printer prints. */
#define PRINTED(print, rows, n)                                                                  \
	__extension__({                                                                          \
		static char printed_text[8192];                                                  \
		FILE *printed_file = tmpfile();                                                  \
		assert_non_null(printed_file);                                                   \
		print(rows, n, printed_file);                                                    \
		rewind(printed_file);                                                            \
		printed_text[fread(printed_text, 1, sizeof printed_text - 1, printed_file)] = 0; \
		fclose(printed_file);                                                            \
		printed_text;                                                                    \
	})

/* Putc, write, rewrite, getc, read, seek: rates in KiB/s (seek: 1/s), %CPU. */
static struct layout_bonnie bonnie(const char *name, const double *rate, const double *cpu)
{
	struct layout_bonnie b =
		{.name = name, .size_bytes = 1500u << 20, .chunk_bytes = 1u << 20, .seeks = 100, .seekers = 3, .sync = 1, .unlocked = 1};

	for (int p = 0; p < LAYOUT_BONNIE_PHASES; p++) {
		b.rate[p] = rate[p] * (p == LAYOUT_SEEK ? 1 : KIB);
		b.cpu[p] = cpu[p];
	}
	return b;
}

static const double rate_a[] = {10328, 10319, 4280, 10436, 10712, 9.3}, cpu_a[] = {10.5, 3.8, 3.2, 14.3, 2.8, 3.0};
static const double rate_b[] = {7356, 6939, 3168, 7389, 7722, 9.9}, cpu_b[] = {7.6, 1.7, 1.3, 7.0, 2.1, 3.8};

static void test_bonnie(void **state)
{
	struct layout_bonnie row[] = {bonnie("client", rate_a, cpu_a), bonnie("a-longer-name", rate_b, cpu_b)};

	(void)state;
	assert_string_equal(PRINTED(layout_bonnie_print, row, 2),
	                    "              ---Sequential Output (sync)----- ---Sequential Input-- --Rnd Seek-\n"
	                    "              -CharUnlk- --Block--- -Rewrite-- -CharUnlk- --Block--- --00k (03)-\n"
	                    "Machine    MB K/sec %CPU K/sec %CPU K/sec %CPU K/sec %CPU K/sec %CPU   /sec %CPU\n"
	                    "client 1*1500 10328 10.5 10319  3.8  4280  3.2 10436 14.3 10712  2.8    9.3  3.0\n"
	                    "a-long 1*1500  7356  7.6  6939  1.7  3168  1.3  7389  7.0  7722  2.1    9.9  3.8\n");
}

/* Another way to run is another head; what is lacking is a dash. */
static void test_bonnie_other(void **state)
{
	static const double rate[] = {21846, 58316, 11099, 14346, 18026, 939.3}, cpu[] = {98, 14, 3.1, 64.6, 2, 1.4};
	struct layout_bonnie row[] = {bonnie("client", rate_a, cpu_a), bonnie("local", rate, cpu)};

	(void)state;
	row[1].size_bytes = 256u << 20;
	row[1].seeks = 4000;
	row[1].sync = row[1].unlocked = 0;
	row[1].rate[LAYOUT_GETC] = row[1].cpu[LAYOUT_GETC] = row[1].rate[LAYOUT_SEEK] = NAN;
	assert_string_equal(strchr(strstr(PRINTED(layout_bonnie_print, row, 2), "client"), '\n') + 1,
	                    "              ---Sequential Output (nosync)--- ---Sequential Input-- --Rnd Seek-\n"
	                    "              -Per Char- --Block--- -Rewrite-- -Per Char- --Block--- --04k (03)-\n"
	                    "Machine    MB K/sec %CPU K/sec %CPU K/sec %CPU K/sec %CPU K/sec %CPU   /sec %CPU\n"
	                    "local  1* 256 21846 98.0 58316 14.0 11099  3.1     -    - 18026  2.0      -  1.4\n");
}

static void test_bonnie_plus(void **state)
{
	static const double rate[] = {17787, 18301, 18297, 21720, 454209, 2108}, cpu[] = {90.2, 11.9, 8, 96, 95, 5};
	struct layout_bonnie row[] = {bonnie("client.example,net", rate, cpu), bonnie("b", rate_a, cpu_a)};

	(void)state;
	row[0].size_bytes = 300u << 20;
	row[1].size_bytes = 12ull << 30;
	row[1].rate[LAYOUT_GETC] = NAN;
	assert_string_equal(PRINTED(layout_bonnie_plus_print, row, 2),
	                    "Version  1.03       ------Sequential Output------ --Sequential Input- --Random-\n"
	                    "                    -Per Chr- --Block-- -Rewrite- -Per Chr- --Block-- --Seeks--\n"
	                    "Machine        Size K/sec %CP K/sec %CP K/sec %CP K/sec %CP K/sec %CP  /sec %CP\n"
	                    "client.example 300M 17787  90 18301  11 18297   8 21720  96 454209 95  2108   5\n"
	                    "b               12G 10328  10 10319   3  4280   3     -  14 10712   2   9.3   3\n");
	assert_string_equal(PRINTED(layout_bonnie_plus_csv, row, 1),
	                    "1.98,2.00a,client.example_net,1,0,300M,1048576,100,3,17787,90,18301,11,18297,8,21720,96,454209,95,2108,5"
	                    ",,,,,,,,,,,,,,,,,,,,,,,,,,,,,\n");
	assert_string_equal(PRINTED(layout_bonnie_plus_print, row, 0), "");
}

/* Seq read, rand read, seq write, rand write: MB/s, %CPU. */
static struct layout_tiobench tiobench(const char *name, unsigned threads, const double *rate, const double *cpu)
{
	struct layout_tiobench t = {.name = name, .size_bytes = 2000u << 20, .block_bytes = 4096, .threads = threads};

	for (int p = 0; p < LAYOUT_TIOBENCH_PHASES; p++) {
		t.rate[p] = rate[p] * MIB;
		t.cpu[p] = cpu[p];
		t.avg_ns[p] = 10404000;
		t.max_ns[p] = 1371290000;
	}
	return t;
}

static void test_tiobench_short(void **state)
{
	static const double rate[][4] = {{47.53, 5.013, 22.34, 6.510}, {45.29, 8.068, 24.53, 7.042}, {45.38, 11.02, 25.13, 7.525},
	                                 {57.11, 69.60, 35.09, 6.656}, {60.11, 70.99, 33.82, 7.283}, {67.89, 42.10, 29.86, 7.850}};
	static const double cpu[][4] = {{80.0, 2.79, 32.2, 14.9}, {78.6, 5.44, 34.1, 14.9}, {78.0, 7.95, 35.1, 18.0},
	                                {54.7, 24.9, 14.2, 19.1}, {58.8, 30.8, 14.1, 25.1}, {59.8, 19.1, 12.7, 26.4}};
	struct layout_tiobench row[6];

	(void)state;
	for (int i = 0; i < 6; i++)
		row[i] = tiobench(i < 3 ? "2.6.11/smp" : "2.6.11/up", 1u << (i % 3), rate[i], cpu[i]);
	assert_string_equal(PRINTED(layout_tiobench_short, row, 6), "2.6.11/smp:\n"
	                                                            "         File   Block  Num  Seq Read    Rand Read   Seq Write  Rand Write\n"
	                                                            "  Dir    Size   Size   Thr Rate (CPU%) Rate (CPU%) Rate (CPU%) Rate (CPU%)\n"
	                                                            "------- ------ ------- --- ----------- ----------- ----------- -----------\n"
	                                                            "   .     2000   4096    1  47.53 80.0% 5.013 2.79% 22.34 32.2% 6.510 14.9%\n"
	                                                            "   .     2000   4096    2  45.29 78.6% 8.068 5.44% 24.53 34.1% 7.042 14.9%\n"
	                                                            "   .     2000   4096    4  45.38 78.0% 11.02 7.95% 25.13 35.1% 7.525 18.0%\n"
	                                                            "\n"
	                                                            "2.6.11/up:\n"
	                                                            "         File   Block  Num  Seq Read    Rand Read   Seq Write  Rand Write\n"
	                                                            "  Dir    Size   Size   Thr Rate (CPU%) Rate (CPU%) Rate (CPU%) Rate (CPU%)\n"
	                                                            "------- ------ ------- --- ----------- ----------- ----------- -----------\n"
	                                                            "   .     2000   4096    1  57.11 54.7% 69.60 24.9% 35.09 14.2% 6.656 19.1%\n"
	                                                            "   .     2000   4096    2  60.11 58.8% 70.99 30.8% 33.82 14.1% 7.283 25.1%\n"
	                                                            "   .     2000   4096    4  67.89 59.8% 42.10 19.1% 29.86 12.7% 7.850 26.4%\n");
}

/* Odd widths: three digits and more, a size that does not centre, nothing known. */
static void test_tiobench_wide(void **state)
{
	static const double rate[4] = {153.6, .897, 25.83, NAN}, cpu[4] = {98.1, .91, 103.4, NAN};
	static const double fast[4] = {12345.6, 2048.4, .04, 100}, burn[4] = {800, 10, .004, 1};
	struct layout_tiobench row[] = {tiobench("a", 1, rate, cpu), tiobench("a", 16, fast, burn)};

	(void)state;
	row[0].size_bytes = 510u << 20;
	row[1].size_bytes = 4u << 20;
	assert_string_equal(strstr(PRINTED(layout_tiobench_short, row, 2), "   ."),
	                    "   .     510    4096    1  153.6 98.1% 0.897 0.91% 25.83 103.%     -    -%\n"
	                    "   .      4     4096   16  12346 800.% 2048. 10.0% 0.040 0.00% 100.0 1.00%\n");
}

static void test_tiobench_long(void **state)
{
	static const double rate[4] = {9.42, .53, 9.12, NAN}, cpu[4] = {5.755, .871, 28.5, NAN};
	struct layout_tiobench row = tiobench("2.5.56", 10, rate, cpu);
	char *text;

	(void)state;
	row.size_bytes = 252u << 20;
	row.over_2s[LAYOUT_SEQREAD] = .00022;
	row.avg_ns[LAYOUT_RANDWRITE] = row.over_2s[LAYOUT_RANDWRITE] = NAN;
	text = PRINTED(layout_tiobench_print, &row, 1);
	assert_non_null(strstr(text, "Latency   = milliseconds\nLat%      = percent of requests that took longer than X seconds\n"));
	assert_string_equal(strstr(text, "Sequential Reads"),
	                    "Sequential Reads\n"
	                    "                              File  Blk   Num                   Avg      Maximum      Lat%     Lat%    CPU\n"
	                    "Identifier                    Size  Size  Thr   Rate  (CPU%)  Latency    Latency      >2s      >10s    Eff\n"
	                    "---------------------------- ------ ----- ---  ------ ------ --------- -----------  -------- -------- -----\n"
	                    "2.5.56                        252   4096   10    9.42 5.755%    10.404     1371.29   0.00022  0.00000   164\n"
	                    "\nRandom Reads\n"
	                    "                              File  Blk   Num                   Avg      Maximum      Lat%     Lat%    CPU\n"
	                    "Identifier                    Size  Size  Thr   Rate  (CPU%)  Latency    Latency      >2s      >10s    Eff\n"
	                    "---------------------------- ------ ----- ---  ------ ------ --------- -----------  -------- -------- -----\n"
	                    "2.5.56                        252   4096   10    0.53 0.871%    10.404     1371.29   0.00000  0.00000    61\n"
	                    "\nSequential Writes\n"
	                    "                              File  Blk   Num                   Avg      Maximum      Lat%     Lat%    CPU\n"
	                    "Identifier                    Size  Size  Thr   Rate  (CPU%)  Latency    Latency      >2s      >10s    Eff\n"
	                    "---------------------------- ------ ----- ---  ------ ------ --------- -----------  -------- -------- -----\n"
	                    "2.5.56                        252   4096   10    9.12 28.50%    10.404     1371.29   0.00000  0.00000    32\n"
	                    "\nRandom Writes\n"
	                    "                              File  Blk   Num                   Avg      Maximum      Lat%     Lat%    CPU\n"
	                    "Identifier                    Size  Size  Thr   Rate  (CPU%)  Latency    Latency      >2s      >10s    Eff\n"
	                    "---------------------------- ------ ----- ---  ------ ------ --------- -----------  -------- -------- -----\n"
	                    "2.5.56                        252   4096   10       -     -%         -     1371.29         -  0.00000     -\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bonnie),         cmocka_unit_test(test_bonnie_other),  cmocka_unit_test(test_bonnie_plus),
		cmocka_unit_test(test_tiobench_short), cmocka_unit_test(test_tiobench_wide), cmocka_unit_test(test_tiobench_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
