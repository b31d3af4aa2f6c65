/* SPDX-License-Identifier: GPL-2.0-or-later */
/* job_text: see job_text.h. Trap: kv_out puts a space before a word that is not the first, so each line has a buffer of its own. */
#include "common/job_text.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/cpio.h"
#include "common/ext2.h"
#include "common/io.h"
#include "common/kv.h"

int job_text_own_word(const char *word)
{
	static const char *const starts[] = {"kd=", "kd.", "BOOT_IMAGE=", "initrd="};

	for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
		if (!strncmp(word, starts[i], strlen(starts[i])))
			return 1;
	return 0;
}

static long close_line(struct kv_out *o)
{
	kv_out_crc(o, 0);
	if (o->err)
		return o->err;
	if (o->len + 1 >= o->size)
		return -EMSGSIZE;
	o->buf[o->len++] = '\n';
	o->buf[o->len] = 0;
	return (long)o->len;
}

static long format_job_line(const struct job_text *j, const struct plan *p, const struct plan_try *t, char *out, size_t size)
{
	struct kv_out o;

	kv_out_init(&o, out, size);
	kv_out_word(&o, "job");
	kv_out_hex32(&o, "tag", t->tag);
	kv_out_u64(&o, "line", t->line);
	kv_out_u64(&o, "boot", t->boot);
	kv_out_str(&o, "subject", p->subject[t->subject].id);
	kv_out_str(&o, "sweep", p->id);
	kv_out_str(&o, "box", p->box);
	kv_out_hex32(&o, "prev", j->prev);
	kv_out_str(&o, "start", j->start);
	kv_out_str(&o, "switch", plan_switch_name(p->sw));
	kv_out_u64(&o, "discard", (uint64_t)t->discard);
	kv_out_u64(&o, "again_s", p->again_s);
	kv_out_u64(&o, "jump_s", p->jump_s);
	if (p->crash_bytes)
		kv_out_u64(&o, "crash", p->crash_bytes);
	kv_out_str(&o, "kernel", j->kernel);
	kv_out_str(&o, "image", j->image);
	kv_out_str(&o, "pack", j->pack);
	return close_line(&o);
}

static long format_net_line(const struct job_net *n, char *out, size_t size)
{
	const struct {
		const char *key, *val;
	} pair[] = {{"http", n->http}, {"tftp", n->tftp}, {"nfs", n->nfs}, {"peer", n->peer}, {"nfstest", n->nfstest}, {"ip", n->ip}};
	struct kv_out o;

	kv_out_init(&o, out, size);
	kv_out_word(&o, "net");
	for (size_t i = 0; i < sizeof pair / sizeof *pair; i++)
		if (pair[i].val[0])
			kv_out_str(&o, pair[i].key, pair[i].val);
	return close_line(&o);
}

long job_text_format(const struct job_text *j, const struct plan *p, const struct plan_try *t, char *out, size_t size)
{
	long n = format_job_line(j, p, t, out, size), m;
	size_t at;

	if (n < 0)
		return n;
	at = (size_t)n;
	m = format_net_line(j->net, out + at, size - at);
	if (m < 0)
		return m;
	at += (size_t)m;
	for (size_t i = 0; i < p->tests; i++) {
		int k = snprintf(out + at, size - at, "%s\n", p->test[i].line);

		if (k < 0 || (size_t)k >= size - at)
			return -EMSGSIZE;
		at += (size_t)k;
	}
	return (long)at;
}

int job_text_archive(int fd, const char *text, size_t len)
{
	struct cpio c;

	cpio_open(&c, fd);
	cpio_dir(&c, "kd", 0755);
	cpio_file(&c, "kd/job", 0644, text, len);
	return cpio_close(&c);
}

int job_text_write(int fd, uint64_t at, uint64_t room, const char *text, size_t len)
{
	char fill[1024];
	int err;

	if (len > room)
		return -EFBIG;
	memset(fill, EXT2_JOB_FILL, sizeof fill);
	if (lseek(fd, (off_t)at, SEEK_SET) < 0)
		return -errno;
	err = io_write_all(fd, text, len);
	for (uint64_t left = room - len; !err && left;) {
		size_t n = left < sizeof fill ? (size_t)left : sizeof fill;

		err = io_write_all(fd, fill, n);
		left -= n;
	}
	return err;
}
