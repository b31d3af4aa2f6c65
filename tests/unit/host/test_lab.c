/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lab: paths, folders and lists; and work: a folder that is put in place, or leaves nothing. */
#include "../common/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "common/io.h"
#include "host/lab.h"
#include "host/work.h"

static struct unit_dir dir;

static void put(const char *name)
{
	char *path = lab_path("%s", name);
	assert_int_equal(io_write_file(path, "x", 1, 0644), 0);
	free(path);
}

static void test_paths(void **state)
{
	size_t n;
	(void)state;
	lab_create();
	lab_create(); /* twice is once */
	lab_require();
	char *path = lab_path("sweeps/%s/schedule", "a"), want[600];
	snprintf(want, sizeof want, "%s/lab/sweeps/a/schedule", dir.path);
	assert_string_equal(path, want);
	free(path);
	put("kernels/b");
	put("kernels/a+1");
	put("kernels/.tmp-1");
	put("kernels/with blank");
	char **names = lab_list("kernels", &n);
	assert_int_equal(n, 2);
	assert_string_equal(names[0], "a+1");
	assert_string_equal(names[1], "b");
	assert_null(names[2]);
	lab_list_free(names);
	names = lab_list("none", &n);
	assert_int_equal(n, 0);
	lab_list_free(names);
}

/* 0, or what lab_read_plain says; the file holds x */
static int plain(const char *below)
{
	char *text;
	size_t len;
	int err = lab_read_plain(below, 100, &text, &len);
	if (!err)
		assert_int_equal(len, 1);
	free(text);
	return err;
}

static void make_node(const char *below, mode_t kind, const char *link)
{
	char *path = lab_path("%s", below);
	assert_int_equal(kind == S_IFIFO ? mkfifo(path, 0600) : kind == S_IFDIR ? mkdir(path, 0700) : symlink(link, path), 0);
	free(path);
}

/* What a box can leave in its results: nothing but a file is opened, and no link leads elsewhere. */
static void test_plain(void **state)
{
	(void)state;
	lab_create();
	make_node("results/s", S_IFDIR, NULL);
	put("results/s/file");
	make_node("results/s/fifo", S_IFIFO, NULL);
	make_node("results/s/link", S_IFLNK, "file");
	make_node("results/s/zero", S_IFLNK, "/dev/zero");
	make_node("results/t", S_IFLNK, "s");
	make_node("linked", S_IFLNK, "results");
	assert_int_equal(plain("results/s/file"), 0);
	assert_int_equal(plain("linked/s/file"), 0); /* the person's own */
	assert_int_equal(plain("results/s/none"), -ENOENT);
	assert_int_equal(plain("results/none/file"), -ENOENT);
	assert_int_equal(plain("results/s/fifo"), -EINVAL);
	assert_int_equal(plain("results/s/link"), -EINVAL);
	assert_int_equal(plain("results/s/zero"), -EINVAL);
	assert_int_equal(plain("results/t/file"), -EINVAL);
	assert_int_equal(plain("results/s/file/x"), -EINVAL);
	assert_int_equal(plain("results/s"), -EINVAL);
}

static void test_share(void **state)
{
	char top[512];
	(void)state;
	assert_non_null(getcwd(top, sizeof top)); /* tests run at the top of the tree, wherever it is built */
	setenv("KDYNO_SHARE", top, 1);
	char *path = lab_share("board-configs");
	assert_int_equal(access(path, F_OK), 0);
	free(path);
	path = lab_share("suite");
	assert_non_null(strstr(path, "tests/suite"));
	free(path);
	path = lab_find_share("apt-root");
	assert_non_null(path);
	free(path);
	assert_null(lab_find_share("no-such-thing"));
	assert_null(lab_image("m68k", "gz"));
	assert_int_equal(io_mkdirs(unit_path(&dir, "share/m68k"), 0755), 0);
	assert_int_equal(io_write_file(unit_path(&dir, "share/m68k/image.cpio.gz"), "x", 1, 0644), 0);
	setenv("KDYNO_SHARE", unit_path(&dir, "share"), 1);
	path = lab_image("m68k", ".gz");
	assert_non_null(path);
	free(path);
	path = lab_image("m68k", "gz");
	assert_non_null(path);
	free(path);
	assert_null(lab_image("m68k", ""));
	unsetenv("KDYNO_SHARE");
}

static int is_there(const char *name) { return !access(unit_path(&dir, name), F_OK); }

static void test_place(void **state)
{
	struct work w;
	char file[600], to[600];
	(void)state;
	snprintf(to, sizeof to, "%s", unit_path(&dir, "p/done"));
	assert_int_equal(work_begin(&w, unit_path(&dir, "p")), 0);
	snprintf(file, sizeof file, "%s/f", w.dir);
	assert_int_equal(work_copy("/proc/self/stat", file), 0);
	assert_int_equal(work_place(&w, to), 0);
	work_end(&w);
	assert_true(is_there("p/done/f"));
	/* In the way: nothing is replaced, nothing is left. */
	assert_int_equal(work_begin(&w, unit_path(&dir, "p")), 0);
	char *tmp = strdup(w.dir);
	assert_int_equal(work_place(&w, to), -EEXIST);
	assert_non_null(strstr(w.err, "is there already"));
	work_end(&w);
	assert_int_equal(access(tmp, F_OK), -1);
	free(tmp);
	assert_int_equal(work_begin(&w, "/proc/none"), -ENOENT);
	work_end(&w);
}

/* A signal that comes while work is done ends the process, after the folder is gone. */
static void test_interrupted(void **state)
{
	int status;
	(void)state;
	fflush(NULL);
	pid_t pid = fork();
	if (!pid) {
		struct work w;
		if (work_begin(&w, unit_path(&dir, "q")) || work_interrupted(&w))
			_exit(1);
		kill(getpid(), SIGTERM);
		if (!work_interrupted(&w) || !strstr(w.err, "interrupted"))
			_exit(2);
		const char *argv[] = {"sleep", "60", NULL};
		struct work_command c = {.argv = argv};
		if (work_run(&w, &c) != -EINTR)
			_exit(3);
		work_end(&w);
		_exit(4);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
	char rest[600];
	snprintf(rest, sizeof rest, "q/.tmp-%ld", (long)pid);
	assert_false(is_there(rest));
}

/* What kill -9 leaves is removed by the next one. */
static void test_stale(void **state)
{
	struct work w;
	char rest[600];
	(void)state;
	fflush(NULL);
	pid_t pid = fork();
	if (!pid) {
		struct work mine;
		work_begin(&mine, unit_path(&dir, "r"));
		kill(getpid(), SIGKILL);
	}
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	snprintf(rest, sizeof rest, "r/.tmp-%ld", (long)pid);
	assert_true(is_there(rest));
	assert_int_equal(work_begin(&w, unit_path(&dir, "r")), 0);
	assert_false(is_there(rest));
	work_end(&w);
}

static void test_run(void **state)
{
	struct work w;
	char out[600], *text;
	size_t len;
	(void)state;
	assert_int_equal(work_begin(&w, unit_path(&dir, "s")), 0);
	snprintf(out, sizeof out, "%s/out", w.dir);
	const char *argv[] = {"sh", "-c", "pwd; echo first >&2; echo last >&2; exit 7", NULL};
	struct work_command c = {.argv = argv, .dir = "/", .out = out};
	assert_int_equal(work_run(&w, &c), 7);
	assert_string_equal(c.tail, "last");
	assert_int_equal(io_read_file(out, 100, &text, &len), 0);
	assert_string_equal(text, "/\n");
	free(text);
	const char *none[] = {"no-such-program", NULL};
	c.argv = none;
	assert_int_equal(work_run(&w, &c), -ENOENT);
	assert_int_equal(work_fail(&w, -ENOSPC, "write %s:", "x"), -ENOSPC);
	work_fail(&w, -EIO, "second");
	assert_string_equal(w.err, "write x: No space left on device");
	work_end(&w);
}

static int setup(void **state)
{
	(void)state;
	unit_dir_make(&dir);
	setenv("KDYNO_LAB", unit_path(&dir, "lab"), 1);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	unit_dir_remove(&dir);
	return 0;
}

/* A lock is looked up: whoever wants it at that moment gets it. */
static void test_locked(void **state)
{
	char *path;
	int fd;

	(void)state;
	put("run/box-a.lock");
	path = lab_path("run/box-a.lock");
	fd = open(path, O_RDWR | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(lab_locked("run/box-a.lock"), 0);
	assert_int_equal(flock(fd, LOCK_EX | LOCK_NB), 0);
	assert_int_equal(lab_locked("run/box-a.lock"), 1);
	assert_int_equal(lab_locked("run/box-b.lock"), 0);
	close(fd);
	assert_int_equal(lab_locked("run/box-a.lock"), 0);
	free(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_paths),       cmocka_unit_test(test_plain), cmocka_unit_test(test_share), cmocka_unit_test(test_place),
		cmocka_unit_test(test_interrupted), cmocka_unit_test(test_stale), cmocka_unit_test(test_run),   cmocka_unit_test(test_locked),
	};
	return cmocka_run_group_tests_name("lab", tests, setup, teardown);
}
