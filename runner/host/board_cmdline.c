/* SPDX-License-Identifier: GPL-2.0-or-later */
/* board_cmdline: the command line of a boot, from the board's words and kdyno's own. See board.h. */
#include <stdio.h>
#include <string.h>

#include "host/board.h"

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
