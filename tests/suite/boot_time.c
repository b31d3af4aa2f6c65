/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * boot-time: how long this kernel took from its start to the first instruction of init, and init from there to the runner.
 *
 * Measured by PID 1 (common/clock.h, clock_boot_ns: CLOCK_BOOTTIME, else CLOCK_MONOTONIC, else /proc/uptime) and handed on in the file
 * that KD_BOOT names: `boot init_ns= ready_ns= ...`, both since kernel start. Other keys of the line are kept as facts.
 * After: the guest-side milestones of initcall_debug and of the kernel test projects' boot parsers.
 * Traps: the clock starts with the kernel's timekeeping, so firmware, decompression and the first moments of the kernel
 * are not in it; one value a boot, so no repetition and no median; /proc/uptime counts hundredths of a second; what the kernel
 * prints goes into it (10 bits a byte at the console's speed), so that only equal log levels compare; a crash kernel or another
 * switch is another stratum.
 */
#include <stdlib.h>
#include <string.h>

#include "arg.h"
#include "common/err.h"
#include "common/io.h"
#include "fact.h"
#include "suite.h"

static void keep_rest(const struct kv_line *l)
{
	for (size_t i = 0; i < l->n; i++)
		if (strcmp(l->pair[i].key, "init_ns") && strcmp(l->pair[i].key, "ready_ns"))
			fact_str(l->pair[i].key, l->pair[i].val);
}

/* The first line whose word is boot. 0, -ENOENT or as kv_parse. */
static int find_line(struct kv_line *l, const char *text)
{
	int err = -1;

	while (*text && err) {
		size_t len = strcspn(text, "\n");

		err = kv_parse(l, text, len);
		if (!err && strcmp(l->word, "boot"))
			err = -1;
		text += len + (text[len] == '\n');
	}
	return err;
}

int boot_time(char **argv)
{
	static struct kv_line line; /* 5 KiB */
	static char text[KV_LINE_MAX + 1];
	struct arg args[] = {{0}};
	const char *path = getenv("KD_BOOT");
	uint64_t init_ns, ready_ns;

	arg_parse(args, argv);
	if (!path || !*path)
		return fact_skip("KD_BOOT is not set");
	if (io_read_small(path, text, sizeof(text)) < 0)
		return fact_skip("no %s", path);
	if (find_line(&line, text))
		return fact_fail("%s has no line `boot`", path);
	if (kv_u64(&line, "init_ns", &init_ns) || kv_u64(&line, "ready_ns", &ready_ns))
		return fact_fail("no init_ns or ready_ns in %s", path);
	if (ready_ns < init_ns)
		return fact_fail("ready before init: the clock went back");
	keep_rest(&line);
	fact_metric("init", init_ns);
	fact_metric("ready", ready_ns - init_ns);
	return EXIT_OK;
}
