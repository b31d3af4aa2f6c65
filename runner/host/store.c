/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * store: records.jsonl of a sweep, a JSON object a line (docs/formats.md). Written in one write(2) a try, so that a cut leaves one torn
 * line at most; read with every line on its own, so that a damaged one costs that line.
 *
 * Traps: JSON is UTF-8, and a value from a box is any bytes but NUL: what is not UTF-8 stands in "raw", %XX-escaped, and nothing is
 * lost. The same record may stand twice (kill -9 between fsync and journal, two channels): equal ones are one, others are STORE_DIFFER.
 */
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/io.h"
#include "host/store.h"

#define LINE_MAX_BYTES (256 * 1024)
#define GAP_MAX (1u << 20) /* a box that claims a greater one is not believed past this */

static const char *const channel_names[] =
	{[STORE_SERIAL] = "serial", [STORE_NFS] = "nfs", [STORE_BOTH] = "both", [STORE_DIFFER] = "differ", [STORE_IMPORTED] = "imported"};

const char *store_channel_name(enum store_channel c) { return c >= STORE_SERIAL && c <= STORE_IMPORTED ? channel_names[c] : "unknown"; }

const char *store_get(const struct store_record *r, const char *key)
{
	for (size_t i = 0; i < r->n; i++)
		if (!strcmp(r->pair[i].key, key))
			return r->pair[i].val;
	return NULL;
}

/* ---- pairs: the table and its strings are one block */

struct pairs {
	struct kv_pair p[KV_PAIRS_MAX];
	size_t n;
};

static int pairs_copy(struct store_record *out, const struct pairs *in)
{
	size_t bytes = in->n * sizeof *out->pair;
	for (size_t i = 0; i < in->n; i++)
		bytes += strlen(in->p[i].key) + strlen(in->p[i].val) + 2;
	out->n = 0;
	out->pair = malloc(bytes ? bytes : 1);
	if (!out->pair)
		return -ENOMEM;
	char *s = (char *)(out->pair + in->n);
	for (size_t i = 0; i < in->n; i++) {
		out->pair[i].key = s;
		s = stpcpy(s, in->p[i].key) + 1;
		out->pair[i].val = s;
		s = stpcpy(s, in->p[i].val) + 1;
	}
	out->n = in->n;
	return 0;
}

int store_from_record(struct store_record *out, const struct record *r, unsigned line, enum store_channel ch)
{
	struct pairs p = {.n = 0};
	memset(out, 0, sizeof *out);
	if (strlen(r->kv.word) >= sizeof out->kind || r->kv.n > KV_PAIRS_MAX)
		return -EMSGSIZE;
	if (r->ms > INT64_MAX) /* what JSON's integers hold */
		return -ERANGE;
	strcpy(out->kind, r->kv.word);
	out->line = line;
	out->tag = r->tag;
	out->seq = r->seq;
	out->ms = r->ms;
	out->ch = ch;
	for (; p.n < r->kv.n; p.n++)
		p.p[p.n] = r->kv.pair[p.n];
	return pairs_copy(out, &p);
}

/* ---- writing */

static json_t *head(const char *sweep, const char *box, unsigned line, uint32_t tag)
{
	char hex[9];
	snprintf(hex, sizeof hex, "%08x", tag);
	return json_pack("{s:s, s:s, s:i, s:s}", "sweep", sweep, "box", box, "line", (int)line, "tag", hex);
}

/* The first value of a key is the one that counts (kv_get), so a second one is left out. */
static int put_value(json_t *kv, json_t **raw, const struct kv_pair *p)
{
	char esc[3 * KV_LINE_MAX + 1];
	if (json_object_get(kv, p->key) || (*raw && json_object_get(*raw, p->key)))
		return 0;
	json_t *v = json_string(p->val); /* NULL unless UTF-8 */
	if (v)
		return json_object_set_new(kv, p->key, v);
	if (!*raw && !(*raw = json_object()))
		return -1;
	if (kv_escape(esc, sizeof esc, p->val, strlen(p->val)) < 0)
		return -1;
	return json_object_set_new(*raw, p->key, json_string(esc));
}

static json_t *record_json(const char *sweep, const char *box, const struct store_record *r)
{
	json_t *o = head(sweep, box, r->line, r->tag), *kv = json_object(), *raw = NULL;
	int bad = !o || !kv;
	for (size_t i = 0; !bad && i < r->n; i++)
		bad = put_value(kv, &raw, &r->pair[i]);
	bad = bad || json_object_set_new(o, "seq", json_integer(r->seq)) || json_object_set_new(o, "ms", json_integer((json_int_t)r->ms)) ||
	      json_object_set_new(o, "kind", json_string(r->kind)) || json_object_set(o, "kv", kv) || (raw && json_object_set(o, "raw", raw)) ||
	      json_object_set_new(o, "ch", json_string(store_channel_name(r->ch)));
	json_decref(kv);
	json_decref(raw);
	if (bad) {
		json_decref(o);
		return NULL;
	}
	return o;
}

static json_t *gap_json(const char *sweep, const char *box, const struct store_gap *g)
{
	json_t *o = head(sweep, box, g->line, g->tag);
	json_t *extent = json_pack("[I, I]", (json_int_t)g->first, (json_int_t)g->last);
	if (o && json_object_set_new(o, "gap", extent)) {
		json_decref(o);
		return NULL;
	}
	return o;
}

/* Writes o as a line and drops it. */
static int put_line(FILE *f, json_t *o)
{
	if (!o)
		return -ENOMEM;
	int bad = json_dumpf(o, f, JSON_COMPACT | JSON_ENSURE_ASCII) || putc('\n', f) == EOF;
	json_decref(o);
	return bad ? -ENOMEM : 0;
}

int store_append(const char *path, const char *sweep, const char *box, const struct store_record *r, size_t n, const struct store_gap *g, size_t gaps)
{
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);
	if (!f)
		return -errno;
	int rc = 0;
	for (size_t i = 0; !rc && i < n; i++)
		rc = put_line(f, record_json(sweep, box, &r[i]));
	for (size_t i = 0; !rc && i < gaps; i++)
		rc = put_line(f, gap_json(sweep, box, &g[i]));
	if (fclose(f) && !rc)
		rc = -ENOMEM;
	int fd = rc || !len ? -1 : io_append_open(path);
	if (!rc && len) {
		rc = fd < 0 ? fd : io_append(fd, text, len);
		if (fd >= 0)
			close(fd);
	}
	free(text);
	return rc;
}

/* ---- reading */

static int get_u64(const json_t *o, const char *key, uint64_t max, uint64_t *out)
{
	json_t *v = json_object_get(o, key);
	if (!json_is_integer(v) || json_integer_value(v) < 0 || (uint64_t)json_integer_value(v) > max)
		return -EINVAL;
	*out = (uint64_t)json_integer_value(v);
	return 0;
}

static int get_tag(const json_t *o, uint32_t *out)
{
	const char *s = json_string_value(json_object_get(o, "tag"));
	if (!s || strlen(s) != 8 || strspn(s, "0123456789abcdef") != 8)
		return -EINVAL;
	*out = (uint32_t)strtoul(s, NULL, 16);
	return 0;
}

static int get_channel(const json_t *o, enum store_channel *out)
{
	const char *s = json_string_value(json_object_get(o, "ch"));
	for (unsigned c = STORE_SERIAL; s && c <= STORE_IMPORTED; c++)
		if (!strcmp(s, channel_names[c])) {
			*out = (enum store_channel)c;
			return 0;
		}
	return -EINVAL;
}

static int parse_record(const json_t *o, struct store_record *r)
{
	struct pairs p = {.n = 0};
	uint64_t seq;
	const char *kind = json_string_value(json_object_get(o, "kind")), *key;
	char raw[KV_PAIRS_MAX][KV_LINE_MAX / KV_PAIRS_MAX * 8];
	json_t *kv = json_object_get(o, "kv"), *v;
	if (get_u64(o, "seq", UINT32_MAX, &seq) || get_u64(o, "ms", INT64_MAX, &r->ms) || get_channel(o, &r->ch) || !kind || !*kind ||
	    strlen(kind) >= sizeof r->kind || !json_is_object(kv))
		return -EINVAL;
	r->seq = (uint32_t)seq;
	strcpy(r->kind, kind);
	json_object_foreach(kv, key, v)
	{
		if (!json_is_string(v) || p.n == KV_PAIRS_MAX)
			return -EINVAL;
		p.p[p.n++] = (struct kv_pair){key, json_string_value(v)};
	}
	json_object_foreach(json_object_get(o, "raw"), key, v)
	{
		const char *s = json_string_value(v);
		if (!s || p.n == KV_PAIRS_MAX || kv_unescape(raw[p.n], sizeof raw[0], s, strlen(s)) < 0)
			return -EINVAL;
		p.p[p.n] = (struct kv_pair){key, raw[p.n]};
		p.n++;
	}
	return pairs_copy(r, &p);
}

static int parse_gap(const json_t *o, struct store_gap *g)
{
	json_t *e = json_object_get(o, "gap");
	json_int_t a = json_integer_value(json_array_get(e, 0)), b = json_integer_value(json_array_get(e, 1));
	if (json_array_size(e) != 2 || !json_is_integer(json_array_get(e, 0)) || !json_is_integer(json_array_get(e, 1)) || a < 0 || b < a ||
	    b > UINT32_MAX)
		return -EINVAL;
	g->first = (uint32_t)a;
	g->last = (uint32_t)(b - a > GAP_MAX ? a + GAP_MAX : b);
	return 0;
}

/* Room for one more; the arrays grow by doubling. */
static void *room(void *array, size_t n, size_t size)
{
	if (n & (n + 1))
		return array;
	return realloc(array, (n + 1) * 2 * size);
}

static int add_line(struct store *s, const char *text, size_t len)
{
	json_t *o = json_loadb(text, len, JSON_REJECT_DUPLICATES, NULL);
	struct store_record r = {0};
	uint64_t line;
	int rc = !json_is_object(o) || get_u64(o, "line", UINT32_MAX, &line) || get_tag(o, &r.tag) ? -EINVAL : 0;
	if (!rc && json_object_get(o, "gap")) {
		struct store_gap g = {.line = (unsigned)line, .tag = r.tag}, *room_for = room(s->gap, s->gaps, sizeof *s->gap);
		rc = room_for ? parse_gap(o, &g) : -ENOMEM;
		if (room_for)
			s->gap = room_for;
		if (!rc)
			s->gap[s->gaps++] = g;
	} else if (!rc) {
		struct store_record *room_for = room(s->record, s->records, sizeof *s->record);
		r.line = (unsigned)line;
		rc = room_for ? parse_record(o, &r) : -ENOMEM;
		if (room_for)
			s->record = room_for;
		if (!rc)
			s->record[s->records++] = r;
	}
	json_decref(o);
	if (rc == -EINVAL)
		s->bad_lines++;
	return rc == -EINVAL ? 0 : rc;
}

/* word: only lines in which it stands; NULL: all. */
static int read_lines(struct store *s, const char *path, const char *word)
{
	char *text = NULL;
	size_t size = 0;
	ssize_t len;
	int rc = 0;
	struct stat st;
	memset(s, 0, sizeof *s);
	if (!stat(path, &st) && !S_ISREG(st.st_mode))
		return S_ISDIR(st.st_mode) ? -EISDIR : -EINVAL;
	FILE *f = fopen(path, "re");
	if (!f)
		return -errno;
	while (!rc && (len = getline(&text, &size, f)) > 0) {
		while (len > 0 && (text[len - 1] == '\n' || text[len - 1] == '\r'))
			len--;
		if (len > LINE_MAX_BYTES)
			s->bad_lines++;
		else if (len > 0 && (!word || memmem(text, (size_t)len, word, strlen(word))))
			rc = add_line(s, text, (size_t)len);
	}
	if (!rc && ferror(f))
		rc = -EIO;
	free(text);
	fclose(f);
	if (!rc)
		rc = store_settle(s);
	if (rc)
		store_free(s);
	return rc;
}

int store_read(struct store *s, const char *path) { return read_lines(s, path, NULL); }

int store_append_missing(const char *path, const char *sweep, const char *box, const struct store_record *r, size_t n, const struct store_gap *g,
                         size_t gaps)
{
	struct store_record *left = malloc((n + 1) * sizeof *left);
	struct store have = {0};
	char word[24];
	size_t old = 0, olds = 0, m = 0;
	int rc = left ? 0 : -ENOMEM;
	if (!rc && n) {
		snprintf(word, sizeof word, "\"tag\":\"%08x\"", r->tag);
		rc = read_lines(&have, path, word);
	}
	if (rc == -ENOENT) /* nothing is stored yet */
		rc = 0;
	const struct store_record *there = rc || !n ? NULL : store_try(&have, r->line, r->tag, &olds);
	for (size_t i = 0; !rc && i < n; i++) {
		while (old < olds && there[old].seq < r[i].seq)
			old++;
		if (old == olds || there[old].seq != r[i].seq)
			left[m++] = r[i];
	}
	if (!rc && m)
		rc = store_append(path, sweep, box, left, m, g, gaps);
	store_free(&have);
	free(left);
	return rc;
}

void store_free(struct store *s)
{
	for (size_t i = 0; i < s->records; i++)
		free(s->record[i].pair);
	free(s->record);
	free(s->gap);
	memset(s, 0, sizeof *s);
}
