/* SPDX-License-Identifier: GPL-2.0-or-later */
/* io: files are put down whole or not at all, and a torn line takes no other with it. */
#include "unit.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "common/io.h"

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

static unsigned count_entries(void)
{
	DIR *d = opendir(dir.path);
	unsigned n = 0;

	assert_non_null(d);
	while (readdir(d))
		n++;
	closedir(d);
	return n - 2; /* . and .. */
}

static void expect_file(const char *name, const char *want, size_t want_len)
{
	char *got;
	size_t len;

	assert_int_equal(io_read_file(unit_path(&dir, name), 1 << 20, &got, &len), 0);
	assert_int_equal(len, want_len);
	assert_memory_equal(got, want, len);
	assert_int_equal(got[len], 0);
	free(got);
}

static void test_read_file(void **state)
{
	static char data[10000];
	char *got;
	size_t len;

	(void)state;
	memset(data, 'd', sizeof(data));
	data[5000] = 0; /* NULs are bytes like others */
	assert_int_equal(io_write_file(unit_path(&dir, "f"), data, sizeof(data), 0600), 0);
	expect_file("f", data, sizeof(data));
	assert_int_equal(io_read_file(unit_path(&dir, "f"), sizeof(data), &got, &len), 0);
	free(got);
	assert_int_equal(io_read_file(unit_path(&dir, "f"), sizeof(data) - 1, &got, &len), -EFBIG);
	assert_null(got);
	assert_int_equal(len, 0);
	assert_int_equal(io_read_file(unit_path(&dir, "none"), 10, &got, &len), -ENOENT);
	assert_int_equal(io_read_file(dir.path, 10, &got, &len), -EISDIR);
	assert_int_equal(io_read_plain(unit_path(&dir, "f"), sizeof(data), &got, &len), 0);
	assert_int_equal(len, sizeof(data));
	free(got);
	assert_int_equal(io_read_plain(unit_path(&dir, "f"), sizeof(data) - 1, &got, &len), -EFBIG);
	assert_int_equal(io_read_plain(unit_path(&dir, "none"), 10, &got, &len), -ENOENT);
	assert_int_equal(io_read_plain(dir.path, 10, &got, &len), -EINVAL);
	assert_int_equal(mkfifo(unit_path(&dir, "fifo"), 0600), 0);
	assert_int_equal(io_read_plain(unit_path(&dir, "fifo"), 10, &got, &len), -EINVAL); /* and does not hang */
	assert_null(got);
	assert_int_equal(io_append_open(unit_path(&dir, "fifo")), -EINVAL);
	assert_int_equal(io_write_file(unit_path(&dir, "empty"), "", 0, 0600), 0);
	expect_file("empty", "", 0);
	assert_int_equal(io_read_file("/proc/self/stat", 1 << 20, &got, &len), 0); /* says it has 0 bytes */
	assert_true(len > 10);
	free(got);
}

static void test_read_small(void **state)
{
	char buf[8];

	(void)state;
	assert_int_equal(io_write_file(unit_path(&dir, "f"), "123456789", 9, 0600), 0);
	assert_int_equal(io_read_small(unit_path(&dir, "f"), buf, sizeof(buf)), 7);
	assert_string_equal(buf, "1234567");
	assert_int_equal(io_read_small(unit_path(&dir, "f"), buf, 1), 0);
	assert_string_equal(buf, "");
	assert_int_equal(io_read_small(unit_path(&dir, "f"), buf, 0), -EINVAL);
	assert_int_equal(io_read_small(unit_path(&dir, "none"), buf, sizeof(buf)), -ENOENT);
	assert_int_equal(io_read_small(dir.path, buf, sizeof(buf)), -EISDIR);
	assert_string_equal(buf, "");
}

static void test_write_file(void **state)
{
	struct stat st;
	mode_t old = umask(077);

	(void)state;
	assert_int_equal(io_write_file(unit_path(&dir, "f"), "one", 3, 0644), 0);
	umask(old);
	assert_int_equal(stat(unit_path(&dir, "f"), &st), 0);
	assert_int_equal(st.st_mode & 07777, 0644);
	assert_int_equal(io_write_file(unit_path(&dir, "f"), "two and more", 12, 0600), 0);
	expect_file("f", "two and more", 12);
	assert_int_equal(count_entries(), 1);
	assert_int_equal(chdir(dir.path), 0);
	assert_int_equal(io_write_file("here", "x", 1, 0644), 0); /* without a folder in the name */
	assert_int_equal(chdir("/"), 0);
	expect_file("here", "x", 1);
}

static void test_write_file_leaves_nothing(void **state)
{
	struct rlimit old, small;
	static char big[1 << 16];

	(void)state;
	assert_int_equal(mkdir(unit_path(&dir, "d"), 0755), 0);
	assert_int_equal(io_write_file(unit_path(&dir, "d"), "x", 1, 0644), -EISDIR); /* the rename fails */
	assert_int_equal(count_entries(), 1);
	assert_int_equal(io_write_file(unit_path(&dir, "none/f"), "x", 1, 0644), -ENOENT);
	assert_int_equal(io_write_file(unit_path(&dir, "f"), "old", 3, 0644), 0);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	small = old;
	small.rlim_cur = 100;
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	assert_int_equal(io_write_file(unit_path(&dir, "f"), big, sizeof(big), 0644), -EFBIG); /* as a full disk would */
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	signal(SIGXFSZ, SIG_DFL);
	expect_file("f", "old", 3);
	assert_int_equal(count_entries(), 2);
}

static void test_append(void **state)
{
	int fd = io_append_open(unit_path(&dir, "j"));

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(fcntl(fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
	assert_int_equal(io_append(fd, "a\n", 2), 0);
	assert_int_equal(io_append(fd, "b\n", 2), 0);
	close(fd);
	expect_file("j", "a\nb\n", 4);
	fd = io_append_open(unit_path(&dir, "j")); /* nothing torn: nothing added */
	assert_int_equal(io_append(fd, "c\n", 2), 0);
	close(fd);
	expect_file("j", "a\nb\nc\n", 6);
	assert_int_equal(io_append_open(unit_path(&dir, "none/j")), -ENOENT);
	assert_int_equal(io_append_open(dir.path), -EISDIR);
	assert_int_equal(io_append(-1, "x", 1), -EBADF);
}

static void test_append_after_torn_line(void **state)
{
	int fd;

	(void)state;
	assert_int_equal(io_write_file(unit_path(&dir, "j"), "a\ntor", 5, 0644), 0);
	fd = io_append_open(unit_path(&dir, "j"));
	assert_int_equal(io_append(fd, "b\n", 2), 0);
	assert_int_equal(write(fd, "torn", 4), 4); /* what a full disk leaves behind */
	assert_int_equal(io_append(fd, "c\n", 2), 0);
	close(fd);
	expect_file("j", "a\ntor\nb\ntorn\nc\n", 15);
}

static void test_append_full(void **state)
{
	struct rlimit old, small;
	int fd = io_append_open(unit_path(&dir, "j"));

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	small = old;
	small.rlim_cur = 10;
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	assert_int_equal(io_append(fd, "12345\n", 6), 0);
	assert_int_equal(io_append(fd, "67890\n", 6), -ENOSPC); /* short, and cut off again */
	assert_int_equal(io_append(fd, "678\n", 4), 0);
	assert_int_equal(io_append(fd, "x\n", 2), -EFBIG); /* none */
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	signal(SIGXFSZ, SIG_DFL);
	assert_int_equal(io_append(fd, "y\n", 2), 0);
	close(fd);
	expect_file("j", "12345\n678\ny\n", 12);
}

static void test_append_pipe(void **state)
{
	int fd[2];
	char buf[8];

	(void)state;
	assert_int_equal(pipe(fd), 0);
	assert_int_equal(io_append(fd[1], "a\n", 2), 0); /* nothing to sync, and no error */
	assert_int_equal(read(fd[0], buf, sizeof(buf)), 2);
	close(fd[0]);
	close(fd[1]);
}

static void test_mkdirs(void **state)
{
	struct stat st;
	char slashes[512];

	(void)state;
	assert_int_equal(io_mkdirs(unit_path(&dir, "a/b/c"), 0755), 0);
	assert_int_equal(stat(unit_path(&dir, "a/b/c"), &st), 0);
	assert_int_equal(io_mkdirs(unit_path(&dir, "a/b/c"), 0755), 0);
	snprintf(slashes, sizeof(slashes), "%s//x//y/", dir.path);
	assert_int_equal(io_mkdirs(slashes, 0755), 0);
	assert_int_equal(stat(unit_path(&dir, "x/y"), &st), 0);
	assert_int_equal(io_write_file(unit_path(&dir, "f"), "", 0, 0644), 0);
	assert_int_equal(io_mkdirs(unit_path(&dir, "f"), 0755), -ENOTDIR);
	assert_int_equal(io_mkdirs(unit_path(&dir, "f/g"), 0755), -ENOTDIR);
	assert_int_equal(io_mkdirs("", 0755), -ENOENT);
	assert_int_equal(io_mkdirs("/", 0755), 0);
	assert_int_equal(chdir(dir.path), 0);
	assert_int_equal(io_mkdirs("p/q", 0755), 0);
	assert_int_equal(io_mkdirs("r", 0755), 0);
	assert_int_equal(chdir("/"), 0);
	assert_int_equal(stat(unit_path(&dir, "p/q"), &st), 0);
}

static void test_flags(void **state)
{
	int fd[2];
	char c;

	(void)state;
	assert_int_equal(pipe(fd), 0);
	assert_int_equal(io_set_nonblock(fd[0], 1), 0);
	assert_int_equal(read(fd[0], &c, 1), -1);
	assert_int_equal(errno, EAGAIN);
	assert_int_equal(io_set_nonblock(fd[0], 0), 0);
	assert_int_equal(fcntl(fd[0], F_GETFL) & O_NONBLOCK, 0);
	assert_int_equal(io_set_cloexec(fd[0]), 0);
	assert_int_equal(fcntl(fd[0], F_GETFD), FD_CLOEXEC);
	close(fd[0]);
	close(fd[1]);
	assert_int_equal(io_pipe(fd), 0);
	assert_int_equal(fcntl(fd[0], F_GETFD), FD_CLOEXEC);
	assert_int_equal(fcntl(fd[1], F_GETFD), FD_CLOEXEC);
	assert_int_equal(write(fd[1], "x", 1), 1);
	assert_int_equal(read(fd[0], &c, 1), 1);
	close(fd[0]);
	close(fd[1]);
	assert_int_equal(io_set_nonblock(fd[0], 1), -EBADF);
	assert_int_equal(io_set_cloexec(fd[0]), -EBADF);
	assert_int_equal(io_write_all(fd[1], "x", 1), -EBADF);
	assert_int_equal(io_write_all(fd[1], "x", 0), 0);
}

static void test_copy(void **state)
{
	static char data[40000];
	uint64_t bytes;
	int in, out;

	(void)state;
	memset(data, 'c', sizeof(data));
	assert_int_equal(io_write_file(unit_path(&dir, "in"), data, sizeof(data), 0644), 0);
	for (int extra = -1; extra <= 1; extra++) {
		uint64_t max = sizeof(data) + (uint64_t)(int64_t)extra;

		in = open(unit_path(&dir, "in"), O_RDONLY);
		out = open(unit_path(&dir, "out"), O_RDWR | O_CREAT | O_TRUNC, 0644);
		assert_int_equal(io_copy(in, out, max, &bytes), extra < 0 ? -EFBIG : 0);
		assert_true(bytes == sizeof(data) - (extra < 0));
		assert_int_equal(lseek(out, 0, SEEK_END), bytes);
		close(in);
		close(out);
	}
	assert_int_equal(io_copy(-1, -1, 1, &bytes), -EBADF);
	assert_true(bytes == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_read_file, setup, teardown),
		cmocka_unit_test_setup_teardown(test_read_small, setup, teardown),
		cmocka_unit_test_setup_teardown(test_write_file, setup, teardown),
		cmocka_unit_test_setup_teardown(test_write_file_leaves_nothing, setup, teardown),
		cmocka_unit_test_setup_teardown(test_append, setup, teardown),
		cmocka_unit_test_setup_teardown(test_append_after_torn_line, setup, teardown),
		cmocka_unit_test_setup_teardown(test_append_full, setup, teardown),
		cmocka_unit_test_setup_teardown(test_append_pipe, setup, teardown),
		cmocka_unit_test_setup_teardown(test_mkdirs, setup, teardown),
		cmocka_unit_test_setup_teardown(test_flags, setup, teardown),
		cmocka_unit_test_setup_teardown(test_copy, setup, teardown),
	};

	return cmocka_run_group_tests_name("io", tests, NULL, NULL);
}
