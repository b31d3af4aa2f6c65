/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * measure_arm: what loading a crash kernel took, as a metric of its own: `crash-kernel arm`, from the `env` record of a boot.
 *
 * Only sweeps with a crash kernel have it. No test of the schedule yields it, so it is never primary and stands behind those of the suite;
 * a boot in which the load failed is one in which `crash-kernel` failed, with crash_why= as the reason.
 */
#ifndef KD_MEASURE_ARM_H
#define KD_MEASURE_ARM_H

#include "host/measure.h"

#define MEASURE_ARM_TESTS 1 /* room in m->test, behind those of the schedule */

/* Behind the suite's tests and metrics; nothing in a sweep without a crash kernel. */
void measure_arm_add(struct measure *m);
/* What one boot said: "yes", "no", or "" where it did not say. */
const char *measure_arm_said(const struct measure_boot *b);
void measure_arm_read(struct measure *m, size_t boot);

#endif
