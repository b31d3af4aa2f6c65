/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mkjob: a job cpio for a benchmark that boots the image without a station. Reads lines without CRC on stdin, closes
 * each with its CRC and writes the archive with /kd/job to stdout: mkjob < lines > job.cpio
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/cpio.h"
#include "common/err.h"
#include "common/kv.h"

int main(void)
{
	static char job[65536], line[KV_LINE_MAX + 1];
	size_t len = 0;
	struct cpio c;

	err_set_name("mkjob");
	while (fgets(line, sizeof(line), stdin)) {
		struct kv_out o;

		line[strcspn(line, "\n")] = 0;
		kv_out_init(&o, job + len, sizeof(job) - len);
		kv_out_raw(&o, line);
		kv_out_crc(&o, 0);
		if (o.err || len + o.len + 2 > sizeof(job))
			err_die("job: line too long or job over %zu bytes", sizeof(job));
		len += o.len;
		job[len++] = '\n';
	}
	cpio_open(&c, STDOUT_FILENO);
	cpio_dir(&c, "kd", 0755);
	cpio_file(&c, "kd/job", 0644, job, len);
	if (cpio_close(&c) < 0)
		err_die("write to stdout failed");
	return EXIT_OK;
}
