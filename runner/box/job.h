/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * job: what this boot is for. A subject has it in /kd/job (docs/formats.md), home in the kd.* words of its command line. Both
 * are untrusted and checked in the same way; parsing is pure.
 */
#ifndef KD_BOX_JOB_H
#define KD_BOX_JOB_H

#include "common/job_text.h"

#define JOB_PATH "/kd/job"

#define JOB_BSP_UNKNOWN 0xffffffffu

enum job_role { JOB_HOME, JOB_SUBJECT, JOB_CRASH };

struct job_test {
	char name[PLAN_ID_MAX + 1];
	char program[PLAN_ID_MAX + 1]; /* of /kd/suite; the name, where the line does not say */
	uint64_t deadline_ms, quiet_ms, mem_kb;
	char needs[64];  /* comma list */
	char args[512];  /* comma list of name=value */
	char line[1024]; /* as it stands, CRC included */
};

struct job {
	enum job_role role;
	uint32_t tag, prev, of; /* 0: none */
	unsigned line, boot, again_s, jump_s;
	int discard;
	int sysrq; /* the board wants it on, for this kernel and the next */
	enum plan_switch sw;
	uint64_t crash_bytes; /* a crash kernel is to be loaded; 0: none */
	uint64_t ram_bytes;   /* crash kernel: what the machine has, as the firmware told the dead one; 0 unknown */
	unsigned bsp;         /* crash kernel: APIC id of the CPU that the firmware started; JOB_BSP_UNKNOWN */
	char subject[PLAN_SUBJECT_MAX], sweep[PLAN_ID_MAX + 1], box[PLAN_ID_MAX + 1];
	char start[16];                       /* chain, via-home, firmware, crash */
	char kernel[17], image[17], pack[17]; /* 16 hex, or "" */
	struct job_net net;
	struct job_test test[PLAN_TESTS_MAX];
	size_t tests;
};

struct job_error {
	unsigned line;
	char text[120];
};

/* The file. 0, -EINVAL with *e. */
int job_read(struct job *j, const char *text, size_t len, struct job_error *e);
/* The command line: kd words into j (home, or crash with kd.role=crash), and the tag of kd=. Unknown kd words are kept out. */
int job_read_cmdline(struct job *j, const char *cmdline, struct job_error *e);
int job_needs(const struct job_test *t, const char *what);

/* ADDR:PORT,MOUNTPORT:/path in its parts. 0 or -EINVAL. */
struct job_nfs {
	char addr[64], path[96];
	unsigned port, mountport;
};
int job_nfs_parse(struct job_nfs *n, const char *s);
/* ADDR:PORT; default_port where none stands (0: it must stand). 0 or -EINVAL. */
int job_addr_parse(const char *s, unsigned default_port, char *addr, size_t size, unsigned *port);

#endif
