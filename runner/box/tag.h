/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tag: the tag of a boot that the station did not plan (home, crash): RECORD_TAG_BOX set, the rest hashed from all that is at hand.
 */
#ifndef KD_BOX_TAG_H
#define KD_BOX_TAG_H

#include <stdint.h>

uint32_t tag_draw(uint32_t parent);

#endif
