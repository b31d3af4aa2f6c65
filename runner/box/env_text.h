/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * env_text: what /proc and /sys say of a machine, taken apart. Pure.
 */
#ifndef KD_BOX_ENV_TEXT_H
#define KD_BOX_ENV_TEXT_H

#include <stddef.h>
#include <stdint.h>

/* The word in brackets: `madvise` of `always [madvise] never`, `full` of `none voluntary (full)`; a text without any, as it is. */
void env_chosen(const char *text, char *out, size_t size);
/*
 * The preemption model: `rt`, `full`, `lazy`, `voluntary`, `none`, as debugfs (sched/preempt) says it; else as the version says it: `rt`, `full`, `dynamic` (which
 * one is chosen is not known), `no` (none or voluntary). "" for no version.
 */
void env_preempt(const char *version, const char *debugfs, char *out, size_t size);
/* From the resolution of CLOCK_MONOTONIC_COARSE, which is one tick; 0 for what is no tick. */
unsigned env_hz(uint64_t coarse_ns);
/* 1 where mem_kb (0: not known) and 4 MiB are not free; the reason to skip, with both numbers. */
int env_lacks_memory(const char *meminfo, uint64_t mem_kb, char *reason, size_t size);
/* 1 where a test was timed by two clocks. What follows on the early TSC is its refinement, the same clock. */
int env_clock_changed(const char *before, const char *after);
/* Of a file of cpu/vulnerabilities: 'n' not affected, 'v' vulnerable, 'm' mitigated, '?'. */
char env_weakness(const char *text);

#endif
