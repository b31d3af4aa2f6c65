/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pxe: see pxe.h. The loader is pxelinux: NOESCAPE, PROMPT 0 and no SERIAL line, so that no byte on the console stops it; both
 * timeouts, so that it never waits. Its files are looked for below the folder of the boot file (pxelinux's prefix), so all that it
 * needs is put there; the box itself fetches from the lab by TFTP with whole paths.
 *
 * The entry is one file, put in place by rename: a box finds the old one or the new one. The files of a subject have names of their own
 * (`subject-*`), so that home's are never touched while a box may be loading them. Files are hard links where that works, else copies: what is
 * served is what was hashed when the sweep was made.
 */
#include "host/pxe.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/err.h"
#include "common/io.h"
#include "common/job_text.h"
#include "host/lab.h"
#include "host/work.h"

#define CMDLINE_MAX 2000

static const char *const loader_folders[] = {"/usr/lib/PXELINUX", "/usr/lib/syslinux/modules/bios", "/usr/share/syslinux", "/usr/lib/syslinux/bios",
                                             NULL};

static int copy(const char *from, const char *to)
{
	char *tmp;
	int err;

	if (asprintf(&tmp, "%s.new", to) < 0)
		return -ENOMEM;
	unlink(tmp);
	err = work_link(from, tmp);
	if (!err && rename(tmp, to))
		err = -errno;
	unlink(tmp); /* rename of two links to one file does nothing */
	free(tmp);
	return err;
}

static void copy_loader(const char *name, const char *folder)
{
	char *from = NULL, *to;
	int err;

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
	err = copy(from, to);
	if (err)
		err_die_code(err, "copy %s to %s:", from, to);
	free(from);
	free(to);
}

/* A kernel's file into tftp/<box>/, as `prefix` and its role. -ENOENT where the sweep has none. */
static int copy_file(const struct sweep *s, const struct board *b, enum plan_role role, const char *kernel, const char *prefix)
{
	const struct plan_file *f = plan_file(&s->plan, role, kernel);
	char *from, *to;
	int err;

	if (!f)
		return -ENOENT;
	from = lab_path("%s", f->path);
	to = lab_path("tftp/%s/%s%s", b->name, prefix, plan_role_name(role));
	err = copy(from, to);
	free(from);
	free(to);
	return err;
}

static void copy_home(const struct sweep *s, const struct board *b, enum plan_role role)
{
	int err = copy_file(s, b, role, s->plan.home, "");

	if (err == -ENOENT)
		err_die("sweep %s has no %s of home (%s): make it anew", s->id, plan_role_name(role), s->plan.home);
	if (err)
		err_die_code(err, "cannot copy the %s of home to tftp/%s:", plan_role_name(role), b->name);
}

static void format_net(struct job_net *n, const struct board *b, const struct ports *p, int nfs)
{
	const char *a = PXE_TWIN_ADDR;

	memset(n, 0, sizeof(*n));
	if (strcmp(b->address, "dhcp"))
		snprintf(n->ip, sizeof(n->ip), "%s", b->address);
	snprintf(n->http, sizeof(n->http), "%s:%u", a, p->port[PORT_HTTP]);
	snprintf(n->tftp, sizeof(n->tftp), "%s", a);
	snprintf(n->peer, sizeof(n->peer), "%s:%u", a, p->port[PORT_PEER]);
	if (!nfs)
		return;
	snprintf(n->nfs, sizeof(n->nfs), "%s:%u,%u:/kd", a, p->port[PORT_NFS], p->port[PORT_NFS_MOUNT]);
	snprintf(n->nfstest, sizeof(n->nfstest), "%s:%u,%u:/kd/test", a, p->port[PORT_NFSTEST], p->port[PORT_NFSTEST_MOUNT]);
}

long pxe_cmdline(const struct sweep *s, const struct board *b, const struct ports *p, int nfs, char *out, size_t size)
{
	const struct plan_file *image = plan_file(&s->plan, PLAN_IMAGE, s->plan.home);
	struct job_net net;
	char *words = board_cmdline(b, "");
	int n, m = 0;

	if (!words)
		err_die("out of memory");
	format_net(&net, b, p, nfs);
	n = snprintf(out, size,
	             "%s kd.box=%s kd.sweep=%s kd.switch=%s kd.http=%s kd.tftp=%s kd.peer=%s kd.again_s=%u kd.jump_s=%u kd.image=%.16s%s%s%s", words,
	             b->name, s->id, plan_switch_name(s->plan.sw), net.http, net.tftp, net.peer, s->plan.again_s, s->plan.jump_s,
	             image ? image->sha256 : "", b->sysrq ? " kd.sysrq=1" : "", *net.ip ? " kd.ip=" : "", net.ip);
	free(words);
	if (n < 0 || (size_t)n >= size)
		return -EMSGSIZE;
	if (nfs)
		m = snprintf(out + n, size - (size_t)n, " kd.nfs=%s kd.nfstest=%s", net.nfs, net.nfstest);
	return m < 0 || (size_t)(n + m) >= size ? -EMSGSIZE : n + m;
}

long pxe_entry(const char *label, const char *prefix, enum pxe_job job, const char *cmdline, char *out, size_t size)
{
	char more[128] = "";

	if (job != PXE_JOB_INSIDE)
		snprintf(more, sizeof(more), ",%spack%s%s%s", prefix, job == PXE_JOB_BEHIND ? "," : "", job == PXE_JOB_BEHIND ? prefix : "",
		         job == PXE_JOB_BEHIND ? "job" : "");
	int n = snprintf(out, size,
	                 "NOESCAPE 1\nPROMPT 0\nTIMEOUT 1\nTOTALTIMEOUT 50\nDEFAULT %s\nLABEL %s\n"
	                 "  KERNEL %skernel\n  INITRD %simage%s\n  APPEND %s\n",
	                 label, label, prefix, prefix, more, cmdline);

	return n < 0 || (size_t)n >= size ? -EMSGSIZE : n;
}

static int write_entry(const struct board *b, const char *text, size_t len)
{
	char *folder = lab_path("tftp/%s/pxelinux.cfg", b->name), *file = lab_path("tftp/%s/pxelinux.cfg/default", b->name);
	int err = io_mkdirs(folder, 0755);

	if (!err)
		err = io_write_file(file, text, len, 0644);
	free(folder);
	free(file);
	return err;
}

int pxe_write_home(const struct sweep *s, const struct board *b, const struct ports *p, int nfs)
{
	char cmdline[CMDLINE_MAX], text[CMDLINE_MAX + 256];
	long n = pxe_cmdline(s, b, p, nfs, cmdline, sizeof(cmdline));

	if (n >= 0)
		n = pxe_entry("home", "", PXE_NO_JOB, cmdline, text, sizeof(text));
	return n < 0 ? (int)n : write_entry(b, text, (size_t)n);
}

/* The job as an archive of its own; the loader puts it behind the pack, at a multiple of 4. A legacy image holds it inside: a copy of its own. */
static int write_job(const struct sweep *s, const struct board *b, const struct plan_try *t, const struct plan_file *image, const struct job_text *j)
{
	const char *name = image->job_bytes ? "image" : "job";
	char *path = lab_path("tftp/%s/subject-%s", b->name, name), *tmp = lab_path("tftp/%s/subject-%s.new", b->name, name);
	char *from = lab_path("%s", image->path), *text = malloc(JOB_TEXT_MAX);
	long n = text ? job_text_format(j, &s->plan, t, text, JOB_TEXT_MAX) : -ENOMEM;
	int err = n < 0 ? (int)n : 0, fd = -1;

	if (!err && image->job_bytes)
		err = work_copy(from, tmp);
	if (!err)
		fd = open(tmp, O_WRONLY | O_CLOEXEC | (image->job_bytes ? 0 : O_CREAT | O_TRUNC), 0644);
	if (!err && fd < 0)
		err = -errno;
	if (!err)
		err = image->job_bytes ? job_text_write(fd, image->job_at, image->job_bytes, text, (size_t)n) : job_text_archive(fd, text, (size_t)n);
	if (fd >= 0 && close(fd) && !err)
		err = -errno;
	if (!err && rename(tmp, path))
		err = -errno;
	free(from);
	free(text);
	free(path);
	free(tmp);
	return err;
}

static void put_hash(char out[17], const struct plan_file *f)
{
	if (f)
		snprintf(out, 17, "%.16s", f->sha256);
}

int pxe_write_subject(const struct sweep *s, const struct board *b, const struct ports *p, int nfs, unsigned line, uint32_t prev)
{
	const struct plan_try *t = plan_try_by_line(&s->plan, line);
	const struct plan_subject *su = t ? &s->plan.subject[t->subject] : NULL;
	char cmdline[CMDLINE_MAX], text[CMDLINE_MAX + 256];
	struct job_net net;
	struct job_text job = {.prev = prev, .start = "firmware", .net = &net};
	int err, n;
	long len;

	const struct plan_file *image = su ? plan_file(&s->plan, PLAN_IMAGE, su->kernel) : NULL;

	if (!su || !su->cmdline || !image)
		return -ENOENT;
	format_net(&net, b, p, nfs);
	put_hash(job.kernel, plan_file(&s->plan, PLAN_KERNEL, su->kernel));
	put_hash(job.image, plan_file(&s->plan, PLAN_IMAGE, su->kernel));
	put_hash(job.pack, plan_file(&s->plan, PLAN_PACK, su->kernel));
	int legacy = image->job_bytes > 0;
	if ((err = copy_file(s, b, PLAN_KERNEL, su->kernel, "subject-")) ||
	    (!legacy &&
	     ((err = copy_file(s, b, PLAN_IMAGE, su->kernel, "subject-")) || (err = copy_file(s, b, PLAN_PACK, su->kernel, "subject-")))) ||
	    (err = write_job(s, b, t, image, &job)))
		return err;
	n = snprintf(cmdline, sizeof(cmdline), "%s%skd=%08x%s", su->cmdline, *su->cmdline ? " " : "", (unsigned)t->tag,
	             b->sysrq ? " kd.sysrq=1" : "");
	if (n < 0 || (size_t)n >= sizeof(cmdline))
		return -EMSGSIZE;
	len = pxe_entry("subject", "subject-", legacy ? PXE_JOB_INSIDE : PXE_JOB_BEHIND, cmdline, text, sizeof(text));
	return len < 0 ? (int)len : write_entry(b, text, (size_t)len);
}

void pxe_write(const struct sweep *s, const struct board *b, const struct ports *p, int nfs)
{
	char *folder = lab_path("tftp/%s", b->name);
	int err = io_mkdirs(folder, 0755);

	if (err)
		err_die_code(err, "cannot make %s:", folder);
	copy_loader("pxelinux.0", folder);
	copy_loader("ldlinux.c32", folder);
	copy_home(s, b, PLAN_KERNEL);
	copy_home(s, b, PLAN_IMAGE);
	copy_home(s, b, PLAN_PACK);
	err = pxe_write_home(s, b, p, nfs);
	if (err == -EMSGSIZE)
		err_die("the command line of home is longer than %d bytes: shorten cmdline in boards/%s.ini", CMDLINE_MAX, b->name);
	if (err)
		err_die_code(err, "write %s/pxelinux.cfg/default:", folder);
	free(folder);
}
