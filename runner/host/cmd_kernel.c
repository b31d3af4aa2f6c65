/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd_kernel: kdyno kernel add, list, show, remove. (fetch is in cmd_kernel_fetch.c)
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/err.h"
#include "common/io.h"
#include "common/kv.h"
#include "host/cmd.h"
#include "host/kernel.h"
#include "host/lab.h"

static const char *as;

static const struct opt add_opts[] = {
	{"as", OPT_STR, "ID", "its id in the lab (default: its release)", &as},
	{0},
};

/* The id of a kernel of this lab, from the id itself or from the path of its folder; NULL for anything else. malloc'd. */
static char *own_id(const char *word)
{
	struct kernel k;
	char *kernels = lab_path("kernels"), *id = NULL;
	char *real = realpath(word, NULL), *parent = realpath(kernels, NULL);
	char *slash = real ? strrchr(real, '/') : NULL;
	if (!real && kv_is_id(word) && !kernel_read(&k, word))
		id = strdup(word);
	if (slash && parent) {
		*slash = '\0';
		if (!strcmp(real, parent) && !kernel_read(&k, slash + 1))
			id = strdup(slash + 1);
	}
	free(kernels);
	free(real);
	free(parent);
	return id;
}

static int add(int argc, char **argv)
{
	struct kernel k;
	if (argc < 1)
		err_usage("kernel add: which file? (.deb files of one kernel, a folder, a build tree, a bzImage)");
	if (as && !kv_is_id(as))
		err_usage("kernel add: --as %.70s: no id (letters, digits, . _ + -; at most 64)", as);
	char *id = argc == 1 ? own_id(argv[0]) : NULL;
	if (id && !as)
		err_usage("kernel add: %s is a kernel of the lab; --as ID adds it again", id);
	enum kernel_added done = id ? kernel_add_again(&k, id, as) : kernel_add(&k, (const char *const *)argv, as);
	free(id);
	kernel_print(done == KERNEL_HAVE ? "have" : "added", &k);
	if (kernel_is_legacy(&k))
		printf("it is before 2.6: it gets no modules, so drivers and file systems that a box needs must be built in; its image is an ext2 "
		       "initrd\n");
	return EXIT_OK;
}

const struct cmd cmd_kernel_add = {
	.name = "kernel add",
	.args = "FILE... [--as ID]",
	.summary = "add a kernel to the lab from packages, a folder, a build tree or a bzImage",
	.help = "FILE is .deb files (those of one kernel together: linux-image-, or linux-binary-, linux-modules- and linux-base-),\n"
		"an rpm or tar, a folder with boot/ and lib/modules/, a kernel's build tree, or a bzImage. An id of the lab in its place\n"
		"adds that kernel once more under --as ID, by hard links. Nothing is installed.",
	.opts = add_opts,
	.run = add,
};

static int list(int argc, char **argv)
{
	size_t n;
	(void)argv;
	if (argc)
		err_usage("kernel list takes no words");
	lab_require();
	char **names = lab_list("kernels", &n);
	if (!n)
		printf("no kernels yet; 'kdyno kernel fetch' gets two\n");
	for (size_t i = 0; i < n; i++) {
		struct kernel k;
		int err = kernel_read(&k, names[i]);
		if (err)
			err_warn("kernels/%s/facts: %s", names[i], err == -EBADMSG || err == -EINVAL ? "damaged" : strerror(-err));
		else
			printf("%-32s %-8s %-8s %s\n", k.id, k.arch, k.modules ? "modules" : "-", *k.version ? k.version : k.release);
	}
	lab_list_free(names);
	return EXIT_OK;
}

const struct cmd cmd_kernel_list = {.name = "kernel list", .args = "", .summary = "the kernels of the lab", .run = list};

static int show(int argc, char **argv)
{
	struct kernel k;
	char day[32] = "-";
	if (argc != 1)
		err_usage("kernel show: which kernel? (one id)");
	lab_require();
	kernel_load(&k, argv[0]);
	time_t t = (time_t)k.added;
	struct tm tm;
	if (gmtime_r(&t, &tm))
		strftime(day, sizeof day, "%Y-%m-%d %H:%M:%S UTC", &tm);
	printf("id           %s\nrelease      %s\nversion      %s\narch         %s\nbytes        %llu\nsha256       %s\n", k.id, k.release, k.version,
	       k.arch, (unsigned long long)k.bytes, k.sha256);
	printf("initrd       %s\ncompression  %s\nkexec        %s\nkexec_file   %s\nmodules      %s\nfrom         %s\nadded        %s\n", k.initrd,
	       k.compression, k.kexec, k.kexec_file, k.modules ? "yes" : "no", k.from, day);
	return EXIT_OK;
}

const struct cmd cmd_kernel_show = {.name = "kernel show", .args = "ID", .summary = "what is known of a kernel", .run = show};

/* A sweep that boots the kernel, as subject or as home: its frozen files lie with the sweep, the kernel itself in kernels/. */
static int uses(const char *sweep, const char *id)
{
	char needle[PLAN_ID_MAX + 32], *text;
	size_t len;
	int used = 0;
	char *path = lab_path("sweeps/%s/manifest", sweep);
	if (!io_read_file(path, 16 << 20, &text, &len)) {
		snprintf(needle, sizeof needle, " path=kernels/%s/", id);
		used = strstr(text, needle) != NULL;
		free(text);
	}
	free(path);
	return used;
}

static int remove_kernel(int argc, char **argv)
{
	size_t n;
	if (argc != 1)
		err_usage("kernel remove: which kernel? (one id)");
	lab_require();
	const char *id = argv[0];
	struct kernel k;
	char *path = kv_is_id(id) ? lab_path("kernels/%s", id) : NULL, *gone;
	if (!path || access(path, F_OK))
		kernel_load(&k, id); /* says that there is none */
	char **sweeps = lab_list("sweeps", &n);
	for (size_t i = 0; i < n; i++)
		if (uses(sweeps[i], id))
			err_die("kernel '%s' is used by sweep '%s'; remove %s/sweeps/%s first", id, sweeps[i], cmd_lab(), sweeps[i]);
	lab_list_free(sweeps);
	/* Out of sight at once, then away. */
	gone = lab_path("kernels/.tmp-%ld", (long)getpid());
	if (rename(path, gone))
		err_die("remove %s:", path);
	int err = work_remove_tree(gone);
	if (err)
		err_die_code(err, "remove %s:", gone);
	printf("removed %s\n", id);
	free(gone);
	free(path);
	return EXIT_OK;
}

const struct cmd cmd_kernel_remove = {.name = "kernel remove", .args = "ID", .summary = "remove a kernel that no sweep uses", .run = remove_kernel};
