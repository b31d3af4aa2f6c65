/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * old-kernel [-x] VERSION COMMAND ARG...: runs a static program as if the kernel were that old: each system call that came later answers ENOSYS.
 * With -x it becomes the program, with its own number (PID 1 of a namespace), and the program keeps its vDSO.
 *
 * By seccomp, from a table of x86-64 numbers with the version in which the call of that name came to Linux (syscalls(2) of man-pages; the earlier one where
 * it was ported back to 2.4); what was there at 2.4.0 is not in it. x86-64 itself came with 2.4.20, so names count: calls that i386 had by socketcall and ipc are
 * there, and arch_prctl, which does what modify_ldt does there, is let through. Some newer arguments of old calls are refused as well.
 * The vDSO would give clock_gettime without a system call: it is struck out of the program's auxiliary vector by ptrace.
 * Traps: a program that this one executes has a vDSO again (the filter stays); execve of a dynamic program fails (openat), which shows that the filter works;
 * flags that old kernels ignore (O_CLOEXEC) are not ignored.
 */
#include <elf.h>
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#define V(a, b, c) ((a) << 16 | (b) << 8 | (c))
#define LAST_KNOWN 469 /* what comes behind it is newer than this file */
#define AUXV_WORDS 4096

/* From `first` to `last`, all of them of that version. */
static const struct {
	unsigned short first, last;
	unsigned version;
} later[] = {
	{186, 186, V(2, 4, 11)}, /* gettid */
	{187, 187, V(2, 4, 13)}, /* readahead */
	{188, 199, V(2, 4, 18)}, /* setxattr ... fremovexattr */
	{200, 200, V(2, 4, 22)}, /* tkill */
	{202, 216, V(2, 6, 0)},  /* futex, sched_setaffinity, sched_getaffinity, set_thread_area, io_*, epoll_create, remap_file_pages */
	{218, 219, V(2, 6, 0)},  /* set_tid_address, restart_syscall */
	{220, 220, V(2, 4, 22)}, /* semtimedop */
	{221, 234, V(2, 6, 0)},  /* fadvise64, timer_*, clock_*, exit_group, epoll_wait, epoll_ctl, tgkill */
	{236, 245, V(2, 6, 6)},  /* vserver (never there), mbind, set_mempolicy, get_mempolicy, mq_* */
	{246, 246, V(2, 6, 13)}, /* kexec_load */
	{247, 250, V(2, 6, 10)}, /* waitid, add_key, request_key, keyctl */
	{251, 255, V(2, 6, 13)}, /* ioprio_*, inotify_* */
	{256, 272, V(2, 6, 16)}, /* migrate_pages, openat ... faccessat, pselect6, ppoll, unshare */
	{273, 278, V(2, 6, 17)}, /* set_robust_list, get_robust_list, splice, tee, sync_file_range, vmsplice */
	{279, 279, V(2, 6, 18)}, /* move_pages */
	{280, 280, V(2, 6, 22)}, /* utimensat */
	{281, 281, V(2, 6, 19)}, /* epoll_pwait */
	{282, 282, V(2, 6, 22)}, /* signalfd */
	{283, 283, V(2, 6, 25)}, /* timerfd_create */
	{284, 284, V(2, 6, 22)}, /* eventfd */
	{285, 285, V(2, 6, 23)}, /* fallocate */
	{286, 287, V(2, 6, 25)}, /* timerfd_settime, timerfd_gettime */
	{288, 288, V(2, 6, 28)}, /* accept4 */
	{289, 294, V(2, 6, 27)}, /* signalfd4, eventfd2, epoll_create1, dup3, pipe2, inotify_init1 */
	{295, 296, V(2, 6, 30)}, /* preadv, pwritev */
	{297, 298, V(2, 6, 31)}, /* rt_tgsigqueueinfo, perf_event_open */
	{299, 299, V(2, 6, 33)}, /* recvmmsg */
	{300, 301, V(2, 6, 37)}, /* fanotify_* */
	{302, 302, V(2, 6, 36)}, /* prlimit64 */
	{303, 306, V(2, 6, 39)}, /* name_to_handle_at, open_by_handle_at, clock_adjtime, syncfs */
	{307, 308, V(3, 0, 0)},  /* sendmmsg, setns */
	{309, 309, V(2, 6, 19)}, /* getcpu */
	{310, 311, V(3, 2, 0)},  /* process_vm_* */
	{312, 312, V(3, 5, 0)},  /* kcmp */
	{313, 313, V(3, 8, 0)},  /* finit_module */
	{314, 315, V(3, 14, 0)}, /* sched_setattr, sched_getattr */
	{316, 316, V(3, 15, 0)}, /* renameat2 */
	{317, 320, V(3, 17, 0)}, /* seccomp, getrandom, memfd_create, kexec_file_load */
	{321, 321, V(3, 18, 0)}, /* bpf */
	{322, 322, V(3, 19, 0)}, /* execveat */
	{323, 324, V(4, 3, 0)},  /* userfaultfd, membarrier */
	{325, 325, V(4, 4, 0)},  /* mlock2 */
	{326, 326, V(4, 5, 0)},  /* copy_file_range */
	{327, 328, V(4, 6, 0)},  /* preadv2, pwritev2 */
	{329, 331, V(4, 9, 0)},  /* pkey_* */
	{332, 332, V(4, 11, 0)}, /* statx */
	{333, 334, V(4, 18, 0)}, /* io_pgetevents, rseq */
	{335, 427, V(5, 1, 0)},  /* pidfd_send_signal, io_uring_*; none between */
	{428, 433, V(5, 2, 0)},  /* open_tree ... fspick */
	{434, 435, V(5, 3, 0)},  /* pidfd_open, clone3 */
	{436, 436, V(5, 9, 0)},  /* close_range */
	{437, 438, V(5, 6, 0)},  /* openat2, pidfd_getfd */
	{439, 439, V(5, 8, 0)},  /* faccessat2 */
	{440, 440, V(5, 10, 0)}, /* process_madvise */
	{441, 441, V(5, 11, 0)}, /* epoll_pwait2 */
	{442, 442, V(5, 12, 0)}, /* mount_setattr */
	{443, 443, V(5, 14, 0)}, /* quotactl_fd */
	{444, 446, V(5, 13, 0)}, /* landlock_* */
	{447, 447, V(5, 14, 0)}, /* memfd_secret */
	{448, 448, V(5, 15, 0)}, /* process_mrelease */
	{449, 449, V(5, 16, 0)}, /* futex_waitv */
	{450, 450, V(5, 17, 0)}, /* set_mempolicy_home_node */
	{451, 451, V(6, 5, 0)},  /* cachestat */
	{452, 453, V(6, 6, 0)},  /* fchmodat2, map_shadow_stack */
	{454, 456, V(6, 7, 0)},  /* futex_wake, futex_wait, futex_requeue */
	{457, 461, V(6, 8, 0)},  /* statmount, listmount, lsm_* */
	{462, 462, V(6, 10, 0)}, /* mseal */
	{463, 466, V(6, 13, 0)}, /* setxattrat ... removexattrat */
	{467, 467, V(6, 15, 0)}, /* open_tree_attr */
	{468, 469, V(6, 17, 0)}, /* file_getattr, file_setattr */
};

#define LATER (sizeof later / sizeof *later)

/* Arguments that came later: a call whose argument has one of these bits, or is at least that value, answers EINVAL. */
static const struct {
	unsigned short nr, arg;
	unsigned bits, least, version;
} argument[] = {
	{41, 1, SOCK_CLOEXEC | SOCK_NONBLOCK, 0, V(2, 6, 27)}, /* socket */
	{53, 1, SOCK_CLOEXEC | SOCK_NONBLOCK, 0, V(2, 6, 27)}, /* socketpair */
	{72, 1, 0, 1030, V(2, 6, 24)},                         /* fcntl: F_DUPFD_CLOEXEC and what follows it */
	{28, 2, 0, 8, V(2, 6, 16)},                            /* madvise: MADV_FREE, MADV_REMOVE and on */
	{157, 0, 0, 15, V(2, 6, 9)},                           /* prctl: PR_SET_NAME and on */
};

#define ARGUMENTS (sizeof argument / sizeof *argument)

static void die(const char *what)
{
	fprintf(stderr, "old-kernel: %s: %s\n", what, strerror(errno));
	exit(125);
}

static struct sock_filter code[LATER * 3 + ARGUMENTS * 6 + 16];
static unsigned short length;

static void put(unsigned short op, unsigned char if_true, unsigned char if_false, unsigned k)
{
	code[length++] = (struct sock_filter)BPF_JUMP(op, k, if_true, if_false);
}

static void load(size_t offset) { put(BPF_LD | BPF_W | BPF_ABS, 0, 0, (unsigned)offset); }
static void give(unsigned what) { put(BPF_RET | BPF_K, 0, 0, what); }

static void make_filter(unsigned version)
{
	load(offsetof(struct seccomp_data, arch));
	put(BPF_JMP | BPF_JEQ | BPF_K, 1, 0, AUDIT_ARCH_X86_64);
	give(SECCOMP_RET_KILL_PROCESS);
	load(offsetof(struct seccomp_data, nr));
	if (version < V(7, 0, 0)) {
		put(BPF_JMP | BPF_JGT | BPF_K, 0, 1, LAST_KNOWN);
		give(SECCOMP_RET_ERRNO | ENOSYS);
	}
	for (size_t i = 0; i < LATER; i++) {
		if (later[i].version <= version)
			continue;
		put(BPF_JMP | BPF_JGE | BPF_K, 0, 2, later[i].first);
		put(BPF_JMP | BPF_JGT | BPF_K, 1, 0, later[i].last);
		give(SECCOMP_RET_ERRNO | ENOSYS);
	}
	for (size_t i = 0; i < ARGUMENTS; i++) {
		if (argument[i].version <= version)
			continue;
		put(BPF_JMP | BPF_JEQ | BPF_K, 0, 4, argument[i].nr);
		load(offsetof(struct seccomp_data, args) + 8 * argument[i].arg);
		if (argument[i].bits)
			put(BPF_JMP | BPF_JSET | BPF_K, 0, 1, argument[i].bits);
		else
			put(BPF_JMP | BPF_JGE | BPF_K, 0, 1, argument[i].least);
		give(SECCOMP_RET_ERRNO | EINVAL);
		load(offsetof(struct seccomp_data, nr));
	}
	give(SECCOMP_RET_ALLOW);
}

static unsigned parse_version(const char *text)
{
	unsigned a = 0, b = 0, c = 0;

	if (sscanf(text, "%u.%u.%u", &a, &b, &c) < 2 || a > 255 || b > 255 || c > 255) {
		fprintf(stderr, "old-kernel: %s: wanted a version like 2.4.0\n", text);
		exit(125);
	}
	return V(a, b, c);
}

/* The child stands before its first instruction; its stack holds argc, argv, envp, auxv. */
static void strike_vdso(pid_t pid)
{
	struct user_regs_struct r;
	unsigned long at, word = 0;
	unsigned nulls = 0;

	if (ptrace(PTRACE_GETREGS, pid, NULL, &r))
		die("ptrace");
	at = r.rsp + 8;
	for (unsigned i = 0; i < AUXV_WORDS && nulls < 2; i++, at += 8) { /* behind argv and envp */
		errno = 0;
		word = (unsigned long)ptrace(PTRACE_PEEKDATA, pid, at, NULL);
		if (errno)
			die("ptrace");
		nulls += !word;
	}
	for (unsigned i = 0; i < 64; i++, at += 16) {
		word = (unsigned long)ptrace(PTRACE_PEEKDATA, pid, at, NULL);
		if (word == AT_NULL)
			return;
		if (word == AT_SYSINFO_EHDR && ptrace(PTRACE_POKEDATA, pid, at, AT_IGNORE))
			die("ptrace");
	}
}

static void run(char **argv, int traced)
{
	struct sock_fprog program = {length, code};

	if (traced && ptrace(PTRACE_TRACEME, 0, NULL, NULL))
		die("ptrace");
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		die("seccomp");
	execv(argv[0], argv);
	fprintf(stderr, "old-kernel: %s: %s\n", argv[0], strerror(errno));
	_exit(127);
}

int main(int argc, char **argv)
{
	int status, become = argc > 1 && !strcmp(argv[1], "-x");
	pid_t pid;

	argc -= become;
	argv += become;
	if (argc < 3) {
		fprintf(stderr, "usage: old-kernel [-x] VERSION COMMAND ARG...\n");
		return 125;
	}
	make_filter(parse_version(argv[1]));
	if (become)
		run(argv + 2, 0);
	pid = fork();
	if (pid < 0)
		die("fork");
	if (!pid)
		run(argv + 2, 1);
	if (waitpid(pid, &status, 0) < 0)
		die("wait");
	if (WIFSTOPPED(status)) { /* at execve */
		strike_vdso(pid);
		signal(SIGTERM, SIG_IGN);
		if (ptrace(PTRACE_DETACH, pid, NULL, NULL) || waitpid(pid, &status, 0) < 0)
			die("wait");
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
