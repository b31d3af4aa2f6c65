/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bootline: formats and writes the line. Written in place: it lies on tmpfs, and nobody reads before the runner starts.
 */
#include "init/bootline.h"
#include "common/kv.h"
#include "init/log.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

void bootline_write(const struct bootline *b, const struct watchdog *w, struct degraded *d)
{
	char line[1024];
	struct kv_out o;

	kv_out_init(&o, line, sizeof line);
	kv_out_word(&o, "boot");
	kv_out_u64(&o, "init_ns", b->init_ns);
	kv_out_u64(&o, "mounts_ns", b->mounts_ns);
	kv_out_u64(&o, "modules_ns", b->modules_ns);
	kv_out_u64(&o, "runner_ns", b->runner_ns);
	kv_out_u64(&o, "modules", b->modules);
	kv_out_str(&o, "reset", w->was_reset < 0 ? "unknown" : w->was_reset ? "watchdog" : "cold");
	kv_out_u64(&o, "watchdog_s", w->fd < 0 ? 0 : w->timeout_s);
	kv_out_str(&o, "degraded", d->text);

	int fd = open(BOOTLINE_PATH, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (o.err || o.len + 1 >= sizeof line) {
		log_line("boot line does not fit");
	} else {
		line[o.len++] = '\n';
		if (fd < 0 || write(fd, line, o.len) != (ssize_t)o.len)
			log_line("cannot write %s: %s", BOOTLINE_PATH, strerror(errno));
	}
	if (fd >= 0)
		close(fd);
}
