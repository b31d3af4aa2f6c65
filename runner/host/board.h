/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * board: what a box is and how it is reached, reset and booted: an INI file (board-configs/README.md lists every key).
 * Unknown keys and sections are errors that name file, line and the nearest known key.
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
	int twin_loader;                          /* QEMU's own loader starts home, not its firmware by PXE */
	int twin_ide;                             /* the scratch disk is on IDE, not on virtio */
	char *line;                               /* command between the twin's serial port and the station, or NULL */
	uint64_t crash_bytes;                     /* memory that each subject keeps for a crash kernel; 0: none is loaded */
};

struct board_error {
	unsigned line;
	char text[200];
};

/* 0 or -errno with *e filled. */
int board_read(struct board *b, const char *path, struct board_error *e);
/* The same from memory; name is the box's. Pure. */
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
