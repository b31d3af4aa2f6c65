/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * station_loop: poll over the console, the questions that come by HTTP, signals and time.
 *
 * Trap: an answer is written only when the batch of bytes that held the question has been read to its end, and nothing came
 * behind it: a question that is no longer the last word of the box is not answered.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/err.h"
#include "common/io.h"
#include "host/serve.h"
#include "host/station.h"

#define POLL_MS 250
#define CHECK_MS 1000
#define ASK_READ_MS 500
#define BATCH 65536
#define BUDGET (4 << 20) /* bytes at a time: a line that never ends must not stop the clock */
#define BATCH_MS 3
#define TRIM_BYTES (1u << 20)

static void write_answer(struct station *st)
{
	char text[COMMAND_MAX + 8], note[COMMAND_MAX + 32];
	long n = command_format(&st->answer, text, sizeof(text));
	int err;

	st->answering = 0;
	if (n < 0)
		return;
	if (st->drive.err)
		return;
	err = port_write(&st->port, text, (size_t)n);
	snprintf(note, sizeof(note), "answered: %.*s%s", (int)n - 4, text + 2, err ? " (not written)" : "");
	err = conlog_note(&st->conlog, note, clock_unix_ms());
	st->drive.err = st->drive.err ? st->drive.err : err;
}

static void lose_console(struct station *st, int err)
{
	station_say(st, DRIVE_SAY_WARN, "the console is lost (%s); trying to open it again", strerror(-err));
	console_flush(&st->console);
	port_close(&st->port);
}

/* A box that floods fills neither the console log nor, with the twin's own log, the disk. */
static void bound_logs(struct station *st)
{
	if (!st->conlog.capped)
		return;
	if (!st->trimmed) {
		station_say(st, DRIVE_SAY_WARN, "the console log has its %llu bytes: what comes from now on is counted, not kept",
		            (unsigned long long)st->conlog.max);
		st->trimmed = st->conlog.offset;
	}
	if (st->conlog.offset - st->trimmed < TRIM_BYTES)
		return;
	if (st->is_twin)
		twin_trim(&st->twin, st->trimmed, st->conlog.offset);
	st->trimmed = st->conlog.offset;
}

/* All there is. */
void station_read_console(struct station *st)
{
	char buf[BATCH];
	ssize_t n = 0, budget = BUDGET;

	if (st->port.fd < 0)
		return;
	while (budget > 0 && (n = port_read(&st->port, buf, sizeof(buf))) > 0) {
		budget -= n;
		int err = conlog_feed(&st->conlog, buf, (size_t)n, clock_unix_ms());

		if (err) { /* what is not in the log has not been heard */
			st->drive.err = st->drive.err ? st->drive.err : err;
			st->answering = 0;
			return;
		}
		evidence_feed(&st->evidence, buf, (size_t)n);
		drive_bytes(&st->drive, clock_now_ms());
		console_feed(&st->console, buf, (size_t)n);
		bound_logs(st);
	}
	if (n < 0 && st->port.kind != PORT_KIND_FILE) /* a file may grow; the others are opened again */
		lose_console(st, (int)n);
	if (n > 0)
		return; /* there is more: what was asked may not be the last word */
	if (st->answering && st->live)
		write_answer(st);
	st->answering = 0;
}

/* One connection of the HTTP server's: a question, an answer, the end. Nothing is written where the tag is not ours. */
static void take_question(struct station *st)
{
	int fd = accept4(st->ask_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	uint64_t until = clock_now_ms() + ASK_READ_MS;
	struct pollfd pfd = {.fd = fd, .events = POLLIN};
	char text[SERVE_ASK_MAX], out[COMMAND_MAX + 8];
	struct command answer;
	size_t len = 0;
	ssize_t n = 1;
	long out_len;

	if (fd < 0)
		return;
	while (n > 0 && len < sizeof(text) && clock_now_ms() < until && poll(&pfd, 1, ASK_READ_MS) > 0) {
		n = read(fd, text + len, sizeof(text) - len);
		len += n > 0 ? (size_t)n : 0;
	}
	station_read_console(st); /* what the box said before it asked */
	if (!n && drive_question(&st->drive, text, len, &answer)) {
		out_len = command_format(&answer, out, sizeof(out));
		if (out_len > 0)
			io_write_all(fd, out, (size_t)out_len);
	}
	close(fd);
}

/* Children are reaped as they end; how a power command has ended is its owner's to learn. */
static void reap(struct station *st)
{
	siginfo_t who;

	for (;;) {
		who.si_pid = 0;
		if (waitid(P_ALL, 0, &who, WEXITED | WNOHANG | WNOWAIT) || !who.si_pid)
			return;
		if (st->power.started && !st->power.proc.ended && who.si_pid == st->power.proc.pid)
			proc_poll(&st->power.proc);
		else
			waitpid(who.si_pid, NULL, WNOHANG);
	}
}

void station_take_signals(struct station *st)
{
	struct signalfd_siginfo si;

	while (read(st->signal_fd, &si, sizeof(si)) == sizeof(si)) {
		if (si.ssi_signo != SIGCHLD)
			st->stopped = (int)si.ssi_signo;
	}
	reap(st);
}

static void wait_for_more(struct station *st)
{
	struct pollfd pfd[4] = {{.fd = st->signal_fd, .events = POLLIN},
	                        {.fd = st->ask_fd, .events = POLLIN},
	                        {.fd = port_poll_fd(&st->port), .events = POLLIN},
	                        {.fd = st->order_fd, .events = POLLIN}};

	if (poll(pfd, 4, POLL_MS) <= 0)
		return;
	if (pfd[0].revents)
		station_take_signals(st);
	if (pfd[2].revents && st->is_twin)
		clock_sleep_ms(BATCH_MS); /* QEMU logs byte by byte; our waking up takes time from the guest */
	port_drain(&st->port);
	if (pfd[1].revents)
		take_question(st);
	if (pfd[3].revents)
		station_take_order(st);
}

int station_loop(struct station *st)
{
	while (!st->stopped && !st->drive.ended && !st->drive.err) {
		wait_for_more(st);
		station_read_console(st);
		drive_tick(&st->drive, clock_now_ms());
		station_power_tick(st);
		evidence_tick(&st->evidence, clock_now_ms());
		if (clock_now_ms() - st->checked_ms > CHECK_MS) {
			st->checked_ms = clock_now_ms();
			station_check_servers(st);
		}
		progress_draw(&st->progress, 0);
	}
	if (st->drive.err)
		station_wait_disk(st);
	return st->stopped ? EXIT_FAIL : EXIT_OK;
}
