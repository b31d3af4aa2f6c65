/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * look: see look.h. What a person has started is known by its session: dropbear gets one of its own, each of its children makes a new one,
 * and a process can leave a session only for a new one, never for the runner's. So all that is neither PID 1's session (0), nor ours, is ended.
 */
#include "box/look.h"
#include "common/clock.h"
#include "common/io.h"
#include "common/proc.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define STARTS_MAX 5 /* a server that dies at once is not started for ever */
#define END_ROUNDS 100
#define END_ROUND_MS 20
#define PTS "/dev/pts"

static struct {
	struct proc proc;
	int running, pts;
	unsigned starts;
} look;

int look_parse_stat(const char *text, char *state, long *session)
{
	const char *p = strrchr(text, ')'); /* the name before it may hold anything */
	long ppid, pgrp;

	return p && sscanf(p + 1, " %c %ld %ld %ld", state, &ppid, &pgrp, session) == 4 ? 0 : -EINVAL;
}

/* Terminals. Without them there are still commands. */
static void make_terminals(void)
{
	mkdir(PTS, 0755);
	look.pts = mount("devpts", PTS, "devpts", MS_NOSUID | MS_NOEXEC, "mode=600,ptmxmode=666") == 0;
	if (mknod("/dev/ptmx", S_IFCHR | 0666, makedev(5, 2)) == 0)
		chmod("/dev/ptmx", 0666);
}

void look_begin(struct box *b)
{
	static const char *const argv[] = {"dropbear", "-F", "-E", "-p", "22", "-r", LOOK_HOST_KEY, "-T", "3", "-K", "30", NULL};
	static const char *const env[] = {"PATH=/bin:/sbin:/kd", "HOME=/root", NULL};
	int err;

	if (look.running && !proc_poll(&look.proc))
		return;
	look.running = 0;
	if (look.starts >= STARTS_MAX)
		return;
	if (access(LOOK_HOST_KEY, R_OK) < 0) {
		look.starts = STARTS_MAX;
		records_note(&b->rec, NULL, "ssh: no host key came with the pack");
		return;
	}
	if (!look.starts++)
		make_terminals();
	look.proc = (struct proc){.argv = argv, .env = env, .dir = "/", .fd = {-1, -1, -1, -1}, .new_session = 1};
	err = proc_start(&look.proc);
	look.running = !err;
	if (err)
		records_note(&b->rec, NULL, "ssh: %s", strerror(-err));
	else
		records_note(&b->rec, NULL, "ssh: a person may come in");
}

/* Kills what is not ours; how many there were. */
static unsigned kill_strangers(void)
{
	long own = (long)getsid(0), session;
	char path[64], text[512], state;
	struct dirent *e;
	unsigned n = 0;
	DIR *d = opendir("/proc");

	while (d && (e = readdir(d))) {
		long pid = strtol(e->d_name, NULL, 10);

		if (pid <= 1 || pid == (long)getpid())
			continue;
		snprintf(path, sizeof path, "/proc/%ld/stat", pid);
		if (io_read_small(path, text, sizeof text) <= 0 || look_parse_stat(text, &state, &session) || session <= 1 || session == own ||
		    state == 'Z')
			continue;
		n++;
		kill((pid_t)pid, SIGKILL);
	}
	if (d)
		closedir(d);
	return n;
}

void look_end(struct box *b)
{
	unsigned first, left;

	if (access(LOOK_HOST_KEY, R_OK) < 0) /* a runner that has died may have left one behind: not only where we have started it */
		return;
	first = left = kill_strangers();
	for (int i = 0; left && i < END_ROUNDS; i++) {
		if (look.running)
			proc_poll(&look.proc);
		clock_sleep_ms(END_ROUND_MS);
		left = kill_strangers();
	}
	if (look.running)
		proc_poll(&look.proc);
	look.running = 0;
	look.starts = 0;
	if (look.pts && umount2(PTS, MNT_DETACH) == 0)
		look.pts = 0;
	if (first)
		records_note(&b->rec, NULL, "ssh: ended, %u processes with it", first);
	if (left)
		records_note(&b->rec, NULL, "ssh: %u processes do not end", left);
}
