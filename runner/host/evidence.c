/* SPDX-License-Identifier: GPL-2.0-or-later */
/* evidence: see evidence.h. */
#include "host/evidence.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/err.h"
#include "common/io.h"

/* What earlier runs have left there. */
static uint64_t bytes_in(const char *dir)
{
	DIR *d = opendir(dir);
	struct dirent *ent;
	struct stat st;
	uint64_t n = 0;

	while (d && (ent = readdir(d)))
		if (!fstatat(dirfd(d), ent->d_name, &st, AT_SYMLINK_NOFOLLOW) && S_ISREG(st.st_mode))
			n += (uint64_t)st.st_size;
	if (d)
		closedir(d);
	return n;
}

int evidence_open(struct evidence *e, const char *dir)
{
	memset(e, 0, sizeof(*e));
	e->dir = strdup(dir);
	e->ring = malloc(EVIDENCE_BYTES);
	if (!e->dir || !e->ring)
		return -ENOMEM;
	e->written = bytes_in(dir);
	return 0;
}

void evidence_feed(struct evidence *e, const char *bytes, size_t len)
{
	if (!e->ring)
		return;
	if (len > EVIDENCE_BYTES) {
		e->total += len - EVIDENCE_BYTES;
		bytes += len - EVIDENCE_BYTES;
		len = EVIDENCE_BYTES;
	}
	while (len) {
		size_t at = (size_t)(e->total % EVIDENCE_BYTES), n = EVIDENCE_BYTES - at < len ? EVIDENCE_BYTES - at : len;

		memcpy(e->ring + at, bytes, n);
		e->total += n;
		bytes += n;
		len -= n;
	}
}

static size_t in_ring(const struct evidence *e) { return e->total < EVIDENCE_BYTES ? (size_t)e->total : EVIDENCE_BYTES; }

/* The ring from its oldest byte on; malloc'd. */
static char *straight(const struct evidence *e)
{
	size_t n = in_ring(e), at = (size_t)((e->total - n) % EVIDENCE_BYTES), first = EVIDENCE_BYTES - at < n ? EVIDENCE_BYTES - at : n;
	char *s = malloc(n + 1);

	if (!s)
		return NULL;
	memcpy(s, e->ring + at, first);
	memcpy(s + first, e->ring, n - first);
	return s;
}

/* out has room for 4 * len. */
static size_t clean(char *out, const char *s, size_t len)
{
	static const char digits[] = "0123456789abcdef";
	size_t n = 0;

	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)s[i];

		if (c == '\r' && (i + 1 == len || s[i + 1] == '\n' || s[i + 1] == '\r'))
			continue;
		if ((c >= ' ' && c < 0x7f) || c == '\n' || c == '\t') {
			out[n++] = (char)c;
			continue;
		}
		out[n++] = '\\';
		out[n++] = 'x';
		out[n++] = digits[c >> 4];
		out[n++] = digits[c & 15];
	}
	return n;
}

static int write_file(struct evidence *e)
{
	size_t len = in_ring(e), head = strlen(e->head), n;
	char *raw = straight(e), *text = malloc(head + 4 * len + 1), *path = NULL;
	int err = raw && text && asprintf(&path, "%s/%s", e->dir, e->file) >= 0 ? io_mkdirs(e->dir, 0755) : -ENOMEM;

	if (!err) {
		memcpy(text, e->head, head);
		n = head + clean(text + head, raw, len);
		if (e->written - e->file_bytes + n > EVIDENCE_SWEEP_BYTES)
			err = -EDQUOT;
		if (!err)
			err = io_write_file(path, text, n, 0644);
		if (!err) {
			e->written += n - e->file_bytes;
			e->file_bytes = n;
		}
	}
	free(raw);
	free(text);
	free(path);
	return err;
}

static void finish(struct evidence *e)
{
	if (*e->file && e->total > e->mark_total)
		write_file(e); /* what stood there before it is there already */
	*e->file = 0;
	e->file_bytes = 0;
}

void evidence_close(struct evidence *e)
{
	finish(e);
	free(e->dir);
	free(e->ring);
	e->dir = e->ring = NULL;
}

void evidence_name(char *out, size_t size, uint32_t tag, const char *name) { snprintf(out, size, "%08" PRIx32 "-%.24s.txt", tag, name); }

/* Is the failure one that what is in memory can speak of, and that nobody has written down yet? */
static int is_news(const struct evidence *e, uint32_t tag, const char *file)
{
	char hex[9], *path = NULL, *raw = straight(e);
	int news;

	snprintf(hex, sizeof(hex), "%08" PRIx32, tag);
	news = raw && memmem(raw, in_ring(e), hex, 8) && asprintf(&path, "%s/%s", e->dir, file) >= 0 && access(path, F_OK) != 0;
	free(path);
	free(raw);
	return news;
}

int evidence_mark(struct evidence *e, const struct evidence_of *of, int past, uint64_t now_ms)
{
	char file[EVIDENCE_NAME_MAX], why[200];

	if (!e->ring)
		return 0;
	finish(e);
	evidence_name(file, sizeof(file), of->tag, of->name);
	if (past && !is_news(e, of->tag, file))
		return 0;
	memcpy(e->file, file, sizeof(file));
	err_clean(why, sizeof(why), of->why ? of->why : "");
	snprintf(e->head, sizeof(e->head),
	         "# sweep %s line %u tag %08" PRIx32 ": %s%s%s\n# unix ms %" PRIu64 "; the last %u KiB of the console, at most\n", of->sweep,
	         of->line, of->tag, of->name, *why ? ", " : "", why, of->unix_ms, EVIDENCE_BYTES >> 10);
	e->mark_total = e->total;
	e->mark_ms = now_ms;
	return write_file(e);
}

void evidence_tick(struct evidence *e, uint64_t now_ms)
{
	if (*e->file && (now_ms - e->mark_ms > EVIDENCE_AFTER_MS || e->total - e->mark_total > EVIDENCE_AFTER_BYTES))
		finish(e);
}
