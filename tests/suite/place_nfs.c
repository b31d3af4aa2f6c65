/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * place_nfs: mount, mount again, read back, report.
 *
 * Which parameter it is that a kernel refuses with one and the same EINVAL is found by trying without it, so that the reason names it.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/err.h"
#include "common/io.h"
#include "fact.h"
#include "place_nfs.h"

#define MOUNT_QUIET_MS 100000 /* a server's grace period */
#define MOUNT_POINTS 10       /* places that a test can have at a time */

/* 1 where these options mount; unmounted again. */
static int would_mount(const struct place *p, const struct nfs_options *o)
{
	if (nfs_mount(&p->server, o, p->top))
		return 0;
	nfs_umount(p->top);
	return 1;
}

/* Why the kernel refused: into p->why. The exit status. */
static int refused(struct place *p, int err)
{
	struct nfs_options less = p->nfs;
	int udp = !strcmp(p->nfs.proto, "udp");

	if (!nfs_mount_lacks(err)) {
		snprintf(p->why, sizeof(p->why), "mount %s: NFS v%s over %s: %s", p->label, p->nfs.vers, udp ? "UDP" : "TCP", strerror(-err));
		return EXIT_FAIL;
	}
	p->refused = 1;
	less.nconnect = 0;
	if (err == -EINVAL && p->nfs.nconnect && would_mount(p, &less)) {
		snprintf(p->why, sizeof(p->why), "nconnect=%u: this kernel refuses it (%s)", p->nfs.nconnect, strerror(-err));
		return EXIT_SKIP;
	}
	less.proto = "tcp";
	if (udp && would_mount(p, &less))
		snprintf(p->why, sizeof(p->why), "NFS over UDP: this kernel refuses it (%s)", strerror(-err));
	else
		snprintf(p->why, sizeof(p->why), "NFS v%s: this kernel refuses it (%s)", p->nfs.vers, strerror(-err));
	return EXIT_SKIP;
}

/* The file in sysfs with the readahead of the mount. */
static int readahead_path(const struct place *p, char *out, size_t size)
{
	struct stat st;

	if (stat(p->top, &st))
		return -errno;
	snprintf(out, size, "/sys/class/bdi/%u:%u/read_ahead_kb", major(st.st_dev), minor(st.st_dev));
	return 0;
}

/* Written where it is asked for, read back in any case. 0 or the exit status. */
static int set_readahead(struct place *p)
{
	char path[80], text[24];
	int err = readahead_path(p, path, sizeof(path)), fd;
	ssize_t n;

	if (!err && p->readahead_kb != ARG_WORD(0)) {
		snprintf(text, sizeof(text), "%" PRIu64 "\n", p->readahead_kb);
		fd = open(path, O_WRONLY | O_CLOEXEC);
		err = fd < 0 || write(fd, text, strlen(text)) < 0 ? -errno : 0;
		if (fd >= 0)
			close(fd);
		if (err) {
			snprintf(p->why, sizeof(p->why), "readahead_kb: %s: %s", path, strerror(-err));
			return EXIT_SKIP;
		}
	}
	*p->readahead = 0;
	n = err ? -1 : io_read_small(path, p->readahead, sizeof(p->readahead));
	p->readahead[n > 0 ? strcspn(p->readahead, "\n") : 0] = 0;
	return 0;
}

/* The version as it stands in /proc/mounts: `vers=4.1`, of older kernels `vers=4,minorversion=1`, `vers=4.0` or `vers=4`. */
static int is_version(const char *options, const char *want)
{
	char got[16], minor[8] = "0", whole[32];

	if (mounts_option(options, "vers", got, sizeof(got)))
		return 1; /* very old: v3 alone, not named */
	if (!strcmp(got, want))
		return 1;
	mounts_option(options, "minorversion", minor, sizeof(minor));
	snprintf(whole, sizeof(whole), "%s.%s", got, minor);
	return !strcmp(whole, want);
}

/* The kernel mounted something: is it what was asked for? 0 or the exit status. */
static int check_mount(struct place *p)
{
	char proto[16];

	if (mounts_read(p->top, &p->line)) {
		snprintf(p->why, sizeof(p->why), "no line of /proc/mounts for %.80s", p->top);
		return EXIT_FAIL;
	}
	if (!is_version(p->line.options, p->nfs.vers)) {
		snprintf(p->why, sizeof(p->why), "NFS v%s: this kernel took another version", p->nfs.vers);
		return EXIT_SKIP;
	}
	if (!mounts_option(p->line.options, "proto", proto, sizeof(proto)) && strcmp(proto, p->nfs.proto)) {
		snprintf(p->why, sizeof(p->why), "NFS over %s: this kernel took %s", p->nfs.proto, proto);
		return EXIT_SKIP;
	}
	return 0;
}

static int mount_it(struct place *p, int first)
{
	uint64_t start = clock_now_ns();
	int err = nfs_mount(&p->server, &p->nfs, p->top), status;

	if (err && first)
		return refused(p, err);
	if (err) {
		snprintf(p->why, sizeof(p->why), "mount %s again: %s", p->label, strerror(-err));
		return EXIT_FAIL;
	}
	p->mounted = 1;
	if (first)
		p->mount_ns = clock_now_ns() - start;
	status = check_mount(p);
	return status ? status : set_readahead(p);
}

/* A folder to mount on. */
static int make_top(struct place *p)
{
	const char *tmp = getenv("KD_TMP");

	for (int i = 0; i < MOUNT_POINTS; i++) {
		snprintf(p->top, sizeof(p->top), "%.200s/nfs-%ld-%d", tmp && *tmp ? tmp : "/tmp", (long)getpid(), i);
		if (!mkdir(p->top, 0700))
			return 0;
		if (errno != EEXIST)
			break;
	}
	snprintf(p->why, sizeof(p->why), "mkdir %.80s: %s", p->top, strerror(errno));
	*p->top = 0;
	return EXIT_SKIP;
}

/*
 * Mounts are to end with this process even when it is killed. Once a process: the watcher of a first place would stay in the namespace before, and keep a copy
 * of its mount, and so the cache, alive there.
 */
static void own_mounts(void)
{
	static pid_t owner;

	if (owner == getpid())
		return;
	owner = getpid();
	if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
		fact_note("no mount namespace: %s", strerror(errno));
}

int place_nfs_open(struct place *p, const struct arg *args)
{
	const char *where = getenv("KD_NFSTEST");
	int status, err;

	p->nfs.vers = place_vers_names[args[PLACE_VERS].v];
	p->nfs.proto = place_proto_names[args[PLACE_PROTO].v];
	p->nfs.rsize = (unsigned)args[PLACE_RSIZE].v;
	p->nfs.wsize = (unsigned)args[PLACE_WSIZE].v;
	p->nfs.nconnect = (unsigned)args[PLACE_NCONNECT].v;
	p->label = *p->nfs.vers == '3' ? "v3" : "v4";
	if (!where || !*where) {
		snprintf(p->why, sizeof(p->why), "KD_NFSTEST is not set");
		return EXIT_SKIP;
	}
	if (address_parse(where, &p->server) || !*p->server.path) {
		snprintf(p->why, sizeof(p->why), "KD_NFSTEST=%.40s: wanted ADDR:PORT,MOUNTPORT:/path", where);
		return EXIT_FAIL;
	}
	status = make_top(p);
	if (status)
		return status;
	own_mounts();
	fact_phase("mount", MOUNT_QUIET_MS);
	status = mount_it(p, 1);
	if (status) {
		place_nfs_close(p);
		return status;
	}
	err = stall_watch_begin(&p->stall, p->top, p->label, (unsigned)args[PLACE_STALL_S].v);
	if (err)
		fact_note("nobody watches for stalls: %s", strerror(-err));
	return 0;
}

/* READs and WRITEs of the mount since it was made. */
static uint64_t moves(const struct place *p, struct mountstats *now)
{
	static const char *const names[] = {"READ", "READ_PLUS", "WRITE"};
	uint64_t n = 0;

	memset(now, 0, sizeof(*now));
	if (mountstats_read(p->top, now))
		return 0;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const struct mountstats_op *o = mountstats_find(now, names[i]);

		n += o ? o->v[MS_OPS] : 0;
	}
	return n;
}

void place_books_read(const struct place *p, struct nfs_books *b)
{
	static const struct mountstats none;
	struct mountstats now;

	memset(b, 0, sizeof(*b));
	if (!p || p->on != PLACE_NFS)
		return;
	b->has_rpc = !nfs_rpc_read(&b->rpc);
	b->mount = p->past;
	b->has_mount = p->past.n > 0;
	if (p->mounted && !mountstats_read(p->top, &now))
		b->has_mount = !mountstats_add(&b->mount, &none, &now);
}

int place_nfs_again(struct place *p)
{
	static const struct mountstats none;
	struct mountstats now;
	uint64_t before, start, ns;
	int err, status;

	fact_phase("cold", MOUNT_QUIET_MS);
	start = clock_now_ns();
	before = moves(p, &now); /* the counters end with the mount */
	mountstats_add(&p->past, &none, &now);
	err = nfs_umount(p->top);
	p->mounted = 0;
	if (err) {
		snprintf(p->why, sizeof(p->why), "umount %s: %s", p->label, strerror(-err));
		return EXIT_FAIL;
	}
	status = mount_it(p, 0);
	ns = clock_now_ns() - start;
	p->again_ns = ns > p->again_ns ? ns : p->again_ns;
	if (status || !before || moves(p, &now) < before)
		return status;
	snprintf(p->why, sizeof(p->why), "mount %s again: the old one lives on, and with it the cache", p->label);
	return EXIT_FAIL;
}

/* `fact differs=rsize asked=1048576 got=65536` where the kernel took another value than was asked for. */
static void report_difference(const struct place *p, const char *key, uint64_t asked, const char *got)
{
	struct fact f;

	if (asked == strtoull(got, NULL, 10))
		return;
	fact_open(&f, "fact");
	kv_out_str(&f.o, "differs", key);
	kv_out_str(&f.o, "mount", p->label);
	kv_out_u64(&f.o, "asked", asked);
	kv_out_str(&f.o, "got", got);
	fact_send(&f);
}

/* A test in which the server did not answer has measured that, and nothing else. 0 or the exit status. */
static int report_stall(const struct place *p)
{
	struct stall s;
	unsigned log, n = stall_watch_read(&p->stall, &s, &log);
	struct fact f;

	if (!n && p->stall.s && p->again_ns >= p->stall.s->limit_ns)
		return fact_fail("stall: mounting NFS %s again took %" PRIu64 " s", p->label, p->again_ns / 1000000000u);
	if (!n && !log)
		return 0;
	fact_open(&f, "fact");
	kv_out_str(&f.o, "stall", p->label);
	kv_out_u64(&f.o, "n", n);
	kv_out_u64(&f.o, "longest_ns", s.longest_ns);
	kv_out_u64(&f.o, "at_ns", s.at_ns);
	kv_out_u64(&f.o, "log", log);
	fact_send(&f);
	if (!n)
		return fact_fail("stall: the kernel says that the NFS server is not responding (%u lines)", log);
	return fact_fail("stall: no reply over NFS %s for %" PRIu64 " s (%u of them)", p->label, s.longest_ns / 1000000000u, n);
}

int place_nfs_report(const struct place *p)
{
	static const char *const keys[] = {"vers", "proto", "rsize", "wsize", "timeo", "nconnect"};
	const uint64_t asked[] = {0, 0, p->nfs.rsize, p->nfs.wsize, 0, p->nfs.nconnect};
	char name[16], value[6][32];
	struct fact f;

	snprintf(name, sizeof(name), "mount_%s_ns", p->label);
	fact_u64(name, p->mount_ns);
	fact_open(&f, "fact");
	kv_out_str(&f.o, "mount", p->label);
	for (size_t i = 0; i < 6; i++) {
		if (mounts_option(p->line.options, keys[i], value[i], sizeof(value[i])))
			strcpy(value[i], strcmp(keys[i], "nconnect") ? "" : "1"); /* one connection is not named */
		if (*value[i])
			kv_out_str(&f.o, keys[i], value[i]);
	}
	if (*p->readahead)
		kv_out_str(&f.o, "readahead_kb", p->readahead);
	fact_send(&f);
	for (size_t i = 0; i < 6; i++)
		if (asked[i])
			report_difference(p, keys[i], asked[i], value[i]);
	if (p->readahead_kb != ARG_WORD(0))
		report_difference(p, "readahead_kb", p->readahead_kb, p->readahead);
	return report_stall(p);
}

void place_nfs_close(struct place *p)
{
	stall_watch_end(&p->stall);
	if (p->mounted && nfs_umount(p->top))
		fact_note("umount %s: %s", p->label, strerror(errno));
	p->mounted = 0;
	if (*p->top)
		rmdir(p->top);
	*p->top = 0;
}
