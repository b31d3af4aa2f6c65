/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sink: where records go besides the file on tmpfs. A sink may lose what it is given, but it counts what it lost, and it never
 * holds the runner past a deadline.
 */
#ifndef KD_BOX_SINK_H
#define KD_BOX_SINK_H

#include <stddef.h>
#include <stdint.h>

struct sink;

struct sink_ops {
	const char *name;
	/* One record, without line end. 0, or -errno when it was dropped. */
	int (*put)(struct sink *s, const char *line, size_t len);
	/* Until all that was put is where it survives this kernel: drained, or fsynced. 0, -ETIMEDOUT, -ENOTCONN. */
	int (*flush)(struct sink *s, uint64_t timeout_ms);
};

struct sink {
	const struct sink_ops *ops;
	uint64_t sent_bytes, dropped_bytes;
};

#endif
