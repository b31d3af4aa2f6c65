/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * step: runs a test in a process group of its own. The runner only sleeps in poll(2) while a test works; records of phases and metrics go
 * out as they come. Whatever a test leaves behind (processes, temporary files, the scratch mount) is removed after it.
 */
#include "box/step.h"
#include "box/env_text.h"
#include "box/kmsg.h"
#include "box/leftover.h"
#include "box/quiet.h"
#include "box/scratch.h"
#include "common/clock.h"
#include "common/io.h"
#include "common/proc.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define SUITE_DIR "/kd/suite/"
#define TMP_DIR "/run/kd/tmp"
#define ARGS_MAX 40
#define GRACE_MS 2000
#define LOG_BYTES 2048
#define LOG_LINES 6
#define TEXT_PIECE 40 /* bytes, which may be three times as many when escaped */
#define FLUSH_MS 2000
#define DRAIN_MS 6000 /* a full buffer at 9600 baud is 4.3 s */
#define LEFTOVER_MS 20000
/*
 * What may go by around a test, at worst: mkfs 60 s, the unmount of what stood there 20, a slow line 6, what is left over 10, the unmount behind
 * it 20: 116 s, and some room. PID 1 resets the box where this is too little.
 */
#define AROUND_MS 150000

struct step {
	/* given */
	struct box *box;
	const struct job_test *test;
	/* running */
	struct proc proc;
	int fact_fd, log_fd;
	char line[512]; /* of facts */
	size_t line_len;
	int line_bad;
	unsigned metrics;    /* that it has said */
	char log[LOG_BYTES]; /* the last of it */
	size_t log_len;
	char args[sizeof((struct job_test *)0)->args];
	const char *argv[ARGS_MAX + 2];
	char env_text[10][208];
	const char *env[11];
	char path[128];
	struct scratch scratch;
	char clock[sizeof((struct box *)0)->clocksource]; /* when the test began */
	/* result */
	char reason[160];
};

static int split_args(struct step *s)
{
	size_t n = 1;
	char *next = s->args, *word;

	snprintf(s->path, sizeof s->path, SUITE_DIR "%s", s->test->program);
	memcpy(s->args, s->test->args, sizeof s->args);
	s->argv[0] = s->path;
	while ((word = strsep(&next, ","))) {
		if (!*word)
			continue;
		if (n > ARGS_MAX)
			return -E2BIG;
		s->argv[n++] = word;
	}
	s->argv[n] = NULL;
	return 0;
}

static void add_env(struct step *s, size_t *n, const char *name, const char *value)
{
	if (!*value)
		return;
	snprintf(s->env_text[*n], sizeof s->env_text[*n], "%s=%s", name, value);
	s->env[*n] = s->env_text[*n];
	s->env[++*n] = NULL;
}

static void make_env(struct step *s)
{
	const struct job *j = &s->box->job;
	char tag[16];
	size_t n = 0;

	add_env(s, &n, "PATH", "/bin:/sbin:/usr/bin:/usr/sbin");
	add_env(s, &n, "KD_TMP", TMP_DIR);
	add_env(s, &n, "KD_BOX", j->box);
	add_env(s, &n, "KD_BOOT", "/run/kd/boot");
	snprintf(tag, sizeof tag, "%08" PRIx32, j->tag);
	add_env(s, &n, "KD_TAG", tag);
	add_env(s, &n, "KD_SUBJECT", j->subject);
	add_env(s, &n, "KD_SCRATCH", job_needs(s->test, "scratch") ? SCRATCH_DIR : "");
	add_env(s, &n, "KD_NFSTEST", job_needs(s->test, "nfs") ? j->net.nfstest : "");
	add_env(s, &n, "KD_PEER", job_needs(s->test, "net") ? j->net.peer : "");
}

/* In pieces, as a test does it (tests/suite/fact.h). */
static void say_text(struct step *s, const char *name, const char *text)
{
	size_t len = strlen(text), parts = (len + TEXT_PIECE - 1) / TEXT_PIECE;
	char part[48];

	for (size_t i = 0; i < parts; i++) {
		struct kv_out *o = records_begin(&s->box->rec, "fact", s->test->name);

		snprintf(part, sizeof part, "%zu/%zu", i + 1, parts);
		kv_out_str(o, "text", name);
		kv_out_str(o, "part", part);
		kv_out_bytes(o, "data", text + i * TEXT_PIECE, i + 1 < parts ? TEXT_PIECE : len - i * TEXT_PIECE);
		records_end(&s->box->rec);
	}
}

/* Which file system the test gets, and how it came to be. */
static void say_scratch(struct step *s)
{
	struct records *r = &s->box->rec;
	const struct mkfs_super *m = &s->scratch.super;
	struct kv_out *o = records_begin(r, "fact", s->test->name);

	kv_out_str(o, "scratch", s->scratch.disk);
	kv_out_str(o, "made", s->scratch.kept ? "before" : s->scratch.ext4 ? "ext4" : "ext2");
	kv_out_u64(o, "block_bytes", m->block_bytes);
	kv_out_u64(o, "blocks", m->blocks);
	kv_out_u64(o, "inodes", m->inodes);
	records_end(r);
	o = records_begin(r, "fact", s->test->name);
	kv_out_str(o, "super", s->scratch.ext4 ? "ext4" : "ext2");
	kv_out_u64(o, "inode_bytes", m->inode_bytes);
	kv_out_hex32(o, "compat", m->compat);
	kv_out_hex32(o, "incompat", m->incompat);
	kv_out_hex32(o, "ro_compat", m->ro_compat);
	records_end(r);
	box_env_disk(r, s->test->name, s->scratch.disk);
	if (!s->scratch.kept)
		say_text(s, "mkfs", mkfs_words(s->scratch.ext4));
}

/* What the test needs. 0, or -1 with a reason to skip. */
static int provide(struct step *s)
{
	const struct job *j = &s->box->job;
	int net = s->box->net.state == NET_UP;
	char meminfo[4096];

	if (io_read_small("/proc/meminfo", meminfo, sizeof meminfo) > 0 && env_lacks_memory(meminfo, s->test->mem_kb, s->reason, sizeof s->reason))
		return -1;
	if (job_needs(s->test, "net") && (!net || !j->net.peer[0])) {
		snprintf(s->reason, sizeof s->reason, "%s", net ? "no peer" : "no network");
		return -1;
	}
	if (job_needs(s->test, "nfs") && (!net || !j->net.nfstest[0])) {
		snprintf(s->reason, sizeof s->reason, "%s", net ? "no NFS server to test" : "no network");
		return -1;
	}
	if (job_needs(s->test, "scratch")) {
		if (scratch_make(&s->scratch, j->box, s->test->args, s->reason, sizeof s->reason))
			return -1;
		say_scratch(s);
	}
	mkdir(TMP_DIR, 0755);
	if (mount("tmpfs", TMP_DIR, "tmpfs", MS_NOSUID | MS_NODEV, "mode=1777") < 0)
		chmod(TMP_DIR, 01777); /* /run is memory too; only the cleaning is less thorough */
	return 0;
}

static void read_facts(struct step *s)
{
	char buf[1024];
	ssize_t n = read(s->fact_fd, buf, sizeof buf);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		close(s->fact_fd);
		s->fact_fd = -1;
		return;
	}
	for (ssize_t i = 0; i < n; i++) {
		if (buf[i] != '\n') {
			if (s->line_len < sizeof s->line)
				s->line[s->line_len++] = buf[i];
			continue;
		}
		s->metrics += s->line_len > 7 && !memcmp(s->line, "metric ", 7);
		step_take_fact(&s->box->rec, s->test->name, s->line, s->line_len, s->reason, sizeof s->reason);
		s->line_len = 0;
	}
}

static void read_log(struct step *s)
{
	char buf[1024];
	ssize_t n = read(s->log_fd, buf, sizeof buf);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		close(s->log_fd);
		s->log_fd = -1;
		return;
	}
	size_t keep = sizeof s->log - (size_t)n;
	if (s->log_len > keep) {
		memmove(s->log, s->log + s->log_len - keep, keep);
		s->log_len = keep;
	}
	memcpy(s->log + s->log_len, buf, (size_t)n);
	s->log_len += (size_t)n;
}

/* Until it ends, or until its time is over. */
static void watch(struct step *s)
{
	uint64_t until = clock_now_ms() + s->test->deadline_ms, eof_ms = 0;

	for (;;) {
		struct pollfd p[2] = {{.fd = s->fact_fd, .events = POLLIN}, {.fd = s->log_fd, .events = POLLIN}};
		uint64_t now = clock_now_ms();
		int both_closed = s->fact_fd < 0 && s->log_fd < 0;

		if (now >= until)
			break;
		/* The end of both pipes is the end of the test; a child that holds them open longer is looked at now and then. */
		uint64_t wait = until - now < 100 ? until - now : 100;
		if (both_closed)
			clock_sleep_ms(1);
		else
			poll(p, 2, (int)wait);
		if (p[0].revents)
			read_facts(s);
		if (p[1].revents)
			read_log(s);
		if (proc_poll(&s->proc) != 1)
			continue;
		/* It has ended; what it wrote is in the pipes already. A grandchild may hold them open: it gets no time. */
		if (both_closed || (!p[0].revents && !p[1].revents) || (eof_ms && now > eof_ms))
			return;
		if (!eof_ms)
			eof_ms = now + 500;
	}
	leftover_hurry(1); /* clear_up ends it */
	proc_wait(&s->proc, 0, GRACE_MS);
	s->proc.timed_out = 1;
	for (int i = 0; i < 64 && s->fact_fd >= 0; i++)
		read_facts(s);
}

static const char *judge(const struct step *s)
{
	if (s->proc.timed_out)
		return "timeout";
	if (!WIFEXITED(s->proc.status))
		return "crash";
	switch (WEXITSTATUS(s->proc.status)) {
	case 0:
		return "pass";
	case 1:
		return "fail";
	case 4:
		return "skip";
	}
	return "crash";
}

static void send_log(struct step *s)
{
	size_t from = s->log_len;
	int lines = 0;

	while (from && s->log[from - 1] == '\n')
		s->log_len = --from;
	while (from && lines < LOG_LINES) {
		from--;
		lines += from == 0 || s->log[from - 1] == '\n';
	}
	while (from < s->log_len) {
		char *nl = memchr(s->log + from, '\n', s->log_len - from);
		size_t len = nl ? (size_t)(nl - (s->log + from)) : s->log_len - from;

		records_note(&s->box->rec, s->test->name, "%.*s", (int)len, s->log + from);
		from += len + 1;
	}
}

static uint64_t tv_us(const struct timeval *tv) { return (uint64_t)tv->tv_sec * 1000000 + (uint64_t)tv->tv_usec; }

static void send_end(struct step *s, const char *status, uint64_t ns)
{
	struct records *r = &s->box->rec;
	struct kv_out *o = records_begin(r, "end", s->test->name);

	kv_out_str(o, "status", status);
	kv_out_u64(o, "records", r->of_test + 1);
	kv_out_u64(o, "ns", ns);
	kv_out_u64(o, "utime_us", tv_us(&s->proc.usage.ru_utime));
	kv_out_u64(o, "stime_us", tv_us(&s->proc.usage.ru_stime));
	if (s->proc.ended && WIFSIGNALED(s->proc.status))
		kv_out_u64(o, "signal", (uint64_t)WTERMSIG(s->proc.status));
	if (s->metrics && strcmp(status, "pass") != 0)
		kv_out_u64(o, "partial", s->metrics); /* they are kept, and count for nothing */
	if (s->clock[0])
		records_put_cut(r, "clock", s->clock);
	if (s->reason[0])
		records_put_cut(r, "reason", s->reason);
	records_end(r);
}

/* Two clocks measure nothing: what a test said is void where the clocksource is another one at its end. */
static const char *judge_clock(struct step *s, const char *status)
{
	char now[sizeof s->clock];

	box_clocksource(now, sizeof now);
	if (strcmp(status, "pass") != 0 || !env_clock_changed(s->clock, now))
		return status;
	snprintf(s->reason, sizeof s->reason, "clock-changed: from %s to %s", s->clock, now);
	return "fail";
}

static int make_pipes(int fact[2], int out[2])
{
	int err = io_pipes(fact, out);

	if (err)
		return err;
	io_set_nonblock(fact[0], 1);
	io_set_nonblock(out[0], 1);
	return 0;
}

/* What it left running, wherever that has gone to. What is left then hangs in the kernel, with the file system or device that it waits for. */
static void clear_up(struct step *s)
{
	char who[120];
	unsigned left;

	kill(-s->proc.pid, SIGKILL);
	left = leftover_kill(LEFTOVER_SCORE, LEFTOVER_MS, who, sizeof who);
	if (!left && (s->proc.ended || proc_poll(&s->proc) == 1))
		return;
	s->box->stuck = 1;
	snprintf(s->reason, sizeof s->reason, "not even KILL ends it: %s", left ? who : "the test");
}

static const char *spawn(struct step *s)
{
	int fact[2], out[2];
	int err = make_pipes(fact, out);

	if (err)
		return "crash";
	s->proc = (struct proc){.argv = s->argv, .env = s->env, .dir = "/", .fd = {-1, out[1], out[1], fact[1]}, .oom_score_adj = LEFTOVER_SCORE};
	int level = quiet_begin();
	/* A slow line has seconds of ours to go: its interrupts are not to be measured. */
	s->box->serial.base.ops->flush(&s->box->serial.base, DRAIN_MS);
	box_clocksource(s->clock, sizeof s->clock);
	err = proc_start(&s->proc);
	close(fact[1]);
	close(out[1]);
	s->fact_fd = fact[0];
	s->log_fd = out[0];
	if (err)
		snprintf(s->reason, sizeof s->reason, "cannot start: %s", strerror(-err));
	else
		watch(s);
	quiet_end(level);
	if (s->fact_fd >= 0)
		close(s->fact_fd);
	if (s->log_fd >= 0)
		close(s->log_fd);
	if (err)
		return "crash";
	clear_up(s);
	return judge_clock(s, judge(s));
}

void step_run(struct box *b, const struct job_test *t)
{
	static struct step step; /* 5 KiB; no threads here */
	struct step *s = &step;
	const char *status = "skip";
	uint64_t start_ns = clock_now_ns();

	*s = (struct step){.box = b, .test = t, .fact_fd = -1, .log_fd = -1};
	sink_nfs_poll(&b->nfs);
	box_facts_nfs(b);
	promise_say(&b->promise, t->deadline_ms + AROUND_MS);
	struct kv_out *o = records_begin(&b->rec, "begin", t->name);
	kv_out_u64(o, "quiet_ms", t->quiet_ms);
	kv_out_u64(o, "deadline_ms", t->deadline_ms);
	records_end(&b->rec);
	if (b->nfs.mounted == 1)
		b->nfs.base.ops->flush(&b->nfs.base, FLUSH_MS);

	if (provide(s) == 0) {
		make_env(s);
		if (split_args(s)) {
			status = "crash";
			snprintf(s->reason, sizeof s->reason, "too many arguments");
		} else {
			start_ns = clock_now_ns();
			status = spawn(s);
		}
	}
	uint64_t ns = clock_now_ns() - start_ns;
	if (strcmp(status, "pass") && strcmp(status, "skip"))
		send_log(s);
	send_end(s, status, ns);
	if (!b->stuck && scratch_unmount()) {
		records_note(&b->rec, t->name, "the scratch file system cannot be unmounted");
		b->stuck = 1;
	}
	umount2(TMP_DIR, MNT_DETACH);
	kmsg_collect(b);
}
