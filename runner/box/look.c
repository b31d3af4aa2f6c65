/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * look: see look.h. dropbear gets a session of its own, by which all that comes from it is found again (leftover.h).
 */
#include "box/look.h"
#include "box/leftover.h"
#include "common/proc.h"

#include <errno.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define STARTS_MAX 5 /* a server that dies at once is not started for ever */
#define END_MS 5000
#define PTS "/dev/pts"

static struct {
	struct proc proc;
	int running, pts;
	unsigned starts;
} look;

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

void look_end(struct box *b)
{
	unsigned found, left;
	char who[120];

	if (access(LOOK_HOST_KEY, R_OK) < 0) /* a runner that has died may have left one behind: not only where we have started it */
		return;
	left = leftover_kill_strangers((long)getsid(0), END_MS, &found, who, sizeof who);
	if (look.running)
		proc_poll(&look.proc);
	look.running = 0;
	look.starts = 0;
	if (look.pts && umount2(PTS, MNT_DETACH) == 0)
		look.pts = 0;
	if (found)
		records_note(&b->rec, NULL, "ssh: ended, %u processes with it", found);
	if (left)
		records_note(&b->rec, NULL, "ssh: %u processes do not end: %s", left, who);
}
