/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * serve_http: kernels, images, packs and schedules for the boxes, read-only; and POST /ask, which hands a box's question to
 * the `sweep run` that knows its tag.
 *
 * What may be read is a list of shapes of paths, not a list of what may not: everything else is 404. Contract: nothing is written,
 * no link is followed below the folders of the lab, only regular files leave (lab_open_plain).
 */
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <microhttpd.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/err.h"
#include "common/io.h"
#include "common/kv.h"
#include "host/cmd.h"
#include "host/lab.h"
#include "host/serve.h"
#include "host/server.h"

#define CONNECTIONS_MAX 64
#define IDLE_S 30

struct question {
	char text[SERVE_ASK_MAX];
	size_t len;
	int too_long;
};

/* The next segment of a path, which must be a valid id; NULL where it is not. */
static const char *segment(const char **path, char *out, size_t size)
{
	size_t n = strcspn(*path, "/");

	if (!n || n >= size)
		return NULL;
	memcpy(out, *path, n);
	out[n] = 0;
	*path += n;
	if (**path == '/')
		++*path;
	return kv_is_id(out) ? out : NULL;
}

static int is_sweep_file(const char *s)
{
	return !strcmp(s, "schedule") || !strcmp(s, "manifest") || !strcmp(s, "journal") || !strncmp(s, "pack-", 5) || !strncmp(s, "image-", 6);
}

int serve_http_allows(const char *url)
{
	char top[80], id[80], file[160];

	if (*url++ != '/' || !segment(&url, top, sizeof(top)) || !segment(&url, id, sizeof(id)))
		return 0;
	if (strchr(url, '/') || strlen(url) >= sizeof(file) || url[strspn(url, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._+-")])
		return 0;
	if (!strcmp(top, "kernels"))
		return !strcmp(url, "vmlinuz");
	return !strcmp(top, "sweeps") && is_sweep_file(url);
}

static enum MHD_Result reply(struct MHD_Connection *c, unsigned status, const char *text, size_t len)
{
	struct MHD_Response *r = MHD_create_response_from_buffer(len, (void *)(uintptr_t)text, MHD_RESPMEM_MUST_COPY);
	enum MHD_Result ret;

	if (!r)
		return MHD_NO;
	MHD_add_response_header(r, "Content-Type", "text/plain");
	ret = MHD_queue_response(c, status, r);
	MHD_destroy_response(r);
	return ret;
}

static enum MHD_Result send_file(struct MHD_Connection *c, const char *url)
{
	struct MHD_Response *r;
	enum MHD_Result ret;
	struct stat st;
	int fd;

	if (!serve_http_allows(url))
		return reply(c, 404, "not found\n", 10);
	fd = lab_open_plain(url + 1);
	if (fd < 0 || fstat(fd, &st)) {
		if (fd >= 0)
			close(fd);
		return reply(c, 404, "not found\n", 10);
	}
	r = MHD_create_response_from_fd((uint64_t)st.st_size, fd);
	if (!r) {
		close(fd);
		return MHD_NO;
	}
	ret = MHD_queue_response(c, 200, r);
	MHD_destroy_response(r);
	return ret;
}

/* Asks one `sweep run`. Length of the answer; 0: none of its business, or nobody there. */
static ssize_t ask_one(const char *name, const struct question *q, char *answer, size_t size)
{
	int fd = server_socket(name, 0);
	struct pollfd pfd = {.fd = fd, .events = POLLIN};
	ssize_t n = 0, len = 0;

	if (fd < 0)
		return 0;
	if (io_write_all(fd, q->text, q->len) || shutdown(fd, SHUT_WR))
		goto out;
	while ((size_t)len < size && poll(&pfd, 1, SERVE_ASK_MS) > 0 && (n = read(fd, answer + len, size - (size_t)len)) > 0)
		len += n;
out:
	close(fd);
	return len;
}

static enum MHD_Result ask(struct MHD_Connection *c, const struct question *q)
{
	char *run = lab_path("run"), answer[SERVE_ASK_MAX];
	DIR *d = opendir(run);
	struct dirent *e;
	ssize_t n = 0;

	free(run);
	while (d && n <= 0 && (e = readdir(d))) {
		size_t len = strlen(e->d_name), suffix = strlen(SERVE_ASK_SUFFIX);

		if (!strncmp(e->d_name, SERVE_ASK_PREFIX, strlen(SERVE_ASK_PREFIX)) && len > suffix &&
		    !strcmp(e->d_name + len - suffix, SERVE_ASK_SUFFIX))
			n = ask_one(e->d_name, q, answer, sizeof(answer));
	}
	if (d)
		closedir(d);
	return n > 0 ? reply(c, 200, answer, (size_t)n) : reply(c, 503, "no sweep run listens\n", 21);
}

static enum MHD_Result on_request(void *cls, struct MHD_Connection *c, const char *url, const char *method, const char *version, const char *data,
                                  size_t *size, void **state)
{
	struct question *q = *state;

	(void)cls;
	(void)version;
	if (!strcmp(method, "GET"))
		return send_file(c, url);
	if (strcmp(method, "POST") || strcmp(url, "/ask"))
		return reply(c, 405, "GET, or POST /ask\n", 18);
	if (!q) {
		*state = calloc(1, sizeof(*q));
		return *state ? MHD_YES : MHD_NO;
	}
	if (*size) {
		size_t n = *size < sizeof(q->text) - q->len ? *size : sizeof(q->text) - q->len;

		memcpy(q->text + q->len, data, n);
		q->len += n;
		q->too_long |= n < *size;
		*size = 0;
		return MHD_YES;
	}
	return q->too_long ? reply(c, 413, "too long\n", 9) : ask(c, q);
}

static void on_done(void *cls, struct MHD_Connection *c, void **state, enum MHD_RequestTerminationCode why)
{
	(void)cls;
	(void)c;
	(void)why;
	free(*state);
	*state = NULL;
}

int serve_http(unsigned port)
{
	struct sockaddr_in sin = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	struct MHD_Daemon *daemon;
	sigset_t set;
	int sig;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
	cmd_lab(); /* makes it absolute, before there are threads */
	daemon = MHD_start_daemon(MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_THREAD_PER_CONNECTION | MHD_USE_ERROR_LOG, (uint16_t)port, NULL, NULL,
	                          on_request, NULL, MHD_OPTION_SOCK_ADDR, &sin, MHD_OPTION_NOTIFY_COMPLETED, on_done, NULL,
	                          MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS_MAX, MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)IDLE_S,
	                          MHD_OPTION_LISTENING_ADDRESS_REUSE, 1u, MHD_OPTION_END);
	if (!daemon)
		err_die("cannot listen on 127.0.0.1:%u (http):", port);
	sigwait(&set, &sig);
	MHD_stop_daemon(daemon);
	return EXIT_OK;
}
