/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd: the subcommands of kdyno. One table (main.c) drives parsing, help and dispatch: no option can stand in one and be missing in the other.
 *
 * A subcommand is a struct cmd with its options as rows; opt_parse fills the values that the rows point to.
 */
#ifndef KD_CMD_H
#define KD_CMD_H

#include <stdint.h>

enum opt_type { OPT_FLAG, OPT_STR, OPT_U64, OPT_LIST /* comma list or repeated; collected as one comma list */ };

struct opt {
	const char *name; /* without -- */
	enum opt_type type;
	const char *arg;  /* shown in help: ID, FILE, N ... */
	const char *help; /* one line, default included */
	void *value;      /* int *, const char **, uint64_t *, char ** (malloc'd) */
};

struct cmd {
	const char *name;                  /* "sweep new" is two words */
	const char *args;                  /* "SWEEP [--box BOX] ...", for usage */
	const char *summary;               /* one line */
	const char *help;                  /* paragraphs, or NULL */
	const struct opt *opts;            /* ends with name NULL; or NULL */
	int (*run)(int argc, char **argv); /* argv without options; exit code */
	int hidden;                        /* internal: not listed */
	int rest;                          /* behind so many words all is words: a command for someone else. 0: options everywhere */
};

/*
 * Parses options of the subcommand in place (--name value, --name=value, -- ends), leaving the words.
 * Unknown options end in err_usage with the nearest known one. Returns the count of words. --help prints and exits 0; --lab is known everywhere.
 */
int opt_parse(const struct cmd *c, int argc, char **argv);
/* The lab directory: --lab, KDYNO_LAB, ./lab. Absolute. */
const char *cmd_lab(void);

/* kernel fetch, add, list, show, remove */
extern const struct cmd cmd_kernel_fetch, cmd_kernel_add, cmd_kernel_list, cmd_kernel_show, cmd_kernel_remove;
extern const struct cmd cmd_board_check, cmd_board_list;
/* box add, list, show, scratch, qualify */
extern const struct cmd cmd_box_add, cmd_box_list, cmd_box_show, cmd_box_scratch, cmd_box_qualify;
extern const struct cmd cmd_sweep_new, cmd_sweep_run, cmd_sweep_list, cmd_sweep_pause, cmd_sweep_resume, cmd_sweep_prove;
extern const struct cmd cmd_collect, cmd_import, cmd_suite, cmd_show, cmd_compare, cmd_serve, cmd_ssh, cmd_rehearse;

#endif
