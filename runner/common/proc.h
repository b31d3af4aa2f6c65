/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * proc: children. A child gets a process group of its own, so that it and all it started can be ended together; every
 * wait has a deadline. No threads, no signal handlers. Works from Linux 2.4 on.
 */
#ifndef KD_PROC_H
#define KD_PROC_H

#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

struct proc {
	/* given */
	const char *const *argv; /* argv[0] is the path, or a name looked up in PATH when it holds no slash */
	const char *const *env;  /* NULL: the parent's */
	const char *dir;         /* NULL: the parent's */
	int fd[4];               /* what 0..3 become in the child; -1: /dev/null, for fd[3]: closed */
	int new_session;         /* 1: setsid in place of setpgid (servers that outlive us) */
	int oom_score_adj;   /* of the child, where not 0 (Documentation/filesystems/proc.rst, 3.1); kept from who starts it where it cannot be set */
	const char *pidfile; /* written by the child before it becomes the program: who is killed in between leaves no stray. NULL: none */
	/* running */
	pid_t pid;
	/* result */
	int status; /* as of waitpid */
	struct rusage usage;
	int timed_out;
	int ended; /* reaped: status and usage hold */
};

/* Starts; 0 or -errno (exec failures are reported here, through a close-on-exec pipe). All other fds must be close-on-exec. */
int proc_start(struct proc *p);
/* Reaps if it has ended: 1 ended (now or before), 0 still runs, -errno. */
int proc_poll(struct proc *p);
/* Waits until it ends or the time is over (then TERM to the group, after grace_ms KILL; timed_out = 1). */
int proc_wait(struct proc *p, uint64_t timeout_ms, uint64_t grace_ms);
void proc_kill(struct proc *p, int sig); /* to the group */
/* Sets our own oom_score_adj, before 2.6.36 the oom_adj that is nearest. 0 or -errno. */
int proc_set_oom(int score_adj);
/* The oom_adj for it: -17 is never, 15 is first. Never 0 for what is not 0. */
int proc_oom_adj(int score_adj);
/* The whole output of a short command (stdout), bounded; exit status in *status. 0 or -errno (-ETIMEDOUT, -EFBIG). */
int proc_output(const char *const *argv, uint64_t timeout_ms, char *out, size_t size, size_t *len, int *status);

/* A process that outlives us: its pid file holds `pid start-time` (field 22 of /proc/pid/stat), so a reused pid is not mistaken. */
int proc_pidfile_write(const char *path, pid_t pid);
/* pid of a process that still runs and is the same, 0 if none, -errno. */
pid_t proc_pidfile_check(const char *path);
/* TERM, wait, KILL, wait, remove the file. */
int proc_pidfile_stop(const char *path, uint64_t grace_ms);

#endif
