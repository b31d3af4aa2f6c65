// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Division of 64-bit numbers on a 32-bit x86: what gcc calls there, in place of libgcc.
 *
 * Contract: gcc's own (names, and a division by zero traps); nothing past a 486. Source: the normalised estimate of
 * Warren, Hacker's Delight, 9-5. Trap: libgcc's is compiled for a 686, and its cmov is an illegal instruction on a 486;
 * compiled with -O of any kind, gcc must not turn these into calls of themselves, so nothing here divides 64 bits.
 */
typedef unsigned long long u64;
typedef long long s64;
typedef unsigned int u32;

u64 __udivmoddi4(u64 n, u64 d, u64 *rest);
s64 __divmoddi4(s64 n, s64 d, s64 *rest);
u64 __udivdi3(u64 n, u64 d);
u64 __umoddi3(u64 n, u64 d);
s64 __divdi3(s64 n, s64 d);
s64 __moddi3(s64 n, s64 d);

/* The quotient must fit into 32 bits: high < d. */
static u32 divl(u32 high, u32 low, u32 d, u32 *rest)
{
	u32 q, r;

	__asm__("divl %4" : "=a"(q), "=d"(r) : "0"(low), "1"(high), "rm"(d) : "cc");
	*rest = r;
	return q;
}

u64 __udivmoddi4(u64 n, u64 d, u64 *rest)
{
	u32 high = (u32)(n >> 32), low = (u32)n, d_high = (u32)(d >> 32), d_low = (u32)d;
	u64 q;

	if (!d_high) {
		u32 r = high, q_high = 0;

		if (high >= d_low) /* zero too: here it traps */
			q_high = divl(0, high, d_low, &r);
		q = (u64)q_high << 32 | divl(r, low, d_low, &r);
		if (rest)
			*rest = r;
		return q;
	}
	int shift = __builtin_clz(d_high);
	u64 half = n >> 1; /* so that the estimate fits */
	u32 r, guess = divl((u32)(half >> 32), (u32)half, (u32)(d << shift >> 32), &r);

	/* The estimate is right or one too large, and never too large once one is taken off. */
	q = (u64)guess << shift >> 31;
	if (q)
		q--;
	u64 left = n - q * d;

	if (left >= d) {
		q++;
		left -= d;
	}
	if (rest)
		*rest = left;
	return q;
}

s64 __divmoddi4(s64 n, s64 d, s64 *rest)
{
	u64 r, q = __udivmoddi4(n < 0 ? -(u64)n : (u64)n, d < 0 ? -(u64)d : (u64)d, &r);

	*rest = (s64)(n < 0 ? -r : r);
	return (s64)((n < 0) != (d < 0) ? -q : q);
}

u64 __udivdi3(u64 n, u64 d) { return __udivmoddi4(n, d, (u64 *)0); }

u64 __umoddi3(u64 n, u64 d)
{
	u64 r;

	__udivmoddi4(n, d, &r);
	return r;
}

s64 __divdi3(s64 n, s64 d)
{
	s64 r;

	return __divmoddi4(n, d, &r);
}

s64 __moddi3(s64 n, s64 d)
{
	s64 r;

	__divmoddi4(n, d, &r);
	return r;
}
