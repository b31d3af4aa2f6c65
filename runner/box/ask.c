/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ask: the waiting. Trap: an answer that comes late to an older question must not answer a newer one, so what has come is thrown away
 * before a question goes out, and only the verbs that fit the question count; an `ok` to a jump names its line, or a late one to a bye would do.
 */
#include "box/ask.h"
#include "box/http.h"
#include "common/clock.h"

#include <errno.h>
#include <poll.h>
#include <string.h>

#define AGAIN_ROUNDS_MAX 500 /* the station gives up much earlier, after 20 that brought nothing */
#define PARTS_MS 300000      /* 256 records in parts at 9600 baud are half of it */
#define FLUSH_MS 3000
#define UART_LOOK_MS 20 /* the other ways are looked at in between */
#define BIT(verb) (1u << (verb))

void ask_clock_start(struct ask_clock *a, uint64_t now_ms)
{
	a->start_ms = now_ms;
	a->repeat_ms = now_ms + ASK_REPEAT_MS;
}

enum ask_step ask_clock_step(struct ask_clock *a, uint64_t now_ms, int heard, unsigned again_s, uint64_t *wait_ms)
{
	uint64_t end_ms = a->start_ms + (heard ? (uint64_t)again_s * 1000 : ASK_DEAF_MS);

	if (now_ms >= end_ms)
		return ASK_GIVE_UP;
	if (now_ms >= a->repeat_ms) {
		a->repeat_ms = now_ms + ASK_REPEAT_MS;
		return ASK_REPEAT;
	}
	*wait_ms = (a->repeat_ms < end_ms ? a->repeat_ms : end_ms) - now_ms;
	return ASK_WAIT;
}

/* One question on its way. */
struct question {
	struct box *box;
	unsigned verbs; /* that answer it, BIT(verb) */
	unsigned line;  /* of the jump that an ok must name; 0: none */
	struct http http;
	struct reader reader; /* of the HTTP answer */
	struct ask_clock clock;
};

static int heard(const struct box *b) { return b->serial.heard_bytes || b->http_heard_bytes; }

static int fits(const struct question *q, const struct command *c)
{
	return c->tag == q->box->rec.tag && (q->verbs & BIT(c->verb)) && (c->verb != COMMAND_OK || c->line == q->line);
}

static void start_http(struct question *q)
{
	struct box *b = q->box;

	if (q->http.state != HTTP_IDLE || b->net.state != NET_UP || !b->job.net.http[0])
		return;
	memset(&q->reader, 0, sizeof q->reader);
	http_open(&q->http, b->job.net.http, "/ask", b->rec.last, b->rec.last_len);
}

/* 1 and *c when an answer came by HTTP. */
static int step_http(struct question *q, struct command *c)
{
	char buf[READER_BYTES];
	int r = http_step(&q->http);

	if (r == 0)
		return 0;
	if (r < 0 || q->http.status != 200) {
		http_close(&q->http);
		return 0;
	}
	for (;;) {
		size_t room = reader_room(&q->reader);
		ssize_t n = http_read(&q->http, buf, room < sizeof buf ? room : sizeof buf);

		if (n == -EAGAIN)
			return 0;
		if (n <= 0)
			reader_feed(&q->reader, "\n", 1); /* a last line may lack its end */
		else
			reader_feed(&q->reader, buf, (size_t)n);
		if (n > 0)
			q->box->http_heard_bytes += (uint64_t)n;
		while (reader_next(&q->reader, c))
			if (fits(q, c)) {
				http_close(&q->http);
				return 1;
			}
		if (n <= 0) {
			http_close(&q->http);
			return 0;
		}
	}
}

static void wait_event(struct question *q, uint64_t wait_ms)
{
	struct box *b = q->box;
	struct pollfd p[4];
	nfds_t n = 0;

	if (b->serial.fd >= 0)
		p[n++] = (struct pollfd){.fd = b->serial.fd, .events = POLLIN};
	if (b->net.fd >= 0)
		p[n++] = (struct pollfd){.fd = b->net.fd, .events = POLLIN};
	if (b->nfs.pid > 0)
		p[n++] = (struct pollfd){.fd = b->nfs.reply_fd, .events = POLLIN};
	if (q->http.state != HTTP_IDLE)
		p[n++] = (struct pollfd){.fd = q->http.fd, .events = http_events(&q->http)};
	if (b->serial.uart.port) { /* nobody wakes us, and 16 bytes is all that the chip keeps */
		sink_serial_wait(&b->serial, wait_ms < UART_LOOK_MS ? (unsigned)wait_ms : UART_LOOK_MS);
		wait_ms = 0;
	}
	poll(p, n, (int)wait_ms);
	box_pump(b, 0);
}

/* The line that asks is the last record, and has been sent. */
static int wait_answer(struct question *q, struct command *c)
{
	struct box *b = q->box;
	uint64_t wait_ms = 0;

	promise_say(&b->promise, (uint64_t)b->job.again_s * 1000 + 60000);
	start_http(q);
	for (;;) {
		while (sink_serial_command(&b->serial, c))
			if (fits(q, c))
				return 0;
		if (q->http.state != HTTP_IDLE && step_http(q, c))
			return 0;
		switch (ask_clock_step(&q->clock, clock_now_ms(), heard(b), b->job.again_s, &wait_ms)) {
		case ASK_GIVE_UP:
			return -ETIMEDOUT;
		case ASK_REPEAT:
			records_repeat(&b->rec, 0);
			start_http(q);
			break;
		case ASK_WAIT:
			wait_event(q, wait_ms);
			break;
		}
	}
}

static void forget_answers(struct box *b)
{
	struct command c;

	while (sink_serial_command(&b->serial, &c))
		;
}

static int ask(struct box *b, unsigned verbs, unsigned line, struct command *c)
{
	static struct question question; /* 4 KiB; no threads here */
	struct question *q = &question;

	*q = (struct question){.box = b, .verbs = verbs, .line = line, .http.fd = -1};
	ask_clock_start(&q->clock, clock_now_ms());
	int err = wait_answer(q, c);
	http_close(&q->http);
	return err;
}

/* The same, by a question to which the station may say first what it lacks. */
static int ask_after_again(struct box *b, unsigned verbs, struct command *c)
{
	for (int round = 0; round < AGAIN_ROUNDS_MAX; round++) {
		int err = ask(b, verbs | BIT(COMMAND_AGAIN), 0, c);

		if (err || c->verb != COMMAND_AGAIN)
			return err;
		forget_answers(b);
		promise_say(&b->promise, PARTS_MS);
		records_again(&b->rec, c->what);
		records_repeat(&b->rec, 0);
	}
	return -ETIMEDOUT;
}

int ask_bye(struct box *b)
{
	struct command c;
	size_t sinks = b->rec.sinks;

	forget_answers(b);
	/* Kept first, then on NFS, then said: when the station hears it, both channels have it. */
	b->rec.sinks = 0;
	records_bye(&b->rec);
	b->rec.sinks = sinks;
	if (b->nfs.mounted == 1)
		b->nfs.base.ops->flush(&b->nfs.base, FLUSH_MS);
	records_repeat(&b->rec, 0);
	return ask_after_again(b, BIT(COMMAND_OK), &c);
}

int ask_next(struct box *b, struct command *c)
{
	forget_answers(b);
	records_begin(&b->rec, "ask", NULL);
	records_end(&b->rec);
	return ask_after_again(b, BIT(COMMAND_GO) | BIT(COMMAND_HOLD), c);
}

int ask_jump(struct box *b, unsigned line, uint32_t tag, unsigned quiet_ms, enum journal_guard guard)
{
	struct command c;

	forget_answers(b);
	struct kv_out *o = records_begin(&b->rec, "jump", NULL);
	kv_out_u64(o, "line", line);
	kv_out_hex32(o, "tag", tag);
	kv_out_u64(o, "quiet_ms", quiet_ms);
	kv_out_str(o, "guard", journal_guard_name(guard));
	records_end(&b->rec);
	return ask(b, BIT(COMMAND_OK), line, &c);
}
