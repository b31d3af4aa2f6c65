/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * place: opens, makes cold, reports and closes the place of a test; what is NFS's own is in place_nfs.c.
 */
#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/err.h"
#include "common/io.h"
#include "common/meminfo.h"
#include "fact.h"
#include "place.h"
#include "place_nfs.h"

#define CLEAN_QUIET_MS 100000
#define TREE_FDS 16      /* of nftw: deeper trees are read with one folder closed for another */
#define LEFT_MAX 16      /* folders of killed tests that are looked at */
#define SPARE (1u << 20) /* for the file system's own */
#define DOOMED_MAX 4     /* places of a test */

const char *const place_on_names[] = {"scratch", "tmpfs", "nfs", NULL};
const char *const place_fs_names[] = {"ext2", "ext4", "keep", "keep-ext4", NULL};
const char *const place_vers_names[] = {"3", "4.0", "4.1", "4.2", NULL};
const char *const place_proto_names[] = {"tcp", "udp", NULL};
const char *const place_keep[] = {"keep", NULL};

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	(void)at;
	if (type == FTW_DP)
		rmdir(path); /* fails where something in it could not be removed, and then so do those above */
	else
		unlink(path);
	return 0;
}

/* Where something vanishes meanwhile nftw gives up: once more, then. */
static void remove_tree(const char *path)
{
	for (int i = 0; i < 3 && nftw(path, remove_one, TREE_FDS, FTW_DEPTH | FTW_PHYS) < 0 && errno == ENOENT; i++)
		;
}

/* ---- a test that is ended leaves no files: on tmpfs they would be memory that the next one lacks */

static char *doomed[DOOMED_MAX]; /* what a handler can reach is global */
static pid_t owner;              /* a worker that is ended removes nothing */

/* By a program, since nftw takes memory, which a handler must not. */
static void remove_by_rm(char *dir)
{
	static char name[] = "rm", force[] = "-rf";
	char *argv[] = {name, force, dir, NULL}, *env[] = {NULL};
	pid_t pid = fork();

	if (!pid) {
		execve("/bin/rm", argv, env);
		_exit(127);
	}
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

static void end(int sig)
{
	for (unsigned i = 0; i < DOOMED_MAX && getpid() == owner; i++)
		if (doomed[i])
			remove_by_rm(doomed[i]);
	signal(sig, SIG_DFL);
	raise(sig);
}

/* was: what stands there, NULL for a free one. */
static void set_doomed(char *was, char *becomes)
{
	for (unsigned i = 0; i < DOOMED_MAX; i++)
		if (doomed[i] == was) {
			doomed[i] = becomes;
			return;
		}
}

static void doom(struct place *p)
{
	owner = getpid();
	set_doomed(NULL, p->dir);
	signal(SIGTERM, end);
	signal(SIGINT, end);
}

/* What identifies this box's folders: other boxes work in the same export. */
static void make_prefix(const struct place *p, char *out, size_t size)
{
	const char *box = getenv("KD_BOX");

	if (p->on == PLACE_NFS && box && kv_is_id(box))
		snprintf(out, size, "kd-%s-", box);
	else
		snprintf(out, size, "kd-");
}

/* Folders that killed tests of this box left on the server. Others (of no box) may be at work. */
static void remove_left(const struct place *p, const char *prefix)
{
	char own[24], left[LEFT_MAX][96], path[400];
	size_t len = strlen(prefix), n = 0;
	struct dirent *e;
	DIR *d;

	if (p->on != PLACE_NFS || len <= 3)
		return;
	d = opendir(p->top);
	if (!d)
		return;
	snprintf(own, sizeof(own), "%ld", (long)getpid());
	while (n < LEFT_MAX && (e = readdir(d)))
		if (!strncmp(e->d_name, prefix, len) && strcmp(e->d_name + len, own) && strlen(e->d_name) < sizeof(left[0]))
			strcpy(left[n++], e->d_name);
	closedir(d);
	while (n) {
		snprintf(path, sizeof(path), "%s/%s", p->top, left[--n]);
		remove_tree(path);
	}
}

static int make_folder(struct place *p)
{
	char prefix[80];

	make_prefix(p, prefix, sizeof(prefix));
	remove_left(p, prefix);
	snprintf(p->dir, sizeof(p->dir), "%s/%.70s%ld", p->top, prefix, (long)getpid());
	if (!mkdir(p->dir, 0700) || errno == EEXIST) {
		doom(p);
		return 0;
	}
	snprintf(p->why, sizeof(p->why), "mkdir in the place: %s", strerror(errno));
	return EXIT_FAIL;
}

/* What a tmpfs can take without the box running out of memory. */
static uint64_t free_memory(void)
{
	uint64_t kb;

	if (meminfo_free_kb(&kb))
		return UINT64_MAX;
	return kb > 4096 ? (kb - 4096) << 10 : 0;
}

static int check_room(struct place *p, uint64_t need)
{
	struct statvfs v;
	uint64_t room, memory = p->on == PLACE_TMPFS ? free_memory() : UINT64_MAX;

	if (statvfs(p->dir, &v)) {
		snprintf(p->why, sizeof(p->why), "%s: statvfs: %s", p->label, strerror(errno));
		return EXIT_FAIL;
	}
	room = (uint64_t)v.f_bavail * v.f_frsize;
	room = room < memory ? room : memory;
	if (room >= need && room - need >= need / 16 + SPARE)
		return 0;
	snprintf(p->why, sizeof(p->why), "%s has %" PRIu64 " bytes free, too few for %" PRIu64, p->label, room, need);
	return EXIT_SKIP;
}

/* scratch and tmpfs: a folder that is there. */
static int open_local(struct place *p)
{
	const char *name = p->on == PLACE_SCRATCH ? "KD_SCRATCH" : "KD_TMP", *dir = getenv(name);
	struct stat st;

	p->label = place_on_names[p->on];
	if (p->readahead_kb != ARG_WORD(0)) {
		snprintf(p->why, sizeof(p->why), "readahead_kb is for on=nfs");
		return EXIT_SKIP;
	}
	if (!dir || !*dir || strlen(dir) >= sizeof(p->top)) {
		snprintf(p->why, sizeof(p->why), "%s is %s", name, dir && *dir ? "too long" : "not set");
		return EXIT_SKIP;
	}
	if (stat(dir, &st)) {
		snprintf(p->why, sizeof(p->why), "%s=%.60s: %s", name, dir, strerror(errno));
		return EXIT_SKIP;
	}
	strcpy(p->top, dir);
	return 0;
}

int place_try(struct place *p, const struct arg *args, uint64_t need_bytes)
{
	int status;

	memset(p, 0, sizeof(*p));
	p->on = (enum place_on)args[PLACE_ON].v;
	p->cold = (enum cold_means)args[PLACE_COLD].v;
	p->readahead_kb = args[PLACE_READAHEAD_KB].v;
	p->cold_worst = -1;
	status = p->on == PLACE_NFS ? place_nfs_open(p, args) : open_local(p);
	if (status)
		return status;
	if (p->on != PLACE_NFS && mounts_read_holding(p->top, &p->line))
		strcpy(p->line.type, "unknown");
	status = make_folder(p);
	if (!status)
		status = check_room(p, need_bytes);
	if (status)
		place_close(p);
	return status;
}

int place_open(struct place *p, const struct arg *args, uint64_t need_bytes)
{
	int status = place_try(p, args, need_bytes);

	if (status == EXIT_SKIP)
		return fact_skip("%s", p->why);
	return status ? fact_fail("%s", p->why) : 0;
}

const char *place_dir(const struct place *p) { return p->dir; }

int place_cold(struct place *p, const char *path)
{
	int means = COLD_NONE, status;

	if (p->on == PLACE_NFS && (p->cold == COLD_AUTO || p->cold == COLD_REMOUNT)) {
		status = place_nfs_again(p);
		if (status)
			return fact_fail("%s", p->why);
		means = COLD_REMOUNT;
	} else if (p->on != PLACE_TMPFS) {
		means = cold_make(p->cold, p->top, path);
	}
	if (means < 0)
		return fact_fail("%s: mount again: %s", p->label, strerror(-means));
	p->cold_worst = means > p->cold_worst ? means : p->cold_worst;
	return 0;
}

int place_report(const struct place *p)
{
	char name[24];
	struct fact f;

	fact_open(&f, "fact");
	kv_out_str(&f.o, "place", p->label);
	kv_out_str(&f.o, "on", place_on_names[p->on]);
	kv_out_str(&f.o, "fs", p->line.type);
	if (p->cold_worst >= 0)
		kv_out_str(&f.o, "cold", cold_names[p->cold_worst]);
	if (p->on == PLACE_NFS)
		kv_out_str(&f.o, "server", "warm");
	fact_send(&f);
	snprintf(name, sizeof(name), "mount_%s", p->label);
	fact_text(name, p->line.options);
	return p->on == PLACE_NFS ? place_nfs_report(p) : 0;
}

void place_close(struct place *p)
{
	if (*p->dir && (p->on != PLACE_NFS || p->mounted)) {
		fact_phase("clean", CLEAN_QUIET_MS);
		remove_tree(p->dir);
	}
	set_doomed(p->dir, NULL);
	if (p->on == PLACE_NFS)
		place_nfs_close(p);
	*p->dir = 0;
}
