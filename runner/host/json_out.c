/* SPDX-License-Identifier: GPL-2.0-or-later */
/* json_out: JSON for output; contract in json_out.h. ASCII alone leaves: in UTF-8 there are control characters too (U+009B). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/err.h"
#include "host/json_out.h"

static json_t *sure(json_t *o)
{
	if (!o)
		err_die("out of memory");
	return o;
}

json_t *json_out_text(const char *s)
{
	json_t *o = s ? json_string(s) : json_null();
	if (o)
		return o;
	size_t size = 4 * strlen(s) + 1;
	char *clean = malloc(size);
	if (!clean)
		err_die("out of memory");
	err_clean(clean, size, s);
	o = sure(json_string(clean));
	free(clean);
	return o;
}

json_t *json_out_real(double v)
{
	if (!isfinite(v))
		return json_null();
	if (v == floor(v) && fabs(v) < 1e15)
		return sure(json_integer((json_int_t)v));
	return sure(json_real(v));
}

void json_out_set(json_t *o, const char *key, json_t *value)
{
	if (json_object_set_new(o, key, sure(value)))
		err_die("out of memory");
}

void json_out_print(json_t *o)
{
	if (json_dumpf(o, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(15) | JSON_ENSURE_ASCII) || putchar('\n') == EOF)
		err_die("cannot write the output:");
	json_decref(o);
}
