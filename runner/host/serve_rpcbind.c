/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * serve_rpcbind: says yes to whoever registers a program with the portmapper. nfs-ganesha does not start for NFS v3 where no rpcbind
 * answers on /run/rpcbind.sock, though nobody will ever ask for its ports: they are named in every mount. So each gets a /run
 * of its own (a mount namespace) with this socket in it, and the machine's own rpcbind is neither needed nor touched.
 *
 * RFC 5531 (RPC, record marking), RFC 1833 (RPCBPROC_NULL 0, SET 1, UNSET 2). It lives only while ganesha starts.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/err.h"
#include "common/io.h"
#include "host/serve.h"

#define CALL_MAX 4096
#define CALL_HEAD 24 /* xid, CALL, RPC version, program, version, procedure */

static int read_all(int fd, void *buf, size_t len)
{
	for (size_t n = 0; n < len;) {
		ssize_t r = read(fd, (char *)buf + n, len - n);

		if (r <= 0)
			return r < 0 ? -errno : -EPIPE;
		n += (size_t)r;
	}
	return 0;
}

/* One call, one answer: accepted, no verifier, success, and TRUE where the procedure returns a bool. */
static int answer(int fd)
{
	uint32_t mark, call[CALL_MAX / 4], out[8];
	size_t len, words = 7;
	int err = read_all(fd, &mark, 4);

	len = ntohl(mark) & 0x7fffffff;
	if (err || !(ntohl(mark) >> 31) || len < CALL_HEAD || len > CALL_MAX)
		return err ? err : -EINVAL;
	err = read_all(fd, call, len);
	if (err)
		return err;
	out[1] = call[0];
	out[2] = htonl(1);                          /* REPLY */
	out[3] = out[4] = out[5] = 0;               /* accepted; verifier of flavour none, length 0 */
	out[6] = ntohl(call[5]) > 2 ? htonl(3) : 0; /* PROC_UNAVAIL, SUCCESS */
	if (call[5] && !out[6])
		out[words++] = htonl(1);
	out[0] = htonl(0x80000000u | (uint32_t)(words - 1) * 4);
	return io_write_all(fd, out, words * 4);
}

int serve_rpcbind(const char *folder)
{
	struct sockaddr_un un = {.sun_family = AF_UNIX, .sun_path = "rpcbind.sock"};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (chdir(folder))
		err_die("cannot enter %s:", folder);
	unlink(un.sun_path);
	if (fd < 0 || bind(fd, (struct sockaddr *)&un, sizeof(un)) || listen(fd, 16))
		err_die("cannot listen on %s/%s:", folder, un.sun_path);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGCHLD, SIG_IGN);
	for (;;) {
		int c = accept4(fd, NULL, NULL, SOCK_CLOEXEC);

		if (c < 0)
			continue;
		if (!fork()) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			while (!answer(c))
				;
			_exit(EXIT_OK);
		}
		close(c);
	}
}
