/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * board: see board.h; board-configs/README.md lists every key with its default. Strict: what is not known, stands twice or
 * does not fit is an error that names the line, because a typing error here costs a night.
 */
#include "host/board.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/err.h"
#include "common/io.h"
#include "common/job_text.h"
#include "common/kv.h"
#include "host/arch.h"
#include "host/cmd.h"
#include "host/conf.h"
#include "host/lab.h"

static const char *const keys_board[] = {"arch", "summary", "tested", "switch", NULL};
static const char *const keys_console[] = {"type", "path", "speed", "kernel", "sysrq", NULL};
static const char *const keys_machine[] = {"cpus", "memory", "nic", "modules", "watchdog", "scratch", "crash_kernel", NULL};
static const char *const keys_boot[] = {"cmdline", "again_s", "deaf_s", "jump_s", NULL};
static const char *const keys_power[] = {"on", "off", "cycle", "enabled", "timeout_s", "retries", "off_s", NULL};
static const char *const keys_twin[] = {"qemu", "cpu", "nic", "disk", "loader", "line", NULL};
static const struct conf_known known[] = {
	{"board", 0, keys_board}, {"console", 0, keys_console}, {"machine", 0, keys_machine},
	{"boot", 0, keys_boot},   {"power", 0, keys_power},     {"twin", 0, keys_twin},
	{NULL, 0, NULL},
};

static int copy(const struct conf_entry *it, char **out, int as_list, struct conf_error *e)
{
	free(*out);
	*out = as_list ? conf_list(it->value) : strdup(it->value);
	return *out ? 0 : conf_fail(e, it->line, "out of memory");
}

static int small(const struct conf_entry *it, unsigned min, unsigned max, unsigned *out, struct conf_error *e)
{
	uint64_t v = 0;
	int err = conf_u64(it, min, max, &v, e);
	if (!err)
		*out = (unsigned)v;
	return err;
}

/* Module names end up in paths and messages: [A-Za-z0-9_-], and an optional ? at the end. */
static int check_modules(const struct conf_entry *it, const char *list, struct conf_error *e)
{
	for (const char *w = list; w && *w;) {
		size_t n = strcspn(w, ","), ok = strspn(w, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-");
		if (!ok || (ok != n && !(ok + 1 == n && w[ok] == '?')))
			return conf_fail(e, it->line, "%s: '%.*s' is no name of a module", it->key, (int)(n < 60 ? n : 60), w);
		w += n + (w[n] == ',');
	}
	return 0;
}

static int read_board(struct board *b, const struct conf_entry *it, struct conf_error *e)
{
	if (!strcmp(it->key, "arch")) {
		if (!arch_find(it->value))
			return conf_fail(e, it->line, "arch = %s: %s was expected", it->value, arch_names());
		return conf_copy(it, b->arch, sizeof b->arch, e);
	}
	if (!strcmp(it->key, "summary"))
		return conf_copy(it, b->summary, sizeof b->summary, e);
	if (!strcmp(it->key, "tested"))
		return conf_bool(it, &b->tested, e);
	if (plan_switch_parse(it->value, &b->sw))
		return conf_fail(e, it->line, "switch = %s: chain, via-home or firmware was expected", it->value);
	return 0;
}

/* It is one word of every kernel's command line, and what stands behind a blank there would be another. */
static int read_console_kernel(struct board *b, const struct conf_entry *it, struct conf_error *e)
{
	for (const char *p = it->value; *p; p++)
		if (*p <= ' ' || *p > '~' || *p == '"' || *p == '\'')
			return conf_fail(e, it->line, "kernel: one word without blanks and quotes was expected, like ttyS0,115200");
	if (!*it->value)
		return conf_fail(e, it->line, "kernel: what console= gets was expected, like ttyS0,115200");
	return conf_copy(it, b->console_kernel, sizeof b->console_kernel, e);
}

static int read_console(struct board *b, const struct conf_entry *it, struct conf_error *e)
{
	static const char *const types[] = {"qemu", "tty", "file", "socket", NULL};
	if (!strcmp(it->key, "path"))
		return conf_copy(it, b->console_path, sizeof b->console_path, e);
	if (!strcmp(it->key, "kernel"))
		return read_console_kernel(b, it, e);
	if (!strcmp(it->key, "speed"))
		return small(it, 50, 4000000, &b->console_speed, e);
	if (!strcmp(it->key, "sysrq"))
		return conf_bool(it, &b->sysrq, e);
	for (int i = 0; types[i]; i++)
		if (!strcmp(types[i], it->value))
			b->console = (enum board_console)(BOARD_CONSOLE_QEMU + i);
	return b->console ? 0 : conf_fail(e, it->line, "type = %s: qemu, tty, file or socket was expected", it->value);
}

/* `no`, or what `crashkernel=` gets: whole MiB, so that every kernel rounds it alike. */
static int read_crash(struct board *b, const struct conf_entry *it, struct conf_error *e)
{
	b->crash_bytes = 0;
	if (!strcmp(it->value, "no"))
		return 0;
	if (!strcmp(it->value, "yes") || conf_bytes(it, &b->crash_bytes, e) || b->crash_bytes < 64 << 20 || b->crash_bytes % (1 << 20))
		return conf_fail(e, it->line, "crash_kernel = %s: no, or at least 64M in whole MiB, was expected (192M is enough as a rule)",
		                 it->value);
	return 0;
}

static int read_machine(struct board *b, const struct conf_entry *it, struct conf_error *e)
{
	int err;
	if (!strcmp(it->key, "cpus"))
		return small(it, 1, 4096, &b->cpus, e);
	if (!strcmp(it->key, "memory")) {
		err = conf_bytes(it, &b->mem_bytes, e);
		if (!err && b->mem_bytes < 16 << 20)
			return conf_fail(e, it->line, "memory = %s: at least 16M was expected", it->value);
		return err;
	}
	if (!strcmp(it->key, "scratch")) {
		err = conf_bytes(it, &b->scratch_bytes, e);
		if (!err && b->scratch_bytes && (b->scratch_bytes < 16 << 20 || b->scratch_bytes % 4096))
			return conf_fail(e, it->line, "scratch = %s: 0, or at least 16M and a multiple of 4096 bytes, was expected", it->value);
		return err;
	}
	if (!strcmp(it->key, "crash_kernel"))
		return read_crash(b, it, e);
	char **list = !strcmp(it->key, "nic") ? &b->nic : !strcmp(it->key, "watchdog") ? &b->watchdog : &b->modules;
	err = copy(it, list, 1, e);
	return err ? err : check_modules(it, *list, e);
}

/* What a command line may hold: printable ASCII, no quotes (loaders disagree about them), no kd words. */
static int read_cmdline(struct board *b, const struct conf_entry *it, struct conf_error *e)
{
	for (const char *p = it->value; *p; p++)
		if (*p < ' ' || *p > '~' || *p == '"' || *p == '\'')
			return conf_fail(e, it->line, "cmdline: printable ASCII without quotes was expected");
	for (const char *w = it->value; *w; w += strspn(w, " ")) {
		if (job_text_own_word(w))
			return conf_fail(e, it->line, "cmdline: words that start with kd=, kd., initrd= or BOOT_IMAGE= are kdyno's own");
		w += strcspn(w, " ");
	}
	return copy(it, &b->cmdline, 0, e);
}

static int read_boot(struct board *b, const struct conf_entry *it, struct conf_error *e)
{
	if (!strcmp(it->key, "cmdline"))
		return read_cmdline(b, it, e);
	if (!strcmp(it->key, "again_s"))
		return small(it, 1, 3600, &b->again_s, e);
	if (!strcmp(it->key, "deaf_s"))
		return small(it, 10, 86400, &b->deaf_s, e);
	return small(it, 5, 3600, &b->jump_s, e);
}

static int read_power(struct board *b, const struct conf_entry *it, struct conf_error *e)
{
	char **p = !strcmp(it->key, "on") ? &b->power_on : !strcmp(it->key, "off") ? &b->power_off : &b->power_cycle;
	if (!strcmp(it->key, "enabled"))
		return conf_bool(it, &b->power_enabled, e);
	if (!strcmp(it->key, "timeout_s"))
		return small(it, 1, 3600, &b->power_timeout_s, e);
	if (!strcmp(it->key, "retries"))
		return small(it, 0, 100, &b->power_retries, e);
	if (!strcmp(it->key, "off_s"))
		return small(it, 0, 600, &b->power_off_s, e);
	if (!*it->value) /* the shell would do nothing, and say that it went well */
		return conf_fail(e, it->line, "%s: a command was expected; leave the line out where there is none", it->key);
	return copy(it, p, 0, e);
}

/* A model's name and its properties, as QEMU takes them: 486, pentium3,-sse. */
static int copy_model(const struct conf_entry *it, char **out, struct conf_error *e)
{
	if (strspn(it->value, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.,=+-") != strlen(it->value))
		return conf_fail(e, it->line, "%s = %s: a model of QEMU's was expected, like 486 or ne2k_pci", it->key, it->value);
	return copy(it, out, 0, e);
}

static int read_twin(struct board *b, const struct conf_entry *it, struct conf_error *e)
{
	if (!*it->value)
		return conf_fail(e, it->line, "%s: a value was expected; leave the line out where there is none", it->key);
	if (!strcmp(it->key, "disk")) {
		b->twin_ide = !strcmp(it->value, "ide");
		return b->twin_ide || !strcmp(it->value, "virtio") ? 0 : conf_fail(e, it->line, "disk = %s: virtio or ide was expected", it->value);
	}
	if (!strcmp(it->key, "loader")) {
		b->twin_loader = !strcmp(it->value, "qemu");
		return b->twin_loader || !strcmp(it->value, "pxe") ? 0 : conf_fail(e, it->line, "loader = %s: pxe or qemu was expected", it->value);
	}
	if (!strcmp(it->key, "cpu") || !strcmp(it->key, "nic"))
		return copy_model(it, *it->key == 'c' ? &b->twin_cpu : &b->twin_nic, e);
	return copy(it, !strcmp(it->key, "line") ? &b->line : &b->twin, 0, e);
}

static int read_entry(struct board *b, const struct conf_entry *it, struct conf_error *e)
{
	if (!strcmp(it->section, "board"))
		return read_board(b, it, e);
	if (!strcmp(it->section, "console"))
		return read_console(b, it, e);
	if (!strcmp(it->section, "machine"))
		return read_machine(b, it, e);
	if (!strcmp(it->section, "boot"))
		return read_boot(b, it, e);
	if (!strcmp(it->section, "power"))
		return read_power(b, it, e);
	return read_twin(b, it, e);
}

/* What must be there, and what does not go together. */
static int check(const struct board *b, struct conf_error *e)
{
	if (!*b->arch)
		return conf_fail(e, 0, "[board] arch is missing (%s)", arch_names());
	if (!b->console)
		return conf_fail(e, 0, "[console] type is missing (qemu, tty, file or socket)");
	if (b->console != BOARD_CONSOLE_QEMU && !*b->console_path)
		return conf_fail(e, 0, "[console] path is missing: the device, file or HOST:PORT of the serial line");
	if (b->console == BOARD_CONSOLE_QEMU && *b->console_path)
		return conf_fail(e, 0, "[console] path goes with tty, file or socket; a twin has its own");
	if (b->console != BOARD_CONSOLE_QEMU && (b->twin || b->line || b->twin_cpu || b->twin_nic || b->twin_ide || b->twin_loader))
		return conf_fail(e, 0, "[twin] goes with [console] type = qemu");
	if (b->console != BOARD_CONSOLE_QEMU && !b->power_cycle && !b->power_on != !b->power_off)
		return conf_fail(e, 0, "[power] %s is missing: off and on go together, where there is no cycle", b->power_on ? "off" : "on");
	if (b->twin_loader && b->sw == PLAN_FIRMWARE)
		return conf_fail(e, 0, "[twin] loader = qemu knows home alone: switch = chain or via-home goes with it");
	if (!b->mem_bytes)
		return conf_fail(e, 0, "[machine] memory is missing (like 256M)");
	if (b->crash_bytes > b->mem_bytes / 2)
		return conf_fail(e, 0, "[machine] crash_kernel takes more than half of memory");
	return 0;
}

static int set_defaults(struct board *b)
{
	b->sw = PLAN_CHAIN;
	b->console_speed = 115200;
	snprintf(b->console_kernel, sizeof b->console_kernel, "ttyS0,115200");
	b->cpus = 1;
	b->again_s = 60;
	b->deaf_s = 300;
	b->jump_s = 120;
	b->power_enabled = 1;
	b->power_timeout_s = 60;
	b->power_retries = 2;
	b->power_off_s = 5;
	b->nic = strdup("");
	b->modules = strdup("");
	b->watchdog = strdup("");
	b->cmdline = strdup("");
	return b->nic && b->modules && b->watchdog && b->cmdline ? 0 : -ENOMEM;
}

int board_parse(struct board *b, const char *name, const char *text, size_t len, struct board_error *e)
{
	struct conf c = {0};
	struct conf_error ce = {0};
	*b = (struct board){0};
	snprintf(b->name, sizeof b->name, "%s", name);
	int err = set_defaults(b);
	if (err)
		conf_fail(&ce, 0, "out of memory");
	else if (!kv_is_id(name))
		err = conf_fail(&ce, 0, "'%.70s' is no name of a box (letters, digits, . _ + -; at most 64)", name);
	if (!err)
		err = conf_parse(&c, text, len, &ce);
	if (!err)
		err = conf_check(&c, known, &ce);
	for (size_t i = 0; !err && i < c.n; i++)
		err = read_entry(b, &c.entry[i], &ce);
	if (!err)
		err = check(b, &ce);
	conf_free(&c);
	e->line = ce.line;
	memcpy(e->text, ce.text, sizeof e->text);
	if (err)
		board_free(b);
	return err;
}

int board_read(struct board *b, const char *path, struct board_error *e)
{
	char name[256], *text;
	size_t len;
	const char *base = strrchr(path, '/');
	snprintf(name, sizeof name, "%s", base ? base + 1 : path);
	char *dot = strrchr(name, '.');
	if (dot && !strcmp(dot, ".ini"))
		*dot = '\0';
	int err = io_read_plain(path, 1 << 20, &text, &len);
	if (err) {
		*b = (struct board){0};
		e->line = 0;
		snprintf(e->text, sizeof e->text, "%s", err == -EINVAL ? "no plain file" : strerror(-err));
		return err;
	}
	err = board_parse(b, name, text, len, e);
	free(text);
	return err;
}

/* The nearest box there is, for a name that is none; malloc'd or NULL. */
static char *nearest(const char *box)
{
	size_t n;
	char **names = lab_list("boards", &n), *found = NULL;
	for (size_t i = 0; i < n; i++) {
		char *dot = strrchr(names[i], '.');
		if (dot && !strcmp(dot, ".ini"))
			*dot = '\0';
	}
	const char *near = err_nearest(box, (const char *const *)names);
	if (near)
		found = strdup(near);
	lab_list_free(names);
	return found;
}

void board_load(struct board *b, const char *box)
{
	struct board_error e;
	if (!kv_is_id(box))
		err_die("'%s' is no name of a box (letters, digits, . _ + -)", box);
	char *path = lab_path("boards/%s.ini", box);
	int err = access(path, F_OK) ? -ENOENT : board_read(b, path, &e);
	if (err == -ENOENT) {
		char *near = nearest(box);
		err_die("no box '%s' in %s%s%s%s", box, cmd_lab(), near ? "; did you mean '" : "; 'kdyno box list' lists them, 'box add' makes one",
		        near ? near : "", near ? "'?" : "");
	}
	if (err && e.line)
		err_die("%s:%u: %s", path, e.line, e.text);
	if (err)
		err_die("%s: %s", path, e.text);
	free(path);
}

static int same_text(const char *a, const char *b) { return a == b || (a && b && !strcmp(a, b)); }

static int same_power(const struct board *a, const struct board *b)
{
	return a->power_enabled == b->power_enabled && a->power_timeout_s == b->power_timeout_s && a->power_retries == b->power_retries &&
	       a->power_off_s == b->power_off_s;
}

int board_same(const struct board *a, const struct board *b)
{
	return !strcmp(a->arch, b->arch) && !strcmp(a->summary, b->summary) && a->tested == b->tested && a->sw == b->sw && a->console == b->console &&
	       !strcmp(a->console_path, b->console_path) && a->console_speed == b->console_speed && !strcmp(a->console_kernel, b->console_kernel) &&
	       a->cpus == b->cpus && a->mem_bytes == b->mem_bytes && same_text(a->nic, b->nic) && same_text(a->modules, b->modules) &&
	       same_text(a->watchdog, b->watchdog) && a->scratch_bytes == b->scratch_bytes && same_text(a->cmdline, b->cmdline) &&
	       a->again_s == b->again_s && a->deaf_s == b->deaf_s && a->jump_s == b->jump_s && same_text(a->power_on, b->power_on) &&
	       same_text(a->power_off, b->power_off) && same_text(a->power_cycle, b->power_cycle) && same_power(a, b) && a->sysrq == b->sysrq &&
	       same_text(a->twin, b->twin) && same_text(a->line, b->line) && a->crash_bytes == b->crash_bytes &&
	       same_text(a->twin_cpu, b->twin_cpu) && same_text(a->twin_nic, b->twin_nic) && a->twin_ide == b->twin_ide &&
	       a->twin_loader == b->twin_loader;
}

/*
 * What every kernel of a sweep is told, home's too, so that it ends in a reset and not in silence: the station sees a reset, and the box comes
 * back by itself. A kernel that does not know one of them hands it to init as a variable, or leaves it. Not here: softlockup_panic and
 * hung_task_panic, which kernels since 5.8 only take right before init, with an error where they lack it; PID 1 sets those.
 */
static const char *const own_words[] = {"panic=10", "oops=panic", "nmi_watchdog=panic", "watchdog.stop_on_reboot=0"};

/* Names of parameters: the kernel takes - for _. */
static int same_name(const char *a, const char *b, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (a[i] != b[i] && !((a[i] == '-' || a[i] == '_') && (b[i] == '-' || b[i] == '_')))
			return 0;
	return 1;
}

/* 1 if a word of the line sets what `word` sets. */
static int names_word(const char *line, const char *word)
{
	size_t n = strcspn(word, "=");
	for (; *line; line += strcspn(line, " ")) {
		line += strspn(line, " ");
		if (strcspn(line, "= ") == n && same_name(line, word, n))
			return 1;
	}
	return 0;
}

char *board_cmdline(const struct board *b, const char *words)
{
	char own[128] = "", *line;
	for (size_t i = 0; i < sizeof own_words / sizeof *own_words; i++)
		if (!names_word(b->cmdline, own_words[i]) && !names_word(words, own_words[i])) {
			strcat(own, " ");
			strcat(own, own_words[i]);
		}
	int n = asprintf(&line, "console=%s%s%s%s%s%s", b->console_kernel, own, *b->cmdline ? " " : "", b->cmdline, *words ? " " : "", words);
	return n < 0 ? NULL : line;
}

void board_free(struct board *b)
{
	free(b->nic);
	free(b->modules);
	free(b->watchdog);
	free(b->cmdline);
	free(b->power_on);
	free(b->power_off);
	free(b->power_cycle);
	free(b->twin);
	free(b->line);
	free(b->twin_cpu);
	free(b->twin_nic);
	*b = (struct board){0};
}
