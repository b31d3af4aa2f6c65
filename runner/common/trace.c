/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trace: see trace.h. The words are those of the kernel's own reports (kernel/panic.c, arch/x86/kernel/dumpstack.c, lib/bug.c), which have
 * been the same for twenty years. Trap: the panic's last line has its words once more ("end Kernel panic - not syncing").
 */
#include "common/trace.h"

#include <stdio.h>
#include <string.h>

#define PANIC "Kernel panic - not syncing"

void trace_init(struct trace *t) { memset(t, 0, sizeof(*t)); }

static void copy(char *out, size_t size, const char *s, size_t len)
{
	size_t n = 0;

	while (n < len && n + 1 < size) {
		out[n] = s[n] >= ' ' && s[n] <= '~' ? s[n] : '?';
		n++;
	}
	while (n && out[n - 1] == ' ')
		n--;
	out[n] = 0;
}

static const char *find(const char *s, size_t len, const char *what) { return memmem(s, len, what, strlen(what)); }

static int starts(const char *s, size_t len, const char *what) { return len >= strlen(what) && !memcmp(s, what, strlen(what)); }

/* Level, time and caller in front of a message: `<4>[   12.345678][    T1] `. */
static void skip_head(const char **s, size_t *len)
{
	if (*len > 3 && (*s)[0] == '<' && (*s)[2] == '>') {
		*s += 3;
		*len -= 3;
	}
	while (*len && ((*s)[0] == '[' || (*s)[0] == ' ')) {
		size_t n = 1;

		if ((*s)[0] == '[') {
			const char *end = memchr(*s, ']', *len);

			if (!end || end - *s > 20)
				return;
			n = (size_t)(end - *s) + 1;
		}
		*s += n;
		*len -= n;
	}
}

static int is_cause(const char *s, size_t len)
{
	static const char *const words[] = {"BUG: ",        "kernel BUG at ",   "Unable to handle kernel ", "general protection fault",
	                                    "divide error", "invalid opcode: ", "stack segment: "};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (starts(s, len, words[i]))
			return 1;
	return 0;
}

static void restart(struct trace *t)
{
	t->frames = 0;
	t->open = t->done = 0;
}

/* `name+0x12/0x34 ...`; those that every trace begins with, and those that the unwinder is not sure of, say nothing. */
static void feed_frame(struct trace *t, const char *s, size_t len)
{
	static const char *const dull[] = {"dump_stack", "show_stack", "panic+", "vpanic+", "nmi_panic+", "_printk+", "__warn", "die+", "oops_end+"};
	const char *space = memchr(s, ' ', len);
	size_t n = space ? (size_t)(space - s) : len;

	if (starts(s, len, "<TASK>") || starts(s, len, "<IRQ>") || starts(s, len, "?") || starts(s, len, "</IRQ>"))
		return;
	if (!find(s, n, "+0x") || t->frames == TRACE_FRAMES) {
		t->open = 0;
		t->done = t->panicked;
		return;
	}
	for (size_t i = 0; i < sizeof(dull) / sizeof(dull[0]); i++)
		if (starts(s, n, dull[i]))
			return;
	const char *plus = memchr(s, '+', n);
	copy(t->frame[t->frames++], sizeof(t->frame[0]), s, (size_t)(plus - s));
}

int trace_feed(struct trace *t, const char *s, size_t len)
{
	const char *at;

	if (len && s[len - 1] == '\r')
		len--;
	skip_head(&s, &len);
	at = find(s, len, PANIC);
	if (at && !(at - s >= 4 && !memcmp(at - 4, "end ", 4))) {
		const char *text = at + strlen(PANIC);

		text += starts(text, (size_t)(s + len - text), ": ") ? 2 : 0;
		copy(t->panic, sizeof(t->panic), text, (size_t)(s + len - text));
		if (!t->cause[0] || !starts(t->panic, strlen(t->panic), "Fatal exception")) {
			restart(t); /* the trace of the panic itself follows */
			t->cause[0] = t->rip[0] = 0;
		} else {
			t->done = 1;
		}
		t->panicked = 1;
		return 1;
	}
	if (t->done)
		return 0;
	if (!t->panicked && (is_cause(s, len) || (starts(s, len, "Oops: ") && !t->cause[0]))) {
		restart(t);
		t->rip[0] = 0;
		copy(t->cause, sizeof(t->cause), s, len);
	} else if (starts(s, len, "RIP: ") && !t->rip[0] && t->cause[0]) {
		const char *colon = len > 5 ? memchr(s + 5, ':', len - 5) : NULL;
		const char *rip = colon ? colon + 1 : s + 5;

		copy(t->rip, sizeof(t->rip), rip, (size_t)(s + len - rip));
	} else if (starts(s, len, "Call Trace:") && !t->frames) {
		t->open = 1;
	} else if (t->open) {
		feed_frame(t, s, len);
	}
	return 0;
}

void trace_feed_text(struct trace *t, const char *text, size_t len)
{
	while (len) {
		const char *nl = memchr(text, '\n', len);
		size_t n = nl ? (size_t)(nl - text) : len;

		trace_feed(t, text, n);
		n += nl != NULL;
		text += n;
		len -= n;
	}
}

const char *trace_name(const struct trace *t) { return !strncmp(t->panic, "Fatal exception", 15) ? "oops" : "panic"; }

void trace_why(const struct trace *t, char *out, size_t size)
{
	const char *first = t->cause[0] ? t->cause : t->panic;
	size_t n;

	snprintf(out, size, "%s%s%s%s", first, t->cause[0] && t->rip[0] ? " at " : "", t->cause[0] ? t->rip : "", *first && t->frames ? ": " : "");
	n = strlen(out);
	for (unsigned i = 0; i < t->frames && n + 4 + strlen(t->frame[i]) < size; i++)
		n += (size_t)snprintf(out + n, size - n, "%s%s", i ? " < " : "", t->frame[i]);
}

static size_t escaped(unsigned char c)
{
	return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (c && strchr("._:/+,@-", c)) ? 1 : 3;
}

size_t trace_tail(const char *text, size_t len, size_t max)
{
	size_t at = len, line = len, used = 0;

	while (at) {
		used += escaped((unsigned char)text[at - 1]);
		if (used > max)
			return line;
		at--;
		if (!at || text[at - 1] == '\n')
			line = at;
	}
	return line;
}
