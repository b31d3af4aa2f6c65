/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * err: how commands speak of errors. A format that ends in a colon gets strerror(errno) appended. One line, to
 * stderr, control bytes made harmless. Only commands and test programs use this: common/ returns -errno, PID 1 has its own way.
 */
#ifndef KD_ERR_H
#define KD_ERR_H

#include <stddef.h>

enum { EXIT_OK = 0, EXIT_FAIL = 1, EXIT_USAGE = 2, EXIT_SKIP = 4, EXIT_TIMEOUT = 124, EXIT_NOEXEC = 126, EXIT_NOTFOUND = 127 };

void err_set_name(const char *name); /* prefix, a string that lives on */
void err_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void err_die(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn));   /* exit 1 */
void err_usage(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn)); /* exit 2 */
/* Same with a negative errno value in place of errno. */
void err_die_code(int neg_errno, const char *fmt, ...) __attribute__((format(printf, 2, 3), noreturn));
/* Copies text, cut to fit, with all that a terminal might obey shown as \xNN: for printing what a box sent. Length. */
size_t err_clean(char *out, size_t size, const char *in);
/* The nearest of a NULL-terminated list by edit distance, or NULL where none is near: for "unknown X, did you mean Y". */
const char *err_nearest(const char *word, const char *const *list);

#endif
