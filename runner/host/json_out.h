/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * json_out: what JSON has no word for: numbers that are not, texts that are not UTF-8. Both die when out of memory, as do the two below;
 * nothing here returns NULL.
 */
#ifndef KD_JSON_OUT_H
#define KD_JSON_OUT_H

#include <jansson.h>

/* A string; NULL gives null; what is not UTF-8 is shown as \xNN in it (err_clean). */
json_t *json_out_text(const char *s);
/* A real; null where it is not finite. */
json_t *json_out_real(double v);
/* o[key] = value, taking value over. */
void json_out_set(json_t *o, const char *key, json_t *value);
/* Prints o with two blanks of indent and a newline, drops it. */
void json_out_print(json_t *o);

#endif
