/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * findings_nfs: rules over what the NFS client counted (nfs_client.h). The readings of mountstats: outstanding requests are rtt over the phase's time.
 */
#include <math.h>
#include <string.h>

#include "host/findings.h"

#define RTT_SAME 1.20
#define FEWER .80
#define SLOTS 2.0 /* exe over rtt: more than half of an operation's life is spent in the client */
#define SLOTS_MORE 1.5
#define RETRANS_OF .001
#define MORE_OPS 1.20

static const struct findings_effect *effect_of(const struct findings_view *v, const struct nfs_client_row *r)
{
	for (size_t i = 0; i < v->effects; i++)
		if (v->effect[i].metric->test_index == r->test && !strcmp(v->effect[i].metric->name, r->phase))
			return &v->effect[i];
	return NULL;
}

static void find_pipelining(struct findings_view *v, const struct nfs_client_row *r, const char *test)
{
	const struct findings_effect *e = effect_of(v, r);
	double rtt_a = findings_nfs(v, r, NFS_RTT_MS, 0), rtt_b = findings_nfs(v, r, NFS_RTT_MS, 1);
	double out_a = findings_nfs(v, r, NFS_OUTSTANDING, 0), out_b = findings_nfs(v, r, NFS_OUTSTANDING, 1);
	if (!e || e->moved >= 0 || !(rtt_b <= rtt_a * RTT_SAME && rtt_b >= rtt_a / RTT_SAME) || !(out_b < out_a * FEWER))
		return;
	struct finding *f =
		findings_say(v, "lost-pipelining",
	                     "%s %s: the rate fell at the same round trip (%.2f and %.2f ms) with fewer requests under way (%.2f to %.2f): "
	                     "lost pipelining (readahead, slots, rpciod)",
	                     test, r->phase, rtt_a, rtt_b, out_a, out_b);
	findings_number(f, rtt_b / rtt_a, "rtt.ratio");
	findings_number(f, out_a, "outstanding.base");
	findings_number(f, out_b, "outstanding.subject");
}

static void find_retrans(struct findings_view *v, const struct nfs_client_row *r, const char *test)
{
	double a = findings_nfs(v, r, NFS_RETRANS, 0), b = findings_nfs(v, r, NFS_RETRANS, 1), ops = findings_nfs(v, r, NFS_OPS, 1);
	if (!(b >= 1 && b >= ops * RETRANS_OF && b > 2 * a))
		return;
	struct finding *f = findings_say(v, "retransmissions",
	                                 "%s %s: %.0f requests were sent again (%.0f at the base, of %.0f): loss on the way, or a server that does "
	                                 "not answer in time",
	                                 test, r->phase, b, a, ops);
	findings_number(f, a, "retrans.base");
	findings_number(f, b, "retrans.subject");
}

static void find_slots(struct findings_view *v, const struct nfs_client_row *r, const char *test)
{
	double a = findings_nfs(v, r, NFS_EXE_MS, 0) / findings_nfs(v, r, NFS_RTT_MS, 0),
	       b = findings_nfs(v, r, NFS_EXE_MS, 1) / findings_nfs(v, r, NFS_RTT_MS, 1);
	if (!isfinite(a) || !isfinite(b) || b < SLOTS || b < a * SLOTS_MORE)
		return;
	struct finding *f = findings_say(v, "client-queue",
	                                 "%s %s: an operation lives %.1f times its round trip (%.1f at the base): it waits in the client, for a slot "
	                                 "or for rpciod",
	                                 test, r->phase, b, a);
	findings_number(f, a, "exe_over_rtt.base");
	findings_number(f, b, "exe_over_rtt.subject");
}

/* Of phases whose work is fixed: sequential ones, trees. A phase that is bounded by time does more of them when it is faster. */
static void find_operations(struct findings_view *v, const struct nfs_client_row *r, const char *test)
{
	const struct findings_effect *e = effect_of(v, r);
	double a = findings_nfs(v, r, NFS_OPS, 0), b = findings_nfs(v, r, NFS_OPS, 1);
	int fixed = e && (findings_is_sequential(e) || !strncmp(test, "nfs-tree", 8) || !strncmp(test, "nfs-pattern", 11));
	if (!fixed || !(b > a * MORE_OPS) || !(b - a >= 10))
		return;
	struct finding *f =
		findings_say(v, "more-operations", "%s %s: the same work takes more operations (%.0f to %.0f): revalidation, or smaller requests",
	                     test, r->phase, a, b);
	findings_number(f, b / a, "ops.ratio");
}

void findings_rule_nfs(struct findings_view *v)
{
	for (size_t i = 0; i < v->nfs->rows; i++) {
		const struct nfs_client_row *r = &v->nfs->row[i];
		const char *test = v->c->m->test[r->test].name;
		if (strcmp(r->op, "all") || v->p->refused)
			continue;
		find_pipelining(v, r, test);
		find_retrans(v, r, test);
		find_slots(v, r, test);
		find_operations(v, r, test);
	}
}
