/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stall: an NFS server that does not answer is an event, not a slow number. A process beside the test looks at the transport's counters of the mount now and
 * then: requests are out and no reply at all has come for the limit. That is seen while the test itself hangs in a system call, on TCP long before the
 * kernel says "not responding" (after 60 to 180 s), and is no stall where nothing is asked, or where one slow COMMIT is followed by others' replies.
 * What the kernel's own log says is counted too, on kernels without mountstats as the only source: "not responding, still trying", which a hard mount alone
 * says (the mount for results is soft, and says "timed out").
 *
 * Requests out: sends - recvs of the mount, less what was sent again (rpc_retrans of the box): after a lost reply sends stay ahead. The watcher looks each
 * fifth of the limit, at least each second; a look takes as long as reading /proc/self/mountstats, well under 1 ms on a machine of today.
 */
#ifndef KD_SUITE_STALL_H
#define KD_SUITE_STALL_H

#include <stdint.h>
#include <sys/types.h>

/* The judgement, pure. Begins as zeros but for limit_ns. Lies in memory shared by watcher and test; the watcher alone writes. */
struct stall {
	/* given */
	uint64_t limit_ns;
	/* running */
	uint64_t recvs, since_ns; /* the last reply, or the last time that nothing was asked */
	uint64_t retrans;         /* when this mount began */
	int begun, in;            /* a first look was had; in a stall now */
	/* result */
	unsigned n;
	uint64_t longest_ns, at_ns; /* at_ns: when the longest one began */
};

/* A look at the counters. 1 where a stall is seen to have begun. */
int stall_look(struct stall *s, uint64_t now_ns, uint64_t sends, uint64_t recvs, uint64_t retrans);
/* Pure: how often a hard NFS mount says in this log that its server does not answer. */
unsigned stall_count_log(const char *log);

struct stall_watch {
	pid_t pid;       /* 0: none */
	struct stall *s; /* shared */
	unsigned log;    /* stall_count_log when it began */
};

/* Watches the mount at dir, which may go and come again. label is for the note that it writes when a stall begins. 0 or -errno. */
int stall_watch_begin(struct stall_watch *w, const char *dir, const char *label, unsigned limit_s);
/* Stalls so far, of the longest the time in *s (may be NULL); *log: lines of the kernel's log since it began. */
unsigned stall_watch_read(const struct stall_watch *w, struct stall *s, unsigned *log);
void stall_watch_end(struct stall_watch *w);

#endif
