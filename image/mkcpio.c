/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mkcpio: turns image/rootfs.list into a newc cpio (buffer-format.rst of the kernel), without root. Runs on the station only.
 * usage: mkcpio [-l] [-w PACKAGE]... LIST TREE BUILD: archive on standard output; -l prints the paths instead, a line each; files of PACKAGE are
 * left out (an architecture may have to do without it).
 * Contract: the same list and files give the same bytes: times are 0, owner is root, inodes count up in the order of
 * the list. Whatever a line names must be there, each path once, each parent before its children.
 * Trap: the kernel makes nothing by itself; a parent missing in the list loses its children without a word.
 */
#include <errno.h>
#include <glob.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cpio.h"
#include "common/io.h"

#define ENTRIES_MAX 4096
#define WORDS_MAX 6
#define LINE_MAX_BYTES 512
#define PROGRAM_MAX_BYTES 65
#define FILE_MAX_BYTES (64u << 20)
#define WITHOUT_MAX 8

enum kind { DIR_ENTRY, NODE_ENTRY, FILE_ENTRY, LINK_ENTRY };

struct entry {
	enum kind kind;
	unsigned mode;
	unsigned major, minor;
	char *path;  /* without the leading slash, as the kernel wants it */
	char *value; /* where the file is, or what the link says */
};

struct image {
	const char *list, *tree, *build;
	const char *without[WITHOUT_MAX];
	unsigned withouts;
	unsigned line;
	struct entry entries[ENTRIES_MAX];
	size_t count;
};

static _Noreturn __attribute__((format(printf, 2, 3))) void die(const struct image *im, const char *fmt, ...)
{
	va_list ap;

	fprintf(stderr, "mkcpio: %s:%u: ", im->list, im->line);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	exit(1);
}

static char *copy(const char *s)
{
	char *p = strdup(s);

	if (!p) {
		fprintf(stderr, "mkcpio: out of memory\n");
		exit(1);
	}
	return p;
}

static const struct entry *find(const struct image *im, const char *path, size_t len)
{
	for (size_t i = 0; i < im->count; i++)
		if (strlen(im->entries[i].path) == len && !memcmp(im->entries[i].path, path, len))
			return &im->entries[i];
	return NULL;
}

static struct entry *add(struct image *im, enum kind kind, const char *path)
{
	struct entry *e;
	const char *slash;

	if (path[0] != '/' || !path[1] || strstr(path, "//") || strstr(path, "/.."))
		die(im, "'%s' is no absolute path", path);
	path++;
	if (find(im, path, strlen(path)))
		die(im, "/%s stands in the list twice", path);
	slash = strrchr(path, '/');
	if (slash) {
		const struct entry *parent = find(im, path, (size_t)(slash - path));

		if (!parent || parent->kind != DIR_ENTRY)
			die(im, "/%s has no directory line above it", path);
	}
	if (im->count == ENTRIES_MAX)
		die(im, "more than %d entries", ENTRIES_MAX);
	e = &im->entries[im->count++];
	memset(e, 0, sizeof(*e));
	e->kind = kind;
	e->path = copy(path);
	return e;
}

static unsigned number(const struct image *im, const char *word, int base, unsigned max)
{
	char *end;
	unsigned long n;

	errno = 0;
	n = strtoul(word, &end, base);
	if (errno || end == word || *end || n > max)
		die(im, "'%s' is no %s up to %o", word, base == 8 ? "octal mode" : "number", max);
	return (unsigned)n;
}

/* A source is `tree:path` (of the repository) or `build:path` (of build/<arch>). */
static void source(const struct image *im, const char *word, char *out, size_t size)
{
	const char *base = NULL;
	int n;

	if (!strncmp(word, "tree:", 5))
		base = im->tree;
	else if (!strncmp(word, "build:", 6))
		base = im->build;
	if (!base)
		die(im, "'%s' is neither tree:path nor build:path", word);
	n = snprintf(out, size, "%s/%s", base, strchr(word, ':') + 1);
	if (n < 0 || (size_t)n >= size)
		die(im, "'%s' is too long", word);
}

/*
 * The program that a descriptor of a test starts: `program = NAME`, none of its own where it has `like = NAME`, else the file's name less its
 * ending. Of a file that says neither, and of any other file, the name. 0: none.
 */
static int program_of(const struct image *im, const char *path, char *out, size_t size)
{
	char line[LINE_MAX_BYTES], value[LINE_MAX_BYTES];
	const char *name = strrchr(path, '/') + 1;
	FILE *f = fopen(path, "r");
	int like = 0, n;

	if (!f)
		die(im, "%s: %s", path, strerror(errno));
	n = snprintf(out, size, "%.*s", (int)strcspn(name, "."), name);
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "program = %511s", value) == 1) {
			n = snprintf(out, size, "%s", value);
			like = 0;
			break;
		}
		like |= sscanf(line, "like = %511s", value) == 1;
	}
	fclose(f);
	if (n < 0 || (size_t)n >= size)
		die(im, "%s: a program's name is too long", path);
	return !like;
}

/* links /kd/suite/ tree:tests/suite/[name].test suite: one link for each program that a descriptor that matches names. */
static void add_links(struct image *im, char **word)
{
	char pattern[LINE_MAX_BYTES];
	glob_t found;
	int err;

	source(im, word[2], pattern, sizeof(pattern));
	err = glob(pattern, 0, NULL, &found);
	if (err == GLOB_NOMATCH)
		return;
	if (err)
		die(im, "cannot read the files that match %s", pattern);
	for (size_t i = 0; i < found.gl_pathc; i++) {
		char path[LINE_MAX_BYTES], program[PROGRAM_MAX_BYTES];
		int n;

		if (!program_of(im, found.gl_pathv[i], program, sizeof(program)))
			continue;
		n = snprintf(path, sizeof(path), "%s%s", word[1], program);
		if (n < 0 || (size_t)n >= sizeof(path))
			die(im, "%s is too long", found.gl_pathv[i]);
		if (!find(im, path + 1, strlen(path + 1))) /* several descriptors may name one program */
			add(im, LINK_ENTRY, path)->value = copy(word[3]);
	}
	globfree(&found);
}

static int left_out(const struct image *im, const char *word)
{
	static const char packages[] = "build:packages/";

	if (strncmp(word, packages, sizeof packages - 1))
		return 0;
	word += sizeof packages - 1;
	for (unsigned i = 0; i < im->withouts; i++) {
		size_t n = strlen(im->without[i]);

		if (!strncmp(word, im->without[i], n) && word[n] == '/')
			return 1;
	}
	return 0;
}

static void add_line(struct image *im, char **word, int words)
{
	char path[LINE_MAX_BYTES];
	struct entry *e;

	if (!strcmp(word[0], "dir") && words == 3) {
		add(im, DIR_ENTRY, word[1])->mode = number(im, word[2], 8, 07777);
	} else if (!strcmp(word[0], "node") && words == 6 && (!strcmp(word[3], "c") || !strcmp(word[3], "b"))) {
		e = add(im, NODE_ENTRY, word[1]);
		e->mode = number(im, word[2], 8, 07777) | (word[3][0] == 'c' ? S_IFCHR : S_IFBLK);
		e->major = number(im, word[4], 10, 4095);
		e->minor = number(im, word[5], 10, 1048575);
	} else if (!strcmp(word[0], "file") && words == 4) {
		if (left_out(im, word[3]))
			return;
		e = add(im, FILE_ENTRY, word[1]);
		e->mode = number(im, word[2], 8, 07777);
		source(im, word[3], path, sizeof(path));
		if (access(path, R_OK))
			die(im, "%s: %s; build it first", path, strerror(errno));
		e->value = copy(path);
	} else if (!strcmp(word[0], "link") && words == 3) {
		add(im, LINK_ENTRY, word[1])->value = copy(word[2]);
	} else if (!strcmp(word[0], "links") && words == 4) {
		add_links(im, word);
	} else {
		die(im,
		    "'%s' with %d words is none of: dir PATH MODE, node PATH MODE c|b MAJOR MINOR, file PATH MODE SOURCE, "
		    "link PATH TARGET, links PREFIX PATTERN TARGET",
		    word[0], words - 1);
	}
}

static void read_list(struct image *im)
{
	char line[LINE_MAX_BYTES];
	FILE *f = fopen(im->list, "r");

	if (!f)
		die(im, "%s", strerror(errno));
	while (fgets(line, sizeof(line), f)) {
		char *word[WORDS_MAX + 1];
		int words = 0;

		im->line++;
		if (!strchr(line, '\n'))
			die(im, "longer than %d bytes, or without end of line", LINE_MAX_BYTES - 2);
		line[strcspn(line, "#\n")] = 0;
		for (char *w = strtok(line, " \t"); w && words <= WORDS_MAX; w = strtok(NULL, " \t"))
			word[words++] = w;
		if (words)
			add_line(im, word, words);
	}
	if (ferror(f))
		die(im, "cannot be read");
	fclose(f);
}

static void put_file(struct image *im, struct cpio *c, const struct entry *e)
{
	struct stat st;
	char *data;
	size_t len;
	int err = stat(e->value, &st) ? -errno : S_ISREG(st.st_mode) ? io_read_file(e->value, FILE_MAX_BYTES, &data, &len) : -EINVAL;

	if (err)
		die(im, "%s: %s", e->value, err == -EINVAL ? "no ordinary file" : strerror(-err));
	cpio_file(c, e->path, e->mode, data, len);
	free(data);
}

static void put_archive(struct image *im)
{
	struct cpio c;
	int err;

	cpio_open(&c, STDOUT_FILENO);
	for (size_t i = 0; i < im->count; i++) {
		const struct entry *e = &im->entries[i];

		if (e->kind == FILE_ENTRY)
			put_file(im, &c, e);
		else if (e->kind == LINK_ENTRY)
			cpio_link(&c, e->path, e->value);
		else if (e->kind == NODE_ENTRY)
			cpio_node(&c, e->path, e->mode, e->major, e->minor);
		else
			cpio_dir(&c, e->path, e->mode);
	}
	err = cpio_close(&c);
	if (err)
		die(im, "cannot write the archive: %s", strerror(-err));
}

int main(int argc, char **argv)
{
	static struct image im;
	int only_list = 0, option;

	while ((option = getopt(argc, argv, "lw:")) != -1) {
		if (option == 'l')
			only_list = 1;
		else if (option == 'w' && im.withouts < WITHOUT_MAX)
			im.without[im.withouts++] = optarg;
		else
			optind = argc;
	}
	if (argc - optind != 3) {
		fprintf(stderr, "usage: mkcpio [-l] [-w PACKAGE]... LIST TREE BUILD\n");
		return 2;
	}
	im.list = argv[optind];
	im.tree = argv[optind + 1];
	im.build = argv[optind + 2];
	read_list(&im);
	if (!only_list)
		put_archive(&im);
	for (size_t i = 0; only_list && i < im.count; i++)
		printf("%s\n", im.entries[i].path);
	return fflush(stdout) || ferror(stdout);
}
