/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * console: the kernel leaves 0-2 closed when it finds no /dev/console ("unable to open an initial console"). Then the
 * next file that is opened becomes fd 0, which is how programs come to write into the wrong file.
 */
#include "init/console.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

static int open_any(void)
{
	int fd = open("/dev/console", O_RDWR | O_NOCTTY | O_NONBLOCK);

	if (fd >= 0) {
		/* Not left non-blocking: children inherit it. A console that never drains is the watchdog's business. */
		fcntl(fd, F_SETFL, 0);
		return fd;
	}
	fd = open("/dev/null", O_RDWR);
	if (fd >= 0)
		return fd;
	int p[2];
	return pipe(p) < 0 ? -1 : p[1];
}

static int is_terminal(int fd) { return isatty(fd); }

int console_open(void)
{
	int fds_open = 1;

	for (int fd = 0; fd < 3; fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
			fds_open = 0;
	if (fds_open && is_terminal(1))
		return 0;
	int fd = open_any();
	if (fd < 0)
		return 1;
	if (fds_open && !is_terminal(fd)) { /* nothing better than what there is */
		if (fd > 2)
			close(fd);
		return 1;
	}
	for (int to = 0; to < 3; to++)
		if (fd != to)
			dup2(fd, to);
	if (fd > 2)
		close(fd);
	return !is_terminal(1);
}
