/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * board_key: see board_key.h. The order is that of board-configs/README.md. Trap: values end up in command lines, paths and shells, so each type says
 * exactly what it takes.
 */
#include "host/board_key.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/err.h"
#include "common/job_text.h"
#include "host/arch.h"

#define FIELD(field) offsetof(struct board, field), sizeof(((struct board *)0)->field)

static const char *const switches[] = {"chain", "via-home", "firmware", NULL};
static const char *const consoles[] = {"qemu", "tty", "file", "socket", NULL};
static const char *const firmwares[] = {"bios", "uefi", "none", NULL};
static const char *const disks[] = {"virtio", "ide", NULL};
static const char *const boots[] = {"pxe", "disk", "direct", NULL};

const struct board_key board_keys[] = {
	{"board", "arch", BOARD_KEY_NAME, FIELD(arch), 0, 0, arch_words, NULL, "the architecture of its image, like x86_64"},
	{"board", "summary", BOARD_KEY_TEXT, FIELD(summary), 0, 0, NULL, "", NULL},
	{"board", "tested", BOARD_KEY_BOOL, FIELD(tested), 0, 0, NULL, "no", NULL},
	{"board", "switch", BOARD_KEY_CHOICE, FIELD(sw), PLAN_CHAIN, 0, switches, "chain", NULL},
	{"board", "include", BOARD_KEY_INCLUDE, 0, 0, 0, 0, NULL, NULL, NULL},
	{"console", "type", BOARD_KEY_CHOICE, FIELD(console), BOARD_CONSOLE_QEMU, 0, consoles, NULL, "qemu, tty, file or socket"},
	{"console", "path", BOARD_KEY_TEXT, FIELD(console_path), 0, 0, NULL, "", NULL},
	{"console", "speed", BOARD_KEY_NUMBER, FIELD(console_speed), 50, 4000000, NULL, "115200", NULL},
	{"console", "kernel", BOARD_KEY_CONSOLE, FIELD(console_kernel), 0, 0, NULL, "ttyS0,115200", NULL},
	{"console", "sysrq", BOARD_KEY_BOOL, FIELD(sysrq), 0, 0, NULL, "no", NULL},
	{"machine", "cpus", BOARD_KEY_NUMBER, FIELD(cpus), 1, 4096, NULL, "1", NULL},
	{"machine", "memory", BOARD_KEY_BYTES, FIELD(mem_bytes), 16 << 20, 1, NULL, NULL, "like 256M"},
	{"machine", "nic", BOARD_KEY_MODULES, FIELD(nic), 0, 0, NULL, "", NULL},
	{"machine", "modules", BOARD_KEY_MODULES, FIELD(modules), 0, 0, NULL, "", NULL},
	{"machine", "watchdog", BOARD_KEY_MODULES, FIELD(watchdog), 0, 0, NULL, "", NULL},
	{"machine", "scratch", BOARD_KEY_BYTES, FIELD(scratch_bytes), 16 << 20, 4096, NULL, "0", NULL},
	{"machine", "crash_kernel", BOARD_KEY_BYTES, FIELD(crash_bytes), 64 << 20, 1 << 20, NULL, "no", NULL},
	{"network", "address", BOARD_KEY_ADDRESS, FIELD(address), 0, 0, NULL, "dhcp", NULL},
	{"network", "mac", BOARD_KEY_MAC, FIELD(mac), 0, 0, NULL, "", NULL},
	{"boot", "firmware", BOARD_KEY_NAME, FIELD(firmware), 0, 0, firmwares, "bios", NULL},
	{"boot", "path", BOARD_KEY_NAME, FIELD(boot_path), 0, 0, boots, "pxe", NULL},
	{"boot", "cmdline", BOARD_KEY_CMDLINE, FIELD(cmdline), 0, 0, NULL, "", NULL},
	{"boot", "again_s", BOARD_KEY_NUMBER, FIELD(again_s), 1, 3600, NULL, "60", NULL},
	{"boot", "deaf_s", BOARD_KEY_NUMBER, FIELD(deaf_s), 10, 86400, NULL, "300", NULL},
	{"boot", "jump_s", BOARD_KEY_NUMBER, FIELD(jump_s), 5, 3600, NULL, "120", NULL},
	{"power", "cycle", BOARD_KEY_COMMAND, FIELD(power_cycle), 0, 0, NULL, NULL, NULL},
	{"power", "off", BOARD_KEY_COMMAND, FIELD(power_off), 0, 0, NULL, NULL, NULL},
	{"power", "on", BOARD_KEY_COMMAND, FIELD(power_on), 0, 0, NULL, NULL, NULL},
	{"power", "enabled", BOARD_KEY_BOOL, FIELD(power_enabled), 0, 0, NULL, "yes", NULL},
	{"power", "timeout_s", BOARD_KEY_NUMBER, FIELD(power_timeout_s), 1, 3600, NULL, "60", NULL},
	{"power", "retries", BOARD_KEY_NUMBER, FIELD(power_retries), 0, 100, NULL, "2", NULL},
	{"power", "off_s", BOARD_KEY_NUMBER, FIELD(power_off_s), 0, 600, NULL, "5", NULL},
	{"twin", "qemu", BOARD_KEY_COMMAND, FIELD(twin), 0, 0, NULL, NULL, NULL},
	{"twin", "cpu", BOARD_KEY_MODEL, FIELD(twin_cpu), 0, 0, NULL, NULL, NULL},
	{"twin", "nic", BOARD_KEY_MODEL, FIELD(twin_nic), 0, 0, NULL, NULL, NULL},
	{"twin", "disk", BOARD_KEY_CHOICE, FIELD(twin_ide), 0, 0, disks, "virtio", NULL},
	{"twin", "line", BOARD_KEY_COMMAND, FIELD(line), 0, 0, NULL, NULL, NULL},
};
const size_t board_keys_n = sizeof board_keys / sizeof *board_keys;
_Static_assert(sizeof board_keys / sizeof *board_keys <= BOARD_KEYS_MAX, "BOARD_KEYS_MAX");

int board_key_find(const char *section, const char *name)
{
	for (size_t i = 0; i < board_keys_n; i++)
		if (!strcmp(board_keys[i].section, section) && !strcmp(board_keys[i].name, name))
			return (int)i;
	return -1;
}

/* ---- reading */

/* "a, b or c was expected", and the nearest of them. */
static int refuse_word(const struct conf_entry *it, const char *const *words, struct conf_error *e)
{
	const char *near = err_nearest(it->value, words);
	char list[96] = "";
	for (; *words; words++)
		snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", *list ? words[1] ? ", " : " or " : "", *words);
	return conf_fail(e, it->line, "%s = %.40s: %s was expected%s%s%s", it->key, it->value, list, near ? "; did you mean '" : "", near ? near : "",
	                 near ? "'?" : "");
}

static int read_word(const struct board_key *k, void *p, const struct conf_entry *it, struct conf_error *e)
{
	int i = 0;
	while (k->words[i] && strcmp(k->words[i], it->value))
		i++;
	if (!k->words[i])
		return refuse_word(it, k->words, e);
	if (k->type == BOARD_KEY_NAME)
		return conf_copy(it, p, k->size, e);
	int value = (int)k->min + i;
	memcpy(p, &value, sizeof value);
	return 0;
}

static int read_number(const struct board_key *k, unsigned *p, const struct conf_entry *it, struct conf_error *e)
{
	uint64_t v = 0;
	int err = conf_u64(it, k->min, k->max, &v, e);
	if (!err)
		*p = (unsigned)v;
	return err;
}

static int read_bytes(const struct board_key *k, uint64_t *p, const struct conf_entry *it, struct conf_error *e)
{
	int may_lack = k->def != NULL, no = k->def && !strcmp(k->def, "no");
	uint64_t v = 0;
	if (no && !strcmp(it->value, "no")) {
		*p = 0;
		return 0;
	}
	if (conf_bytes(it, &v, e)) {
		if (no)
			conf_fail(e, it->line, "%s = %.40s: no, or at least 64M in whole MiB, was expected (192M is enough as a rule)", it->key,
			          it->value);
		return -EINVAL;
	}
	if ((v || !may_lack || no) && (v < k->min || v % k->max))
		return conf_fail(e, it->line, "%s = %.40s: %sat least %uM%s was expected", it->key, it->value,
		                 no         ? "no, or "
		                 : may_lack ? "0, or "
		                            : "",
		                 (unsigned)(k->min >> 20),
		                 no         ? " in whole MiB,"
		                 : may_lack ? " and a multiple of 4096 bytes,"
		                            : "");
	*p = v;
	return 0;
}

static int keep(const struct conf_entry *it, char **out, char *value, struct conf_error *e)
{
	if (!value)
		return conf_fail(e, it->line, "out of memory");
	free(*out);
	*out = value;
	return 0;
}

/* Module names end up in paths and messages: [A-Za-z0-9_-], and an optional ? at the end. */
static int read_modules(char **p, const struct conf_entry *it, struct conf_error *e)
{
	char *list = conf_list(it->value);
	for (const char *w = list; w && *w;) {
		size_t n = strcspn(w, ","), ok = strspn(w, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-");
		if (!ok || (ok != n && !(ok + 1 == n && w[ok] == '?'))) {
			int err = conf_fail(e, it->line, "%s: '%.*s' is no name of a module", it->key, (int)(n < 60 ? n : 60), w);
			free(list);
			return err;
		}
		w += n + (w[n] == ',');
	}
	return keep(it, p, list, e);
}

/* It is one word of every kernel's command line, and what stands behind a blank there would be another. */
static int read_console(const struct board_key *k, char *p, const struct conf_entry *it, struct conf_error *e)
{
	for (const char *c = it->value; *c; c++)
		if (*c <= ' ' || *c > '~' || *c == '"' || *c == '\'')
			return conf_fail(e, it->line, "kernel: one word without blanks and quotes was expected, like ttyS0,115200");
	if (!*it->value)
		return conf_fail(e, it->line, "kernel: what console= gets was expected, like ttyS0,115200");
	return conf_copy(it, p, k->size, e);
}

/* What a command line may hold: printable ASCII, no quotes (loaders disagree about them), no kd words. */
static int read_cmdline(char **p, const struct conf_entry *it, struct conf_error *e)
{
	for (const char *c = it->value; *c; c++)
		if (*c < ' ' || *c > '~' || *c == '"' || *c == '\'')
			return conf_fail(e, it->line, "cmdline: printable ASCII without quotes was expected");
	for (const char *w = it->value; *w; w += strspn(w, " ")) {
		if (job_text_own_word(w))
			return conf_fail(e, it->line, "cmdline: words that start with kd=, kd., initrd= or BOOT_IMAGE= are kdyno's own");
		w += strcspn(w, " ");
	}
	return keep(it, p, strdup(it->value), e);
}

/* The shell would do nothing for "", and say that it went well. */
static int read_command(char **p, const struct conf_entry *it, struct conf_error *e)
{
	if (!*it->value)
		return conf_fail(e, it->line, "%s: a command was expected; leave the line out where there is none", it->key);
	return keep(it, p, strdup(it->value), e);
}

static int read_model(char **p, const struct conf_entry *it, struct conf_error *e)
{
	if (!*it->value || strspn(it->value, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.,=+-") != strlen(it->value))
		return conf_fail(e, it->line, "%s = %.40s: a model of QEMU's was expected, like 486 or ne2k_pci", it->key, it->value);
	return keep(it, p, strdup(it->value), e);
}

/* One octet and what ends it; NULL where it is none. */
static const char *octet(const char *s, unsigned max)
{
	char *end;
	unsigned long v = strtoul(s, &end, 10);
	return *s >= '0' && *s <= '9' && end - s <= 3 && v <= max ? end : NULL;
}

static const char *address(const char *s)
{
	for (int i = 0; s && i < 4; i++) {
		if (i && *s++ != '.')
			return NULL;
		s = octet(s, 255);
	}
	return s;
}

static int read_address(const struct board_key *k, char *p, const struct conf_entry *it, struct conf_error *e)
{
	static const char *const words[] = {"dhcp", NULL};
	const char *s = address(it->value);
	s = s && *s == '/' ? octet(s + 1, 32) : NULL;
	s = s && *s == ',' ? address(s + 1) : s;
	if (strcmp(it->value, "dhcp") && (!s || *s))
		return conf_fail(e, it->line, "address = %.40s: dhcp or ADDR/PREFIX[,GATEWAY] was expected, like 192.168.1.7/24%s", it->value,
		                 err_nearest(it->value, words) ? "; did you mean 'dhcp'?" : "");
	return conf_copy(it, p, k->size, e);
}

static int read_mac(const struct board_key *k, char *p, const struct conf_entry *it, struct conf_error *e)
{
	const char *v = it->value;
	int ok = strlen(v) == 17;
	for (int i = 0; ok && i < 17; i++)
		ok = i % 3 == 2 ? v[i] == ':' : strchr("0123456789abcdefABCDEF", v[i]) != NULL;
	if (!ok)
		return conf_fail(e, it->line, "mac = %.40s: six bytes were expected, like 52:54:00:12:34:56", v);
	if (strtoul(v, NULL, 16) & 1)
		return conf_fail(e, it->line, "mac = %s: that is the address of a group, not of a card (the first byte is odd)", v);
	return conf_copy(it, p, k->size, e);
}

int board_key_read(const struct board_key *k, struct board *b, const struct conf_entry *it, struct conf_error *e)
{
	static const char *const yes_no[] = {"yes", "no", NULL};
	void *p = (char *)b + k->at;
	switch (k->type) {
	case BOARD_KEY_NAME:
	case BOARD_KEY_CHOICE:
		return read_word(k, p, it, e);
	case BOARD_KEY_BOOL:
		return conf_bool(it, p, e) ? refuse_word(it, yes_no, e) : 0;
	case BOARD_KEY_NUMBER:
		return read_number(k, p, it, e);
	case BOARD_KEY_BYTES:
		return read_bytes(k, p, it, e);
	case BOARD_KEY_MODULES:
		return read_modules(p, it, e);
	case BOARD_KEY_COMMAND:
		return read_command(p, it, e);
	case BOARD_KEY_MODEL:
		return read_model(p, it, e);
	case BOARD_KEY_CONSOLE:
		return read_console(k, p, it, e);
	case BOARD_KEY_CMDLINE:
		return read_cmdline(p, it, e);
	case BOARD_KEY_ADDRESS:
		return read_address(k, p, it, e);
	case BOARD_KEY_MAC:
		return read_mac(k, p, it, e);
	case BOARD_KEY_INCLUDE:
		return 0;
	case BOARD_KEY_TEXT:
		break;
	}
	return conf_copy(it, p, k->size, e);
}

/* ---- writing */

static char *bytes_text(const struct board_key *k, uint64_t v)
{
	static const char units[] = "\0KMGT";
	char *s;
	int u = 0;
	if (!v && k->def && !strcmp(k->def, "no"))
		return strdup("no");
	for (; v && v % 1024 == 0 && u < 4; u++)
		v /= 1024;
	return asprintf(&s, "%llu%.1s", (unsigned long long)v, units + u) < 0 ? NULL : s;
}

/* A list as people write it. */
static char *list_text(const char *list)
{
	char *s = malloc(2 * strlen(list) + 1), *p = s;
	for (; s && *list; list++) {
		*p++ = *list;
		if (*list == ',')
			*p++ = ' ';
	}
	if (s)
		*p = '\0';
	return s;
}

char *board_key_text(const struct board_key *k, const struct board *b)
{
	const void *p = (const char *)b + k->at;
	char *const *text = p;
	unsigned number;
	uint64_t v;
	char *s;
	switch (k->type) {
	case BOARD_KEY_TEXT:
	case BOARD_KEY_NAME:
	case BOARD_KEY_CONSOLE:
	case BOARD_KEY_ADDRESS:
	case BOARD_KEY_MAC:
		return strdup(p);
	case BOARD_KEY_CHOICE:
		memcpy(&number, p, sizeof number);
		return strdup(number >= k->min ? k->words[number - k->min] : "");
	case BOARD_KEY_BOOL:
		memcpy(&number, p, sizeof number);
		return strdup(number ? "yes" : "no");
	case BOARD_KEY_NUMBER:
		memcpy(&number, p, sizeof number);
		return asprintf(&s, "%u", number) < 0 ? NULL : s;
	case BOARD_KEY_BYTES:
		memcpy(&v, p, sizeof v);
		return bytes_text(k, v);
	case BOARD_KEY_INCLUDE:
		return strdup("");
	case BOARD_KEY_MODULES:
		return list_text(*text ? *text : "");
	case BOARD_KEY_COMMAND:
	case BOARD_KEY_MODEL:
	case BOARD_KEY_CMDLINE:
		break;
	}
	return strdup(*text ? *text : "");
}

void board_key_free(const struct board_key *k, struct board *b)
{
	if (k->type == BOARD_KEY_MODULES || k->type == BOARD_KEY_COMMAND || k->type == BOARD_KEY_MODEL || k->type == BOARD_KEY_CMDLINE)
		free(*(char **)((char *)b + k->at));
}
