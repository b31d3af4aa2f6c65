/* SPDX-License-Identifier: GPL-2.0-or-later */
/* peer_answer and peer_udp: what the UDP side of the peer gives, to whom, and what it does not. */
#include "../common/unit.h"

#include <errno.h>

#include "host/peer_answer.h"

static struct peer_answer peer;

static struct peer_answer_out ask(const struct peer_answer_to *from, const struct peer_udp *d, size_t body)
{
	unsigned char *buf = calloc(1, PEER_UDP_HEAD + body);
	struct peer_answer_out out;

	peer_udp_put(buf, d);
	memcpy(buf + PEER_UDP_HEAD, peer_udp_body(peer.noise, d->seq), body);
	out = peer_answer(&peer, from, buf, PEER_UDP_HEAD + body);
	free(buf);
	return out;
}

static void test_proof(void **state)
{
	const struct peer_answer_to me = {0x0100007f, 4711, 10000};
	struct peer_answer_to who = me;
	struct peer_udp d = {.type = PEER_UDP_HELLO, .nonce = 99};
	struct peer_answer_out out;

	(void)state;
	assert_int_equal(peer_answer_init(&peer), 0);
	out = ask(&me, &d, 0);
	assert_int_equal(out.count, 1);
	assert_int_equal(out.head.type, PEER_UDP_COOKIE_IS);
	assert_int_equal(out.head.nonce, 99);
	d = out.head;
	d.type = PEER_UDP_GRANT;
	d.seq = 40;
	d.n = 5;
	d.size = 8192;
	out = ask(&me, &d, 0);
	assert_int_equal(out.count, 5);
	assert_int_equal(out.head.type, PEER_UDP_DATA);
	assert_int_equal(out.head.seq, 40);
	assert_int_equal(out.head.size, 8192);
	for (int i = 0; i < PEER_UDP_COOKIE; i++) /* it goes nowhere but to its owner, by hello */
		assert_int_equal(out.head.cookie[i], 0);
	who.port++;
	assert_int_equal(ask(&who, &d, 0).count, 0);
	who = me;
	who.addr++;
	assert_int_equal(ask(&who, &d, 0).count, 0);
	who = me;
	who.now_s += PEER_ANSWER_LIFE_S;
	assert_int_equal(ask(&who, &d, 0).count, 5);
	who.now_s++;
	assert_int_equal(ask(&who, &d, 0).count, 0);
	who.now_s = me.now_s - 1;
	assert_int_equal(ask(&who, &d, 0).count, 0);
	d.cookie[PEER_UDP_COOKIE - 1] ^= 1;
	assert_int_equal(ask(&me, &d, 0).count, 0);
	d.cookie[PEER_UDP_COOKIE - 1] ^= 1;
	d.nonce++;
	assert_int_equal(ask(&me, &d, 0).count, 0);
}

static void test_data(void **state)
{
	const struct peer_answer_to me = {0x0100007f, 4711, 10000};
	struct peer_udp d = ask(&me, &(struct peer_udp){.type = PEER_UDP_HELLO}, 0).head;
	unsigned char buf[512];
	struct peer_answer_out out;
	uint32_t bad = 0;

	(void)state;
	d.type = PEER_UDP_DATA;
	d.size = sizeof(buf);
	d.seq = 123456789;
	out = ask(&me, &d, sizeof(buf) - PEER_UDP_HEAD);
	assert_int_equal(out.count, 1);
	assert_int_equal(out.head.type, PEER_UDP_ACK);
	assert_int_equal(out.head.n, 0);
	assert_int_equal(out.head.seq, 123456789);
	peer_udp_put(buf, &d);
	memcpy(buf + PEER_UDP_HEAD, peer_udp_body(peer.noise, d.seq), sizeof(buf) - PEER_UDP_HEAD);
	buf[300] ^= 1;
	out = peer_answer(&peer, &me, buf, sizeof(buf));
	assert_int_equal(out.head.n, PEER_UDP_WRONG);
	assert_int_equal(peer_udp_check(peer.noise, buf, sizeof(buf), d.seq, &bad), -EILSEQ);
	assert_int_equal(bad, 300);
	assert_int_equal(peer_answer(&peer, &me, buf, sizeof(buf) - 1).count, 0);
	assert_true(memcmp(peer_udp_body(peer.noise, 1), peer_udp_body(peer.noise, 2), 64) != 0);
}

/* Types that the peer says are none that it is asked. */
static void test_refused(void **state)
{
	static const struct peer_udp t[] = {
		{.type = PEER_UDP_COOKIE_IS},     {.type = PEER_UDP_ACK, .size = 500},   {.type = 'x'},
		{.type = PEER_UDP_HELLO, .n = 1}, {.type = PEER_UDP_HELLO, .size = 500}, {.type = PEER_UDP_HELLO, .seq = 1},
	};
	const struct peer_answer_to me = {0x0100007f, 4711, 10000};
	unsigned char head[PEER_UDP_HEAD];
	struct peer_udp d;

	(void)state;
	for (size_t i = 0; i < sizeof(t) / sizeof(*t); i++)
		assert_int_equal(ask(&me, &t[i], 0).count, 0);
	peer_udp_put(head, &(struct peer_udp){.type = PEER_UDP_HELLO, .nonce = 1});
	assert_int_equal(peer_udp_get(&d, head, sizeof(head)), 0);
	for (size_t i = 0; i < sizeof(head); i++) { /* every byte but those of nonce, cookie and epoch counts */
		int free_byte = (i >= 8 && i < 32) || (i >= 48 && i < 52);

		head[i] ^= 0x40;
		assert_int_equal(peer_udp_get(&d, head, sizeof(head)), free_byte ? 0 : -EBADMSG);
		head[i] ^= 0x40;
	}
	for (size_t len = 0; len < sizeof(head); len++)
		assert_int_equal(peer_udp_get(&d, head, len), -EBADMSG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_proof),
		cmocka_unit_test(test_data),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
