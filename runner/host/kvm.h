/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kvm: whether hardware virtualisation really runs guests here, found out by running one.
 */
#ifndef KD_KVM_H
#define KD_KVM_H

/* 1 if a guest counted to 20 million and gave the right byte within a second; 0 otherwise. Forks. */
int kvm_works(void);

#endif
