/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sched-storm: how long the start of a small program takes, from fork to its end, while others start programs without a pause: what a person
 * feels at a prompt under a parallel build.
 *
 * A probe each period_us (spawn.h): its latency runs from the time at which it was due; times that are over before the probe before them has ended
 * are counted (missed=) and not caught up with, or a slow box would measure its own queue.
 * Traps: the storm must be larger than the number of CPUs, or the probe finds a free one; what storms do to the file system is not in here.
 */
#include <string.h>

#include "arg.h"
#include "background.h"
#include "common/clock.h"
#include "common/err.h"
#include "fact.h"
#include "latency.h"
#include "phase.h"
#include "spawn.h"
#include "suite.h"

enum { SPAWNERS, PERIOD_US, COUNT, WARM };

static int measure(struct spawn_probe *p, struct background *b, unsigned spawners, uint64_t warm, uint64_t count)
{
	struct phase phase = {0};
	int err = background_start(b, spawners ? LOAD_SPAWN : LOAD_IDLE, spawners, NULL);

	if (err)
		return fact_fail("spawners: %s", strerror(-err));
	fact_phase("storm", 10000 + (warm + count) * (200 + p->period_ns / 1000000u));
	p->count = warm ? warm : 1;
	p->start_ns = clock_now_ns() + p->period_ns;
	spawn_probe_run(p);
	hist_clear(&p->hist);
	p->missed = 0;
	p->count = count;
	p->start_ns = clock_now_ns() + p->period_ns;
	phase_begin(&phase, "storm", NULL);
	spawn_probe_run(p);
	phase_end(&phase, 1);
	if (background_stop(b))
		return fact_fail("a spawner failed");
	if (p->failed)
		return fact_fail("%u programs could not be started", (unsigned)p->failed);
	phase_report(&phase, 0);
	return EXIT_OK;
}

int sched_storm(char **argv)
{
	struct arg args[] = {
		[SPAWNERS] = {"spawners", 4, 0, 64, NULL, "processes that start programs without a pause"},
		[PERIOD_US] = {"period_us", 2500, 100, 10000000, NULL, "from one probe to the next"},
		[COUNT] = {"count", 400, 10, 1000000, NULL, "probes that count"},
		[WARM] = {"warm", 10, 0, 10000, NULL, "probes before, that do not"},
		{0},
	};
	static struct background b;
	static struct spawn_probe p;
	int status;

	arg_parse(args, argv);
	p.period_ns = args[PERIOD_US].v * 1000u;
	status = measure(&p, &b, (unsigned)args[SPAWNERS].v, args[WARM].v, args[COUNT].v);
	if (status)
		return status;
	fact_u64("missed", p.missed);
	background_report(&b);
	fact_hist("exec", &p.hist);
	latency_metric("p50", &p.hist, 5000);
	latency_metric("p99", &p.hist, 9900);
	return EXIT_OK;
}
