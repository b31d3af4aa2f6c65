/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * background: what goes on beside a measurement: a load, by processes of its own, and a hog that competes for one CPU.
 *
 *     load=idle    nothing
 *     load=busy    workers that compute
 *     load=disk    workers that write and fsync, a file each on the place of the test
 *     load=nfs     the same on an NFS mount
 *     load=spawn   workers that fork, exec and wait without end
 *
 *     hog=none     nothing
 *     hog=one      one process that computes, bound to this process's first CPU
 *     hog=idle     the same under SCHED_IDLE, which is to have only what nobody else wants
 *
 * A worker is at work when background_start returns. All die with their parent; files are unlinked as soon as they are open.
 */
#ifndef KD_SUITE_BACKGROUND_H
#define KD_SUITE_BACKGROUND_H

#include <stdint.h>

#include "team.h"

#define BACKGROUND_FILE_BYTES (16u << 20) /* what a worker of load=disk or load=nfs writes over and over */

enum load { LOAD_IDLE, LOAD_BUSY, LOAD_DISK, LOAD_NFS, LOAD_SPAWN };
enum hog { HOG_NONE, HOG_ONE, HOG_IDLE };

extern const char *const background_loads[], *const background_hogs[]; /* words for struct arg */

struct background_count;

struct background {
	struct team team;
	struct background_count *count; /* shared with the workers */
	const char *load;
	int ready[2];    /* an int from each worker: 0 or -errno */
	uint64_t cpu_us; /* result of background_stop: CPU time of all workers */
};

/* Starts `workers` processes; dir is where files go (load=disk, load=nfs). 0 or -errno, and then nothing runs. */
int background_start(struct background *b, enum load load, unsigned workers, const char *dir);
/* Starts the hog. 0 or -errno: -ENOSYS, -EINVAL, -ENODEV where this kernel or box has no such thing. HOG_NONE: 0, nothing runs. */
int background_hog(struct background *b, enum hog hog);
/* Ends and reaps all. 0; -EIO where a worker had failed, as of a full disk. Harmless where nothing was started. */
int background_stop(struct background *b);
/* Chunks, bytes or programs that the workers have done until now. */
uint64_t background_units(const struct background *b);
/* `fact load=NAME units= cpu_us=`: what they did, and the CPU time of the last ones. After background_stop. */
void background_report(const struct background *b);
/* The reason why a hog could not be, for fact_skip. */
const char *background_hog_lacks(enum hog hog, int err);

#endif
