/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * box_env: env records of how this kernel and machine are set: speed of the CPUs, mitigations, preemption, tick, limits of dirty pages, clocks.
 * They explain a difference that no test names. What a kernel does not tell is left out, never guessed.
 *
 * The trap: all of it in three or four records, for a slow line.
 */
#include "box/box.h"
#include "box/env_text.h"
#include "common/io.h"
#include "common/sha256.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#define CPUFREQ "/sys/devices/system/cpu/cpu0/cpufreq/"
#define WEAK_DIR "/sys/devices/system/cpu/vulnerabilities"
#define DEBUGFS "/sys/kernel/debug"
#define WEAK_MAX 48
#define WEAK_NAME 40

/* Words of /proc and /sys: a file, the key, and whether one of several words is chosen in it. */
struct word {
	const char *key, *path;
	int chosen;
};

/* A pair more, in a further record where this one is full. An empty value is none. */
static void say(struct box *b, const char *key, const char *value)
{
	if (!*value)
		return;
	if (b->rec.out.len + strlen(key) + strlen(value) + 2 > RECORD_MAX - 12) {
		records_end(&b->rec);
		records_begin(&b->rec, "env", NULL);
	}
	records_put_cut(&b->rec, key, value);
}

static void say_number(struct box *b, const char *key, unsigned long long v)
{
	char text[24];

	snprintf(text, sizeof text, "%llu", v);
	say(b, key, text);
}

static void say_words(struct box *b, const struct word *w, size_t n)
{
	char text[200], value[80];

	for (size_t i = 0; i < n; i++) {
		if (io_read_small(w[i].path, text, sizeof text) <= 0)
			continue;
		text[strcspn(text, "\n")] = 0;
		if (w[i].chosen)
			env_chosen(text, value, sizeof value);
		else
			snprintf(value, sizeof value, "%.79s", text);
		for (size_t end = strlen(value); end && value[end - 1] == ' ';)
			value[--end] = 0;
		for (char *c = value; *c; c++)
			*c = *c == ' ' || *c == '\t' ? ',' : *c;
		say(b, w[i].key, value);
	}
}

/* What is set in files of debugfs, which stands nowhere on a box: it is mounted for a moment. */
static void say_sched(struct box *b)
{
	static const struct word words[] = {
		{"base_slice", DEBUGFS "/sched/base_slice_ns", 0},         /* 6.6 */
		{"sched_latency", DEBUGFS "/sched/latency_ns", 0},         /* 5.13 */
		{"sched_slice", DEBUGFS "/sched/min_granularity_ns", 0},   /* 5.13 */
		{"sched_latency", "/proc/sys/kernel/sched_latency_ns", 0}, /* 2.6.23 */
		{"sched_slice", "/proc/sys/kernel/sched_min_granularity_ns", 0},
	};
	char version[512] = "", preempt[80] = "", model[16];
	int mounted = access(DEBUGFS "/sched", F_OK) && !mount("debugfs", DEBUGFS, "debugfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);

	if (io_read_small("/proc/version", version, sizeof version) < 0)
		version[0] = 0;
	if (io_read_small(DEBUGFS "/sched/preempt", preempt, sizeof preempt) < 0)
		preempt[0] = 0;
	env_preempt(version, preempt, model, sizeof model);
	say(b, "preempt", model);
	say_words(b, words, sizeof words / sizeof *words);
	if (mounted)
		umount2(DEBUGFS, MNT_DETACH);
}

static void say_tick(struct box *b)
{
	struct timespec res = {0, 0};
	unsigned hz = 0;
	long slack;

#ifdef CLOCK_MONOTONIC_COARSE
	if (!clock_getres(CLOCK_MONOTONIC_COARSE, &res) && !res.tv_sec)
		hz = env_hz((uint64_t)res.tv_nsec);
#endif
	if (hz)
		say_number(b, "hz", hz);
	slack = prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0);
	if (slack > 0)
		say_number(b, "timer_slack", (unsigned long long)slack); /* ns; from 2.6.28 on */
}

static int by_name(const void *a, const void *b) { return strcmp(a, b); }

/* A digest over all that is said, and which weaknesses are open and which are closed, as many names as fit. */
static void say_mitigations(struct box *b)
{
	static char name[WEAK_MAX][WEAK_NAME]; /* no threads here */
	char path[120], text[160], open[120] = "", closed[120] = "", hex[65];
	DIR *dir = opendir(WEAK_DIR);
	struct sha256 sum;
	struct dirent *e;
	size_t n = 0;

	if (!dir)
		return;
	while (n < WEAK_MAX && (e = readdir(dir)))
		if (e->d_name[0] != '.' && strlen(e->d_name) < WEAK_NAME)
			strcpy(name[n++], e->d_name);
	closedir(dir);
	qsort(name, n, sizeof *name, by_name);
	sha256_init(&sum);
	for (size_t i = 0; i < n; i++) {
		snprintf(path, sizeof path, WEAK_DIR "/%.39s", name[i]);
		if (io_read_small(path, text, sizeof text) < 0)
			continue;
		sha256_update(&sum, name[i], strlen(name[i]) + 1);
		sha256_update(&sum, text, strlen(text) + 1);
		char is = env_weakness(text), *to = is == 'v' || is == '?' ? open : is == 'm' ? closed : NULL;
		size_t used = to ? strlen(to) : 0;
		if (to && used + strlen(name[i]) + 2 < sizeof open)
			snprintf(to + used, sizeof open - used, "%s%.39s", used ? "," : "", name[i]);
	}
	sha256_final_hex(&sum, hex);
	hex[16] = 0;
	say(b, "mitigations", hex);
	say(b, "mitigated", closed);
	say(b, "vulnerable", open);
}

void box_env_settings(struct box *b)
{
	static const struct word words[] = {
		{"governor", CPUFREQ "scaling_governor", 0},
		{"cpu_khz", CPUFREQ "scaling_cur_freq", 0},
		{"cpu_min_khz", CPUFREQ "scaling_min_freq", 0},
		{"cpu_max_khz", CPUFREQ "scaling_max_freq", 0},
		{"boost", "/sys/devices/system/cpu/cpufreq/boost", 0},
		{"no_turbo", "/sys/devices/system/cpu/intel_pstate/no_turbo", 0},
		{"thp", "/sys/kernel/mm/transparent_hugepage/enabled", 1},
		{"clocksources", "/sys/devices/system/clocksource/clocksource0/available_clocksource", 0},
		{"dirty_ratio", "/proc/sys/vm/dirty_ratio", 0},
		{"dirty_back_ratio", "/proc/sys/vm/dirty_background_ratio", 0},
		{"dirty_max", "/proc/sys/vm/dirty_bytes", 0}, /* 0: the ratio counts */
		{"dirty_back_max", "/proc/sys/vm/dirty_background_bytes", 0},
		{"dirty_expire_cs", "/proc/sys/vm/dirty_expire_centisecs", 0},
		{"dirty_wake_cs", "/proc/sys/vm/dirty_writeback_centisecs", 0},
		{"bdflush", "/proc/sys/vm/bdflush", 0}, /* 2.4 */
	};

	records_begin(&b->rec, "env", NULL);
	say_tick(b);
	say_sched(b);
	say_words(b, words, sizeof words / sizeof *words);
	say_mitigations(b);
	records_end(&b->rec);
}

void box_env_disk(struct records *r, const char *test, const char *disk)
{
	static const struct word words[] = {{"scheduler", "scheduler", 1},
	                                    {"nr_requests", "nr_requests", 0},
	                                    {"read_ahead_kb", "read_ahead_kb", 0},
	                                    {"rotational", "rotational", 0}};
	char path[120], text[200], value[40];

	records_begin(r, "fact", test);
	records_put_cut(r, "queue", disk);
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		snprintf(path, sizeof path, "/sys/block/%.31s/queue/%s", disk, words[i].path);
		if (io_read_small(path, text, sizeof text) <= 0)
			continue;
		env_chosen(text, value, sizeof value);
		records_put_cut(r, words[i].key, value);
	}
	records_end(r);
}
