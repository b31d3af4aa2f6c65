/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptable: see ptable.h. Trap: 0x55 0xaa stands at the end of any boot sector, a file system's too: an MBR is one only with an entry in use. That
 * of a FAT looks like one; it is somebody's too.
 */
#include "common/ptable.h"

#include <string.h>

static const struct {
	size_t at, len;
	const char *bytes, *name;
} marks[] = {
	{512, 8, "EFI PART", "GPT"},         {4096, 8, "EFI PART", "GPT"}, /* sectors of 4096 bytes */
	{512, 4, "PM\0\0", "Apple"},         {508, 2, "\xda\xbe", "Sun"},  {0, 4, "\x0b\xe5\xa9\x41", "SGI"}, {64, 4, "\x57\x45\x56\x82", "BSD"},
	{512, 4, "\x57\x45\x56\x82", "BSD"}, {0, 4, "RDSK", "Amiga"},      {0, 8, "LABELONE", "LVM"},         {512, 8, "LABELONE", "LVM"},
	{1024, 8, "LABELONE", "LVM"},        {1536, 8, "LABELONE", "LVM"},
};

static int is_mbr(const unsigned char *s)
{
	int used = 0;

	if (s[510] != 0x55 || s[511] != 0xaa)
		return 0;
	for (size_t at = 446 + 4; at < 510; at += 16) /* the types */
		used |= s[at];
	return used != 0;
}

const char *ptable_find(const unsigned char *s, size_t len)
{
	for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
		if (len >= marks[i].at + marks[i].len && !memcmp(s + marks[i].at, marks[i].bytes, marks[i].len))
			return marks[i].name;
	return len >= 512 && is_mbr(s) ? "MBR" : NULL;
}
