/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd_box: kdyno box add, list, show. (scratch is in cmd_box_scratch.c)
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/err.h"
#include "common/io.h"
#include "common/kv.h"
#include "host/board.h"
#include "host/cmd.h"
#include "host/lab.h"
#include "host/number.h"
#include "host/qualified.h"
#include "host/scratch.h"

static const char *board;

static const struct opt add_opts[] = {
	{"board", OPT_STR, "NAME|FILE", "board config to copy (default qemu-x86_64)", &board},
	{0},
};

/* Reads the config for its errors before anything is made. Returns what the lab gets: the file's own text, or all that it and what it includes say. */
static char *read_config(struct board *b, const char *name, const char *from, size_t *len)
{
	struct board_source source;
	struct board_error e;
	char *text, line[600];
	int err = board_read_named(b, &source, name, from, &e);
	if (err) {
		board_error_text(&e, from, line, sizeof line);
		err_die("%s", line);
	}
	if (source.files > 1) {
		text = board_flat(b, &source);
		*len = text ? strlen(text) : 0;
		err = text ? 0 : -ENOMEM;
	} else {
		err = io_read_plain(from, 1 << 20, &text, len);
	}
	if (err)
		err_die_code(err, "%s:", from);
	board_source_free(&source);
	return text;
}

/* A twin's disk: made once, kept while its size and mark are right. */
static void make_scratch(const struct board *b)
{
	struct scratch_mark m;
	struct stat st;
	char *folder = lab_path("boxes/%s", b->name), *path = lab_path("boxes/%s/scratch.img", b->name);
	int err = io_mkdirs(folder, 0755);
	if (err)
		err_die_code(err, "cannot make %s:", folder);
	if (!stat(path, &st)) {
		int fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			err_die("open %s:", path);
		err = scratch_mark_read(fd, (uint64_t)st.st_size, &m);
		close(fd);
		if (err || m.bytes != b->scratch_bytes || (uint64_t)st.st_size != b->scratch_bytes || strcmp(m.box, b->name))
			err_die("%s does not carry the mark of box %s with %llu bytes; remove it to have it made anew", path, b->name,
			        (unsigned long long)b->scratch_bytes);
	} else {
		err = scratch_create(path, b->name, b->scratch_bytes);
		if (err) {
			rmdir(folder);
			err_die_code(err, "make %s:", path);
		}
	}
	free(path);
	free(folder);
}

/* The lab's config of that box says the same: 1. None there: 0. Another one: dies. */
static int is_there(const struct board *b, const char *to)
{
	struct board there;
	struct board_error e;
	if (access(to, F_OK) && errno == ENOENT)
		return 0;
	int err = board_read(&there, to, &e);
	if (err) {
		char line[600];
		board_error_text(&e, to, line, sizeof line);
		err_die("%s", line);
	}
	if (!board_same(&there, b))
		err_die("box '%s' is there with another config; edit %s, or remove it first", b->name, to);
	board_free(&there);
	return 1;
}

static int add(int argc, char **argv)
{
	struct board b;
	size_t len;
	if (argc != 1)
		err_usage("box add: which name? (one)");
	if (!kv_is_id(argv[0]))
		err_usage("box add: '%.70s' is no name of a box (letters, digits, . _ + -; at most 64)", argv[0]);
	if (!board)
		board = "qemu-x86_64";
	char *from = board_find(board), *text = read_config(&b, argv[0], from, &len);
	lab_create();
	char *to = lab_path("boards/%s.ini", argv[0]);
	int have = is_there(&b, to), err;
	if (b.console == BOARD_CONSOLE_QEMU && b.scratch_bytes)
		make_scratch(&b);
	if (!have && (err = io_write_file(to, text, len, 0644)))
		err_die_code(err, "write %s:", to);
	printf("%s box %s: %s (%s)\n", have ? "have" : "added", argv[0], b.summary, to);
	if (!b.tested)
		printf("tested = no: no sweep has been seen to pass on such a board\n");
	if (b.console != BOARD_CONSOLE_QEMU && b.scratch_bytes)
		printf("its scratch disk wants a mark: kdyno box scratch %s DEVICE\n", b.name);
	board_free(&b);
	free(text);
	free(from);
	free(to);
	return EXIT_OK;
}

const struct cmd cmd_box_add = {
	.name = "box add",
	.args = "NAME [--board NAME|FILE]",
	.summary = "add a box to the lab",
	.help = "Copies the board config to boards/NAME.ini of the lab, where it may be edited (board-configs/README.md lists every key), and\n"
		"makes the scratch disk of a QEMU twin.",
	.opts = add_opts,
	.run = add,
};

/* What the box is qualified for, behind its line. */
static const char *verdict(const char *box)
{
	static char text[64];
	struct qualified q;
	char why[512];
	int err = qualified_read(&q, box, why, sizeof why);

	text[0] = 0;
	if (err && err != -ENOENT)
		err_warn("%s", why);
	if (!err)
		snprintf(text, sizeof text, " (kexec %s)", qualified_safe_name(q.way[PLAN_CHAIN].safe));
	return text;
}

static int list(int argc, char **argv)
{
	size_t n;
	(void)argv;
	if (argc)
		err_usage("box list takes no words");
	lab_require();
	char **names = lab_list("boards", &n);
	int boxes = 0;
	for (size_t i = 0; i < n; i++) {
		struct board b;
		struct board_error e;
		size_t end = strlen(names[i]);
		if (end < 5 || strcmp(names[i] + end - 4, ".ini"))
			continue;
		char *path = lab_path("boards/%s", names[i]);
		boxes++;
		if (board_read(&b, path, &e)) {
			char line[600];
			board_error_text(&e, path, line, sizeof line);
			err_warn("%s", line);
		} else {
			printf("%-20s %-8s %-9s %s%s\n", b.name, b.arch, plan_switch_name(b.sw), b.summary, verdict(b.name));
			board_free(&b);
		}
		free(path);
	}
	if (!boxes)
		printf("no boxes yet; 'kdyno box add NAME' adds a QEMU twin\n");
	lab_list_free(names);
	return EXIT_OK;
}

const struct cmd cmd_box_list = {.name = "box list", .args = "", .summary = "the boxes of the lab", .run = list};

static void show_qualified(const char *box)
{
	struct qualified q;
	char why[512], words[QUALIFIED_LIST_MAX + 256], when[NUMBER_MAX], hash[17];
	int err = qualified_read(&q, box, why, sizeof why);

	if (err && err != -ENOENT)
		err_warn("%s", why);
	if (err) {
		printf("qualified  no; 'kdyno box qualify %s --kernel ID'\n", box);
		return;
	}
	printf("qualified  %s with kernel %s, %u round%s of %s%s\n", number_time(q.at_s, when, sizeof when), q.kernel, q.rounds,
	       q.rounds == 1 ? "" : "s", q.suite,
	       qualified_board_hash(box, hash) || strcmp(hash, q.board) ? "; the board config has changed since" : "");
	for (enum plan_switch sw = PLAN_CHAIN; sw <= PLAN_FIRMWARE; sw++)
		printf("           %-8s %s\n", plan_switch_name(sw), qualified_words(&q, sw, words, sizeof words));
}

static int show(int argc, char **argv)
{
	static const char *const consoles[] = {"", "qemu", "tty", "file", "socket"};
	struct board b;
	if (argc != 1)
		err_usage("box show: which box? (one name)");
	lab_require();
	board_load(&b, argv[0]);
	printf("box        %s\nsummary    %s\narch       %s\ntested     %s\nswitch     %s\n", b.name, b.summary, b.arch, b.tested ? "yes" : "no",
	       plan_switch_name(b.sw));
	printf("console    %s%s%s, %u baud, kernel's name %s\n", consoles[b.console], *b.console_path ? " " : "", b.console_path, b.console_speed,
	       b.console_kernel);
	printf("machine    %u CPU%s, %llu MiB, scratch %llu MiB, crash kernel ", b.cpus, b.cpus == 1 ? "" : "s",
	       (unsigned long long)(b.mem_bytes >> 20), (unsigned long long)(b.scratch_bytes >> 20));
	printf(b.crash_bytes ? "%llu MiB\n" : "no\n", (unsigned long long)(b.crash_bytes >> 20));
	printf("nic        %s\nmodules    %s\nwatchdog   %s\ncmdline    %s\n", b.nic, b.modules, b.watchdog, b.cmdline);
	printf("boots      %s, %s, address %s%s%s\n", b.firmware, b.boot_path, b.address, *b.mac ? ", card " : "", b.mac);
	printf("again_s    %u\ndeaf_s     %u\njump_s     %u\n", b.again_s, b.deaf_s, b.jump_s);
	printf("power      %s; on: %s; off: %s; cycle: %s\n", b.power_enabled ? "enabled" : "not enabled", b.power_on ? b.power_on : "-",
	       b.power_off ? b.power_off : "-", b.power_cycle ? b.power_cycle : "-");
	printf("sysrq      %s\n", b.sysrq ? "yes" : "no");
	if (b.twin)
		printf("twin       %s\n", b.twin);
	show_qualified(b.name);
	if (b.line)
		printf("line       %s\n", b.line);
	board_free(&b);
	return EXIT_OK;
}

const struct cmd cmd_box_show = {.name = "box show", .args = "NAME", .summary = "what a box is", .run = show};
