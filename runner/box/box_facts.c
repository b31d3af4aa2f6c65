/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * box_facts: hello, ident and env: who speaks, on which kernel, on what machine. What a kernel does not tell is left out,
 * never guessed.
 */
#include "box/box.h"
#include "common/clock.h"
#include "common/cpus.h"
#include "common/io.h"
#include "common/proc.h"
#include "common/sha256.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BOOT_PATH "/run/kd/boot"
#define MODULES_PATH "/run/kd/modules"
#define HELLO_QUIET_MS 120000 /* modules, network and NFS may each be slow in failing */
#define CLOCK_CALLS 50
#define CLOCK_BATCHES 20

/* A file's first line; "" where there is none. */
static void read_word(const char *path, char *out, size_t size)
{
	if (io_read_small(path, out, size) < 0)
		out[0] = 0;
	out[strcspn(out, "\n")] = 0;
}

void box_boot_value(const char *key, char *out, size_t size)
{
	static const char *const files[] = {BOOT_PATH, MODULES_PATH};
	static struct kv_line l; /* 5 KiB; no threads here */
	char line[1024];

	out[0] = 0;
	for (size_t i = 0; i < 2 && !out[0]; i++) {
		read_word(files[i], line, sizeof line);
		if (kv_parse(&l, line, strlen(line)) == 0)
			kv_str(&l, key, out, size);
	}
}

void box_boot_ready(void)
{
	char line[1200];

	read_word(BOOT_PATH, line, 1024);
	if (!line[0])
		strcpy(line, "boot");
	if (strstr(line, " ready_ns="))
		return; /* a runner that came again */
	size_t n = strlen(line);
	n += (size_t)snprintf(line + n, sizeof line - n, " ready_ns=%llu\n", (unsigned long long)clock_boot_ns());
	int fd = open(BOOT_PATH, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (fd < 0)
		return;
	io_write_all(fd, line, n);
	close(fd);
}

/*
 * How thread-local storage is kept: on i386 in a segment, of the GDT (set_thread_area, from 2.5.29 on) or of an LDT (modify_ldt), which each fork then
 * copies, all 64 KiB of it: on such a kernel creating a process costs half as much again. Which one, the selector in gs tells (its bit 2).
 */
static const char *tls_kind(void)
{
#if defined(__i386__)
	unsigned selector;

	__asm__ volatile("movl %%gs, %0" : "=r"(selector));
	return selector & 4 ? "ldt" : "gdt";
#elif defined(__x86_64__)
	return "fs";
#else
	return "register";
#endif
}

void box_facts_hello(struct box *b)
{
	static const char *const role[] = {"home", "subject", "crash"};
	const struct job *j = &b->job;
	char reset[16];
	struct kv_out *o = records_begin(&b->rec, "hello", NULL);

	box_boot_value("reset", reset, sizeof reset);
	kv_out_str(o, "box", j->box);
	kv_out_str(o, "sweep", j->sweep);
	kv_out_str(o, "role", role[j->role]);
	if (j->role == JOB_CRASH && j->of)
		kv_out_hex32(o, "of", j->of);
	kv_out_str(o, "start", j->start);
	kv_out_str(o, "reset", reset[0] ? reset : "unknown");
	kv_out_u64(o, "line", j->line);
	kv_out_str(o, "image", j->image);
	kv_out_u64(o, "quiet_ms", HELLO_QUIET_MS);
	if (o->len + sizeof "tls=gdt" + 1 < RECORD_MAX - 12) /* it stands in `env` too */
		kv_out_str(o, "tls", tls_kind());
	records_end(&b->rec);
}

static void hash16(const char *data, size_t len, char out[17])
{
	char hex[65];

	sha256_hex(data, len, hex);
	memcpy(out, hex, 16);
	out[16] = 0;
}

/* The command line without words that are not the kernel's, single spaces between. */
static void strip_words(const char *cmdline, char *out, size_t size)
{
	size_t n = 0;

	while (*cmdline) {
		size_t len = strcspn(cmdline, " \t\n");

		if (len && !job_text_own_word(cmdline) && n + len + 2 < size) {
			if (n)
				out[n++] = ' ';
			memcpy(out + n, cmdline, len);
			n += len;
		}
		cmdline += len;
		cmdline += strspn(cmdline, " \t\n");
	}
	out[n] = 0;
}

/* The running kernel's config, where it carries one; decompressed, as `kernel add` hashes it. */
static void hash_config(char out[17])
{
	const char *argv[] = {"zcat", "/proc/config.gz", NULL};
	const size_t max = 1 << 20;
	size_t len = 0;
	int status = 0;

	strcpy(out, "none");
	if (access("/proc/config.gz", R_OK) < 0)
		return;
	char *text = malloc(max);
	if (text && proc_output(argv, 5000, text, max, &len, &status) == 0 && status == 0)
		hash16(text, len, out);
	free(text);
}

void box_facts_ident(struct box *b)
{
	char version[512], words[sizeof b->cmdline], proc[17], cmd[17], config[17], release[96];

	read_word("/proc/version", version, sizeof version);
	read_word("/proc/sys/kernel/osrelease", release, sizeof release);
	strip_words(b->cmdline, words, sizeof words);
	hash16(version, strlen(version), proc);
	hash16(words, strlen(words), cmd);
	hash_config(config);

	struct kv_out *o = records_begin(&b->rec, "ident", NULL);
	kv_out_hex32(o, "prev", b->job.prev);
	kv_out_str(o, "rel", release);
	kv_out_str(o, "proc", proc);
	kv_out_str(o, "cmd", cmd);
	kv_out_str(o, "config", config);
	records_end(&b->rec);
	records_text(&b->rec, "version", version);
	records_text(&b->rec, "cmdline", words);
}

/* What one clock call costs, the least over batches (a batch may be interrupted), and the smallest step seen. */
static void measure_clock(uint64_t *cost_ns, uint64_t *res_ns)
{
	*res_ns = *cost_ns = 0;
	for (int batch = 0; batch < CLOCK_BATCHES; batch++) {
		uint64_t first = clock_now_ns(), before = first, now = first;

		for (int i = 0; i < CLOCK_CALLS; i++) {
			now = clock_now_ns();
			if (now > before && (!*res_ns || now - before < *res_ns))
				*res_ns = now - before;
			before = now;
		}
		uint64_t cost = (now - first) / CLOCK_CALLS;
		if (!batch || cost < *cost_ns)
			*cost_ns = cost;
	}
}

/* Value of `name : value` in a /proc text. */
static void proc_value(const char *text, const char *name, char *out, size_t size)
{
	const char *s = strstr(text, name);

	out[0] = 0;
	if (!s || !(s = strchr(s, ':')))
		return;
	s += 1 + strspn(s + 1, " \t");
	snprintf(out, size, "%.*s", (int)strcspn(s, "\n"), s);
}

void box_clocksource(char *out, size_t size)
{
	read_word("/sys/devices/system/clocksource/clocksource0/current_clocksource", out, size);
	if (!out[0])
		snprintf(out, size, "%s", clock_is_degraded() ? "gettimeofday" : "unknown");
}

void box_facts_clock(struct box *b)
{
	uint64_t cost, res;
	struct kv_out *o = records_begin(&b->rec, "env", NULL);

	box_clocksource(b->clocksource, sizeof b->clocksource);
	measure_clock(&cost, &res);
	kv_out_u64(o, "cpus", cpus_online());
	kv_out_str(o, "clocksource", b->clocksource);
	kv_out_u64(o, "clock_ns", cost);
	kv_out_u64(o, "clock_res_ns", res);
	records_end(&b->rec);
}

void box_facts_end(struct box *b)
{
	char now[sizeof b->clocksource];
	struct kv_out *o;

	sink_nfs_poll(&b->nfs);
	box_facts_nfs(b);
	o = records_begin(&b->rec, "env", NULL);
	kv_out_u64(o, "serial_sent_bytes", b->serial.base.sent_bytes);
	kv_out_u64(o, "serial_dropped_bytes", b->serial.base.dropped_bytes);
	kv_out_u64(o, "warnings", b->kernel_warnings);
	records_end(&b->rec);
	box_clocksource(now, sizeof now);
	if (strcmp(now, b->clocksource) != 0)
		records_note(&b->rec, NULL, "clock-changed from %s to %s", b->clocksource, now);
}

static void env_machine(struct box *b)
{
	char text[4096], value[128];
	unsigned long long kb = 0;
	struct kv_out *o = records_begin(&b->rec, "env", NULL);

	if (io_read_small("/proc/meminfo", text, sizeof text) > 0) {
		proc_value(text, "MemTotal", value, sizeof value);
		kb = strtoull(value, NULL, 10);
	}
	kv_out_u64(o, "mem_kb", kb);
	read_word("/sys/kernel/kexec_crash_size", value, sizeof value);
	if (value[0]) /* kernels before 2.6.36, and without kexec, do not say */
		kv_out_str(o, "crashkernel", value);
	kv_out_str(o, "tls", tls_kind());
	records_end(&b->rec);

	records_begin(&b->rec, "env", NULL);
	read_word("/sys/class/dmi/id/product_name", value, sizeof value);
	value[48] = 0;
	if (value[0])
		records_put_cut(&b->rec, "machine", value);
	if (io_read_small("/proc/cpuinfo", text, sizeof text) > 0) {
		proc_value(text, "model name", value, sizeof value);
		if (value[0])
			records_put_cut(&b->rec, "cpu", value);
	}
	records_end(&b->rec);
}

static void env_boot(struct box *b)
{
	char degraded[512], value[32];
	struct kv_out *o = records_begin(&b->rec, "env", NULL);

	box_boot_value("init_ns", value, sizeof value);
	kv_out_str(o, "init_ns", value);
	kv_out_str(o, "serial", b->serial.uart.port ? "uart" : b->serial.fd >= 0 ? "yes" : "no");
	box_boot_value("sysctl", degraded, sizeof degraded);
	records_put_cut(&b->rec, "sysctl", degraded);
	records_end(&b->rec);
	box_boot_value("degraded", degraded, sizeof degraded);
	if (degraded[0])
		records_text(&b->rec, "degraded", degraded);
}

void box_facts_modules(struct box *b)
{
	static const char *const keys[] = {"modules_ns", "modules", "watchdog_s", "watchdog", "carries_s", "reset"};
	char line[1024], value[48], *degraded;
	struct kv_out *o = records_begin(&b->rec, "env", NULL);

	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		box_boot_value(keys[i], value, sizeof value);
		if (value[0])
			kv_out_str(o, keys[i], value);
	}
	records_end(&b->rec);
	read_word(MODULES_PATH, line, sizeof line);
	degraded = strstr(line, " degraded=");
	if (degraded && degraded[10])
		records_text(&b->rec, "modules-degraded", degraded + 10);
}

void box_facts_env(struct box *b)
{
	env_machine(b);
	box_env_settings(b);
	env_boot(b);
}

void box_facts_nfs(struct box *b)
{
	int lost = b->nfs.mounted < 0 ? -b->nfs.mounted : 0;

	if (b->rec.closed || !b->job.net.nfs[0] || !b->nfs.mounted || lost == b->nfs_lost)
		return;
	b->nfs_lost = lost;
	if (lost)
		records_note(&b->rec, NULL, "nfs lost: %s", strerror(lost));
	else
		records_note(&b->rec, NULL, "nfs back");
}

void box_facts_net(struct box *b)
{
	char path[128], driver[256] = "", speed[16] = "", duplex[16] = "";

	if (b->rec.closed)
		return;
	if (!b->net_said && (b->net.state == NET_UP || b->net.state == NET_FAILED)) {
		b->net_said = b->net.state == NET_UP;
		records_begin(&b->rec, "env", NULL);
		kv_out_raw(&b->rec.out, b->net.report);
		if (!strncmp(b->net.report, "nic=", 4)) {
			int len = (int)strcspn(b->net.report + 4, " ");

			snprintf(path, sizeof path, "/sys/class/net/%.*s/device/driver", len, b->net.report + 4);
			ssize_t n = readlink(path, driver, sizeof driver - 1);
			driver[n > 0 ? n : 0] = 0;
			snprintf(path, sizeof path, "/sys/class/net/%.*s/speed", len, b->net.report + 4);
			read_word(path, speed, sizeof speed);
			snprintf(path, sizeof path, "/sys/class/net/%.*s/duplex", len, b->net.report + 4);
			read_word(path, duplex, sizeof duplex);
		}
		if (driver[0])
			records_put_cut(&b->rec, "driver", strrchr(driver, '/') ? strrchr(driver, '/') + 1 : driver);
		if (duplex[0] && duplex[0] != 'u') /* unknown */
			records_put_cut(&b->rec, "duplex", duplex);
		if (speed[0] > '0' && speed[0] <= '9') /* -1: the driver does not know */
			records_put_cut(&b->rec, "link_mbit", speed);
		records_end(&b->rec);
	}
	if (!b->nfs_said && b->nfs.mounted == 1) {
		b->nfs_said = 1;
		kv_out_u64(records_begin(&b->rec, "env", NULL), "nfs_ms", b->nfs.mounted_ms);
		records_end(&b->rec);
	}
}
