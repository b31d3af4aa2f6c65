// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Holds the 64-bit division that this is linked with against shift and subtract. Built by kd-cc of a 32-bit architecture (tests/build/45-i486.t).
 * Contract: prints "N divisions, M wrong" and ends with 1 when any was. Trap: the numbers come from volatile objects, or gcc divides itself.
 */
#include <stdint.h>
#include <stdio.h>

#define ROUNDS 75000

static volatile uint64_t dividend, divisor;
static unsigned long done, wrong;

static uint64_t by_hand(uint64_t n, uint64_t d, uint64_t *rest)
{
	uint64_t q = 0, r = 0;

	for (int i = 63; i >= 0; i--) {
		int over = (int)(r >> 63);

		r = r << 1 | (n >> i & 1);
		if (over || r >= d) {
			r -= d;
			q |= (uint64_t)1 << i;
		}
	}
	*rest = r;
	return q;
}

static void hold(int right, const char *what)
{
	done++;
	if (!right && wrong++ < 10)
		fprintf(stderr, "%s of %llx by %llx\n", what, (unsigned long long)dividend, (unsigned long long)divisor);
}

static uint64_t magnitude(int64_t n) { return n < 0 ? -(uint64_t)n : (uint64_t)n; }

static void both(uint64_t n, uint64_t d)
{
	uint64_t r, q = by_hand(n, d, &r);

	dividend = n;
	divisor = d;
	hold(dividend / divisor == q, "quotient");
	hold(dividend % divisor == r, "rest");
	int64_t sn = (int64_t)n, sd = (int64_t)d;

	if (n == (uint64_t)1 << 63 && d == UINT64_MAX) { /* the one that has no answer */
		done += 2;
		return;
	}
	q = by_hand(magnitude(sn), magnitude(sd), &r);
	hold((uint64_t)((int64_t)dividend / (int64_t)divisor) == ((sn < 0) != (sd < 0) ? -q : q), "signed quotient");
	hold((uint64_t)((int64_t)dividend % (int64_t)divisor) == (sn < 0 ? -r : r), "signed rest");
}

static uint64_t random_number(void)
{
	static uint64_t x = 88172645463325252u;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return x >> (x & 63); /* of every length */
}

int main(void)
{
	static const uint64_t edges[] = {1,
	                                 2,
	                                 3,
	                                 10,
	                                 0x7fffffff,
	                                 0x80000000,
	                                 0xffffffff,
	                                 0x100000000,
	                                 0x100000001,
	                                 0x1ffffffff,
	                                 0x7fffffffffffffff,
	                                 0x8000000000000000,
	                                 0x8000000000000001,
	                                 0xffffffff00000000,
	                                 0xfffffffffffffffe,
	                                 0xffffffffffffffff};
	unsigned count = sizeof edges / sizeof *edges, i = 0;

	for (; i < count * count; i++)
		both(edges[i / count], edges[i % count]);
	for (; i < ROUNDS; i++) {
		uint64_t d = random_number();

		both(random_number(), d ? d : 1);
	}
	printf("%lu divisions, %lu wrong\n", done, wrong);
	return wrong != 0;
}
