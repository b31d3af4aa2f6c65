/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fake-box: the runner's own records, questions and answers (runner/box), without a machine, at the box's end of a serial line. It says
 * what a box says, with made-up values of a seed, and keeps what it said as <tag>.kd1, so that what is filed can be compared with it.
 * usage: fake-box SOCKET LAB SWEEP DIR RECORDS SEED; it listens on SOCKET and ends by SIGTERM.
 * Trap: boxsim is a second writing of the protocol, from the page; this is the first one. Only the kernel and the jump are not real.
 */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "box/ask.h"
#include "box/box.h"
#include "common/clock.h"
#include "common/err.h"
#include "common/io.h"
#include "common/sha256.h"

static struct {
	const char *lab, *sweep, *dir;
	unsigned records;
	uint64_t random;
	struct plan plan;
	struct box box;
} fake;

/* splitmix64 */
static uint64_t draw(void)
{
	uint64_t z = fake.random += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

static void read_plan(void)
{
	struct plan_error e;
	char path[512], *text;
	size_t len;

	plan_free(&fake.plan);
	memset(&fake.plan, 0, sizeof fake.plan);
	snprintf(path, sizeof path, "%s/sweeps/%s/schedule", fake.lab, fake.sweep);
	if (io_read_file(path, 16 << 20, &text, &len) || plan_read_schedule(&fake.plan, text, len, &e))
		err_die("%s: no schedule", path);
	free(text);
	snprintf(path, sizeof path, "%s/sweeps/%s/manifest", fake.lab, fake.sweep);
	if (io_read_file(path, 16 << 20, &text, &len) || plan_read_manifest(&fake.plan, text, len, &e))
		err_die("%s: no manifest", path);
	free(text);
}

/* A new kernel: nothing of the last one is left but the line. */
static void boot_as(uint32_t tag)
{
	struct box *b = &fake.box;
	char path[512];

	if (b->rec.fd > 0)
		close(b->rec.fd);
	memset(&b->rec, 0, sizeof b->rec);
	b->serial.heard_bytes = 0;
	b->rec.sink[0] = &b->serial.base;
	b->rec.sinks = 1;
	snprintf(path, sizeof path, "%s/%08" PRIx32 ".kd1", fake.dir, tag);
	if (records_open(&b->rec, path, tag))
		err_die("open %s:", path);
}

static void say_hello(const char *role, const char *start, unsigned line)
{
	struct kv_out *o = records_begin(&fake.box.rec, "hello", NULL);

	kv_out_str(o, "box", fake.plan.box);
	kv_out_str(o, "sweep", fake.sweep);
	kv_out_str(o, "role", role);
	kv_out_str(o, "start", start);
	kv_out_str(o, "reset", "unknown");
	kv_out_u64(o, "line", line);
	kv_out_str(o, "image", "0123456789abcdef");
	kv_out_u64(o, "quiet_ms", 1000);
	records_end(&fake.box.rec);
}

static void say_ident(const char *rel, const char *version, const char *words)
{
	char sha[65], text[1024];
	struct kv_out *o = records_begin(&fake.box.rec, "ident", NULL);

	sha256_hex(words, strlen(words), sha);
	sha[16] = 0;
	kv_out_str(o, "prev", "00000000");
	kv_out_str(o, "rel", rel);
	kv_out_str(o, "proc", "0123456789abcdef");
	kv_out_str(o, "cmd", sha);
	kv_out_str(o, "config", "none");
	records_end(&fake.box.rec);
	snprintf(text, sizeof text, "Linux version %s (someone@somewhere) %s", rel, version);
	records_text(&fake.box.rec, "version", text);
	records_text(&fake.box.rec, "cmdline", words);
}

/* Anything that may stand in a kernel's message, the words of our own lines among it. */
static void say_noise(unsigned i)
{
	static const char *const piece[] = {"kd1 ",     "# kd1 1a08a91a 7 ", " *0123abcd", "=",          "%41",
	                                    "\xc3\xa9", "\x1b[1m",           "\t",         "0x00000000", "call trace"};
	char msg[200] = "";

	for (unsigned n = 1 + (unsigned)(draw() % 12); n; n--)
		strcat(msg, piece[draw() % (sizeof piece / sizeof *piece)]);
	struct kv_out *o = records_begin(&fake.box.rec, "kmsg", NULL);
	kv_out_u64(o, "lvl", i % 5);
	kv_out_u64(o, "us", draw() >> 20);
	records_put_cut(&fake.box.rec, "msg", msg);
	records_end(&fake.box.rec);
}

static void say_number(unsigned i)
{
	struct kv_out *o = records_begin(&fake.box.rec, i % 3 ? "fact" : "metric", "boot-time");

	if (i % 3) {
		kv_out_str(o, "times", "write");
		kv_out_u64(o, "i", i);
		kv_out_u64(o, "open_ns", draw() >> 30);
		kv_out_u64(o, "move_ns", draw() >> 20);
		if (i % 3 == 2)
			kv_out_u64(o, "step_ns", draw() >> 30);
	} else {
		kv_out_str(o, "name", "init");
		kv_out_u64(o, "v", draw() >> 10);
	}
	records_end(&fake.box.rec);
}

static void say_test(void)
{
	struct records *r = &fake.box.rec;
	struct kv_out *o = records_begin(r, "begin", "boot-time");

	kv_out_u64(o, "quiet_ms", 20000);
	kv_out_u64(o, "deadline_ms", 600000);
	records_end(r);
	for (unsigned i = 0; i < fake.records; i++) {
		if (i % 7 == 6)
			say_noise(i);
		else
			say_number(i);
	}
	o = records_begin(r, "end", "boot-time");
	kv_out_str(o, "status", "pass");
	kv_out_u64(o, "records", r->of_test + 1);
	kv_out_u64(o, "ns", 1000000);
	records_end(r);
}

static void say_bye(void)
{
	uint64_t start = clock_now_ms();
	int err = ask_bye(&fake.box);

	printf("%08" PRIx32 " records=%" PRIu32 " bye_ms=%" PRIu64 " answer=%s\n", fake.box.rec.tag, fake.box.rec.count, clock_now_ms() - start,
	       err ? "none" : "ok");
	fflush(stdout);
}

/* What next? Until it may jump. */
static const struct plan_try *next_try(void)
{
	struct command c;

	for (;;) {
		if (ask_next(&fake.box, &c))
			continue;
		if (c.verb == COMMAND_HOLD) {
			clock_sleep_ms(500);
			continue;
		}
		read_plan();
		const struct plan_try *t = plan_try_by_line(&fake.plan, c.line);
		if (t && t->tag == c.next_tag && ask_jump(&fake.box, c.line, c.next_tag, 1000, JOURNAL_GUARD_STATION) == 0)
			return t;
	}
}

static const struct plan_try *live_home(void)
{
	boot_as(0x80000000u | (uint32_t)draw());
	say_hello("home", "firmware", 0);
	say_ident("home", "#1", "");
	say_bye();
	return next_try();
}

static const struct plan_try *live_subject(const struct plan_try *t, const char *start)
{
	const struct plan_subject *s = &fake.plan.subject[t->subject];
	const struct plan_expect *e = plan_expect(&fake.plan, s->kernel);

	if (!e)
		err_die("the manifest knows nothing of %s", s->kernel);
	boot_as(t->tag);
	say_hello("subject", start, t->line);
	say_ident(e->release, e->version, s->cmdline);
	say_test();
	say_bye();
	return next_try();
}

static int accept_line(const char *path)
{
	struct sockaddr_un un = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM, 0), line;

	if (strlen(path) >= sizeof un.sun_path)
		err_die("%s is too long for a socket", path);
	strcpy(un.sun_path, path);
	unlink(path);
	if (fd < 0 || bind(fd, (struct sockaddr *)&un, sizeof un) || listen(fd, 1))
		err_die("listen on %s:", path);
	line = accept(fd, NULL, NULL);
	if (line < 0)
		err_die("accept:");
	return line;
}

int main(int argc, char **argv)
{
	struct box *b = &fake.box;

	if (argc != 7) {
		fprintf(stderr, "usage: fake-box SOCKET LAB SWEEP DIR RECORDS SEED\n");
		return 2;
	}
	fake.lab = argv[2];
	fake.sweep = argv[3];
	fake.dir = argv[4];
	fake.records = (unsigned)strtoul(argv[5], NULL, 10);
	fake.random = strtoull(argv[6], NULL, 10);
	signal(SIGPIPE, SIG_IGN);
	read_plan();
	sink_serial_open(&b->serial, ""); /* no console=: only the ops */
	b->serial.fd = accept_line(argv[1]);
	io_set_nonblock(b->serial.fd, 1);
	b->serial.baud = 115200;
	b->net.fd = b->kmsg_fd = b->promise.fd = b->nfs.reply_fd = b->nfs.cmd_fd = -1;
	b->modules_done = 1;
	b->job.again_s = fake.plan.again_s;
	const struct plan_try *t = live_home();
	for (const char *start = "via-home";; start = "chain")
		t = live_subject(t, start);
}
