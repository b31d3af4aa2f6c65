/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sched-fork: processes a second: fork, exit and wait; and fork, exec of a small static program, exit and wait.
 *
 * After lmbench's lat_proc. Time-bounded by a bell, one process at a time; the two arms take turns. The program is this one (spawn.h). No
 * vfork and no posix_spawn, which are other paths through the kernel.
 * Traps: fork costs what the parent's page tables cost, so the parent is small and the same on all kernels; a suite of another
 * version has another binary, and its figures are not compared with these.
 */
#include <string.h>

#include "arg.h"
#include "bell.h"
#include "common/clock.h"
#include "common/err.h"
#include "fact.h"
#include "phase.h"
#include "sample.h"
#include "spawn.h"
#include "suite.h"

enum { TIME_MS, REPS, WARM };

#define ARMS 2
static const char *const arm_names[ARMS] = {"fork", "exec"};

static int run_arm(int arm, unsigned ms, uint64_t *n, uint64_t *ns)
{
	uint64_t start = clock_now_ns();
	int err = 0;

	*n = 0;
	bell_set(ms);
	while (!bell_rung() && !err) {
		err = arm ? spawn_exec() : spawn_fork();
		++*n;
	}
	bell_stop();
	*ns = clock_now_ns() - start;
	return err;
}

int sched_fork(char **argv)
{
	struct arg args[] = {
		[TIME_MS] = {"time_ms", 100, 10, 600000, NULL, "length of one arm of one repetition"},
		[REPS] = {"reps", 3, 1, SAMPLES_MAX, NULL, "repetitions that count"},
		[WARM] = {"warm", 1, 0, 8, NULL, "repetitions before, that do not"},
		{0},
	};
	static struct samples set[ARMS];
	static struct phase phases[ARMS];

	arg_parse(args, argv);
	for (unsigned rep = 0; rep < args[WARM].v + args[REPS].v; rep++) {
		fact_phase(rep < args[WARM].v ? "warm" : "rep", 10000 + 20 * args[TIME_MS].v);
		for (int arm = 0; arm < ARMS; arm++) {
			uint64_t n, ns;
			int counts = rep >= args[WARM].v, err;

			phase_begin(&phases[arm], arm_names[arm], NULL);
			err = run_arm(arm, (unsigned)args[TIME_MS].v, &n, &ns);
			phase_end(&phases[arm], counts && !err);
			if (err)
				return fact_fail("%s: %s", arm_names[arm], strerror(-err));
			if (counts)
				sample_add(&set[arm], n, ns);
		}
	}
	for (int arm = 0; arm < ARMS; arm++) {
		phase_report(&phases[arm], 0);
		sample_report(arm_names[arm], &set[arm]);
	}
	return EXIT_OK;
}
