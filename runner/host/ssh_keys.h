/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ssh_keys: the keys by which a person gets into a box that is held (docs/looking-inside.md). The person's key is the person's, and lies outside
 * the lab: the lab is served to the boxes, and no kernel under test may read it. A box's host key is made for the sweep.
 *
 * Trap: the host key travels to the box with the sweep's packs, over HTTP, TFTP and NFS: whoever can read those can play the box, though not
 * enter it.
 */
#ifndef KD_SSH_KEYS_H
#define KD_SSH_KEYS_H

#include <stddef.h>

#include "host/work.h"

#define SSH_KEYS_ARCHIVE "ssh.cpio" /* in the work folder, until it is behind every pack */
#define SSH_KEYS_KNOWN "ssh_known_hosts"
#define SSH_KEYS_AUTHORIZED "ssh_authorized_keys"
#define SSH_KEYS_LINE_MAX 512

/* The person's private key: KDYNO_SSH/id_ed25519, else kdyno/ssh/id_ed25519 below XDG_CONFIG_HOME or ~/.config. malloc'd; may not be there. */
char *ssh_keys_path(void);
/* Makes that key where it is missing, a host key, and w->dir's archive, known_hosts and authorized_keys. 0 or -errno with w->err. */
int ssh_keys_freeze(struct work *w, const char *box);
/* Under this name the box stands in known_hosts. */
void ssh_keys_alias(const char *box, char *out, size_t size);
/* The first `ssh-ed25519 BASE64` of a text, without its remark, into out. 0 or -EINVAL. Pure. */
int ssh_keys_public(const char *text, size_t len, char *out, size_t size);

#endif
