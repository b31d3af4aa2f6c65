/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kthreads: the CPU time of kernel threads by the family of their names (rpciod, kworker, kswapd, jbd2, bdflush ...), which getrusage cannot see.
 *
 * From /proc/<pid>/stat: a task without address space (vsize 0) that is not ending is a kernel thread, on 2.4.0 as on the newest (PF_KTHREAD came
 * with 2.6.27). A family is the name up to a `/`, else up to the first `:` or digit, without a `-` at its end: jbd2/vda-8, kworker/0:1, kswapd0
 * and flush-8:0 are jbd2, kworker, kswapd and flush; the unbound workers, kworker/u..., in which modern kernels run rpciod and
 * write-back, are kworker_u.
 * Traps: ticks of 10 ms; what a thread did that ended inside the phase is lost; the name of a worker is that of its last work.
 */
#ifndef KD_SUITE_KTHREADS_H
#define KD_SUITE_KTHREADS_H

#include <stddef.h>
#include <stdint.h>

#define KTHREADS_MAX 1024   /* looked at; 24 KiB while a phase runs */
#define KTHREADS_FAMILIES 8 /* told apart, in the order in which they were first busy; the rest is "other" */
#define KTHREADS_NAME 16    /* of a family, with its NUL */

struct kthread {
	uint32_t pid;
	uint64_t start; /* in ticks since the kernel's start: tells a pid that is used again */
	uint64_t ticks; /* of CPU, user and system */
	char name[64];  /* as the kernel gives it */
};

/* Ticks by family, the sum over what counts; the busiest single thread. */
struct kthreads {
	struct {
		char name[KTHREADS_NAME];
		uint64_t ticks;
	} family[KTHREADS_FAMILIES];
	unsigned families;
	uint64_t other, all;
	char top[64]; /* the busiest in one phase, its name as it stood at the end */
	uint64_t top_ticks;
	unsigned left_out; /* threads beyond KTHREADS_MAX */
};

/* What the threads had used when the phase began. */
struct kthreads_mark {
	unsigned n;
	struct {
		uint32_t pid;
		uint32_t ticks; /* 497 days */
		uint64_t start;
	} t[KTHREADS_MAX];
};

/* Pure: a line of /proc/<pid>/stat. 1 a kernel thread, 0 any other task, -EINVAL. */
int kthreads_parse(const char *line, struct kthread *out);
/* Pure: the family of a name. */
void kthreads_family(const char *name, char out[KTHREADS_NAME]);
/* Pure: ticks of CPU of that thread since the mark go to its family, and to top where it is the busiest. */
void kthreads_add(struct kthreads *k, const struct kthreads_mark *before, const struct kthread *t);

/* Of /proc. An empty mark where there is none: then every thread has done everything since, so do not add to it. 0 or -errno. */
int kthreads_mark(struct kthreads_mark *m);
int kthreads_since(struct kthreads *k, const struct kthreads_mark *before);
/* `fact kernel=NAME all_us= rpciod_us= ... other_us=` and `fact kernel=NAME top=kworker/u4:1 top_us=`; nothing where no tick fell to one. */
void kthreads_report(const char *name, const struct kthreads *k);

#endif
