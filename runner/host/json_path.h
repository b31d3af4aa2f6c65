/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * json_path: one number out of a JSON text that came from a box. Pure; the text is refused whole where it is too long, too deep, truncated, holds a
 * key twice or is not JSON (NaN is not). Numbers are read as reals: an integer past 2^53 is rounded.
 */
#ifndef KD_JSON_PATH_H
#define KD_JSON_PATH_H

#include <jansson.h>
#include <stddef.h>

#define JSON_PATH_BYTES_MAX 49152
#define JSON_PATH_DEPTH_MAX 32
#define JSON_PATH_MAX 127 /* bytes of a path */
#define JSON_PATH_STEPS_MAX 16

/* NULL where it is refused; else for json_decref. */
json_t *json_path_load(const char *text, size_t len);
/* Steps are joined by dots, or, where the path begins with a slash, by slashes; a step into an array is an index. 1: a path. */
int json_path_is(const char *path);
/* 0; -ENOENT where nothing is there, -EINVAL where it is no number. */
int json_path_number(const json_t *root, const char *path, double *v);

#endif
