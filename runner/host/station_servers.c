/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * station_servers: HTTP, the peer, NFS. Shared by all sweeps of a lab that run at the same time (on different boxes): started or
 * adopted by each, ended by the last, which is known by the locks of the boxes.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/err.h"
#include "host/cmd.h"
#include "host/lab.h"
#include "host/nfs_server.h"
#include "host/server.h"
#include "host/station.h"

#define START_MS 5000
#define STOP_MS 2000
#define TWIN_DEATHS_MAX 10 /* in a row, of a QEMU in which no box spoke */
#define AGAIN_MS 30000     /* between two starts of the NFS servers, or of QEMU; where they do not start, doubled */
#define AGAIN_MAX_MS 600000

/* 0, or -errno with why. */
static int start(const char *name, enum port_id id, unsigned port, char *why, size_t size)
{
	char self[PATH_MAX], number[16], words[128];
	const char *argv[] = {self, "--lab", cmd_lab(), "serve", name, number, NULL};
	int err;

	if (server_pid(name))
		return 0;
	err = ports_check(port);
	if (err) {
		snprintf(why, size, "port %u (%s) is in use by another program: end it, or remove %s/run/ports and start anew", port, ports_name(id),
		         cmd_lab());
		return err;
	}
	server_self(self, sizeof(self));
	snprintf(number, sizeof(number), "%u", port);
	err = server_start(name, argv);
	if (!err)
		err = server_wait_port(name, port, START_MS);
	if (err) {
		server_last_words(name, words, sizeof(words));
		snprintf(why, size, "the %s server does not start: %s", name, *words ? words : strerror(-err));
	}
	return err;
}

/*
 * One sweep at a time starts or ends what all share: two that begin together would start two of each. Where there can be no such file,
 * that is no reason to leave anything running. Trap: who dies while he holds it comes to station_end, and must not wait for himself.
 */
static void lock_servers(struct station *st)
{
	char *path = lab_path("run/servers.lock");

	if (st->servers_lock_fd < 0) {
		st->servers_lock_fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
		while (st->servers_lock_fd >= 0 && flock(st->servers_lock_fd, LOCK_EX) && errno == EINTR)
			;
	}
	free(path);
}

static void unlock_servers(struct station *st)
{
	if (st->servers_lock_fd >= 0)
		close(st->servers_lock_fd);
	st->servers_lock_fd = -1;
}

void station_start_servers(struct station *st)
{
	char why[512] = "";

	lock_servers(st);
	ports_load(&st->ports);
	if (start("http", PORT_HTTP, st->ports.port[PORT_HTTP], why, sizeof(why)) ||
	    start("peer", PORT_PEER, st->ports.port[PORT_PEER], why, sizeof(why)))
		err_die("%s", why);
	st->nfs = st->nfs_test = st->nfs_can = !nfs_server_start(&st->ports, why, sizeof(why));
	if (!st->nfs)
		station_say(st, DRIVE_SAY_WARN, "no NFS: %s; the sweep goes on over serial, the NFS tests are skipped", why);
	unlock_servers(st);
}

/* Another sweep runs on another box of this lab. */
static int others_run(const struct station *st)
{
	char mine[PLAN_ID_MAX + 16];
	size_t n;
	char **names = lab_list("run", &n);
	int busy = 0;

	snprintf(mine, sizeof(mine), "box-%s.lock", st->board.name);
	for (size_t i = 0; i < n; i++) {
		size_t len = strlen(names[i]);

		if (!busy && !strncmp(names[i], "box-", 4) && len > 9 && !strcmp(names[i] + len - 5, ".lock") && strcmp(names[i], mine)) {
			char below[PLAN_ID_MAX + 16];

			snprintf(below, sizeof(below), "run/%s", names[i]);
			busy = lab_locked(below);
		}
	}
	lab_list_free(names);
	return busy;
}

void station_stop_servers(struct station *st)
{
	lock_servers(st);
	flock(st->box_lock_fd, LOCK_UN); /* two that end together: the second one sees that the first is done */
	if (!others_run(st)) {
		server_stop("http", STOP_MS);
		server_stop("peer", STOP_MS);
		nfs_server_stop();
	}
	unlock_servers(st);
}

static uint64_t longer(uint64_t wait_ms) { return !wait_ms ? AGAIN_MS : wait_ms * 2 > AGAIN_MAX_MS ? AGAIN_MAX_MS : wait_ms * 2; }

/* 1: there is no QEMU to be looked after, it is to be started. */
static int twin_is_gone(struct station *st)
{
	char words[128];

	if (server_pid(st->twin.name)) {
		st->twin_wait_ms = 0;
		if (!twin_kvm_broke(&st->twin)) {
			if (twin_keep_line(&st->twin))
				station_say(st, DRIVE_SAY_WARN, "the line of the twin does not start again");
			return 0;
		}
		station_say(st, DRIVE_SAY_WARN, "KVM does not work here: emulating");
		twin_stop(&st->twin);
		return 1;
	}
	if (st->twin_wait_ms) /* said when it ended */
		return 1;
	server_last_words(st->twin.name, words, sizeof(words));
	station_say(st, DRIVE_SAY_WARN, "QEMU has ended%s%s", *words ? ": " : "", words);
	if (st->drive.cur.tag) /* a box has spoken in it: its power was cut, QEMU is not broken */
		st->twin_deaths = 0;
	if (++st->twin_deaths > TWIN_DEATHS_MAX)
		err_die("QEMU ended %u times before its box spoke; its log is %s/run/%s.log", st->twin_deaths, cmd_lab(), st->twin.name);
	return 1;
}

/* Started again at once; one that cannot be started (no memory, an upgrade under way) later, and the box is not taken for deaf meanwhile. */
static void check_twin(struct station *st)
{
	char how[128];
	uint64_t now = clock_now_ms();
	int err;

	if (!st->is_twin || !twin_is_gone(st))
		return;
	if (st->twin_wait_ms && now < st->twin_next_ms) {
		st->drive.heard_ms = st->drive.progress_ms = now;
		return;
	}
	station_read_console(st);
	drive_live(&st->drive, 1);
	st->drive.err = st->drive.err ? st->drive.err : station_twin_on(st, "ended");
	if (st->drive.err)
		return;
	err = twin_start(&st->twin, how, sizeof(how));
	if (err) {
		st->twin_wait_ms = longer(st->twin_wait_ms);
		st->twin_next_ms = clock_now_ms() + st->twin_wait_ms;
		station_say(st, DRIVE_SAY_WARN, "QEMU does not start again (%s): the next try is in %u s", strerror(-err),
		            (unsigned)(st->twin_wait_ms / 1000));
		return;
	}
	st->twin_wait_ms = 0;
	station_say(st, DRIVE_SAY_NOTE, "twin started: %s", how);
}

/* A console that was lost: a terminal server that was restarted, a USB adapter pulled out. */
static void check_console(struct station *st)
{
	char why[512];

	if (st->is_twin || st->port.fd >= 0 || port_open(&st->port, st->board.console_path, st->board.console_speed, why, sizeof(why)))
		return;
	station_say(st, DRIVE_SAY_NOTE, "the console is back");
}

static void keep(struct station *st, const char *name, enum port_id id)
{
	char why[512];

	if (server_pid(name))
		return;
	lock_servers(st);
	station_say(st, DRIVE_SAY_WARN, "the %s server has ended, and is started again", name);
	if (start(name, id, st->ports.port[id], why, sizeof(why)))
		station_say(st, DRIVE_SAY_WARN, "%s", why);
	unlock_servers(st);
}

/* Started again at once, then not before some time has gone: a server that cannot live must not hold the loop up for long. */
static void keep_nfs(struct station *st)
{
	int results = nfs_server_running(), test = server_pid(NFS_TEST) != 0;
	uint64_t now = clock_now_ms();
	char why[512] = "";

	if (!st->nfs_can || (results && test))
		return;
	if (st->nfs && !results)
		station_say(st, DRIVE_SAY_WARN, "the NFS server has ended; records come by serial alone until it is started again");
	if (st->nfs_test && !test)
		station_say(st, DRIVE_SAY_WARN, "the NFS server of the tests has ended; nfs tests will fail until it is started again");
	st->nfs = results;
	st->nfs_test = test;
	if (now < st->nfs_next_ms)
		return;
	lock_servers(st);
	if (nfs_server_start(&st->ports, why, sizeof(why))) {
		station_say(st, DRIVE_SAY_WARN, "no NFS: %s", why);
		st->nfs_wait_ms = longer(st->nfs_wait_ms);
	} else {
		station_say(st, DRIVE_SAY_NOTE, "the NFS servers run again");
		st->nfs_wait_ms = 0;
		st->nfs = st->nfs_test = 1;
	}
	if (!st->nfs_wait_ms)
		st->nfs_wait_ms = AGAIN_MS;
	st->nfs_next_ms = clock_now_ms() + st->nfs_wait_ms;
	unlock_servers(st);
}

void station_check_servers(struct station *st)
{
	check_console(st);
	check_twin(st);
	keep_nfs(st);
	keep(st, "http", PORT_HTTP);
	keep(st, "peer", PORT_PEER);
}
