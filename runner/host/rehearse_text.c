/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rehearse_text: the list of faults and the table of what became of them, for people and as JSON. */
#include <stdio.h>
#include <string.h>

#include "host/json_out.h"
#include "host/rehearse.h"
#include "host/table.h"

static const char *where_name(enum rehearse_where w)
{
	static const char *const names[] = {"", "box", "station", "kernel", "line"};

	return names[w];
}

static json_t *fault_json(const struct rehearse_fault *f)
{
	json_t *o = json_object();

	json_out_set(o, "name", json_string(f->name));
	json_out_set(o, "where", json_string(where_name(f->where)));
	json_out_set(o, "about", json_out_text(f->about));
	json_out_set(o, "allowed", json_out_text(f->allowed));
	return o;
}

void rehearse_list(int json)
{
	struct table t;

	if (json) {
		json_t *a = json_array();

		for (size_t i = 0; i < rehearse_faults_n; i++)
			json_array_append_new(a, fault_json(&rehearse_faults[i]));
		json_out_print(a);
		return;
	}
	table_open(&t, "fault|where|what|allowed");
	for (size_t i = 0; i < rehearse_faults_n; i++) {
		table_add(&t, rehearse_faults[i].name);
		table_add(&t, where_name(rehearse_faults[i].where));
		table_add(&t, rehearse_faults[i].about);
		table_add(&t, rehearse_faults[i].allowed);
	}
	table_print(&t, stdout, 0);
}

static const char *word(const struct rehearse_result *x) { return !x->done ? "not done" : x->skipped ? "SKIP" : x->ok ? "ok" : "WRONG"; }

static void print_json(const struct rehearse *r)
{
	json_t *o = json_object(), *faults = json_array(), *wrong = json_array();

	for (size_t i = 0; i < r->results; i++) {
		const struct rehearse_result *x = &r->result[i];
		json_t *f = fault_json(x->fault);

		json_out_set(f, "verdict", json_string(word(x)));
		json_out_set(f, "seen", json_out_text(x->seen));
		json_out_set(f, "evidence", json_out_text(x->evidence));
		json_out_set(f, "why", json_out_text(x->why));
		json_out_set(f, "seconds", json_out_real((double)x->ms / 1000));
		json_array_append_new(faults, f);
	}
	for (size_t i = 0; i < r->wrongs && i < sizeof(r->wrong) / sizeof(r->wrong[0]); i++)
		json_array_append_new(wrong, json_out_text(r->wrong[i]));
	json_out_set(o, "kernel", json_out_text(r->kernel));
	json_out_set(o, "box", json_out_text(r->box));
	json_out_set(o, "seed", json_integer((json_int_t)r->seed));
	json_out_set(o, "boots", json_integer(r->boots));
	json_out_set(o, "complete", json_integer(r->complete));
	json_out_set(o, "given_up", json_integer(r->given_up));
	json_out_set(o, "records", json_integer((json_int_t)r->records));
	json_out_set(o, "wrongs", json_integer(r->wrongs));
	json_out_set(o, "wrong", wrong);
	json_out_set(o, "faults", faults);
	json_out_print(o);
}

void rehearse_print(const struct rehearse *r, int json)
{
	struct table t;

	if (json) {
		print_json(r);
		return;
	}
	table_open(&t, "fault||seen|allowed|evidence|>s");
	for (size_t i = 0; i < r->results; i++) {
		const struct rehearse_result *x = &r->result[i];

		table_add(&t, x->fault->name);
		table_add(&t, word(x));
		table_addf(&t, "%s%s%s", x->seen, *x->seen && *x->why ? "; " : "", x->why);
		table_add(&t, x->fault->allowed);
		table_add(&t, x->evidence);
		table_addf(&t, "%llu", (unsigned long long)(x->ms + 500) / 1000);
	}
	table_print(&t, stdout, 0);
	printf("kernel %s, box %s, seed %llu: %u boots, %u complete, %u given up, %llu records; %u things wrong by the files\n", r->kernel, r->box,
	       (unsigned long long)r->seed, r->boots, r->complete, r->given_up, (unsigned long long)r->records, r->wrongs);
	for (size_t i = 0; i < r->wrongs && i < sizeof(r->wrong) / sizeof(r->wrong[0]); i++)
		printf("wrong: %s\n", r->wrong[i]);
}
