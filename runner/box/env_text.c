/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * env_text: small texts of kernels old and new.
 */
#include "box/env_text.h"

#include <stdio.h>
#include <string.h>

#include "common/meminfo.h"

#define SPARE_KB 4096 /* for the kernel and the runner while a test works */

void env_chosen(const char *text, char *out, size_t size)
{
	const char *open = strpbrk(text, "[("), *close = open ? strpbrk(open, "])") : NULL;

	if (close)
		snprintf(out, size, "%.*s", (int)(close - open - 1), open + 1);
	else
		snprintf(out, size, "%.*s", (int)strcspn(text, "\n"), text);
}

/* The word stands in text by itself. */
static int has_word(const char *text, const char *word)
{
	size_t len = strlen(word);

	for (const char *s = text; (s = strstr(s, word)); s += len)
		if ((s == text || s[-1] == ' ') && (!s[len] || s[len] == ' ' || s[len] == '\n'))
			return 1;
	return 0;
}

void env_preempt(const char *version, const char *debugfs, char *out, size_t size)
{
	const char *model = "no";

	if (strchr(debugfs, '(')) {
		env_chosen(debugfs, out, size);
		return;
	}
	if (!*version)
		model = "";
	else if (has_word(version, "PREEMPT_RT") || has_word(version, "PREEMPT RT"))
		model = "rt";
	else if (has_word(version, "PREEMPT_DYNAMIC"))
		model = "dynamic";
	else if (has_word(version, "PREEMPT_LAZY"))
		model = "lazy";
	else if (has_word(version, "PREEMPT"))
		model = "full";
	snprintf(out, size, "%s", model);
}

unsigned env_hz(uint64_t coarse_ns)
{
	uint64_t hz;

	if (coarse_ns < 100000 || coarse_ns > 100000000) /* a kernel without such a clock gives the fine one's */
		return 0;
	hz = (1000000000ull + coarse_ns / 2) / coarse_ns;
	return (unsigned)hz;
}

int env_lacks_memory(const char *meminfo, uint64_t mem_kb, char *reason, size_t size)
{
	uint64_t kb;

	if (!mem_kb || meminfo_parse(meminfo, &kb) || kb >= mem_kb + SPARE_KB)
		return 0;
	snprintf(reason, size, "memory: %llu kB are free, it wants %llu kB and %d kB to spare", (unsigned long long)kb, (unsigned long long)mem_kb,
	         SPARE_KB);
	return 1;
}

int env_clock_changed(const char *before, const char *after) { return strcmp(before, after) && strncmp(before, "tsc-early", 9); }

char env_weakness(const char *text)
{
	static const struct {
		const char *start;
		char is;
	} known[] = {{"Not affected", 'n'},    {"Vulnerable", 'v'},           {"Mitigation", 'm'},
	             {"KVM: Mitigation", 'm'}, {"Processor vulnerable", 'v'}, {"KVM: Vulnerable", 'v'}};

	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (!strncmp(text, known[i].start, strlen(known[i].start)))
			return known[i].is;
	return '?';
}
