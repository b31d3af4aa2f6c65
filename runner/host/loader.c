/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * loader: see loader.h. pxelinux lays the files of INITRD behind each other, each at a multiple of 4, and so does this. QEMU loads the same at every reset: the
 * entry as it was at its start, which is home's.
 */
#include "host/loader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/io.h"
#include "host/lab.h"

#define ENTRY_MAX 4096
#define FILE_MAX_BYTES (256u << 20)

/* What stands behind the word at the begin of a line, to its end. malloc'd, or NULL. */
static char *value_of(const char *text, const char *word)
{
	size_t len = strlen(word);

	for (const char *line = text; line && *line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
		line += strspn(line, " ");
		if (!strncmp(line, word, len) && line[len] == ' ')
			return strndup(line + len + 1, strcspn(line + len + 1, "\n"));
	}
	return NULL;
}

int loader_parse(const char *entry, char **kernel, char **files, char **cmdline)
{
	*kernel = value_of(entry, "KERNEL");
	*files = value_of(entry, "INITRD");
	*cmdline = value_of(entry, "APPEND");
	return *kernel && *files && *cmdline ? 0 : -EBADMSG;
}

static int append(int fd, const char *path)
{
	static const char zeros[4];
	char *data = NULL;
	size_t len = 0;
	int err = io_read_file(path, FILE_MAX_BYTES, &data, &len);

	if (!err)
		err = io_write_all(fd, data, len);
	if (!err && len % 4)
		err = io_write_all(fd, zeros, 4 - len % 4);
	free(data);
	return err;
}

/* files: names by commas, in the box's folder. */
static int join(const char *files, const char *box, const char *to)
{
	int fd = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644), err = fd < 0 ? -errno : 0;

	for (const char *f = files; !err && *f; f += strspn(f, ",")) {
		size_t n = strcspn(f, ",");
		char *path = lab_path("tftp/%s/%.*s", box, (int)n, f);

		err = append(fd, path);
		free(path);
		f += n;
	}
	if (fd >= 0 && close(fd) && !err)
		err = -errno;
	return err;
}

int loader_read(struct loader *l, const struct board *b)
{
	char *entry = lab_path("tftp/%s/pxelinux.cfg/default", b->name), text[ENTRY_MAX], *kernel = NULL, *files = NULL;
	ssize_t n = io_read_small(entry, text, sizeof(text));
	int err = n < 0 ? (int)n : 0;

	*l = (struct loader){0};
	if (!err)
		err = loader_parse(text, &kernel, &files, &l->cmdline);
	if (!err) {
		l->kernel = lab_path("tftp/%s/%s", b->name, kernel);
		l->initrd = lab_path("tftp/%s/loader", b->name);
		err = join(files, b->name, l->initrd);
	}
	free(entry);
	free(kernel);
	free(files);
	return err;
}

void loader_free(struct loader *l)
{
	free(l->kernel);
	free(l->initrd);
	free(l->cmdline);
	*l = (struct loader){0};
}
