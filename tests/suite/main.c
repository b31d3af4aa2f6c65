/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The suite: one static program with a name for each test. /kd/suite/<test> are links to it; `suite TEST name=value ...`
 * does the same by hand, `suite TEST --help` prints the parameters, `suite` alone the names. `suite fact ...` is for scripts.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "common/err.h"
#include "fact.h"
#include "fact_say.h"
#include "spawn.h"
#include "suite.h"

static const struct {
	const char *name;
	int (*run)(char **argv);
} tests[] = {
	{"boot-initcalls", boot_initcalls},
	{"boot-time", boot_time},
	{"cpu-parallel", cpu_parallel},
	{"disk-bonnie", disk_bonnie},
	{"disk-fsync", disk_fsync},
	{"disk-rand", disk_rand},
	{"disk-seq", disk_seq},
	{"disk-threads", disk_threads},
	{"disk-tree", disk_tree},
	{"fault", fault},
	{"mem-copy", mem_copy},
	{"mem-fault", mem_fault},
	{"mem-tlb", mem_tlb},
	{"net-rpc", net_rpc},
	{"net-tcp", net_tcp},
	{"net-udp", net_udp},
	{"nfs-bulk", nfs_bulk},
	{"nfs-patterns", nfs_patterns},
	{"sched-fair", sched_fair},
	{"sched-fork", sched_fork},
	{"sched-messaging", sched_messaging},
	{"sched-pingpong", sched_pingpong},
	{"sched-storm", sched_storm},
	{"sched-thief", sched_thief},
	{"sched-wake", sched_wake},
};

#define TESTS (sizeof(tests) / sizeof(tests[0]))

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static int find(const char *name)
{
	for (size_t i = 0; i < TESTS; i++)
		if (!strcmp(name, tests[i].name))
			return (int)i;
	return -1;
}

int main(int argc, char **argv)
{
	int i;

	if (argc < 1)
		return EXIT_USAGE;
	if (!strcmp(base_name(argv[0]), SPAWN_NAME))
		return EXIT_OK; /* what the tests of processes start: nothing may come before it */
	i = find(base_name(argv[0]));
	if (i < 0 && argc > 1 && !strcmp(argv[1], "fact")) {
		fact_init();
		return fact_say(argv + 2);
	}
	if (i < 0 && argc > 1) {
		argv++;
		i = find(base_name(argv[0]));
		if (i < 0) {
			err_set_name("suite");
			err_usage("no test %s", argv[0]);
		}
	}
	if (i < 0) {
		for (size_t j = 0; j < TESTS; j++)
			puts(tests[j].name);
		return EXIT_OK;
	}
	err_set_name(tests[i].name);
	signal(SIGPIPE, SIG_IGN); /* a peer or reader that has gone is an error of write(2), with a name */
	fact_init();
	return tests[i].run(argv + 1);
}
