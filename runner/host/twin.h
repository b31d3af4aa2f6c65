/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * twin: a board in QEMU, as a process of its own: `qemu-<box>` in run/ (pid file, log, `<box>.console` and `<box>.qmp` sockets).
 * Its console goes to a log file as well, in which nothing is missed while no kdyno listens.
 */
#ifndef KD_TWIN_H
#define KD_TWIN_H

#include "host/board.h"
#include "host/sweep.h"

struct twin {
	const struct board *board;
	const char *sweep;
	char name[80];    /* of the server: qemu-<box> */
	char console[80]; /* socket in run/ */
	char line[80];    /* of the server: line-<box>, where the board has one */
	char qmp[80];
	int ssh;   /* a port of 127.0.0.1 leads to port 22 of the box: run/<box>.ssh holds it */
	char *raw; /* log of the console: sweeps/<sweep>/console-<box>.raw */
};

void twin_init(struct twin *t, const struct board *b, const char *sweep);
void twin_free(struct twin *t);
/* Is it there to be adopted? 1: it runs, for this sweep. One that runs for another sweep is ended. */
int twin_adopt(const struct twin *t);
/* Starts it; *how says with what (KVM or emulation, version). Dies where QEMU is missing; -errno with why otherwise. */
int twin_start(const struct twin *t, char *how, size_t size);
/* Starts the board's line again where the twin runs without it. 0 or -errno. */
int twin_keep_line(const struct twin *t);
/* The port that leads to the box's ssh, 0: none. */
unsigned twin_ssh_port(const struct twin *t);
int twin_reset(const struct twin *t);
/* A BREAK on its console. */
int twin_break(const struct twin *t);
/* Gives the disk back what its log of the console has between two offsets: read, and not to be read again. */
void twin_trim(const struct twin *t, uint64_t from, uint64_t to);
void twin_stop(const struct twin *t);
/* Dies with one line where the QEMU of that board is missing. */
void twin_require(const struct board *b);
/* 1 where QEMU's log says that KVM failed the guest: then run/no-kvm is written, and the next start emulates. */
int twin_kvm_broke(const struct twin *t);

#endif
