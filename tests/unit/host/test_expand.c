/* SPDX-License-Identifier: GPL-2.0-or-later */
/* expand: the order of a sweep, and what a person may write of it (spec). */
#include "../common/unit.h"

#include <errno.h>

#include "host/expand.h"
#include "host/spec.h"

static int draw(void *user, uint32_t *tag)
{
	*tag = unit_random(user) % 200; /* few, so that some come twice */
	return 0;
}

static int fail_draw(void *user, uint32_t *tag)
{
	(void)user;
	(void)tag;
	return -EIO;
}

static void make(struct plan *p, struct plan_subject *s, size_t n, unsigned rounds, uint64_t seed)
{
	*p = (struct plan){.subject = s, .subjects = n, .rounds = rounds, .seed = seed, .tries_max = 3};
}

static void test_blocks(void **state)
{
	struct plan p;
	struct plan_subject s[5] = {0};
	uint32_t tags = 1;
	(void)state;
	make(&p, s, 5, 8, 42);
	assert_int_equal(expand_tries(&p, draw, &tags), 0);
	assert_int_equal(p.tries, 41);
	assert_int_equal(p.try[0].discard, 1);
	assert_int_equal(p.try[0].round, 0);
	for (size_t i = 0; i < p.tries; i++) {
		assert_int_equal(p.try[i].line, i + 1);
		assert_int_equal(p.try[i].boot, i + 1);
		for (size_t j = 0; j < i; j++)
			assert_int_not_equal(p.try[i].tag, p.try[j].tag);
	}
	for (unsigned r = 1; r <= 8; r++) { /* every subject once a round */
		unsigned seen = 0;
		for (size_t i = 1; i < p.tries; i++)
			if (p.try[i].round == r)
				seen |= 1u << p.try[i].subject;
		assert_int_equal(seen, 31);
	}
	free(p.try);
}

/* The same seed, the same order: these very numbers, on every machine. */
static void test_seed(void **state)
{
	struct plan p;
	struct plan_subject s[3] = {0};
	uint32_t tags = 1;
	char got[64] = "";
	(void)state;
	struct expand_rng r;
	expand_seed(&r, 42);
	assert_int_equal(expand_below(&r, 1), 0);
	make(&p, s, 3, 4, 7);
	assert_int_equal(expand_tries(&p, draw, &tags), 0);
	for (size_t i = 0; i < p.tries; i++)
		sprintf(got + strlen(got), "%u", p.try[i].subject);
	assert_string_equal(got, "1210102201012");
	free(p.try);
}

/* Each of the 6 orders of 3 subjects comes about as often: chi-square with 5 degrees of freedom, 20.5 at p = 0.001. */
static void test_fair(void **state)
{
	unsigned count[27] = {0};
	struct plan_subject s[3] = {0};
	double chi = 0;
	(void)state;
	for (uint64_t seed = 0; seed < 6000; seed++) {
		struct plan p;
		uint32_t tags = 1;
		make(&p, s, 3, 1, seed);
		assert_int_equal(expand_tries(&p, draw, &tags), 0);
		count[p.try[1].subject * 9 + p.try[2].subject * 3 + p.try[3].subject]++;
		free(p.try);
	}
	for (int i = 0; i < 27; i++)
		if (count[i])
			chi += (count[i] - 1000.0) * (count[i] - 1000.0) / 1000.0;
	assert_true(chi < 20.5);
}

static void test_limits(void **state)
{
	struct plan p;
	struct plan_subject s[PLAN_SUBJECTS_MAX] = {0};
	uint32_t tags = 1;
	(void)state;
	make(&p, s, 0, 6, 1);
	assert_int_equal(expand_tries(&p, draw, &tags), -E2BIG);
	make(&p, s, 64, 64, 1);
	assert_int_equal(expand_tries(&p, draw, &tags), -E2BIG);
	make(&p, s, 2, 2, 1);
	assert_int_equal(expand_tries(&p, fail_draw, NULL), -EIO);
	free(p.try);
}

static void test_spec(void **state)
{
	static const char text[] =
		"[sweep]\nbox = b\nkernels = 6.1, 6.12\nvariants = smp\nrounds = 8\nseed = 5\nssh = yes\n[variant odd]\ncmdline = isolcpus=1,2 a+b\n";
	struct spec s = {.box = strdup("mine")};
	struct conf c;
	struct conf_error e;
	char err[256];
	(void)state;
	assert_int_equal(conf_parse(&c, text, strlen(text), &e), 0);
	assert_int_equal(spec_read(&s, &c, &e), 0);
	assert_int_equal(spec_finish(&s, err, sizeof err), 0);
	assert_string_equal(s.box, "mine"); /* options win */
	assert_int_equal(s.n_kernels, 2);
	assert_int_equal(s.rounds, 8);
	assert_int_equal(s.seed, 5);
	assert_int_equal(s.ssh, 1);
	assert_int_equal(s.tries, 3);
	assert_string_equal(s.profile, "smoke");
	assert_string_equal(s.home, "home");
	assert_int_equal(s.n_variants, 2);
	assert_string_equal(s.variant[0].name, "odd");
	assert_string_equal(s.variant[0].words, "isolcpus=1,2 a+b");
	assert_string_equal(s.variant[1].name, "smp");
	conf_free(&c);
	spec_free(&s);
}

static int finish(const char *kernels, const char *variants, char *err)
{
	struct spec s = {.box = strdup("b"), .kernels = kernels ? strdup(kernels) : NULL, .variants = variants ? strdup(variants) : NULL};
	int code = spec_finish(&s, err, 256);
	if (!code && variants && strchr(variants, '+'))
		assert_string_equal(s.variant[0].words, "nosmp maxcpus=1");
	spec_free(&s);
	return code;
}

static void test_spec_refused(void **state)
{
	char err[256];
	(void)state;
	assert_int_equal(finish("a", NULL, err), 0);
	assert_int_equal(finish("a", "up:nosmp+maxcpus=1", err), 0);
	assert_int_equal(finish(NULL, NULL, err), -EINVAL);
	assert_int_equal(finish("a,a", NULL, err), -EINVAL);
	assert_non_null(strstr(err, "twice"));
	assert_int_equal(finish("a", "x,x:y", err), -EINVAL);
	assert_int_equal(finish("a", ":y", err), -EINVAL);
	assert_int_equal(finish("a", "x:kd.box=1", err), -EINVAL);
	assert_int_equal(finish("a", "x:\"q\"", err), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_blocks), cmocka_unit_test(test_seed), cmocka_unit_test(test_fair),
		cmocka_unit_test(test_limits), cmocka_unit_test(test_spec), cmocka_unit_test(test_spec_refused),
	};
	return cmocka_run_group_tests_name("expand", tests, NULL, NULL);
}
