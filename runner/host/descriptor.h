/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * descriptor: one file of the suite, tests/suite/<test>.test (docs/formats.md), read by the station only. For suite.c.
 *
 * Read, then inherit where it is like another, then check: only after that is it whole.
 */
#ifndef KD_DESCRIPTOR_H
#define KD_DESCRIPTOR_H

#include "host/conf.h"
#include "host/suite.h"

/* Each: 0 or -errno with *e. After an error of read there is nothing to free. */
int descriptor_read(struct suite_test *t, const char *path, const char *stem, struct conf_error *e);
int descriptor_parse(struct suite_test *t, const char *text, size_t len, const char *stem, struct conf_error *e);
/* What t does not say is as in other, which is as it stands in its file. */
int descriptor_inherit(struct suite_test *t, const struct suite_test *other, struct conf_error *e);
int descriptor_check(struct suite_test *t, struct conf_error *e);
void descriptor_free(struct suite_test *t);

#endif
