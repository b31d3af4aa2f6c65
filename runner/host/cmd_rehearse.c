/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd_rehearse: kdyno rehearse. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/err.h"
#include "host/cmd.h"
#include "host/rehearse.h"

static struct {
	const char *box, *kernel, *module, *line;
	char *faults;
	uint64_t seed;
	int list, json, keep;
} given = {.seed = 1};

static const struct opt opts[] = {
	{"list", OPT_FLAG, NULL, "the faults, what they are and what may become of a boot that they hit", &given.list},
	{"faults", OPT_LIST, "F,F", "only these (default: all)", &given.faults},
	{"box", OPT_STR, "BOX", "a twin of the lab (default: one of its own, with short limits)", &given.box},
	{"kernel", OPT_STR, "ID", "the kernel to hit (default: the first of the lab that is not home)", &given.kernel},
	{"seed", OPT_U64, "N", "of the order (default 1)", &given.seed},
	{"module", OPT_STR, "FILE", "kdfault.ko for that kernel; without it the faults that need it are SKIP", &given.module},
	{"line", OPT_STR, "FILE", "serial-line, which damages the serial line (default: that of the build tree)", &given.line},
	{"keep", OPT_FLAG, NULL, "leave LAB/rehearsal behind, to look at", &given.keep},
	{"json", OPT_FLAG, NULL, "the table as JSON", &given.json},
	{0},
};

static void choose(struct rehearse *r)
{
	const char *names[REHEARSE_MAX + 1];
	char *save;

	if (rehearse_faults_n > REHEARSE_MAX)
		err_die("too many faults");
	for (size_t i = 0; i < rehearse_faults_n; i++)
		names[i] = rehearse_faults[i].name;
	names[rehearse_faults_n] = NULL;
	for (char *w = given.faults ? strtok_r(given.faults, ",", &save) : NULL; w; w = strtok_r(NULL, ",", &save)) {
		const struct rehearse_fault *f = rehearse_find(w);
		const char *near = f ? NULL : err_nearest(w, names);

		if (!f)
			err_usage("rehearse: no fault '%.70s'%s%s%s (--list lists them)", w, near ? "; did you mean '" : "", near ? near : "",
			          near ? "'?" : "");
		for (size_t i = 0; i < r->n; i++)
			if (r->chosen[i] == f)
				err_usage("rehearse: fault %s twice", f->name);
		r->chosen[r->n++] = f;
	}
	for (size_t i = 0; !given.faults && i < rehearse_faults_n; i++)
		r->chosen[r->n++] = &rehearse_faults[i];
	if (!r->n)
		err_usage("rehearse: --faults names none");
	for (size_t i = 0; i < r->n; i++)
		r->result[r->results++].fault = r->chosen[i];
}

/* build/tests/serial-line beside build/kdyno. */
static const char *find_line(void)
{
	static char path[4200];
	ssize_t n = readlink("/proc/self/exe", path, 4000);
	char *slash;

	if (n <= 0)
		return NULL;
	path[n] = 0;
	slash = strrchr(path, '/');
	strcpy(slash ? slash : path, "/tests/serial-line");
	return access(path, X_OK) ? NULL : path;
}

static int judge(const struct rehearse *r)
{
	int ok = !r->wrongs;

	for (size_t i = 0; i < r->results; i++)
		ok = ok && r->result[i].done && r->result[i].ok;
	return ok ? EXIT_OK : EXIT_FAIL;
}

static int run(int argc, char **argv)
{
	static struct rehearse r; /* until exit: the end of the process ends what runs */
	int status;

	(void)argv;
	if (argc)
		err_usage("rehearse takes no words, only options (--help)");
	if (given.list) {
		rehearse_list(given.json);
		return EXIT_OK;
	}
	choose(&r);
	r.box = given.box;
	r.kernel = given.kernel;
	r.module = given.module;
	if (given.line && access(given.line, X_OK))
		err_usage("rehearse: --line %s: %s", given.line, strerror(errno));
	r.line = given.line ? given.line : find_line();
	r.seed = given.seed;
	r.keep = given.keep;
	rehearse_lab_make(&r);
	rehearse_sweep_box(&r);
	rehearse_sweep_station(&r);
	rehearse_sweep_kernel(&r);
	rehearse_sweep_line(&r);
	rehearse_print(&r, given.json);
	status = judge(&r);
	fflush(stdout);
	if (status)
		r.keep = 1;
	rehearse_lab_end(&r);
	return status;
}

const struct cmd cmd_rehearse = {
	.name = "rehearse",
	.args = "[--faults F,F] [--kernel ID] [--box BOX] [--module FILE] ...",
	.summary = "break a twin, the network and the station on purpose, and prove that no result is lost",
	.help = "Runs sweeps in LAB/rehearsal, a lab of its own, and does to them each fault of a table (--list), alone. Then says what became of "
		"the\n"
		"boots that were hit, whether that is allowed, and what was kept of it; and proves from the files of the sweeps that every boot has\n"
		"its verdict, and that nothing is lost or there twice (kdyno sweep prove). Exit code 0: all of it holds. What went wrong stays in\n"
		"LAB/rehearsal. Ctrl-C leaves nothing running.",
	.opts = opts,
	.run = run,
};
