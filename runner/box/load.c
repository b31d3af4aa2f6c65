/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * load: the system call, the tool, and what goes behind the image. Trap: an initramfs is several archives in a row; one that is not
 * compressed must begin at a multiple of 4, and only zero bytes may stand between them
 * (Documentation/driver-api/early-userspace/buffer-format.rst).
 */
#include "box/load.h"
#include "common/clock.h"
#include "common/io.h"
#include "common/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define TOOL_MS 60000
#define PIECE_MS 15000
#define BUSY_TRIES 200
#define KEXEC_FILE_UNLOAD 1   /* <linux/kexec.h> */
#define KEXEC_FILE_ON_CRASH 2 /* the same */

static int load_by_file(const struct load *l)
{
#ifdef SYS_kexec_file_load
	int err = 0;
	int kernel = open(l->kernel_path, O_RDONLY | O_CLOEXEC);
	int initrd = open(l->initrd_path, O_RDONLY | O_CLOEXEC);
	unsigned long flags = l->crash ? KEXEC_FILE_ON_CRASH : 0;

	if (kernel < 0 || initrd < 0)
		err = -errno;
	else if (syscall(SYS_kexec_file_load, kernel, initrd, strlen(l->cmdline) + 1, l->cmdline, flags) < 0)
		err = -errno;
	if (kernel >= 0)
		close(kernel);
	if (initrd >= 0)
		close(initrd);
	return err;
#else
	(void)l;
	return -ENOSYS;
#endif
}

/* kexec-tools; what they say goes into errors. initrd may be NULL. 0 or -errno. */
static int run_tool(const struct load *l, const char *initrd_path, const char *words, uint64_t limit_ms, char *errors, size_t size)
{
	char initrd[160], command[LOAD_CMDLINE_MAX + 32];
	int p[2], err = io_pipe(p);

	errors[0] = 0;
	if (err)
		return err;
	io_set_nonblock(p[0], 1);
	snprintf(command, sizeof command, "--command-line=%s", words);
	snprintf(initrd, sizeof initrd, "--initrd=%s", initrd_path ? initrd_path : "");
	/* The memory map's option before the command line: 2.0.25 takes the missing value of any option behind that for the command line. */
	const char *const plain[] = {"kexec", "-c", "-l", l->kernel_path, command, initrd_path ? initrd : NULL, NULL};
	const char *const crash[] = {"kexec", "-c", "-p", "--pass-memmap-cmdline", l->kernel_path, command, initrd_path ? initrd : NULL, NULL};
	struct proc tool = {.argv = l->crash ? crash : plain, .fd = {-1, p[1], p[1], -1}};
	err = proc_start(&tool);
	close(p[1]);
	if (!err) {
		proc_wait(&tool, limit_ms, 500); /* it says little: a full pipe would end at the deadline */
		ssize_t n = read(p[0], errors, size - 1);
		errors[n > 0 ? n : 0] = 0;
		for (char *c = errors; *c; c++)
			if (*c == '\n')
				*c = ' ';
		if (tool.timed_out || tool.status)
			err = tool.timed_out ? -ETIMEDOUT : -ENOEXEC;
	}
	close(p[0]);
	return err;
}

static void unload_by_tool(const struct load *l)
{
	const char *argv[] = {"kexec", l->crash ? "-p" : "-u", l->crash ? "-u" : NULL, NULL};
	char out[64];
	size_t len;
	int status;

	proc_output(argv, PIECE_MS, out, sizeof out, &len, &status);
}

/* Which piece was refused: each is loaded with as little else as can be, and taken back. */
static const char *find_culprit(const struct load *l)
{
	const struct {
		const char *initrd, *words, *what;
	} piece[] = {{NULL, "", "the kernel"}, {NULL, l->cmdline, "the command line"}, {l->initrd_path, "", "the initrd"}};
	char errors[256];

	if (access("/sys/kernel", F_OK) == 0 && access("/sys/kernel/kexec_loaded", F_OK) < 0)
		return "the kernel that runs cannot kexec";
	for (size_t i = 0; i < sizeof piece / sizeof *piece; i++) {
		int err = run_tool(l, piece[i].initrd, piece[i].words, PIECE_MS, errors, sizeof errors);

		if (err)
			return err == -ENOEXEC ? piece[i].what : "unknown";
		unload_by_tool(l);
	}
	return "all of it together";
}

static int load_by_tool(struct load *l)
{
	char errors[512];
	int err = run_tool(l, l->initrd_path, l->cmdline, TOOL_MS, errors, sizeof errors);

	l->by = "tools";
	if (err && l->crash)
		snprintf(l->why, sizeof l->why, "kexec -c -p: %.120s", errors[0] ? errors : strerror(-err));
	else if (err)
		snprintf(l->why, sizeof l->why, "%s; kexec_file_load: %s; kexec -c: %.80s", err == -ENOEXEC ? find_culprit(l) : "unknown",
		         strerror(l->file_errno), errors[0] ? errors : strerror(-err));
	return err;
}

static int by_file(struct load *l)
{
	int err = load_by_file(l);

	/* A hasher that has just been forked has yet to close the file for writing. */
	for (int i = 0; err == -ETXTBSY && i < BUSY_TRIES; i++) {
		clock_sleep_ms(5);
		err = load_by_file(l);
	}
	l->by = "file";
	l->file_errno = -err;
	return err;
}

int load_kernel(struct load *l)
{
	l->why[0] = 0;
	l->file_errno = 0;
	if (strlen(l->cmdline) > LOAD_CMDLINE_MAX) {
		snprintf(l->why, sizeof l->why, "command line of %zu bytes", strlen(l->cmdline));
		return -E2BIG;
	}
	if (!l->crash)
		return by_file(l) == 0 ? 0 : load_by_tool(l);
	int err = load_by_tool(l);
	return err && by_file(l) == 0 ? 0 : err;
}

void load_unload(const struct load *l)
{
#ifdef SYS_kexec_file_load
	unsigned long flags = KEXEC_FILE_UNLOAD | (l->crash ? KEXEC_FILE_ON_CRASH : 0);

	if (!strcmp(l->by, "file") && syscall(SYS_kexec_file_load, -1, -1, 1UL, "", flags) == 0)
		return;
#endif
	unload_by_tool(l);
}

int load_pad(int fd)
{
	off_t at = lseek(fd, 0, SEEK_CUR);

	return at < 0 ? -errno : at % 4 ? io_write_all(fd, "\0\0\0", (size_t)(4 - at % 4)) : 0;
}

int load_append_job(int initrd_fd, const char *text, size_t len)
{
	int err = load_pad(initrd_fd);

	return err ? err : job_text_archive(initrd_fd, text, len);
}
