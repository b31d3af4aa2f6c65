/* SPDX-License-Identifier: GPL-2.0-or-later */
/* evidence: what is kept around a failure; harmless, bounded, and finished with what comes behind. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/io.h"
#include "host/evidence.h"

static char dir[64], path[160];

static int make(void **state)
{
	(void)state;
	strcpy(dir, "/tmp/kdyno-evidence-XXXXXX");
	return mkdtemp(dir) ? 0 : -1;
}

static int drop(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -r '%s'", dir);
	return system(command);
}

static void feed(struct evidence *e, const char *text) { evidence_feed(e, text, strlen(text)); }

/* malloc'd */
static char *kept(const char *file)
{
	char *text;
	size_t len;

	snprintf(path, sizeof(path), "%s/sub/%s", dir, file);
	return io_read_file(path, 8 << 20, &text, &len) ? NULL : text;
}

static const struct evidence_of of = {.sweep = "s", .name = "silent", .why = "silence", .line = 4, .tag = 0x1a08a91a, .unix_ms = 5};

static void open_it(struct evidence *e)
{
	char sub[80];

	snprintf(sub, sizeof(sub), "%s/sub", dir);
	assert_int_equal(evidence_open(e, sub), 0);
}

static void test_kept(void **state)
{
	struct evidence e;
	char *text;

	(void)state;
	open_it(&e);
	feed(&e, "one\r\ntwo \x1b[2J\x9b\\ three\r");
	evidence_feed(&e, "\0\n", 2);
	assert_int_equal(evidence_mark(&e, &of, 0, 1000), 0);
	text = kept("1a08a91a-silent.txt");
	assert_non_null(text);
	assert_memory_equal(text, "# sweep s line 4 tag 1a08a91a: silent, silence\n# unix ms 5;", 58);
	assert_string_equal(strchr(strchr(text, '\n') + 1, '\n') + 1, "one\ntwo \\x1b[2J\\x9b\\ three\\x0d\\x00\n");
	free(text);
	/* what comes behind it */
	feed(&e, "Call Trace:\n");
	evidence_tick(&e, 1000 + EVIDENCE_AFTER_MS);
	text = kept("1a08a91a-silent.txt");
	assert_null(strstr(text, "Call Trace"));
	free(text);
	evidence_tick(&e, 1001 + EVIDENCE_AFTER_MS);
	text = kept("1a08a91a-silent.txt");
	assert_non_null(strstr(text, "two \\x1b"));
	assert_non_null(strstr(text, "Call Trace"));
	free(text);
	/* and then no more */
	feed(&e, "the next boot\n");
	evidence_close(&e);
	text = kept("1a08a91a-silent.txt");
	assert_null(strstr(text, "next boot"));
	free(text);
}

static void test_bounds(void **state)
{
	struct evidence e;
	struct evidence_of o = of;
	char *big = malloc(300000), *text;
	unsigned n = 0;
	int err = 0;

	(void)state;
	memset(big, 1, 300000);
	open_it(&e);
	evidence_feed(&e, "x", 1);
	evidence_feed(&e, big, 300000);
	feed(&e, "end");
	assert_int_equal(e.total, 300004);
	for (o.tag = 1; !err && n < 1000; o.tag++, n++)
		err = evidence_mark(&e, &o, 0, 1);
	assert_int_equal(err, -EDQUOT);
	assert_in_range(n, 120, 140); /* 64 MiB of at most half a MiB */
	text = kept("00000001-silent.txt");
	assert_in_range(strlen(text), 4 * EVIDENCE_BYTES - 20, 4 * EVIDENCE_BYTES + 200);
	assert_string_equal(text + strlen(text) - 3, "end");
	free(text);
	evidence_close(&e);
	/* the next run knows what there is */
	open_it(&e);
	feed(&e, "x");
	assert_in_range(e.written, EVIDENCE_SWEEP_BYTES - (1 << 20), EVIDENCE_SWEEP_BYTES);
	evidence_close(&e);
	free(big);
}

/* Of the past only what is not there yet, and of which there is something to be said. */
static void test_past(void **state)
{
	struct evidence e;
	char *text;

	(void)state;
	open_it(&e);
	feed(&e, "of another boot\n");
	assert_int_equal(evidence_mark(&e, &of, 1, 1), 0);
	assert_null(kept("1a08a91a-silent.txt"));
	feed(&e, "jump line=4 tag=1a08a91a\n");
	assert_int_equal(evidence_mark(&e, &of, 1, 1), 0);
	text = kept("1a08a91a-silent.txt");
	assert_non_null(text);
	free(text);
	feed(&e, "more\n");
	assert_int_equal(evidence_mark(&e, &of, 1, 1), 0);
	evidence_close(&e);
}

static void test_no_disk(void **state)
{
	struct evidence e;
	char blocked[80];

	(void)state;
	snprintf(blocked, sizeof(blocked), "%s/sub", dir);
	assert_int_equal(io_write_file(blocked, "", 0, 0644), 0);
	open_it(&e);
	feed(&e, "x");
	assert_int_equal(evidence_mark(&e, &of, 0, 1), -ENOTDIR);
	evidence_close(&e);
}

int main(void)
{
	const struct CMUnitTest all[] = {
		cmocka_unit_test_setup_teardown(test_kept, make, drop),
		cmocka_unit_test_setup_teardown(test_bounds, make, drop),
		cmocka_unit_test_setup_teardown(test_past, make, drop),
		cmocka_unit_test_setup_teardown(test_no_disk, make, drop),
	};

	return cmocka_run_group_tests(all, NULL, NULL);
}
