/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * crash: see crash.h. Two traps of a kernel that runs in the memory kept for it (docs/box.md):
 * - What it was told of the machine's memory is what the next kernel is told. So it is compared with what the dead one knew.
 * - It runs on the CPU that panicked. A kernel that starts on another CPU than the firmware did leaves that one out, or resets the
 *   machine when it starts it. So it starts that one itself, when all has been said, and jumps from there (`reboot=s1`).
 */
#include "box/crash.h"
#include "common/clock.h"
#include "common/io.h"
#include "common/proc.h"
#include "common/trace.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define VMCORE_PATH "/proc/vmcore"
#define MEMMAP_PATH "/sys/firmware/memmap"
#define DMESG_MS 20000
#define DMESG_KEPT (64u << 10) /* of which the tail is sent */
#define TAIL_BYTES_MAX 20000u  /* once escaped: what `text` has parts for, and about 16 KiB of log */
#define TAIL_S 8               /* of a slow line */
#define NFS_MS 30000
#define RAM_SLACK (1u << 20) /* a kexec leaves out the first page or so */

/* The end of what comes, in out; bounded in time and bytes. Length or -errno. */
static long read_tail(int fd, struct proc *p, char *out, size_t size)
{
	uint64_t until = clock_now_ms() + DMESG_MS, now;
	size_t len = 0;

	while ((now = clock_now_ms()) < until) {
		struct pollfd w = {.fd = fd, .events = POLLIN};

		if (len > size - 4096) { /* the older half goes */
			memmove(out, out + size / 2, len - size / 2);
			len -= size / 2;
		}
		if (poll(&w, 1, (int)(until - now)) <= 0)
			break;
		ssize_t n = read(fd, out + len, size - len);
		if (n <= 0)
			break;
		len += (size_t)n;
	}
	proc_wait(p, clock_now_ms() < until ? 2000 : 0, 500);
	return p->timed_out ? -ETIMEDOUT : len ? (long)len : -ENODATA;
}

static long run_vmcore_dmesg(char *out, size_t size)
{
	const char *argv[] = {"vmcore-dmesg", VMCORE_PATH, NULL};
	int fd[2], err = access(VMCORE_PATH, R_OK) ? -errno : io_pipe(fd);

	if (err)
		return err;
	struct proc p = {.argv = argv, .fd = {-1, fd[1], -1, -1}};
	err = proc_start(&p);
	close(fd[1]);
	long n = err ? err : read_tail(fd[0], &p, out, size);
	close(fd[0]);
	return n;
}

void crash_send_dmesg(struct box *b)
{
	char *text = malloc(DMESG_KEPT + 1);
	size_t max = TAIL_BYTES_MAX, slow = b->serial.baud / 10 * TAIL_S * 2 / 3; /* a third of the line is not data */
	uint64_t start = clock_now_ms();

	promise_say(&b->promise, DMESG_MS + 60000);
	long n = text ? run_vmcore_dmesg(text, DMESG_KEPT) : -ENOMEM;
	if (n < 0) {
		records_note(&b->rec, NULL, "no dmesg of the dead kernel: %s", strerror((int)-n));
	} else {
		text[n] = 0;
		for (long i = 0; i < n; i++)
			if (!text[i])
				text[i] = '?';
		if (sink_serial_is_open(&b->serial) && slow && slow < max)
			max = slow;
		struct trace trace;
		trace_init(&trace);
		trace_feed_text(&trace, text, (size_t)n);
		b->died = trace_name(&trace);
		size_t at = trace_tail(text, (size_t)n, max);
		records_note(&b->rec, NULL, "dmesg of the dead kernel: %ld bytes in %llu ms, the last %zu follow", n,
		             (unsigned long long)(clock_now_ms() - start), (size_t)n - at);
		records_text(&b->rec, "dmesg", text + at);
	}
	free(text);
}

void crash_wait_nfs(struct box *b)
{
	uint64_t until = clock_now_ms() + NFS_MS, now;

	promise_say(&b->promise, NFS_MS + 30000);
	box_pump(b, 0);
	while ((b->net.state == NET_STARTING || (b->net.state == NET_UP && b->nfs.pid > 0 && b->nfs.mounted == 0)) && (now = clock_now_ms()) < until)
		box_pump(b, until - now);
}

static uint64_t read_number(const char *folder, const char *entry, const char *name)
{
	char path[300], text[32];

	snprintf(path, sizeof path, "%s/%s/%s", folder, entry, name);
	return io_read_small(path, text, sizeof text) > 0 ? strtoull(text, NULL, 0) : 0;
}

uint64_t crash_ram_bytes(const char *folder)
{
	DIR *d = opendir(folder);
	struct dirent *e;
	uint64_t sum = 0;
	char path[300], type[32];

	while (d && (e = readdir(d))) {
		snprintf(path, sizeof path, "%s/%.32s/type", folder, e->d_name);
		if (e->d_name[0] == '.' || io_read_small(path, type, sizeof type) <= 0 || strncmp(type, "System RAM", 10) != 0)
			continue;
		uint64_t first = read_number(folder, e->d_name, "start"), last = read_number(folder, e->d_name, "end");
		if (last > first)
			sum += last - first + 1;
	}
	if (d)
		closedir(d);
	return sum;
}

unsigned crash_apic_id(unsigned cpu)
{
#if defined(__x86_64__) || defined(__i686__)
	unsigned a = 1, bx, cx, dx;
	cpu_set_t old, set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_getaffinity(0, sizeof old, &old) < 0 || sched_setaffinity(0, sizeof set, &set) < 0)
		return JOB_BSP_UNKNOWN;
	__asm__ volatile("cpuid" : "+a"(a), "=b"(bx), "=c"(cx), "=d"(dx)); /* leaf 1: the initial APIC id is EBX[31:24] */
	sched_setaffinity(0, sizeof old, &old);
	return bx >> 24;
#else
	(void)cpu;
	return JOB_BSP_UNKNOWN;
#endif
}

/* The first CPU of the firmware runs this, or there is no other. */
static int on_first_cpu(const struct box *b) { return b->job.bsp != JOB_BSP_UNKNOWN && crash_apic_id(0) == b->job.bsp; }

int crash_may_chain(struct box *b)
{
	uint64_t ram = crash_ram_bytes(MEMMAP_PATH);

	if (b->job.sw != PLAN_CHAIN) {
		records_note(&b->rec, NULL, "resets: the sweep goes by %s", plan_switch_name(b->job.sw));
		return 0;
	}
	if (!b->job.ram_bytes || ram + RAM_SLACK < b->job.ram_bytes) {
		records_note(&b->rec, NULL, "resets: the next kernel would see %llu of %llu bytes", (unsigned long long)ram,
		             (unsigned long long)b->job.ram_bytes);
		return 0;
	}
	if (!on_first_cpu(b))
		records_note(&b->rec, NULL, "runs on CPU %u, the firmware's first is %u: that one is started before the jump", crash_apic_id(0),
		             b->job.bsp);
	return 1;
}

static const char *watchdog_of(const struct plan *p, const char *kernel)
{
	const struct plan_expect *e = plan_expect(p, kernel);

	return e ? e->watchdog : "";
}

int crash_leaves_watchdog(const struct plan *p, const char *kernel)
{
	const char *own = watchdog_of(p, kernel);

	return *own && strcmp(own, watchdog_of(p, p->home)) != 0;
}

int crash_may_boot(const struct plan *p, uint32_t of, const struct plan_try *t)
{
	const struct plan_try *dead = plan_try_by_tag(p, of);
	const char *kernel = dead ? p->subject[dead->subject].kernel : "";

	return !crash_leaves_watchdog(p, kernel) || !strcmp(watchdog_of(p, kernel), watchdog_of(p, p->subject[t->subject].kernel));
}

int crash_take_first_cpu(const struct box *b)
{
	int fd, err;

	if (on_first_cpu(b))
		return 0;
	fd = open("/sys/devices/system/cpu/cpu1/online", O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	promise_say(&b->promise, 30000);
	err = io_write_all(fd, "1", 1);
	close(fd);
	if (err)
		return err;
	return crash_apic_id(1) == b->job.bsp ? 0 : -ENODEV;
}
