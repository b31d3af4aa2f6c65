/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bootline: formats and writes the lines, each under a temporary name first: the second one's appearance is a message.
 */
#include "init/bootline.h"
#include "common/kv.h"
#include "init/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void put_file(const char *path, struct kv_out *o)
{
	char tmp[64];

	snprintf(tmp, sizeof tmp, "%s.new", path);
	if (o->err || o->len + 1 >= o->size) {
		log_line("%s does not fit", path);
		return;
	}
	o->buf[o->len++] = '\n';
	int fd = open(tmp, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (fd < 0 || write(fd, o->buf, o->len) != (ssize_t)o->len || rename(tmp, path) < 0)
		log_line("cannot write %s: %s", path, strerror(errno));
	if (fd >= 0)
		close(fd);
}

void bootline_write(const struct bootline *b)
{
	char line[1024];
	struct kv_out o;

	kv_out_init(&o, line, sizeof line);
	kv_out_word(&o, "boot");
	kv_out_u64(&o, "init_ns", b->init_ns);
	kv_out_u64(&o, "mounts_ns", b->mounts_ns);
	kv_out_u64(&o, "runner_ns", b->runner_ns);
	kv_out_str(&o, "sysctl", b->sysctl);
	kv_out_str(&o, "degraded", b->degraded.text);
	put_file(BOOTLINE_PATH, &o);
}

void bootline_write_modules(const struct modules *m, const struct watchdog *w)
{
	char line[1024];
	struct kv_out o;

	kv_out_init(&o, line, sizeof line);
	kv_out_word(&o, "modules");
	kv_out_u64(&o, "modules_ns", m->done_ns);
	kv_out_u64(&o, "modules", m->result.loaded);
	kv_out_str(&o, "reset", w->was_reset < 0 ? "unknown" : w->was_reset ? "watchdog" : "cold");
	kv_out_u64(&o, "watchdog_s", w->fd < 0 ? 0 : w->timeout_s);
	kv_out_str(&o, "watchdog", w->identity);
	kv_out_u64(&o, "carries_s", w->carries_s);
	kv_out_str(&o, "degraded", m->result.degraded.text);
	put_file(BOOTLINE_MODULES_PATH, &o);
}
