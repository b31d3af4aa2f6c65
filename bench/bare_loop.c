/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bare_loop: the barest loops that a test's own are measured against: what the kernel does, a clock call before and one behind, and nothing else.
 * No pattern, no books, no check: a floor, not a model to copy. Prints the ns of each of REPS repetitions, a line each.
 *
 *     bare_loop read FILE CHUNK REPS      pread of the whole file, CHUNK bytes a call
 *     bare_loop pingpong TRIPS REPS       one byte to and fro through two pipes, between two processes
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static unsigned long long now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (unsigned long long)ts.tv_sec * 1000000000ull + (unsigned long long)ts.tv_nsec;
}

static int read_file(const char *path, size_t chunk, unsigned reps)
{
	int fd = open(path, O_RDONLY);
	void *buf = NULL;
	struct stat st;

	if (fd < 0 || posix_memalign(&buf, 4096, chunk) || fstat(fd, &st)) {
		perror(path);
		return 1;
	}
	for (unsigned i = 0; i < reps; i++) {
		unsigned long long start = now_ns();

		for (off_t at = 0; at < st.st_size; at += (off_t)chunk)
			if (pread(fd, buf, chunk, at) != (ssize_t)chunk)
				return 1;
		printf("%llu\n", now_ns() - start);
	}
	return 0;
}

static int echo(int from, int to)
{
	char c;

	while (read(from, &c, 1) == 1)
		if (write(to, &c, 1) != 1)
			return 1;
	return 0;
}

static int pingpong(unsigned long trips, unsigned reps)
{
	int there[2], back[2];
	char c = 0;

	if (pipe(there) || pipe(back))
		return 1;
	if (!fork()) {
		close(there[1]);
		_exit(echo(there[0], back[1]));
	}
	close(there[0]);
	for (unsigned i = 0; i < reps; i++) {
		unsigned long long start = now_ns();

		for (unsigned long n = 0; n < trips; n++)
			if (write(there[1], &c, 1) != 1 || read(back[0], &c, 1) != 1)
				return 1;
		printf("%llu\n", now_ns() - start);
	}
	close(there[1]);
	wait(NULL);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 5 && !strcmp(argv[1], "read"))
		return read_file(argv[2], strtoul(argv[3], NULL, 10), (unsigned)atoi(argv[4]));
	if (argc == 4 && !strcmp(argv[1], "pingpong"))
		return pingpong(strtoul(argv[2], NULL, 10), (unsigned)atoi(argv[3]));
	fputs("usage: bare_loop read FILE CHUNK REPS | pingpong TRIPS REPS\n", stderr);
	return 2;
}
