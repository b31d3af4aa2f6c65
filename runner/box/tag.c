/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tag: two boots of home must not share a tag, even on a box without entropy, clock or network: whatever differs goes in.
 */
#include "box/tag.h"
#include "common/clock.h"
#include "common/io.h"
#include "common/record.h"
#include "common/sha256.h"

#include <fcntl.h>
#include <unistd.h>

uint32_t tag_draw(uint32_t parent)
{
	static const char *const files[] = {"/proc/net/arp", "/sys/class/net/eth0/address", "/proc/interrupts", "/proc/uptime", "/proc/driver/rtc"};
	unsigned char random[32] = {0}, out[32];
	uint64_t clocks[3] = {clock_now_ns(), clock_boot_ns(), clock_unix_ms()};
	char text[2048];
	struct sha256 s;

	sha256_init(&s);
	int fd = open("/dev/urandom", O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd >= 0) {
		if (read(fd, random, sizeof random) > 0)
			sha256_update(&s, random, sizeof random);
		close(fd);
	}
#if defined(__x86_64__) || defined(__i586__) || defined(__i686__)
	uint64_t tsc = __builtin_ia32_rdtsc();
	sha256_update(&s, &tsc, sizeof tsc);
#endif
	sha256_update(&s, clocks, sizeof clocks);
	sha256_update(&s, &parent, sizeof parent);
	for (unsigned i = 0; i < sizeof files / sizeof *files; i++) {
		ssize_t n = io_read_small(files[i], text, sizeof text);

		if (n > 0)
			sha256_update(&s, text, (size_t)n);
	}
	sha256_final(&s, out);
	return RECORD_TAG_BOX | (uint32_t)out[0] << 24 | (uint32_t)out[1] << 16 | (uint32_t)out[2] << 8 | out[3];
}
