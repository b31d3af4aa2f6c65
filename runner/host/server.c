/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * server: see server.h. Trap: a child that ends stays a zombie, which the pid file's check takes for dead, and that is what is
 * wanted; the station reaps with SIGCHLD ignored or at its end.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/io.h"
#include "common/proc.h"
#include "host/lab.h"
#include "host/server.h"

int server_start(const char *name, const char *const *argv)
{
	char *log = lab_path("run/%s.log", name), *pidfile = lab_path("run/%s.pid", name), *dir = lab_path("run");
	struct proc p = {.argv = argv, .dir = dir, .fd = {-1, -1, -1, -1}, .new_session = 1, .pidfile = pidfile};
	int fd = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	int err = fd < 0 ? -errno : 0;

	if (!err) {
		p.fd[1] = p.fd[2] = fd;
		err = proc_start(&p);
	}
	if (fd >= 0)
		close(fd);
	free(log);
	free(pidfile);
	free(dir);
	return err;
}

void server_self(char *out, size_t size)
{
	ssize_t n = readlink("/proc/self/exe", out, size - 1);

	out[n < 0 ? 0 : n] = 0;
	if (n <= 0 || access(out, X_OK))
		snprintf(out, size, "/proc/self/exe");
}

pid_t server_pid(const char *name)
{
	char *pidfile = lab_path("run/%s.pid", name);
	pid_t pid = proc_pidfile_check(pidfile);

	free(pidfile);
	return pid > 0 ? pid : 0;
}

int server_stop(const char *name, unsigned grace_ms)
{
	char *pidfile = lab_path("run/%s.pid", name);
	int err = proc_pidfile_stop(pidfile, grace_ms);

	free(pidfile);
	return err;
}

static int connects(unsigned port)
{
	struct sockaddr_in sin = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), yes;

	if (fd < 0)
		return 0;
	yes = !connect(fd, (struct sockaddr *)&sin, sizeof(sin));
	close(fd);
	return yes;
}

int server_wait_port(const char *name, unsigned port, unsigned timeout_ms)
{
	uint64_t start = clock_now_ms();

	while (!connects(port)) {
		if (!server_pid(name))
			return -ECHILD;
		if (clock_now_ms() - start > timeout_ms)
			return -ETIMEDOUT;
		clock_sleep_ms(20);
	}
	return 0;
}

int server_socket(const char *name, int listening)
{
	struct sockaddr_un un = {.sun_family = AF_UNIX};
	char *run = lab_path("run");
	int dir = open(run, O_PATH | O_DIRECTORY | O_CLOEXEC), fd = -1, err = dir < 0 ? -errno : 0, n;

	free(run);
	if (err)
		return err;
	n = snprintf(un.sun_path, sizeof(un.sun_path), "/proc/self/fd/%d/%s", dir, name);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | (listening ? 0 : SOCK_NONBLOCK), 0);
	if (n < 0 || (size_t)n >= sizeof(un.sun_path))
		err = -ENAMETOOLONG;
	else if (fd < 0)
		err = -errno;
	else if (!listening) /* who does not take us in at once, for his queue is full, hangs: EAGAIN */
		err = connect(fd, (struct sockaddr *)&un, sizeof(un)) ? -errno : io_set_nonblock(fd, 0);
	else if (fchmod(fd, 0600) || (unlinkat(dir, name, 0) && errno != ENOENT) || bind(fd, (struct sockaddr *)&un, sizeof(un)) || listen(fd, 16))
		err = -errno;
	close(dir);
	if (err && fd >= 0)
		close(fd);
	return err ? err : fd;
}

void server_last_words(const char *name, char *out, size_t size)
{
	char *log = lab_path("run/%s.log", name), *text = NULL, *line;
	size_t len;

	*out = 0;
	if (!io_read_file(log, 1 << 20, &text, &len)) {
		while (len && (text[len - 1] == '\n' || text[len - 1] == ' '))
			text[--len] = 0;
		line = strrchr(text, '\n');
		snprintf(out, size, "%s", line ? line + 1 : text);
		for (char *p = out; *p; p++)
			if (*p < ' ' || *p > '~')
				*p = '?';
	}
	free(text);
	free(log);
}
