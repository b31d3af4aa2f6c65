/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ask: the rule for waiting, and a whole question over a pseudo terminal: first valid answer wins, nothing else counts. */
#include "../common/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <termios.h>

#include "box/ask.h"
#include "common/clock.h"

static void test_deaf(void **state)
{
	struct ask_clock a;
	uint64_t wait = 0;
	int repeats = 0;

	(void)state;
	ask_clock_start(&a, 1000);
	for (uint64_t now = 1000;; now += wait) {
		enum ask_step s = ask_clock_step(&a, now, 0, 60, &wait);

		if (s == ASK_REPEAT) {
			repeats++;
			wait = 0;
		} else if (s == ASK_GIVE_UP) {
			assert_int_equal(now, 4000);
			break;
		} else {
			assert_true(wait > 0 && wait <= ASK_REPEAT_MS);
		}
	}
	assert_int_equal(repeats, 2); /* after 1 and 2 s; at 3 s it is over */
}

static void test_heard(void **state)
{
	struct ask_clock a;
	uint64_t wait;

	(void)state;
	ask_clock_start(&a, 0);
	assert_int_equal(ask_clock_step(&a, 3000, 1, 60, &wait), ASK_REPEAT);
	assert_int_equal(ask_clock_step(&a, 59999, 1, 60, &wait), ASK_REPEAT);
	assert_int_equal(ask_clock_step(&a, 60000, 1, 60, &wait), ASK_GIVE_UP);
	/* A byte that comes at last makes a deaf wait a long one. */
	ask_clock_start(&a, 0);
	assert_int_equal(ask_clock_step(&a, 2900, 0, 60, &wait), ASK_REPEAT);
	assert_int_equal(ask_clock_step(&a, 3100, 1, 60, &wait), ASK_WAIT);
}

/* A box whose serial line is a pseudo terminal; the other end is in *master. */
static struct box *make_box(int *master, const struct unit_dir *d)
{
	static struct box b;
	char cmdline[64];

	memset(&b, 0, sizeof(b));
	*master = posix_openpt(O_RDWR | O_NOCTTY);
	assert_true(*master >= 0);
	assert_int_equal(grantpt(*master), 0);
	assert_int_equal(unlockpt(*master), 0);
	sink_serial_open(&b.serial, ""); /* no console=: only the ops */
	b.serial.fd = open(ptsname(*master), O_RDWR | O_NOCTTY | O_NONBLOCK);
	assert_true(b.serial.fd >= 0);
	struct termios t;
	tcgetattr(b.serial.fd, &t);
	cfmakeraw(&t);
	tcsetattr(b.serial.fd, TCSANOW, &t);
	b.serial.baud = 115200;
	(void)cmdline;
	b.net.fd = b.kmsg_fd = b.promise.fd = b.nfs.reply_fd = b.nfs.cmd_fd = -1;
	b.modules_done = 1;
	b.job.again_s = 2;
	b.rec.sink[0] = &b.serial.base;
	b.rec.sinks = 1;
	assert_int_equal(records_open(&b.rec, unit_path(d, "records"), 0x1234), 0);
	return &b;
}

static void send(int fd, uint32_t tag, enum command_verb verb, unsigned line, const char *what)
{
	struct command c = {.tag = tag, .verb = verb, .line = line, .next_tag = 0x77};
	char out[COMMAND_MAX + 8];

	snprintf(c.what, sizeof(c.what), "%s", what);
	long n = command_format(&c, out, sizeof(out));
	assert_true(n > 0);
	assert_int_equal(write(fd, out, (size_t)n), n);
}

/* Reads the box's lines in a child until one has the word, then acts. */
static pid_t station(int master, void (*act)(int fd, const char *line))
{
	pid_t pid = fork();

	if (pid)
		return pid;
	char buf[4096];
	size_t len = 0;
	for (;;) {
		ssize_t n = read(master, buf + len, 1);
		if (n != 1)
			_exit(1);
		if (buf[len] == '\n') {
			buf[len] = 0;
			act(master, buf);
			len = 0;
		} else if (len < sizeof(buf) - 1) {
			len++;
		}
	}
}

static void answer_go(int fd, const char *line)
{
	if (!strstr(line, " ask"))
		return;
	assert_true(write(fd, "noise \x01\xff kd1 \r\n", 16) > 0);
	send(fd, 0x9999, COMMAND_GO, 1, ""); /* another's */
	send(fd, 0x1234, COMMAND_OK, 0, ""); /* to another question */
	send(fd, 0x1234, COMMAND_GO, 5, "");
}

static void test_next(void **state)
{
	struct unit_dir d;
	struct command c;
	int master;

	(void)state;
	unit_dir_make(&d);
	struct box *b = make_box(&master, &d);
	pid_t pid = station(master, answer_go);
	assert_int_equal(ask_next(b, &c), 0);
	assert_int_equal(c.verb, COMMAND_GO);
	assert_int_equal(c.line, 5);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	/* Nobody there any more: bytes were heard, so it takes again_s. */
	uint64_t start = clock_now_ms();
	assert_int_equal(ask_next(b, &c), -ETIMEDOUT);
	assert_true(clock_now_ms() - start >= 2000);
	close(master);
	close(b->serial.fd);
	close(b->rec.fd);
	unit_dir_remove(&d);
}

static void answer_jump(int fd, const char *line)
{
	if (!strstr(line, " jump "))
		return;
	send(fd, 0x1234, COMMAND_OK, 0, ""); /* to a bye, late */
	send(fd, 0x1234, COMMAND_OK, 4, ""); /* to another jump */
	if (strstr(line, " line=7 "))
		send(fd, 0x1234, COMMAND_OK, 7, "");
}

static void test_jump(void **state)
{
	struct unit_dir d;
	int master;

	(void)state;
	unit_dir_make(&d);
	struct box *b = make_box(&master, &d);
	pid_t pid = station(master, answer_jump);
	assert_int_equal(ask_jump(b, 7, 0x77, 1000, JOURNAL_GUARD_STATION), 0);
	assert_int_equal(ask_jump(b, 8, 0x78, 1000, JOURNAL_GUARD_STATION), -ETIMEDOUT);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	close(master);
	close(b->serial.fd);
	close(b->rec.fd);
	unit_dir_remove(&d);
}

static void answer_again(int fd, const char *line)
{
	static int asked;

	if (!strstr(line, " bye "))
		return;
	if (!asked++)
		send(fd, 0x1234, COMMAND_AGAIN, 0, "1-2");
	else
		send(fd, 0x1234, COMMAND_OK, 0, "");
}

static void test_bye_again(void **state)
{
	struct unit_dir d;
	int master;

	(void)state;
	unit_dir_make(&d);
	struct box *b = make_box(&master, &d);
	pid_t pid = station(master, answer_again);
	for (int i = 0; i < 4; i++)
		records_note(&b->rec, NULL, "number %d", i);
	assert_int_equal(ask_bye(b), 0);
	assert_int_equal(b->rec.count, 4);
	assert_int_equal(b->rec.next_seq, 5); /* bye; parts use no seq up */
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	close(master);
	close(b->serial.fd);
	close(b->rec.fd);
	unit_dir_remove(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_deaf), cmocka_unit_test(test_heard),     cmocka_unit_test(test_next),
		cmocka_unit_test(test_jump), cmocka_unit_test(test_bye_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
