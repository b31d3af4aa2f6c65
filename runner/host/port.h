/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * port: where a console's bytes come from and where answers go: a file, a pipe, a socket (tcp, unix), a tty, or a twin (its log
 * file for reading, so that what came while nobody listened is there too; its socket for writing).
 */
#ifndef KD_PORT_H
#define KD_PORT_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum port_kind { PORT_KIND_FILE = 1, PORT_KIND_PIPE, PORT_KIND_SOCKET, PORT_KIND_TTY, PORT_KIND_TWIN };

struct port {
	enum port_kind kind;
	int fd;        /* read from */
	int wfd;       /* written to, -1: nowhere */
	char sock[80]; /* twin: socket in run/, connected only while something is written */
	int watch;     /* twin: inotify on the log, -1 otherwise */
};

/*
 * source: `-` (stdin), a path (file, pipe, unix socket, tty), or HOST:PORT. speed: of a tty, 0: as it is. 0, or -errno with a
 * line in why.
 */
int port_open(struct port *p, const char *source, unsigned speed, char *why, size_t size);
/* The log is read from offset on. sock is a name in run/; it need not be there yet. */
int port_open_twin(struct port *p, const char *log, const char *sock, uint64_t offset, char *why, size_t size);
void port_close(struct port *p);
/* Bytes; 0: nothing more for now; -EPIPE: it has ended; -errno. Never blocks, but on files and pipes of `collect`, which may. */
ssize_t port_read(struct port *p, void *buf, size_t size);
/* All of it within a second, or -errno. */
int port_write(struct port *p, const void *data, size_t len);
/* A BREAK; 0, or -errno (-ENOTSUP where the console has none). Takes up to half a second. */
int port_break(struct port *p);
/* What to poll for input; -1: nothing. */
int port_poll_fd(const struct port *p);
/* After poll: takes what the watch says, which is of no interest. */
void port_drain(struct port *p);

#endif
