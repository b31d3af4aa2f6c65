/* SPDX-License-Identifier: GPL-2.0-or-later */
/* qmp: one command to a QEMU over its machine protocol (QEMU's docs/interop/qmp-spec), a connection a command. */
#ifndef KD_QMP_H
#define KD_QMP_H

/* sock: a name in run/. command: JSON, `{"execute":"system_reset"}`. 0; -EREMOTEIO where QEMU says error; -errno. At most 3 s. */
int qmp_command(const char *sock, const char *command);

#endif
