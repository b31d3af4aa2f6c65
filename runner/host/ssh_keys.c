/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ssh_keys: see ssh_keys.h. The keys are made by the tools that own their formats: ssh-keygen and dropbearkey. */
#include "host/ssh_keys.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cpio.h"
#include "common/err.h"
#include "common/io.h"

#define KEY_MAX 4096
#define TYPE "ssh-ed25519 "

static char *below(const char *folder, const char *rest)
{
	char *path;

	if (asprintf(&path, "%s/%s", folder, rest) < 0)
		err_die("out of memory");
	return path;
}

char *ssh_keys_path(void)
{
	const char *own = getenv("KDYNO_SSH"), *xdg = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	const struct passwd *pw;

	if (own && *own)
		return below(own, "id_ed25519");
	if (xdg && *xdg == '/')
		return below(xdg, "kdyno/ssh/id_ed25519");
	if (!home || *home != '/') {
		pw = getpwuid(getuid());
		home = pw && pw->pw_dir ? pw->pw_dir : "/";
	}
	return below(home, ".config/kdyno/ssh/id_ed25519");
}

void ssh_keys_alias(const char *box, char *out, size_t size) { snprintf(out, size, "kdyno-%s", box); }

int ssh_keys_public(const char *text, size_t len, char *out, size_t size)
{
	static const char base64[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=";
	const char *at = memmem(text, len, TYPE, sizeof(TYPE) - 1);
	size_t n = sizeof(TYPE) - 1;

	if (!at)
		return -EINVAL;
	while (at + n < text + len && at[n] && strchr(base64, at[n]))
		n++;
	if (n < sizeof(TYPE) - 1 + 60 || n >= size) /* 51 bytes in base64 are 68 */
		return -EINVAL;
	memcpy(out, at, n);
	out[n] = 0;
	return 0;
}

/* Runs a tool whose stdout holds a public key. */
static int run_for_public(struct work *w, const char *const *argv, const char *package, char *out, size_t size)
{
	char *said = below(w->dir, ".ssh-said"), *text = NULL;
	struct work_command c = {.argv = argv, .out = said};
	size_t len = 0;
	int status = work_run(w, &c), err = 0;

	if (status == -ENOENT)
		err = work_fail(w, status, "%s is missing: install the package %s (apt-get install %s)", argv[0], package, package);
	else if (status < 0)
		err = work_fail(w, status, "%s:", argv[0]);
	else if (status)
		err = work_fail(w, -EIO, "%s failed: %.160s", argv[0], c.tail);
	if (!err && (err = io_read_file(said, KEY_MAX, &text, &len)))
		work_fail(w, err, "read %s:", said);
	if (!err && out && ssh_keys_public(text, len, out, size))
		err = work_fail(w, -EINVAL, "%s does not say an Ed25519 key", argv[0]);
	unlink(said);
	free(said);
	free(text);
	return err;
}

/* Whole to its place, and never over one that is there: of two `sweep new` at a time one makes it, and both use it. */
static int place_key(const char *path, const char *text, size_t len)
{
	char *tmp;
	int err;

	if (asprintf(&tmp, "%s.new-%ld", path, (long)getpid()) < 0)
		return -ENOMEM;
	err = io_write_file(tmp, text, len, 0600);
	if (!err && link(tmp, path) && errno != EEXIST)
		err = -errno;
	unlink(tmp);
	free(tmp);
	return err;
}

static int make_client(struct work *w, const char *path)
{
	char *made = below(w->dir, ".ssh-client"), *made_public = below(w->dir, ".ssh-client.pub"), *folder = strdup(path);
	const char *argv[] = {"ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "kdyno", "-f", made, NULL};
	char *text = NULL;
	size_t len;
	int err = run_for_public(w, argv, "openssh-client", NULL, 0);

	if (folder)
		*strrchr(folder, '/') = 0;
	if (!err && (!folder || (err = io_mkdirs(folder, 0700))))
		err = work_fail(w, folder ? err : -ENOMEM, "cannot make %s:", folder ? folder : path);
	if (!err && (err = io_read_file(made, KEY_MAX, &text, &len)))
		work_fail(w, err, "read %s:", made);
	if (!err && (err = place_key(path, text, len)))
		work_fail(w, err, "write %s:", path);
	unlink(made);
	unlink(made_public);
	free(made);
	free(made_public);
	free(folder);
	free(text);
	return err;
}

static int client_public(struct work *w, char *out, size_t size)
{
	char *path = ssh_keys_path();
	const char *argv[] = {"ssh-keygen", "-y", "-P", "", "-f", path, NULL};
	struct stat st;
	int err = stat(path, &st) ? make_client(w, path) : S_ISREG(st.st_mode) ? 0 : work_fail(w, -EINVAL, "%s is no plain file", path);

	if (!err)
		err = run_for_public(w, argv, "openssh-client", out, size);
	free(path);
	return err;
}

static int write_archive(struct work *w, const char *host_key, size_t len, const char *authorized)
{
	char *path = below(w->dir, SSH_KEYS_ARCHIVE);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600), err = fd < 0 ? -errno : 0;
	struct cpio c;

	if (!err) {
		cpio_open(&c, fd);
		cpio_dir(&c, "kd", 0755);
		cpio_dir(&c, "kd/ssh", 0700);
		cpio_file(&c, "kd/ssh/host_key", 0600, host_key, len);
		cpio_dir(&c, "root", 0700);
		cpio_dir(&c, "root/.ssh", 0700);
		cpio_file(&c, "root/.ssh/authorized_keys", 0600, authorized, strlen(authorized));
		err = cpio_close(&c);
		close(fd);
	}
	if (err)
		work_fail(w, err, "write %s:", path);
	free(path);
	return err;
}

static int write_line(struct work *w, const char *name, const char *line)
{
	char *path = below(w->dir, name);
	int err = io_write_file(path, line, strlen(line), 0644);

	if (err)
		work_fail(w, err, "write %s:", path);
	free(path);
	return err;
}

int ssh_keys_freeze(struct work *w, const char *box)
{
	char *host = below(w->dir, ".ssh-host"), *key = NULL;
	const char *argv[] = {"dropbearkey", "-t", "ed25519", "-f", host, NULL};
	char client[SSH_KEYS_LINE_MAX], public[SSH_KEYS_LINE_MAX], alias[128], line[SSH_KEYS_LINE_MAX + 160];
	size_t len = 0;
	int err = client_public(w, client, sizeof(client));

	if (!err)
		err = run_for_public(w, argv, "dropbear-bin", public, sizeof(public));
	if (!err && (err = io_read_file(host, KEY_MAX, &key, &len)))
		work_fail(w, err, "read %s:", host);
	unlink(host);
	free(host);
	ssh_keys_alias(box, alias, sizeof(alias));
	if (!err) {
		snprintf(line, sizeof(line), "%s %s\n", alias, public);
		err = write_line(w, SSH_KEYS_KNOWN, line);
	}
	if (!err) {
		snprintf(line, sizeof(line), "%s kdyno\n", client);
		err = write_line(w, SSH_KEYS_AUTHORIZED, line);
	}
	if (!err)
		err = write_archive(w, key, len, line);
	free(key);
	return err;
}
