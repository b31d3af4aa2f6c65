/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * work: a piece of work that is done in a temporary folder and then put in place by one rename, or not at all.
 *
 * From work_begin to work_end the signals that end a command are blocked and only looked at (work_interrupted), so that
 * there is no handler and no race: work_end removes what is left, then lets the signal through. After kill -9 the next work_begin
 * in the same parent removes the folder. What goes wrong is said once, in err.
 */
#ifndef KD_WORK_H
#define KD_WORK_H

#include <signal.h>
#include <stddef.h>
#include <stdint.h>

struct work {
	char *dir; /* PARENT/.tmp-<pid> */
	char err[768];
	sigset_t before;
	int placed;
};

/* Makes the folder. 0 or -errno with err filled; work_end must follow in both cases. */
int work_begin(struct work *w, const char *parent);
/* Makes everything below dir durable and renames it to path, which must not exist (-EEXIST). */
int work_place(struct work *w, const char *path);
/* Removes the folder unless it is in place, and lets signals through (one that has come ends the command here). */
void work_end(struct work *w);
/* 1 if the person has had enough; then err says so. */
int work_interrupted(struct work *w);
/* Fills err (the first one stays); always returns code, which is -errno. A format that ends in a colon gets strerror(-code) appended. */
int work_fail(struct work *w, int code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* work_end, then the end of the command with err as its one line. */
void work_die(struct work *w) __attribute__((noreturn));

/* A command, looked after: interrupted work ends it. */
struct work_command {
	const char *const *argv;
	const char *dir;          /* where it runs, or NULL */
	const char *out;          /* file for its stdout, or NULL */
	void (*tick)(void *user); /* some times a second, or NULL */
	void *user;
	char tail[256]; /* result: the last line of its stderr */
};
/* Exit status, or -errno (-ENOENT: no such program). */
int work_run(struct work *w, struct work_command *c);
/* Removes a tree, symbolic links not followed. 0 or -errno. */
int work_remove_tree(const char *path);
/* A hard link, where that cannot be a copy. */
int work_link(const char *from, const char *to);
/* A copy with the mode 0644, fsynced. */
int work_copy(const char *from, const char *to);

#endif
