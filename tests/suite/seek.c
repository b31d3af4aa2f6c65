/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * seek: tickets, seekers.
 *
 * A ticket is 4 bytes, written 64 at a time (less than PIPE_BUF, and a page holds a whole number), so that no reader gets a part of
 * one. The end of tickets is the end of file, so a seeker that died hangs nobody.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/err.h"
#include "common/io.h"
#include "gun.h"
#include "rw.h"
#include "seek.h"
#include "team.h"

#define BURST 64
#define REWRITE_EACH 10

/* What a seeker leaves, in shared memory. */
struct slot {
	uint64_t start_ns, end_ns, rewrites, again, bad;
	int err;
	struct hist hist;
};

struct shot {
	struct seek *s;
	struct slot *slot; /* of the seeker to be forked */
	int tickets[2];
	struct gun gun;
	struct team team;
};

uint64_t seek_chunk(uint64_t seed, uint64_t ticket, uint64_t chunks)
{
	uint64_t x = seed + (ticket + 1) * 0x9e3779b97f4a7c15u; /* splitmix64, Steele, Lea and Flood 2014 */

	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
	return (x ^ (x >> 31)) % chunks;
}

int seek_check(const struct pattern *p, const void *buf, size_t len, uint64_t at, unsigned generation, uint64_t *bad)
{
	const char *sector = buf;

	for (size_t i = 0; i < len; i += PATTERN_SECTOR)
		if (pattern_check_stamps(p, sector + i, PATTERN_SECTOR, at + i, generation, bad) &&
		    pattern_check_stamps(p, sector + i, PATTERN_SECTOR, at + i, generation + 1, bad))
			return -EILSEQ;
	return 0;
}

static int read_chunk(const struct seek *s, int fd, uint64_t at)
{
	if (lseek(fd, (off_t)at, SEEK_SET) < 0)
		return -errno;
	return rw_read(fd, s->buf, s->chunk);
}

static int visit(const struct seek *s, struct slot *slot, int fd, uint32_t ticket)
{
	uint64_t at = seek_chunk(s->seed, ticket, s->size / s->chunk) * s->chunk;
	int err = read_chunk(s, fd, at);

	if (!err && seek_check(s->pattern, s->buf, s->chunk, at, s->generation, &slot->bad)) {
		slot->again++;
		err = read_chunk(s, fd, at);
		if (!err)
			err = seek_check(s->pattern, s->buf, s->chunk, at, s->generation, &slot->bad);
	}
	if (err || ticket % REWRITE_EACH)
		return err;
	slot->rewrites++;
	pattern_stamp(s->pattern, s->buf, s->chunk, at, s->generation + 1);
	if (lseek(fd, (off_t)at, SEEK_SET) < 0)
		return -errno;
	return io_write_all(fd, s->buf, s->chunk);
}

static int draw(const struct shot *shot, int fd)
{
	uint64_t before = shot->slot->start_ns;
	uint32_t ticket;

	for (;;) {
		int err = rw_read(shot->tickets[0], &ticket, sizeof(ticket));
		uint64_t now;

		if (err)
			return err == -ENODATA ? 0 : err;
		err = visit(shot->s, shot->slot, fd, ticket);
		if (err)
			return err;
		now = clock_now_ns();
		hist_add(&shot->slot->hist, now - before);
		before = now;
	}
}

static int seeker(void *data)
{
	struct shot *shot = data;
	struct slot *slot = shot->slot;
	int fd = open(shot->s->path, O_RDWR | O_CLOEXEC);

	close(shot->tickets[1]);
	slot->err = fd < 0 ? -errno : 0;
	if (slot->err || gun_worker_wait(&shot->gun))
		return EXIT_FAIL;
	slot->start_ns = clock_now_ns();
	slot->err = draw(shot, fd);
	if (!slot->err && shot->s->sync && fsync(fd))
		slot->err = -errno;
	if (close(fd) && !slot->err)
		slot->err = -errno;
	slot->end_ns = clock_now_ns();
	return slot->err ? EXIT_FAIL : EXIT_OK;
}

static int write_tickets(int fd, uint64_t seeks)
{
	uint32_t burst[BURST];
	int err = 0;

	for (uint64_t i = 0; i < seeks && !err;) {
		unsigned n = 0;

		for (; n < BURST && i < seeks; n++)
			burst[n] = (uint32_t)i++;
		err = io_write_all(fd, burst, n * sizeof(*burst));
	}
	return err;
}

/* Forks, fires, hands out and reaps. 0 or -errno; what a seeker met is in its slot. */
static int shoot(struct shot *shot, struct slot *slots)
{
	unsigned n = shot->s->seekers;
	int err = gun_init(&shot->gun);

	if (err) {
		close(shot->tickets[0]);
		close(shot->tickets[1]);
		return err;
	}
	for (unsigned i = 0; i < n && !err; i++) {
		shot->slot = &slots[i];
		err = team_add(&shot->team, seeker, shot);
	}
	close(shot->tickets[0]); /* or a pipe that nobody reads would be full for ever */
	shot->tickets[0] = -1;
	if (!err)
		err = gun_wait_ready(&shot->gun, n);
	if (!err)
		err = gun_fire(&shot->gun, n);
	if (!err)
		err = write_tickets(shot->tickets[1], shot->s->seeks);
	close(shot->tickets[1]);
	if (err)
		team_end(&shot->team);
	else if (team_join(&shot->team))
		err = -ECHILD;
	gun_close(&shot->gun);
	return err;
}

/* The sums; the first seeker's error is the one that is told. */
static int gather(struct seek *s, const struct slot *slots, int err)
{
	uint64_t start = UINT64_MAX, end = 0;

	hist_clear(&s->hist);
	s->rewrites = s->again = 0;
	for (unsigned i = 0; i < s->seekers; i++) {
		start = slots[i].start_ns < start ? slots[i].start_ns : start;
		end = slots[i].end_ns > end ? slots[i].end_ns : end;
		s->rewrites += slots[i].rewrites;
		s->again += slots[i].again;
		hist_merge(&s->hist, &slots[i].hist);
	}
	s->ns = end > start ? end - start : 0;
	for (unsigned i = 0; i < s->seekers; i++)
		if (slots[i].err) {
			s->bad = slots[i].bad;
			return slots[i].err;
		}
	return err;
}

int seek_run(struct seek *s)
{
	size_t bytes = s->seekers * sizeof(struct slot);
	struct slot *slots = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	static struct shot shot;
	int err;

	if (slots == MAP_FAILED)
		return -errno;
	memset(&shot, 0, sizeof(shot));
	shot.s = s;
	if (pipe(shot.tickets))
		err = -errno;
	else
		err = gather(s, slots, shoot(&shot, slots));
	munmap(slots, bytes);
	return err;
}
