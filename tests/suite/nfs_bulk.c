/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nfs-bulk: the file work of disk-seq on an NFS mount of its own: write a file, and read it back with a cold client cache, by NFS v3 and by v4.
 *
 * After the block phases of Bonnie in kernel reports, with fsync (WRITE and COMMIT) and close (close-to-open) inside the timer. A mount of its own for
 * each direction, unmounted between: that is what makes the client's cache cold, and resets mountstats. Versions alternate, so that drift hits both.
 * Primary is read_v3: a read waits for the client, the wire and the server's cache; a write waits for the server's disk at each COMMIT as well, which
 * is the station's and noisier; and v3 is the version that the most kernels have.
 * Facts: each phase's times, mountstats of each direction and version (ops, retransmissions, queue, rtt and exe times, bytes), books
 * (rpciod is invisible to getrusage), the mount line as the kernel reads it back. A version that the kernel lacks is a fact `lacks=`.
 * v4 is v4.2 or v4.1, a parameter, and never falls back: from about 6.3 on, where the kernel's config has NFS_V4_2_READ_PLUS, a v4.2 client reads by
 * READ_PLUS, which nfs-ganesha 4.3 answers with no data (seen with 6.12 and 7.2: EIO). Against such a server v4=4.1 is the version all can be measured in.
 * Traps: the server's cache is warm by design (server=warm); rsize and wsize are negotiated: see the facts; a server that is exported
 * async lies about COMMIT; an nfsd in its grace period stalls the first v4 open for up to 90 s; NFS on an nfsroot runs at 4 KiB.
 */
#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "address.h"
#include "arg.h"
#include "common/clock.h"
#include "common/err.h"
#include "fact.h"
#include "file_work.h"
#include "mounts.h"
#include "mountstats.h"
#include "nfs_mount.h"
#include "sample.h"
#include "suite.h"

#define MOUNT_QUIET_MS 100000 /* a server's grace period */

enum { SIZE_BYTES, CHUNK_BYTES, REPS, WARM, SEED, V4 };
enum { WRITE, READ, WAYS };
enum nfs_version { NFS_V3, NFS_V4, NFS_VERSIONS };

static const char *const v4_names[] = {"4.2", "4.1", NULL};
static const char *const version_names[NFS_VERSIONS] = {"v3", "v4"};

static const char *const names[NFS_VERSIONS][WAYS] = {{"write_v3", "read_v3"}, {"write_v4", "read_v4"}};

/* One version: what it lacks, and what it gave. */
struct version {
	const char *vers; /* of mount(2) */
	int lacks;        /* -errno of the first mount, or 0 */
	struct file_times t[WAYS];
	struct samples set[WAYS];
	struct mountstats stats[WAYS];
};

struct state {
	struct address server;
	char dir[200], path[300];
	struct file_work w;
	struct version v[NFS_VERSIONS];
};

/* The options that decide, and the whole line in pieces. */
static void report_mount(const char *dir, enum nfs_version v)
{
	static const char *const keys[] = {"vers", "proto", "rsize", "wsize", "timeo", "nconnect"};
	char name[16], value[32];
	struct mounts_line m;
	struct fact f;

	if (mounts_read(dir, &m))
		return;
	fact_open(&f, "fact");
	kv_out_str(&f.o, "mount", version_names[v]);
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (!mounts_option(m.options, keys[i], value, sizeof(value)))
			kv_out_str(&f.o, keys[i], value);
	fact_send(&f);
	snprintf(name, sizeof(name), "mount_%s", version_names[v]);
	fact_text(name, m.options);
}

/* One direction on a mount of its own. `rep` 0 warms up; `last` reads all again and removes the file. 0 or the exit status. */
static int move(struct state *s, enum nfs_version v, int way, unsigned rep, int last)
{
	struct version *ver = &s->v[v];
	struct file_times *t = &ver->t[way];
	struct mountstats before, after;
	const char *name = names[v][way];
	char why[100];
	int stats, err;

	if (way == WRITE)
		unlink(s->path);
	t->name = name;
	t->counts = rep > 0;
	stats = mountstats_read(s->dir, &before);
	err = way == WRITE ? file_write(&s->w, t) : file_read(&s->w, t);
	if (err)
		return fact_fail("%s", file_error(&s->w, name, err, why, sizeof(why)));
	if (!stats)
		stats = mountstats_read(s->dir, &after);
	file_times_report(rep, t);
	if (rep) {
		sample_add(&ver->set[way], s->w.size, file_times_total(t));
		if (!stats && mountstats_add(&ver->stats[way], &before, &after))
			fact_note("mountstats went back in %s", name);
	}
	if (way == READ && last) {
		fact_phase("verify", file_quiet_ms(s->w.size));
		err = file_verify(&s->w);
		if (err)
			return fact_fail("%s", file_error(&s->w, "verify", err, why, sizeof(why)));
	}
	if (way == READ)
		unlink(s->path);
	return 0;
}

/* Mount, move, unmount. 0 or the exit status; a version that the kernel lacks is marked, and 0. */
static int visit(struct state *s, enum nfs_version v, int way, unsigned rep, int first, int last)
{
	uint64_t start;
	int status, err;

	if (s->v[v].lacks)
		return 0;
	fact_phase(names[v][way], file_quiet_ms(s->w.size) + (first ? MOUNT_QUIET_MS : 0));
	start = clock_now_ns();
	err = nfs_mount(&s->server, s->v[v].vers, s->dir);
	if (err && first && nfs_mount_lacks(err)) {
		s->v[v].lacks = err;
		fact_str("lacks", version_names[v]);
		fact_note("NFS %s: mount: %s", s->v[v].vers, strerror(-err));
		return 0;
	}
	if (err)
		return fact_fail("mount %s: %s", version_names[v], strerror(-err));
	if (first) {
		fact_u64(v == NFS_V3 ? "mount_v3_ns" : "mount_v4_ns", clock_now_ns() - start);
		report_mount(s->dir, v);
	}
	status = move(s, v, way, rep, last);
	if (status)
		unlink(s->path);
	err = nfs_umount(s->dir);
	if (err && !status)
		return fact_fail("umount %s: %s", version_names[v], strerror(-err));
	return status;
}

static int run(struct state *s, unsigned warm, unsigned reps)
{
	for (unsigned i = 0; i < warm + reps; i++)
		for (int v = 0; v < NFS_VERSIONS; v++)
			for (int way = 0; way < WAYS; way++) {
				int first = !i && way == WRITE, last = i + 1 == warm + reps;
				int status = visit(s, (enum nfs_version)v, way, i < warm ? 0 : i - warm + 1, first, last);

				if (status)
					return status;
			}
	if (s->v[NFS_V3].lacks && s->v[NFS_V4].lacks)
		return fact_skip("this kernel has neither NFS v3 nor v%s", s->v[NFS_V4].vers);
	return EXIT_OK;
}

static void report(const struct state *s)
{
	fact_str("server", "warm");
	for (int v = 0; v < NFS_VERSIONS; v++)
		for (int way = 0; way < WAYS; way++) {
			const struct version *ver = &s->v[v];

			if (ver->lacks)
				continue;
			mountstats_report(names[v][way], &ver->stats[way]);
			file_times_books(&ver->t[way], s->w.size);
			sample_report(names[v][way], &ver->set[way]);
		}
}

/* Mounts are to end with this process even when it is killed: a mount namespace of its own, where the kernel has them (2.4.19 on). */
static void own_mounts(void)
{
	if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
		fact_note("no mount namespace: %s", strerror(errno));
}

/* The folder to mount on, and the path of the file: of this box and process alone, since other boxes use the same export. */
static int make_names(struct state *s)
{
	const char *tmp = getenv("KD_TMP"), *box = getenv("KD_BOX");

	if (box && !kv_is_id(box))
		box = NULL;
	snprintf(s->dir, sizeof(s->dir), "%s/nfs-%ld", tmp && *tmp ? tmp : "/tmp", (long)getpid());
	snprintf(s->path, sizeof(s->path), "%s/kd-%s-%ld", s->dir, box ? box : "box", (long)getpid());
	return mkdir(s->dir, 0700) && errno != EEXIST ? -errno : 0;
}

int nfs_bulk(char **argv)
{
	struct arg args[] = {
		[SIZE_BYTES] = {"size_bytes", 4194304, 65536, 1ull << 40, NULL, "of the file, a multiple of chunk_bytes"},
		[CHUNK_BYTES] = {"chunk_bytes", 65536, 512, FILE_CHUNK_MAX, NULL, "of one read or write, a power of two"},
		[REPS] = {"reps", 3, 1, SAMPLES_MAX, NULL, "repetitions that count"},
		[WARM] = {"warm", 0, 0, 8, NULL, "repetitions before, that do not"},
		[SEED] = {"seed", 1, 0, UINT64_MAX, NULL, "of the data"},
		[V4] = {"v4", 1, 0, 0, v4_names, "which NFS v4"},
		{0},
	};
	const char *where = getenv("KD_NFSTEST");
	static struct state s;
	int status, err;

	arg_parse(args, argv);
	if (!where || !*where)
		return fact_skip("KD_NFSTEST is not set");
	if (address_parse(where, &s.server) || !*s.server.path)
		return fact_fail("KD_NFSTEST=%.40s: wanted ADDR:PORT,MOUNTPORT:/path", where);
	err = make_names(&s);
	if (err)
		return fact_skip("%s: %s", s.dir, strerror(-err));
	if (file_work_init(&s.w, s.path, args[SIZE_BYTES].v, (size_t)args[CHUNK_BYTES].v, args[SEED].v))
		err_usage("size_bytes must be a multiple of chunk_bytes, and that a power of two");
	s.v[NFS_V3].vers = "3";
	s.v[NFS_V4].vers = v4_names[args[V4].v];
	own_mounts();
	status = run(&s, (unsigned)args[WARM].v, (unsigned)args[REPS].v);
	if (!status)
		report(&s);
	rmdir(s.dir);
	file_work_free(&s.w);
	return status;
}
