/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rehearse_sweep: a sweep a group of faults, run to its end by `kdyno sweep run` itself, a process of its own.
 *
 * The station's faults are done one at a time: when a boot was complete without one, at the state of a line that the fault names. It is
 * over when it has been undone and a boot was complete after that. What fell in between is its verdict.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/err.h"
#include "common/io.h"
#include "host/kernel.h"
#include "host/lab.h"
#include "host/rehearse.h"

#define LOOK_MS 100
#define STOP_MS 30000
#define BOOT_MS 240000u  /* a boot that is hit, at most */
#define FAULT_MS 480000u /* a fault of the station, from its doing to the next complete boot */
#define VARIANTS_BYTES 4096

void rehearse_start(struct rehearse *r)
{
	const char *argv[] = {r->self, "--lab", r->lab, "sweep", "run", r->sweep, "--plain", NULL};
	char *log;
	int fd, err;

	if (asprintf(&log, "%s/%s.log", r->lab, r->sweep) < 0)
		err_die("out of memory");
	fd = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
	if (fd < 0)
		err_die("open %s:", log);
	r->child = (struct proc){.argv = argv, .fd = {-1, fd, fd, -1}};
	err = proc_start(&r->child);
	close(fd);
	free(log);
	if (err)
		err_die_code(err, "sweep run does not start:");
	r->running = 1;
}

void rehearse_stop(struct rehearse *r, int sig)
{
	if (!r->running)
		return;
	kill(r->child.pid, sig);
	proc_wait(&r->child, STOP_MS, 5000);
	r->running = 0;
}

/* The station alone: 1 while it runs. */
static int runs(struct rehearse *r)
{
	if (rehearse_stopped())
		err_die("interrupted"); /* at_exit ends it all */
	if (r->running && proc_poll(&r->child))
		r->running = 0;
	return r->running;
}

static void say_events(const struct rehearse_watch *w, size_t *said)
{
	for (; *said < w->events; ++*said) {
		const struct rehearse_event *e = &w->event[*said];
		const struct plan_try *t = plan_try_by_line(&w->plan, e->line);

		if (t && e->state >= JOURNAL_NOT_RUN && e->state != JOURNAL_HELLO)
			rehearse_say("line %u %s: %s%s%s%s%s", e->line, w->plan.subject[t->subject].variant, journal_state_name(e->state),
			             *e->name ? ":" : "", e->name, *e->why ? " " : "", e->why);
	}
}

/* Its own last word, where it ended by itself and not well. */
static void say_end(const struct rehearse *r)
{
	char *log, *text = NULL, *last;
	size_t len;

	if (asprintf(&log, "%s/%s.log", r->lab, r->sweep) < 0)
		err_die("out of memory");
	if (!io_read_file(log, 16 << 20, &text, &len) && len) {
		while (len && text[len - 1] == '\n')
			text[--len] = 0;
		last = strrchr(text, '\n');
		rehearse_say("sweep run: %s", last ? last + 1 : text);
	}
	free(text);
	free(log);
}

static void run_to_end(struct rehearse *r, struct rehearse_watch *w, uint64_t limit_ms)
{
	uint64_t until = clock_now_ms() + limit_ms;
	size_t said = 0;

	rehearse_start(r);
	while (runs(r)) {
		clock_sleep_ms(10 * LOOK_MS);
		if (!rehearse_watch_read(w, r->sweep))
			say_events(w, &said);
		if (clock_now_ms() < until)
			continue;
		rehearse_say("sweep %s is not at its end after %llu s: stopped", r->sweep, (unsigned long long)limit_ms / 1000);
		rehearse_stop(r, SIGINT);
	}
	if (!rehearse_watch_read(w, r->sweep))
		say_events(w, &said);
	say_end(r);
}

static void new_sweep(struct rehearse *r, const char *id, const char *kernel, const char *variants, unsigned rounds, unsigned tries)
{
	char seed[24], n[16], t[16];
	const char *args[] = {"sweep",    "new", id,        "--box", r->box,   "--kernels", kernel,      "--variants", variants,
	                      "--rounds", n,     "--tries", t,       "--seed", seed,        "--profile", "rehearse",   NULL};

	snprintf(r->sweep, sizeof(r->sweep), "%s", id);
	snprintf(seed, sizeof(seed), "%llu", (unsigned long long)r->seed);
	snprintf(n, sizeof(n), "%u", rounds);
	snprintf(t, sizeof(t), "%u", tries);
	rehearse_kdyno(r, args);
	rehearse_say("sweep %s: %s", id, variants);
}

static size_t pick(const struct rehearse *r, enum rehearse_where where, const struct rehearse_fault **out)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n; i++)
		if (r->chosen[i]->where == where)
			out[n++] = r->chosen[i];
	return n;
}

static struct rehearse_result *result_of(struct rehearse *r, const struct rehearse_fault *f)
{
	for (size_t i = 0; i < r->results; i++)
		if (r->result[i].fault == f)
			return &r->result[i];
	return NULL;
}

/* A variant a fault, and one without a fault for every three. */
void rehearse_sweep_box(struct rehearse *r)
{
	const struct rehearse_fault *f[REHEARSE_MAX];
	size_t n = pick(r, REHEARSE_BOX, f), len = 0;
	struct rehearse_watch w = {0};
	char variants[VARIANTS_BYTES];

	if (!n)
		return;
	for (size_t i = 0; i <= n / 3; i++)
		len += (size_t)snprintf(variants + len, sizeof(variants) - len, "%sclean%zu:kdclean=%zu", i ? "," : "", i + 1, i + 1);
	for (size_t i = 0; i < n; i++)
		len += (size_t)snprintf(variants + len, sizeof(variants) - len, ",%s:%s", f[i]->name, f[i]->words);
	for (char *p = variants; *p; p++)
		*p = *p == ' ' ? '+' : *p;
	new_sweep(r, "box", r->kernel, variants, 1, 1);
	run_to_end(r, &w, (n + n / 3 + 2) * BOOT_MS);
	for (size_t i = 0; w.journal && i < n; i++)
		rehearse_judge_subject(r, result_of(r, f[i]), &w, f[i]->name);
	rehearse_watch_free(&w);
	rehearse_prove(r);
}

/* ---- faults of the station */

struct injection {
	const struct rehearse_fault *f;
	enum { CALM, ARMED, ACTIVE, AFTER, OVER } phase;
	size_t from;               /* events before it are the past */
	uint64_t at_ms, undone_ms; /* unix: as the journal's */
};

/* The first event of that state from there on, or NULL. */
static const struct rehearse_event *event_from(const struct rehearse_watch *w, size_t from, enum journal_state_id s)
{
	for (; from < w->events; from++)
		if (w->event[from].state == s)
			return &w->event[from];
	return NULL;
}

static void fail(struct rehearse *r, struct injection *j, const char *what, int err)
{
	struct rehearse_result *x = result_of(r, j->f);

	if (!*x->why)
		snprintf(x->why, sizeof(x->why), "%s: %s", what, strerror(-err));
	rehearse_say("%s: %s", j->f->name, x->why);
}

static void inject(struct rehearse *r, struct injection *j, const struct rehearse_watch *w)
{
	const struct rehearse_event *e = event_from(w, j->from, j->f->at);
	int err;

	if (!e)
		return;
	rehearse_say("fault %s at line %u: %s", j->f->name, e->line, j->f->about);
	j->at_ms = clock_unix_ms();
	j->from = w->events;
	err = rehearse_inject(r, j->f);
	if (err)
		fail(r, j, "cannot be done", err);
	j->phase = ACTIVE;
}

static void undo(struct rehearse *r, struct injection *j, const struct rehearse_watch *w)
{
	uint64_t now = clock_unix_ms();
	int err;

	if (j->f->act == REHEARSE_NFS_GONE) { /* until a boot was complete without it; whatever starts it again */
		rehearse_inject(r, j->f);
		if (!event_from(w, j->from, JOURNAL_COMPLETE))
			return;
	} else if (now < j->at_ms + j->f->seconds * 1000ull) {
		return;
	}
	err = rehearse_undo(r, j->f);
	if (err)
		fail(r, j, "cannot be undone", err);
	j->undone_ms = now;
	j->phase = AFTER;
}

static void look(struct rehearse *r, struct injection *j, const struct rehearse_watch *w)
{
	if (j->phase == CALM && event_from(w, j->from, JOURNAL_COMPLETE)) {
		j->phase = ARMED;
		j->from = w->events;
	}
	if (j->phase == ARMED)
		inject(r, j, w);
	if (j->phase == ACTIVE)
		undo(r, j, w);
	for (size_t i = j->from; j->phase == AFTER && i < w->events; i++)
		if (w->event[i].state == JOURNAL_COMPLETE && w->event[i].at_ms >= j->undone_ms) {
			rehearse_judge_time(r, result_of(r, j->f), w, j->at_ms, w->event[i].at_ms);
			j->phase = OVER;
		}
	if (j->phase >= ACTIVE && j->phase < OVER && clock_unix_ms() > j->at_ms + FAULT_MS) {
		fail(r, j, "no boot was complete after it", -ETIMEDOUT);
		if (j->phase == ACTIVE)
			rehearse_undo(r, j->f);
		result_of(r, j->f)->done = 1;
		j->phase = OVER;
	}
}

/* One sweep with as many of the faults as it has boots for. How many were done. */
static size_t run_injections(struct rehearse *r, const struct rehearse_fault **f, size_t n)
{
	struct injection j = {.f = f[0]};
	struct rehearse_watch w = {0};
	size_t k = 0, said = 0;

	rehearse_start(r);
	while (runs(r) || j.phase == ACTIVE) {
		clock_sleep_ms(LOOK_MS);
		if (rehearse_watch_read(&w, r->sweep))
			continue;
		say_events(&w, &said);
		if (k < n)
			look(r, &j, &w);
		if (j.phase == OVER) {
			k++;
			j = (struct injection){.f = k < n ? f[k] : NULL, .phase = ARMED, .from = w.events}; /* a boot was complete just now */
		}
	}
	if (!rehearse_watch_read(&w, r->sweep))
		say_events(&w, &said);
	say_end(r);
	if (j.phase > ARMED) { /* its sweep ended with it under way */
		rehearse_judge_time(r, result_of(r, j.f), &w, j.at_ms, clock_unix_ms());
		k++;
	}
	rehearse_watch_free(&w);
	return k;
}

void rehearse_sweep_station(struct rehearse *r)
{
	const struct rehearse_fault *f[REHEARSE_MAX];
	size_t n = pick(r, REHEARSE_STATION, f), done = 0, k = 1;
	char id[32];

	rehearse_shuffle(f, n, r->seed);
	for (unsigned i = 1; done < n && k; i++) {
		snprintf(id, sizeof(id), "station%u", i);
		new_sweep(r, id, r->kernel, "clean", (unsigned)(2 * (n - done) + 1), 3);
		k = run_injections(r, f + done, n - done);
		done += k;
		rehearse_prove(r);
	}
}

/* ---- a kernel that is not what its facts say */

#define SWAPPED "swapped"

/* The banner of another build: everything else is the same. */
static void swap_facts(void)
{
	char *path = lab_path("kernels/" SWAPPED "/facts"), text[4096];
	struct kernel k;
	long n;
	int err;

	kernel_load(&k, SWAPPED);
	snprintf(k.version, sizeof(k.version), "#2 SMP of another build");
	n = kernel_format(&k, text, sizeof(text));
	err = n < 0 ? (int)n : io_write_file(path, text, (size_t)n, 0644);
	if (err)
		err_die_code(err, "write %s:", path);
	free(path);
}

void rehearse_sweep_kernel(struct rehearse *r)
{
	const struct rehearse_fault *f[REHEARSE_MAX];
	struct rehearse_watch w = {0};
	char *from;

	if (!pick(r, REHEARSE_KERNEL, f))
		return;
	from = lab_path("kernels/%s", r->kernel);
	rehearse_kdyno(r, (const char *const[]){"kernel", "add", from, "--as", SWAPPED, NULL});
	free(from);
	swap_facts();
	new_sweep(r, "kernel", SWAPPED, f[0]->name, 1, 1);
	run_to_end(r, &w, 4 * BOOT_MS);
	if (w.journal)
		rehearse_judge_subject(r, result_of(r, f[0]), &w, f[0]->name);
	rehearse_watch_free(&w);
	rehearse_prove(r);
}

/* ---- a bad serial line */

void rehearse_sweep_line(struct rehearse *r)
{
	const struct rehearse_fault *f[REHEARSE_MAX];
	struct rehearse_watch w = {0};

	if (!pick(r, REHEARSE_LINE, f))
		return;
	if (!r->line) {
		struct rehearse_result *x = result_of(r, f[0]);

		x->skipped = x->done = x->ok = 1;
		snprintf(x->why, sizeof(x->why), "no program that damages the line (--line)");
		return;
	}
	rehearse_lab_line(r);
	new_sweep(r, "line", r->kernel, f[0]->name, 2, 3);
	run_to_end(r, &w, 6 * BOOT_MS);
	if (w.journal)
		rehearse_judge_subject(r, result_of(r, f[0]), &w, f[0]->name);
	rehearse_watch_free(&w);
	rehearse_prove(r);
}
