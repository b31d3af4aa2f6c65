/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nfs_client: from facts to rows. Contract in nfs_client.h.
 *
 * An operation's columns may come in several facts, and a phase's time in another: all of a test in a boot are read, then it is derived.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/nfs_client.h"

/* Of an operation, then of a phase (kept with its row "all"). */
enum raw {
	OPS,
	TRANS,
	RETRANS, /* of sweeps made before `trans` was sent */
	TIMEOUTS,
	SENT,
	RECV,
	QUEUE_MS,
	RTT_MS,
	EXE_MS,
	ERRORS,
	READ,
	WRITE,
	DIRECT_READ,
	DIRECT_WRITE,
	SERVER_READ,
	SERVER_WRITE,
	RPC_RETRANS,
	NS,
	RAW,
};

static const char *const raw_names[RAW] = {
	"ops",    "trans", "retrans", "timeouts",    "sent",         "recv",        "queue_ms",     "rtt_ms",      "exe_ms",
	"errors", "read",  "write",   "direct_read", "direct_write", "server_read", "server_write", "rpc_retrans", "ns",
};

static const char *const value_names[NFS_VALUES] = {
	"ops",       "retrans",     "timeouts",   "errors",        "queue_ms_op",    "rtt_ms_op",
	"exe_ms_op", "outstanding", "kib_per_op", "wire_per_read", "wire_per_write", "rpc_retrans",
};

const char *nfs_client_name(enum nfs_client_value v) { return v < NFS_VALUES ? value_names[v] : "unknown"; }

struct reader {
	struct nfs_client *c;
	double (*raw)[RAW]; /* of the test in the boot that is being read, a row each */
};

/* The row of a phase's operation, made where there is none. -1: no room. */
static long want_row(struct reader *d, size_t test, const char *phase, const char *op)
{
	struct nfs_client *c = d->c;
	for (size_t i = 0; i < c->rows; i++)
		if (c->row[i].test == test && !strcmp(c->row[i].phase, phase) && !strcmp(c->row[i].op, op))
			return (long)i;
	if (c->rows == NFS_CLIENT_ROWS_MAX || strlen(phase) >= sizeof c->row[0].phase || strlen(op) >= sizeof c->row[0].op) {
		c->left_out++;
		return -1;
	}
	struct nfs_client_row *r = &c->row[c->rows];
	size_t n = NFS_VALUES * (c->m->boots + 1);
	r->value = malloc(n * sizeof *r->value);
	if (!r->value)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		r->value[i] = NAN;
	r->test = test;
	strcpy(r->phase, phase);
	strcpy(r->op, op);
	return (long)c->rows++;
}

static double number(const char *s)
{
	size_t n = s ? strspn(s, "0123456789") : 0;
	return n && n <= 18 && !s[n] ? strtod(s, NULL) : NAN;
}

static int take(struct reader *d, size_t test, const struct store_record *r)
{
	const char *phase = store_get(r, "nfs"), *timed = store_get(r, "timed"), *op = store_get(r, "op");
	if (!phase && !timed)
		return 0;
	long row = -1;
	if (phase) {
		long all = want_row(d, test, phase, "all"); /* first of its phase */
		row = all < 0 || !op ? all : want_row(d, test, phase, op);
	} else {
		for (size_t i = 0; i < d->c->rows; i++) /* a phase that is not on NFS has no row */
			if (d->c->row[i].test == test && !strcmp(d->c->row[i].phase, timed) && !strcmp(d->c->row[i].op, "all"))
				row = (long)i;
	}
	if (row < 0)
		return row == -ENOMEM ? -ENOMEM : 0;
	for (int k = 0; k < RAW; k++) {
		const char *text = store_get(r, raw_names[k]);
		if (text)
			d->raw[row][k] = number(text);
	}
	return 0;
}

static double ratio(double a, double b) { return b > 0 ? a / b : NAN; }

static void derive(const struct reader *d, size_t row, const double *phase, size_t boot)
{
	const double *x = d->raw[row];
	double v[NFS_VALUES];
	if (isnan(x[OPS]))
		return;
	for (int k = 0; k < NFS_VALUES; k++)
		v[k] = NAN;
	v[NFS_OPS] = x[OPS];
	v[NFS_RETRANS] = isnan(x[TRANS]) ? x[RETRANS] : fmax(x[TRANS] - x[OPS], 0);
	v[NFS_TIMEOUTS] = x[TIMEOUTS];
	v[NFS_ERRORS] = x[ERRORS];
	v[NFS_QUEUE_MS] = ratio(x[QUEUE_MS], x[OPS]);
	v[NFS_RTT_MS] = ratio(x[RTT_MS], x[OPS]);
	v[NFS_EXE_MS] = ratio(x[EXE_MS], x[OPS]);
	v[NFS_OUTSTANDING] = ratio(x[RTT_MS], phase[NS] / 1e6);
	v[NFS_KIB_OP] = ratio((x[SENT] + x[RECV]) / 1024, x[OPS]);
	if (x == phase) {
		v[NFS_WIRE_READ] = ratio(x[SERVER_READ], x[READ] + x[DIRECT_READ]);
		v[NFS_WIRE_WRITE] = ratio(x[SERVER_WRITE], x[WRITE] + x[DIRECT_WRITE]);
		v[NFS_RPC_RETRANS] = x[RPC_RETRANS];
		if (isnan(v[NFS_RETRANS])) /* a kernel without mountstats */
			v[NFS_RETRANS] = x[RPC_RETRANS];
	}
	for (int k = 0; k < NFS_VALUES; k++)
		d->c->row[row].value[(size_t)k * d->c->m->boots + boot] = v[k];
}

static int read_run(struct reader *d, size_t boot, size_t test)
{
	const struct measure *m = d->c->m;
	const struct measure_run *run = &m->run[boot * m->tests + test];
	if (run->status != MEASURE_PASS)
		return 0;
	for (size_t i = 0; i < NFS_CLIENT_ROWS_MAX; i++)
		for (int k = 0; k < RAW; k++)
			d->raw[i][k] = NAN;
	/* a phase's time is said before its operations: twice, so that their order is nobody's contract */
	for (int pass = 0; pass < 2; pass++)
		for (size_t i = run->begin; i <= run->end && i < m->boot[boot].records; i++) {
			const struct store_record *r = &m->boot[boot].record[i];
			if (!strcmp(r->kind, "fact") && take(d, test, r))
				return -ENOMEM;
		}
	for (size_t i = 0; i < d->c->rows; i++) {
		if (d->c->row[i].test != test)
			continue;
		long all = want_row(d, test, d->c->row[i].phase, "all"); /* made before it */
		if (all >= 0)
			derive(d, i, d->raw[all], boot);
	}
	return 0;
}

/* Rows stand by test already; one that a later boot brought goes behind the last of its phase. */
static void gather(struct nfs_client *c)
{
	for (size_t i = 1; i < c->rows; i++) {
		struct nfs_client_row r = c->row[i];
		size_t at = i;
		while (at && (c->row[at - 1].test != r.test || strcmp(c->row[at - 1].phase, r.phase)))
			at--;
		if (!at)
			continue; /* the first of its phase stays */
		memmove(&c->row[at + 1], &c->row[at], (i - at) * sizeof r);
		c->row[at] = r;
	}
}

int nfs_client_read(struct nfs_client *c, const struct measure *m)
{
	struct reader d = {.c = c};
	int rc = 0;
	*c = (struct nfs_client){.m = m};
	c->row = calloc(NFS_CLIENT_ROWS_MAX, sizeof *c->row);
	d.raw = malloc(NFS_CLIENT_ROWS_MAX * sizeof *d.raw);
	if (!c->row || !d.raw)
		rc = -ENOMEM;
	for (size_t t = 0; t < m->tests && !rc; t++)
		for (size_t b = 0; b < m->boots && !rc; b++)
			rc = read_run(&d, b, t);
	free(d.raw);
	if (rc)
		nfs_client_free(c);
	else
		gather(c);
	return rc;
}

void nfs_client_free(struct nfs_client *c)
{
	for (size_t i = 0; c->row && i < c->rows; i++)
		free(c->row[i].value);
	free(c->row);
	*c = (struct nfs_client){.m = NULL};
}

size_t nfs_client_values(const struct nfs_client *c, size_t row, unsigned subject, enum nfs_client_value what, double *v)
{
	size_t n = 0;
	for (size_t b = 0; b < c->m->boots; b++) {
		double x = c->row[row].value[(size_t)what * c->m->boots + b];
		if (c->m->boot[b].subject == subject && !isnan(x))
			v[n++] = x;
	}
	return n;
}
