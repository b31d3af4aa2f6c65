/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd_collect: kdyno collect. Reads any console (file, pipe, socket, tty), prints the records on it, and with --sweep files the
 * tries that are whole, as `sweep run` would have: same proof of what ran, same journal. It never answers a box.
 */
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/err.h"
#include "host/cmd.h"
#include "host/station.h"

#define BLOCK (256 * 1024)

static const char *sweep, *raw_log;
static int json, with_text, quiet;
static uint64_t speed;

static const struct opt opts[] = {
	{"sweep", OPT_STR, "SWEEP", "file the tries that are whole in this sweep", &sweep},
	{"json", OPT_FLAG, NULL, "a JSON object a record", &json},
	{"text", OPT_FLAG, NULL, "print what is no record too, escaped", &with_text},
	{"quiet", OPT_FLAG, NULL, "print no records, only the count at the end", &quiet},
	{"raw-log", OPT_STR, "FILE", "append every byte to FILE, with time stamps (as console-<box>.log)", &raw_log},
	{"speed", OPT_U64, "BAUD", "of a tty (default: as it is set)", &speed},
	{NULL, 0, NULL, NULL, NULL},
};

struct collect {
	struct console console;
	struct conlog log;
	struct port port;
	struct station *station; /* with --sweep */
	unsigned complete;
};

static void print_json(const struct record *r)
{
	json_t *kv = json_object(), *o;
	char tag[9];

	for (size_t i = 0; i < r->kv.n; i++) {
		json_t *v = json_string(r->kv.pair[i].val);

		/* not UTF-8: as bytes, Latin-1 */
		if (!v) {
			char out[2 * KV_LINE_MAX + 1], *p = out;

			for (const unsigned char *s = (const unsigned char *)r->kv.pair[i].val; *s; s++) {
				if (*s >= 0x80)
					*p++ = (char)(0xc0 | *s >> 6);
				*p++ = (char)(*s < 0x80 ? *s : 0x80 | (*s & 0x3f));
			}
			*p = 0;
			v = json_string(out);
		}
		json_object_set_new(kv, r->kv.pair[i].key, v);
	}
	snprintf(tag, sizeof(tag), "%08" PRIx32, r->tag);
	o = json_pack("{s:s, s:I, s:I, s:s, s:o}", "tag", tag, "seq", (json_int_t)r->seq, "ms", (json_int_t)r->ms, "kind", r->kv.word, "kv", kv);
	if (!o || json_dumpf(o, stdout, JSON_COMPACT | JSON_ENSURE_ASCII))
		err_die("cannot write the output:");
	putchar('\n');
	json_decref(o);
}

/* As it came, but for the frame: escaped already, so that nothing in it can harm a terminal. */
static void print_record(const struct record *r, const char *line)
{
	if (quiet)
		return;
	if (json)
		print_json(r);
	else
		printf("%.*s\n", (int)r->len - 4 - 10, line + 4);
}

static void on_record(void *ctx, const struct record *r, const char *line)
{
	struct collect *c = ctx;
	struct command unsent;

	print_record(r, line);
	if (!c->station)
		return;
	drive_record(&c->station->drive, r, line, STORE_SERIAL, 0, &unsent);
	if (c->station->drive.err)
		err_die_code(c->station->drive.err, "cannot write to %s:", c->station->sweep.dir);
}

static void on_text(void *ctx, const char *s, size_t len)
{
	char out[CONSOLE_LOG_MAX];
	json_t *o;

	(void)ctx;
	if (!with_text || console_log_format(out, sizeof(out), 0, 0, s, len) < 4)
		return;
	out[strlen(out) - 1] = 0;
	if (!json) {
		printf("| %s\n", out + 4);
		return;
	}
	o = json_pack("{s:s}", "text", out + 4);
	if (!o || json_dumpf(o, stdout, JSON_COMPACT | JSON_ENSURE_ASCII))
		err_die("cannot write the output:");
	putchar('\n');
	json_decref(o);
}

static int open_signals(void)
{
	sigset_t set;
	int fd;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	if (fd < 0)
		err_die("signalfd:");
	return fd;
}

/* To the end of the source, or until a signal. */
static void read_all(struct collect *c, const char *source)
{
	struct pollfd pfd[2] = {{.fd = port_poll_fd(&c->port), .events = POLLIN}, {.fd = open_signals(), .events = POLLIN}};
	char *block = malloc(BLOCK);
	ssize_t n = 0;
	int err;

	if (!block)
		err_die("out of memory");
	while (n >= 0) {
		if (poll(pfd, 2, -1) < 0 || pfd[1].revents)
			break;
		n = port_read(&c->port, block, BLOCK);
		if (n < 0 && n != -EPIPE)
			err_die_code((int)n, "read %s:", source);
		if (n <= 0)
			continue;
		err = raw_log ? conlog_feed(&c->log, block, (size_t)n, clock_unix_ms()) : 0;
		if (err)
			err_die_code(err, "write %s:", raw_log);
		console_feed(&c->console, block, (size_t)n);
		if (c->port.kind != PORT_KIND_FILE)
			fflush(stdout);
	}
	free(block);
	close(pfd[1].fd);
}

static unsigned count_complete(const struct station *st)
{
	struct progress_count n;

	progress_counts(&st->sweep.plan, st->sweep.journal, &n);
	return n.complete;
}

static void summarise(const struct collect *c)
{
	const struct console_count *n = &c->console.count;

	fprintf(stderr,
	        "%" PRIu64 " records (%" PRIu64 " mended), %" PRIu64 " damaged lines, %" PRIu64 " bytes of other text, %" PRIu64 " bytes in all\n",
	        n->records, n->joined, n->bad, n->text_bytes, n->bytes);
	if (c->station)
		fprintf(stderr, "sweep %s: %u boots completed by this\n", sweep, count_complete(c->station) - c->complete);
}

static int run(int argc, char **argv)
{
	struct collect *c = calloc(1, sizeof(*c));
	struct console_sink sink = {.record = on_record, .text = on_text, .ctx = c};
	char why[512];
	int err;

	if (argc != 1)
		err_usage("collect wants one SOURCE: a file, a tty, a socket, HOST:PORT, or - for standard input");
	if (!c)
		err_die("out of memory");
	if (speed > 4000000)
		err_usage("--speed %" PRIu64 ": at most 4000000", speed);
	if (sweep) {
		c->station = malloc(sizeof(*c->station));
		if (!c->station)
			err_die("out of memory");
		station_open(c->station, sweep, 1);
		station_replay(c->station);
		c->complete = count_complete(c->station);
	}
	if (port_open(&c->port, argv[0], (unsigned)speed, why, sizeof(why)))
		err_die("%s", why);
	err = raw_log ? conlog_open(&c->log, raw_log, NULL, NULL) : 0;
	if (err)
		err_die_code(err, "open %s:", raw_log);
	console_init(&c->console, &sink);
	read_all(c, argv[0]);
	console_flush(&c->console);
	if (c->station)
		drive_say_held(&c->station->drive, 1);
	if (raw_log)
		conlog_close(&c->log, clock_unix_ms());
	port_close(&c->port);
	if (fflush(stdout))
		err_die("cannot write the output:");
	summarise(c);
	return EXIT_OK;
}

const struct cmd cmd_collect = {
	.name = "collect",
	.args = "SOURCE [--sweep SWEEP] [--json] [--raw-log FILE]",
	.summary = "read a console and print or store its records",
	.help = "SOURCE is a file, a tty, a unix socket, HOST:PORT, or - for standard input. Records are printed as they come; what was damaged\n"
		"on the way is counted. With --sweep, tries that are whole are proven, filed and journalled, as sweep run would have done.",
	.opts = opts,
	.run = run,
};
