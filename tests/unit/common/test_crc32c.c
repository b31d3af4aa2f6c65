/* SPDX-License-Identifier: GPL-2.0-or-later */
/* crc32c: the known answers of RFC 3720, appendix B.4, and that pieces give what the whole gives. */
#include "unit.h"

#include "common/crc32c.h"

static void test_known(void **state)
{
	unsigned char buf[48];
	/* An iSCSI SCSI Read (10) command PDU, RFC 3720 B.4. */
	static const unsigned char pdu[48] = {
		0x01, 0xc0, 0, 0,    0, 0, 0, 0,    0,    0, 0, 0, 0, 0, 0, 0, 0x14, 0, 0, 0, 0, 0, 0x04, 0,
		0,    0,    0, 0x14, 0, 0, 0, 0x18, 0x28, 0, 0, 0, 0, 0, 0, 0, 0x02, 0, 0, 0, 0, 0, 0,    0,
	};

	(void)state;
	assert_int_equal(crc32c(0, "123456789", 9), 0xe3069283);
	assert_int_equal(crc32c(0, "", 0), 0);
	memset(buf, 0, 32);
	assert_int_equal(crc32c(0, buf, 32), 0x8a9136aa);
	memset(buf, 0xff, 32);
	assert_int_equal(crc32c(0, buf, 32), 0x62a8ab43);
	for (unsigned i = 0; i < 32; i++)
		buf[i] = (unsigned char)i;
	assert_int_equal(crc32c(0, buf, 32), 0x46dd794e);
	for (unsigned i = 0; i < 32; i++)
		buf[i] = (unsigned char)(31 - i);
	assert_int_equal(crc32c(0, buf, 32), 0x113fdb5c);
	assert_int_equal(crc32c(0, pdu, 48), 0xd9963a56);
}

static void test_pieces(void **state)
{
	unsigned char buf[300];
	uint32_t r = 1;

	(void)state;
	for (size_t i = 0; i < sizeof(buf); i++)
		buf[i] = (unsigned char)unit_random(&r);
	for (size_t cut = 0; cut <= sizeof(buf); cut++)
		assert_int_equal(crc32c(crc32c(0, buf, cut), buf + cut, sizeof(buf) - cut), crc32c(0, buf, sizeof(buf)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known),
		cmocka_unit_test(test_pieces),
	};

	return cmocka_run_group_tests_name("crc32c", tests, NULL, NULL);
}
