/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sysctl: the table and its writing (Documentation/admin-guide/sysctl/kernel.rst). hung_task_timeout_secs stays the kernel's own (120 s as a rule):
 * slow hardware has waits that are long and right; a board that has longer ones says sysctl.kernel.hung_task_timeout_secs=.
 * Trap: PID 1 of a user namespace that root made may write these, and would set the whole machine's.
 */
#include "init/sysctl.h"
#include "common/io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define PREFIX "sysctl.kernel."

static const struct {
	const char *name;
	const char *value; /* NULL: only where the command line says one */
	const char *word;  /* of the command line, that says the same; NULL: there is none */
} table[] = {
	{"panic", "10", "panic=10"}, /* seconds to the reset */
	{"panic_on_oops", "1", "oops=panic"},
	{"softlockup_panic", "1", "softlockup_panic=1"},
	{"hardlockup_panic", "1", "nmi_watchdog=panic"},
	{"hung_task_panic", "1", "hung_task_panic=1"},
	{"hung_task_timeout_secs", NULL, NULL},
	{"panic_on_rcu_stall", "1", NULL},
	{"warn_limit", "100", NULL}, /* since 6.2: one warning is a remark, a hundred are a storm that measures the console */
	{"oops_limit", "100", NULL}, /* where a board lets oopses pass */
};

/* The word of the line that begins so; its length in *len, 0 where there is none. The last one counts. */
static const char *find_word(const char *line, const char *start, size_t n, size_t *len)
{
	const char *found = NULL;

	*len = 0;
	for (line += strspn(line, " \n"); *line; line += strspn(line, " \n")) {
		size_t words = strcspn(line, " \n");

		if (words >= n && !memcmp(line, start, n)) {
			found = line;
			*len = words;
		}
		line += words;
	}
	return found;
}

/* What to write for a row; "": nothing. */
static void choose(size_t row, const char *cmdline, char out[16])
{
	char name[64];
	size_t len, n = (size_t)snprintf(name, sizeof name, PREFIX "%s=", table[row].name);
	const char *w = find_word(cmdline, name, n, &len);

	out[0] = 0;
	if (w) {
		if (len - n < 16 && len > n && strspn(w + n, "0123456789") >= len - n)
			snprintf(out, 16, "%.*s", (int)(len - n), w + n);
		return;
	}
	if (!table[row].value)
		return;
	if (table[row].word) {
		w = find_word(cmdline, table[row].word, strcspn(table[row].word, "=") + 1, &len);
		if (w && (len != strlen(table[row].word) || memcmp(w, table[row].word, len) != 0))
			return;
	}
	snprintf(out, 16, "%s", table[row].value);
}

/* 0 or an errno. */
static int put(const char *path, const char *value)
{
	int err = 0, fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return errno;
	if (write(fd, value, strlen(value)) < 0)
		err = errno;
	close(fd);
	return err;
}

void sysctl_set(const char *dir, const char *cmdline, char *done, size_t size, struct degraded *d)
{
	char path[160], value[16];
	size_t n = 0;

	done[0] = 0;
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		choose(i, cmdline, value);
		if (!value[0])
			continue;
		snprintf(path, sizeof path, "%s/%s", dir, table[i].name);
		int err = put(path, value);
		if (err && err != ENOENT)
			degraded_add(d, "sysctl", table[i].name, err);
		if (!err && n < size)
			n += (size_t)snprintf(done + n, size - n, "%s%s", n ? "," : "", table[i].name);
	}
}

int sysctl_is_ours(const char *uid_map)
{
	unsigned long inside = 1, outside = 1, count = 0;
	char text[64];

	if (io_read_small(uid_map, text, sizeof text) <= 0)
		return 1; /* a kernel without user namespaces */
	return sscanf(text, "%lu %lu %lu", &inside, &outside, &count) == 3 && !inside && !outside && count == 4294967295ul;
}
