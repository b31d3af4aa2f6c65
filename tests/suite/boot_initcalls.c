/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * boot-initcalls: the slowest initcalls of this boot, out of the kernel's log. Wants a variant of its own with the words
 *
 *     initcall_debug printk.time=1 log_buf_len=1M loglevel=4
 *
 * so that the kernel times each and says so into its log and not, at the pace of a serial line, onto its console; without the first word it skips.
 * Traps: two lines an initcall fill a log of 128 KiB, and what came first is then lost, which is said (log=cut); saying so much costs time itself, so such a boot
 * is no boot-time for another variant; on kernels without /dev/kmsg the runner empties the log, so this runs before it does (needs = early); an initcall
 * that returns -ENODEV has found nothing to do, and is counted as failed.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/klog.h>

#include "arg.h"
#include "common/err.h"
#include "common/io.h"
#include "fact.h"
#include "initcall.h"
#include "suite.h"

#define LOG_MIN (64 << 10)
#define LOG_MAX (4 << 20)
#define KLOG_READ_ALL 3
#define KLOG_SIZE 10 /* since 2.6.6 */

enum { TOP };

static int has_word(const char *cmdline, const char *word)
{
	size_t len = strlen(word);

	for (const char *p = cmdline; (p = strstr(p, word)); p += len)
		if ((p == cmdline || p[-1] == ' ') && (!p[len] || strchr(" =\n", p[len])))
			return 1;
	return 0;
}

static void report(const struct initcalls *all)
{
	struct fact f;

	fact_u64("initcalls", all->count);
	fact_u64("failed", all->failed);
	fact_str("log", all->whole ? "whole" : "cut");
	for (unsigned i = 0; i < all->n; i++) {
		fact_open(&f, "fact");
		kv_out_str(&f.o, "initcall", all->top[i].name);
		kv_out_u64(&f.o, "us", all->top[i].us);
		if (all->top[i].returned)
			kv_out_str(&f.o, "returned", "error");
		fact_send(&f);
	}
	fact_metric("sum", all->sum_us * 1000u);
}

int boot_initcalls(char **argv)
{
	struct arg args[] = {
		[TOP] = {"top", 20, 1, INITCALL_TOP_MAX, NULL, "how many of the slowest are said"},
		{0},
	};
	static struct initcalls all;
	char cmdline[4096], *log;
	int size, n;

	arg_parse(args, argv);
	if (io_read_small("/proc/cmdline", cmdline, sizeof(cmdline)) < 0 || !has_word(cmdline, "initcall_debug"))
		return fact_skip("the command line has no initcall_debug");
	size = klogctl(KLOG_SIZE, NULL, 0);
	size = size < LOG_MIN ? LOG_MIN : size > LOG_MAX ? LOG_MAX : size;
	log = malloc((size_t)size);
	if (!log)
		return fact_skip("no memory for a log of %d bytes", size);
	n = klogctl(KLOG_READ_ALL, log, size);
	if (n < 0)
		return fact_skip("the kernel log: %s", strerror(errno));
	initcalls_read(&all, log, (size_t)n, (unsigned)args[TOP].v);
	free(log);
	if (!all.count)
		return fact_skip("the kernel log of %d bytes has no initcalls", n);
	report(&all);
	return EXIT_OK;
}
