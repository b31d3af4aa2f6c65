/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cold: makes the page cache of a local file cold before a read, by the best means that this kernel has, and says by which.
 *
 *     drop_caches  sync, then 3 into /proc/sys/vm/drop_caches (2.6.16 on; clean pages, dentries and inodes)
 *     remount      umount and mount again, as it was (2.4: the only means; only where the folder is a mount point)
 *     fadvise      POSIX_FADV_DONTNEED on the file (2.5.60 on; clean pages of this file alone)
 *     none         the read is warm, and its value says nothing about the disk
 *
 * The traps: none of them reaches the cache of the disk, of a RAID controller, or of the host under a twin. Nothing of the file
 * may be open.
 */
#ifndef KD_SUITE_COLD_H
#define KD_SUITE_COLD_H

enum cold_means { COLD_AUTO, COLD_DROP_CACHES, COLD_REMOUNT, COLD_FADVISE, COLD_NONE };

extern const char *const cold_names[]; /* by enum cold_means, NULL-terminated: words for struct arg */

/*
 * dir is the mount point, path the file in it (NULL: no one file, then fadvise cannot work). With COLD_AUTO the first that works; another is tried alone. The means that
 * worked (COLD_NONE: none did), or -errno where the file system could not be mounted again.
 */
int cold_make(enum cold_means want, const char *dir, const char *path);

#endif
