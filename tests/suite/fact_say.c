/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fact_say: see fact_say.h. Trap: a line is one write, so that lines of a script's children do not mix; and a text is read whole before its first
 * piece is said.
 */
#include "fact_say.h"

#include <stdio.h>
#include <string.h>

#include "common/err.h"
#include "common/io.h"
#include "fact.h"

static void help(void)
{
	puts("usage: suite fact LINE: says a line on fd 3, for tests that are scripts\n"
	     "  metric name=NAME v=NUMBER [ns=NUMBER]   a metric, or a rate (v in so many ns)\n"
	     "  fact KEY=VALUE ...                      what explains\n"
	     "  phase name=NAME quiet_ms=MS             from now on at most so long a silence\n"
	     "  note msg=TEXT\n"
	     "  skip reason=TEXT | fail reason=TEXT     exits 4 or 1, as the test then should\n"
	     "  text NAME FILE|-                        a text of at most 48 KiB, in pieces\n"
	     "  json NAME FILE|-                        the same, without white space between the tokens");
}

/* The value of a word key=value; dies where the word is another. */
static const char *value_of(const char *word, const char *key)
{
	size_t n = strlen(key);

	if (!word || strncmp(word, key, n) != 0 || word[n] != '=' || !word[n + 1])
		err_usage("fact: %s=... was expected, not '%s'", key, word ? word : "");
	return word + n + 1;
}

/* What the station takes (docs/test-programs.md): -?digits[.digits]. */
static int is_number(const char *s)
{
	size_t n;

	s += *s == '-';
	n = strspn(s, "0123456789");
	if (!n || n > 20 || (s[n] && s[n] != '.'))
		return 0;
	if (!s[n])
		return 1;
	s += n + 1;
	n = strspn(s, "0123456789");
	return n && n <= 12 && !s[n];
}

static const char *name_of(const char *word)
{
	const char *name = value_of(word, "name");

	if (!kv_is_id(name))
		err_usage("fact: '%s' is no name (letters, digits, . _ + -)", name);
	return name;
}

static const char *number_of(const char *word, const char *key)
{
	const char *v = value_of(word, key);

	if (!is_number(v))
		err_usage("fact: %s: '%s' is no number", key, v);
	return v;
}

static void nothing_more(char **argv)
{
	if (*argv)
		err_usage("fact: '%s' is too much", *argv);
}

static int send_line(struct fact *f)
{
	if (f->o.err)
		err_usage("fact: the line does not fit: at most %d bytes as escaped", FACT_MAX);
	f->buf[f->o.len] = '\n';
	if (io_write_all(FACT_FD, f->buf, f->o.len + 1))
		err_die("fact: nobody reads fd 3");
	return EXIT_OK;
}

static int say_metric(char **argv)
{
	struct fact f;

	fact_open(&f, "metric");
	kv_out_str(&f.o, "name", name_of(argv[0]));
	kv_out_str(&f.o, "v", number_of(argv[0] ? argv[1] : NULL, "v"));
	if (argv[2]) {
		const char *ns = number_of(argv[2], "ns");

		if (*ns == '-' || !ns[strspn(ns, "0.")])
			err_usage("fact: ns: more than nothing was expected");
		kv_out_str(&f.o, "ns", ns);
		nothing_more(argv + 3);
	}
	return send_line(&f);
}

static int say_phase(char **argv)
{
	const char *name = name_of(argv[0]), *ms = number_of(argv[1], "quiet_ms");
	struct fact f;

	if (ms[strspn(ms, "0123456789")] || strlen(ms) > 9 || !ms[strspn(ms, "0")])
		err_usage("fact: quiet_ms: a number of ms was expected");
	nothing_more(argv + 2);
	fact_open(&f, "phase");
	kv_out_str(&f.o, "name", name);
	kv_out_str(&f.o, "quiet_ms", ms);
	return send_line(&f);
}

static int say_fact(char **argv)
{
	struct fact f;

	if (!*argv)
		err_usage("fact: key=value was expected");
	fact_open(&f, "fact");
	for (; *argv; argv++) {
		char *eq = strchr(*argv, '=');

		if (!eq || eq == *argv)
			err_usage("fact: '%s' is not key=value", *argv);
		*eq = '\0';
		if (!strcmp(*argv, "test") || (*argv)[strspn(*argv, "abcdefghijklmnopqrstuvwxyz0123456789_.-")])
			err_usage("fact: '%s' may be no key (small letters, digits, _ . -; not test)", *argv);
		kv_out_str(&f.o, *argv, eq + 1);
	}
	return send_line(&f);
}

void fact_say_squeeze(char *json)
{
	char *to = json;
	int quoted = 0;

	for (const char *p = json; *p; p++) {
		if (*p == '"')
			quoted = !quoted;
		if (!quoted && strchr(" \t\r\n", *p))
			continue;
		*to++ = *p;
		if (quoted && *p == '\\' && p[1])
			*to++ = *++p;
	}
	*to = '\0';
}

/* Reads it whole: /dev/stdin is a pipe, or there is no /proc. */
static size_t read_text(const char *path, char *text, size_t size)
{
	FILE *f = strcmp(path, "-") ? fopen(path, "re") : stdin;
	size_t n = f ? fread(text, 1, size, f) : 0;

	if (!f || ferror(f))
		err_die("fact: read %s:", path);
	if (n == size)
		err_die("fact: %s is too long: at most %d bytes", path, FACT_SAY_TEXT_MAX);
	text[n] = '\0';
	if (!n || strlen(text) != n)
		err_die("fact: %s is %s", path, n ? "no text: it has a NUL" : "empty");
	return n;
}

static int say_text(char **argv, int is_json)
{
	static char text[FACT_SAY_TEXT_MAX + 1];

	if (!argv[0] || !kv_is_id(argv[0]) || strlen(argv[0]) > FACT_SAY_NAME_MAX)
		err_usage("fact: a name of at most %d letters, digits, . _ + - was expected", FACT_SAY_NAME_MAX);
	if (!argv[1])
		err_usage("fact: a file was expected, or -");
	nothing_more(argv + 2);
	read_text(argv[1], text, sizeof text);
	if (is_json)
		fact_say_squeeze(text);
	if (!*text)
		err_die("fact: %s is empty", argv[1]);
	fact_text(argv[0], text);
	return EXIT_OK;
}

int fact_say(char **argv)
{
	static const char *const words[] = {"metric", "fact", "phase", "note", "skip", "fail", "text", "json", NULL};
	const char *word = argv[0] ? argv[0] : "", *near;

	err_set_name("suite");
	if (!strcmp(word, "--help")) {
		help();
		return EXIT_OK;
	}
	if (!strcmp(word, "metric"))
		return say_metric(argv + 1);
	if (!strcmp(word, "fact"))
		return say_fact(argv + 1);
	if (!strcmp(word, "phase"))
		return say_phase(argv + 1);
	if (!strcmp(word, "text") || !strcmp(word, "json"))
		return say_text(argv + 1, *word == 'j');
	if (!strcmp(word, "note") || !strcmp(word, "skip") || !strcmp(word, "fail")) {
		const char *text = value_of(argv[1], *word == 'n' ? "msg" : "reason");

		nothing_more(argv + 2);
		if (*word == 'n')
			fact_note("%s", text);
		return *word == 'n' ? EXIT_OK : *word == 's' ? fact_skip("%s", text) : fact_fail("%s", text);
	}
	near = err_nearest(word, words);
	err_usage("fact: no word '%s'%s%s%s; try suite fact --help", word, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}
