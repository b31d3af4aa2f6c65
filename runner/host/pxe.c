/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pxe: see pxe.h. The loader is pxelinux: NOESCAPE, PROMPT 0 and no SERIAL line, so that no byte on the console stops it; both
 * timeouts, so that it never waits. Its files are looked for below the folder of the boot file (pxelinux's prefix), so all that it
 * needs is put there; the box itself fetches from the lab by TFTP with whole paths.
 *
 * Files are hard links where that works, else copies: what is served is what was hashed when the sweep was made.
 */
#include "host/pxe.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/err.h"
#include "common/io.h"
#include "host/lab.h"
#include "host/work.h"

#define CMDLINE_MAX 2000

static const char *const loader_folders[] = {"/usr/lib/PXELINUX", "/usr/lib/syslinux/modules/bios", "/usr/share/syslinux", "/usr/lib/syslinux/bios",
                                             NULL};

static void copy(const char *from, const char *to)
{
	char *tmp;
	int err;

	if (asprintf(&tmp, "%s.new", to) < 0)
		err_die("out of memory");
	unlink(tmp);
	err = work_link(from, tmp);
	if (!err && rename(tmp, to))
		err = -errno;
	unlink(tmp); /* rename of two links to one file does nothing */
	if (err)
		err_die_code(err, "copy %s to %s:", from, to);
	free(tmp);
}

static void copy_loader(const char *name, const char *folder)
{
	char *from = NULL, *to;

	for (size_t i = 0; loader_folders[i]; i++) {
		if (asprintf(&from, "%s/%s", loader_folders[i], name) < 0)
			err_die("out of memory");
		if (!access(from, R_OK))
			break;
		free(from);
		from = NULL;
	}
	if (!from)
		err_die("%s is missing: install the packages pxelinux and syslinux-common (apt-get install pxelinux syslinux-common)", name);
	if (asprintf(&to, "%s/%s", folder, name) < 0)
		err_die("out of memory");
	copy(from, to);
	free(from);
	free(to);
}

static void copy_home(const struct sweep *s, enum plan_role role, const char *folder)
{
	const struct plan_file *f = plan_file(&s->plan, role, s->plan.home);
	char *from, *to;

	if (!f)
		err_die("sweep %s has no %s of home (%s): make it anew", s->id, plan_role_name(role), s->plan.home);
	from = lab_path("%s", f->path);
	if (asprintf(&to, "%s/%s", folder, plan_role_name(role)) < 0)
		err_die("out of memory");
	copy(from, to);
	free(from);
	free(to);
}

long pxe_cmdline(const struct sweep *s, const struct board *b, const struct ports *p, int nfs, char *out, size_t size)
{
	const struct plan_file *image = plan_file(&s->plan, PLAN_IMAGE, s->plan.home);
	const char *a = PXE_TWIN_ADDR;
	int n, m = 0;

	n = snprintf(out, size,
	             "console=%s %s kd.box=%s kd.sweep=%s kd.http=%s:%u kd.tftp=%s kd.peer=%s:%u kd.again_s=%u kd.jump_s=%u kd.image=%.16s",
	             b->console_kernel, b->cmdline, b->name, s->id, a, p->port[PORT_HTTP], a, a, p->port[PORT_PEER], s->plan.again_s, s->plan.jump_s,
	             image ? image->sha256 : "");
	if (n < 0 || (size_t)n >= size)
		return -EMSGSIZE;
	if (nfs)
		m = snprintf(out + n, size - (size_t)n, " kd.nfs=%s:%u,%u:/kd kd.nfstest=%s:%u,%u:/kd/test", a, p->port[PORT_NFS],
		             p->port[PORT_NFS_MOUNT], a, p->port[PORT_NFSTEST], p->port[PORT_NFSTEST_MOUNT]);
	return m < 0 || (size_t)(n + m) >= size ? -EMSGSIZE : n + m;
}

void pxe_write(const struct sweep *s, const struct board *b, const struct ports *p, int nfs)
{
	char *folder = lab_path("tftp/%s", b->name), *cfg = lab_path("tftp/%s/pxelinux.cfg", b->name), *file, *text;
	char cmdline[CMDLINE_MAX];
	int n, err = io_mkdirs(cfg, 0755);

	if (err)
		err_die_code(err, "cannot make %s:", cfg);
	copy_loader("pxelinux.0", folder);
	copy_loader("ldlinux.c32", folder);
	copy_home(s, PLAN_KERNEL, folder);
	copy_home(s, PLAN_IMAGE, folder);
	copy_home(s, PLAN_PACK, folder);
	if (pxe_cmdline(s, b, p, nfs, cmdline, sizeof(cmdline)) < 0)
		err_die("the command line of home is longer than %d bytes: shorten cmdline in boards/%s.ini", CMDLINE_MAX, b->name);
	n = asprintf(&text,
	             "NOESCAPE 1\nPROMPT 0\nTIMEOUT 1\nTOTALTIMEOUT 50\nDEFAULT home\nLABEL home\n"
	             "  KERNEL kernel\n  INITRD image,pack\n  APPEND %s\n",
	             cmdline);
	if (n < 0 || asprintf(&file, "%s/default", cfg) < 0)
		err_die("out of memory");
	err = io_write_file(file, text, (size_t)n, 0644);
	if (err)
		err_die_code(err, "write %s:", file);
	free(text);
	free(file);
	free(cfg);
	free(folder);
}
