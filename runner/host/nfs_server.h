/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nfs_server: two nfs-ganesha processes on the loopback, with configs, ports and logs of their own, so that the NFS under test
 * shares neither connection nor server with the results. Needs root (the VFS back end opens files by handle).
 */
#ifndef KD_NFS_SERVER_H
#define KD_NFS_SERVER_H

#include <stddef.h>

#include "host/ports.h"

#define NFS_RESULTS "nfs-results"
#define NFS_TEST "nfs-test"

/* Starts or adopts both. 0; else why not, in a line. */
int nfs_server_start(const struct ports *p, char *why, size_t size);
int nfs_server_running(void);
void nfs_server_stop(void);

#endif
