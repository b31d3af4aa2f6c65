/* SPDX-License-Identifier: GPL-2.0-or-later */
/* json_path and measure_reads: numbers out of a box's JSON, and hostile JSON gives none. */
#include "results_fixture.h"

#include <errno.h>
#include <math.h>

#include "host/json_path.h"

static int number(const char *text, const char *path, double *v)
{
	json_t *root = json_path_load(text, strlen(text));
	int rc = root ? json_path_number(root, path, v) : -EBADMSG;
	json_decref(root);
	return rc;
}

static void test_numbers(void **state)
{
	static const char *const text =
		"{\"jobs\":[{\"read\":{\"bw\":123,\"p\":{\"99.0\":4.5}}},7],\"s\":\"x\",\"big\":123456789012345678901234,\"n\":null}";
	static const struct {
		const char *path;
		int rc;
		double v;
	} row[] = {
		{"jobs.0.read.bw", 0, 123}, {"/jobs/0/read/p/99.0", 0, 4.5},
		{"jobs.1", 0, 7},           {"big", 0, 123456789012345678901234.0},
		{"jobs.2", -ENOENT, 0},     {"jobs.x", -ENOENT, 0},
		{"jobs.-1", -ENOENT, 0},    {"jobs.0.write", -ENOENT, 0},
		{"s", -EINVAL, 0},          {"n", -EINVAL, 0},
		{"jobs", -EINVAL, 0},       {"s.0", -ENOENT, 0},
	};
	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		double v = 0;
		assert_int_equal(number(text, row[i].path, &v), row[i].rc);
		assert_true(v == row[i].v);
	}
}

static void test_hostile(void **state)
{
	static const char *const bad[] = {"",
	                                  "{",
	                                  "{\"a\":1",
	                                  "{\"a\":NaN}",
	                                  "{\"a\":1e999}",
	                                  "{\"a\":1,\"a\":2}",
	                                  "{\"a\":1}x",
	                                  "{\"a\":Infinity}",
	                                  "{\"a\":0x1}",
	                                  "]]]]{\"a\":1}",
	                                  "{\"a\":1,}"};
	char deep[200], *huge = malloc(JSON_PATH_BYTES_MAX + 16);
	double v;
	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		assert_int_equal(number(bad[i], "a", &v), -EBADMSG);
	for (unsigned depth = JSON_PATH_DEPTH_MAX; depth <= JSON_PATH_DEPTH_MAX + 1; depth++) {
		memset(deep, '[', depth);
		memset(deep + depth, ']', depth);
		deep[2 * depth] = '\0';
		json_t *root = json_path_load(deep, 2 * depth);
		assert_true(!root == (depth > JSON_PATH_DEPTH_MAX));
		json_decref(root);
	}
	assert_non_null(huge);
	memset(huge, ' ', JSON_PATH_BYTES_MAX + 1);
	memcpy(huge, "[1]", 3);
	assert_null(json_path_load(huge, JSON_PATH_BYTES_MAX + 1));
	free(huge);
}

static void test_paths(void **state)
{
	(void)state;
	assert_true(json_path_is("a") && json_path_is("a.b.0") && json_path_is("/a.b/c"));
	assert_false(json_path_is("") || json_path_is(".") || json_path_is("a..b") || json_path_is("a.") || json_path_is("/") || json_path_is("//a"));
	assert_false(json_path_is("a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a"));
}

static void facts(struct fx *f, unsigned line, const char *const *fact)
{
	char text[256];
	unsigned n = 2;
	fx_record(f, line, "begin", "test=t0");
	for (; *fact; fact++, n++) {
		snprintf(text, sizeof text, "test=t0 %s", *fact);
		fx_record(f, line, strstr(*fact, "name=") ? "metric" : "fact", text);
	}
	snprintf(text, sizeof text, "test=t0 records=%u status=pass", n);
	fx_record(f, line, "end", text);
}

static void test_texts(void **state)
{
	static const struct {
		const char *fact[5];
		unsigned char bad;
	} row[] = {
		{{"text=j part=1/2 data=%7B%22a%22:4", "text=j part=2/2 data=2%7D"}, MEASURE_OK},
		{{"text=j part=1/2", "data=%7B%22a%22:4", "text=j part=2/2 data=2%7D"}, MEASURE_OK},
		{{"other=1", "text=k part=1/1 data=x", "text=j part=1/1 data=%7B%22a%22:42%7D"}, MEASURE_OK},
		{{NULL}, MEASURE_NO_TEXT},
		{{"text=j part=1/2 data=%7B%22a%22:42%7D"}, MEASURE_NO_TEXT},
		{{"text=j part=2/2 data=2", "text=j part=1/2 data=4"}, MEASURE_NO_TEXT},
		{{"text=j part=1/1 data=42", "text=j part=1/1 data=42"}, MEASURE_NO_TEXT},
		{{"text=j part=1/01 data=42"}, MEASURE_NO_TEXT},
		{{"text=j part=x data=42"}, MEASURE_NO_TEXT},
		{{"text=j part=1/1 data=%7B%22a%22:"}, MEASURE_NO_JSON},
		{{"text=j part=1/1 data=%7B%22b%22:1%7D"}, MEASURE_NO_NUMBER},
		{{"text=j part=1/1 data=%7B%22a%22:1e30%7D"}, MEASURE_RANGE},
		{{"name=m v=1", "text=j part=1/1 data=%7B%22a%22:42%7D"}, MEASURE_TWICE},
	};
	struct fx f;
	const unsigned n = sizeof row / sizeof *row;
	(void)state;
	fx_init(&f, 1, n, 1);
	strcpy(f.suite_test[0].reads, "j");
	strcpy(f.metric[0][0].path, "a");
	for (unsigned i = 0; i < n; i++)
		facts(&f, i + 1, row[i].fact);
	fx_measure(&f);
	for (unsigned i = 0; i < n; i++) {
		assert_int_equal(f.m.bad[i * f.m.metrics], row[i].bad);
		assert_true(row[i].bad ? isnan(f.m.value[i * f.m.metrics]) : f.m.value[i * f.m.metrics] == 42);
	}
	fx_free(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_hostile),
		cmocka_unit_test(test_paths),
		cmocka_unit_test(test_texts),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
