/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kvm: see kvm.h. A guest of one page counts to 20 million. Documentation/virt/kvm/api.rst of the kernel has the calls.
 *
 * Trap: under nested virtualisation /dev/kvm may open, make machines and CPUs, run single instructions, and yet be hundreds of
 * times slower than emulation or let a guest down later: so the guest has work to do, in a child that is killed when it is late.
 */
#include "host/kvm.h"

#include <fcntl.h>
#include <linux/kvm.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/clock.h"

#define PAGE 4096
#define PROBE_MS 1000
#define PORT 0x80

#if defined(__x86_64__) || defined(__i386__)
/* mov $20000000, %ecx; 1: dec %ecx; jnz 1b; mov $42, %al; out %al, $0x80; hlt: some 10 ms of a real CPU's time */
static const unsigned char code[] = {0x66, 0xb9, 0x00, 0x2d, 0x31, 0x01, 0x66, 0x49, 0x75, 0xfc, 0xb0, 42, 0xe6, PORT, 0xf4};

static int make_cpu(int kvm, int vm, struct kvm_run **run)
{
	struct kvm_userspace_memory_region mem = {.guest_phys_addr = PAGE, .memory_size = PAGE};
	struct kvm_regs regs = {.rip = PAGE, .rflags = 2};
	struct kvm_sregs sregs;
	void *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int cpu, size = ioctl(kvm, KVM_GET_VCPU_MMAP_SIZE, 0);

	if (page == MAP_FAILED || size < (int)sizeof(**run))
		return -1;
	memcpy(page, code, sizeof(code));
	mem.userspace_addr = (uintptr_t)page;
	cpu = ioctl(vm, KVM_CREATE_VCPU, 0);
	if (cpu < 0 || ioctl(vm, KVM_SET_USER_MEMORY_REGION, &mem) || ioctl(cpu, KVM_GET_SREGS, &sregs))
		return -1;
	sregs.cs.base = 0;
	sregs.cs.selector = 0;
	if (ioctl(cpu, KVM_SET_SREGS, &sregs) || ioctl(cpu, KVM_SET_REGS, &regs))
		return -1;
	*run = mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE, MAP_SHARED, cpu, 0);
	return *run == MAP_FAILED ? -1 : cpu;
}

/* 1 when the guest's byte came out at its port. */
static int run_guest(void)
{
	int kvm = open("/dev/kvm", O_RDWR | O_CLOEXEC), vm, cpu;
	struct kvm_run *run;

	if (kvm < 0 || ioctl(kvm, KVM_GET_API_VERSION, 0) != KVM_API_VERSION)
		return 0;
	vm = ioctl(kvm, KVM_CREATE_VM, 0);
	cpu = vm < 0 ? -1 : make_cpu(kvm, vm, &run);
	if (cpu < 0 || ioctl(cpu, KVM_RUN, 0) || run->exit_reason != KVM_EXIT_IO)
		return 0;
	return run->io.port == PORT && ((const unsigned char *)run)[run->io.data_offset] == 42;
}
#else
static int run_guest(void)
{
	return 0;
}
#endif

int kvm_works(void)
{
	uint64_t end = clock_now_ms() + PROBE_MS;
	int status;
	pid_t pid = fork();

	if (pid < 0)
		return 0;
	if (!pid)
		_exit(run_guest() ? 0 : 1);
	while (!waitpid(pid, &status, WNOHANG)) {
		if (clock_now_ms() > end) {
			kill(pid, SIGKILL); /* a run that hangs may not even die: nobody waits for it */
			waitpid(pid, &status, WNOHANG);
			return 0;
		}
		clock_sleep_ms(2);
	}
	return WIFEXITED(status) && !WEXITSTATUS(status);
}
