/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * profile: a file <name>.profile beside the descriptors, or anywhere: which tests a sweep runs, in which order, with which parameters, and
 * which metric of each is primary (docs/formats.md). A test of a profile may be a descriptor under another name: an instance.
 */
#ifndef KD_PROFILE_H
#define KD_PROFILE_H

#include "common/plan.h"

struct profile_test {
	char name[PLAN_ID_MAX + 1];
	char like[PLAN_ID_MAX + 1];             /* the descriptor; the name where the file does not say */
	char primary[PLAN_ID_MAX + 1];          /* a metric, or none; "": as the descriptor says */
	uint64_t deadline_ms, quiet_ms, mem_kb; /* 0: as the descriptor says */
	char *needs;                            /* comma list, or NULL: as the descriptor says */
	char *args;                             /* in place of the descriptor's; a comma list, sizes as written; or NULL */
};

struct profile {
	char name[PLAN_ID_MAX + 1]; /* of the file, without .profile */
	char summary[128];
	char *variants;  /* comma list, or NULL */
	uint64_t rounds; /* 0: not said */
	unsigned boot_s; /* what a boot takes with it, about; 0: not known */
	struct profile_test *test;
	size_t tests;
};

/* 0 or -errno with one line in err; then p is empty. */
int profile_read(struct profile *p, const char *path, char *err, size_t size);
/* By name from lab_share("suite"), or by path where it holds a slash or ends in .profile; dies on error, with the nearest name. */
void profile_load(struct profile *p, const char *name);
void profile_free(struct profile *p);
const struct profile_test *profile_test(const struct profile *p, const char *name);
/* Names of the profiles that come along, sorted; NULL-terminated, free with profile_names_free. */
char **profile_names(size_t *n);
void profile_names_free(char **names);

#endif
