/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nic and snmp: what the kernel counts of a network, in the shapes that kernels from 2.4 on print. */
#include "../common/unit.h"

#include <errno.h>

#include "../../suite/nic.h"
#include "../../suite/snmp.h"

static const char head[] =
	"Inter-|   Receive                                                |  Transmit\n"
	" face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed\n";

static void test_dev(void **state)
{
	struct nic_count c = {.v = {0}};
	char text[1024];

	(void)state;
	snprintf(text, sizeof(text),
	         "%s    lo: 1 1 9 9 9 0 0 0 1 1 9 9 9 0 0 0\n eth01: 1 1 8 8 8 0 0 0 1 1 8 8 8 0 0 0\n  eth0:100 2 3 4 5 0 0 0 200 7 8 9 10 0 0 0\n",
	         head);
	assert_int_equal(nic_parse_dev(text, "eth0", &c), 0);
	assert_int_equal(c.v[NIC_RX_ERRS], 3);
	assert_int_equal(c.v[NIC_RX_DROP], 4);
	assert_int_equal(c.v[NIC_RX_FIFO], 5);
	assert_int_equal(c.v[NIC_TX_ERRS], 8);
	assert_int_equal(c.v[NIC_TX_DROP], 9);
	assert_int_equal(c.v[NIC_TX_FIFO], 10);
	assert_false(c.known[NIC_IRQS]);
	assert_int_equal(nic_parse_dev(text, "eth", &c), -ENOENT);
	assert_int_equal(nic_parse_dev(text, "", &c), -ENOENT);
	assert_int_equal(nic_parse_dev("eth0: 1 2", "eth0", &c), -ENOENT);
	assert_int_equal(nic_parse_dev("eth0:", "eth0", &c), -ENOENT);
}

static void test_softnet(void **state)
{
	struct nic_count c = {.v = {0}};

	(void)state;
	assert_int_equal(nic_parse_softnet("00000010 00000001 0000000a 0 0 0\n00000020 00000002 00000001 0 0 0\n", &c), 0);
	assert_int_equal(c.v[NIC_SOFTNET_DROP], 3);
	assert_int_equal(c.v[NIC_SQUEEZE], 11);
	assert_int_equal(nic_parse_softnet("xyz\n", &c), -ENOENT);
	assert_int_equal(nic_parse_softnet("", &c), -ENOENT);
}

static void test_interrupts(void **state)
{
	static const char msi[] = "           CPU0       CPU1       \n"
				  "  1:          9          0   IO-APIC   1-edge      i8042\n"
				  " 24:          1          2  PCI-MSI 49152-edge      virtio0-config\n"
				  " 25:         10          0  PCI-MSI 49153-edge      virtio0-input.0\n"
				  " 26:          0        100  PCI-MSI 49154-edge      virtio0-output.0\n"
				  " 27:          5          5  PCI-MSI 49154-edge      virtio01-output.0\n"
				  "NMI:          7          7   Non-maskable interrupts\n"
				  "ERR:          0\n";
	static const char pic[] =
		"           CPU0       \n  5:      42          XT-PIC  usb-uhci, eth0\n 10:      1  XT-PIC  eth01\n 11:      3  XT-PIC\n";
	const struct nic virtio = {"eth0", "virtio0"}, old = {"eth0", ""}, none = {"", ""};
	struct nic_count c = {.v = {0}};

	(void)state;
	assert_int_equal(nic_parse_interrupts(msi, &virtio, &c), 0);
	assert_int_equal(c.v[NIC_IRQS], 113);
	assert_int_equal(nic_parse_interrupts(pic, &old, &c), 0);
	assert_int_equal(c.v[NIC_IRQS], 42);
	assert_int_equal(nic_parse_interrupts(msi, &old, &c), -ENOENT);
	assert_int_equal(nic_parse_interrupts(msi, &none, &c), -ENOENT);
	assert_int_equal(nic_parse_interrupts("", &old, &c), -ENOENT);
	assert_int_equal(nic_parse_interrupts("5: 1 2 eth0", &old, &c), 0);
	assert_int_equal(c.v[NIC_IRQS], 3);
}

static void test_snmp(void **state)
{
	static const char text[] = "Ip: Forwarding InDiscards ReasmOKs ReasmFails FragOKs FragFails\nIp: 2 1 30 4 50 6\n"
				   "Tcp: RetransSegs InErrs OutSegs InSegs\nTcp: 7 8 9 10\nUdp: InDatagrams NoPorts InErrors\nUdp: 11 12 13\n";
	struct snmp s;
	unsigned known = 0;
	uint64_t sum = 0;

	(void)state;
	snmp_parse(&s, text);
	assert_true(s.known[SNMP_RETRANS]);
	assert_int_equal(s.v[SNMP_RETRANS], 7);
	for (unsigned i = 0; i < SNMP_ROWS; i++) {
		known += s.known[i];
		sum += s.v[i];
	}
	assert_int_equal(known, SNMP_ROWS - 1); /* no RcvbufErrors before 2.6.18 */
	assert_int_equal(sum, 1 + 30 + 4 + 50 + 6 + 7 + 8 + 9 + 10 + 11 + 12 + 13);
	snmp_parse(&s, "");
	assert_false(s.known[SNMP_RETRANS]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_dev),
		cmocka_unit_test(test_softnet),
		cmocka_unit_test(test_interrupts),
		cmocka_unit_test(test_snmp),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
