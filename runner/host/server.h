/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * server: processes that outlive the kdyno which started them (QEMU, NFS, HTTP, the peer). Each has in run/ a pid file
 * (`<name>.pid`) by which the next kdyno adopts it, and a log (`<name>.log`).
 */
#ifndef KD_SERVER_H
#define KD_SERVER_H

#include <sys/types.h>

/* Starts it in a session of its own and in the folder run/, output to its log, and writes its pid file. 0 or -errno. */
int server_start(const char *name, const char *const *argv);
/* This program, for argv[0]: its path, or, where another has taken its place meanwhile (a new build), what runs now. */
void server_self(char *out, size_t size);
/* Its pid while it runs, else 0. */
pid_t server_pid(const char *name);
/* Ends it; fine where it does not run. 0 or -errno. */
int server_stop(const char *name, unsigned grace_ms);
/* Waits until somebody listens on 127.0.0.1:port, the process ends or the time is over. 0, -ECHILD (it ended), -ETIMEDOUT. */
int server_wait_port(const char *name, unsigned port, unsigned timeout_ms);
/*
 * A stream socket in run/, connected (or, listening = 1, made anew, for its owner alone). Works however long the lab's path is; never waits.
 * fd or -errno (-EAGAIN: there is somebody, who does not take connections).
 */
int server_socket(const char *name, int listening);
/* The last line of its log that says something, into out ("" where there is none); control bytes made harmless. */
void server_last_words(const char *name, char *out, size_t size);

#endif
