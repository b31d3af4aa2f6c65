/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * place: where a test that works on files works, by its parameters: the scratch disk, tmpfs (the control) or an NFS mount of its own.
 *
 *     struct arg args[] = {PLACE_ARG_ROWS, [SIZE_BYTES] = {...}, ..., {0}};          the test's own enum begins at PLACE_ARGS
 *     status = place_open(&p, args, need_bytes);                                      0, or the exit status, its reason said
 *     ... files below place_dir(&p); place_cold(&p, path) before what is to be cold ...
 *     status = status ? status : place_report(&p);                                    before the metrics: a stall is a failure
 *     place_close(&p);                                                                always
 *
 * A folder of its own, removed at the end with all that is in it; on NFS also what a killed test of this box has left there. An NFS mount is in a mount
 * namespace of its own (Linux 2.4.19 on), so that it ends with this process even when that is killed, and shares neither server nor connection
 * with the one that takes the results. What the kernel made of the parameters is read back from /proc/mounts.
 * Traps: nothing of the place may be open, nor be anybody's working directory, when it is made cold. A mount of scratch stays the runner's.
 */
#ifndef KD_SUITE_PLACE_H
#define KD_SUITE_PLACE_H

#include <stdint.h>

#include "address.h"
#include "arg.h"
#include "cold.h"
#include "mounts.h"
#include "nfs_books.h"
#include "nfs_mount.h"
#include "stall.h"

enum place_on { PLACE_SCRATCH, PLACE_TMPFS, PLACE_NFS };
enum place_fs { PLACE_EXT2, PLACE_EXT4, PLACE_KEEP, PLACE_KEEP_EXT4 };
enum place_vers { PLACE_V3, PLACE_V40, PLACE_V41, PLACE_V42 };

/* The first rows of a test's table. */
enum {
	PLACE_ON,
	PLACE_COLD,
	PLACE_FS,
	PLACE_VERS,
	PLACE_PROTO,
	PLACE_RSIZE,
	PLACE_WSIZE,
	PLACE_NCONNECT,
	PLACE_READAHEAD_KB,
	PLACE_STALL_S,
	PLACE_ARGS,
};

extern const char *const place_on_names[], *const place_fs_names[], *const place_vers_names[], *const place_proto_names[], *const place_keep[];

#define PLACE_ROW_PROTO                                               \
	{                                                             \
		"proto", 0, 0, 0, place_proto_names, "NFS: transport" \
	}
#define PLACE_ROW_RSIZE                                                                        \
	{                                                                                      \
		"rsize", 0, 0, 1048576, NULL, "NFS: bytes of a READ, 0: what the kernel takes" \
	}
#define PLACE_ROW_WSIZE                                                                         \
	{                                                                                       \
		"wsize", 0, 0, 1048576, NULL, "NFS: bytes of a WRITE, 0: what the kernel takes" \
	}
#define PLACE_ROW_NCONNECT                                                               \
	{                                                                                \
		"nconnect", 0, 0, 16, NULL, "NFS: connections, 0: what the kernel takes" \
	}
#define PLACE_ROW_READAHEAD_KB                                                                                    \
	{                                                                                                         \
		"readahead_kb", ARG_WORD(0), 0, 1048576, place_keep, "NFS: of the mount, or as the kernel has it" \
	}

#define PLACE_ROW_STALL_S                                                                                     \
	{                                                                                                     \
		"stall_s", 15, 1, 600, NULL, "NFS: seconds with requests out and no reply that fail the test" \
	}

/* For a test whose place is another one by default. */
#define PLACE_ARG_ROWS_ON(where)                                                                                                                  \
	[PLACE_ON] = {"on", where, 0, 0, place_on_names, "where the files are"}, [PLACE_COLD] = {"cold", COLD_AUTO,  0,                           \
	                                                                                         0,      cold_names, "how caches are made cold"}, \
	[PLACE_FS] = {"fs", PLACE_EXT2, 0, 0, place_fs_names, "scratch: what the runner made there"}, [PLACE_VERS] = {"vers",                     \
	                                                                                                              PLACE_V3,                   \
	                                                                                                              0,                          \
	                                                                                                              0,                          \
	                                                                                                              place_vers_names,           \
	                                                                                                              "NFS: version"},            \
	[PLACE_PROTO] = PLACE_ROW_PROTO, [PLACE_RSIZE] = PLACE_ROW_RSIZE, [PLACE_WSIZE] = PLACE_ROW_WSIZE, [PLACE_NCONNECT] = PLACE_ROW_NCONNECT, \
	[PLACE_READAHEAD_KB] = PLACE_ROW_READAHEAD_KB, [PLACE_STALL_S] = PLACE_ROW_STALL_S

#define PLACE_ARG_ROWS PLACE_ARG_ROWS_ON(PLACE_SCRATCH)

struct place {
	/* given */
	enum place_on on;
	enum cold_means cold;
	const char *label;      /* in facts: scratch, tmpfs, v3, v4 */
	struct nfs_options nfs; /* NFS only, as the following */
	struct address server;
	uint64_t readahead_kb; /* ARG_WORD(0): as it is */
	/* running */
	char top[256], dir[352]; /* the mount point (tmpfs: KD_TMP), the folder of this place in it */
	int mounted;
	struct mountstats past; /* of mounts that have ended: what is read of the place never goes back */
	/* result */
	struct stall_watch stall;
	uint64_t again_ns;       /* the longest that umount and mount took: nothing else shows a server that is silent then */
	int cold_worst;          /* the weakest means that was used; -1 none asked for */
	uint64_t mount_ns;       /* what the first mount took */
	struct mounts_line line; /* as it was read back */
	char readahead[16];      /* kB of the mount as it was read back, "" unknown */
	int refused;             /* of place_try: the kernel has no such mount (version, transport, option) */
	char why[128];           /* of place_try */
};

/*
 * 0, or the exit status, with the reason said: EXIT_SKIP where something is lacking: the environment, the version, the transport, room for need_bytes.
 * Then there is nothing to close.
 */
int place_open(struct place *p, const struct arg *args, uint64_t need_bytes);
/* The same, but the reason is only in p->why: for a test that can do without this place. */
int place_try(struct place *p, const struct arg *args, uint64_t need_bytes);

/* The folder to work in. */
const char *place_dir(const struct place *p);
/*
 * What is in the client's caches goes: scratch by cold.h's means (path: the file that fadvise may work on, or NULL), NFS by umount and mount,
 * tmpfs not at all. 0, or the exit status. The weakest means that was used is in the facts.
 */
int place_cold(struct place *p, const char *path);
/*
 * What the NFS client has done on this place since it was opened, over all its mounts (phase.h takes the difference). Nothing (has_mount and has_rpc are 0)
 * of another place or NULL.
 */
void place_books_read(const struct place *p, struct nfs_books *b);
/*
 * Facts: `place=LABEL on= fs= cold= [server=warm]`, `mount=LABEL vers= proto= rsize= ...`, `text=mount_LABEL`, `differs=KEY asked= got=`,
 * `stall=LABEL n= longest_ns= at_ns= log=`. A stall of NFS (stall.h) is such a case. 0, or the exit status (said) of a test that must not give its metrics: ask it before they are said.
 */
__attribute__((warn_unused_result)) int place_report(const struct place *p);
void place_close(struct place *p);

#endif
