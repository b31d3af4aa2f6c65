/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kmsg: each read(2) of /dev/kmsg is one message. Trap: EPIPE means that messages were overwritten before we came, and is
 * followed by the next one that is left. Kernels before 3.5 have klogctl(2) only.
 */
#include "box/kmsg.h"
#include "common/io.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/klog.h>
#include <unistd.h>

#define KLOG_READ_CLEAR 4

void kmsg_open(struct box *b)
{
	b->kmsg_fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (b->kmsg_fd >= 0)
		io_set_cloexec(b->kmsg_fd);
}

void kmsg_mark(const struct box *b)
{
	char text[48];
	int n = snprintf(text, sizeof text, "<7>kdyno: " KMSG_MARK "%08x\n", (unsigned)b->rec.tag);
	int fd = open("/dev/kmsg", O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	io_write_all(fd, text, (size_t)n);
	close(fd);
}

static int parse_u64(const char **s, const char *end, uint64_t *out)
{
	uint64_t v = 0;
	const char *p = *s;

	while (p < end && isdigit((unsigned char)*p) && v < UINT64_MAX / 10 - 9)
		v = v * 10 + (uint64_t)(*p++ - '0');
	if (p == *s)
		return -1;
	*s = p;
	*out = v;
	return 0;
}

int kmsg_parse(const char *s, size_t len, unsigned *level, uint64_t *us, const char **text, size_t *text_len)
{
	const char *end = s + len;
	uint64_t prio, seq;

	if (parse_u64(&s, end, &prio) || s == end || *s++ != ',' || parse_u64(&s, end, &seq) || s == end || *s++ != ',' || parse_u64(&s, end, us))
		return -EINVAL;
	s = memchr(s, ';', (size_t)(end - s));
	if (!s)
		return -EINVAL;
	*level = (unsigned)(prio & 7);
	*text = ++s;
	const char *nl = memchr(s, '\n', (size_t)(end - s));
	*text_len = (size_t)((nl ? nl : end) - s);
	return 0;
}

int kmsg_is_warning(const char *text, size_t len)
{
	static const char *const start[] = {"WARNING: ", "Badness "}; /* the second before 2.6.21 */

	for (size_t i = 0; i < sizeof start / sizeof *start; i++)
		if (len >= strlen(start[i]) && !memcmp(text, start[i], strlen(start[i])))
			return 1;
	return 0;
}

static void send(struct box *b, unsigned level, uint64_t us, const char *text, size_t len)
{
	char msg[RECORD_MAX];

	b->kernel_warnings += (unsigned)kmsg_is_warning(text, len);
	if (level > KMSG_LEVEL || us < b->kmsg_from_us || b->kmsg_sent > KMSG_MAX)
		return;
	if (b->kmsg_sent++ == KMSG_MAX) {
		records_note(&b->rec, NULL, "more than %d kernel messages", KMSG_MAX);
		return;
	}
	snprintf(msg, sizeof msg, "%.*s", (int)(len < sizeof msg ? len : sizeof msg - 1), text);
	struct kv_out *o = records_begin(&b->rec, "kmsg", NULL);
	kv_out_u64(o, "lvl", level);
	kv_out_u64(o, "us", us);
	records_put_cut(&b->rec, "msg", msg);
	records_end(&b->rec);
}

/* `<4>[    1.234567] text` lines of an old kernel. */
static void collect_klog(struct box *b)
{
	static char buf[16384];
	int n = klogctl(KLOG_READ_CLEAR, buf, sizeof buf - 1);
	char *line, *next = buf;

	if (n <= 0)
		return;
	buf[n] = 0;
	while ((line = strsep(&next, "\n"))) {
		double at = 0;

		if (line[0] != '<' || !isdigit((unsigned char)line[1]) || line[2] != '>')
			continue;
		unsigned level = (unsigned)(line[1] - '0');
		line += 3;
		if (*line == '[' && strchr(line, ']')) {
			at = strtod(line + 1, NULL);
			line = strchr(line, ']') + 1;
			line += *line == ' ';
		}
		send(b, level, (uint64_t)(at * 1e6), line, strlen(line));
	}
}

void kmsg_collect(struct box *b)
{
	char buf[2048];
	const char *text;
	size_t len;
	unsigned level;
	uint64_t us;

	if (b->kmsg_fd < 0) {
		collect_klog(b);
		return;
	}
	for (int i = 0; i < 5000; i++) { /* a kernel that says more than it can be read must not hold us */
		ssize_t n = read(b->kmsg_fd, buf, sizeof buf);

		if (n < 0 && errno == EPIPE)
			continue;
		if (n <= 0)
			return;
		if (kmsg_parse(buf, (size_t)n, &level, &us, &text, &len) == 0)
			send(b, level, us, text, len);
	}
}
