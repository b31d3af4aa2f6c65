/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd_sweep_pause: kdyno sweep pause, kdyno sweep resume. A `sweep run` that runs is asked (order.h); where none does, the sweep's lock is taken
 * for as long as a line of the journal takes to write, so that a box which is alone holds too.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/err.h"
#include "common/io.h"
#include "host/cmd.h"
#include "host/lab.h"
#include "host/number.h"
#include "host/order.h"
#include "host/sweep.h"

#define LOCK_MS 10000 /* a `sweep run` that is starting or ending has the lock, and does not listen */
#define RETRY_MS 100

static const char *reason;

static const struct opt pause_opts[] = {
	{"reason", OPT_STR, "TEXT", "why; shown wherever the pause is", &reason},
	{NULL, 0, NULL, NULL, NULL},
};

/* fd, or -EWOULDBLOCK. */
static int try_lock(const char *sweep)
{
	char *path = lab_path("sweeps/%s/lock", sweep);
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);

	if (fd < 0)
		err_die("open %s:", path);
	if (flock(fd, LOCK_EX | LOCK_NB)) {
		if (errno != EWOULDBLOCK)
			err_die("lock %s:", path);
		close(fd);
		fd = -EWOULDBLOCK;
	}
	free(path);
	return fd;
}

static void append(const char *sweep, const char *line, long n)
{
	char *path = lab_path("sweeps/%s/journal", sweep);
	int fd = n < 0 ? (int)n : io_append_open(path), err = fd < 0 ? fd : io_append(fd, line, (size_t)n);

	if (err)
		err_die_code(err, "write %s:", path);
	close(fd);
	free(path);
}

/* Nobody runs it. */
static void change_alone(const char *id, const struct order *o, struct order_state *s)
{
	uint64_t now = clock_unix_ms();
	struct sweep sw;
	char line[1024];

	sweep_open(&sw, id); /* the journal as it is under the lock */
	*s = (struct order_state){.changed = sw.journal->paused != (o->word == ORDER_PAUSE)};
	if (o->word == ORDER_PAUSE && !sw.journal->paused) {
		append(id, line, journal_format_pause(o->reason, now, line, sizeof(line)));
		journal_apply_control(sw.journal, JOURNAL_HOLD, o->reason, now);
	} else if (o->word == ORDER_RESUME && sw.journal->paused) {
		append(id, line, journal_format_control(JOURNAL_HOLD, "station", now, line, sizeof(line)));
		journal_apply_control(sw.journal, JOURNAL_HOLD, NULL, now);
	}
	s->paused = sw.journal->paused;
	s->since_ms = sw.journal->paused_ms;
	memcpy(s->reason, sw.journal->reason, sizeof(s->reason));
	sweep_close(&sw);
}

/* 1: a `sweep run` has done it; 0: there is none, and it was done here. */
static int change(const char *id, const struct order *o, struct order_state *s)
{
	uint64_t until = clock_now_ms() + LOCK_MS;

	for (;;) {
		int err = order_ask(id, o, s), fd;

		if (!err)
			return 1;
		if (err != -ECONNREFUSED)
			err_die("the 'sweep run' of %s does not answer (%s): try again, or end it with Ctrl-C", id, strerror(-err));
		fd = try_lock(id);
		if (fd >= 0) {
			change_alone(id, o, s);
			close(fd);
			return 0;
		}
		if (clock_now_ms() > until)
			err_die("sweep %s is being started or ended by another kdyno: try again", id);
		clock_sleep_ms(RETRY_MS);
	}
}

/* ` since 2026-01-02 03:04 (why)`. */
static void since(const struct order_state *s, char *out, size_t size)
{
	char when[NUMBER_MAX];

	snprintf(out, size, " since %s%s%s%s", number_time(s->since_ms / 1000, when, sizeof(when)), *s->reason ? " (" : "", s->reason,
	         *s->reason ? ")" : "");
}

static const char *one_name(int argc, char **argv, const char *verb)
{
	if (argc != 1)
		err_usage("sweep %s wants the name of one sweep (kdyno sweep list)", verb);
	lab_require();
	return argv[0];
}

static int run_pause(int argc, char **argv)
{
	const char *id = one_name(argc, argv, "pause");
	struct order o = {.word = ORDER_PAUSE};
	struct order_state s;
	struct sweep sw;
	char text[256];
	int by_run;

	if (reason && (!journal_is_reason(reason) || !*reason))
		err_usage("sweep pause: --reason wants printable ASCII, at most %d bytes", JOURNAL_REASON_MAX);
	if (reason)
		snprintf(o.reason, sizeof(o.reason), "%s", reason);
	sweep_open(&sw, id);
	by_run = change(id, &o, &s);
	since(&s, text, sizeof(text));
	if (!s.changed)
		printf("sweep %s is paused already,%s; 'kdyno sweep resume %s' goes on\n", id, text, id);
	else if (!by_run)
		printf("sweep %s is paused; it does not run now, and a 'kdyno sweep run %s' will hold the box until 'kdyno sweep resume %s'\n", id,
		       id, id);
	else if (s.going)
		printf("sweep %s is paused: line %u (%s) is finished first; 'kdyno sweep resume %s' goes on\n", id, s.going,
		       plan_try_by_line(&sw.plan, s.going) ? sw.plan.subject[plan_try_by_line(&sw.plan, s.going)->subject].id : "new", id);
	else
		printf("sweep %s is paused: the box is held when it asks next; 'kdyno sweep resume %s' goes on\n", id, id);
	sweep_close(&sw);
	return EXIT_OK;
}

static int run_resume(int argc, char **argv)
{
	const char *id = one_name(argc, argv, "resume");
	struct order o = {.word = ORDER_RESUME};
	struct order_state s;
	struct sweep sw;
	int by_run;

	sweep_open(&sw, id);
	sweep_close(&sw);
	by_run = change(id, &o, &s);
	if (!s.changed)
		printf("sweep %s is not paused%s%s%s\n", id, by_run ? "" : "; 'kdyno sweep run ", by_run ? "" : id, by_run ? "" : "' runs it");
	else if (by_run)
		printf("sweep %s goes on when the box asks next, a minute from now at most\n", id);
	else
		printf("sweep %s is not paused any more; it does not run now: 'kdyno sweep run %s' goes on\n", id, id);
	return EXIT_OK;
}

const struct cmd cmd_sweep_pause = {
	.name = "sweep pause",
	.args = "SWEEP [--reason TEXT]",
	.summary = "hold the box when the boot that runs is over",
	.help = "The boot that runs is finished; then the box stays in the kernel that it has just measured and asks on, and is told to hold, until\n"
		"'kdyno sweep resume'. The pause is written down: it outlives Ctrl-C, kill -9 and a restart. Where no 'sweep run' runs, a box that\n"
		"goes on alone holds too.",
	.opts = pause_opts,
	.run = run_pause,
};

const struct cmd cmd_sweep_resume = {
	.name = "sweep resume",
	.args = "SWEEP",
	.summary = "go on with a paused sweep",
	.help = "A 'sweep run' that runs goes on when the box asks next, a minute from now at most. Where none runs, the pause is lifted, and\n"
		"'kdyno sweep run' goes on.",
	.run = run_resume,
};
