/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * settle: waits until the box is as it will stay: network up or given up, results mounted or failed, clocksource final. Each wait is
 * bounded, ends with the event, and is recorded.
 */
#ifndef KD_BOX_SETTLE_H
#define KD_BOX_SETTLE_H

#include "box/box.h"

void settle_wait(struct box *b);

#endif
