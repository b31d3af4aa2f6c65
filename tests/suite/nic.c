/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nic: ioctls to find it, three files to count. /proc/interrupts may be long (a column a CPU), so it is read whole, within a bound.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/io.h"
#include "fact.h"
#include "nic.h"

#define FILE_MAX (256u << 10)
#define IF_MAX 32

static const char *const keys[NIC_ROWS] = {"rx_errs", "rx_drop", "rx_fifo", "tx_errs", "tx_drop", "tx_fifo", "squeeze", "softnet_drop", "irqs"};

static const char *next_line(const char *s)
{
	s = strchr(s, '\n');
	return s ? s + 1 : NULL;
}

static void set(struct nic_count *c, enum nic_row row, uint64_t v)
{
	c->v[row] = v;
	c->known[row] = 1;
}

/* Columns of /proc/net/dev behind the colon: bytes packets errs drop fifo ..., eight of receiving, then of sending. */
int nic_parse_dev(const char *text, const char *name, struct nic_count *c)
{
	static const struct {
		unsigned column;
		enum nic_row row;
	} want[] = {{2, NIC_RX_ERRS}, {3, NIC_RX_DROP}, {4, NIC_RX_FIFO}, {10, NIC_TX_ERRS}, {11, NIC_TX_DROP}, {12, NIC_TX_FIFO}};
	size_t len = strlen(name);

	for (const char *s = text; s && *s; s = next_line(s)) {
		unsigned column = 0;
		char *end;

		s += strspn(s, " ");
		if (!len || strncmp(s, name, len) || s[len] != ':')
			continue;
		for (const char *p = s + len + 1;; p = end, column++) {
			uint64_t v;

			p += strspn(p, " ");
			if (*p < '0' || *p > '9')
				break;
			v = strtoull(p, &end, 10);
			for (size_t i = 0; i < sizeof(want) / sizeof(*want); i++)
				if (want[i].column == column)
					set(c, want[i].row, v);
		}
		return column > 12 ? 0 : -ENOENT;
	}
	return -ENOENT;
}

/* A line a CPU, hex: packets, dropped, time_squeeze, ... */
int nic_parse_softnet(const char *text, struct nic_count *c)
{
	uint64_t dropped = 0, squeeze = 0;
	unsigned lines = 0;

	for (const char *s = text; s && *s; s = next_line(s)) {
		unsigned long v[3];

		if (sscanf(s, "%lx %lx %lx", &v[0], &v[1], &v[2]) != 3)
			continue;
		dropped += v[1];
		squeeze += v[2];
		lines++;
	}
	if (!lines)
		return -ENOENT;
	set(c, NIC_SOFTNET_DROP, dropped);
	set(c, NIC_SQUEEZE, squeeze);
	return 0;
}

/* Is a name of this line that of the interface or of its device, or of a queue of theirs? */
static int names_it(const char *word, size_t len, const char *name)
{
	size_t n = strlen(name);

	return n && len >= n && !strncmp(word, name, n) && (len == n || strchr("-:.@", word[n]));
}

static int is_ours(const char *s, size_t len, const struct nic *n)
{
	const char *end = s + len;

	while (s < end) {
		size_t word;

		while (s < end && strchr(" ,\t", *s))
			s++;
		for (word = 0; s + word < end && !strchr(" ,\t", s[word]);)
			word++;
		if (names_it(s, word, n->name) || names_it(s, word, n->device))
			return 1;
		s += word;
	}
	return 0;
}

/* ` 24:  123  456  PCI-MSI 65536-edge  virtio0-input.0`: counts, a column a CPU, then words. */
int nic_parse_interrupts(const char *text, const struct nic *n, struct nic_count *c)
{
	uint64_t sum = 0;
	int found = 0;

	for (const char *s = text; s && *s; s = next_line(s)) {
		const char *p = s + strspn(s, " ");
		uint64_t line = 0;
		char *end;

		if (*p < '0' || *p > '9' || p[strspn(p, "0123456789")] != ':')
			continue;
		for (p += strspn(p, "0123456789") + 1;; p = end) {
			p += strspn(p, " ");
			if (*p < '0' || *p > '9' || !strchr(" \n", p[strspn(p, "0123456789")]))
				break;
			line += strtoull(p, &end, 10);
		}
		if (!is_ours(p, strcspn(p, "\n"), n))
			continue;
		sum += line;
		found = 1;
	}
	if (!found)
		return -ENOENT;
	set(c, NIC_IRQS, sum);
	return 0;
}

void nic_find(struct nic *n, const struct address *peer)
{
	struct ifreq list[IF_MAX];
	struct ifconf conf;
	char own[INET_ADDRSTRLEN], path[64], target[128];
	int fd = socket(AF_INET, SOCK_DGRAM, 0);
	ssize_t len;

	memset(n, 0, sizeof(*n));
	memset(list, 0, sizeof(list));
	conf.ifc_len = sizeof(list);
	conf.ifc_req = list;
	if (fd >= 0 && !address_own(peer, own, sizeof(own)) && !ioctl(fd, SIOCGIFCONF, &conf))
		for (int i = 0; i < conf.ifc_len / (int)sizeof(list[0]); i++) {
			struct sockaddr_in sin;

			memcpy(&sin, &list[i].ifr_addr, sizeof(sin));
			if (sin.sin_addr.s_addr == inet_addr(own))
				snprintf(n->name, sizeof(n->name), "%.15s", list[i].ifr_name);
		}
	if (fd >= 0)
		close(fd);
	if (!n->name[0])
		return;
	snprintf(path, sizeof(path), "/sys/class/net/%s/device", n->name);
	len = readlink(path, target, sizeof(target) - 1);
	target[len > 0 ? len : 0] = 0;
	snprintf(n->device, sizeof(n->device), "%.31s", strrchr(target, '/') ? strrchr(target, '/') + 1 : target);
}

static char *read_proc(const char *path)
{
	size_t len;
	char *text = NULL;

	return io_read_file(path, FILE_MAX, &text, &len) ? NULL : text;
}

void nic_read(const struct nic *n, struct nic_count *c)
{
	char *text;

	memset(c, 0, sizeof(*c));
	text = read_proc("/proc/net/dev");
	if (text)
		nic_parse_dev(text, n->name, c);
	free(text);
	text = read_proc("/proc/net/softnet_stat");
	if (text)
		nic_parse_softnet(text, c);
	free(text);
	text = read_proc("/proc/interrupts");
	if (text)
		nic_parse_interrupts(text, n, c);
	free(text);
}

void nic_report(const char *name, const struct nic *n, const struct nic_count *before, const struct nic_count *after)
{
	struct fact f;

	fact_open(&f, "fact");
	kv_out_str(&f.o, "nic", name);
	kv_out_str(&f.o, "name", n->name[0] ? n->name : "unknown");
	for (int i = 0; i < NIC_ROWS; i++) {
		if (i == NIC_SQUEEZE) {
			fact_send(&f);
			fact_open(&f, "fact");
			kv_out_str(&f.o, "softnet", name);
		}
		if (before->known[i] && after->known[i])
			kv_out_u64(&f.o, keys[i], after->v[i] - before->v[i]);
	}
	fact_send(&f);
}
