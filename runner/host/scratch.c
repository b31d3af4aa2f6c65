/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * scratch: see scratch.h. The mark is one line with a CRC, NULs behind it; the uuid is drawn, so that two disks never
 * carry the same mark unless one is a copy of the other.
 */
#include "host/scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "common/io.h"
#include "common/kv.h"

long scratch_mark_format(const char *box, const char *uuid, uint64_t device_bytes, char *out, size_t size)
{
	struct kv_out o;
	memset(out, 0, size);
	kv_out_init(&o, out, size);
	kv_out_word(&o, "kdyno-scratch");
	kv_out_u64(&o, "v", 1);
	kv_out_str(&o, "uuid", uuid);
	kv_out_str(&o, "box", box);
	kv_out_u64(&o, "bytes", device_bytes);
	kv_out_crc(&o, 0);
	if (o.err || o.len + 2 > size)
		return o.err ? o.err : -EMSGSIZE;
	out[o.len++] = '\n';
	return (long)o.len;
}

/* RFC 9562, version 4. */
static int draw_uuid(char out[37])
{
	unsigned char b[16];
	if (getrandom(b, sizeof b, 0) != sizeof b)
		return -EIO;
	b[6] = (unsigned char)((b[6] & 0x0f) | 0x40);
	b[8] = (unsigned char)((b[8] & 0x3f) | 0x80);
	snprintf(out, 37, "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7],
	         b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15]);
	return 0;
}

int scratch_mark_write(int fd, const char *box, uint64_t device_bytes)
{
	char uuid[37], *mark;
	int err = draw_uuid(uuid);
	if (!err && device_bytes < 2 * SCRATCH_MARK_BYTES)
		err = -EINVAL;
	if (err)
		return err;
	mark = malloc(SCRATCH_MARK_BYTES);
	if (!mark)
		return -ENOMEM;
	long n = scratch_mark_format(box, uuid, device_bytes, mark, SCRATCH_MARK_BYTES);
	if (n < 0)
		err = (int)n;
	else if (lseek(fd, (off_t)(device_bytes - SCRATCH_MARK_BYTES), SEEK_SET) < 0)
		err = -errno;
	else
		err = io_write_all(fd, mark, SCRATCH_MARK_BYTES);
	if (!err && fsync(fd))
		err = -errno;
	free(mark);
	return err;
}

int scratch_mark_read(int fd, uint64_t device_bytes, struct scratch_mark *m)
{
	static const char word[] = "kdyno-scratch ";
	struct kv_line l;
	char text[1024];
	if (device_bytes < 2 * SCRATCH_MARK_BYTES)
		return -EINVAL;
	ssize_t n = pread(fd, text, sizeof text - 1, (off_t)(device_bytes - SCRATCH_MARK_BYTES));
	if (n < 0)
		return -errno;
	text[n] = '\0';
	if (strncmp(text, word, sizeof word - 1))
		return -ENOENT;
	if (kv_parse_crc(&l, text, strcspn(text, "\n")) || kv_str(&l, "box", m->box, sizeof m->box) || kv_str(&l, "uuid", m->uuid, sizeof m->uuid) ||
	    kv_u64(&l, "bytes", &m->bytes))
		return -EBADMSG;
	return 0;
}

int scratch_create(const char *path, const char *box, uint64_t bytes)
{
	char *tmp;
	if (asprintf(&tmp, "%s.tmp-%ld", path, (long)getpid()) < 0)
		return -ENOMEM;
	int err = 0, fd = open(tmp, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (fd < 0)
		err = -errno;
	else if (ftruncate(fd, (off_t)bytes))
		err = -errno;
	else
		err = scratch_mark_write(fd, box, bytes);
	if (fd >= 0)
		close(fd);
	if (!err && rename(tmp, path))
		err = -errno;
	if (err)
		unlink(tmp);
	free(tmp);
	return err;
}
