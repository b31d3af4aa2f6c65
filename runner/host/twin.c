/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * twin: see twin.h. What stands on QEMU's command line, and why: the machine as bare as it gets (-nodefaults); PXE from QEMU's own
 * network, whose TFTP serves the lab, so that the first boot already is a PXE boot and needs no privileges; the console's socket
 * without `wait`, and with a log file that is appended to. Where the board has a line (a command that makes it slow or bad, for tests), QEMU talks to
 * that, and it keeps socket and log.
 */
#include "host/twin.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/err.h"
#include "common/io.h"
#include "common/proc.h"
#include "host/arch.h"
#include "host/kvm.h"
#include "host/lab.h"
#include "host/loader.h"
#include "host/ports.h"
#include "host/qmp.h"
#include "host/server.h"

#define ARGS_MAX 96
#define STOP_MS 3000
#define VERSION_MS 60000 /* a machine may be busy, and no sweep is to end by that */
#define NO_KVM "run/no-kvm"

struct args {
	char *argv[ARGS_MAX + 1];
	size_t n;
};

void twin_init(struct twin *t, const struct board *b, const char *sweep)
{
	memset(t, 0, sizeof(*t));
	t->board = b;
	t->sweep = sweep;
	snprintf(t->name, sizeof(t->name), "qemu-%s", b->name);
	snprintf(t->console, sizeof(t->console), "%s.console", b->name);
	snprintf(t->line, sizeof(t->line), "line-%s", b->name);
	snprintf(t->qmp, sizeof(t->qmp), "%s.qmp", b->name);
	t->raw = lab_path("sweeps/%s/console-%s.raw", sweep, b->name);
}

void twin_free(struct twin *t)
{
	free(t->raw);
	t->raw = NULL;
}

/* NULL where KVM is to be used; else why not. */
static const char *refuse_kvm(void)
{
	char *broken = lab_path(NO_KVM);
	int seen_broken = !access(broken, F_OK);

	free(broken);
	return seen_broken ? "KVM let a guest down before" : kvm_refusal();
}

int twin_kvm_broke(const struct twin *t)
{
	static const char why[] = "KVM let a guest down here; remove this file to try it again\n";
	char *log = lab_path("run/%s.log", t->name), *broken = lab_path(NO_KVM), *text = NULL;
	size_t len;
	int yes = access(broken, F_OK) && !io_read_file(log, 1 << 20, &text, &len) && strstr(text, "KVM internal error");

	if (yes)
		yes = !io_write_file(broken, why, sizeof(why) - 1, 0644);
	free(text);
	free(log);
	free(broken);
	return yes;
}

static void __attribute__((format(printf, 2, 3))) add(struct args *a, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	if (a->n == ARGS_MAX)
		err_die("too many words for QEMU: shorten [twin] qemu in the board config");
	if (vasprintf(&a->argv[a->n++], fmt, ap) < 0)
		err_die("out of memory");
	a->argv[a->n] = NULL;
	va_end(ap);
}

/* `QEMU emulator version 7.2.17 (...)`: major * 100 + minor. 0 or -errno. */
static int version(const char *qemu, char *text, size_t size, unsigned *number)
{
	const char *const argv[] = {qemu, "--version", NULL};
	unsigned major = 0, minor = 0;
	char out[512];
	size_t len = 0;
	int status = 0, err = proc_output(argv, VERSION_MS, out, sizeof(out) - 1, &len, &status);

	out[len] = 0;
	if (err)
		return err;
	if (sscanf(out, "QEMU emulator version %u.%u", &major, &minor) != 2)
		return -ENOEXEC;
	snprintf(text, size, "QEMU %u.%u", major, minor);
	*number = major * 100 + minor;
	return 0;
}

void twin_require(const struct board *b)
{
	const char *qemu = arch_find(b->arch)->qemu;
	char text[32];
	unsigned number;
	int err = version(qemu, text, sizeof(text), &number);

	if (err == -ENOENT)
		err_die("%s is missing: './build.sh qemu' installs it (8.1 or newer)", qemu);
	if (err)
		err_die("%s --version does not say its version", qemu);
}

/* A comma in a value of QEMU's is written twice. malloc'd. */
static char *quote(const char *s)
{
	char *out = malloc(2 * strlen(s) + 1), *p = out;

	if (!out)
		err_die("out of memory");
	for (; *s; s++) {
		*p++ = *s;
		if (*s == ',')
			*p++ = ',';
	}
	*p = 0;
	return out;
}

/* What QEMU's own loader starts, where the firmware cannot. 0 or -errno. */
static int add_loader(struct args *a, const struct board *b)
{
	struct loader l = {0};
	int direct = !strcmp(b->boot_path, "direct"), err = direct ? loader_read(&l, b) : 0;

	if (!err && direct) {
		add(a, "-kernel");
		add(a, "%s", l.kernel);
		add(a, "-initrd");
		add(a, "%s", l.initrd);
		add(a, "-append");
		add(a, "%s", l.cmdline);
	}
	loader_free(&l);
	return err;
}

static void add_devices(struct args *a, const struct twin *t, const char *forward)
{
	const struct board *b = t->board;
	char *scratch = lab_path("boxes/%s/scratch.img", b->name), *root = lab_path("%s", ""), *raw = quote(t->raw);
	char *qscratch = quote(scratch), *qroot = quote(root);

	add(a, "-boot");
	add(a, "order=n");
	add(a, "-netdev");
	add(a, "user,id=net0,tftp=%s,bootfile=tftp/%s/pxelinux.0%s", qroot, b->name, forward);
	add(a, "-device");
	add(a, "%s,netdev=net0,id=nic0%s%s", b->twin_nic ? b->twin_nic : "virtio-net-pci", *b->mac ? ",mac=" : "", b->mac);
	if (b->scratch_bytes) {
		if (access(scratch, R_OK | W_OK))
			err_die("open %s: %s; 'kdyno box add' makes it", scratch, strerror(errno));
		add(a, "-drive");
		add(a, "file=%s,format=raw,if=none,id=scratch,cache=writeback", qscratch);
		add(a, "-device");
		add(a, "%s,drive=scratch,serial=kdyno-scratch", b->twin_ide ? "ide-hd" : "virtio-blk-pci");
	}
	add(a, "-device");
	add(a, "i6300esb");
	add(a, "-chardev");
	if (b->line)
		add(a, "socket,id=console,path=%s,server=on,wait=off", t->line);
	else
		add(a, "socket,id=console,path=%s,server=on,wait=off,logfile=%s,logappend=on", t->console, raw);
	add(a, "-serial");
	add(a, "chardev:console");
	add(a, "-qmp");
	add(a, "unix:%s,server=on,wait=off", t->qmp);
	free(scratch);
	free(root);
	free(raw);
	free(qscratch);
	free(qroot);
}

/* The word of -netdev that opens the box's ssh to this machine, and only where the sweep wants it; "" else. Dies. */
static void open_ssh(const struct twin *t, char *word, size_t size)
{
	char *path = lab_path("run/%s.ssh", t->board->name), text[16];
	int port = t->ssh ? ports_free() : 0, err = 0;

	*word = 0;
	unlink(path);
	if (t->ssh && port < 0)
		err_die_code(port, "no free TCP port on 127.0.0.1:");
	if (t->ssh) {
		snprintf(word, size, ",hostfwd=tcp:127.0.0.1:%d-:22", port);
		snprintf(text, sizeof(text), "%d\n", port);
		err = io_write_file(path, text, strlen(text), 0644);
	}
	if (err)
		err_die_code(err, "write %s:", path);
	free(path);
}

unsigned twin_ssh_port(const struct twin *t)
{
	char *path = lab_path("run/%s.ssh", t->board->name), text[16];
	unsigned port = 0;

	if (!t->ssh || io_read_small(path, text, sizeof(text)) <= 0 || sscanf(text, "%u", &port) != 1 || port > 65535)
		port = 0;
	free(path);
	return port;
}

/* The board's own words, cut at blanks. */
static void add_words(struct args *a, const char *words)
{
	while (words && *words) {
		size_t n = strcspn(words, " \t");

		if (n)
			add(a, "%.*s", (int)n, words);
		words += n + strspn(words + n, " \t");
	}
}

static void add_machine(struct args *a, const struct board *b, int kvm, unsigned qemu)
{
	const struct arch *arch = arch_find(b->arch);
	const char *cpu = b->twin_cpu ? b->twin_cpu : arch->cpu;

	add(a, "%s", arch->qemu);
	add(a, "-name");
	add(a, "kdyno-%s", b->name);
	add(a, "-nodefaults");
	add(a, "-no-user-config");
	add(a, "-display");
	add(a, "none");
	add(a, "-machine");
	add(a, "%s", arch->machine);
	add(a, "-accel");
	add(a, kvm ? "kvm" : "tcg,thread=multi");
	if (!cpu && kvm)
		cpu = "host";
	if (!cpu && qemu < 801)
		cpu = "qemu64,-cx16"; /* the emulation of cmpxchg16b corrupts guests before 8.1 */
	if (cpu) {
		add(a, "-cpu");
		add(a, "%s", cpu);
	}
	add(a, "-smp");
	add(a, "%u", b->cpus);
	add(a, "-m");
	add(a, "%llu", (unsigned long long)(b->mem_bytes >> 20));
}

int twin_keep_line(const struct twin *t)
{
	struct args a = {.n = 0};
	int err;

	if (!t->board->line || server_pid(t->line))
		return 0;
	add_words(&a, t->board->line);
	add(&a, "%s", t->line);
	add(&a, "%s", t->raw);
	add(&a, "%s", t->console);
	err = server_start(t->line, (const char *const *)a.argv);
	for (size_t i = 0; i < a.n; i++)
		free(a.argv[i]);
	return err;
}

int twin_start(const struct twin *t, char *how, size_t size)
{
	struct args a = {.n = 0};
	char ver[32], forward[64], *owner = lab_path("run/%s.sweep", t->name);
	unsigned qemu;
	const char *no_kvm = refuse_kvm();
	int kvm = !no_kvm, err = version(arch_find(t->board->arch)->qemu, ver, sizeof(ver), &qemu);

	if (err) {
		free(owner);
		return err;
	}
	snprintf(how, size, "%s, %s%s%s%s", ver, kvm ? "KVM" : "emulated CPUs (", kvm ? "" : no_kvm, kvm ? "" : ")",
	         qemu < 801 ? "; older than 8.1: without cx16, boots may die and are tried again" : "");
	add_machine(&a, t->board, kvm, qemu);
	open_ssh(t, forward, sizeof(forward));
	add_devices(&a, t, forward);
	err = add_loader(&a, t->board);
	add_words(&a, t->board->twin);
	if (!err)
		err = io_write_file(owner, t->sweep, strlen(t->sweep), 0644);
	if (!err)
		err = twin_keep_line(t);
	if (!err)
		err = server_start(t->name, (const char *const *)a.argv);
	for (size_t i = 0; i < a.n; i++)
		free(a.argv[i]);
	free(owner);
	return err;
}

int twin_adopt(const struct twin *t)
{
	char *owner = lab_path("run/%s.sweep", t->name), sweep[80];
	ssize_t n = io_read_small(owner, sweep, sizeof(sweep));

	free(owner);
	if (!server_pid(t->name))
		return 0;
	if (n > 0 && !strcmp(sweep, t->sweep)) {
		twin_keep_line(t);
		return 1;
	}
	twin_stop(t);
	return 0;
}

int twin_reset(const struct twin *t) { return qmp_command(t->qmp, "{\"execute\":\"system_reset\"}"); }

void twin_trim(const struct twin *t, uint64_t from, uint64_t to)
{
	int fd = open(t->raw, O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	/* its size, by which QEMU appends and we go on reading, stays; a file system that cannot do it keeps the bytes */
	(void)!fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)from, (off_t)(to - from));
	close(fd);
}

int twin_break(const struct twin *t) { return qmp_command(t->qmp, "{\"execute\":\"chardev-send-break\",\"arguments\":{\"id\":\"console\"}}"); }

void twin_stop(const struct twin *t)
{
	char *ssh = lab_path("run/%s.ssh", t->board->name);

	qmp_command(t->qmp, "{\"execute\":\"quit\"}");
	server_stop(t->name, STOP_MS);
	unlink(ssh);
	free(ssh);
	if (t->board->line)
		server_stop(t->line, STOP_MS);
}
