/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * suite: the tests of the suite, by the name under which the runner starts them. Each takes its words `name=value` (NULL-
 * terminated), says what it has to say on fd 3 (fact.h) and returns its exit status: EXIT_OK, EXIT_FAIL, EXIT_SKIP.
 */
#ifndef KD_SUITE_SUITE_H
#define KD_SUITE_SUITE_H

int boot_initcalls(char **argv);
int boot_time(char **argv);
int cpu_parallel(char **argv);
int disk_bonnie(char **argv);
int disk_fsync(char **argv);
int disk_rand(char **argv);
int disk_seq(char **argv);
int disk_threads(char **argv);
int disk_tree(char **argv);
int fault(char **argv);
int mem_copy(char **argv);
int mem_fault(char **argv);
int mem_tlb(char **argv);
int net_rpc(char **argv);
int net_tcp(char **argv);
int net_udp(char **argv);
int nfs_bulk(char **argv);
int nfs_patterns(char **argv);
int sched_fair(char **argv);
int sched_fork(char **argv);
int sched_messaging(char **argv);
int sched_pingpong(char **argv);
int sched_storm(char **argv);
int sched_thief(char **argv);
int sched_wake(char **argv);

#endif
