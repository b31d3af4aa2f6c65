/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fact_line: `fact WHAT=NAME key=v ...` of any number of pairs: what does not fit goes into a further line that begins with the same WHAT=NAME. A line
 * without a pair of its own is not sent.
 */
#ifndef KD_SUITE_FACT_LINE_H
#define KD_SUITE_FACT_LINE_H

#include "fact.h"

struct fact_line {
	struct fact f;
	const char *what, *name;
	unsigned pairs;
};

void fact_line_open(struct fact_line *l, const char *what, const char *name);
void fact_line_u64(struct fact_line *l, const char *key, uint64_t v);
void fact_line_str(struct fact_line *l, const char *key, const char *val);
void fact_line_send(struct fact_line *l);

#endif
