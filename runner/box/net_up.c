/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * net_up: one try at the network, by ioctls (netdevice(7)) that have not changed since Linux 2.0; DHCP by busybox's udhcpc
 * with its script. Trap: an interface has no carrier before it is up, and some drivers need seconds then.
 */
#include "box/net.h"
#include "common/clock.h"
#include "common/io.h"
#include "common/kv.h"
#include "common/proc.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <net/route.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#define IF_WAIT_MS 60000 /* while modules are being loaded */
#define IF_LATE_MS 3000  /* after that */
#define MODULES_PATH "/run/kd/modules"
#define CARRIER_WAIT_MS 10000
#define DHCP_WAIT_MS 15000
#define IF_MAX 16

int net_ip_parse(const char *s, uint32_t *addr, uint32_t *mask, uint32_t *gateway)
{
	char text[INET_ADDRSTRLEN];
	struct in_addr in;
	size_t n = strcspn(s, "/");
	char *end;

	if (n >= sizeof text || s[n] != '/')
		return -EINVAL;
	memcpy(text, s, n);
	text[n] = 0;
	if (inet_pton(AF_INET, text, &in) != 1)
		return -EINVAL;
	*addr = in.s_addr;
	unsigned long prefix = strtoul(s + n + 1, &end, 10);
	if (end == s + n + 1 || prefix < 1 || prefix > 32 || (*end && *end != ','))
		return -EINVAL;
	*mask = htonl(0xffffffffu << (32 - prefix));
	*gateway = 0;
	if (*end == ',') {
		if (inet_pton(AF_INET, end + 1, &in) != 1)
			return -EINVAL;
		*gateway = in.s_addr;
	}
	return 0;
}

static void set_in(struct sockaddr *sa, uint32_t addr)
{
	struct sockaddr_in in = {.sin_family = AF_INET, .sin_addr.s_addr = addr};

	memcpy(sa, &in, sizeof in);
}

static int set_up(int sock, const char *name)
{
	struct ifreq r = {0};

	snprintf(r.ifr_name, sizeof r.ifr_name, "%s", name);
	if (ioctl(sock, SIOCGIFFLAGS, &r) < 0)
		return -errno;
	if (r.ifr_flags & IFF_UP)
		return 0;
	r.ifr_flags |= IFF_UP;
	return ioctl(sock, SIOCSIFFLAGS, &r) < 0 ? -errno : 0;
}

static int has_carrier(int sock, const char *name)
{
	struct ifreq r = {0};

	snprintf(r.ifr_name, sizeof r.ifr_name, "%.*s", IFNAMSIZ - 1, name);
	return ioctl(sock, SIOCGIFFLAGS, &r) == 0 && (r.ifr_flags & IFF_RUNNING);
}

/* Names of all real interfaces, from /proc/net/dev (sysfs may be missing). */
static size_t list_interfaces(char name[IF_MAX][IFNAMSIZ])
{
	char text[4096], *line, *next = text;
	size_t n = 0;

	if (io_read_small("/proc/net/dev", text, sizeof text) < 0)
		return 0;
	while ((line = strsep(&next, "\n")) && n < IF_MAX) {
		line += strspn(line, " ");
		size_t len = strcspn(line, ":");
		if (line[len] != ':' || !len || len >= IFNAMSIZ || !strncmp(line, "lo:", 3) || !strncmp(line, "sit", 3) || !strncmp(line, "dummy", 5))
			continue;
		memcpy(name[n], line, len);
		name[n++][len] = 0;
	}
	return n;
}

/* The first interface with a carrier, all having been set up. */
static int find_interface(int sock, char out[IFNAMSIZ], const char **why)
{
	char name[IF_MAX][IFNAMSIZ];
	uint64_t start = clock_now_ms(), until_if = start + IF_WAIT_MS;
	int loading = 1;

	for (;;) {
		size_t n = list_interfaces(name);
		uint64_t now = clock_now_ms();

		if (loading && access(MODULES_PATH, F_OK) == 0) {
			loading = 0;
			until_if = now + IF_LATE_MS;
		}

		for (size_t i = 0; i < n; i++) {
			set_up(sock, name[i]);
			if (has_carrier(sock, name[i])) {
				strcpy(out, name[i]);
				return 0;
			}
		}
		*why = n ? "no-carrier" : "no-interface";
		if (!n)
			start = now; /* a carrier's time begins with its interface */
		if (n ? now >= start + CARRIER_WAIT_MS : now >= until_if)
			return n ? -ENOLINK : -ENODEV;
		clock_sleep_ms(10);
	}
}

static int configure(int sock, const char *name, const char *ip)
{
	struct ifreq r = {0};
	struct rtentry route = {.rt_flags = RTF_UP | RTF_GATEWAY};
	uint32_t addr, mask, gateway;

	if (net_ip_parse(ip, &addr, &mask, &gateway) < 0)
		return -EINVAL;
	snprintf(r.ifr_name, sizeof r.ifr_name, "%s", name);
	set_in(&r.ifr_addr, addr);
	if (ioctl(sock, SIOCSIFADDR, &r) < 0)
		return -errno;
	set_in(&r.ifr_netmask, mask);
	if (ioctl(sock, SIOCSIFNETMASK, &r) < 0)
		return -errno;
	if (!gateway)
		return 0;
	set_in(&route.rt_dst, 0);
	set_in(&route.rt_genmask, 0);
	set_in(&route.rt_gateway, gateway);
	return ioctl(sock, SIOCADDRT, &route) < 0 && errno != EEXIST ? -errno : 0;
}

static int run_dhcp(const char *name)
{
	const char *argv[] = {"udhcpc", "-f", "-q", "-n", "-i", name, "-s", "/etc/udhcpc.script", "-t", "5", "-T", "1", NULL};
	struct proc p = {.argv = argv, .fd = {-1, -1, -1, -1}};
	int err = proc_start(&p);

	if (err)
		return err;
	proc_wait(&p, DHCP_WAIT_MS, 500);
	return p.timed_out || p.status ? -ETIMEDOUT : 0;
}

static void read_address(int sock, const char *name, char *out, size_t size)
{
	struct ifreq r = {0};
	struct sockaddr_in in;

	snprintf(r.ifr_name, sizeof r.ifr_name, "%s", name);
	out[0] = 0;
	if (ioctl(sock, SIOCGIFADDR, &r) < 0)
		return;
	memcpy(&in, &r.ifr_addr, sizeof in);
	inet_ntop(AF_INET, &in.sin_addr, out, (socklen_t)size);
}

int net_bring_up(const char *ip, char *report, size_t size, const char **why)
{
	char name[IFNAMSIZ] = "", addr[INET_ADDRSTRLEN];
	struct kv_out o;
	int sock = socket(AF_INET, SOCK_DGRAM, 0);

	if (sock < 0) {
		*why = "no-inet";
		return -errno;
	}
	io_set_cloexec(sock);
	set_up(sock, "lo");
	int err = find_interface(sock, name, why);
	uint64_t link_ms = clock_boot_ms();
	if (!err) {
		*why = *ip ? "ip" : "dhcp";
		err = *ip ? configure(sock, name, ip) : run_dhcp(name);
	}
	if (!err) {
		read_address(sock, name, addr, sizeof addr);
		kv_out_init(&o, report, size);
		kv_out_str(&o, "nic", name);
		kv_out_str(&o, "net_how", *ip ? "ip" : "dhcp");
		kv_out_str(&o, "addr", addr);
		kv_out_u64(&o, "carrier_ms", link_ms);
		kv_out_u64(&o, "net_ms", clock_boot_ms());
		err = o.err;
	}
	close(sock);
	return err;
}
