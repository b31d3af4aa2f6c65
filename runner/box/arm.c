/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * arm: home's files, fetched and hashed as those of a next boot are, loaded with the crash flag. What they took of memory is given back
 * before the timed tests; what the kernel keeps lies where it was kept for.
 *
 * Words that a crash kernel needs and home does not: maxcpus=1, for the other CPUs are where the panic left them; nokaslr, for what is
 * told the whole memory map would move out of the memory kept for it, onto the dead kernel; reboot=s1, see crash.c.
 */
#include "box/arm.h"
#include "box/crash.h"
#include "box/files.h"
#include "box/load.h"
#include "common/clock.h"
#include "common/io.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CRASH_SIZE_PATH "/sys/kernel/kexec_crash_size"
#define CMDLINE_MAX 1800 /* kexec-tools adds the memory map */
#define WORDS "maxcpus=1 nokaslr reboot=s1"

long arm_format_cmdline(const struct job *me, const struct plan *p, uint64_t ram_bytes, unsigned bsp, char *out, size_t size)
{
	const struct job_net *n = &me->net;
	const struct plan_file *image = plan_file(p, PLAN_IMAGE, p->home);
	const struct {
		const char *word, *val;
	} pair[] = {{"kd.box=", me->box}, {"kd.sweep=", me->sweep}, {"kd.http=", n->http},       {"kd.tftp=", n->tftp},
	            {"kd.nfs=", n->nfs},  {"kd.peer=", n->peer},    {"kd.nfstest=", n->nfstest}, {"kd.ip=", n->ip}};
	int len = snprintf(out, size, "%s " WORDS " kd.role=crash kd.of=%08x kd.switch=%s kd.again_s=%u kd.jump_s=%u kd.image=%.16s kd.ram=%llu",
	                   p->home_cmdline ? p->home_cmdline : "", (unsigned)me->tag, plan_switch_name(me->sw), me->again_s, me->jump_s,
	                   image ? image->sha256 : "", (unsigned long long)ram_bytes);

	if (bsp != JOB_BSP_UNKNOWN && len > 0 && (size_t)len < size)
		len += snprintf(out + len, size - (size_t)len, " kd.bsp=%u", bsp);
	if (me->sysrq && len > 0 && (size_t)len < size)
		len += snprintf(out + len, size - (size_t)len, " kd.sysrq=1");
	for (size_t i = 0; i < sizeof pair / sizeof *pair; i++)
		if (pair[i].val[0] && len > 0 && (size_t)len < size)
			len += snprintf(out + len, size - (size_t)len, " %s%s", pair[i].word, pair[i].val);
	return len < 0 || (size_t)len >= size ? -EMSGSIZE : len;
}

/* NULL, or why not; l.by says who has loaded it. */
static const char *load(struct box *b, const struct plan *p, struct files *files, struct load *l)
{
	static char cmdline[CMDLINE_MAX];

	l->kernel_path = FILES_KERNEL_PATH;
	l->initrd_path = FILES_INITRD_PATH;
	l->cmdline = cmdline;
	l->crash = 1;
	if (arm_format_cmdline(&b->job, p, crash_ram_bytes("/sys/firmware/memmap"), crash_apic_id(0), cmdline, sizeof cmdline) < 0)
		return "cmdline";
	promise_say(&b->promise, 180000);
	int err = load_kernel(l);
	if (!files_are_right(files, b)) {
		if (!err)
			load_unload(l);
		return "hash";
	}
	if (err)
		records_note(&b->rec, NULL, "crash kernel refused: %s", l->why);
	const struct plan_try *t = plan_try_by_tag(p, b->job.tag);
	const struct plan_expect *own = t ? plan_expect(p, p->subject[t->subject].kernel) : NULL;
	if (!err && own && *own->watchdog)
		promise_watch(&b->promise, p->jump_s); /* a panic does not stop it: until the crash kernel, or the one behind it, pets it */
	return err ? "load" : NULL;
}

static const char *fetch_and_load(struct box *b, struct load *l)
{
	struct files files;
	struct plan p;
	char kept[32];

	if (io_read_small(CRASH_SIZE_PATH, kept, sizeof kept) <= 0 || !strtoull(kept, NULL, 10))
		return "no-memory";
	if (b->net.state != NET_UP)
		return "network";
	if (next_fetch_plan(b, &p) != NEXT_OK)
		return "plan";
	const char *why = files_fetch(&files, b, &p, p.home) == NEXT_OK ? NULL : "fetch";
	files_close(&files);
	if (!why)
		why = load(b, &p, &files, l);
	files_drop(&files);
	plan_free(&p);
	return why;
}

void arm_crash(struct box *b)
{
	struct load l = {.by = ""};
	uint64_t start = clock_now_ns();
	const char *why = fetch_and_load(b, &l);
	struct kv_out *o = records_begin(&b->rec, "env", NULL);

	kv_out_str(o, "crash_armed", why ? "no" : "yes");
	if (why)
		kv_out_str(o, "crash_why", why);
	else
		kv_out_str(o, "crash_by", l.by);
	kv_out_u64(o, "crash_armed_ns", clock_now_ns() - start);
	records_end(&b->rec);
	if (why)
		records_note(&b->rec, NULL, "no crash kernel: %s", why);
}
