/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nic: the counters of one network interface, and of the work behind it: errors and drops (/proc/net/dev, all kernels), its interrupts
 * (/proc/interrupts), and how often the receive softirq ran out of its budget (/proc/net/softnet_stat, of the whole machine).
 *
 * The trap: an interrupt line bears the name of the interface, of a queue of it, or of the bus device behind it (virtio0-input.0), so both names are
 * looked for; a line shared with another device counts that one's too.
 */
#ifndef KD_SUITE_NIC_H
#define KD_SUITE_NIC_H

#include <stdint.h>

#include "address.h"

#define NIC_NAME_MAX 16 /* IFNAMSIZ */

enum nic_row { NIC_RX_ERRS, NIC_RX_DROP, NIC_RX_FIFO, NIC_TX_ERRS, NIC_TX_DROP, NIC_TX_FIFO, NIC_SQUEEZE, NIC_SOFTNET_DROP, NIC_IRQS, NIC_ROWS };

struct nic {
	char name[NIC_NAME_MAX]; /* "" where it was not found */
	char device[32];         /* as the bus calls it, or "" */
};

struct nic_count {
	uint64_t v[NIC_ROWS];
	unsigned char known[NIC_ROWS];
};

/* The interface whose address is used to reach peer, and its device. */
void nic_find(struct nic *n, const struct address *peer);
void nic_read(const struct nic *n, struct nic_count *c);
/* `fact nic=NAME name= rx_errs= ... irqs=` of the differences, of what is known. */
void nic_report(const char *name, const struct nic *n, const struct nic_count *before, const struct nic_count *after);

/* Pure, over the text of each file. 0 or -ENOENT: nothing of this interface is there. */
int nic_parse_dev(const char *text, const char *name, struct nic_count *c);
int nic_parse_softnet(const char *text, struct nic_count *c);
int nic_parse_interrupts(const char *text, const struct nic *n, struct nic_count *c);

#endif
