/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rehearse_lab: the lab of the rehearsal, below the one that it was asked for in: two kernels and a box, taken from there, and everything else
 * its own.
 *
 * Signals that end a command are blocked from the start (work_begin) and looked at, so that whatever happens, what was started is ended.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/err.h"
#include "common/io.h"
#include "host/cmd.h"
#include "host/kernel.h"
#include "host/lab.h"
#include "host/rehearse.h"
#include "host/server.h"
#include "host/work.h"

#define FOLDER "rehearsal"
#define STOP_MS 3000

static struct work work; /* for its signals, and to run commands */

void rehearse_say(const char *fmt, ...)
{
	static uint64_t start_ms;
	char text[300], clean[600];
	uint64_t s;
	va_list ap;

	if (!start_ms)
		start_ms = clock_now_ms();
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	err_clean(clean, sizeof(clean), text);
	s = (clock_now_ms() - start_ms) / 1000;
	fprintf(stderr, "%4llu:%02llu  %s\n", (unsigned long long)s / 60, (unsigned long long)s % 60, clean);
}

int rehearse_stopped(void) { return work_interrupted(&work); }

static char *self_path(void)
{
	char path[PATH_MAX];

	server_self(path, sizeof(path));
	return strdup(path);
}

void rehearse_kdyno(struct rehearse *r, const char *const *args)
{
	const char *argv[40] = {r->self, "--lab", r->lab};
	struct work_command c = {.argv = argv};
	size_t n = 3;
	int status;

	while (*args && n < 39)
		argv[n++] = *args++;
	status = work_run(&work, &c);
	if (!status)
		return;
	if (status == -EINTR)
		err_die("interrupted");
	err_die("%s %s: %s", argv[3], argv[4], *c.tail ? c.tail : "failed");
}

/* The lab's own kernels; the first that is not home where none is named. */
static void choose_kernel(struct rehearse *r, char *out, size_t size)
{
	size_t n;
	char **names = lab_list("kernels", &n);
	struct kernel k;

	*out = 0;
	for (size_t i = 0; i < n && !*out && !r->kernel; i++)
		if (strcmp(names[i], "home"))
			snprintf(out, size, "%s", names[i]);
	lab_list_free(names);
	if (r->kernel)
		snprintf(out, size, "%s", r->kernel);
	if (!*out)
		err_die("no kernel in the lab but home: 'kdyno kernel fetch' gets some");
	if (!strcmp(out, "home"))
		err_usage("rehearse: home is never a subject; name another kernel of the lab");
	kernel_load(&k, out);
	kernel_load(&k, "home");
}

/* kdfault.ko as a package would have it, below a folder of ours: lib/modules/RELEASE/extra/. The folder, or NULL. */
static char *lay_module(struct rehearse *r, const char *kernel)
{
	char *folder, *dir, *file;
	struct kernel k;
	int err;

	if (!r->module)
		return NULL;
	if (access(r->module, R_OK))
		err_die("open %s:", r->module);
	kernel_load(&k, kernel);
	if (asprintf(&folder, "%s/module", r->lab) < 0 || asprintf(&dir, "%s/lib/modules/%s/extra", folder, k.release) < 0 ||
	    asprintf(&file, "%s/kdfault.ko", dir) < 0)
		err_die("out of memory");
	err = io_mkdirs(dir, 0755);
	if (!err)
		err = work_copy(r->module, file);
	if (err)
		err_die_code(err, "write %s:", file);
	free(dir);
	free(file);
	return folder;
}

static void add_kernels(struct rehearse *r, const char *kernel)
{
	char *from = lab_path("kernels/%s", kernel), *home = lab_path("kernels/home"), *module = lay_module(r, kernel);

	rehearse_kdyno(r, (const char *const[]){"kernel", "add", home, "--as", "home", NULL});
	rehearse_kdyno(r, (const char *const[]){"kernel", "add", from, module ? module : "--as", module ? "--as" : kernel, module ? kernel : NULL,
	                                        NULL});
	free(from);
	free(home);
	free(module);
}

/* The box's config as the lab has it, or the twin with short limits that comes along. */
static void add_box(struct rehearse *r)
{
	char *config = r->box ? lab_path("boards/%s.ini", r->box) : strdup("qemu-rehearsal");

	if (!r->box)
		r->box = "twin";
	rehearse_kdyno(r, (const char *const[]){"box", "add", r->box, "--board", config, NULL});
	free(config);
}

static void check_box(const struct rehearse *r)
{
	struct board b;

	if (!r->box)
		return;
	board_load(&b, r->box);
	if (b.console != BOARD_CONSOLE_QEMU)
		err_die("box %s is no QEMU twin: faults are rehearsed on twins alone", r->box);
	board_free(&b);
}

/* What an earlier one left running, then what it left lying. */
static void clear(struct rehearse *r)
{
	int err;

	rehearse_lab_end(r);
	err = work_remove_tree(r->lab);
	if (err && err != -ENOENT)
		err_die_code(err, "remove %s:", r->lab);
}

static void lock(void)
{
	char *path = lab_path(FOLDER ".lock");
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644); /* until exit */

	if (fd < 0)
		err_die("open %s:", path);
	if (flock(fd, LOCK_EX | LOCK_NB))
		err_die("a rehearsal is already running in %s", cmd_lab());
	free(path);
}

static void at_exit(int status, void *ctx)
{
	(void)status;
	rehearse_lab_end(ctx);
}

void rehearse_lab_make(struct rehearse *r)
{
	static char kernel[PLAN_ID_MAX + 1];
	char *parent;
	int err, keep = r->keep;

	lab_require();
	check_box(r);
	choose_kernel(r, kernel, sizeof(kernel));
	r->kernel = kernel;
	r->self = self_path();
	lock();
	r->lab = lab_path(FOLDER);
	parent = lab_path(FOLDER "/tmp");
	r->keep = 1;
	clear(r);
	r->keep = keep;
	err = work_begin(&work, parent);
	if (err)
		work_die(&work);
	on_exit(at_exit, r);
	add_kernels(r, kernel);
	add_box(r);
	setenv("KDYNO_LAB", r->lab, 1); /* from here on every path of ours is there */
	board_load(&r->board, r->box);
	free(parent);
}

/* All that has a pid file, whoever started it. */
static void end_servers(const struct rehearse *r)
{
	char *before = strdup(cmd_lab());
	size_t n;
	char **names;

	setenv("KDYNO_LAB", r->lab, 1);
	names = lab_list("run", &n);
	for (size_t i = 0; i < n; i++) {
		size_t len = strlen(names[i]);

		if (len <= 4 || strcmp(names[i] + len - 4, ".pid"))
			continue;
		names[i][len - 4] = 0;
		if (server_pid(names[i]))
			kill(server_pid(names[i]), SIGCONT);
		server_stop(names[i], STOP_MS);
	}
	lab_list_free(names);
	if (before)
		setenv("KDYNO_LAB", before, 1);
	free(before);
}

void rehearse_lab_end(struct rehearse *r)
{
	if (!r->lab)
		return;
	if (r->running)
		rehearse_stop(r, SIGINT);
	end_servers(r);
	if (r->keep)
		return;
	work_remove_tree(r->lab);
	free(r->lab);
	r->lab = NULL;
}

#define LINE_WORDS "--flip 0.0003 --drop 0.0004 --double 0.0003"

void rehearse_lab_line(struct rehearse *r)
{
	char *path = lab_path("boards/%s.ini", r->box), *text, *more, *twin;
	size_t len;
	int err = io_read_file(path, 1 << 20, &text, &len), n;

	if (err)
		err_die_code(err, "%s:", path);
	twin = strstr(text, "\n[twin]\n");
	len = twin ? (size_t)(twin - text) + strlen("\n[twin]\n") : len;
	n = asprintf(&more, "%.*s%sline =\n\t%s\n\t" LINE_WORDS " --seed %llu\n%s", (int)len, text, twin ? "" : "\n[twin]\n", r->line,
	             (unsigned long long)r->seed, twin ? text + len : "");
	if (n < 0)
		err_die("out of memory");
	err = io_write_file(path, more, (size_t)n, 0644);
	if (err)
		err_die_code(err, "write %s:", path);
	free(more);
	free(text);
	free(path);
}
