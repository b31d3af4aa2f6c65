/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The runner: PID 1's child, and all that a box does. main() is the order of a boot: what am I for, who am I, tests, bye, what
 * next, jump. With --next REASON it stands in for one that died: same records, no tests, no bye.
 */
#include "box/arm.h"
#include "box/ask.h"
#include "box/box.h"
#include "box/crash.h"
#include "box/kmsg.h"
#include "box/next.h"
#include "box/pstore.h"
#include "box/settle.h"
#include "box/step.h"
#include "box/tag.h"
#include "common/io.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PSTORE_MS 60000
#define STUCK "stuck-" /* as runner/init/runner.h has it */

static struct box box;
static struct pstore pstore;

/* The job from the cpio behind the image, or home's from the command line. 0, or -1 with e. */
static int find_job(struct box *b, struct job_error *e)
{
	struct job *j = &b->job;
	char *text = NULL;
	size_t len = 0;
	int err;

	j->again_s = 60;
	j->jump_s = 120;
	j->sw = PLAN_CHAIN;
	j->bsp = JOB_BSP_UNKNOWN;
	strcpy(j->start, "firmware");
	if (io_read_small("/proc/cmdline", b->cmdline, sizeof b->cmdline) < 0)
		b->cmdline[0] = 0;
	b->cmdline[strcspn(b->cmdline, "\n")] = 0;
	err = job_read_cmdline(j, b->cmdline, e);
	if (j->role == JOB_CRASH)
		strcpy(j->start, "crash");
	int has_job =
		io_read_file(JOB_PATH, 256 << 10, &text, &len) == 0 && strspn(text, "\n") < len; /* a legacy initrd has blank lines where none is */
	uint32_t said = j->tag;
	int job_err = has_job ? job_read(j, text, len, e) : 0;

	free(text);
	if (has_job) {
		if (!job_err && j->role == JOB_SUBJECT && said && said != j->tag) {
			snprintf(e->text, sizeof e->text, "the command line says kd=%08x, the job %08x", (unsigned)said, (unsigned)j->tag);
			return -1;
		}
		return job_err ? -1 : err;
	}
	return err;
}

/*
 * A BREAK and a letter on the serial line are a command to the kernel, and lines make BREAKs by themselves: off, unless the board wants it
 * (then all of it: the default of many kernels leaves out the dumps that the station asks for).
 */
static void set_sysrq(int on)
{
	int fd = open("/proc/sys/kernel/sysrq", O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	io_write_all(fd, on ? "1\n" : "0\n", 2);
	close(fd);
}

static void open_ways_out(struct box *b)
{
	set_sysrq(b->job.sysrq);
	b->serial.fd = -1;
	sink_serial_open(&b->serial, b->cmdline);
	b->rec.sink[0] = &b->serial.base;
	b->rec.sinks = 1;
}

/* Children: the network, and the NFS sink that waits for it. */
static void start_children(struct box *b)
{
	const int fds[] = {b->serial.fd, b->promise.fd, b->rec.fd};

	b->net.fd = -1;
	if (sink_nfs_open(&b->nfs, &b->job, RECORDS_PATH, fds, 3) == 0) {
		b->rec.sink[1] = &b->nfs.base;
		b->rec.sinks = 2;
	}
	if (b->job.net.http[0] || b->job.net.tftp[0] || b->job.net.nfs[0] || b->job.net.peer[0])
		net_start(&b->net, b->job.net.ip, fds, 3);
}

static void run_tests(struct box *b, int early)
{
	for (size_t i = 0; i < b->job.tests && !b->stuck; i++)
		if (job_needs(&b->job.test[i], "early") == early)
			step_run(b, &b->job.test[i]);
}

/* Something hangs in this kernel for good: what was measured is kept, but there is no bye, and the way out is a reset. */
static void give_up(struct box *b)
{
	records_fail(&b->rec, b->rec.tag, "hang");
	kmsg_collect(b); /* what the kernel says of it */
}

/*
 * After a panic: what the dead kernel said goes out first, by the serial line, which asks for nothing. Only then modules, network and NFS: the
 * card may be wedged.
 */
static void live_crash(struct box *b)
{
	if (b->job.of)
		records_fail(&b->rec, b->job.of, "panic");
	crash_send_dmesg(b);
	promise_modules(&b->promise);
	start_children(b);
	box_wait_modules(b, 65000);
	crash_wait_nfs(b);
	b->may_chain = crash_may_chain(b);
}

static int is_on_nfs(const struct box *b) { return b->nfs.mounted == 1 && b->nfs.asked && b->nfs.answered == b->nfs.asked && !b->nfs.journal_err; }

/* A boot from its start to `bye`. */
static void live(struct box *b, const struct job_error *e)
{
	uint32_t tag = b->job.role == JOB_SUBJECT ? b->job.tag : tag_draw(b->job.of ? b->job.of : b->job.prev);

	records_open(&b->rec, RECORDS_PATH, tag);
	b->job.tag = tag;
	b->net.fd = -1;
	kmsg_open(b);
	if (b->job.role == JOB_HOME) { /* a home that comes back says why in its hello, and the watchdog knows */
		promise_modules(&b->promise);
		start_children(b);
		box_wait_modules(b, 65000);
	}
	box_facts_hello(b);
	if (b->job.role == JOB_CRASH)
		live_crash(b);
	box_facts_ident(b);
	if (e->text[0])
		records_note(&b->rec, NULL, "job: line %u: %s", e->line, e->text);
	box_boot_ready();
	run_tests(b, 1);
	if (b->job.role == JOB_SUBJECT) {
		kmsg_mark(b);
		promise_modules(&b->promise);
		start_children(b);
	}
	box_facts_env(b);
	kmsg_collect(b);
	if (b->job.role == JOB_SUBJECT) {
		if (!b->stuck)
			settle_wait(b);
		if (!b->stuck && b->job.crash_bytes)
			arm_crash(b);
		run_tests(b, 0);
	} else {
		box_facts_modules(b);
		box_facts_clock(b);
	}
	if (b->job.role != JOB_SUBJECT) {
		promise_say(&b->promise, PSTORE_MS);
		pstore_mount();
		pstore_send(&pstore, PSTORE_PATH, &b->rec);
	}
	box_facts_end(b);
	if (b->stuck)
		give_up(b);
	else if (ask_bye(b) == 0 || is_on_nfs(b))
		pstore_forget(&pstore, PSTORE_PATH);
}

/* In place of a runner that died, or whose jump came back. */
static void live_again(struct box *b, const char *reason)
{
	uint32_t tag = b->job.tag;
	int err = records_resume(&b->rec, RECORDS_PATH);

	if (err && !b->rec.tag)
		records_open(&b->rec, RECORDS_PATH, b->job.role == JOB_SUBJECT ? tag : tag_draw(0));
	b->job.tag = b->rec.tag;
	promise_modules(&b->promise);
	start_children(b);
	b->stand_in = 1;
	records_note(&b->rec, NULL, "runner --next %s", reason);
	b->stuck = b->job.role == JOB_SUBJECT && !strncmp(reason, STUCK, sizeof STUCK - 1);
	kmsg_open(b);
	b->kmsg_from_us = b->rec.last_ms * 1000;
	if (!b->rec.closed)
		kmsg_collect(b); /* why it died: the kernel may know (its OOM killer); before `fail`, which files what there is */
	if (b->stuck && !b->rec.closed)
		records_fail(&b->rec, b->rec.tag, "hang");
	else if (!strcmp(reason, "jump-returned"))
		records_fail(&b->rec, b->rec.jump_tag ? b->rec.jump_tag : b->rec.tag, "jump");
	else if (!b->rec.closed)
		records_fail(&b->rec, b->rec.tag, "runner");
}

static int reset(struct box *b)
{
	b->serial.base.ops->flush(&b->serial.base, 5000);
	if (b->nfs.mounted == 1)
		b->nfs.base.ops->flush(&b->nfs.base, 3000);
	return BOX_EXIT_RESET;
}

int main(int argc, char **argv)
{
	struct job_error e = {0};
	struct box *b = &box;
	const char *next = argc == 3 && !strcmp(argv[1], "--next") ? argv[2] : NULL;

	if (argc != 1 && !next) {
		fprintf(stderr, "usage: runner [--next REASON]\n");
		return 2;
	}
	signal(SIGPIPE, SIG_IGN);
	promise_open(&b->promise);
	promise_say(&b->promise, 120000);
	int bad_job = find_job(b, &e);
	open_ways_out(b);
	if (next)
		live_again(b, next);
	else
		live(b, &e);
	if (bad_job && b->job.role != JOB_HOME)
		return BOX_EXIT_RESET; /* not what was planned: back to home, where the station sees it */
	if (b->job.role == JOB_SUBJECT && (b->stuck || b->job.sw == PLAN_VIA_HOME)) /* home asks */
		return reset(b);
	if (b->job.role == JOB_CRASH && (next || !b->may_chain || crash_take_first_cpu(b) < 0))
		return reset(b);
	return next_run(b);
}
