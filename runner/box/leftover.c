/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * leftover: scans /proc. Contract: bounded in time, forks nothing, reads only files of /proc that wait for no one (not cmdline or environ:
 * they take the lock of an address space that may be stuck). Trap: what forks faster than one can scan is not caught by killing it, for that
 * makes room for the next; so each round first stops all that it finds, and kills when it finds nothing that still runs.
 */
#include "box/leftover.h"
#include "common/clock.h"
#include "common/io.h"
#include "common/proc.h"

#include <ctype.h>
#include <dirent.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NAP_MS 5
#define STOP_ROUNDS 50

int leftover_parse_stat(const char *stat, char *name, size_t size, char *state)
{
	const char *open = strchr(stat, '('), *close = strrchr(stat, ')');

	if (!open || !close || close < open || close[1] != ' ' || !close[2])
		return -1;
	snprintf(name, size, "%.*s", (int)(close - open - 1), open + 1);
	*state = close[2];
	return 0;
}

/* 1 if it has the score; where it has none, it has ended. */
static int has_score(const char *pid, int score)
{
	char path[64], text[32];

	snprintf(path, sizeof path, "/proc/%.16s/oom_score_adj", pid);
	if (io_read_small(path, text, sizeof text) > 0)
		return atoi(text) == score;
	snprintf(path, sizeof path, "/proc/%.16s/oom_adj", pid);
	return io_read_small(path, text, sizeof text) > 0 && atoi(text) == proc_oom_adj(score);
}

/* Whom to look for: a score, or whoever is in another session than ours. */
struct aim {
	int by_session, score;
	long own; /* session */
};

int leftover_parse_session(const char *stat, long *session)
{
	const char *close = strrchr(stat, ')');
	long ppid, pgrp;
	char state;

	return close && sscanf(close + 1, " %c %ld %ld %ld", &state, &ppid, &pgrp, session) == 4 ? 0 : -1;
}

/* Session 0 is PID 1's, and the kernel's. */
static int is_stranger(const struct aim *a, const char *stat)
{
	long session;

	return !leftover_parse_session(stat, &session) && session > 1 && session != a->own;
}

struct round {
	unsigned alive;   /* not yet ended */
	unsigned running; /* neither stopped nor ended */
	char *who;
	size_t size;
};

static void look_at(struct round *r, const struct aim *a, const char *pid, int sig)
{
	char path[64], stat[512], name[32], wchan[64] = "", state;

	snprintf(path, sizeof path, "/proc/%.16s/stat", pid);
	if (io_read_small(path, stat, sizeof stat) <= 0 || leftover_parse_stat(stat, name, sizeof name, &state) || state == 'Z' || state == 'X')
		return;
	if (a->by_session && !is_stranger(a, stat))
		return;
	r->alive++;
	r->running += state != 'T' && state != 'D';
	kill((pid_t)atoi(pid), sig);
	if (state != 'D' && r->alive > 1)
		return;
	snprintf(path, sizeof path, "/proc/%.16s/wchan", pid);
	if (io_read_small(path, wchan, sizeof wchan) <= 0 || wchan[0] == '0')
		wchan[0] = 0;
	snprintf(r->who, r->size, "pid %.16s %s %c %s", pid, name, state, wchan);
}

static struct round look(const struct aim *a, int sig, char *who, size_t size)
{
	struct round r = {.who = who, .size = size};
	DIR *d = opendir("/proc");
	const struct dirent *e;

	who[0] = 0;
	while (d && (e = readdir(d)))
		if (isdigit((unsigned char)e->d_name[0]) && atoi(e->d_name) > 1 && atoi(e->d_name) != getpid() &&
		    (a->by_session || has_score(e->d_name, a->score)))
			look_at(&r, a, e->d_name, sig);
	if (d)
		closedir(d);
	return r;
}

/* musl's own function knows only ENOSYS. */
void leftover_hurry(int on)
{
	struct sched_param p = {.sched_priority = on ? 1 : 0};

	syscall(SYS_sched_setscheduler, 0, on ? SCHED_FIFO : SCHED_OTHER, &p);
}

static unsigned end(const struct aim *a, uint64_t ms, unsigned *found, char *who, size_t size)
{
	uint64_t until = clock_now_ms() + ms;
	struct round r;

	leftover_hurry(1); /* from the first look on: one look at thousands takes seconds already */
	*found = 0;
	do {
		r = look(a, SIGSTOP, who, size);
		*found = *found ? *found : r.alive;
		for (int i = 0; r.running && i < STOP_ROUNDS && clock_now_ms() < until; i++)
			r = look(a, SIGSTOP, who, size);
		if (r.alive)
			r = look(a, SIGKILL, who, size);
		if (r.alive)
			clock_sleep_ms(NAP_MS);
	} while (r.alive && clock_now_ms() < until);
	leftover_hurry(0);
	return r.alive;
}

unsigned leftover_kill(int score, uint64_t ms, char *who, size_t size)
{
	struct aim a = {.score = score};
	unsigned found;

	return end(&a, ms, &found, who, size);
}

unsigned leftover_kill_strangers(long own, uint64_t ms, unsigned *found, char *who, size_t size)
{
	struct aim a = {.by_session = 1, .own = own};

	return end(&a, ms, found, who, size);
}
