/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * box: what the runner holds together: the job, the records, the ways out, the network. One of it, in main.c.
 */
#ifndef KD_BOX_BOX_H
#define KD_BOX_BOX_H

#include "box/job.h"
#include "box/net.h"
#include "box/promise.h"
#include "box/records.h"
#include "box/sink_nfs.h"
#include "box/sink_serial.h"

#define BOX_NEXT_DIR "/run/kd/next" /* what has been fetched for the next boot */

/* Exit codes that PID 1 knows (runner/init/runner.h). */
enum { BOX_EXIT_JUMP = 42, BOX_EXIT_RESET = 43 };

struct box {
	struct job job;
	struct promise promise;
	struct records rec;
	struct sink_serial serial;
	struct sink_nfs nfs;
	struct net net;
	uint64_t http_heard_bytes;
	uint64_t kmsg_from_us; /* messages before it are left out: a dead runner's are sent */
	unsigned kmsg_sent;
	unsigned kernel_warnings; /* WARNs that the kernel has said */
	int kmsg_fd;
	int stand_in;           /* this is runner --next */
	int stuck;              /* something hangs in the kernel and is not even ended by KILL: this boot is over */
	const char *died;       /* crash kernel: of what the other one died, panic or oops */
	int may_chain;          /* crash kernel: the next boot may be reached from here */
	int modules_done;       /* PID 1 has loaded them all */
	int net_told;           /* the NFS child knows that the network is up */
	int net_said, nfs_said; /* env records have gone out */
	int nfs_lost;           /* the errno that the last note said of the results mount, 0: it is there, or nothing was said yet */
	char clocksource[32];   /* when it was recorded */
	char cmdline[4096];
};

/* Reads what children say, starts what follows from it, and waits up to that long for more of it. */
void box_pump(struct box *b, uint64_t timeout_ms);

/* facts about the machine and this boot: records hello, ident, env. */
void box_facts_hello(struct box *b);
void box_facts_ident(struct box *b);
void box_facts_env(struct box *b);
/* How the kernel and the machine are set (box_env.c); part of box_facts_env. */
void box_env_settings(struct box *b);
/* A fact of a test: the queue of the disk that it works on, its scheduler, depth and readahead. */
void box_env_disk(struct records *r, const char *test, const char *disk);
/* The clocksource in use; `gettimeofday` or `unknown` where the kernel does not name it. */
void box_clocksource(char *out, size_t size);
/* When the clocksource is final. */
void box_facts_clock(struct box *b);
/* The last of them, before bye. */
void box_facts_end(struct box *b);
/* When they are in. */
void box_facts_modules(struct box *b);
/* That the results mount is lost, or there again: a note a change, between tests. */
void box_facts_nfs(struct box *b);
/* Network and NFS, once each, when they are known and bye has not been drawn. */
void box_facts_net(struct box *b);

/* Until PID 1 has loaded the modules, or the time is over. */
void box_wait_modules(struct box *b, uint64_t timeout_ms);

/* A value of the lines that PID 1 wrote to /run/kd/boot and /run/kd/modules; "" where there is none. */
void box_boot_value(const char *key, char *out, size_t size);
/* Appends ready_ns to /run/kd/boot. */
void box_boot_ready(void);

#endif
