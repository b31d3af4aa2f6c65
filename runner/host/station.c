/* SPDX-License-Identifier: GPL-2.0-or-later */
/* station: see station.h. Here: the beginning and the end. */
#include "host/station.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/err.h"
#include "common/io.h"
#include "host/cmd.h"
#include "host/lab.h"
#include "host/order.h"
#include "host/pxe.h"
#include "host/serve.h"
#include "host/server.h"

static void on_record(void *ctx, const struct record *r, const char *line)
{
	struct station *st = ctx;

	st->answering = drive_record(&st->drive, r, line, STORE_SERIAL, st->live, &st->answer);
}

static void on_text(void *ctx, const char *s, size_t len)
{
	struct station *st = ctx;

	drive_text(&st->drive, s, len);
}

/* fd of a locked file that says who holds it; dies with busy (which names what) and that. */
static int lock(const char *path, const char *what, const char *id, const char *sweep, int paused)
{
	char holder[160], text[160];
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644), n;

	if (fd < 0)
		err_die("open %s:", path);
	if (flock(fd, LOCK_EX | LOCK_NB)) {
		char by[80] = "";
		long pid = 0;

		if (errno != EWOULDBLOCK)
			err_die("lock %s:", path);
		if (io_read_small(path, holder, sizeof(holder)) > 0)
			sscanf(holder, "%ld %79s", &pid, by);
		if (!strcmp(what, "sweep"))
			err_die("sweep %s is already running (pid %ld)%s%s%s", id, pid, paused ? ", and is paused; 'kdyno sweep resume " : "",
			        paused ? id : "", paused ? "' goes on" : "");
		err_die("box %s is in use by sweep %s (pid %ld)", id, by, pid);
	}
	n = snprintf(text, sizeof(text), "%ld %s\n", (long)getpid(), sweep);
	if (ftruncate(fd, 0) || io_write_all(fd, text, (size_t)n))
		err_die("write %s:", path);
	return fd;
}

void station_open(struct station *st, const char *id, int plain)
{
	struct console_sink sink = {.record = on_record, .text = on_text, .ctx = st};
	struct drive_ops ops;
	char *path;

	memset(st, 0, sizeof(*st));
	st->lock_fd = st->box_lock_fd = st->servers_lock_fd = st->journal_fd = st->ask_fd = st->order_fd = st->signal_fd = st->conlog.fd = -1;
	st->port.fd = st->port.wfd = st->port.watch = -1;
	sweep_open(&st->sweep, id);
	if (st->sweep.plan.imported)
		err_die("sweep %s was imported from tables: there is nothing to run (kdyno show %s)", id, id);
	board_load(&st->board, st->sweep.plan.box);
	st->is_twin = st->board.console == BOARD_CONSOLE_QEMU;
	path = lab_path("sweeps/%s/lock", id);
	st->lock_fd = lock(path, "sweep", id, id, st->sweep.journal->paused);
	free(path);
	path = lab_path("run");
	if (io_mkdirs(path, 0755))
		err_die("cannot make %s", path);
	free(path);
	path = lab_path("run/box-%s.lock", st->board.name);
	st->box_lock_fd = lock(path, "box", st->board.name, id, 0);
	free(path);
	path = lab_path("sweeps/%s/journal", id);
	st->journal_fd = io_append_open(path);
	if (st->journal_fd < 0)
		err_die_code(st->journal_fd, "open %s:", path);
	free(path);
	console_init(&st->console, &sink);
	station_ops(st, &ops);
	drive_init(&st->drive, &ops, &st->sweep.plan, st->sweep.journal, clock_now_ms());
	station_power_init(st);
	path = lab_path("sweeps/%s/evidence", id);
	if (evidence_open(&st->evidence, path))
		err_die("out of memory");
	free(path);
	progress_init(&st->progress, &st->sweep.plan, st->sweep.journal, &st->drive, plain);
}

static void at_exit(int status, void *ctx)
{
	(void)status;
	station_end(ctx);
}

static void take_signals(struct station *st)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
	st->signal_fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	if (st->signal_fd < 0)
		err_die("signalfd:");
}

static void listen_for_questions(struct station *st)
{
	snprintf(st->ask_name, sizeof(st->ask_name), SERVE_ASK_PREFIX "%s" SERVE_ASK_SUFFIX, st->sweep.id);
	st->ask_fd = server_socket(st->ask_name, 1);
	if (st->ask_fd < 0)
		err_die_code(st->ask_fd, "cannot listen on %s/run/%s:", cmd_lab(), st->ask_name);
	order_socket_name(st->sweep.id, st->order_name, sizeof(st->order_name));
	st->order_fd = server_socket(st->order_name, 1);
	if (st->order_fd < 0)
		err_die_code(st->order_fd, "cannot listen on %s/run/%s:", cmd_lab(), st->order_name);
}

/* The box and its console: the twin is adopted or started, a board is there or not. */
static void begin_box(struct station *st)
{
	char why[512], how[128], *sock = st->twin.console;
	int adopted = 0, err;

	if (st->drive.no_power)
		station_say(st, DRIVE_SAY_NOTE, "boards/%s.ini has %s: nothing is ever cut, a deaf box waits for its watchdog or a hand",
		            st->board.name, st->board.power_enabled ? "no power commands" : "[power] enabled = no");
	if (!st->is_twin) {
		if (port_open(&st->port, st->board.console_path, st->board.console_speed, why, sizeof(why)))
			err_die("%s", why);
		if (st->sweep.plan.sw == PLAN_FIRMWARE)
			pxe_write(&st->sweep, &st->board, &st->ports, st->nfs);
		station_catch_up(st, 0);
		if (!st->drive.no_power)
			station_say(st, DRIVE_SAY_NOTE, "listening; the box is not reset before it was silent for %u s", st->sweep.plan.deaf_s);
		return;
	}
	adopted = twin_adopt(&st->twin);
	if (port_open_twin(&st->port, st->twin.raw, sock, st->conlog.offset, why, sizeof(why)))
		err_die("%s", why);
	station_read_console(st);
	station_catch_up(st, !adopted);
	if (adopted) {
		station_say(st, DRIVE_SAY_NOTE, "adopted the twin that still runs (pid %ld)", (long)server_pid(st->twin.name));
		return;
	}
	pxe_write(&st->sweep, &st->board, &st->ports, st->nfs);
	st->drive.err = st->drive.err ? st->drive.err : station_twin_on(st, "begin");
	if (st->drive.err)
		return;
	err = twin_start(&st->twin, how, sizeof(how));
	if (err)
		err_die_code(err, "QEMU does not start:");
	station_say(st, DRIVE_SAY_NOTE, "twin started: %s", how);
}

/* From here on whatever runs is ended when we end. */
static void own(struct station *st)
{
	if (st->began)
		return;
	twin_init(&st->twin, &st->board, st->sweep.id);
	st->twin.ssh = st->sweep.plan.ssh;
	on_exit(at_exit, st);
	st->began = 1;
	take_signals(st);
}

void station_inherit(struct station *st)
{
	own(st);
	st->running = !st->sweep.journal->paused;
}

void station_begin(struct station *st)
{
	int err;

	if (st->is_twin)
		twin_require(&st->board);
	own(st);
	listen_for_questions(st);
	station_start_servers(st);
	if (st->sweep.journal->paused) {
		station_say_paused(st);
	} else {
		err = station_control(st, JOURNAL_RUN);
		st->drive.err = st->drive.err ? st->drive.err : err;
		st->running = 1;
	}
	if (!st->drive.err)
		begin_box(st);
	if (st->drive.err)
		return; /* the loop waits for the disk */
	st->live = 1;
	st->drive.hold_on_failure = st->hold_on_failure; /* not for what is past: nobody can look into that any more */
}

static void end_socket(int fd, const char *name)
{
	char *path = lab_path("run/%s", name);

	if (fd >= 0) {
		close(fd);
		unlink(path);
	}
	free(path);
}

void station_end(struct station *st)
{
	if (!st->began)
		return;
	st->began = 0;
	if (st->is_twin && st->stopped)
		drive_stop(&st->drive);
	drive_entry(&st->drive, 0, 0);
	drive_say_held(&st->drive, 1);
	progress_end(&st->progress);
	power_stop(&st->power);
	evidence_close(&st->evidence);
	if (st->running && station_control(st, JOURNAL_HOLD) && !st->is_twin)
		station_say(st, DRIVE_SAY_WARN, "`hold` cannot be written to the journal: the box may go on alone where it has NFS");
	if (st->is_twin)
		twin_stop(&st->twin);
	conlog_close(&st->conlog, clock_unix_ms());
	station_stop_servers(st);
	end_socket(st->ask_fd, st->ask_name);
	end_socket(st->order_fd, st->order_name);
	port_close(&st->port);
}
