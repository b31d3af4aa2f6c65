/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * disk-tree: a tree of folders and files like that of a kernel's source: made, walked, read and removed, each but the first with cold caches.
 *
 * What people time by hand (untar, find, grep -r, rm -r of a kernel tree; a report of 2002 had rm -r at 75 s and 251 s on two kernels), from a tree
 * that is the same everywhere (tree.h). `create` and `rm` are until the last call returned, `create_sync` and `rm_sync` until all is on the disk as
 * well (syncfs, before 2.6.39 sync); `walk` is readdir and lstat of each, `read` reads and compares each byte.
 * part=whole does all in one boot, caches made cold by `cold=` in between. part=make makes a tree on a fresh disk and leaves it; part=left, in the next
 * boot, takes what is there: walk, or with first=read|rm that, is then cold by reboot, as in the report, the others by `cold=`.
 * Traps: a tree that fits in memory is on its way to the disk when `create` returns; the cache of the disk, or of a twin's host, stays warm; rm on a
 * kernel that writes late is timed to return, so look at rm_sync beside it; pauses are in `progress` (a file counts 1 KiB).
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "arg.h"
#include "common/clock.h"
#include "common/err.h"
#include "common/io.h"
#include "fact.h"
#include "phase.h"
#include "place.h"
#include "sample.h"
#include "suite.h"
#include "tree_mark.h"
#include "tree_work.h"

#define LEFT_NAME "kd-tree"
#define QUIET_MS(files) (30000u + (uint64_t)(files)*100u)

enum { PART = PLACE_ARGS, FIRST, FILES, DIRS, SCALE, MEDIAN_BYTES, SEED, REPS };
enum part { WHOLE, MAKE, LEFT };
static const char *const part_names[] = {"whole", "make", "left", NULL};

enum step { CREATE, WALK, READ, RM, STEPS };
static const char *const step_names[STEPS + 1] = {"create", "walk", "read", "rm", NULL};
static const char *const sync_names[STEPS] = {"create_sync", NULL, NULL, "rm_sync"};
static int (*const step_run[STEPS])(struct tree_work *w) = {tree_work_make, tree_work_walk, tree_work_read, tree_work_remove};
static const char *const first_names[] = {"walk", "read", "rm", NULL};

struct state {
	struct place place;
	struct tree tree;
	struct tree_sum whole;
	struct tree_work work;
	char top[TREE_TOP_MAX], mark[TREE_TOP_MAX];
	int by_sync; /* there is no syncfs */
	struct phase phase[STEPS];
	struct progress worst[STEPS];
	struct samples set[STEPS], synced[STEPS];
};

/* Everything of the place is on the disk when it returns. */
static int sync_place(struct state *s)
{
#ifdef SYS_syncfs
	int fd = s->by_sync ? -1 : open(s->place.top, O_RDONLY), err = 0;

	if (fd >= 0) {
		err = syscall(SYS_syncfs, fd) ? errno : 0;
		close(fd);
		if (err && err != ENOSYS)
			return -err;
		if (!err)
			return 0;
	}
#endif
	s->by_sync = 1;
	sync();
	return 0;
}

/* One step of one repetition. cold: make it so before. 0 or the exit status. */
static int do_step(struct state *s, enum step i, unsigned rep, int cold)
{
	uint64_t start, returned, synced;
	struct fact f;
	int err, status;

	fact_phase(step_names[i], QUIET_MS(s->tree.files));
	if (cold) {
		status = place_cold(&s->place, NULL);
		if (status)
			return status;
		fact_phase(step_names[i], QUIET_MS(s->tree.files)); /* mounting again was one of its own */
	}
	phase_begin(&s->phase[i], step_names[i], &s->place);
	start = clock_now_ns();
	err = step_run[i](&s->work);
	returned = synced = clock_now_ns();
	if (!err && sync_names[i]) {
		err = sync_place(s);
		if (err)
			snprintf(s->work.why, sizeof(s->work.why), "sync: %s", strerror(-err));
		synced = clock_now_ns();
	}
	phase_end(&s->phase[i], !err);
	if (!err)
		err = tree_work_whole(&s->work, &s->whole, i != RM);
	if (err)
		return err == -ENOSPC ? fact_skip("%s: %s", step_names[i], s->work.why) : fact_fail("%s: %s", step_names[i], s->work.why);
	progress_keep(&s->worst[i], &s->work.progress);
	sample_add(&s->set[i], 1, returned - start);
	if (sync_names[i])
		sample_add(&s->synced[i], 1, synced - start);
	fact_open(&f, "fact");
	kv_out_str(&f.o, "times", step_names[i]);
	kv_out_u64(&f.o, "i", rep);
	kv_out_u64(&f.o, "return_ns", returned - start);
	kv_out_u64(&f.o, "sync_ns", synced - returned);
	fact_send(&f);
	return 0;
}

static int run_whole(struct state *s, unsigned reps)
{
	int status = 0;

	for (unsigned rep = 1; rep <= reps && !status; rep++)
		for (unsigned i = 0; i < STEPS && !status; i++)
			status = do_step(s, i, rep, i != CREATE);
	return status;
}

/* ---- cold by reboot: one boot makes, the next measures what is left */

static void copy_env(char *out, size_t size, const char *name)
{
	const char *v = getenv(name);

	snprintf(out, size, "%s", v ? v : "");
}

static int write_mark(struct state *s)
{
	char text[TREE_MARK_MAX];
	struct tree_mark m = {.tree = s->tree};
	struct utsname u;
	long len;
	int err;

	copy_env(m.tag, sizeof(m.tag), "KD_TAG");
	copy_env(m.subject, sizeof(m.subject), "KD_SUBJECT");
	if (!uname(&u))
		snprintf(m.release, sizeof(m.release), "%.70s", u.release);
	len = tree_mark_format(&m, text, sizeof(text));
	err = len < 0 ? (int)len : io_write_file(s->mark, text, (size_t)len, 0644);
	if (!err)
		err = sync_place(s);
	return err ? fact_fail("the mark of the tree: %s", strerror(-err)) : 0;
}

static int run_make(struct state *s)
{
	int status = do_step(s, CREATE, 1, 0);

	return status ? status : write_mark(s);
}

/* The tree that is there is the one that is wanted, and whole: its mark goes. 0 or the exit status. */
static int take_mark(struct state *s)
{
	char text[TREE_MARK_MAX];
	struct tree_mark m;
	const struct tree *t = &s->tree;
	long n = io_read_small(s->mark, text, sizeof(text));
	int err;

	if (n <= 0)
		return fact_skip("no whole tree of an earlier boot is there");
	if (tree_mark_parse(&m, text, (size_t)n))
		return fact_skip("the mark of the tree that is there cannot be read");
	if (m.tree.seed != t->seed || m.tree.files != t->files || m.tree.dirs != t->dirs || m.tree.median_bytes != t->median_bytes)
		return fact_skip("the tree that is there is another one: %u files, seed %" PRIu64, m.tree.files, m.tree.seed);
	fact_str("made_by", m.subject);
	fact_str("made_tag", m.tag);
	fact_str("made_release", m.release);
	err = unlink(s->mark) ? -errno : sync_place(s);
	return err ? fact_fail("the mark of the tree: %s", strerror(-err)) : 0;
}

static int run_left(struct state *s, enum step first)
{
	int status = take_mark(s);

	for (unsigned i = first; i < STEPS && !status; i++)
		status = do_step(s, i, 1, i != first);
	if (!status) {
		struct fact f;

		fact_open(&f, "fact");
		kv_out_str(&f.o, "cold", "reboot");
		kv_out_str(&f.o, "of", step_names[first]);
		fact_send(&f);
	}
	return status;
}

/* ---- around it */

static int check_inodes(const struct state *s)
{
	uint64_t want = (uint64_t)s->tree.files + s->tree.dirs;
	struct statvfs v;

	if (statvfs(s->place.top, &v) || !v.f_files || v.f_favail >= want)
		return 0;
	return fact_skip("%" PRIu64 " inodes are free, too few for %" PRIu64, (uint64_t)v.f_favail, want);
}

static void report_ns(const char *name, const struct samples *set)
{
	if (!set->n)
		return;
	sample_list(name, set);
	fact_metric(name, sample_median(set).ns);
}

static int report(const struct state *s)
{
	int status = place_report(&s->place);
	struct fact f;

	if (status)
		return status;
	fact_open(&f, "fact");
	kv_out_u64(&f.o, "files", s->whole.files);
	kv_out_u64(&f.o, "dirs", s->whole.dirs + 1);
	kv_out_u64(&f.o, "bytes", s->whole.bytes);
	kv_out_str(&f.o, "unlink", s->work.by_path ? "unlink" : "unlinkat");
	kv_out_str(&f.o, "sync", s->by_sync ? "sync" : "syncfs");
	fact_send(&f);
	for (unsigned i = 0; i < STEPS; i++) {
		if (!s->set[i].n)
			continue;
		phase_report(&s->phase[i], i == CREATE || i == READ ? s->whole.bytes * s->set[i].n : 0);
		progress_report(step_names[i], &s->worst[i]);
		report_ns(step_names[i], &s->set[i]);
		if (sync_names[i])
			report_ns(sync_names[i], &s->synced[i]);
	}
	return EXIT_OK;
}

static int check_args(const struct arg *args)
{
	enum part part = (enum part)args[PART].v;
	int keep = args[PLACE_FS].v == PLACE_KEEP || args[PLACE_FS].v == PLACE_KEEP_EXT4;

	if (part != WHOLE && (args[PLACE_ON].v != PLACE_SCRATCH || args[REPS].v != 1))
		err_usage("part=%s wants on=scratch and reps=1", part_names[part]);
	if (part == MAKE && keep)
		err_usage("part=make wants a fresh file system: fs=ext2 or ext4");
	if (part == LEFT && !keep)
		err_usage("part=left wants fs=keep or keep-ext4: on a fresh file system nothing is left");
	return 0;
}

/* Where the tree is: its place's own folder, or beside it where it is to outlive this boot. */
static int prepare(struct state *s, const struct arg *args)
{
	enum part part = (enum part)args[PART].v;
	unsigned scale = (unsigned)args[SCALE].v, files = (unsigned)args[FILES].v / scale, dirs = (unsigned)args[DIRS].v / scale;
	uint64_t room;
	int status;

	tree_init(&s->tree, files ? files : 1, dirs ? dirs : 1, (unsigned)args[MEDIAN_BYTES].v, args[SEED].v);
	tree_whole(&s->tree, &s->whole, &room);
	status = place_open(&s->place, args, part == LEFT ? 0 : room + room / 16);
	if (status)
		return status;
	if (part == WHOLE)
		snprintf(s->top, sizeof(s->top), "%s/tree", place_dir(&s->place));
	else
		snprintf(s->top, sizeof(s->top), "%s/" LEFT_NAME, s->place.top);
	snprintf(s->mark, sizeof(s->mark), "%s/" LEFT_NAME ".mark", s->place.top);
	status = part == LEFT ? 0 : check_inodes(s);
	if (!status && tree_work_init(&s->work, &s->tree, s->top))
		status = fact_fail("no memory");
	return status;
}

int disk_tree(char **argv)
{
	struct arg args[] = {
		PLACE_ARG_ROWS,
		[PART] = {"part", WHOLE, 0, 0, part_names, "of the work: all of it, make a tree and leave it, or measure what is left"},
		[FIRST] = {"first", 0, 0, 0, first_names, "part=left: what is cold by reboot"},
		[FILES] = {"files", 10500, 1, TREE_FILES_MAX, NULL, "of the tree, before scale"},
		[DIRS] = {"dirs", 550, 1, TREE_DIRS_MAX, NULL, "of the tree with its top, before scale"},
		[SCALE] = {"scale", 1, 1, 1024, NULL, "files and dirs are divided by it"},
		[MEDIAN_BYTES] = {"median_bytes", 5120, 1, 131072, NULL, "of a file"},
		[SEED] = {"seed", 1, 0, UINT64_MAX, NULL, "of names, sizes and data"},
		[REPS] = {"reps", 1, 1, SAMPLES_MAX, NULL, "repetitions, each with a tree of its own"},
		{0},
	};
	static struct state s;
	int status;

	arg_parse(args, argv);
	check_args(args);
	status = prepare(&s, args);
	if (!status && args[PART].v == WHOLE)
		status = run_whole(&s, (unsigned)args[REPS].v);
	else if (!status && args[PART].v == MAKE)
		status = run_make(&s);
	else if (!status)
		status = run_left(&s, (enum step)(WALK + args[FIRST].v));
	if (!status)
		status = report(&s);
	tree_work_free(&s.work);
	place_close(&s.place);
	return status;
}
