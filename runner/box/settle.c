/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * settle: waits on pipes, not on time. Only the clocksource has no event and is looked at every 20 ms.
 */
#include "box/settle.h"
#include "common/clock.h"
#include "common/io.h"

#include <string.h>

#define MODULES_MS 65000
#define NET_MS 30000
#define NFS_MS 15000
#define CLOCKSOURCE_MS 3000

static int net_is_open(const struct box *b) { return b->net.state == NET_STARTING; }

static int nfs_is_open(const struct box *b) { return b->net.state == NET_UP && b->nfs.pid > 0 && b->nfs.mounted == 0; }

static void wait_while(struct box *b, int (*open)(const struct box *), uint64_t max_ms)
{
	uint64_t until = clock_now_ms() + max_ms, now;

	promise_say(&b->promise, max_ms + 30000);
	box_pump(b, 0);
	while (open(b) && (now = clock_now_ms()) < until)
		box_pump(b, until - now);
}

static int clocksource_is_early(void)
{
	char name[32];

	return io_read_small("/sys/devices/system/clocksource/clocksource0/current_clocksource", name, sizeof name) > 0 &&
	       !strncmp(name, "tsc-early", 9);
}

/* ms waited. */
static uint64_t wait_clocksource(void)
{
	uint64_t start = clock_now_ms(), gone = 0;

	while (clocksource_is_early() && (gone = clock_now_ms() - start) < CLOCKSOURCE_MS)
		clock_sleep_ms(20);
	return gone;
}

void settle_wait(struct box *b)
{
	uint64_t start = clock_now_ms();

	promise_say(&b->promise, MODULES_MS + 30000);
	box_wait_modules(b, MODULES_MS);
	wait_while(b, net_is_open, NET_MS);
	wait_while(b, nfs_is_open, NFS_MS);
	uint64_t early_ms = wait_clocksource();
	uint64_t settle_ms = clock_now_ms() - start;

	box_facts_modules(b);
	box_facts_net(b);
	box_facts_clock(b);
	struct kv_out *o = records_begin(&b->rec, "env", NULL);
	kv_out_u64(o, "settle_ms", settle_ms);
	kv_out_u64(o, "clocksource_wait_ms", early_ms);
	records_end(&b->rec);
}
