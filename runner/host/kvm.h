/* SPDX-License-Identifier: GPL-2.0-or-later */
/* kvm: does KVM work on this machine, and is it worth using? */
#ifndef KD_KVM_H
#define KD_KVM_H

/* NULL where it is; else why not, in a few words. Takes 0.2 s at most where it is slow, 3 s where it hangs. */
const char *kvm_refusal(void);

#endif
