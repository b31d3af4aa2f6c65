/* SPDX-License-Identifier: GPL-2.0-or-later */
/* qmp: see qmp.h. QEMU greets, wants qmp_capabilities, then answers each command by one line; events may stand between. */
#include "host/qmp.h"

#include <errno.h>
#include <jansson.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/io.h"
#include "host/server.h"

#define TIMEOUT_MS 3000
#define LINE_MAX_BYTES 65536

/* A line with its newline taken off, a byte at a time: these are few. 0 or -errno. */
static int read_line(int fd, char *line, size_t size, uint64_t until_ms)
{
	for (size_t n = 0; n + 1 < size;) {
		struct pollfd pfd = {.fd = fd, .events = POLLIN};
		uint64_t now = clock_now_ms();
		ssize_t r;

		if (now >= until_ms || poll(&pfd, 1, (int)(until_ms - now)) <= 0)
			return -ETIMEDOUT;
		r = read(fd, line + n, 1);
		if (r <= 0)
			return r < 0 ? -errno : -EPIPE;
		if (line[n] == '\n') {
			line[n] = 0;
			return 0;
		}
		n++;
	}
	return -EMSGSIZE;
}

static int has(const char *line, const char *key)
{
	json_t *j = json_loads(line, 0, NULL);
	int yes = j && json_object_get(j, key);

	json_decref(j);
	return yes;
}

/* Sends, and waits for `return` or `error`. command NULL: waits for the greeting. */
static int talk(int fd, const char *command, uint64_t until_ms)
{
	char line[LINE_MAX_BYTES];
	int err = 0;

	if (command) {
		err = io_write_all(fd, command, strlen(command));
		if (!err)
			err = io_write_all(fd, "\n", 1);
	}
	while (!err) {
		err = read_line(fd, line, sizeof(line), until_ms);
		if (!err && has(line, command ? "return" : "QMP"))
			return 0;
		if (!err && has(line, "error"))
			return -EREMOTEIO;
	}
	return err;
}

int qmp_command(const char *sock, const char *command)
{
	uint64_t until = clock_now_ms() + TIMEOUT_MS;
	int fd = server_socket(sock, 0), err;

	if (fd < 0)
		return fd;
	err = talk(fd, NULL, until);
	if (!err)
		err = talk(fd, "{\"execute\":\"qmp_capabilities\"}", until);
	if (!err)
		err = talk(fd, command, until);
	close(fd);
	return err;
}
