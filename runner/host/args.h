/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * args: the parameters of a test as the schedule has them: one comma list of name=value, each name once. plan_arg finds a value in it.
 */
#ifndef KD_ARGS_H
#define KD_ARGS_H

#include <stddef.h>

/* Sets a name, in its place where it is there, else at the end. *list is malloc'd or NULL. 0 or -ENOMEM. */
int args_set(char **list, const char *name, const char *value);
/* args, and what over says in place of it; malloc'd, NULL when out of memory. Either may be NULL. */
char *args_join(const char *args, const char *over);
/* The next name and value of a list: copies them, 1; 0 at the end. An item too long for its buffer is cut. */
int args_next(const char **list, char *name, size_t name_size, char *value, size_t value_size);

#endif
