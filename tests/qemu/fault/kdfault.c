/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kdfault: a module that does to its kernel what no program can: a word written to /sys/module/kdfault/parameters/what, at once.
 * Built against a kernel's own headers by tests/qemu/fault/build; the test `fault` writes there, and nothing else does. Loaded, it
 * does nothing by itself.
 */
#include <linux/delay.h>
#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/smp.h>

static void spin(void *unused)
{
	local_irq_disable();
	for (;;)
		cpu_relax();
}

static void triple(void)
{
	static const struct {
		unsigned short limit;
		unsigned long base;
	} __packed none;

	local_irq_disable();
	asm volatile("lidt %0; ud2" : : "m"(none));
}

static int act(const char *what, const struct kernel_param *kp)
{
	int i;

	if (sysfs_streq(what, "oops"))
		WRITE_ONCE(*(volatile int *)16, 1);
	if (sysfs_streq(what, "bug"))
		BUG();
	if (sysfs_streq(what, "soft")) {
		preempt_disable();
		for (;;)
			cpu_relax();
	}
	if (sysfs_streq(what, "hard")) {
		smp_call_function(spin, NULL, 0);
		spin(NULL);
	}
	if (sysfs_streq(what, "triple"))
		triple();
	if (!sysfs_streq(what, "warn"))
		return -EINVAL;
	for (i = 0; i < 200; i++)
		WARN(1, "kdfault: warning %d of a storm\n", i);
	return 0;
}

static const struct kernel_param_ops what_ops = {.set = act};
module_param_cb(what, &what_ops, NULL, 0200);
MODULE_PARM_DESC(what, "oops, bug, warn, soft (this CPU, interrupts on), hard (all CPUs, interrupts off), triple");

static int __init kdfault_init(void) { return 0; }
module_init(kdfault_init);

MODULE_DESCRIPTION("faults for kdyno's rehearsal");
MODULE_LICENSE("GPL");
