/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sysctl: what makes a kernel end in a panic, and so in a reset, when it is lost: /proc/sys/kernel/{panic,softlockup_panic,...}, a const table.
 * A kernel that lacks one is no worse for it; what it has and refuses is degraded.
 */
#ifndef KD_INIT_SYSCTL_H
#define KD_INIT_SYSCTL_H

#include "init/degraded.h"

#include <stddef.h>

#define SYSCTL_DIR "/proc/sys/kernel"
#define SYSCTL_DONE_MAX 160

/*
 * Sets the table below dir. On the command line `sysctl.kernel.NAME=NUMBER` gives another value, also to kernels before 5.8, which do not know
 * such words; a word like panic= or nmi_watchdog= with another value than kdyno's own leaves its row as the kernel has it.
 * done gets the names of what was set, a comma list.
 */
void sysctl_set(const char *dir, const char *cmdline, char *done, size_t size, struct degraded *d);

/* 1 where these are the machine's, and not those of whoever started us in a namespace. */
int sysctl_is_ours(const char *uid_map);

#endif
