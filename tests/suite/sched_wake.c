/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sched-wake: how late a process wakes that has asked to be woken at a time: on an idle machine, beside others that compute, beside writers
 * on a disk or on NFS, beside a spawn storm.
 *
 * After cyclictest (rt-tests): absolute times a period apart, lateness = woke - due. A wake-up that comes after the next one is due
 * does not move the schedule, so that a long stall counts in full (no coordinated omission). SCHED_OTHER, as what people feel. After each
 * wake-up some work, timed apart (part=work): a process may wake in time and then lose the CPU. A second process does fork and exec of a
 * program each exec_ms, half a period beside the wake-ups (part=exec): what a person waits for.
 * Traps: cyclictest holds /dev/cpu_dma_latency at 0, so that no CPU sleeps deeply; this test does not, and is later on an idle machine by
 * what the CPU needs to get up. Timer slack and the resolution of timers are in the numbers. Under hog=one and hog=idle the process is bound to the
 * hog's CPU, or it would never meet it. A box without high-resolution timers has steps of its tick.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "arg.h"
#include "background.h"
#include "chunk.h"
#include "common/clock.h"
#include "common/err.h"
#include "fact.h"
#include "latency.h"
#include "own.h"
#include "phase.h"
#include "place.h"
#include "spawn.h"
#include "suite.h"
#include "timer.h"

static const char *const cpu_names[] = {"any", "first", NULL};

enum { LOAD = PLACE_ARGS, WORKERS, HOG, CPU, PERIOD_US, COUNT, WARM, WORK_CHUNKS, EXEC_MS };

#define LATE 4
static const uint64_t late_ns[LATE] = {10000000, 100000000, 500000000, 2000000000};
static const char *const late_names[LATE] = {"over_10ms", "over_100ms", "over_500ms", "over_2s"};

struct wake {
	/* given */
	uint64_t period_ns, count, warm, work_chunks, exec_ms;
	enum load load;
	enum hog hog;
	unsigned workers;
	int bind;
	/* running */
	struct background load_bg, hog_bg;
	struct team exec_team;
	struct spawn_probe *exec; /* shared with its process */
	/* result */
	struct hist lateness, work;
	uint64_t late[LATE], longest_i, wrong;
};

static void note_lateness(struct wake *w, uint64_t i, uint64_t ns)
{
	if (ns > w->lateness.max)
		w->longest_i = i;
	hist_add(&w->lateness, ns);
	for (int l = 0; l < LATE; l++)
		w->late[l] += ns > late_ns[l];
}

static void run(struct wake *w, uint64_t start)
{
	for (uint64_t i = 0; i < w->warm + w->count; i++) {
		uint64_t due = start + i * w->period_ns;
		uint64_t woke = timer_sleep_until(due);

		w->wrong += chunk_do(w->work_chunks);
		if (i < w->warm)
			continue;
		hist_add(&w->work, clock_now_ns() - woke);
		note_lateness(w, i - w->warm, woke - due);
	}
}

static int run_exec(void *data)
{
	spawn_probe_run(data);
	return EXIT_OK;
}

static int start_exec(struct wake *w, uint64_t start)
{
	void *p;

	if (!w->exec_ms)
		return 0;
	p = mmap(NULL, sizeof(*w->exec), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		return -errno;
	w->exec = p;
	w->exec->start_ns = start + w->warm * w->period_ns + w->period_ns / 2;
	w->exec->period_ns = w->exec_ms * 1000000u;
	return team_add(&w->exec_team, run_exec, w->exec);
}

static int stop(struct wake *w)
{
	int err;

	team_end(&w->exec_team);
	background_stop(&w->hog_bg);
	err = background_stop(&w->load_bg);
	return err;
}

/* 0 or the exit status of the test. */
static int start_all(struct wake *w, const char *dir)
{
	int err = background_start(&w->load_bg, w->load, w->workers, dir);

	if (err)
		return fact_fail("load=%s: %s", background_loads[w->load], strerror(-err));
	err = background_hog(&w->hog_bg, w->hog);
	if (err) {
		stop(w);
		return fact_skip("hog=%s: %s", background_hogs[w->hog], background_hog_lacks(w->hog, err));
	}
	err = w->bind ? own_bind_or_only(0) : 0;
	if (err) {
		stop(w);
		return fact_skip("cpu=first: %s", background_hog_lacks(HOG_ONE, err));
	}
	return 0;
}

static void report_late(const struct wake *w)
{
	struct fact f;

	fact_open(&f, "fact");
	kv_out_str(&f.o, "late", "wake");
	for (int l = 0; l < LATE; l++)
		kv_out_u64(&f.o, late_names[l], w->late[l]);
	kv_out_u64(&f.o, "longest_at_ms", w->longest_i * (w->period_ns / 1000u) / 1000u);
	fact_send(&f);
}

static void report(const struct wake *w)
{
	timer_report();
	report_late(w);
	latency_fact("work", &w->work);
	fact_hist("work", &w->work);
	if (w->exec) {
		latency_fact("exec", &w->exec->hist);
		fact_u64("exec_missed", w->exec->missed);
		fact_hist("exec", &w->exec->hist);
	}
	background_report(&w->load_bg);
	background_report(&w->hog_bg);
	fact_hist("wake", &w->lateness);
	latency_metrics(&w->lateness);
}

static int measure(struct wake *w, struct phase *phase, const struct place *place)
{
	uint64_t start;
	int err = start_all(w, place ? place_dir(place) : NULL);

	if (err)
		return err;
	start = clock_now_ns() + 10000000u + w->period_ns;
	err = start_exec(w, start);
	if (err) {
		stop(w);
		return fact_fail("exec: %s", strerror(-err));
	}
	fact_phase("wake", 10000 + 4 * ((w->warm + w->count) * (w->period_ns / 1000u) / 1000u));
	phase_begin(phase, "wake", place);
	run(w, start);
	phase_end(phase, 1);
	if (stop(w))
		return fact_fail("load=%s: a worker failed", background_loads[w->load]);
	if (w->wrong)
		return fact_fail("a chunk of work had a wrong result");
	if (w->exec && w->exec->failed)
		return fact_fail("%u programs could not be started", (unsigned)w->exec->failed);
	phase_report(phase, 0);
	return EXIT_OK;
}

/* The same on a place for the files of its load. */
static int measure_on_place(struct wake *w, struct phase *phase, struct arg *args)
{
	static struct place place;
	int status;

	if (w->load == LOAD_NFS)
		args[PLACE_ON].v = PLACE_NFS;
	status = place_open(&place, args, w->workers * (uint64_t)BACKGROUND_FILE_BYTES);
	if (status)
		return status;
	status = measure(w, phase, &place);
	if (!status)
		status = place_report(&place);
	place_close(&place);
	return status;
}

int sched_wake(char **argv)
{
	struct arg args[] = {
		PLACE_ARG_ROWS,
		[LOAD] = {"load", 0, 0, 0, background_loads, "what goes on beside"},
		[WORKERS] = {"workers", 2, 1, 64, NULL, "processes of the load"},
		[HOG] = {"hog", 0, 0, 0, background_hogs, "what competes for the CPU, which is then the first one"},
		[CPU] = {"cpu", 0, 0, 0, cpu_names, "where the process runs"},
		[PERIOD_US] = {"period_us", 2500, 100, 1000000, NULL, "from one wake-up to the next"},
		[COUNT] = {"count", 400, 10, 1000000, NULL, "wake-ups that count"},
		[WARM] = {"warm", 20, 0, 10000, NULL, "wake-ups before, that do not"},
		[WORK_CHUNKS] = {"work_chunks", 2, 0, 1000, NULL, "work after each wake-up"},
		[EXEC_MS] = {"exec_ms", 250, 0, 60000, NULL, "from one start of a program to the next; 0 none"},
		{0},
	};
	static struct wake w;
	static struct phase phase;
	int status;

	arg_parse(args, argv);
	w.load = (enum load)args[LOAD].v;
	w.hog = (enum hog)args[HOG].v;
	w.workers = (unsigned)args[WORKERS].v;
	w.bind = args[CPU].v == 1 || w.hog != HOG_NONE;
	w.period_ns = args[PERIOD_US].v * 1000u;
	w.count = args[COUNT].v;
	w.warm = args[WARM].v;
	w.work_chunks = args[WORK_CHUNKS].v;
	w.exec_ms = args[EXEC_MS].v;
	if (w.load == LOAD_DISK || w.load == LOAD_NFS)
		status = measure_on_place(&w, &phase, args);
	else
		status = measure(&w, &phase, NULL);
	if (!status)
		report(&w);
	return status;
}
