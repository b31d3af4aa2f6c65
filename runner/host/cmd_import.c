/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd_import: kdyno import SWEEP FILE...: tables of old mails and logs become a sweep of kind imported (docs/import.md).
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/err.h"
#include "common/io.h"
#include "common/kv.h"
#include "host/cmd.h"
#include "host/import.h"
#include "host/lab.h"

#define SHOWN_MAX 200

static int add, on_nfs;
static char *subjects;
static const char *machine, *kernel;

static const struct opt opts[] = {
	{"subject", OPT_LIST, "NAME,...", "the kernels, in order, of tables that name none", &subjects},
	{"kernel", OPT_STR, "NAME", "the tables' rows are variants of this kernel", &kernel},
	{"machine", OPT_STR, "NAME", "what it ran on (unknown); different ones are never compared", &machine},
	{"nfs", OPT_FLAG, NULL, "the file tests ran on NFS: they are called nfs-*, not disk-*", &on_nfs},
	{"add", OPT_FLAG, NULL, "to a sweep that was imported before", &add},
	{.name = NULL},
};

static void check_id(const char *what, const char *s)
{
	if (s && !kv_is_id(s))
		err_usage("import: %s %.70s: letters, digits and . _ + - are allowed, 64 at most", what, s);
}

static void check_words(const char *id)
{
	char *list = subjects ? strdup(subjects) : NULL, *save = NULL;
	check_id("SWEEP", id);
	check_id("--machine", machine);
	check_id("--kernel", kernel);
	for (char *w = list ? strtok_r(list, ",", &save) : NULL; w; w = strtok_r(NULL, ",", &save))
		check_id("--subject", w);
	free(list);
}

static void read_one(struct import *im, const char *path)
{
	char *text;
	size_t len, before = im->values;
	int rc = io_read_plain(path, IMPORT_BYTES_MAX, &text, &len);
	if (rc == -EINVAL)
		err_die("import: %s is no plain file", path);
	if (rc)
		err_die_code(rc, "import: read %s:", path);
	rc = import_text(im, path, text, len);
	free(text);
	if (rc == -EINVAL)
		err_die("import: %s is no text (it holds NUL bytes): a mail or a log was expected", path);
	if (rc)
		err_die("out of memory");
	printf("%s: %zu values\n", path, im->values - before);
}

static void print_remarks(const struct import *im)
{
	char clean[2000];
	for (size_t i = 0; i < im->remarks && i < SHOWN_MAX; i++) {
		err_clean(clean, sizeof clean, im->remark[i]);
		printf("%s\n", clean);
	}
	size_t more = im->more_remarks + (im->remarks > SHOWN_MAX ? im->remarks - SHOWN_MAX : 0);
	if (more)
		printf("... and %zu more\n", more);
	if (im->dropped)
		printf("past the limit of %d: %zu values left out\n", IMPORT_VALUES_MAX, im->dropped);
}

static int run(int argc, char **argv)
{
	if (argc < 2)
		err_usage("import: a name for the SWEEP and at least one FILE are wanted");
	check_words(argv[0]);
	struct import im = {.subjects = subjects, .kernel = kernel, .machine = machine, .nfs = on_nfs};
	for (int i = 1; i < argc; i++)
		read_one(&im, argv[i]);
	print_remarks(&im);
	if (!im.values)
		err_die("import: no table with usable values in %s%s (docs/import.md lists what is known)", argv[1], argc > 2 ? " ..." : "");
	lab_create();
	unsigned boots = import_write(&im, argv[0], add);
	printf("sweep %s: %u boots imported, %zu values, %zu skipped; kdyno compare %s\n", argv[0], boots, im.values, im.skipped, argv[0]);
	import_free(&im);
	return EXIT_OK;
}

const struct cmd cmd_import = {
	.name = "import",
	.args = "SWEEP FILE... [--subject NAME,...] [--kernel NAME] [--machine NAME] [--nfs] [--add]",
	.summary = "read tables of old mails and logs, to stand beside new ones",
	.help = "Known are: Bonnie 1.x and bonnie++ (text and CSV), tiobench, fio's JSON, hackbench, schbench, ftp, time(1), and tables that people\n"
		"make, in markdown or in columns. A run in a table is one boot. Each row that could not be read is named, each unit that had to be\n"
		"assumed is said. The result is a sweep of kind imported: show and compare take it, and say that there is no proof behind it.\n"
		"docs/import.md says what becomes of each.",
	.opts = opts,
	.run = run,
};
