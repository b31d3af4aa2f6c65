/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernel: facts of a kernel as a line of the lab, and reading of them.
 */
#include "host/kernel.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/err.h"
#include "common/io.h"
#include "common/kv.h"
#include "host/cmd.h"
#include "host/lab.h"

long kernel_format(const struct kernel *k, char *out, size_t size)
{
	struct kv_out o;
	kv_out_init(&o, out, size);
	kv_out_word(&o, "kernel");
	kv_out_str(&o, "id", k->id);
	kv_out_str(&o, "release", k->release);
	kv_out_str(&o, "version", k->version);
	kv_out_str(&o, "arch", k->arch);
	kv_out_u64(&o, "bytes", k->bytes);
	kv_out_str(&o, "sha256", k->sha256);
	kv_out_str(&o, "modules", k->modules ? "yes" : "no");
	kv_out_str(&o, "initrd", k->initrd);
	kv_out_str(&o, "compression", k->compression);
	kv_out_str(&o, "kexec", k->kexec);
	kv_out_str(&o, "kexec_file", k->kexec_file);
	kv_out_str(&o, "from", k->from);
	kv_out_str(&o, "source", k->source);
	kv_out_u64(&o, "added", k->added);
	kv_out_crc(&o, 0);
	if (o.err || o.len + 2 > size)
		return o.err ? o.err : -EMSGSIZE;
	out[o.len++] = '\n';
	out[o.len] = '\0';
	return (long)o.len;
}

int kernel_parse(struct kernel *k, const char *text, size_t len)
{
	struct kv_line l;
	const char *nl = memchr(text, '\n', len);
	int err = kv_parse_crc(&l, text, nl ? (size_t)(nl - text) : len);
	*k = (struct kernel){0};
	if (err)
		return err;
	const char *modules = kv_get(&l, "modules");
	if (strcmp(l.word, "kernel") || kv_str(&l, "id", k->id, sizeof k->id) || kv_str(&l, "release", k->release, sizeof k->release) ||
	    kv_str(&l, "version", k->version, sizeof k->version) || kv_str(&l, "arch", k->arch, sizeof k->arch) || kv_u64(&l, "bytes", &k->bytes) ||
	    kv_str(&l, "sha256", k->sha256, sizeof k->sha256) || kv_str(&l, "initrd", k->initrd, sizeof k->initrd) ||
	    kv_str(&l, "compression", k->compression, sizeof k->compression) || !modules || !kv_is_id(k->id) || strlen(k->sha256) != 64)
		return -EINVAL;
	k->modules = !strcmp(modules, "yes");
	kv_str(&l, "kexec", k->kexec, sizeof k->kexec);
	kv_str(&l, "kexec_file", k->kexec_file, sizeof k->kexec_file);
	kv_str(&l, "from", k->from, sizeof k->from);
	kv_str(&l, "source", k->source, sizeof k->source);
	kv_u64(&l, "added", &k->added);
	return 0;
}

int kernel_read(struct kernel *k, const char *id)
{
	char *text, *path;
	size_t len;
	if (!kv_is_id(id))
		return -EINVAL;
	path = lab_path("kernels/%s/facts", id);
	int err = io_read_file(path, 65536, &text, &len);
	free(path);
	if (err)
		return err;
	err = kernel_parse(k, text, len);
	free(text);
	return err;
}

void kernel_load(struct kernel *k, const char *id)
{
	int err = kernel_read(k, id);
	if (!err)
		return;
	if (err != -ENOENT && kv_is_id(id))
		err_die("kernels/%s/facts: %s; 'kdyno kernel remove %s', then add it again", id,
		        err == -EBADMSG || err == -EINVAL ? "damaged" : strerror(-err), id);
	size_t n;
	char **names = lab_list("kernels", &n);
	const char *near = err_nearest(id, (const char *const *)names);
	err_die("no kernel '%.70s' in %s%s%s%s", id, cmd_lab(),
	        near ? "; did you mean '" : "; 'kdyno kernel list' lists them, 'kernel fetch' and 'kernel add' make one", near ? near : "",
	        near ? "'?" : "");
}

int kernel_is_legacy(const struct kernel *k)
{
	unsigned major = 0, minor = 0;

	return !strcmp(k->initrd, "legacy") || (sscanf(k->release, "%u.%u", &major, &minor) == 2 && (major < 2 || (major == 2 && minor < 6)));
}

int kernel_cannot_kexec(const struct kernel *k) { return !strcmp(k->kexec, "no") && !strcmp(k->kexec_file, "no"); }

void kernel_print(const char *word, const struct kernel *k)
{
	printf("%s%s%s: %s, %s, initrd=%s, compression=%s, kexec=%s, kexec_file=%s, modules=%s, %.1f MB\n", word ? word : "", word ? " " : "", k->id,
	       *k->version ? k->version : k->release, k->arch, k->initrd, k->compression, k->kexec, k->kexec_file, k->modules ? "yes" : "no",
	       (double)k->bytes / 1e6);
}
