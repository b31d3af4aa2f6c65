/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cpio: what is written is read back, here by a reader of our own and by cpio(1) where there is one. */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "common/cpio.h"
#include "common/io.h"
#include "common/proc.h"

static struct unit_dir dir;

static int setup(void **state)
{
	(void)state;
	unit_dir_make(&dir);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	unit_dir_remove(&dir);
	return 0;
}

/* The same archive each time: a folder, files of 0 to 9 bytes (all paddings), a link. */
static int write_archive(const char *name, uint64_t *bytes)
{
	struct cpio c;
	int err, fd = open(unit_path(&dir, name), O_WRONLY | O_CREAT | O_TRUNC, 0644);

	assert_true(fd >= 0);
	cpio_open(&c, fd);
	cpio_dir(&c, "kd", 0755);
	for (size_t n = 0; n < 10; n++) {
		char path[16] = "kd/";

		memset(path + 3, 'a' + (int)n, n + 1); /* names of 4 to 13 bytes */
		path[4 + n] = 0;
		cpio_file(&c, path, 0640, "123456789", n);
	}
	cpio_link(&c, "kd/link", "../bin/true");
	err = cpio_close(&c);
	*bytes = c.bytes;
	close(fd);
	return err;
}

static unsigned long field(const char *head, unsigned i)
{
	char hex[9];

	memcpy(hex, head + 6 + 8 * i, 8);
	hex[8] = 0;
	return strtoul(hex, NULL, 16);
}

/* As usr/gen_init_cpio's counterpart init/initramfs.c reads it. */
static void test_layout(void **state)
{
	char *data, list[512] = "";
	uint64_t bytes;
	size_t len, at = 0;
	unsigned long ino = 0;

	(void)state;
	assert_int_equal(write_archive("a.cpio", &bytes), 0);
	assert_int_equal(io_read_file(unit_path(&dir, "a.cpio"), 1 << 20, &data, &len), 0);
	assert_int_equal(len, bytes);
	assert_int_equal(len % 512, 0);
	for (;;) {
		const char *head = data + at, *name = head + 110, *body;
		unsigned long size, nlen;

		assert_true(at + 110 <= len);
		assert_memory_equal(head, "070701", 6);
		size = field(head, 6);
		nlen = field(head, 11);
		assert_int_equal(strlen(name) + 1, nlen);
		if (!strcmp(name, "TRAILER!!!"))
			break;
		assert_int_equal(field(head, 0), ++ino);
		assert_int_equal(field(head, 2) | field(head, 3) | field(head, 5), 0); /* root's, at no time */
		at = (at + 110 + nlen + 3) & ~3ul;
		body = data + at;
		at = (at + size + 3) & ~3ul;
		if (S_ISREG(field(head, 1))) {
			assert_int_equal(field(head, 1), S_IFREG | 0640);
			assert_memory_equal(body, "123456789", size);
			assert_int_equal(size, strlen(name) - 4);
		} else if (S_ISLNK(field(head, 1))) {
			assert_int_equal(size, 11);
			assert_memory_equal(body, "../bin/true", 11);
		} else {
			assert_int_equal(field(head, 1), S_IFDIR | 0755);
		}
		strcat(strcat(list, name), "\n");
	}
	assert_string_equal(list, "kd\nkd/a\nkd/bb\nkd/ccc\nkd/dddd\nkd/eeeee\nkd/ffffff\nkd/ggggggg\nkd/hhhhhhhh\nkd/iiiiiiiii\n"
	                          "kd/jjjjjjjjjj\nkd/link\n");
	free(data);
}

static void test_node(void **state)
{
	struct cpio c;
	char *data;
	size_t len;
	int fd = open(unit_path(&dir, "n.cpio"), O_WRONLY | O_CREAT, 0644);

	(void)state;
	assert_true(fd >= 0);
	cpio_open(&c, fd);
	cpio_node(&c, "console", S_IFCHR | 0600, 5, 1);
	assert_int_equal(cpio_close(&c), 0);
	close(fd);
	assert_int_equal(io_read_file(unit_path(&dir, "n.cpio"), 1 << 20, &data, &len), 0);
	assert_int_equal(field(data, 1), S_IFCHR | 0600);
	assert_int_equal(field(data, 6), 0);
	assert_int_equal(field(data, 9), 5);
	assert_int_equal(field(data, 10), 1);
	assert_string_equal(data + 110, "console");
	free(data);
}

static void test_same_bytes(void **state)
{
	char *a, *b;
	size_t alen, blen;
	uint64_t bytes;

	(void)state;
	assert_int_equal(write_archive("a.cpio", &bytes), 0);
	assert_int_equal(write_archive("b.cpio", &bytes), 0);
	assert_int_equal(io_read_file(unit_path(&dir, "a.cpio"), 1 << 20, &a, &alen), 0);
	assert_int_equal(io_read_file(unit_path(&dir, "b.cpio"), 1 << 20, &b, &blen), 0);
	assert_int_equal(alen, blen);
	assert_memory_equal(a, b, alen);
	free(a);
	free(b);
}

static void test_cpio_program(void **state)
{
	char out[1024], script[600];
	uint64_t bytes;
	size_t len;
	int status;

	(void)state;
	assert_int_equal(write_archive("a.cpio", &bytes), 0);
	snprintf(script, sizeof(script),
	         "command -v cpio >/dev/null || exit 4; cd %s && cpio -i --quiet --no-preserve-owner <a.cpio && "
	         "cat kd/jjjjjjjjjj && readlink kd/link && stat -c %%a,%%s kd kd/a kd/hhhhhhhh",
	         dir.path);
	assert_int_equal(proc_output((const char *const[]){"sh", "-c", script, NULL}, 10000, out, sizeof(out), &len, &status), 0);
	if (status == 4)
		skip();
	assert_int_equal(status, 0);
	assert_int_equal(strncmp(out, "123456789../bin/true\n755,", 25), 0);
	assert_non_null(strstr(out, "\n640,0\n640,7\n"));
}

static void test_refused(void **state)
{
	static const char *const bad[] = {"", "/abs", "a/../b", "..", "../x", "a//b", "a/", ".", "./a", "a/./b"};
	struct cpio c;
	char longer[2000];
	int fd = open(unit_path(&dir, "x.cpio"), O_WRONLY | O_CREAT, 0644);

	(void)state;
	assert_true(fd >= 0);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		cpio_open(&c, fd);
		cpio_file(&c, bad[i], 0644, "x", 1);
		assert_int_equal(c.bytes, 0);
		cpio_file(&c, "good", 0644, "x", 1); /* the error sticks, nothing more is written */
		assert_int_equal(cpio_close(&c), -EINVAL);
		assert_int_equal(c.bytes, 0);
	}
	memset(longer, 'a', sizeof(longer));
	longer[sizeof(longer) - 1] = 0;
	cpio_open(&c, fd);
	cpio_dir(&c, longer, 0755);
	assert_int_equal(cpio_close(&c), -EINVAL);
	cpio_open(&c, fd);
	cpio_link(&c, "l", "");
	assert_int_equal(cpio_close(&c), -EINVAL);
	cpio_open(&c, fd);
	cpio_node(&c, "n", 0600, 5, 1); /* of which type? */
	assert_int_equal(cpio_close(&c), -EINVAL);
#if SIZE_MAX > UINT32_MAX
	cpio_open(&c, fd);
	cpio_file(&c, "big", 0644, "x", (size_t)UINT32_MAX + 1);
	assert_int_equal(cpio_close(&c), -EFBIG);
#endif
	close(fd);
	cpio_open(&c, fd);
	cpio_dir(&c, "kd", 0755);
	assert_int_equal(cpio_close(&c), -EBADF);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_layout, setup, teardown),
		cmocka_unit_test_setup_teardown(test_node, setup, teardown),
		cmocka_unit_test_setup_teardown(test_same_bytes, setup, teardown),
		cmocka_unit_test_setup_teardown(test_cpio_program, setup, teardown),
		cmocka_unit_test_setup_teardown(test_refused, setup, teardown),
	};

	return cmocka_run_group_tests_name("cpio", tests, NULL, NULL);
}
