/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kvm: makes a VM and lets it run a loop of 300,000 instructions in 32-bit mode (Documentation/virt/kvm/api.rst of the kernel).
 *
 * The device node alone says nothing: seen are machines where opening it fails, where no VM can be made, and where a VM runs, but the
 * hypervisor below emulates every instruction: 3 million a second, a tenth of what QEMU's own emulation does, until it meets
 * one that it does not know. The loop takes 0.1 ms on real hardware. It runs in a child, so that one that hangs is ended.
 */
#include "host/kvm.h"

#include <fcntl.h>
#include <linux/kvm.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/clock.h"

#define LOOPS 100000u
#define SLOW_NS 20000000u
#define HANG_S 3
#define MEM_BYTES 0x100000u
#define CODE_AT 0x1000u

enum { WORKS, NO_DEVICE, NO_VM, NO_RUN, SLOW };

static const char *const reasons[] = {
	[WORKS] = NULL,
	[NO_DEVICE] = "no KVM",
	[NO_VM] = "KVM cannot make a VM",
	[NO_RUN] = "KVM cannot run a VM",
	[SLOW] = "KVM is slower than emulation here",
};

/* mov ecx, LOOPS; 1: bswap edi; dec ecx; jnz 1b; hlt */
static void put_code(unsigned char *mem)
{
	static const unsigned char code[] = {0xb9, 0, 0, 0, 0, 0x0f, 0xcf, 0x49, 0x75, 0xfb, 0xf4};
	const uint32_t loops = LOOPS;

	memcpy(mem + CODE_AT, code, sizeof(code));
	memcpy(mem + CODE_AT + 1, &loops, sizeof(loops));
}

static int set_registers(int cpu)
{
	struct kvm_segment code = {.base = CODE_AT, .limit = 0xffffffff, .selector = 8, .type = 11, .present = 1, .db = 1, .s = 1, .g = 1};
	struct kvm_segment data = code;
	struct kvm_regs regs = {.rip = 0, .rflags = 2, .rsp = 0x8000};
	struct kvm_sregs s;

	if (ioctl(cpu, KVM_GET_SREGS, &s))
		return -1;
	data.type = 3;
	data.selector = 16;
	s.cs = code;
	s.ds = s.es = s.fs = s.gs = s.ss = data;
	s.cr0 |= 1;
	return ioctl(cpu, KVM_SET_SREGS, &s) || ioctl(cpu, KVM_SET_REGS, &regs) ? -1 : 0;
}

static int run_loop(int kvm, int vm)
{
	unsigned char *mem = mmap(NULL, MEM_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct kvm_userspace_memory_region region = {.memory_size = MEM_BYTES, .userspace_addr = (uintptr_t)mem};
	int cpu = ioctl(vm, KVM_CREATE_VCPU, 0), size = ioctl(kvm, KVM_GET_VCPU_MMAP_SIZE, 0);
	struct kvm_run *run;
	uint64_t start;

	if (mem == MAP_FAILED || cpu < 0 || size < (int)sizeof(*run))
		return NO_RUN;
	run = mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE, MAP_SHARED, cpu, 0);
	put_code(mem);
	ioctl(vm, KVM_SET_TSS_ADDR, 0xfffbd000ul); /* Intel without unrestricted guests wants it */
	if (run == MAP_FAILED || ioctl(vm, KVM_SET_USER_MEMORY_REGION, &region) || set_registers(cpu))
		return NO_RUN;
	start = clock_now_ns();
	if (ioctl(cpu, KVM_RUN, 0) || run->exit_reason != KVM_EXIT_HLT)
		return NO_RUN;
	return clock_now_ns() - start > SLOW_NS ? SLOW : WORKS;
}

static int probe(void)
{
	int kvm = open("/dev/kvm", O_RDWR | O_CLOEXEC), vm;

	if (kvm < 0)
		return NO_DEVICE;
	vm = ioctl(kvm, KVM_CREATE_VM, 0);
	if (vm < 0)
		return NO_VM;
	return run_loop(kvm, vm);
}

const char *kvm_refusal(void)
{
	int status = 0, result = NO_RUN;

	for (int i = 0; i < 2; i++) {
		pid_t pid = fork();

		if (!pid) {
			alarm(HANG_S);
			_exit(probe());
		}
		if (pid < 0 || waitpid(pid, &status, 0) < 0 || !WIFEXITED(status) || WEXITSTATUS(status) > SLOW)
			return reasons[NO_RUN];
		result = WEXITSTATUS(status);
		if (result != SLOW) /* slow may only mean that another process had the CPU */
			break;
	}
	return reasons[result];
}
