/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd_ssh: kdyno ssh BOX [COMMAND...]: into a box that is held (docs/looking-inside.md). All that ssh could take from elsewhere is shut out: no
 * configuration, no agent, no other key, no other host key than the one that the sweep was made with, no password.
 *
 * Trap: ssh expands % in paths of keys and cuts known_hosts at blanks, so both are quoted.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/err.h"
#include "common/io.h"
#include "common/proc.h"
#include "host/board.h"
#include "host/cmd.h"
#include "host/lab.h"
#include "host/order.h"
#include "host/ssh_keys.h"
#include "host/sweep.h"

#define GREET_MS 15000 /* the box starts its server when it is told to hold */
#define RETRY_MS 300
#define WORDS_MAX 256

/* The sweep that has the box, from the lock that its `sweep run` holds. */
static void find_sweep(const char *box, char *sweep, size_t size)
{
	char *path = lab_path("run/box-%s.lock", box), below[PLAN_ID_MAX + 16], text[160], format[16];
	long pid;

	*sweep = 0;
	snprintf(format, sizeof(format), "%%ld %%%zus", size - 1);
	if (io_read_small(path, text, sizeof(text)) > 0)
		sscanf(text, format, &pid, sweep);
	snprintf(below, sizeof(below), "run/box-%s.lock", box);
	if (!lab_locked(below) || !*sweep)
		err_die("no sweep runs on box %s; 'kdyno sweep run %s' brings it up, and where the sweep is paused holds it", box,
		        *sweep ? sweep : "SWEEP");
	free(path);
}

/* Dies with one line unless the box is held, and can be entered. */
static void ask_sweep(const char *box, const char *id, struct order_state *s)
{
	struct order o = {.word = ORDER_STATE};
	int err = order_ask(id, &o, s);

	if (err)
		err_die("the 'sweep run' of %s does not answer (%s): try again", id, strerror(-err));
	if (!s->paused)
		err_die("box %s is not held: 'kdyno sweep pause %s' holds it when the boot that runs is over", box, id);
	if (!s->held && s->going)
		err_die("box %s is not held yet: line %u is finished first; 'sweep run' says when", box, s->going);
	if (!s->held)
		err_die("box %s is not held yet: it has not asked what is next; 'sweep run' says when", box);
	if (!*s->addr || !s->port)
		err_die("box %s has not said its address: has it a network? (kdyno show %s --records)", box, id);
}

/* Is the person's key the one that the sweep was made with? */
static char *find_key(const char *id)
{
	char *key = ssh_keys_path(), *path = lab_path("sweeps/%s/" SSH_KEYS_AUTHORIZED, id), *text = NULL, said[4096] = "", mine[SSH_KEYS_LINE_MAX],
	     theirs[SSH_KEYS_LINE_MAX];
	const char *argv[] = {"ssh-keygen", "-y", "-P", "", "-f", key, NULL};
	size_t len, said_len = 0;
	int err = io_read_file(path, sizeof(said), &text, &len), status = 0;

	if (err || ssh_keys_public(text, len, theirs, sizeof(theirs)))
		err_die("%s is %s: make the sweep anew", path, err ? "missing" : "damaged");
	if (access(key, R_OK))
		err_die("no key %s: sweep %s was made with another user's; KDYNO_SSH=DIR names the folder of it", key, id);
	err = proc_output(argv, 10000, said, sizeof(said) - 1, &said_len, &status);
	if (err == -ENOENT)
		err_die("ssh-keygen is missing: install the package openssh-client (apt-get install openssh-client)");
	if (err || status || ssh_keys_public(said, said_len, mine, sizeof(mine)))
		err_die("%s is no key that ssh-keygen can read", key);
	if (strcmp(mine, theirs))
		err_die("%s is not the key that sweep %s was made with; KDYNO_SSH=DIR names the folder of that one", key, id);
	free(path);
	free(text);
	return key;
}

/* 1 where it greets as a server of ssh does. */
static int greets(const struct order_state *s, unsigned timeout_ms)
{
	struct sockaddr_in sin = {.sin_family = AF_INET, .sin_port = htons((uint16_t)s->port)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), yes = 0;
	struct pollfd pfd = {.fd = fd, .events = POLLOUT};
	char text[4];
	size_t len = 0;
	ssize_t n;

	inet_pton(AF_INET, s->addr, &sin.sin_addr);
	if (fd >= 0 && (!connect(fd, (struct sockaddr *)&sin, sizeof(sin)) || errno == EINPROGRESS) && poll(&pfd, 1, (int)timeout_ms) > 0) {
		pfd.events = POLLIN;
		while (len < sizeof(text) && poll(&pfd, 1, (int)timeout_ms) > 0 && (n = read(fd, text + len, sizeof(text) - len)) > 0)
			len += (size_t)n;
		yes = len == sizeof(text) && !memcmp(text, "SSH-", sizeof(text));
	}
	if (fd >= 0)
		close(fd);
	return yes;
}

static void wait_for_greeting(const char *box, const struct order_state *s)
{
	uint64_t until = clock_now_ms() + GREET_MS;

	while (!greets(s, 3000)) {
		if (clock_now_ms() > until)
			err_die("box %s is held, but nothing answers on %s:%u; has its kernel a network? (the sweep's console-%s.log)", box, s->addr,
			        s->port, box);
		clock_sleep_ms(RETRY_MS);
	}
}

/* An option whose value is a path, as ssh's own files have it: in quotes, % written twice. malloc'd. */
static char *path_option(const char *option, const char *path)
{
	size_t n, size = strlen(option) + 2 * strlen(path) + 4;
	char *out = malloc(size);

	if (!out)
		err_die("out of memory");
	if (strpbrk(path, "\"\\\n") || strstr(path, "${"))
		err_die("ssh cannot be told of a path with a quote, a backslash or ${ in it: %s", path);
	n = (size_t)snprintf(out, size, "%s=\"", option);
	for (; *path; path++) {
		out[n++] = *path;
		if (*path == '%')
			out[n++] = '%';
	}
	memcpy(out + n, "\"", 2);
	return out;
}

static void __attribute__((noreturn))
become_ssh(const char *box, const char *id, const struct order_state *s, const char *key, int words, char **word)
{
	char *known = lab_path("sweeps/%s/" SSH_KEYS_KNOWN, id), alias[128], host_alias[160], port[16], who[32];
	const char *argv[WORDS_MAX + 48] = {"ssh", "-F", "/dev/null", "-a", "-x"};
	static const char *const options[] = {
		"IdentitiesOnly=yes",
		"IdentityAgent=none",
		"PreferredAuthentications=publickey",
		"PasswordAuthentication=no",
		"StrictHostKeyChecking=yes",
		"CheckHostIP=no",
		"GlobalKnownHostsFile=/dev/null",
		"KbdInteractiveAuthentication=no",
		"ClearAllForwardings=yes",
		"UpdateHostKeys=no",
		"HostKeyAlgorithms=ssh-ed25519",
		"ConnectTimeout=15",
		"ServerAliveInterval=15",
		"PermitLocalCommand=no",
		"BatchMode=yes",
	};
	int n = 5;

	if (words > WORDS_MAX)
		err_usage("ssh: more than %d words", WORDS_MAX);
	for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++) {
		argv[n++] = "-o";
		argv[n++] = options[i];
	}
	ssh_keys_alias(box, alias, sizeof(alias));
	snprintf(host_alias, sizeof(host_alias), "HostKeyAlias=%s", alias);
	snprintf(port, sizeof(port), "%u", s->port);
	snprintf(who, sizeof(who), "root@%s", s->addr);
	argv[n++] = "-o";
	argv[n++] = host_alias;
	argv[n++] = "-o";
	argv[n++] = path_option("UserKnownHostsFile", known);
	argv[n++] = "-o"; /* -i would look for the file under its name with %% */
	argv[n++] = path_option("IdentityFile", key);
	argv[n++] = "-p";
	argv[n++] = port;
	argv[n++] = who;
	if (words)
		argv[n++] = "--";
	for (int i = 0; i < words; i++)
		argv[n++] = word[i];
	argv[n] = NULL;
	fflush(NULL);
	execvp("ssh", (char *const *)(uintptr_t)argv);
	if (errno == ENOENT)
		err_die("ssh is missing: install the package openssh-client (apt-get install openssh-client)");
	err_die("ssh:");
}

static int run(int argc, char **argv)
{
	char id[PLAN_ID_MAX + 1];
	struct order_state s;
	struct sweep sw;
	struct board b;
	char *key;
	int first;

	if (argc < 1)
		err_usage("ssh: which box? (kdyno box list)");
	lab_require();
	board_load(&b, argv[0]);
	find_sweep(b.name, id, sizeof(id));
	sweep_open(&sw, id);
	if (!sw.plan.ssh)
		err_die("sweep %s was made without ssh, and its boxes have no door; 'kdyno sweep new ... --ssh' makes one that has", id);
	ask_sweep(b.name, id, &s);
	key = find_key(id);
	wait_for_greeting(b.name, &s);
	first = argc > 1 && !strcmp(argv[1], "--") ? 2 : 1;
	become_ssh(b.name, id, &s, key, argc - first, argv + first);
}

const struct cmd cmd_ssh = {
	.name = "ssh",
	.args = "BOX [COMMAND...]",
	.summary = "a shell on a box that is held, or a command there",
	.help = "Goes by ssh, with the sweep's own host key and your own key, into a box that a paused sweep holds ('kdyno sweep pause', 'sweep run\n"
		"--hold-on-failure'), where the sweep was made with --ssh. What runs there is ended when the sweep is resumed.",
	.run = run,
	.rest = 1,
};
