/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conf: see conf.h. inih does the reading; this file feeds it line by line, because inih as packaged tells its handler
 * no line number, joins nothing, and cuts what does not fit into its fixed buffers without a word.
 */
#include "host/conf.h"

#include <ctype.h>
#include <errno.h>
#include <ini.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/err.h"
#include "common/io.h"
#include "common/kv.h"

struct reading {
	struct conf *conf;
	struct conf_error *e;
	const char *pos, *end;
	unsigned line;
	int indented; /* the current line starts with a blank: it may continue a value */
	int err;
};

int conf_fail(struct conf_error *e, unsigned line, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	e->line = line;
	vsnprintf(e->text, sizeof e->text, fmt, ap);
	va_end(ap);
	return -EINVAL;
}

static int stop(struct reading *r, const char *what)
{
	if (!r->err)
		r->err = conf_fail(r->e, r->line, "%s", what);
	r->pos = r->end;
	return 0;
}

/* Values are shown to people: nothing in them that a terminal would obey, but tabs, and the CR of a text file from elsewhere. */
static int is_text(const char *line, size_t len)
{
	char in[CONF_LINE_MAX + 1], out[4 * CONF_LINE_MAX + 8];
	len -= len && line[len - 1] == '\r';
	for (size_t i = 0; i < len; i++)
		in[i] = line[i] == '\t' ? ' ' : line[i];
	in[len] = '\0';
	return err_clean(out, sizeof out, in) == len;
}

/* inih's fgets: one line a call, or NULL at the end. */
static char *next_line(char *str, int num, void *stream)
{
	struct reading *r = stream;
	if (r->err || r->pos >= r->end)
		return NULL;
	const char *nl = memchr(r->pos, '\n', (size_t)(r->end - r->pos));
	size_t len = (size_t)((nl ? nl : r->end) - r->pos);
	r->line++;
	r->indented = len && (*r->pos == ' ' || *r->pos == '\t');
	const char *close = *r->pos == '[' ? memchr(r->pos, ']', len) : NULL;
	if (len > CONF_LINE_MAX || len + 2 > (size_t)num)
		stop(r, "the line is too long: at most 190 bytes; go on in the next line, indented");
	else if (memchr(r->pos, '\0', len))
		stop(r, "the line holds a NUL byte; a text file was expected");
	else if (!is_text(r->pos, len))
		stop(r, "the line holds control characters or is not UTF-8");
	else if (close && close - r->pos - 1 > CONF_SECTION_MAX)
		stop(r, "the section's name is too long: at most 48 bytes");
	if (r->err)
		return NULL;
	memcpy(str, r->pos, len);
	str[len] = '\n';
	str[len + 1] = '\0';
	r->pos += len + (nl != NULL);
	return str;
}

static int append_value(struct conf_entry *it, const char *value)
{
	size_t a = strlen(it->value), b = strlen(value);
	char *v = realloc(it->value, a + b + 2);
	if (!v)
		return -ENOMEM;
	if (a)
		v[a++] = ' ';
	memcpy(v + a, value, b + 1);
	it->value = v;
	return 0;
}

static int take(void *user, const char *section, const char *key, const char *value)
{
	struct reading *r = user;
	struct conf *c = r->conf;
	struct conf_entry *last = c->n ? &c->entry[c->n - 1] : NULL;
	if (r->err)
		return 0;
	if (r->indented && last && !strcmp(last->section, section) && !strcmp(last->key, key)) {
		if (append_value(last, value))
			return stop(r, "out of memory");
		return 1;
	}
	if (conf_get(c, section, key)) {
		r->err = conf_fail(r->e, r->line, "'%s' stands twice in [%s] (first in line %u)", key, section, conf_get(c, section, key)->line);
		return stop(r, "");
	}
	if (c->n == CONF_ENTRIES_MAX)
		return stop(r, "more than 512 keys");
	struct conf_entry *it = &c->entry[c->n];
	*it = (struct conf_entry){strdup(section), strdup(key), strdup(value), r->line};
	c->n++;
	return it->section && it->key && it->value ? 1 : stop(r, "out of memory");
}

int conf_parse(struct conf *c, const char *text, size_t len, struct conf_error *e)
{
	struct reading r = {.conf = c, .e = e, .pos = text, .end = text + len};
	*e = (struct conf_error){0};
	c->n = 0;
	c->entry = calloc(CONF_ENTRIES_MAX, sizeof *c->entry);
	if (!c->entry) {
		conf_fail(e, 0, "out of memory");
		return -ENOMEM;
	}
	int bad = ini_parse_stream(next_line, &r, take, &r);
	if (!r.err && bad > 0)
		r.err = conf_fail(e, (unsigned)bad, "neither a [section] nor key = value");
	else if (!r.err && bad < 0)
		r.err = conf_fail(e, 0, "out of memory");
	if (r.err)
		conf_free(c);
	return r.err;
}

int conf_read(struct conf *c, const char *path, struct conf_error *e)
{
	char *text;
	size_t len;
	int err = io_read_plain(path, 1 << 20, &text, &len); /* a FIFO would hang */
	if (err) {
		*e = (struct conf_error){0};
		snprintf(e->text, sizeof e->text, "%s", err == -EINVAL ? "no plain file" : strerror(-err));
		c->n = 0;
		c->entry = NULL;
		return err;
	}
	err = conf_parse(c, text, len, e);
	free(text);
	return err;
}

void conf_free(struct conf *c)
{
	for (size_t i = 0; i < c->n; i++) {
		free(c->entry[i].section);
		free(c->entry[i].key);
		free(c->entry[i].value);
	}
	free(c->entry);
	c->entry = NULL;
	c->n = 0;
}

static const struct conf_known *find_section(const struct conf_known *known, const char *section)
{
	for (; known->section; known++) {
		size_t n = strlen(known->section);
		if (known->prefix ? !strncmp(section, known->section, n) && kv_is_id(section + n) : !strcmp(section, known->section))
			return known;
	}
	return NULL;
}

static int unknown_section(const struct conf_entry *it, const struct conf_known *known, struct conf_error *e)
{
	const char *names[32];
	size_t n = 0;
	for (; known->section && n < 31; known++)
		names[n++] = known->section;
	names[n] = NULL;
	const char *near = err_nearest(it->section, names);
	if (!*it->section)
		return conf_fail(e, it->line, "'%s' stands before any [section]", it->key);
	return conf_fail(e, it->line, "unknown section [%s]%s%s%s", it->section, near ? "; did you mean [" : "", near ? near : "", near ? "]?" : "");
}

/* The section that a key belongs to which stands in another one; NULL where there is none. */
static const struct conf_known *owner(const struct conf_known *known, const char *key)
{
	for (; known->section; known++)
		for (size_t i = 0; known->keys && known->keys[i]; i++)
			if (!strcmp(known->keys[i], key))
				return known;
	return NULL;
}

int conf_check(const struct conf *c, const struct conf_known *known, struct conf_error *e)
{
	for (size_t i = 0; i < c->n; i++) {
		const struct conf_entry *it = &c->entry[i];
		const struct conf_known *k = find_section(known, it->section);
		if (!k)
			return unknown_section(it, known, e);
		if (!k->keys) {
			if (!kv_is_id(it->key))
				return conf_fail(e, it->line, "'%s' is no name (letters, digits, . _ + -)", it->key);
			continue;
		}
		size_t j = 0;
		while (k->keys[j] && strcmp(k->keys[j], it->key))
			j++;
		if (k->keys[j])
			continue;
		const char *near = err_nearest(it->key, k->keys);
		const struct conf_known *home = owner(known, it->key);
		if (!near && home)
			return conf_fail(e, it->line, "'%.60s' is no key of [%s]; did you mean [%s%s]?", it->key, it->section, home->section,
			                 home->prefix ? "NAME" : "");
		return conf_fail(e, it->line, "unknown key '%.60s' in [%s]%s%s%s", it->key, it->section, near ? "; did you mean '" : "",
		                 near ? near : "", near ? "'?" : "");
	}
	return 0;
}

unsigned conf_lines(const char *text, size_t len)
{
	unsigned n = len && text[len - 1] != '\n';
	for (size_t i = 0; i < len; i++)
		n += text[i] == '\n';
	return n;
}

const struct conf_entry *conf_get(const struct conf *c, const char *section, const char *key)
{
	for (size_t i = 0; i < c->n; i++)
		if (!strcmp(c->entry[i].section, section) && !strcmp(c->entry[i].key, key))
			return &c->entry[i];
	return NULL;
}

int conf_u64(const struct conf_entry *it, uint64_t min, uint64_t max, uint64_t *out, struct conf_error *e)
{
	char *end;
	errno = 0;
	unsigned long long v = strtoull(it->value, &end, 10);
	if (!isdigit((unsigned char)*it->value) || *end || errno || v < min || v > max)
		return conf_fail(e, it->line, "%s = %.40s: a number from %llu to %llu was expected", it->key, it->value, (unsigned long long)min,
		                 (unsigned long long)max);
	*out = v;
	return 0;
}

int conf_bool(const struct conf_entry *it, int *out, struct conf_error *e)
{
	if (!strcmp(it->value, "yes"))
		*out = 1;
	else if (!strcmp(it->value, "no"))
		*out = 0;
	else
		return conf_fail(e, it->line, "%s = %.40s: yes or no was expected", it->key, it->value);
	return 0;
}

int conf_bytes(const struct conf_entry *it, uint64_t *out, struct conf_error *e)
{
	static const char units[] = "KMGT";
	char *end;
	errno = 0;
	unsigned long long v = strtoull(it->value, &end, 10);
	int ok = isdigit((unsigned char)*it->value) && !errno;
	while (*end == ' ')
		end++;
	const char *u = *end ? strchr(units, *end) : NULL;
	if (u) {
		unsigned shift = 10 * (unsigned)(u - units + 1);
		ok = ok && v <= UINT64_MAX >> shift >> 1;
		v <<= ok ? shift : 0;
		end++;
		end += !strcmp(end, "iB") ? 2 : 0;
	}
	if (!ok || *end)
		return conf_fail(e, it->line, "%s = %.40s: bytes were expected, like 268435456 or 256M", it->key, it->value);
	*out = v;
	return 0;
}

int conf_copy(const struct conf_entry *it, char *out, size_t size, struct conf_error *e)
{
	if (strlen(it->value) >= size)
		return conf_fail(e, it->line, "%s is too long: at most %zu bytes", it->key, size - 1);
	strcpy(out, it->value);
	return 0;
}

char *conf_list(const char *value)
{
	char *out = malloc(strlen(value) + 1), *p = out;
	if (!out)
		return NULL;
	while (*value) {
		size_t skip = strspn(value, ", \t"), n = strcspn(value + skip, ", \t");
		if (n) {
			if (p > out)
				*p++ = ',';
			memcpy(p, value + skip, n);
			p += n;
		}
		value += skip + n;
	}
	*p = '\0';
	return out;
}
