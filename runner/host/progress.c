/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * progress: see progress.h. Everything printed is our own text, ids that were checked, and numbers: nothing from a box reaches the
 * terminal as it came.
 */
#include "host/progress.h"

#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "common/clock.h"
#include "host/stats.h"

#define DRAW_MS 500
#define COLUMNS_MIN 40

void progress_init(struct progress *p, const struct plan *plan, const struct journal *j, const struct drive *d, int plain)
{
	memset(p, 0, sizeof(*p));
	p->plan = plan;
	p->journal = j;
	p->drive = d;
	p->live = !plain && isatty(STDOUT_FILENO);
	p->began_ms = clock_now_ms();
}

/* The last try of a boot decides, unless one is complete. */
static enum journal_state_id boot_state(const struct plan *p, const struct journal *j, unsigned boot)
{
	enum journal_state_id last = JOURNAL_PLANNED;

	if (journal_boot_complete(j, p, boot, NULL))
		return JOURNAL_COMPLETE;
	for (size_t i = 0; i < p->tries; i++)
		if (p->try[i].boot == boot)
			last = journal_state(j, p->try[i].line);
	return last;
}

/* The median: one boot during which the box was dead for hours says nothing of the others. */
static uint64_t usual_ms(const struct plan *p, const struct journal *j)
{
	double took[PLAN_TRIES_MAX];
	size_t n = 0;

	for (size_t i = 0; i < p->tries && n < PLAN_TRIES_MAX; i++) {
		const struct journal_try *t = &j->try[p->try[i].line];
		uint64_t from = t->at_ms[JOURNAL_GO] ? t->at_ms[JOURNAL_GO] : t->at_ms[JOURNAL_START];

		if (t->state == JOURNAL_COMPLETE && from && t->at_ms[JOURNAL_COMPLETE] > from)
			took[n++] = (double)(t->at_ms[JOURNAL_COMPLETE] - from);
	}
	return n ? (uint64_t)stats_median(took, n) : 0;
}

void progress_counts(const struct plan *p, const struct journal *j, struct progress_count *c)
{
	memset(c, 0, sizeof(*c));
	for (size_t i = 0; i < p->tries; i++) {
		const struct journal_try *t = &j->try[p->try[i].line];
		enum journal_state_id s = boot_state(p, j, p->try[i].boot);

		c->failed_tries += t->state == JOURNAL_FAILED || t->state == JOURNAL_VOID || t->state == JOURNAL_NOT_RUN;
		if (p->try[i].of)
			continue; /* the boot was counted with its first line */
		c->boots++;
		c->complete += s == JOURNAL_COMPLETE;
		c->given_up += s == JOURNAL_FAILED || s == JOURNAL_VOID || s == JOURNAL_NOT_RUN;
	}
	c->boot_ms = usual_ms(p, j);
}

static int is_final(const struct journal *j, unsigned line)
{
	enum journal_state_id s = journal_state(j, line);

	return s == JOURNAL_NOT_RUN || s >= JOURNAL_FAILED;
}

char progress_cell(const struct plan *p, const struct journal *j, unsigned running, unsigned subject, unsigned round)
{
	static const char signs[] = {
		[JOURNAL_PLANNED] = '.', [JOURNAL_GO] = 'o',     [JOURNAL_START] = 'o',    [JOURNAL_NOT_RUN] = 'x',
		[JOURNAL_HELLO] = 'o',   [JOURNAL_FAILED] = 'x', [JOURNAL_COMPLETE] = '+', [JOURNAL_VOID] = 'x',
	};

	for (size_t i = p->tries; i-- > 0;) {
		if (p->try[i].subject != subject || p->try[i].round != round)
			continue;
		if (p->try[i].line == running && !is_final(j, running))
			return 'O';
		return signs[boot_state(p, j, p->try[i].boot)];
	}
	return ' ';
}

/* `1:02:03` or `4:05`. */
static const char *span(uint64_t ms, char *out, size_t size)
{
	unsigned s = (unsigned)(ms / 1000);

	if (s >= 3600)
		snprintf(out, size, "%u:%02u:%02u", s / 3600, s / 60 % 60, s % 60);
	else
		snprintf(out, size, "%u:%02u", s / 60, s % 60);
	return out;
}

static void time_left(const struct progress_count *c, char *out, size_t size)
{
	char text[24];

	if (!c->boot_ms || c->complete + c->given_up >= c->boots)
		snprintf(out, size, "%s", c->boot_ms ? "done" : "time left not known yet");
	else
		snprintf(out, size, "about %s left", span(c->boot_ms * (c->boots - c->complete - c->given_up), text, sizeof(text)));
}

static void describe(const struct plan *p, unsigned line, char *out, size_t size)
{
	const struct plan_try *t = plan_try_by_line(p, line);

	if (!t)
		snprintf(out, size, "home");
	else
		snprintf(out, size, "line %u %s round %u%s%s", line, p->subject[t->subject].id, t->round, t->discard ? " (discarded)" : "",
		         t->of ? " again" : "");
}

static void erase(struct progress *p)
{
	if (p->drawn)
		printf("\033[%uA\r\033[J", p->drawn);
	p->drawn = 0;
}

void progress_say(struct progress *p, enum drive_say what, unsigned line, const char *text)
{
	struct progress_count c;
	char who[256], left[64], at[24];

	if (p->live && what == DRIVE_SAY_STATE && !strcmp(text, "hello"))
		return; /* the matrix shows it */
	describe(p->plan, line, who, sizeof(who));
	erase(p);
	printf("%8s  %s%s: %s", span(clock_now_ms() - p->began_ms, at, sizeof(at)), what == DRIVE_SAY_WARN ? "! " : "", who, text);
	if (what == DRIVE_SAY_STATE && !strncmp(text, "complete", 8)) {
		progress_counts(p->plan, p->journal, &c);
		time_left(&c, left, sizeof(left));
		printf(" (%u of %u boots, %s)", c.complete, c.boots, left);
	}
	printf("\n");
	fflush(stdout);
	progress_draw(p, 1);
}

/* `paused since 14:02:11 (why): `, before what the box does. */
static size_t paused_text(const struct progress *p, char *out, size_t size)
{
	const struct journal *j = p->journal;
	time_t at = (time_t)(j->paused_ms / 1000);
	struct tm tm;
	char when[16] = "";
	int n;

	if (!j->paused)
		return 0;
	if (localtime_r(&at, &tm))
		strftime(when, sizeof(when), "%H:%M:%S", &tm);
	n = snprintf(out, size, "paused since %s%s%s%s: ", when, *j->reason ? " (" : "", j->reason, *j->reason ? ")" : "");
	return n > 0 && (size_t)n < size ? (size_t)n : 0;
}

static void now_text(const struct progress *p, char *out, size_t size)
{
	static const char *const boxes[] = {
		[DRIVE_UNKNOWN] = "nothing heard yet", [DRIVE_HOME] = "at home",    [DRIVE_CRASH] = "crash kernel",
		[DRIVE_SUBJECT] = "no test runs",      [DRIVE_JUMPING] = "jumping",
	};
	const struct drive *d = p->drive;
	size_t at = paused_text(p, out, size);
	char who[256];

	out += at;
	size -= at;
	describe(p->plan, drive_running(d), who, sizeof(who));
	if (p->journal->paused && drive_is_held(d))
		snprintf(out, size, "held in %s", who);
	else if (d->err)
		snprintf(out, size, "waiting: disk");
	else if (d->lost)
		snprintf(out, size, "box-lost");
	else if (d->waiting_network)
		snprintf(out, size, "waiting: network");
	else if (*d->test)
		snprintf(out, size, "%s: %s, %u s", who, d->test, (unsigned)((clock_now_ms() - d->test_ms) / 1000));
	else
		snprintf(out, size, "%s: %s", who, boxes[d->box]);
}

static unsigned columns(void)
{
	struct winsize w;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) || w.ws_col < COLUMNS_MIN)
		return 80;
	return w.ws_col;
}

void progress_draw(struct progress *p, int force)
{
	unsigned width = columns(), name = 0, lines = 0, cells;
	struct progress_count c;
	char text[512], left[64], gone[24];

	if (!p->live || (!force && clock_now_ms() - p->drawn_ms < DRAW_MS))
		return;
	p->drawn_ms = clock_now_ms();
	erase(p);
	for (size_t i = 0; i < p->plan->subjects; i++)
		if (strlen(p->plan->subject[i].id) > name)
			name = (unsigned)strlen(p->plan->subject[i].id);
	if (name > width / 2)
		name = width / 2;
	cells = (width - name - 3) / 2;
	for (unsigned s = 0; s < p->plan->subjects; s++) {
		printf("%-*.*s ", (int)name, (int)name, p->plan->subject[s].id);
		for (unsigned r = 0; r <= p->plan->rounds && r < cells; r++)
			printf(" %c", progress_cell(p->plan, p->journal, drive_running(p->drive), s, r));
		printf("\n");
		lines++;
	}
	progress_counts(p->plan, p->journal, &c);
	time_left(&c, left, sizeof(left));
	now_text(p, text, sizeof(text));
	printf("%.*s\n", (int)width - 1, text);
	snprintf(text, sizeof(text), "%u of %u boots, %s gone, %s", c.complete, c.boots, span(clock_now_ms() - p->began_ms, gone, sizeof(gone)),
	         left);
	printf("%.*s\n", (int)width - 1, text);
	fflush(stdout);
	p->drawn = lines + 2;
}

void progress_end(struct progress *p)
{
	progress_draw(p, 1);
	p->drawn = 0;
}
