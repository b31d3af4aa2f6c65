/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * station: `sweep run` put together: locks, servers, the box, its console, the questions that come by HTTP, and the drive that
 * decides. One sweep, one box.
 *
 * Trap: once something was started, err_die must leave nothing running: station_begin hangs station_end on exit(3). kill -9 does
 * leave it all, and the next run adopts it.
 */
#ifndef KD_STATION_H
#define KD_STATION_H

#include "host/board.h"
#include "host/conlog.h"
#include "host/console.h"
#include "host/drive.h"
#include "host/evidence.h"
#include "host/port.h"
#include "host/ports.h"
#include "host/power.h"
#include "host/progress.h"
#include "host/sweep.h"
#include "host/twin.h"

struct station {
	struct sweep sweep;
	struct board board;
	struct ports ports;
	struct twin twin;
	struct port port;
	struct conlog conlog;
	struct console console;
	struct drive drive;
	struct evidence evidence;
	struct progress progress;
	/* power */
	struct power power;
	unsigned power_nth, power_line;
	char power_why[64];
	/* the console since the start of a try, for the journal; 0: none that this run has seen from its start */
	unsigned counted_line;
	struct console_count counted;
	uint64_t counted_dropped;
	unsigned resumes;      /* times in a row that kdyno has started itself anew and marked nothing since */
	uint64_t trimmed;      /* of the twin's own log */
	struct command answer; /* to what was asked last */
	int answering, live, is_twin;
	int nfs, nfs_test; /* the servers run */
	int nfs_can;       /* they did once: they are started again */
	uint64_t nfs_next_ms, nfs_wait_ms;
	int lock_fd, box_lock_fd, servers_lock_fd, journal_fd, ask_fd, order_fd, signal_fd;
	int hold_on_failure;
	int running;                         /* the journal says run: hold is to follow */
	int began;                           /* things are to be ended */
	int stopped;                         /* by which signal */
	unsigned twin_deaths;                /* since a boot was complete, or its box spoke */
	uint64_t twin_next_ms, twin_wait_ms; /* of a QEMU that did not start again; 0: it did */
	uint64_t checked_ms;
	char ask_name[PLAN_ID_MAX + 32], order_name[PLAN_ID_MAX + 32];
};

/* station.c. Both die with one line. */
void station_open(struct station *st, const char *sweep, int plain);
void station_begin(struct station *st);
/* Instead of a beginning, of a kdyno that has started itself anew: whatever runs is ended with it, come what may. */
void station_inherit(struct station *st);
/* Ends what was begun; harmless where nothing was. */
void station_end(struct station *st);

/* station_loop.c: until the sweep is at its end, is stopped, or cannot go on. Exit code. */
int station_loop(struct station *st);
void station_read_console(struct station *st);

void station_take_signals(struct station *st);

/* station_disk.c: the disk cannot be written: waits until it can and starts kdyno anew; returns where a signal ends that. */
void station_wait_disk(struct station *st);
/* In the environment of a kdyno that goes on after that, how many times in a row: what runs is its to end. */
#define STATION_RESUMED "KDYNO_RESUMED"

/* station_past.c: what happened before this kdyno was started. cold: the box was found without power. */
void station_replay(struct station *st);
void station_catch_up(struct station *st, int cold);

/* station_servers.c */
void station_start_servers(struct station *st);
void station_stop_servers(struct station *st);
/* Notices what has died on the way. */
void station_check_servers(struct station *st);

/* station_pause.c: pause, resume, and the orders of `sweep pause`, `sweep resume` and `ssh`. 0 or -errno. */
int station_pause(struct station *st, const char *reason);
int station_resume(struct station *st);
void station_take_order(struct station *st);
/* Where the journal says that the sweep is paused already. */
void station_say_paused(struct station *st);

/* station_power.c. 0 or -errno where the journal cannot be written. */
void station_power_init(struct station *st);
int station_power_cycle(struct station *st, unsigned nth, unsigned line, const char *why);
void station_power_tick(struct station *st);
/* The twin is about to be started. */
int station_twin_on(struct station *st, const char *why);
/* BREAK and letters, where the board allows it. 1: done. */
int station_poke(struct station *st);

/* station_ops.c: what the drive asks for. */
void station_ops(struct station *st, struct drive_ops *ops);
int station_control(struct station *st, enum journal_control c);
void station_say(struct station *st, enum drive_say what, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

#endif
