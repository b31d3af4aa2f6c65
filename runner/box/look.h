/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * look: lets a person into a box that is held: dropbear, with the host key and the authorized_keys that lie behind the pack of a sweep made with
 * --ssh. Off where they are not there. It runs only between a `hold ssh=1` and whatever comes next, so never while something is measured.
 */
#ifndef KD_BOX_LOOK_H
#define KD_BOX_LOOK_H

#include "box/box.h"

#define LOOK_HOST_KEY "/kd/ssh/host_key"

/* Held, and a person may come in: starts the server where it does not run yet. */
void look_begin(struct box *b);
/* Ends it, and all that was started through it. */
void look_end(struct box *b);

#endif
