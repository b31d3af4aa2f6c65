/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd_sweep_new: kdyno sweep new: looks everything up, expands it, freezes it, and puts the sweep in place by one rename. What
 * is wrong is said before anything is made; what is made is read back before it is put in place.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/err.h"
#include "common/io.h"
#include "common/kv.h"
#include "host/board.h"
#include "host/choose.h"
#include "host/cmd.h"
#include "host/expand.h"
#include "host/freeze.h"
#include "host/kernel.h"
#include "host/lab.h"
#include "host/legacy.h"
#include "host/overlay.h"
#include "host/spec.h"
#include "host/ssh_keys.h"
#include "host/suite.h"
#include "host/sweep_switch.h"
#include "host/sweep_text.h"
#include "host/tree_order.h"
#include "host/work.h"

#define NOT_GIVEN UINT64_MAX

static struct {
	const char *box, *profile, *home, *config, *sw;
	char *kernels, *variants, *tests, *args, *overlay;
	uint64_t rounds, seed, tries;
	int ssh;
} given = {.rounds = NOT_GIVEN, .seed = NOT_GIVEN, .tries = NOT_GIVEN};

static const struct opt opts[] = {
	{"box", OPT_STR, "BOX", "the box to run on", &given.box},
	{"kernels", OPT_LIST, "ID,ID", "the kernels to compare", &given.kernels},
	{"variants", OPT_LIST, "V,V", "name or name:word+word for the command line (default the profile's, or one without words)", &given.variants},
	{"rounds", OPT_U64, "N", "visits to every subject (default the profile's, or 6, the least that can prove something)", &given.rounds},
	{"profile", OPT_STR, "NAME", "which tests: a name ('kdyno suite' lists them) or a FILE.profile (default smoke)", &given.profile},
	{"tests", OPT_LIST, "T,T", "only these tests of the profile", &given.tests},
	{"arg", OPT_LIST, "TEST.NAME=V", "a parameter of a test; TEST may be *", &given.args},
	{"overlay", OPT_LIST, "FILE.cpio", "tests from elsewhere (docs/external-tests.md)", &given.overlay},
	{"seed", OPT_U64, "N", "of the random order (default: drawn, and recorded)", &given.seed},
	{"home", OPT_STR, "ID", "the kernel to come back to (default home)", &given.home},
	{"switch", OPT_STR, "HOW", "from boot to boot: chain, via-home or firmware (default: the board's)", &given.sw},
	{"ssh", OPT_FLAG, NULL, "let 'kdyno ssh' into the box while it is held (docs/looking-inside.md)", &given.ssh},
	{"tries", OPT_U64, "N", "attempts at a boot (default 3)", &given.tries},
	{"config", OPT_STR, "FILE", "a sweep.conf with the same keys; options win", &given.config},
	{0},
};

static char *copy_or_null(const char *s)
{
	char *c = s ? strdup(s) : NULL;
	if (s && !c)
		err_die("out of memory");
	return c;
}

static uint64_t draw_seed(void)
{
	uint32_t seed;
	if (getrandom(&seed, sizeof seed, 0) != sizeof seed)
		err_die("getrandom:");
	return seed;
}

static void read_spec(struct spec *s, struct profile *profile)
{
	char why[256];
	*s = (struct spec){.box = copy_or_null(given.box),
	                   .profile = copy_or_null(given.profile),
	                   .home = copy_or_null(given.home),
	                   .sw = copy_or_null(given.sw),
	                   .kernels = copy_or_null(given.kernels),
	                   .variants = copy_or_null(given.variants),
	                   .tests = copy_or_null(given.tests),
	                   .args = copy_or_null(given.args),
	                   .overlay = copy_or_null(given.overlay)};
	if (!given.rounds || !given.tries)
		err_usage("sweep new: %s wants at least 1", given.rounds ? "--tries" : "--rounds");
	s->rounds = given.rounds == NOT_GIVEN ? 0 : given.rounds;
	s->tries = given.tries == NOT_GIVEN ? 0 : given.tries;
	s->ssh = given.ssh;
	s->seed_given = given.seed != NOT_GIVEN;
	s->seed = s->seed_given ? given.seed : 0;
	if (given.config) {
		struct conf c;
		struct conf_error e;
		int err = conf_read(&c, given.config, &e);
		if (!err)
			err = spec_read(s, &c, &e);
		if (err && e.line)
			err_die("%s:%u: %s", given.config, e.line, e.text);
		if (err)
			err_die("%s: %s", given.config, e.text);
		conf_free(&c);
	}
	profile_load(profile, s->profile ? s->profile : "smoke");
	s->rounds = s->rounds ? s->rounds : profile->rounds;
	if (!s->variants && !s->n_variants)
		s->variants = copy_or_null(profile->variants);
	if (spec_finish(s, why, sizeof why))
		err_usage("sweep new: %s", why);
	if (!s->seed_given)
		s->seed = draw_seed();
}

/* Said now; the box skips the test. */
static void warn_room(const struct plan_test *t, const struct board *b)
{
	char size[32];
	if (t->mem_kb > b->mem_bytes / 1024)
		err_warn("test %s wants %llu MiB, box %s has %llu: it will be skipped", t->name, (unsigned long long)t->mem_kb / 1024, b->name,
		         (unsigned long long)(b->mem_bytes >> 20));
	if (kv_list_has(t->needs, "scratch") && !plan_arg(t->args, "size_bytes", size, sizeof size) &&
	    strtoull(size, NULL, 10) + b->scratch_bytes / 8 > b->scratch_bytes)
		err_warn("test %s wants %s bytes of scratch, box %s has %llu: it will be skipped", t->name, size, b->name,
		         (unsigned long long)b->scratch_bytes);
}

static void read_overlays(struct overlay *o, struct suite *all, const struct spec *s)
{
	char why[512], *list = copy_or_null(s->overlay), *save;
	*o = (struct overlay){.entries = 0};
	for (char *path = list ? strtok_r(list, ",", &save) : NULL; path; path = strtok_r(NULL, ",", &save))
		if (overlay_read(o, path, all, why, sizeof why))
			err_die("%s", why);
	if (list && overlay_join(o, all, why, sizeof why))
		err_die("%s: %s", s->overlay, why);
	free(list);
}

static void set_tests(struct plan *p, const struct suite *all, const struct overlay *more, const struct profile *profile, const struct spec *s,
                      const struct board *b)
{
	char why[1024];
	struct choose c = {.suite = all,
	                   .more = more->tests,
	                   .profile = profile,
	                   .tests = s->tests,
	                   .args = s->args,
	                   .sizes = {b->name, b->mem_bytes, b->scratch_bytes, 0}};
	if (choose_tests(&c, p, why, sizeof why))
		err_usage("sweep new: %s", why);
	for (size_t i = 0; i < p->tests; i++)
		warn_room(&p->test[i], b);
}

/* Who cannot load a crash kernel keeps the memory for it all the same: memory is to be alike on every subject. */
static void set_crash(struct plan *p, const struct kernel *kernels, const struct spec *s, const struct board *b)
{
	p->crash_bytes = b->crash_bytes;
	if (!p->crash_bytes)
		return;
	p->home_cmdline = board_cmdline(b, "");
	if (!p->home_cmdline)
		err_die("out of memory");
	for (size_t i = 0; i < s->n_kernels; i++)
		if (kernel_cannot_kexec(&kernels[i]))
			err_warn("kernel %s cannot load a crash kernel: its panics come home by a reset", kernels[i].id);
}

/* A variant's words, behind those that the sweep gives to all. malloc'd. */
static char *subject_words(const struct board *b, const char *words)
{
	char *all;
	int n = b->crash_bytes ? asprintf(&all, "crashkernel=%lluM%s%s", (unsigned long long)(b->crash_bytes >> 20), *words ? " " : "", words)
	                       : asprintf(&all, "%s", words);
	if (n < 0)
		err_die("out of memory");
	return all;
}

/* All words of a subject; what a kernel of 2.4 would cut off is refused here. malloc'd. */
static char *subject_cmdline(const struct kernel *k, const struct board *b, const char *variant)
{
	char *words = subject_words(b, variant), *line;
	if (kernel_is_legacy(k)) {
		char *more = legacy_cmdline(words);
		free(words);
		words = more;
	}
	line = words ? board_cmdline(b, words) : NULL;
	if (!line)
		err_die("out of memory");
	free(words);
	size_t len = strlen(line) + strlen(" kd=00000000") + (b->sysrq ? strlen(" kd.sysrq=1") : 0);
	if (kernel_is_legacy(k) && len > LEGACY_CMDLINE_MAX)
		err_usage("sweep new: the command line of %s is %zu bytes, and before 2.6 a kernel takes %d; shorten cmdline in boards/%s.ini or the "
		          "variant",
		          k->id, len, LEGACY_CMDLINE_MAX, b->name);
	return line;
}

static void set_subjects(struct plan *p, const struct spec *s, const struct board *b, const struct kernel *kernels)
{
	p->subject = calloc(s->n_kernels * s->n_variants, sizeof *p->subject);
	for (size_t k = 0; p->subject && k < s->n_kernels; k++)
		for (size_t v = 0; v < s->n_variants; v++) {
			struct plan_subject *t = &p->subject[p->subjects++];
			snprintf(t->kernel, sizeof t->kernel, "%s", s->kernel[k]);
			snprintf(t->variant, sizeof t->variant, "%s", s->variant[v].name);
			snprintf(t->id, sizeof t->id, "%s/%s", s->kernel[k], s->variant[v].name);
			t->cmdline = subject_cmdline(&kernels[k], b, s->variant[v].words);
		}
	if (!p->subject)
		err_die("out of memory");
}

static int draw_tag(void *user, uint32_t *tag)
{
	char text[24];
	do {
		if (getrandom(tag, sizeof *tag, 0) != sizeof *tag)
			return -EIO;
		snprintf(text, sizeof text, " tag=%08x ", *tag & 0x7fffffffu);
	} while (strstr(user, text)); /* of another sweep of this lab */
	return 0;
}

/* All schedules of the lab, one behind the other: their tags are taken. */
static char *taken_tags(void)
{
	size_t n, len, total = 0;
	char **names = lab_list("sweeps", &n), *all = calloc(1, 1), *text;
	for (size_t i = 0; all && i < n; i++) {
		char *path = lab_path("sweeps/%s/schedule", names[i]);
		if (!io_read_file(path, 16 << 20, &text, &len)) {
			char *more = realloc(all, total + len + 1);
			if (!more)
				err_die("out of memory");
			all = more;
			memcpy(all + total, text, len + 1);
			total += len;
			free(text);
		}
		free(path);
	}
	lab_list_free(names);
	if (!all)
		err_die("out of memory");
	return all;
}

static void check_primaries(const struct plan *p, const struct suite *all)
{
	unsigned n = sweep_text_primaries(p, all);
	if (n > CHOOSE_PRIMARIES_MAX)
		err_usage("sweep new: %u primaries, and more than %d make every verdict too weak: name fewer tests with --tests, or say primary = "
		          "none in a profile ('kdyno suite %s' lists them)",
		          n, CHOOSE_PRIMARIES_MAX, p->suite);
}

static void make_plan(struct plan *p, const char *id, const struct spec *s, struct suite *all, const struct overlay *more,
                      const struct profile *profile, const struct board *b, const struct kernel *kernels, FILE *remarks)
{
	char why[256];
	*p = (struct plan){.seed = s->seed,
	                   .rounds = (unsigned)s->rounds,
	                   .tries_max = (unsigned)s->tries,
	                   .ssh = s->ssh,
	                   .again_s = b->again_s,
	                   .deaf_s = b->deaf_s,
	                   .jump_s = b->jump_s};
	snprintf(p->id, sizeof p->id, "%s", id);
	snprintf(p->box, sizeof p->box, "%s", b->name);
	snprintf(p->suite, sizeof p->suite, "%s", profile->name);
	snprintf(p->home, sizeof p->home, "%.64s", s->home);
	set_subjects(p, s, b, kernels);
	set_tests(p, all, more, profile, s, b);
	if (tree_order_check(p, why, sizeof why))
		err_usage("sweep new: %s", why);
	if (suite_adopt(all, p))
		err_die("out of memory");
	check_primaries(p, all);
	sweep_switch_set(p, s, kernels, b, remarks);
	set_crash(p, kernels, s, b);
	char *taken = taken_tags();
	int err = expand_tries(p, draw_tag, taken);
	free(taken);
	if (err == -E2BIG)
		err_usage("sweep new: %zu subjects x %u rounds x %u tries are more than the %d lines of a schedule", p->subjects, p->rounds,
		          p->tries_max, PLAN_TRIES_MAX);
	if (err)
		err_die_code(err, "sweep new:");
}

/* Subjects first, home last. */
static struct kernel *load_kernels(const struct spec *s)
{
	struct kernel *k = calloc(s->n_kernels + 1, sizeof *k);
	if (!k)
		err_die("out of memory");
	for (size_t i = 0; i < s->n_kernels; i++) {
		if (!strcmp(s->kernel[i], s->home))
			err_usage("sweep new: '%s' is home, and home is never a subject; 'kdyno kernel add %s --as OTHER' gives it a second id",
			          s->home, s->home);
		kernel_load(&k[i], s->kernel[i]);
	}
	struct kernel *home = &k[s->n_kernels];
	if (kernel_read(home, s->home) == -ENOENT)
		err_die("no kernel '%.70s' to come back to; 'kdyno kernel fetch' makes home, or 'kdyno kernel add ID --as %.70s'", s->home, s->home);
	kernel_load(home, s->home);
	if (kernel_is_legacy(home))
		err_usage("sweep new: home is %s, and a kernel before 2.6 can load no other; choose a newer one with --home", home->release);
	return k;
}

static int build(struct work *w, const struct plan *p, const struct spec *s, const struct board *b, const struct kernel *kernels, FILE *remarks)
{
	char *text = NULL, path[4352];
	size_t len = 0;
	FILE *manifest = open_memstream(&text, &len);
	int err = manifest ? 0 : work_fail(w, -ENOMEM, "out of memory");
	if (!err && p->ssh)
		err = ssh_keys_freeze(w, p->box);
	for (size_t i = 0; !err && i <= s->n_kernels; i++)
		err = work_interrupted(w) ? -EINTR : freeze_kernel(w, p->id, &kernels[i], b, manifest, remarks);
	freeze_finish(w);
	if (!err)
		err = sweep_text_cmdlines(w, p, manifest);
	if (manifest && (fclose(manifest) && !err))
		err = work_fail(w, -ENOMEM, "out of memory");
	snprintf(path, sizeof path, "%s/manifest", w->dir);
	if (!err && (err = io_write_file(path, text, len, 0644)))
		work_fail(w, err, "write %s:", path);
	if (!err)
		err = sweep_text_write(w, p, text, len);
	free(text);
	return err;
}

static int run(int argc, char **argv)
{
	struct spec s;
	struct suite all;
	struct profile profile;
	struct overlay more;
	struct board b;
	struct plan p;
	struct work w;
	char *remarks = NULL;
	size_t len;
	if (argc != 1)
		err_usage("sweep new: which name? (one)");
	if (!kv_is_id(argv[0]))
		err_usage("sweep new: '%.70s' is no name of a sweep (letters, digits, . _ + -; at most 64)", argv[0]);
	lab_require();
	char *parent = lab_path("sweeps"), *path = lab_path("sweeps/%s", argv[0]);
	if (!access(path, F_OK))
		err_die("sweep '%s' is there already; choose another name, 'kdyno sweep run %s' runs it", argv[0], argv[0]);
	read_spec(&s, &profile);
	board_load(&b, s.box);
	struct kernel *kernels = load_kernels(&s);
	suite_load(&all);
	FILE *notes = open_memstream(&remarks, &len);
	if (!notes)
		err_die("out of memory");
	read_overlays(&more, &all, &s);
	make_plan(&p, argv[0], &s, &all, &more, &profile, &b, kernels, notes);
	int err = work_begin(&w, parent);
	if (!err)
		err = overlay_write(&more, &w);
	if (!err)
		err = build(&w, &p, &s, &b, kernels, notes);
	if (!err)
		err = work_place(&w, path);
	if (err)
		work_die(&w);
	work_end(&w);
	fclose(notes);
	sweep_text_print(&p, &all, profile.boot_s, remarks);
	free(remarks);
	free(kernels);
	free(parent);
	free(path);
	plan_free(&p);
	suite_free(&all);
	profile_free(&profile);
	overlay_free(&more);
	board_free(&b);
	spec_free(&s);
	return EXIT_OK;
}

const struct cmd cmd_sweep_new = {
	.name = "sweep new",
	.args = "SWEEP --box BOX --kernels ID,ID [--variants V,V] [--rounds N] ...",
	.summary = "plan a sweep: kernels x variants x rounds, in random order",
	.help = "Writes sweeps/SWEEP of the lab: the schedule, and what the box boots, frozen. A variant is words for the kernel's command line "
		"under\n"
		"a name: --variants smp,up:nosmp makes two, the second with nosmp. One boot is run before the first round and discarded.\n"
		"Which profile answers which question, and how long it takes: docs/suite.md. A crash kernel is a key of the board, crash_kernel "
		"(docs/sweeps.md).",
	.opts = opts,
	.run = run,
};
