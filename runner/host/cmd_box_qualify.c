/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd_box_qualify: kdyno box qualify: three ordinary sweeps (qualify-<box>-chain, -via-home, -firmware), each made by `sweep new` and run by
 * `sweep run` as children on this terminal, then the verdict. What is there already is not run again: the same command goes on.
 *
 * Trap: a terminal sends Ctrl-C to all of us; the sweep ends itself in order, and we wait for that. TERM and HUP are passed on.
 */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/err.h"
#include "common/kv.h"
#include "host/board.h"
#include "host/cmd.h"
#include "host/kernel.h"
#include "host/lab.h"
#include "host/qualify.h"
#include "host/server.h"
#include "host/sweep.h"
#include "host/work.h"

static struct {
	const char *kernel, *profile, *home;
	char *tests;
	uint64_t rounds, seed;
	int plain, anew;
} given = {.seed = UINT64_MAX};

static const struct opt opts[] = {
	{"kernel", OPT_STR, "ID", "the kernel to measure with", &given.kernel},
	{"rounds", OPT_U64, "N", "visits to each variant under each switch (default 6)", &given.rounds},
	{"profile", OPT_STR, "NAME", "which tests ('kdyno suite' lists them; default smoke)", &given.profile},
	{"tests", OPT_LIST, "T,T", "only these tests of the profile", &given.tests},
	{"seed", OPT_U64, "N", "of the random order (default: drawn)", &given.seed},
	{"home", OPT_STR, "ID", "the kernel to come back to (default home)", &given.home},
	{"plain", OPT_FLAG, NULL, "a line for each thing that happens, also on a terminal", &given.plain},
	{"anew", OPT_FLAG, NULL, "throw away what an earlier one measured on this box", &given.anew},
	{0},
};

struct way {
	char id[PLAN_ID_MAX + 1]; /* of its sweep */
	int possible;
	struct sweep sweep;
	struct store store;
	struct suite suite; /* with its instances */
	struct measure measure;
};

/* ---- children */

#define ARGS_MAX 24

/* kdyno itself, on this terminal. Its exit code; 128 + signal where one ended it. */
static int run_self(const char *const *args)
{
	char self[PATH_MAX];
	const char *argv[ARGS_MAX + 1] = {self};
	sigset_t set, before;
	pid_t pid, parent = getpid();
	int status = 0, sig;

	server_self(self, sizeof self);
	for (size_t i = 0; args[i] && i + 1 < ARGS_MAX; i++)
		argv[i + 1] = args[i];
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGCHLD);
	fflush(stdout);
	sigprocmask(SIG_BLOCK, &set, &before);
	pid = fork();
	if (pid < 0)
		err_die("fork:");
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGTERM);
		sigprocmask(SIG_SETMASK, &before, NULL);
		if (getppid() != parent)
			_exit(1);
		execv(self, (char *const *)(uintptr_t)argv);
		_exit(127);
	}
	while (waitpid(pid, &status, WNOHANG) != pid)
		if (!sigwait(&set, &sig) && sig != SIGCHLD)
			kill(pid, sig);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void new_sweep(const char *box, enum plan_switch sw, const struct way *w)
{
	char rounds[24], seed[24];
	const char *args[ARGS_MAX] =
		{"sweep",    "new", w->id, "--box", box, "--kernels", given.kernel, "--variants", "smp,up:nosmp", "--switch", plan_switch_name(sw),
	         "--rounds", rounds};
	size_t n = 13;

	snprintf(rounds, sizeof rounds, "%llu", (unsigned long long)given.rounds);
	snprintf(seed, sizeof seed, "%llu", (unsigned long long)given.seed);
	const char *const more[][2] = {{"--profile", given.profile},
	                               {"--tests", given.tests},
	                               {"--home", given.home},
	                               {"--seed", given.seed == UINT64_MAX ? NULL : seed}};
	for (size_t i = 0; i < sizeof more / sizeof *more; i++)
		if (more[i][1]) {
			args[n++] = more[i][0];
			args[n++] = more[i][1];
		}
	if (run_self(args))
		err_die("'kdyno sweep new %s' failed", w->id);
}

/* ---- what is there */

static int is_there(const char *id)
{
	char *path = lab_path("sweeps/%s", id);
	int yes = !access(path, F_OK);

	free(path);
	return yes;
}

/* A sweep of an earlier call is gone on with only where it was asked for in the same words. */
static void check_same(const struct way *w, enum plan_switch sw, const char *box)
{
	const struct plan *p = &w->sweep.plan;
	int same = p->sw == sw && p->subjects == 2 && !strcmp(p->subject[0].kernel, given.kernel) && !strcmp(p->box, box) &&
	           p->rounds == given.rounds && (!given.profile || !strcmp(p->suite, given.profile));

	for (size_t i = 0; same && given.tests && i < p->tests; i++)
		same = kv_list_has(given.tests, p->test[i].name);
	if (!same)
		err_die("sweep %s was made with kernel %s, %u rounds, profile %s; give the same to go on, or --anew to begin again", w->id,
		        p->subjects ? p->subject[0].kernel : "?", p->rounds, p->suite);
}

static void remove_sweep(const char *id)
{
	char below[PLAN_ID_MAX + 16];
	static const char *const in[] = {"sweeps", "results"};

	snprintf(below, sizeof below, "sweeps/%s/lock", id);
	if (lab_locked(below))
		err_die("sweep %s runs: stop it first", id);
	for (size_t i = 0; i < 2; i++) {
		char *path = lab_path("%s/%s", in[i], id);
		int err = access(path, F_OK) ? 0 : work_remove_tree(path);

		if (err)
			err_die_code(err, "remove %s:", path);
		free(path);
	}
}

/* 1: every boot is complete or given up. */
static int has_ended(const struct sweep *s)
{
	for (size_t i = 0; i < s->plan.tries; i++) {
		enum journal_state_id st = journal_state(s->journal, s->plan.try[i].line);

		if (st == JOURNAL_START || st == JOURNAL_HELLO)
			return 0;
	}
	return !journal_next(s->journal, &s->plan);
}

/* ---- the order of things */

static void run_way(struct way *w, enum plan_switch sw, const char *box)
{
	const char *args[] = {"sweep", "run", w->id, given.plain ? "--plain" : NULL, NULL};
	int made = !is_there(w->id);

	printf("%s== %s: sweep %s\n", sw == PLAN_CHAIN ? "" : "\n", plan_switch_name(sw), w->id);
	if (made)
		new_sweep(box, sw, w);
	sweep_open(&w->sweep, w->id);
	check_same(w, sw, box);
	if (has_ended(&w->sweep)) {
		printf("all of it has been run already\n");
		return;
	}
	int code = run_self(args);
	sweep_close(&w->sweep);
	sweep_open(&w->sweep, w->id); /* it has grown */
	if (!has_ended(&w->sweep)) {
		fprintf(stderr, "kdyno: box qualify stopped in sweep %s (%s %d); the same command goes on\n", w->id, code < 128 ? "exit" : "signal",
		        code < 128 ? code : code - 128);
		exit(EXIT_FAIL);
	}
}

static void load_measure(struct way *w)
{
	char *path = lab_path("sweeps/%s/records.jsonl", w->id);
	int err = store_read(&w->store, path);

	if (err && err != -ENOENT)
		err_die_code(err, "cannot read %s:", path);
	suite_load_sweep(&w->suite, &w->sweep.plan);
	if (measure_read(&w->measure, &w->sweep.plan, w->sweep.journal, &w->suite, &w->store))
		err_die("out of memory");
	free(path);
}

static void judge(struct way *way, struct qualified *q, struct qualify *k)
{
	for (enum plan_switch sw = PLAN_CHAIN; sw <= PLAN_FIRMWARE; sw++) {
		if (!way[sw].possible)
			continue;
		load_measure(&way[sw]);
		qualify_judge_way(&q->way[sw], &way[sw].sweep.plan, way[sw].sweep.journal);
		k->m[sw] = &way[sw].measure;
	}
	if (qualify_judge_shifts(k, q))
		err_die("out of memory");
	snprintf(q->suite, sizeof q->suite, "%s", way[PLAN_FIRMWARE].sweep.plan.suite);
}

/* What the box will do from now on. */
static void say_choice(const struct qualified *q, const struct board *b)
{
	struct qualified_can can = {.home_kexecs = 1};
	char why[512], words[QUALIFIED_LIST_MAX + 256];
	enum plan_switch sw = qualified_choose(q, b->sw, &can, why, sizeof why);

	printf("\nbox %s: chain is %s\n", q->box, qualified_words(q, PLAN_CHAIN, words, sizeof words));
	printf("sweeps go by %s%s%s\n", plan_switch_name(sw), *why ? ": " : ", as the board says", why);
}

static void find_possible(struct way *way, struct qualified *q, const char *box)
{
	struct kernel subject, home;

	kernel_load(&subject, given.kernel);
	kernel_load(&home, given.home ? given.home : "home");
	for (enum plan_switch sw = PLAN_CHAIN; sw <= PLAN_FIRMWARE; sw++) {
		int n = snprintf(way[sw].id, sizeof way[sw].id, "qualify-%s-%s", box, plan_switch_name(sw));

		if (n < 0 || n > PLAN_ID_MAX)
			err_die("box %s: its name is too long for sweeps qualify-%s-...", box, box);
		const char *no = sw == PLAN_FIRMWARE                                 ? NULL
		                 : kernel_cannot_kexec(&home)                        ? "home"
		                 : sw == PLAN_CHAIN && kernel_cannot_kexec(&subject) ? "the kernel"
		                                                                     : NULL;
		way[sw].possible = !no;
		if (no)
			snprintf(q->way[sw].why, sizeof q->way[sw].why, "%s cannot kexec", no);
		if (given.anew)
			remove_sweep(way[sw].id);
	}
}

static int run(int argc, char **argv)
{
	static struct way way[PLAN_FIRMWARE + 1];
	struct qualified q = {.rounds = 0};
	struct qualify k = {0};
	struct board b;
	int err;

	if (argc != 1)
		err_usage("box qualify: which box? (one name)");
	if (!given.kernel)
		err_usage("box qualify: --kernel ID is wanted (kdyno kernel list)");
	given.rounds = given.rounds ? given.rounds : 6;
	lab_require();
	board_load(&b, argv[0]);
	find_possible(way, &q, b.name);
	for (enum plan_switch sw = PLAN_CHAIN; sw <= PLAN_FIRMWARE; sw++)
		if (way[sw].possible)
			run_way(&way[sw], sw, b.name);
	snprintf(q.box, sizeof q.box, "%s", b.name);
	snprintf(q.kernel, sizeof q.kernel, "%s", given.kernel);
	q.rounds = (unsigned)given.rounds;
	q.at_s = clock_unix_ms() / 1000;
	judge(way, &q, &k);
	err = qualified_board_hash(b.name, q.board);
	if (!err)
		err = qualified_write(&q);
	if (err)
		err_die_code(err, "write boxes/%s/qualified:", b.name);
	printf("\n");
	qualify_print(&k, &q, stdout);
	say_choice(&q, &b);
	qualify_free(&k);
	board_free(&b);
	return EXIT_OK;
}

const struct cmd cmd_box_qualify = {
	.name = "box qualify",
	.args = "BOX --kernel ID [--rounds N] [--tests T,T] ...",
	.summary = "is kexec safe on a box, and does it shift a metric?",
	.help = "Runs the same kernel with and without SMP under every switch (chain, via-home, firmware), a sweep each, and keeps the verdict in\n"
		"boxes/BOX/qualified of the lab; 'sweep new' follows it. Stopped, the same command goes on. Exit code 0: there is a verdict,\n"
		"whatever it says.",
	.opts = opts,
	.run = run,
};
