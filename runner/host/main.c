/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kdyno: the station's command. The table of subcommands, and which of them is meant. Everything else is in cmd_*.c.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/err.h"
#include "host/cmd.h"

static const struct cmd *const commands[] = {
	&cmd_kernel_fetch, &cmd_kernel_add,  &cmd_kernel_list,  &cmd_kernel_show, &cmd_kernel_remove, &cmd_board_check, &cmd_board_list,
	&cmd_box_add,      &cmd_box_list,    &cmd_box_show,     &cmd_box_scratch, &cmd_box_qualify,   &cmd_sweep_new,   &cmd_sweep_run,
	&cmd_sweep_list,   &cmd_sweep_pause, &cmd_sweep_resume, &cmd_sweep_prove, &cmd_collect,       &cmd_show,        &cmd_compare,
	&cmd_suite,        &cmd_ssh,         &cmd_serve,        &cmd_rehearse,    &cmd_import,
};

#define COMMANDS (sizeof commands / sizeof *commands)

static int end(int status)
{
	if (fflush(stdout) && status == EXIT_OK)
		err_die("cannot write the output:");
	return status;
}

/* How many words of argv a command's name takes up, 0 if it is not the one. */
static int match(const struct cmd *c, int argc, char **argv)
{
	const char *blank = strchr(c->name, ' ');
	size_t n = blank ? (size_t)(blank - c->name) : strlen(c->name);
	if (argc < 1 || strlen(argv[0]) != n || strncmp(argv[0], c->name, n))
		return 0;
	if (!blank)
		return 1;
	return argc > 1 && !strcmp(argv[1], blank + 1) ? 2 : 0;
}

static void list(const char *group)
{
	size_t n = group ? strlen(group) : 0;
	printf("usage: kdyno [--lab DIR] COMMAND ... (each with --help)\n\n");
	for (size_t i = 0; i < COMMANDS; i++) {
		const struct cmd *c = commands[i];
		if (c && !c->hidden && (!group || (!strncmp(c->name, group, n) && c->name[n] == ' ')))
			printf("  %-15s %s\n", c->name, c->summary);
	}
}

static int is_group(const char *word)
{
	size_t n = strlen(word);
	for (size_t i = 0; i < COMMANDS; i++)
		if (commands[i] && !strncmp(commands[i]->name, word, n) && commands[i]->name[n] == ' ')
			return 1;
	return 0;
}

static int is_help(const char *word) { return !strcmp(word, "--help") || !strcmp(word, "-h") || !strcmp(word, "help"); }

static void unknown(int argc, char **argv)
{
	const char *names[COMMANDS + 1];
	char typed[128];
	size_t n = 0;
	int two = is_group(argv[0]);
	if (two && (argc < 2 || is_help(argv[1]))) {
		list(argv[0]);
		exit(end(argc < 2 ? EXIT_USAGE : EXIT_OK));
	}
	for (size_t i = 0; i < COMMANDS; i++)
		if (commands[i])
			names[n++] = commands[i]->name;
	names[n] = NULL;
	snprintf(typed, sizeof typed, "%s%s%s", argv[0], argc > 1 && argv[1][0] != '-' ? " " : "", argc > 1 && argv[1][0] != '-' ? argv[1] : "");
	const char *near = err_nearest(typed, names);
	if (!near)
		near = err_nearest(argv[0], names);
	err_usage("unknown command '%s'%s%s%s (kdyno --help lists them)", two ? typed : argv[0], near ? "; did you mean '" : "", near ? near : "",
	          near ? "'?" : "");
}

/* Options before the command: --lab alone. Returns how many words it took. */
static int lead(int argc, char **argv)
{
	if (argc > 0 && !strncmp(argv[0], "--lab=", 6)) {
		setenv("KDYNO_LAB", argv[0] + 6, 1);
		return 1;
	}
	if (argc == 1 && !strcmp(argv[0], "--lab"))
		err_usage("--lab wants a folder");
	if (argc > 1 && !strcmp(argv[0], "--lab")) {
		setenv("KDYNO_LAB", argv[1], 1);
		return 2;
	}
	return 0;
}

int main(int argc, char **argv)
{
	err_set_name("kdyno");
	argc--, argv++;
	int skip = lead(argc, argv);
	argc -= skip, argv += skip;
	if (argc < 1 || is_help(argv[0])) {
		list(NULL);
		return end(argc < 1 ? EXIT_USAGE : EXIT_OK);
	}
	for (size_t i = 0; i < COMMANDS; i++) {
		const struct cmd *c = commands[i];
		int words = c ? match(c, argc, argv) : 0;
		if (!words)
			continue;
		int n = opt_parse(c, argc - words, argv + words);
		return end(c->run(n, argv + words));
	}
	unknown(argc, argv);
	return EXIT_USAGE;
}
