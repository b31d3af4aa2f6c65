/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * modules: loads /kd/pack/modules/<name> in the order of /kd/pack/order, in a child, when the runner's early tests are over (seen:
 * NFS alone takes 3 s of a boot in emulation, and no early test needs it). Each failure is degraded, none stops the boot.
 */
#ifndef KD_INIT_MODULES_H
#define KD_INIT_MODULES_H

#include "init/degraded.h"

#include <stdint.h>
#include <sys/types.h>

struct modules_result {
	unsigned loaded; /* or there already */
	struct degraded degraded;
};

struct modules {
	/* given */
	const char *pack;
	/* running */
	int started;
	int fd; /* of the child's result, -1 when it is in */
	uint64_t until_ms, done_ns;
	struct modules_result result;
};

/* Starts the child, once. Without a pack all is done at once. */
void modules_start(struct modules *m);
/* 1 once: the child has ended, or its time is over. 0 before it is started. */
int modules_poll(struct modules *m);

/* In the child. */
void modules_load(const char *pack, struct modules_result *r);

/*
 * What the command line says for a module (file: NAME.ko), `NAME.param=value` as `param=value`, blanks between: for what is built in the kernel
 * reads these words itself, for a module whoever loads it must (modprobe does). Pure. What does not fit is left out.
 */
void modules_params(const char *cmdline, const char *file, char *out, size_t size);
/* 1 if /proc/misc says that somebody has /dev/watchdog. Pure. */
int modules_have_watchdog(const char *misc);

#endif
