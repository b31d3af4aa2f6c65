/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd_suite: kdyno suite: what there is to run, from descriptors and profiles alone. What it prints of a profile is what `sweep new` would put into
 * a schedule, by the same code.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/err.h"
#include "common/kv.h"
#include "host/args.h"
#include "host/board.h"
#include "host/choose.h"
#include "host/cmd.h"
#include "host/conf.h"
#include "host/lab.h"
#include "host/number.h"
#include "host/table.h"

static struct {
	const char *box, *memory, *disk;
	char *tests, *args;
	int words;
} given;

static const struct opt opts[] = {
	{"box", OPT_STR, "BOX", "sizes as they would be on this box of the lab", &given.box},
	{"memory", OPT_STR, "SIZE", "sizes as they would be with so much memory, like 512M", &given.memory},
	{"disk", OPT_STR, "SIZE", "and with a scratch disk of this size", &given.disk},
	{"tests", OPT_LIST, "T,T", "only these tests of the profile", &given.tests},
	{"arg", OPT_LIST, "TEST.NAME=V", "a parameter of a test; TEST may be *", &given.args},
	{"words", OPT_FLAG, NULL, "of a profile: a line a test, TEST PROGRAM NAME=VALUE ..., as the box runs it", &given.words},
	{0},
};

#define LINE_WIDTH 100

static const char *const better[] = {"", "higher", "lower", "neither"};

/* ---- lists */

static const char *or_none(const char *text) { return *text ? text : "-"; }

static uint64_t bound_ms(const struct plan *p)
{
	uint64_t ms = 0;
	for (size_t i = 0; i < p->tests; i++)
		ms += p->test[i].deadline_ms;
	return ms;
}

static void choose(struct plan *p, const struct suite *suite, const struct profile *profile, const struct sizes *sizes, const char *tests,
                   const char *args)
{
	struct choose c = {.suite = suite, .profile = profile, .tests = tests, .args = args, .sizes = *sizes};
	char why[1024];
	*p = (struct plan){.id = ""};
	if (choose_tests(&c, p, why, sizeof why))
		err_usage("suite: %s", why);
}

/* Primaries of a plan whose instances the suite need not know. */
static const struct suite_metric *primary(const struct suite *s, const struct plan_test *t)
{
	const char *name = *t->like ? t->like : t->name;
	return !*t->primary ? suite_primary(suite_test(s, name)) : suite_metric(s, name, t->primary);
}

static void list_profiles(const struct suite *s, const char *only_with)
{
	struct sizes later = {.later = 1};
	struct table t;
	size_t n;
	char **names = profile_names(&n), bound[NUMBER_MAX];
	table_open(&t, "profile|>tests|>primaries|>at most|what it is");
	for (size_t i = 0; i < n; i++) {
		struct profile pr;
		struct plan p;
		unsigned primaries = 0;
		int has = !only_with;
		profile_load(&pr, names[i]);
		choose(&p, s, &pr, &later, NULL, NULL);
		for (size_t k = 0; k < p.tests; k++) {
			primaries += primary(s, &p.test[k]) != NULL;
			has |= only_with && (!strcmp(p.test[k].name, only_with) || !strcmp(p.test[k].like, only_with));
		}
		if (has) {
			table_add(&t, names[i]);
			table_addf(&t, "%zu", p.tests);
			table_addf(&t, "%u", primaries);
			table_add(&t, number_duration(bound_ms(&p), bound, sizeof bound));
			table_add(&t, pr.summary);
		}
		plan_free(&p);
		profile_free(&pr);
	}
	table_print(&t, stdout, 0);
	profile_names_free(names);
}

static void list_tests(const struct suite *s)
{
	struct table t;
	table_open(&t, "test|needs|primary|what it is");
	for (size_t i = 0; i < s->tests; i++) {
		const struct suite_metric *m = suite_primary(&s->test[i]);
		table_add(&t, s->test[i].name);
		table_add(&t, or_none(s->test[i].needs));
		table_add(&t, m ? m->name : "-");
		table_add(&t, s->test[i].summary);
	}
	table_print(&t, stdout, 0);
}

/* ---- one test */

static void print_test(const struct suite *s, const struct suite_test *d)
{
	char name[128], value[256];
	const char *p = d->args;
	struct table t;
	printf("test       %s: %s\n", d->name, d->summary);
	printf("program    %s%s%s\n", d->program, *d->like ? ", like " : "", d->like);
	printf("needs      %s, at most %llu s, silent for at most %llu s, %llu KiB of memory\n", or_none(d->needs),
	       (unsigned long long)d->deadline_ms / 1000, (unsigned long long)d->quiet_ms / 1000, (unsigned long long)d->mem_kb);
	printf("\nparameters, with their defaults (--arg %s.NAME=VALUE of 'sweep new')\n", d->name);
	if (!*p)
		printf("  none\n");
	while (args_next(&p, name, sizeof name, value, sizeof value))
		printf("  %s = %s\n", name, value);
	printf("\nmetrics (* primary)\n");
	table_open(&t, "metric|unit|better|what it is");
	for (size_t i = 0; i < d->metrics; i++) {
		table_addf(&t, "%s%s", d->metric[i].name, d->metric[i].primary ? " *" : "");
		table_add(&t, d->metric[i].unit);
		table_add(&t, better[d->metric[i].better]);
		table_add(&t, d->metric[i].about);
	}
	table_print(&t, stdout, 2);
	printf("\n");
	list_profiles(s, d->name);
}

/* ---- one profile */

static void print_words(const struct plan *p)
{
	char name[128], value[256];
	for (size_t i = 0; i < p->tests; i++) {
		const char *a = p->test[i].args;
		printf("%s %s", p->test[i].name, p->test[i].program);
		while (args_next(&a, name, sizeof name, value, sizeof value))
			printf(" %s=%s", name, value);
		printf("\n");
	}
}

static void print_tests(const struct suite *s, const struct plan *p)
{
	struct table t;
	char bound[NUMBER_MAX], name[128], value[256];
	table_open(&t, "test|like|needs|primary|>at most");
	for (size_t i = 0; i < p->tests; i++) {
		const struct plan_test *it = &p->test[i];
		const struct suite_metric *m = primary(s, it);
		table_add(&t, it->name);
		table_add(&t, or_none(it->like));
		table_add(&t, or_none(it->needs));
		table_add(&t, m ? m->name : "-");
		table_add(&t, number_duration(it->deadline_ms, bound, sizeof bound));
	}
	table_print(&t, stdout, 0);
	printf("\nparameters\n");
	for (size_t i = 0; i < p->tests; i++) {
		const char *a = p->test[i].args;
		if (!*a)
			continue;
		int at = printf("  %s:", p->test[i].name);
		while (args_next(&a, name, sizeof name, value, sizeof value)) {
			if (at + strlen(name) + strlen(value) > LINE_WIDTH - 3)
				at = printf("\n   ") - 1;
			at += printf(" %s=%s%s", name, value, *a ? "," : "");
		}
		printf("\n");
	}
}

static void print_profile(const struct suite *s, const struct profile *pr, const struct plan *p, const struct sizes *sizes)
{
	char bound[NUMBER_MAX];
	unsigned primaries = 0;
	printf("profile    %s: %s\n", pr->name, pr->summary);
	if (pr->variants || pr->rounds) /* %.0llu: nothing for 0 */
		printf("default   %s%s%s%.0llu\n", pr->variants ? " --variants " : "", pr->variants ? pr->variants : "",
		       pr->rounds ? " --rounds " : "", (unsigned long long)pr->rounds);
	printf("time       ");
	if (pr->boot_s)
		printf("about %s a boot with the profile's own sizes, ", number_duration(pr->boot_s * 1000ull, bound, sizeof bound));
	printf("at most %s a boot by the tests' deadlines\n", number_duration(bound_ms(p), bound, sizeof bound));
	for (size_t i = 0; i < p->tests; i++)
		primaries += primary(s, &p->test[i]) != NULL;
	printf("primaries  %u of at most %d\n\n", primaries, CHOOSE_PRIMARIES_MAX);
	print_tests(s, p);
	int open = 0;
	for (size_t i = 0; i < p->tests; i++)
		open |= strchr(p->test[i].args, '*') || strstr(p->test[i].args, "=mem") || strstr(p->test[i].args, "=disk");
	if (sizes->later && open)
		printf("\nsizes that depend on a box stand as they are written: --box BOX, or --memory and --disk, makes them numbers\n");
}

static uint64_t size_given(const char *option, const char *text)
{
	struct conf_entry it = {.key = (char *)option, .value = (char *)text};
	struct conf_error e;
	uint64_t v = 0;
	if (text && (conf_bytes(&it, &v, &e) || !v))
		err_usage("suite: --%s %s: a size was expected, like 512M", option, text);
	return v;
}

static struct sizes sizes_given(struct board *b)
{
	struct sizes s = {.box = "given", .later = 1};
	if (given.box && (given.memory || given.disk))
		err_usage("suite: --box, or --memory and --disk");
	if (given.box) {
		lab_require();
		board_load(b, given.box);
		return (struct sizes){b->name, b->mem_bytes, b->scratch_bytes, 0};
	}
	s.mem_bytes = size_given("memory", given.memory);
	s.disk_bytes = size_given("disk", given.disk);
	return s;
}

static void say_profile(const struct suite *s, const char *name)
{
	struct board b = {.name = ""};
	struct sizes sizes = sizes_given(&b);
	struct profile pr;
	struct plan p;
	profile_load(&pr, name);
	choose(&p, s, &pr, &sizes, given.tests, given.args);
	if (given.words)
		print_words(&p);
	else
		print_profile(s, &pr, &p, &sizes);
	plan_free(&p);
	profile_free(&pr);
	board_free(&b);
}

static int run(int argc, char **argv)
{
	struct suite s;
	if (argc > 1)
		err_usage("suite: one PROFILE, one TEST or nothing is wanted");
	suite_load(&s);
	const struct suite_test *d = argc ? suite_test(&s, argv[0]) : NULL;
	if ((!argc || d) && (given.words || given.box || given.memory || given.disk || given.tests || given.args))
		err_usage("suite: options go with a PROFILE");
	if (!argc) {
		list_profiles(&s, NULL);
		printf("\n");
		list_tests(&s);
	} else if (d) {
		print_test(&s, d);
	} else {
		say_profile(&s, argv[0]);
	}
	suite_free(&s);
	return EXIT_OK;
}

const struct cmd cmd_suite = {
	.name = "suite",
	.args = "[PROFILE | TEST] [--box BOX] ...",
	.summary = "what there is to run: profiles and tests, with parameters, metrics and times",
	.help = "Alone it lists all. Of a PROFILE (a name, or a FILE.profile) it says what a sweep would run, of a TEST its parameters and metrics.",
	.opts = opts,
	.run = run,
};
