/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plan: the schedule and the manifest of a sweep, as both station and box read them (docs/formats.md).
 *
 * A plan is read from whole files in memory and allocates its tables once; plan_free releases them. Everything in it is
 * checked: ids, ranges, that a try names a subject and a subject's kernel has its files. Errors name the line.
 */
#ifndef KD_PLAN_H
#define KD_PLAN_H

#include <stddef.h>
#include <stdint.h>

#define PLAN_ID_MAX 64
#define PLAN_SUBJECT_MAX 132 /* kernel/variant */
#define PLAN_TRIES_MAX 4096
#define PLAN_SUBJECTS_MAX 64
#define PLAN_TESTS_MAX 64
#define PLAN_FILES_MAX 256

enum plan_switch { PLAN_CHAIN = 1, PLAN_VIA_HOME, PLAN_FIRMWARE };
enum plan_role { PLAN_KERNEL = 1, PLAN_IMAGE, PLAN_PACK };

struct plan_subject {
	char id[PLAN_SUBJECT_MAX];
	char kernel[PLAN_ID_MAX + 1], variant[PLAN_ID_MAX + 1];
	char *cmdline; /* from the manifest; NULL before plan_read_manifest */
};

struct plan_test {
	char name[PLAN_ID_MAX + 1];
	char program[PLAN_ID_MAX + 1]; /* that the box starts: the name, where the line does not say */
	char like[PLAN_ID_MAX + 1];    /* the descriptor, where it is not called like the test; "": the name */
	char primary[PLAN_ID_MAX + 1]; /* the metric that is primary in this sweep, or none; "": as the descriptor says */
	uint64_t deadline_ms, quiet_ms, mem_kb;
	char needs[64]; /* comma list of scratch, nfs, net, early */
	char *args;     /* unescaped comma list of name=value */
	char *line;     /* the line as it stands in the schedule, CRC included, no newline */
};

struct plan_try {
	unsigned line; /* from 1 */
	uint32_t tag;
	unsigned boot, round;
	unsigned subject; /* index into subjects */
	int discard;
	unsigned of; /* the line that this one repeats or replaces, or 0 */
	char why[16];
};

struct plan_file {
	enum plan_role role;
	char id[PLAN_ID_MAX + 1]; /* kernel id */
	char *path;               /* below the lab; checked: relative, no .. */
	uint64_t bytes;
	char sha256[65];
	uint64_t job_at, job_bytes; /* of a legacy image: where in it a job goes; 0: behind it, as an archive */
};

struct plan_expect {
	char kernel[PLAN_ID_MAX + 1];
	char release[96];
	char *version;                  /* the banner from # on */
	char watchdog[PLAN_ID_MAX + 1]; /* the driver of the box's watchdog in this kernel; "": none */
};

struct plan {
	char id[PLAN_ID_MAX + 1], box[PLAN_ID_MAX + 1], suite[PLAN_ID_MAX + 1], home[PLAN_ID_MAX + 1];
	uint64_t seed;
	unsigned rounds, tries_max; /* tries_max: lines a boot may have */
	enum plan_switch sw;
	unsigned again_s, deaf_s, jump_s;
	int ssh;              /* its packs carry the keys by which a person gets into the box while it is held */
	int imported;         /* from tables: nothing of it was ever booted by us */
	uint64_t crash_bytes; /* crashkernel= of every subject; 0: none */
	struct plan_subject *subject;
	size_t subjects;
	struct plan_test *test;
	size_t tests;
	struct plan_try *try;
	size_t tries;
	struct plan_file *file;
	size_t files;
	struct plan_expect *expect;
	size_t expects;
	char *home_cmdline; /* without kd words; NULL where the manifest does not say (only a crash kernel wants it) */
	unsigned bad_lines; /* skipped: torn or damaged */
};

struct plan_error {
	unsigned line;
	char text[160]; /* what was wrong and what was wanted */
};

/* 0 or -errno with *e filled. The plan is empty (and need not be freed) after an error. */
int plan_read_schedule(struct plan *p, const char *text, size_t len, struct plan_error *e);
/* Adds the manifest to a plan whose schedule is read. */
int plan_read_manifest(struct plan *p, const char *text, size_t len, struct plan_error *e);
void plan_free(struct plan *p);

const struct plan_try *plan_try_by_line(const struct plan *p, unsigned line); /* NULL if none */
const struct plan_try *plan_try_by_tag(const struct plan *p, uint32_t tag);
const struct plan_file *plan_file(const struct plan *p, enum plan_role role, const char *kernel);
const struct plan_expect *plan_expect(const struct plan *p, const char *kernel);
/* Value of name in a comma list of name=value; copies it; -ENOENT, -ENAMETOOLONG. */
int plan_arg(const char *args, const char *name, char *out, size_t size);

/* Formats one line, CRC and newline included, for those who write schedules. Length or -EMSGSIZE. */
long plan_format_try(const struct plan *p, const struct plan_try *t, char *out, size_t size);
const char *plan_switch_name(enum plan_switch s);
int plan_switch_parse(const char *s, enum plan_switch *out);
const char *plan_role_name(enum plan_role r);

#endif
