/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sweep_switch: see sweep_switch.h. The choice itself is pure, in qualified.c. */
#include "host/sweep_switch.h"

#include <errno.h>
#include <string.h>

#include "common/err.h"
#include "host/qualified.h"

/* What is known of the way that was taken, for people; and what was known when somebody wanted another. */
static void remark_switch(const struct qualified *q, const struct plan *p, const struct spec *s, FILE *remarks)
{
	char words[QUALIFIED_LIST_MAX + 256], hash[17];

	if (!q) {
		fprintf(remarks,
		        "switch     box %s is not qualified: whether kexec is safe there, and shifts a metric, 'kdyno box qualify %s --kernel ID' "
		        "finds out\n",
		        p->box, p->box);
		return;
	}
	qualified_words(q, p->sw, words, sizeof words);
	fprintf(remarks, "switch     %s: %s, with kernel %s\n", plan_switch_name(p->sw), words, q->kernel);
	if (qualified_board_hash(p->box, hash) || strcmp(hash, q->board))
		fprintf(remarks, "switch     boards/%s.ini has changed since: 'kdyno box qualify %s --anew'\n", p->box, p->box);
	if (s->sw && q->way[p->sw].safe == QUALIFIED_UNSAFE)
		err_warn("--switch %s, though it is not safe on box %s: %s", s->sw, p->box, words);
}

/* The sweep's switch is that of its least capable subject, and no faster than what the box is qualified for. */
void sweep_switch_set(struct plan *p, const struct spec *s, const struct kernel *kernels, const struct board *b, FILE *remarks)
{
	struct qualified_can can = {.home_kexecs = !kernel_cannot_kexec(&kernels[s->n_kernels])};
	enum plan_switch wanted = b->sw;
	struct qualified q;
	char why[512];
	int err = qualified_read(&q, b->name, why, sizeof why);

	if (err && err != -ENOENT)
		err_warn("%s", why);
	if (s->sw)
		plan_switch_parse(s->sw, &wanted);
	for (size_t i = 0; !can.no_kexec && i < s->n_kernels; i++)
		can.no_kexec = kernel_cannot_kexec(&kernels[i]) ? kernels[i].id : NULL;
	p->sw = qualified_choose(err || s->sw ? NULL : &q, wanted, &can, why, sizeof why);
	if (p->sw != wanted)
		err_warn("%s: the sweep goes by switch %s in place of %s", why, plan_switch_name(p->sw), plan_switch_name(wanted));
	remark_switch(err ? NULL : &q, p, s, remarks);
}
