/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ports: see ports.h. Free ports are those that the kernel hands out for port 0; all are held until the last is chosen, so that
 * no two are the same.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/err.h"
#include "common/io.h"
#include "common/kv.h"
#include "host/lab.h"
#include "host/ports.h"

static const char *const names[PORT_IDS] = {"http", "nfs", "nfs-mount", "nfstest", "nfstest-mount", "peer"};

const char *ports_name(enum port_id id) { return names[id]; }

/* A bound socket; port 0: any. fd or -errno. */
static int bind_local(unsigned port)
{
	struct sockaddr_in sin = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int one = 1, fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(fd, (struct sockaddr *)&sin, sizeof(sin)) || listen(fd, 1)) {
		int err = -errno;

		close(fd);
		return err;
	}
	return fd;
}

int ports_check(unsigned port)
{
	int fd = bind_local(port);

	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

int ports_free(void)
{
	struct sockaddr_in sin;
	socklen_t len = sizeof(sin);
	int fd = bind_local(0);

	if (fd < 0)
		return fd;
	getsockname(fd, (struct sockaddr *)&sin, &len);
	close(fd);
	return ntohs(sin.sin_port);
}

static void choose(struct ports *p)
{
	struct sockaddr_in sin;
	int fd[PORT_IDS];

	for (int i = 0; i < PORT_IDS; i++) {
		socklen_t len = sizeof(sin);

		fd[i] = bind_local(0);
		if (fd[i] < 0)
			err_die_code(fd[i], "no free TCP port on 127.0.0.1:");
		getsockname(fd[i], (struct sockaddr *)&sin, &len);
		p->port[i] = ntohs(sin.sin_port);
	}
	for (int i = 0; i < PORT_IDS; i++)
		close(fd[i]);
}

static void save(const struct ports *p, const char *path)
{
	char line[512];
	struct kv_out o;
	int err;

	kv_out_init(&o, line, sizeof(line) - 1);
	kv_out_word(&o, "ports");
	for (int i = 0; i < PORT_IDS; i++)
		kv_out_u64(&o, names[i], p->port[i]);
	kv_out_crc(&o, 0);
	line[o.len] = '\n';
	err = o.err ? o.err : io_write_file(path, line, o.len + 1, 0644);
	if (err)
		err_die_code(err, "write %s:", path);
}

static int parse(struct ports *p, const char *text, size_t len)
{
	struct kv_line l;

	if (kv_parse_crc(&l, text, len) || strcmp(l.word, "ports"))
		return -EINVAL;
	for (int i = 0; i < PORT_IDS; i++) {
		uint64_t v;

		if (kv_u64(&l, names[i], &v) || !v || v > 65535)
			return -EINVAL;
		p->port[i] = (unsigned)v;
	}
	return 0;
}

void ports_load(struct ports *p)
{
	char *path = lab_path("run/ports"), *text;
	size_t len;
	int err = io_read_file(path, 4096, &text, &len);

	if (!err) {
		if (parse(p, text, len))
			err_die("%s is damaged: remove it, and new ports are chosen", path);
		free(text);
	} else if (err == -ENOENT) {
		choose(p);
		save(p, path);
	} else {
		err_die_code(err, "read %s:", path);
	}
	free(path);
}
