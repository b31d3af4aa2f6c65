/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * quiet: klogctl(2) action 8 sets the console level; the old one is the first number of /proc/sys/kernel/printk.
 */
#include "box/quiet.h"
#include "common/io.h"

#include <stdlib.h>
#include <sys/klog.h>

#define KLOG_CONSOLE_LEVEL 8
#define LEVEL_DEFAULT 4

int quiet_begin(void)
{
	char text[64];
	int level = io_read_small("/proc/sys/kernel/printk", text, sizeof text) > 0 ? atoi(text) : LEVEL_DEFAULT;

	klogctl(KLOG_CONSOLE_LEVEL, NULL, 1);
	return level >= 1 && level <= 15 ? level : LEVEL_DEFAULT;
}

void quiet_end(int level) { klogctl(KLOG_CONSOLE_LEVEL, NULL, level > 8 ? 8 : level); }
