/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stall: the judgement and the process that looks.
 *
 * The trap: the watcher shares fd 3 with the test. Its one line is a single write(2) of less than PIPE_BUF bytes, which no other can cut in two.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/klog.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/clock.h"
#include "fact.h"
#include "mountstats.h"
#include "nfs_rpc.h"
#include "stall.h"

#define LOOKS 5          /* a limit */
#define LOG_BYTES 131072 /* the end of the kernel's log */
#define KLOG_READ_ALL 3

int stall_look(struct stall *s, uint64_t now_ns, uint64_t sends, uint64_t recvs, uint64_t retrans)
{
	uint64_t again, ns;

	if (!s->begun || recvs < s->recvs || retrans < s->retrans) /* another mount */
		s->retrans = retrans;
	again = retrans - s->retrans;
	if (!s->begun || recvs != s->recvs || sends <= recvs + again) {
		if (s->in && s->n && now_ns - s->since_ns > s->longest_ns) {
			s->longest_ns = now_ns - s->since_ns;
			s->at_ns = s->since_ns;
		}
		s->begun = 1;
		s->in = 0;
		s->recvs = recvs;
		s->since_ns = now_ns;
		return 0;
	}
	ns = now_ns - s->since_ns;
	if (ns < s->limit_ns)
		return 0;
	if (ns > s->longest_ns) {
		s->longest_ns = ns;
		s->at_ns = s->since_ns;
	}
	if (s->in)
		return 0;
	s->in = 1;
	s->n++;
	return 1;
}

unsigned stall_count_log(const char *log)
{
	static const char trying[] = " not responding, still trying";
	unsigned n = 0;

	for (const char *at = log; (at = strstr(at, trying)); at += sizeof(trying) - 1) {
		const char *line = at;

		while (line > log && line[-1] != '\n')
			line--;
		line = strstr(line, "nfs: server ");
		n += line && line < at;
	}
	return n;
}

static unsigned read_log(void)
{
	char *log = malloc(LOG_BYTES);
	unsigned found = 0;
	int n;

	if (!log)
		return 0;
	n = klogctl(KLOG_READ_ALL, log, LOG_BYTES - 1);
	if (n > 0) {
		log[n] = 0;
		found = stall_count_log(log);
	}
	free(log);
	return found;
}

static void look(struct stall *s, const char *dir, const char *label)
{
	struct nfs_rpc rpc;
	struct mountstats m;

	nfs_rpc_read(&rpc);
	if (mountstats_read(dir, &m)) { /* between two mounts, or a kernel without it */
		s->begun = 0;
		return;
	}
	if (stall_look(s, clock_now_ns(), m.xprt[MS_SENDS], m.xprt[MS_RECVS], rpc.v[RPC_RETRANS]))
		fact_note("NFS %s: requests are out, and no reply for %u s", label, (unsigned)(s->limit_ns / 1000000000u));
}

static void watch(struct stall *s, const char *dir, const char *label, pid_t parent)
{
	unsigned limit_s = (unsigned)(s->limit_ns / 1000000000u);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (getppid() == parent) {
		look(s, dir, label);
		sleep(limit_s / LOOKS ? limit_s / LOOKS : 1);
	}
	_exit(0);
}

int stall_watch_begin(struct stall_watch *w, const char *dir, const char *label, unsigned limit_s)
{
	pid_t parent = getpid();

	memset(w, 0, sizeof(*w));
	w->s = mmap(NULL, sizeof(*w->s), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (w->s == MAP_FAILED) {
		w->s = NULL;
		return -errno;
	}
	w->s->limit_ns = limit_s * 1000000000ull;
	w->log = read_log();
	w->pid = fork();
	if (!w->pid)
		watch(w->s, dir, label, parent);
	return w->pid < 0 ? -errno : 0;
}

unsigned stall_watch_read(const struct stall_watch *w, struct stall *s, unsigned *log)
{
	unsigned now;

	memset(s, 0, sizeof(*s));
	*log = 0;
	if (!w->s)
		return 0;
	*s = *w->s;
	now = read_log();
	*log = now > w->log ? now - w->log : 0;
	return s->n;
}

void stall_watch_end(struct stall_watch *w)
{
	if (w->pid > 0) {
		kill(w->pid, SIGKILL);
		while (waitpid(w->pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	if (w->s)
		munmap(w->s, sizeof(*w->s));
	memset(w, 0, sizeof(*w));
}
