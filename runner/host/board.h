/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * board: what a box is and how it is reached, reset and booted: an INI file (board-configs/README.md lists every key, board_key.c is their table),
 * which may stand on another one by `include`. What is not known or does not fit is an error that names file, line and the nearest right word.
 */
#ifndef KD_BOARD_H
#define KD_BOARD_H

#include <stdint.h>

#include "common/plan.h"

enum board_console { BOARD_CONSOLE_QEMU = 1, BOARD_CONSOLE_TTY, BOARD_CONSOLE_FILE, BOARD_CONSOLE_SOCKET };

struct board {
	char name[PLAN_ID_MAX + 1]; /* of the box: the file's name without .ini */
	char arch[16];              /* of its image: host/arch.h */
	char summary[96];
	int tested;
	enum plan_switch sw;

	enum board_console console; /* qemu: the twin's own; else path */
	char console_path[256];     /* tty device, file, or host:port / unix path */
	unsigned console_speed;
	char console_kernel[64]; /* ttyS0,115200 */
	int sysrq;               /* a BREAK and a letter may be sent to a kernel that has stopped talking */

	unsigned cpus;
	uint64_t mem_bytes;
	char *nic;              /* ordered comma list of modules or driver names */
	char *modules;          /* comma list: what the pack must hold besides, dependencies are added; `name?`: where the kernel has it */
	char *watchdog;         /* comma list of watchdog drivers, the one to be used first; `name?` as above */
	uint64_t scratch_bytes; /* size of the scratch disk; 0: none */
	char *cmdline;          /* words for home and every subject */

	unsigned again_s, deaf_s, jump_s;         /* 60, 300, 120 */
	char *power_on, *power_off, *power_cycle; /* commands, or NULL */
	int power_enabled;                        /* 0: the station never cuts anything */
	unsigned power_timeout_s, power_retries;  /* of a command: 60, 2 */
	unsigned power_off_s;                     /* between off and on: 5 */
	char *twin;                               /* further QEMU words, for console=qemu */
	char *twin_cpu, *twin_nic;                /* -cpu and the device of its network; NULL: by architecture, virtio-net-pci */
	int twin_ide;                             /* the scratch disk is on IDE, not on virtio */
	char *line;                               /* command between the twin's serial port and the station, or NULL */
	uint64_t crash_bytes;                     /* memory that each subject keeps for a crash kernel; 0: none is loaded */

	char address[64];  /* dhcp, or what kd.ip= gets */
	char mac[18];      /* of the card it boots from; "" for any */
	char firmware[8];  /* bios, uefi, none */
	char boot_path[8]; /* pxe, disk, direct: QEMU itself starts home */
};

#define BOARD_KEYS_MAX 64
#define BOARD_FILES_MAX 8 /* a file and what it includes */

/* Where each value came from: by index into board_keys[]. */
struct board_source {
	char *file[BOARD_FILES_MAX]; /* the one that was asked for first */
	size_t files;
	struct {
		unsigned file, line; /* line 0: the default */
	} key[BOARD_KEYS_MAX];
};

struct board_error {
	char file[256]; /* that holds the line; "" where it is the one that was asked for */
	unsigned line;  /* 0: none is to blame */
	char text[200];
};

/* 0 or -errno with *e filled. source: may be NULL. */
int board_read(struct board *b, const char *path, struct board_error *e);
int board_read_from(struct board *b, struct board_source *source, const char *path, struct board_error *e);
/* The same for a box of another name than the file's. */
int board_read_named(struct board *b, struct board_source *source, const char *name, const char *path, struct board_error *e);
/* The path of a board config: a path, or a name among those that come along. malloc'd; dies where there is no such name. */
char *board_find(const char *name);
void board_source_free(struct board_source *source);
/* `FILE:LINE: what was wrong`, or without a line. */
void board_error_text(const struct board_error *e, const char *path, char *out, size_t size);
/* The same config in one file, without include and remarks: what stands in source, in the table's order. malloc'd, NULL when out of memory. */
char *board_flat(const struct board *b, const struct board_source *source);
/* From memory; name is the box's. Includes nothing. Pure. */
int board_parse(struct board *b, const char *name, const char *text, size_t len, struct board_error *e);
/* The box's board from the lab; dies with one line where it is missing or wrong. */
void board_load(struct board *b, const char *box);
/* 1 if two configs say the same, whatever their remarks and names. */
int board_same(const struct board *a, const struct board *b);
void board_free(struct board *b);

/*
 * The command line of a boot without kd words: console, kdyno's own words (each only where neither board nor variant names it), the board's words,
 * the variant's ("" for home). malloc'd, NULL when out of memory.
 */
char *board_cmdline(const struct board *b, const char *words);

/* The mark of a scratch disk: the last 64 KiB of the device, outside what mkfs gets (SCRATCH_MARK_BYTES), docs/boards.md.
 * One kv line: `kdyno-scratch v=1 uuid= box= bytes= *crc`, padded with NULs. Length of the line, or -EMSGSIZE. */
#define SCRATCH_MARK_BYTES 65536
long scratch_mark_format(const char *box, const char *uuid, uint64_t device_bytes, char *out, size_t size);

#endif
