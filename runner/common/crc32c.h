/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * crc32c: CRC-32C (Castagnoli), polynomial 0x1EDC6F41 reflected, as in RFC 3720 appendix B.4 (iSCSI).
 * crc32c(0, "123456789", 9) == 0xe3069283. Start with 0; a call's result is the next call's seed.
 */
#ifndef KD_CRC32C_H
#define KD_CRC32C_H

#include <stddef.h>
#include <stdint.h>

uint32_t crc32c(uint32_t crc, const void *data, size_t len);

#endif
