/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fetch and hasher: a file over HTTP from a server that answers well, wrongly, half or not at all. */
#include "../common/unit.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "box/fetch.h"
#include "common/sha256.h"

#define BODY_BYTES 1000000

static unsigned char body[BODY_BYTES];
static struct unit_dir dir;
static struct promise nobody = {.fd = -1};

static int setup(void **state)
{
	uint32_t seed = 99;

	(void)state;
	unit_dir_make(&dir);
	for (size_t i = 0; i < sizeof(body); i++)
		body[i] = (unsigned char)unit_random(&seed);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	unit_dir_remove(&dir);
	return 0;
}

/* Answers one request with head and the first len bytes of the body, then closes. */
static pid_t serve(struct job_net *net, const char *head, size_t len)
{
	struct sockaddr_in sa = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t sa_len = sizeof(sa);
	int s = socket(AF_INET, SOCK_STREAM, 0);

	assert_true(s >= 0);
	assert_int_equal(bind(s, (struct sockaddr *)&sa, sizeof(sa)), 0);
	assert_int_equal(listen(s, 1), 0);
	assert_int_equal(getsockname(s, (struct sockaddr *)&sa, &sa_len), 0);
	memset(net, 0, sizeof(*net));
	snprintf(net->http, sizeof(net->http), "127.0.0.1:%u", ntohs(sa.sin_port));
	pid_t pid = fork();
	if (pid) {
		close(s);
		return pid;
	}
	char request[2048];
	int c = accept(s, NULL, NULL);
	ssize_t n = read(c, request, sizeof(request) - 1);
	request[n > 0 ? n : 0] = 0;
	if (strncmp(request, "GET /kernels/a/vmlinuz HTTP/1.0\r\n", 33) != 0)
		_exit(1);
	for (const char *p = head; *p; p++) /* a byte at a time: any split must do */
		if (write(c, p, 1) != 1)
			_exit(1);
	for (size_t at = 0; at < len;) {
		ssize_t w = write(c, body + at, len - at > 7000 ? 7000 : len - at);

		if (w <= 0)
			_exit(1);
		at += (size_t)w;
	}
	_exit(0);
}

static enum fetch_result fetch(struct job_net *net, struct fetch *f, struct hasher *h)
{
	*f = (struct fetch){.net = net, .promise = &nobody, .path = "kernels/a/vmlinuz", .max_bytes = sizeof(body), .hasher = h};
	f->out_fd = open(unit_path(&dir, "out"), O_RDWR | O_CREAT | O_TRUNC, 0600);
	assert_true(f->out_fd >= 0);
	assert_int_equal(write(f->out_fd, "before", 6), 6); /* what lies before stays */
	enum fetch_result r = fetch_file(f);
	assert_int_equal(lseek(f->out_fd, 0, SEEK_CUR), 6 + (r == FETCH_OK ? (off_t)f->bytes : 0));
	close(f->out_fd);
	return r;
}

static void test_good(void **state)
{
	struct job_net net;
	struct fetch f;
	struct hasher h;
	char got[65], want[65];

	(void)state;
	sha256_hex(body, sizeof(body), want);
	for (int with_length = 0; with_length < 2; with_length++) {
		const char *head = with_length ? "HTTP/1.0 200 OK\r\nContent-Length: 1000000\r\n\r\n" : "HTTP/1.1 200 OK\r\nServer: x\r\n\r\n";
		pid_t pid = serve(&net, head, sizeof(body));

		assert_int_equal(fetch(&net, &f, &h), FETCH_OK);
		assert_int_equal(f.bytes, sizeof(body));
		assert_string_equal(f.by, "http");
		assert_int_equal(hasher_result(&h, got, 10000), 0);
		assert_string_equal(got, want);
		waitpid(pid, NULL, 0);
	}
}

static void test_bad(void **state)
{
	static const struct {
		const char *head;
		size_t len;
		enum fetch_result want;
	} row[] = {
		{"HTTP/1.0 404 Not Found\r\nContent-Length: 0\r\n\r\n", 0, FETCH_WRONG},
		{"HTTP/1.0 503 Busy\r\n\r\n", 0, FETCH_NONE},
		{"HTTP/1.0 200 OK\r\nContent-Length: 1000000\r\n\r\n", 5000, FETCH_NONE}, /* breaks off */
		{"HTTP/1.0 200 OK\r\nContent-Length: 2000000\r\n\r\n", sizeof(body), FETCH_NONE},
		{"SSH-2.0-x\r\n\r\n", 0, FETCH_NONE},
		{"", 0, FETCH_NONE},
	};
	struct job_net net;
	struct fetch f;
	struct hasher h;

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++) {
		pid_t pid = serve(&net, row[i].head, row[i].len);

		assert_int_equal(fetch(&net, &f, &h), row[i].want);
		assert_int_equal(h.pid, 0);
		assert_true(f.why[0] != 0);
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	/* Larger than it may be. */
	pid_t pid = serve(&net, "HTTP/1.0 200 OK\r\n\r\n", sizeof(body));
	f = (struct fetch){.net = &net, .promise = &nobody, .path = "kernels/a/vmlinuz", .max_bytes = 1000};
	f.out_fd = open(unit_path(&dir, "out"), O_RDWR | O_CREAT | O_TRUNC, 0600);
	assert_int_equal(fetch_file(&f), FETCH_WRONG);
	close(f.out_fd);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	/* Nobody there, and no server at all. */
	assert_int_equal(fetch(&net, &f, NULL), FETCH_NONE);
	memset(&net, 0, sizeof(net));
	assert_int_equal(fetch(&net, &f, NULL), FETCH_NONE);
	assert_string_equal(f.why, "no server");
}

static void test_hasher(void **state)
{
	struct hasher h;
	char got[65], want[65];

	(void)state;
	int fd = open(unit_path(&dir, "grow"), O_RDWR | O_CREAT | O_TRUNC, 0600);
	assert_int_equal(write(fd, "skip", 4), 4);
	assert_int_equal(hasher_start(&h, fd, 4), 0);
	hasher_finish(&h, 0);
	assert_int_equal(hasher_result(&h, got, 5000), 0);
	sha256_hex("", 0, want);
	assert_string_equal(got, want);
	/* A file that is shorter than was said. */
	assert_int_equal(hasher_start(&h, fd, 4), 0);
	hasher_finish(&h, 100);
	assert_true(hasher_result(&h, got, 5000) < 0);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_good, setup, teardown),
		cmocka_unit_test_setup_teardown(test_bad, setup, teardown),
		cmocka_unit_test_setup_teardown(test_hasher, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
