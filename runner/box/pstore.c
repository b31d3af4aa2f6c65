/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pstore: see pstore.h. A dump is bounded by its tail; so is their number: what is not sent stays for the next boot. Traps: a back end
 * without room drops new dumps while old ones lie there, so what was sent is unlinked; and mounting reads all of the back end, by firmware
 * as a rule, which may be slow or hang: so it is the runner's to do, in a promise, and not PID 1's.
 */
#include "box/pstore.h"
#include "box/kmsg.h"
#include "common/io.h"
#include "common/trace.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#define FILE_BYTES_MAX (256u << 10)
#define TAIL_BYTES_MAX 8000u /* once escaped */

uint32_t pstore_of(const char *text)
{
	static const char mark[] = "kdyno: " KMSG_MARK;
	const char *last = NULL;
	char hex[9];

	for (const char *s = text; (s = strstr(s, mark)); s++)
		last = s + sizeof mark - 1;
	if (!last || strspn(last, "0123456789abcdef") < 8)
		return 0;
	memcpy(hex, last, 8);
	hex[8] = 0;
	return (uint32_t)strtoul(hex, NULL, 16);
}

/* A dump that can be read as it stands; compressed ones (.enc.z) cannot. */
static int is_dump(const char *name)
{
	size_t n = strlen(name);

	return !strncmp(name, "dmesg-", 6) && n < sizeof(((struct pstore *)0)->name[0]) &&
	       strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.") == n && !strstr(name, ".enc");
}

static void send_one(struct pstore *p, const char *folder, const char *file, struct records *r)
{
	char path[320], name[80], *text = NULL;
	size_t len = 0;

	snprintf(path, sizeof path, "%s/%s", folder, file);
	if (io_read_file(path, FILE_BYTES_MAX, &text, &len) < 0)
		return;
	for (size_t i = 0; i < len; i++)
		if (!text[i])
			text[i] = '?';
	snprintf(name, sizeof name, "pstore-%.40s", file);
	records_text_of(r, name, pstore_of(text), text + trace_tail(text, len, TAIL_BYTES_MAX));
	snprintf(p->name[p->files++], sizeof p->name[0], "%s", file);
	free(text);
}

void pstore_mount(void)
{
	if (mount("pstore", PSTORE_PATH, "pstore", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) < 0)
		return; /* no kernel has to have it */
}

void pstore_send(struct pstore *p, const char *folder, struct records *r)
{
	DIR *d = opendir(folder);
	struct dirent *e;

	p->files = 0;
	while (d && p->files < PSTORE_FILES_MAX && (e = readdir(d)))
		if (is_dump(e->d_name))
			send_one(p, folder, e->d_name, r);
	if (d)
		closedir(d);
}

void pstore_forget(struct pstore *p, const char *folder)
{
	char path[320];

	for (unsigned i = 0; i < p->files; i++) {
		snprintf(path, sizeof path, "%s/%s", folder, p->name[i]);
		unlink(path);
	}
	p->files = 0;
}
