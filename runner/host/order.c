/* SPDX-License-Identifier: GPL-2.0-or-later */
/* order: see order.h. The lines, and the side that asks. */
#include "host/order.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/io.h"
#include "common/kv.h"
#include "host/server.h"

#define ANSWER_MS 20000 /* a `sweep run` may be in the middle of a power command, or wait for a disk */

static const char *const words[] = {[ORDER_PAUSE] = "pause", [ORDER_RESUME] = "resume", [ORDER_STATE] = "state"};

int order_is_addr(const char *s)
{
	for (int i = 0; i < 4; i++) {
		unsigned v = 0, digits = 0;

		for (; *s >= '0' && *s <= '9' && digits < 4; s++, digits++)
			v = v * 10 + (unsigned)(*s - '0');
		if (!digits || digits > 3 || v > 255 || *s != (i < 3 ? '.' : 0))
			return 0;
		s++;
	}
	return 1;
}

static int take_reason(const struct kv_line *l, char *out, size_t size)
{
	int err = kv_str(l, "reason", out, size);

	return err == -ENOENT ? 0 : err || !journal_is_reason(out) ? -EINVAL : 0;
}

int order_parse(struct order *o, const char *s, size_t len)
{
	struct kv_line l;
	const char *word;

	memset(o, 0, sizeof(*o));
	if (len && s[len - 1] == '\n')
		len--;
	if (len >= ORDER_MAX || memchr(s, '\n', len) || kv_parse_crc(&l, s, len) || strcmp(l.word, "order"))
		return -EINVAL;
	word = kv_get(&l, "word");
	for (enum order_word w = ORDER_PAUSE; word && w <= ORDER_STATE; w++)
		if (!strcmp(word, words[w]))
			o->word = w;
	return !o->word || take_reason(&l, o->reason, sizeof(o->reason)) ? -EINVAL : 0;
}

static long close_line(struct kv_out *o)
{
	kv_out_crc(o, 0);
	if (o->err || o->len + 2 > o->size)
		return o->err ? o->err : -EMSGSIZE;
	memcpy(o->buf + o->len, "\n", 2);
	return (long)o->len + 1;
}

long order_format(const struct order *o, char *out, size_t size)
{
	struct kv_out k;

	if (o->word < ORDER_PAUSE || o->word > ORDER_STATE || !journal_is_reason(o->reason))
		return -EINVAL;
	kv_out_init(&k, out, size);
	kv_out_word(&k, "order");
	kv_out_str(&k, "word", words[o->word]);
	if (o->word == ORDER_PAUSE)
		kv_out_str(&k, "reason", o->reason);
	return close_line(&k);
}

static int small(const struct kv_line *l, const char *key, unsigned max, unsigned *out)
{
	uint64_t v;

	if (kv_u64(l, key, &v) || v > max)
		return -EINVAL;
	*out = (unsigned)v;
	return 0;
}

int order_state_parse(struct order_state *st, const char *s, size_t len)
{
	struct kv_line l;
	unsigned paused, changed, held;

	memset(st, 0, sizeof(*st));
	if (len && s[len - 1] == '\n')
		len--;
	if (len >= ORDER_MAX || memchr(s, '\n', len) || kv_parse_crc(&l, s, len) || strcmp(l.word, "state"))
		return -EINVAL;
	if (small(&l, "paused", 1, &paused) || small(&l, "changed", 1, &changed) || small(&l, "held", 1, &held) ||
	    small(&l, "line", PLAN_TRIES_MAX, &st->line) || small(&l, "going", PLAN_TRIES_MAX, &st->going) || small(&l, "port", 65535, &st->port) ||
	    kv_u64(&l, "since", &st->since_ms) || take_reason(&l, st->reason, sizeof(st->reason)) || kv_str(&l, "addr", st->addr, sizeof(st->addr)) ||
	    (*st->addr && !order_is_addr(st->addr)))
		return -EINVAL;
	st->paused = (int)paused;
	st->changed = (int)changed;
	st->held = (int)held;
	return 0;
}

long order_state_format(const struct order_state *st, char *out, size_t size)
{
	struct kv_out k;

	kv_out_init(&k, out, size);
	kv_out_word(&k, "state");
	kv_out_u64(&k, "paused", st->paused != 0);
	kv_out_u64(&k, "since", st->since_ms);
	kv_out_str(&k, "reason", st->reason);
	kv_out_u64(&k, "held", st->held != 0);
	kv_out_u64(&k, "line", st->line);
	kv_out_u64(&k, "going", st->going);
	kv_out_u64(&k, "port", st->port);
	kv_out_str(&k, "addr", st->addr);
	kv_out_u64(&k, "changed", st->changed != 0);
	return close_line(&k);
}

void order_socket_name(const char *sweep, char *out, size_t size) { snprintf(out, size, ORDER_PREFIX "%s" ORDER_SUFFIX, sweep); }

/* All that comes until the other side closes. Length or -errno. */
static ssize_t read_answer(int fd, char *out, size_t size)
{
	uint64_t until = clock_now_ms() + ANSWER_MS, now;
	struct pollfd pfd = {.fd = fd, .events = POLLIN};
	size_t len = 0;

	while ((now = clock_now_ms()) < until && len < size) {
		if (poll(&pfd, 1, (int)(until - now)) <= 0)
			continue;
		ssize_t n = read(fd, out + len, size - len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : (ssize_t)len;
		len += (size_t)n;
	}
	return len < size ? -ETIMEDOUT : -EPROTO;
}

int order_ask(const char *sweep, const struct order *o, struct order_state *st)
{
	char name[PLAN_ID_MAX + 32], text[ORDER_MAX];
	long n = order_format(o, text, sizeof(text));
	ssize_t len;
	int fd, err;

	if (n < 0)
		return (int)n;
	order_socket_name(sweep, name, sizeof(name));
	fd = server_socket(name, 0);
	if (fd < 0)
		return fd == -ENOENT ? -ECONNREFUSED : fd; /* none, or one that a kill -9 has left; -EACCES: another user's */
	err = io_write_all(fd, text, (size_t)n);
	if (!err && shutdown(fd, SHUT_WR))
		err = -errno;
	len = err ? err : read_answer(fd, text, sizeof(text));
	close(fd);
	if (len <= 0)
		return len == -ETIMEDOUT ? -ETIMEDOUT : len == -EPIPE || len == -ECONNRESET || !len ? -ECONNREFUSED : -EPROTO;
	return order_state_parse(st, text, (size_t)len) ? -EPROTO : 0;
}
