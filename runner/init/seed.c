/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * seed: SHA-256 of clocks, the command line, counters of /proc and the 16 bytes that the kernel hands to each program
 * (AT_RANDOM), by RNDADDENTROPY (random(4)). On a 486 without a cycle counter getrandom(2) would wait for minutes.
 */
#include "init/seed.h"
#include "common/clock.h"
#include "common/io.h"
#include "common/sha256.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/random.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

struct pool { /* struct rand_pool_info with its bytes */
	int entropy_count, buf_size;
	unsigned char buf[32];
};

static void mix_file(struct sha256 *s, const char *path)
{
	char buf[2048];
	ssize_t n = io_read_small(path, buf, sizeof buf);

	if (n > 0)
		sha256_update(s, buf, (size_t)n);
}

static void mix_clock(struct sha256 *s)
{
	uint64_t t[2] = {clock_now_ns(), clock_unix_ms()};

	sha256_update(s, t, sizeof t);
}

/* 1 where the kernel says that its pool is ready: most do, and then there is nothing to give. */
static int is_ready(void)
{
#ifdef SYS_getrandom
	unsigned char byte;

	return syscall(SYS_getrandom, &byte, 1UL, 1U /* GRND_NONBLOCK */) == 1;
#else
	return 0;
#endif
}

void seed_random(struct degraded *d)
{
	if (is_ready())
		return;

	struct sha256 s;
	struct pool pool = {.entropy_count = 256, .buf_size = sizeof pool.buf};
	unsigned long at = getauxval(AT_RANDOM);

	sha256_init(&s);
	mix_clock(&s);
	if (at)
		sha256_update(&s, (const void *)at, 16); /* NOLINT: an address by contract */
	mix_file(&s, "/proc/cmdline");
	mix_file(&s, "/proc/interrupts");
	mix_file(&s, "/proc/uptime");
	mix_clock(&s);
	sha256_final(&s, pool.buf);

	int fd = open("/dev/urandom", O_RDWR | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0 || ioctl(fd, RNDADDENTROPY, &pool) < 0)
		degraded_add(d, "seed", "", errno);
	if (fd >= 0)
		close(fd);
}
