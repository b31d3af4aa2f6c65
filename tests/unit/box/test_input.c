/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the box reads of the world: kernel messages, HTTP heads, addresses, its serial console, commands in noise. */
#include "../common/unit.h"

#include <arpa/inet.h>
#include <errno.h>

#include "box/http.h"
#include "box/kmsg.h"
#include "box/net.h"
#include "box/reader.h"
#include "box/sink_serial.h"
#include "common/serial.h"

static void test_kmsg_warning(void **state)
{
	static const char *const yes[] = {"WARNING: CPU: 0 PID: 1 at kernel/x.c:12 f+0x1/0x2", "WARNING: at mm/x.c:1", "Badness in f at x.c:3"};
	static const char *const no[] = {"A WARNING: x", "WARNING", "warning: x", "", "Badness"};

	(void)state;
	for (size_t i = 0; i < sizeof(yes) / sizeof(*yes); i++)
		assert_int_equal(kmsg_is_warning(yes[i], strlen(yes[i])), 1);
	for (size_t i = 0; i < sizeof(no) / sizeof(*no); i++)
		assert_int_equal(kmsg_is_warning(no[i], strlen(no[i])), 0);
	assert_int_equal(kmsg_is_warning("WARNING: x", 8), 0);
}

static void test_kmsg(void **state)
{
	const char *s = "4,339,5140900,-;NET: a; b\n SUBSYSTEM=x\n", *text;
	unsigned level;
	uint64_t us;
	size_t len;

	(void)state;
	assert_int_equal(kmsg_parse(s, strlen(s), &level, &us, &text, &len), 0);
	assert_int_equal(level, 4);
	assert_int_equal(us, 5140900);
	assert_int_equal(len, strlen("NET: a; b"));
	assert_memory_equal(text, "NET: a; b", len);
	assert_int_equal(kmsg_parse("30,1,2,-,caller=T1;x", 20, &level, &us, &text, &len), 0);
	assert_int_equal(level, 6);
	for (size_t i = 0; i < 16; i++) /* all up to the semicolon is needed */
		assert_int_equal(kmsg_parse(s, i, &level, &us, &text, &len), -EINVAL);
}

static int head(const char *s, int *status, int64_t *length) { return http_parse_head(s, strlen(s), status, length); }

static void test_http(void **state)
{
	int status;
	int64_t length;

	(void)state;
	assert_int_equal(head("HTTP/1.1 200 OK\r\nServer: x\r\ncontent-length: 42\r\n\r\n", &status, &length), 0);
	assert_int_equal(status, 200);
	assert_int_equal(length, 42);
	assert_int_equal(head("HTTP/1.0 404 Not Found\n\n", &status, &length), 0);
	assert_int_equal(status, 404);
	assert_int_equal(length, -1);
	assert_int_equal(head("HTTP/1.0 200 OK\r\nContent-Length: 99999999999999999999999\r\n\r\n", &status, &length), -EPROTO);
	assert_int_equal(head("HTTP/1.0 200 OK\r\nContent-Length: -1\r\n\r\n", &status, &length), -EPROTO);
	assert_int_equal(head("SSH-2.0-OpenSSH_9\r\n\r\n", &status, &length), -EPROTO);
	assert_int_equal(head("", &status, &length), -EPROTO);
}

static void test_ip(void **state)
{
	uint32_t addr, mask, gateway;

	(void)state;
	assert_int_equal(net_ip_parse("192.168.1.5/24,192.168.1.1", &addr, &mask, &gateway), 0);
	assert_int_equal(ntohl(addr), 0xc0a80105);
	assert_int_equal(ntohl(mask), 0xffffff00);
	assert_int_equal(ntohl(gateway), 0xc0a80101);
	assert_int_equal(net_ip_parse("10.0.0.1/32", &addr, &mask, &gateway), 0);
	assert_int_equal(gateway, 0);
	assert_int_equal(net_ip_parse("10.0.0.1", &addr, &mask, &gateway), -EINVAL);
	assert_int_equal(net_ip_parse("10.0.0.1/33", &addr, &mask, &gateway), -EINVAL);
	assert_int_equal(net_ip_parse("10.0.0.1/24,x", &addr, &mask, &gateway), -EINVAL);
	assert_int_equal(net_ip_parse("10.0.0.1/24x", &addr, &mask, &gateway), -EINVAL);
	assert_int_equal(net_ip_parse("1111.1111.1111.1111/24", &addr, &mask, &gateway), -EINVAL);
}

static void test_console(void **state)
{
	char node[32];
	unsigned baud;

	(void)state;
	assert_int_equal(serial_find("console=tty0 console=ttyS1,57600n8 quiet", node, sizeof(node), &baud), 0);
	assert_string_equal(node, "ttyS1");
	assert_int_equal(baud, 57600);
	assert_int_equal(serial_find("console=ttyS0,115200 console=tty0", node, sizeof(node), &baud), 0);
	assert_string_equal(node, "ttyS0");
	assert_int_equal(serial_find("console=ttyS0", node, sizeof(node), &baud), 0);
	assert_int_equal(baud, 9600);
	assert_int_equal(serial_find("console=tty0 quiet", node, sizeof(node), &baud), -ENOENT);
	assert_int_equal(serial_find("xconsole=ttyS0", node, sizeof(node), &baud), -ENOENT);
	assert_int_equal(serial_find("console=ttyS0/../../etc", node, sizeof(node), &baud), 0);
	assert_int_equal(serial_is_console("console=tty0 console=ttyS0,115200", "ttyS0"), 1);
	assert_int_equal(serial_is_console("console=ttyS0", "ttyS0"), 1);
	assert_int_equal(serial_is_console("console=ttyS0,115200 console=tty0 quiet", "ttyS0"), 0);
	assert_int_equal(serial_is_console("console=ttyS01", "ttyS0"), 0);
	assert_int_equal(serial_is_console("quiet", "ttyS0"), 0);
}

/* One command in a stream cut at every place and full of noise. */
static void test_reader(void **state)
{
	struct command c = {.tag = 0x1234, .verb = COMMAND_GO, .line = 7, .next_tag = 9}, got;
	char stream[4096];
	size_t len = 0;

	(void)state;
	memset(stream, 'x', 1500); /* longer than the reader */
	len = 1500;
	memcpy(stream + len, "\r\n\0\xff# kd1 \n", 11);
	len += 11;
	len += (size_t)command_format(&c, stream + len, sizeof(stream) - len);
	for (size_t step = 1; step < 700; step += 13) {
		struct reader r = {.len = 0};
		int found = 0;

		for (size_t at = 0; at < len;) {
			size_t n = len - at < step ? len - at : step, room = reader_room(&r);

			assert_true(room > 0);
			n = n < room ? n : room;
			reader_feed(&r, stream + at, n);
			at += n;
			while (reader_next(&r, &got))
				found++;
		}
		assert_int_equal(found, 1);
		assert_int_equal(got.line, 7);
	}
}

static void test_reader_noise(void **state)
{
	struct reader r = {.len = 0};
	struct command got;
	uint32_t seed = 7;

	(void)state;
	for (int i = 0; i < 20000; i++) {
		char c = (char)unit_random(&seed);

		reader_feed(&r, &c, 1);
		assert_false(reader_next(&r, &got));
		assert_true(reader_room(&r) > 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kmsg_warning), cmocka_unit_test(test_kmsg),   cmocka_unit_test(test_http),         cmocka_unit_test(test_ip),
		cmocka_unit_test(test_console),      cmocka_unit_test(test_reader), cmocka_unit_test(test_reader_noise),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
