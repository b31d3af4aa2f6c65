/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fault_memory: faults that use something up: memory until the kernel kills the runner, processes, the files on tmpfs.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/err.h"
#include "common/io.h"
#include "common/meminfo.h"
#include "fact.h"
#include "fault.h"

#define STEP (64u << 10)
#define MIB (1u << 20)
#define KEEP_MIB 40

/*
 * The runner is made the first choice of the kernel, and this process the last. Taken are small steps, and after each is looked whether the runner
 * has gone: memory that is used up for longer would cost its successor as well.
 */
int fault_oom(const struct fault_how *h)
{
	pid_t runner = getppid();
	char path[64];
	uint64_t taken;
	int err;

	(void)h;
	snprintf(path, sizeof(path), "/proc/%ld/oom_score_adj", (long)runner);
	err = fault_write(path, "1000");
	if (!err)
		err = fault_write("/proc/self/oom_score_adj", "-1000");
	if (err)
		return fact_skip("oom_score_adj: %s", strerror(-err));
	for (taken = 0; getppid() == runner && taken < (uint64_t)1 << 40; taken += STEP) {
		char *p = mmap(NULL, STEP, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (p == MAP_FAILED)
			return fact_fail("mmap after %llu MiB: %s", (unsigned long long)(taken / MIB), strerror(errno));
		for (size_t i = 0; i < STEP && getppid() == runner; i += 4096)
			p[i] = 1;
	}
	_exit(0); /* nobody reads our facts any more */
}

static void breed(void)
{
	for (;;)
		if (!fork())
			setsid();
}

/* As many as the machine lets it, each in a session of its own: who kills the test's group kills none of them. */
int fault_forkbomb(const struct fault_how *h)
{
	(void)h;
	signal(SIGTERM, SIG_IGN);
	signal(SIGCHLD, SIG_IGN);
	breed();
	return EXIT_OK;
}

/* MiB that a process can still have; a kernel that does not say has none left. */
static unsigned long available_mib(void)
{
	uint64_t kb;

	meminfo_free_kb(&kb);
	return (unsigned long)(kb / 1024);
}

/* Bytes written until nothing more went in, or less than keep_mib of memory was left. */
static uint64_t fill(const char *path, unsigned long keep_mib)
{
	static char block[STEP];
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	uint64_t total = 0;
	size_t size = sizeof(block);

	if (fd < 0)
		return 0;
	memset(block, 'x', sizeof(block));
	while (size && (!keep_mib || available_mib() > keep_mib)) {
		ssize_t n = write(fd, block, size);

		if (n > 0)
			total += (uint64_t)n;
		else
			size /= 2; /* the rest of the last page too */
	}
	close(fd);
	return total;
}

/*
 * What is written stays: the boot has to end, and to find its successor, with nowhere to put a file. /run, where the runner writes, is filled to
 * the last byte; /tmp as far as memory goes, which another fault uses up.
 */
int fault_diskfull(const struct fault_how *h)
{
	uint64_t bytes = fill("/run/kdfault", 0);

	(void)h;
	bytes += fill("/tmp/kdfault", KEEP_MIB);
	fact_metric("done", bytes / MIB);
	return EXIT_OK;
}
