/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nfs-bulk: the file work of disk-seq on NFS mounts of its own: write a file, and read it back with a cold client cache, by NFS v3 and by v4.
 *
 * After the block phases of Bonnie in kernel reports, with fsync (WRITE and COMMIT) and close (close-to-open) inside the timer. Mounted anew for
 * each direction: that is what makes the client's cache cold. Versions alternate, so that drift hits both.
 * Primary is read_v3: a read waits for the client, the wire and the server's cache; a write waits for the server's disk at each COMMIT as well, which
 * is the station's and noisier; and v3 is the version that the most kernels have.
 * Facts: each phase's times, mountstats of each direction and version (ops, retransmissions, queue, rtt and exe times, bytes), CPU
 * books (rpciod is invisible to getrusage), the mount line as the kernel reads it back. A version that the kernel lacks is a fact `lacks=`.
 * v4 is v4.2 or v4.1, a parameter, and never falls back: from about 6.3 on, where the kernel's config has NFS_V4_2_READ_PLUS, a v4.2 client reads by
 * READ_PLUS, which nfs-ganesha 4.3 answers with no data (seen with 6.12 and 7.2: EIO). Against such a server v4=4.1 is the version all can be measured in.
 * Traps: the server's cache is warm by design (server=warm); rsize and wsize are negotiated: see the facts; a server that is exported
 * async lies about COMMIT; an nfsd in its grace period stalls the first v4 open for up to 90 s; NFS on an nfsroot runs at 4 KiB.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "arg.h"
#include "common/err.h"
#include "fact.h"
#include "file_work.h"
#include "place.h"
#include "sample.h"
#include "suite.h"

enum { SIZE_BYTES, CHUNK_BYTES, REPS, WARM, SEED, V4, PROTO, RSIZE, WSIZE, NCONNECT, READAHEAD_KB, STALL_S };
enum { WRITE, READ, WAYS };
enum nfs_version { NFS_V3, NFS_V4, NFS_VERSIONS };

static const char *const v4_names[] = {"4.2", "4.1", NULL};
static const char *const version_names[NFS_VERSIONS] = {"v3", "v4"};

static const char *const names[NFS_VERSIONS][WAYS] = {{"write_v3", "read_v3"}, {"write_v4", "read_v4"}};

/* One version: its place, and what it gave. */
struct version {
	int lacks; /* this kernel has it not */
	struct place place;
	char path[384];
	struct file_work w;
	struct file_times t[WAYS];
	struct samples set[WAYS];
};

struct state {
	struct version v[NFS_VERSIONS];
};

/* One direction on a mount of its own. `rep` 0 warms up; `last` reads all again and removes the file. 0 or the exit status. */
static int move(struct version *ver, const char *name, int way, unsigned rep, int last)
{
	struct file_times *t = &ver->t[way];
	char why[100];
	int err;

	if (way == WRITE)
		unlink(ver->path);
	t->name = name;
	t->place = &ver->place;
	t->counts = rep > 0;
	err = way == WRITE ? file_write(&ver->w, t) : file_read(&ver->w, t);
	if (err)
		return fact_fail("%s", file_error(&ver->w, name, err, why, sizeof(why)));
	file_times_report(rep, t);
	if (rep)
		sample_add(&ver->set[way], ver->w.size, file_times_total(t));
	if (way == READ && last) {
		fact_phase("verify", file_quiet_ms(ver->w.size));
		err = file_verify(&ver->w);
		if (err)
			return fact_fail("%s", file_error(&ver->w, "verify", err, why, sizeof(why)));
	}
	return 0;
}

static int run(struct state *s, unsigned warm, unsigned reps)
{
	for (unsigned i = 0; i < warm + reps; i++)
		for (int v = 0; v < NFS_VERSIONS; v++)
			for (int way = 0; way < WAYS && !s->v[v].lacks; way++) {
				struct version *ver = &s->v[v];
				int status = place_cold(&ver->place, ver->path);

				if (status)
					return status;
				fact_phase(names[v][way], file_quiet_ms(ver->w.size));
				status = move(ver, names[v][way], way, i < warm ? 0 : i - warm + 1, i + 1 == warm + reps);
				if (status)
					return status;
			}
	return EXIT_OK;
}

static int report(const struct state *s)
{
	for (int v = 0; v < NFS_VERSIONS; v++) {
		int status = s->v[v].lacks ? 0 : place_report(&s->v[v].place);

		if (status)
			return status;
	}
	for (int v = 0; v < NFS_VERSIONS; v++)
		for (int way = 0; way < WAYS && !s->v[v].lacks; way++) {
			const struct version *ver = &s->v[v];

			file_times_books(&ver->t[way], ver->w.size);
			sample_report(names[v][way], &ver->set[way]);
		}
	return EXIT_OK;
}

/* Both places. A version that the kernel lacks is marked; 0 or the exit status. */
static int open_places(struct state *s, const struct arg *args)
{
	struct arg a[] = {PLACE_ARG_ROWS_ON(PLACE_NFS)};
	int status;

	a[PLACE_PROTO].v = args[PROTO].v;
	a[PLACE_RSIZE].v = args[RSIZE].v;
	a[PLACE_WSIZE].v = args[WSIZE].v;
	a[PLACE_NCONNECT].v = args[NCONNECT].v;
	a[PLACE_READAHEAD_KB].v = args[READAHEAD_KB].v;
	a[PLACE_STALL_S].v = args[STALL_S].v;
	for (int v = 0; v < NFS_VERSIONS; v++) {
		struct version *ver = &s->v[v];

		a[PLACE_VERS].v = v == NFS_V3 ? PLACE_V3 : args[V4].v ? PLACE_V41 : PLACE_V42;
		status = place_try(&ver->place, a, args[SIZE_BYTES].v);
		if (status == EXIT_SKIP && ver->place.refused) {
			ver->lacks = 1;
			fact_str("lacks", version_names[v]);
			fact_note("%s", ver->place.why);
			continue;
		}
		if (status)
			return status == EXIT_SKIP ? fact_skip("%s", ver->place.why) : fact_fail("%s", ver->place.why);
		snprintf(ver->path, sizeof(ver->path), "%s/file", place_dir(&ver->place));
		if (file_work_init(&ver->w, ver->path, args[SIZE_BYTES].v, (size_t)args[CHUNK_BYTES].v, args[SEED].v))
			return fact_fail("no memory for a chunk");
	}
	if (s->v[NFS_V3].lacks && s->v[NFS_V4].lacks)
		return fact_skip("neither v3 nor v4: %s", s->v[NFS_V3].place.why);
	return EXIT_OK;
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
		[PROTO] = PLACE_ROW_PROTO,
		[RSIZE] = PLACE_ROW_RSIZE,
		[WSIZE] = PLACE_ROW_WSIZE,
		[NCONNECT] = PLACE_ROW_NCONNECT,
		[READAHEAD_KB] = PLACE_ROW_READAHEAD_KB,
		[STALL_S] = PLACE_ROW_STALL_S,
		{0},
	};
	static struct state s;
	int status;

	arg_parse(args, argv);
	if (args[SIZE_BYTES].v % args[CHUNK_BYTES].v || args[CHUNK_BYTES].v & (args[CHUNK_BYTES].v - 1))
		err_usage("size_bytes must be a multiple of chunk_bytes, and that a power of two");
	status = open_places(&s, args);
	if (!status)
		status = run(&s, (unsigned)args[WARM].v, (unsigned)args[REPS].v);
	if (!status)
		status = report(&s);
	for (int v = 0; v < NFS_VERSIONS; v++) {
		if (!s.v[v].lacks)
			place_close(&s.v[v].place);
		file_work_free(&s.v[v].w);
	}
	return status;
}
