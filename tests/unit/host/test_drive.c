/* SPDX-License-Identifier: GPL-2.0-or-later */
/* drive: a simulated box talks to the state machine; what is answered, and who is believed. */
#include "drive_fixture.h"

static void test_whole(void **state)
{
	struct world *w = malloc(sizeof(*w));
	static const char *const rel[] = {"", "a", "b", "a"};

	(void)state;
	start(w);
	go_from_home(w, 1);
	for (unsigned line = 1; line <= 3; line++) {
		boot_as(w, 0x100 + line);
		hello(w, rel[line], "unknown");
		tests(w, 0);
		bye(w);
		assert_int_equal(w->answer.verb, COMMAND_OK);
		hear(w, w->sent[w->seq - 1], 1); /* the answer was lost: the same again */
		assert_int_equal(w->answer.verb, COMMAND_OK);
		send(w, "ask", "", 0);
		assert_true(w->answered);
		if (line == 3)
			break;
		assert_int_equal(w->answer.next_tag, 0x101 + line);
		hear(w, w->sent[w->seq - 1], 1);
		assert_int_equal(w->answer.next_tag, 0x101 + line);
		jump(w);
		hear(w, w->sent[w->seq - 1], 1);
		assert_int_equal(w->answer.verb, COMMAND_OK);
	}
	assert_int_equal(w->answer.verb, COMMAND_HOLD);
	assert_true(w->d.ended);
	assert_string_equal(w->marks, "stored 0;1 go;1 start;1 hello;stored 1;1 complete;2 go;2 start;2 hello;stored 2;2 complete;"
	                              "3 go;3 start;3 hello;stored 3;3 complete;");
	stop(w);
	free(w);
}

static void send_part(struct world *w, uint32_t of)
{
	char pairs[300], data[200];
	const char *line = w->sent[of] + 2;
	size_t len = strlen(line), n = (len + 63) / 64;

	for (size_t i = 0; i < n; i++) {
		size_t k = len - i * 64 < 64 ? len - i * 64 : 64;

		kv_escape(data, sizeof(data), line + i * 64, k);
		sprintf(pairs, "of=%u i=%zu n=%zu data=%s", of, i + 1, n, data);
		send(w, "part", pairs, 0);
	}
}

static void test_again(void **state)
{
	struct world *w = malloc(sizeof(*w));
	uint32_t count;

	(void)state;
	start(w);
	come_up(w, 1, "a");
	tests(w, 1);
	bye(w);
	count = w->seq - 1;
	assert_int_equal(w->answer.verb, COMMAND_AGAIN);
	assert_string_equal(w->answer.what, "4-5");
	send_part(w, 4);
	hear(w, w->sent[count], 1);
	assert_string_equal(w->answer.what, "5");
	send_part(w, 5);
	hear(w, w->sent[count], 1);
	assert_int_equal(w->answer.verb, COMMAND_OK);
	assert_int_equal(journal_state(w->journal, 1), JOURNAL_COMPLETE);
	stop(w);
	free(w);
}

/* Its bye was heard by nobody, as most of it: the box asks what is next, and is first asked for all of that. */
static void test_again_without_bye(void **state)
{
	struct world *w = malloc(sizeof(*w));
	char pairs[100];
	uint32_t ask;

	(void)state;
	start(w);
	come_up(w, 1, "a");
	tests(w, 1);
	sprintf(pairs, "count=%u digest=%08x", w->seq, w->crc);
	send(w, "bye", pairs, 1);
	ask = w->seq;
	send(w, "ask", "", 0);
	assert_int_equal(w->answer.verb, COMMAND_AGAIN);
	assert_string_equal(w->answer.what, "4-6");
	for (uint32_t seq = 4; seq < ask; seq++)
		send_part(w, seq);
	hear(w, w->sent[ask], 1);
	assert_int_equal(journal_state(w->journal, 1), JOURNAL_COMPLETE);
	assert_int_equal(w->answer.verb, COMMAND_GO);
	stop(w);
	free(w);
}

/* A list that brings nothing gets shorter: a short command comes through a bad line where a long one does not. What comes makes it grow. */
static void test_again_shorter(void **state)
{
	struct world *w = malloc(sizeof(*w));
	size_t len;

	(void)state;
	start(w);
	come_up(w, 1, "a");
	for (int i = 0; i < 200; i++)
		send(w, "env", "cpus=1", i % 2);
	bye(w);
	len = strlen(w->answer.what);
	assert_true(len > 100);
	for (int i = 0; i < 5; i++)
		hear(w, w->sent[w->seq - 1], 1);
	assert_true(strlen(w->answer.what) < DRIVE_AGAIN_ROOM && strlen(w->answer.what) > 0);
	send_part(w, (uint32_t)strtoul(w->answer.what, NULL, 10));
	hear(w, w->sent[w->seq - 2], 1);
	assert_int_equal(w->answer.verb, COMMAND_AGAIN);
	assert_true(strlen(w->answer.what) > DRIVE_AGAIN_ROOM);
	stop(w);
	free(w);
}

static void ask_until_given_up(struct world *w)
{
	for (int i = 0; i < DRIVE_AGAIN_MAX && w->answer.verb == COMMAND_AGAIN; i++)
		hear(w, w->sent[w->seq - 1], 1);
	assert_int_equal(w->answer.verb, COMMAND_GO);
}

/* Nothing brings the lost records back: the rest counts. Where what proves the kernel is among them, nothing does. */
static void test_gaps(void **state)
{
	struct world *w = malloc(sizeof(*w));

	(void)state;
	start(w);
	come_up(w, 1, "a");
	tests(w, 1);
	bye(w);
	for (int i = 0; i < DRIVE_AGAIN_MAX; i++) {
		assert_int_equal(w->answer.verb, COMMAND_AGAIN);
		hear(w, w->sent[w->seq - 1], 1);
	}
	assert_int_equal(w->answer.verb, COMMAND_OK);
	assert_string_equal(w->marks, "stored 0;1 go;1 start;1 hello;stored 1;1 complete;");
	send(w, "ask", "", 0);
	assert_int_equal(w->answer.next_tag, 0x102);
	jump(w);
	boot_as(w, 0x102);
	hello(w, "b", "unknown");
	tests(w, 1);
	bye(w);
	send(w, "ask", "", 0); /* it goes on: its time was over; it is asked as often, by this question too */
	ask_until_given_up(w);
	assert_int_equal(journal_state(w->journal, 2), JOURNAL_COMPLETE);
	jump(w);
	boot_as(w, 0x103);
	send(w, "hello", "box=box1 sweep=s role=subject start=chain reset=unknown image=0123456789abcdef quiet_ms=5000", 0);
	send(w, "ident", "prev=00000000 rel=a", 1);
	tests(w, 0);
	bye(w);
	send(w, "ask", "", 0);
	ask_until_given_up(w);
	assert_int_equal(journal_state(w->journal, 3), JOURNAL_FAILED);
	assert_string_equal(w->journal->try[3].name, "no-progress");
	stop(w);
	free(w);
}

static void test_nfs_fills(void **state)
{
	struct world *w = malloc(sizeof(*w));

	(void)state;
	start(w);
	come_up(w, 1, "a");
	tests(w, 1);
	w->nfs = calloc(1, 400 * RECORD_MAX);
	for (uint32_t i = 0; i < w->seq; i++)
		sprintf(w->nfs + strlen(w->nfs), "%s\n", w->sent[i]);
	bye(w);
	assert_int_equal(w->answer.verb, COMMAND_OK);
	assert_int_equal(journal_state(w->journal, 1), JOURNAL_COMPLETE);
	stop(w);
	free(w);
}

static void test_fetch_waits(void **state)
{
	struct world *w = malloc(sizeof(*w));

	(void)state;
	start(w);
	boot_as(w, HOME_TAG);
	hello(w, "home", "cold");
	bye(w);
	for (int i = 0; i < 4; i++) {
		send(w, "ask", "", 0);
		assert_int_equal(w->answer.line, 1);
		w->now += 5000;
	}
	assert_true(w->d.waiting_network);
	assert_non_null(strstr(w->said, "waiting: network"));
	jump(w);
	assert_false(w->d.waiting_network);
	stop(w);
	free(w);
}

/* The past is heard again after a restart: nothing is answered, what is whole is complete, the rest waits for the box. */
static void test_replay(void **state)
{
	struct world *w = malloc(sizeof(*w));
	uint32_t last;

	(void)state;
	start(w);
	boot_as(w, 0x101);
	hello(w, "a", "unknown");
	tests(w, 0);
	bye(w);
	last = w->seq;
	drive_free(&w->d);
	journal_init(w->journal);
	{
		struct drive_ops ops = w->d.ops;

		w->marks[0] = 0;
		drive_init(&w->d, &ops, &w->plan, w->journal, w->now);
	}
	for (uint32_t i = 0; i < last; i++) {
		hear(w, w->sent[i], 0);
		assert_false(w->answered);
	}
	drive_live(&w->d, 0);
	assert_string_equal(w->marks, "1 hello;stored 1;1 complete;");
	send(w, "ask", "", 0);
	assert_int_equal(w->answer.line, 2);
	/* started, then the power was cut with nobody there */
	jump(w);
	drive_live(&w->d, 1);
	assert_non_null(strstr(w->marks, "2 not-run;+4=2;"));
	stop(w);
	free(w);
}

static void test_full_disk(void **state)
{
	struct world *w = malloc(sizeof(*w));

	(void)state;
	start(w);
	come_up(w, 1, "a");
	tests(w, 0);
	w->disk_full = 1;
	bye(w);
	assert_false(w->answered);
	assert_int_equal(w->d.err, -28);
	send(w, "ask", "", 0);
	assert_false(w->answered);
	stop(w);
	free(w);
}

static void test_strangers(void **state)
{
	struct world *w = malloc(sizeof(*w));
	char first[RECORD_MAX + 1];

	(void)state;
	start(w);
	/* an unknown tag, and another box */
	boot_as(w, 0x777);
	hello(w, "a", "unknown");
	assert_int_equal(w->d.unknown, 3);
	boot_as(w, HOME_TAG);
	send(w, "hello", "box=box2 sweep=s role=home start=via-home reset=cold image=0 quiet_ms=1", 0);
	send(w, "ask", "", 0);
	assert_false(w->answered);
	assert_non_null(strstr(w->said, "wrong-box"));
	/* a second hello under a tag */
	come_up(w, 1, "a");
	strcpy(first, w->sent[0]);
	boot_as(w, 0x101);
	w->now += 7;
	hello(w, "a", "unknown");
	assert_int_equal(journal_state(w->journal, 1), JOURNAL_VOID);
	stop(w);
	free(w);
}

static unsigned count_of(const char *text, const char *word)
{
	unsigned n = 0;

	for (; (text = strstr(text, word)); text++)
		n++;
	return n;
}

/* A box that invents tags does not fill the screen; what it did is counted, and it may be heard again in the next minute. */
static void test_flood(void **state)
{
	struct world *w = malloc(sizeof(*w));

	(void)state;
	start(w);
	for (unsigned i = 0; i < 2000; i++) {
		boot_as(w, HOME_TAG + i);
		send(w, "hello", i % 2 ? "box=box1 role=home reset=cold" : "box=box2 role=home reset=cold", 0);
	}
	assert_int_equal(count_of(w->said, "0 up\n"), DRIVE_SAY_MAX);
	assert_int_equal(count_of(w->said, "0 wrong-box: "), DRIVE_SAY_MAX);
	drive_tick(&w->d, w->now + 59000);
	assert_null(strstr(w->said, "more of these"));
	drive_tick(&w->d, w->now += 61000);
	assert_int_equal(count_of(w->said, "0 980 more of these: up\n"), 1);
	assert_int_equal(count_of(w->said, "0 980 more of these: wrong-box: "), 1);
	go_from_home(w, 1);
	assert_int_equal(count_of(w->said, "0 up\n"), DRIVE_SAY_MAX + 1);
	drive_say_held(&w->d, 1);
	assert_int_equal(count_of(w->said, "more of these"), 2);
	stop(w);
	free(w);
}

/* A test that does not pass is said as it happens, once; nothing of it comes to the terminal as the box sent it. */
static void test_bad_tests(void **state)
{
	struct world *w = malloc(sizeof(*w));
	static const char end[] = "test=boot-time records=2 ns=1 utime_us=1 stime_us=1 ";
	char pairs[RECORD_MAX];

	(void)state;
	start(w);
	come_up(w, 1, "a");
	sprintf(pairs, "%sstatus=fail reason=mount%%20v3:%%20%%1B%%5B2Jno%%20reply", end);
	send(w, "end", pairs, 0);
	assert_non_null(strstr(w->said, "1 boot-time fail: mount v3: \\x1b[2Jno reply\n"));
	send(w, "end", pairs, 0);
	assert_int_equal(count_of(w->said, "boot-time fail"), 1);
	sprintf(pairs, "%sstatus=timeout", end);
	send(w, "end", pairs, 0);
	assert_non_null(strstr(w->said, "1 boot-time timeout\n"));
	send(w, "end", "test=invented status=fail", 0);
	send(w, "end", "test=boot-time status=skip reason=x", 0);
	send(w, "end", "test=boot-time status=%1B", 0);
	send(w, "end", "test=boot-time status=pass", 0);
	assert_int_equal(count_of(w->said, "boot-time"), 2);
	assert_int_equal(count_of(w->said, "invented"), 0);
	/* the other subject is another matter */
	bye(w);
	send(w, "ask", "", 0);
	jump(w);
	boot_as(w, 0x102);
	hello(w, "b", "unknown");
	sprintf(pairs, "%sstatus=crash", end);
	send(w, "end", pairs, 0);
	assert_non_null(strstr(w->said, "2 boot-time crash\n"));
	stop(w);
	free(w);
}

/* By HTTP: the same answers; a late question of a kernel that is gone gets none. */
static void test_http(void **state)
{
	struct world *w = malloc(sizeof(*w));
	char old[RECORD_MAX + 1];

	(void)state;
	start(w);
	go_from_home(w, 1);
	strcpy(old, w->sent[w->seq - 2]); /* home's ask */
	boot_as(w, 0x101);
	hello(w, "a", "unknown");
	tests(w, 0);
	bye(w);
	assert_int_equal(drive_question(&w->d, old, strlen(old), &w->answer), 0);
	assert_int_equal(w->d.cur.tag, 0x101);
	send(w, "ask", "", 1);
	strcpy(old, w->sent[w->seq - 1]);
	assert_int_equal(drive_question(&w->d, old, strlen(old), &w->answer), 1);
	assert_int_equal(w->answer.line, 2);
	assert_int_equal(drive_question(&w->d, "# kd1 nonsense", 14, &w->answer), 0);
	assert_int_equal(drive_question(&w->d, w->sent[0], strlen(w->sent[0]), &w->answer), 0);
	stop(w);
	free(w);
}

/* A box with right CRCs that says anything at all: nothing breaks, nothing that is complete changes, the schedule stays bounded. */
static void test_any_record(void **state)
{
	static const char *const kinds[] = {"hello", "ident", "text", "begin", "phase", "metric", "end",
	                                    "fail",  "bye",   "ask",  "jump",  "part",  "env",    "zzz"};
	static const char *const pairs[] = {"box=box1",
	                                    "box=box2",
	                                    "role=home",
	                                    "role=crash",
	                                    "role=subject",
	                                    "start=chain",
	                                    "start=%00",
	                                    "rel=a",
	                                    "cmd=0123456789abcdef",
	                                    "name=version",
	                                    "part=1/1",
	                                    "part=9/2",
	                                    "data=x",
	                                    "test=boot-time",
	                                    "test=../%1B[2J",
	                                    "quiet_ms=1",
	                                    "quiet_ms=18446744073709551615",
	                                    "deadline_ms=1",
	                                    "line=1",
	                                    "line=2",
	                                    "line=4096",
	                                    "line=99999999",
	                                    "tag=00000101",
	                                    "tag=00000102",
	                                    "of=00000101",
	                                    "of=1",
	                                    "of=65535",
	                                    "name=panic",
	                                    "name=load",
	                                    "name=Z%20Z",
	                                    "count=2",
	                                    "count=65536",
	                                    "digest=00000000",
	                                    "i=1",
	                                    "n=1",
	                                    "n=8",
	                                    "reset=cold",
	                                    "reset=watchdog"};
	static const uint32_t tags[] = {0x101, 0x102, 0x103, HOME_TAG, HOME_TAG + 1, 0x777};
	unsigned x = 99, done = 0;

	(void)state;
	for (int round = 0; round < 30; round++) {
		struct world *w = malloc(sizeof(*w));

		start(w);
		for (int i = 0; i < 400; i++) {
			char buf[600];
			struct kv_out o;
			static struct record r;

			x = x * 1103515245 + 12345;
			kv_out_init(&o, buf, RECORD_MAX + 1);
			record_open(&o, tags[(x >> 8) % 6], (x >> 12) % 12, x >> 4, kinds[(x >> 16) % 14]);
			for (unsigned k = 0; k < x % 5; k++) {
				x = x * 1103515245 + 12345;
				kv_out_raw(&o, pairs[(x >> 16) % (sizeof(pairs) / sizeof(pairs[0]))]);
			}
			if (record_close(&o) < 0 || record_parse(&r, buf + 2, strlen(buf + 2)))
				continue;
			w->now += x >> 22;
			w->marks[0] = w->said[0] = 0;
			drive_bytes(&w->d, w->now);
			if (drive_record(&w->d, &r, buf + 2, STORE_SERIAL, (x >> 9) & 7 ? 1 : 0, &w->answer))
				assert_int_equal(w->answer.tag, r.tag);
			if (!(x >> 13 & 63))
				drive_tick(&w->d, w->now += 200000);
			assert_true(w->plan.tries <= 3 * (3 + DRIVE_VOIDS_MAX));
			assert_null(strchr(w->said, 27));
			done++;
		}
		stop(w);
		free(w);
	}
	assert_true(done > 5000);
}

int main(void)
{
	const struct CMUnitTest all[] = {
		cmocka_unit_test(test_again_without_bye),
		cmocka_unit_test(test_again_shorter),
		cmocka_unit_test(test_whole),
		cmocka_unit_test(test_again),
		cmocka_unit_test(test_gaps),
		cmocka_unit_test(test_nfs_fills),
		cmocka_unit_test(test_fetch_waits),
		cmocka_unit_test(test_replay),
		cmocka_unit_test(test_full_disk),
		cmocka_unit_test(test_strangers),
		cmocka_unit_test(test_flood),
		cmocka_unit_test(test_bad_tests),
		cmocka_unit_test(test_http),
		cmocka_unit_test(test_any_record),
	};

	return cmocka_run_group_tests(all, NULL, NULL);
}
