/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bare: the barest init that the figures of docs/PERFORMANCE.md are measured against. It says when it started, by the
 * kernel's clock, on the console that the kernel gave it; where /next/vmlinuz is in its image it kexecs into that with
 * /next/initrd and the command line /next/cmdline, else it powers off. No mounts, no modules, no checks: a floor, not a
 * model to copy.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/reboot.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* <linux/reboot.h>; not in musl's headers */
#define CMD_KEXEC 0x45584543

static void say(const char *what)
{
	struct timespec ts;
	char line[96];
	int n;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	n = snprintf(line, sizeof(line), "bare %s %lld\r\n", what, (long long)ts.tv_sec * 1000000000LL + ts.tv_nsec);
	if (write(1, line, (size_t)n) != n)
		_exit(1);
}

static void jump(int kernel)
{
	char words[1024];
	ssize_t len;
	int fd = open("/next/cmdline", O_RDONLY), initrd = open("/next/initrd", O_RDONLY);

	len = read(fd, words, sizeof(words) - 1);
	if (len < 0)
		len = 0;
	words[len] = 0;
	say("jump");
	/* the length counts the NUL: kexec_file_load(2) */
	if (syscall(SYS_kexec_file_load, kernel, initrd, (unsigned long)len + 1, words, 0UL) == 0)
		reboot(CMD_KEXEC);
	say("failed");
}

int main(void)
{
	int kernel;

	say("init");
	kernel = open("/next/vmlinuz", O_RDONLY);
	if (kernel >= 0)
		jump(kernel);
	reboot(RB_POWER_OFF);
	for (;;)
		pause();
}
