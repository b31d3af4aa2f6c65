/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rehearse_table: the faults, and what may become of a boot that one hits.
 *
 * Several verdicts are allowed where it depends on the kernel and the machine who notices first: the kernel's detectors (panic), the watchdog
 * (hang), the station (silent). A verdict that would hide the fault (complete, for a kernel that died) is never among them.
 */
#include <string.h>

#include "host/expand.h"
#include "host/rehearse.h"

#define DIED "failed:silent failed:reset failed:runner failed:hang"

const struct rehearse_fault rehearse_faults[] = {
	{"panic", REHEARSE_BOX, "kdfault=panic", .allowed = "failed:panic", .about = "sysrq c"},
	{"oops", REHEARSE_BOX, "kdfault=oops", .allowed = "failed:panic failed:oops", .about = "a write to address 16 in the kernel"},
	{"bug", REHEARSE_BOX, "kdfault=bug", .allowed = "failed:panic failed:oops", .about = "BUG()"},
	{"warn", REHEARSE_BOX, "kdfault=warn", .allowed = "complete failed:panic", .about = "a storm of 200 warnings with traces"},
	{"hardlockup", REHEARSE_BOX, "kdfault=hardlockup", .allowed = "failed:hang failed:silent failed:panic",
         .about = "all CPUs spin with interrupts off"},
	{"softlockup", REHEARSE_BOX, "kdfault=softlockup", .allowed = "failed:panic failed:hang failed:silent failed:runner",
         .about = "a CPU spins with interrupts on"},
	{"triple", REHEARSE_BOX, "kdfault=triple", .allowed = DIED, .about = "a triple fault: the CPU resets, and home is back"},
	{"hungtask", REHEARSE_BOX, "kdfault=hungtask", .allowed = "failed:panic failed:hang failed:silent failed:runner",
         .about = "a process sleeps where no signal reaches it"},
	{"segv", REHEARSE_BOX, "kdfault=segv", .allowed = "failed:runner", .about = "the runner dies of SIGSEGV"},
	{"oom", REHEARSE_BOX, "kdfault=oom", .allowed = "failed:runner", .about = "the kernel's OOM killer takes the runner"},
	{"rundie", REHEARSE_BOX, "kdfault=rundie", .allowed = DIED, .about = "the runner dies at once, again and again"},
	{"forkbomb", REHEARSE_BOX, "kdfault=forkbomb", .allowed = "complete failed:panic failed:deadline failed:no-progress " DIED,
         .about = "a fork bomb in a test, out of its process group"},
	{"diskfull", REHEARSE_BOX, "kdfault=diskfull", .allowed = "complete failed:runner", .about = "no byte is left on the box's file systems"},
	{"noinit", REHEARSE_BOX, "rdinit=/nowhere root=/dev/nowhere rootwait", .allowed = "not-run failed:no-hello failed:hang",
         .about = "the kernel waits before init, for ever"},
	{"clock", REHEARSE_BOX, "kdfault=clock", .allowed = "complete", .about = "the wall clock jumps by years, ahead and back"},
	{"flood", REHEARSE_BOX, "kdfault=flood", .allowed = "complete", .about = "kernel messages in the middle of records, for 8 s"},
	{"testhang", REHEARSE_BOX, "kdfault=testhang", .allowed = "complete", .about = "a test that ignores TERM and never ends"},

	{"power-go", REHEARSE_STATION, .act = REHEARSE_POWER, .at = JOURNAL_GO, .allowed = "complete not-run",
         .about = "power cut while the box fetches"},
	{"power-start", REHEARSE_STATION, .act = REHEARSE_POWER, .at = JOURNAL_START, .allowed = "complete not-run failed:no-hello failed:silent",
         .about = "power cut in the jump"},
	{"power-hello", REHEARSE_STATION, .act = REHEARSE_POWER, .at = JOURNAL_HELLO, .allowed = "complete failed:silent failed:reset",
         .about = "power cut in the tests"},
	{"power-bye", REHEARSE_STATION, .act = REHEARSE_POWER, .at = JOURNAL_COMPLETE, .allowed = "complete not-run",
         .about = "power cut behind bye, before the next jump"},
	{"station-go", REHEARSE_STATION, .act = REHEARSE_KILL, .at = JOURNAL_GO, .seconds = 5, .allowed = "complete",
         .about = "kill -9 of the station, started again after 5 s"},
	{"station-start", REHEARSE_STATION, .act = REHEARSE_KILL, .at = JOURNAL_START, .seconds = 5, .allowed = "complete",
         .about = "the same in the jump"},
	{"station-hello", REHEARSE_STATION, .act = REHEARSE_KILL, .at = JOURNAL_HELLO, .seconds = 20, .allowed = "complete",
         .about = "the same in the tests, for 20 s: the box goes on alone"},
	{"netcut", REHEARSE_STATION, .act = REHEARSE_NET, .at = JOURNAL_START, .seconds = 45, .allowed = "complete",
         .about = "the network cable is out for 45 s, from the jump on"},
	{"dhcp", REHEARSE_STATION, .act = REHEARSE_DHCP, .at = JOURNAL_START, .seconds = 60, .allowed = "complete",
         .about = "carrier, and no answer to anything, DHCP first, for 60 s"},
	{"nfsstop", REHEARSE_STATION, .act = REHEARSE_NFS_STOP, .at = JOURNAL_HELLO, .seconds = 90, .allowed = "complete",
         .about = "the NFS server stands still for 90 s"},
	{"nfsrestart", REHEARSE_STATION, .act = REHEARSE_NFS_RESTART, .at = JOURNAL_HELLO, .seconds = 3, .allowed = "complete",
         .about = "the NFS server is killed; another instance comes after 3 s"},
	{"nfsgone", REHEARSE_STATION, .act = REHEARSE_NFS_GONE, .at = JOURNAL_HELLO, .allowed = "complete",
         .about = "the NFS server is killed and does not come back"},
	{"home-cut", REHEARSE_STATION, .act = REHEARSE_HOME_CUT, .at = JOURNAL_HELLO, .seconds = 40,
         .allowed = "complete not-run failed:silent failed:reset", .about = "TFTP gives half of home's image for 40 s, and the power is cut"},
	{"kernel-cut", REHEARSE_STATION, .act = REHEARSE_KERNEL_CUT, .at = JOURNAL_HELLO, .seconds = 40, .allowed = "complete",
         .about = "another kernel than the manifest says is served for 40 s"},
	{"image-cut", REHEARSE_STATION, .act = REHEARSE_IMAGE_CUT, .at = JOURNAL_HELLO, .seconds = 40, .allowed = "complete",
         .about = "a byte of the image is wrong for 40 s"},

	{"kernel-swap", REHEARSE_KERNEL, .allowed = "void", .about = "another kernel of the same release stands under the id"},
	{"line", REHEARSE_LINE, .allowed = "complete", .about = "1 byte of 1000 of the serial line flipped, dropped or doubled, both ways"},
};

const size_t rehearse_faults_n = sizeof(rehearse_faults) / sizeof(rehearse_faults[0]);

const struct rehearse_fault *rehearse_find(const char *name)
{
	for (size_t i = 0; i < rehearse_faults_n; i++)
		if (!strcmp(rehearse_faults[i].name, name))
			return &rehearse_faults[i];
	return NULL;
}

int rehearse_is_detour(enum journal_state_id s, const char *why)
{
	return s == JOURNAL_VOID && (!strcmp(why, "off-path") || !strcmp(why, "after-power-cycle") || !strcmp(why, "stopped"));
}

int rehearse_allows(const struct rehearse_fault *f, enum journal_state_id s, const char *name, const char *why)
{
	const char *state = journal_state_name(s);
	size_t n = strlen(state);

	if (rehearse_is_detour(s, why))
		return 1;
	for (const char *w = f->allowed; *w;) {
		size_t len = strcspn(w, " ");

		if (s == JOURNAL_FAILED ? len == n + 1 + strlen(name) && !strncmp(w, "failed:", n + 1) && !strncmp(w + n + 1, name, len - n - 1)
		                        : len == n && !strncmp(w, state, n))
			return 1;
		w += len + (w[len] == ' ');
	}
	return 0;
}

void rehearse_shuffle(const struct rehearse_fault **f, size_t n, uint64_t seed)
{
	struct expand_rng rng;

	expand_seed(&rng, seed);
	for (size_t i = n; i > 1; i--) {
		size_t k = expand_below(&rng, (uint32_t)i);
		const struct rehearse_fault *t = f[i - 1];

		f[i - 1] = f[k];
		f[k] = t;
	}
}
