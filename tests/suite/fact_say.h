/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fact_say: `suite fact ...`, by which a test that is a script says a line on fd 3 (docs/test-programs.md). What is wrong is an error with exit 2
 * and nothing is said: a script's mistake must not become a number.
 */
#ifndef KD_SUITE_FACT_SAY_H
#define KD_SUITE_FACT_SAY_H

#define FACT_SAY_TEXT_MAX 49152 /* bytes of a text; escaped it is about 2050 lines at most, 410 KB of a boot's 4 MiB of records */
#define FACT_SAY_NAME_MAX 16    /* of a text's name: a piece of it, with the test's name, must fit into one record */

/* The words behind `fact`. The exit status: that of the test for skip and fail. */
int fact_say(char **argv);
/* Takes white space between the tokens of a JSON text out, in place; what is no JSON stays as harmless as it was. */
void fact_say_squeeze(char *json);

#endif
