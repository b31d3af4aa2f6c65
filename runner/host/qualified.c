/* SPDX-License-Identifier: GPL-2.0-or-later */
/* qualified: see qualified.h. Each switch has its keys, `<switch>` and `<switch>_...`. */
#include "host/qualified.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/io.h"
#include "common/kv.h"
#include "common/sha256.h"
#include "host/board.h"
#include "host/lab.h"

static const char *const safes[] = {"untried", "open", "safe", "unsafe"};
static const char *const shifts[] = {"unknown", "no", "boot", "yes"};
#define KEYS_HEAD 8 /* v .. base */
#define KEYS_WAY 8

const char *qualified_safe_name(enum qualified_safe s) { return s <= QUALIFIED_UNSAFE ? safes[s] : safes[0]; }
const char *qualified_shift_name(enum qualified_shift s) { return s <= QUALIFIED_YES ? shifts[s] : shifts[0]; }

static const char *key(enum plan_switch sw, const char *what, char *out, size_t size)
{
	snprintf(out, size, "%s%s%s", plan_switch_name(sw), *what ? "_" : "", what);
	return out;
}

static void put_way(struct kv_out *o, enum plan_switch sw, const struct qualified_way *w)
{
	char k[32];

	kv_out_str(o, key(sw, "", k, sizeof k), qualified_safe_name(w->safe));
	kv_out_u64(o, key(sw, "boots", k, sizeof k), w->boots);
	kv_out_u64(o, key(sw, "complete", k, sizeof k), w->complete);
	kv_out_u64(o, key(sw, "bad", k, sizeof k), w->bad);
	kv_out_str(o, key(sw, "why", k, sizeof k), w->why);
	kv_out_u64(o, key(sw, "turn_ms", k, sizeof k), w->turn_ms);
	kv_out_str(o, key(sw, "shift", k, sizeof k), qualified_shift_name(w->shift));
	kv_out_str(o, key(sw, "shifted", k, sizeof k), w->shifted);
}

long qualified_format(const struct qualified *q, char *out, size_t size)
{
	struct kv_out o;

	kv_out_init(&o, out, size);
	kv_out_word(&o, "qualified");
	kv_out_u64(&o, "v", 1);
	kv_out_str(&o, "box", q->box);
	kv_out_str(&o, "kernel", q->kernel);
	kv_out_str(&o, "suite", q->suite);
	kv_out_u64(&o, "rounds", q->rounds);
	kv_out_u64(&o, "at", q->at_s);
	kv_out_str(&o, "board", q->board);
	kv_out_str(&o, "base", q->base ? plan_switch_name(q->base) : "");
	for (enum plan_switch sw = PLAN_CHAIN; sw <= PLAN_FIRMWARE; sw++)
		put_way(&o, sw, &q->way[sw]);
	kv_out_crc(&o, 0);
	if (o.err)
		return o.err;
	if (o.len + 2 > size || o.len > KV_LINE_MAX)
		return -EMSGSIZE;
	memcpy(out + o.len, "\n", 2);
	return (long)o.len + 1;
}

static int wrong(char *why, size_t size, const char *what, const char *k)
{
	snprintf(why, size, "%s: %s", k, what);
	return -EINVAL;
}

static int take_id(const struct kv_line *l, const char *k, char *out, size_t out_size, char *why, size_t size)
{
	return kv_str(l, k, out, out_size) || !kv_is_id(out) ? wrong(why, size, "a name was expected", k) : 0;
}

static int take_number(const struct kv_line *l, const char *k, uint64_t max, uint64_t *out, char *why, size_t size)
{
	return kv_u64(l, k, out) || *out > max ? wrong(why, size, "a number was expected", k) : 0;
}

static int take_word(const struct kv_line *l, const char *k, const char *const *words, unsigned n, unsigned *out, char *why, size_t size)
{
	const char *v = kv_get(l, k);

	for (*out = 0; v && *out < n; ++*out)
		if (!strcmp(v, words[*out]))
			return 0;
	return wrong(why, size, "no such word", k);
}

static int take_way(const struct kv_line *l, enum plan_switch sw, struct qualified_way *w, char *why, size_t size)
{
	uint64_t boots = 0, complete = 0, bad = 0;
	unsigned safe = 0, shift = 0;
	char k[32];

	if (take_word(l, key(sw, "", k, sizeof k), safes, 4, &safe, why, size) ||
	    take_number(l, key(sw, "boots", k, sizeof k), PLAN_TRIES_MAX, &boots, why, size) ||
	    take_number(l, key(sw, "complete", k, sizeof k), boots, &complete, why, size) ||
	    take_number(l, key(sw, "bad", k, sizeof k), PLAN_TRIES_MAX, &bad, why, size) ||
	    take_number(l, key(sw, "turn_ms", k, sizeof k), UINT32_MAX, &w->turn_ms, why, size) ||
	    take_word(l, key(sw, "shift", k, sizeof k), shifts, 4, &shift, why, size))
		return -EINVAL;
	if (kv_str(l, key(sw, "why", k, sizeof k), w->why, sizeof w->why) ||
	    kv_str(l, key(sw, "shifted", k, sizeof k), w->shifted, sizeof w->shifted))
		return wrong(why, size, "missing or too long", k);
	if (safe == QUALIFIED_SAFE && (bad || complete != boots || !boots))
		return wrong(why, size, "safe, though not every boot was", plan_switch_name(sw));
	w->safe = (enum qualified_safe)safe;
	w->shift = (enum qualified_shift)shift;
	w->boots = (unsigned)boots;
	w->complete = (unsigned)complete;
	w->bad = (unsigned)bad;
	return 0;
}

int qualified_parse(struct qualified *q, const char *text, size_t len, char *why, size_t size)
{
	static struct kv_line l; /* 5 KiB */
	uint64_t v = 0, rounds = 0;
	const char *base;

	memset(q, 0, sizeof *q);
	if (!len || text[len - 1] != '\n' || memchr(text, '\n', len) != text + len - 1)
		return wrong(why, size, "one whole line was expected", "qualified");
	if (kv_parse_crc(&l, text, len - 1))
		return wrong(why, size, "the line is damaged (its CRC does not hold)", "qualified");
	if (strcmp(l.word, "qualified") || l.n != KEYS_HEAD + (size_t)PLAN_FIRMWARE * KEYS_WAY)
		return wrong(why, size, "not a line of this version", "qualified");
	if (take_number(&l, "v", 1, &v, why, size) || !v)
		return wrong(why, size, "1 was expected", "v");
	if (take_id(&l, "box", q->box, sizeof q->box, why, size) || take_id(&l, "kernel", q->kernel, sizeof q->kernel, why, size) ||
	    take_id(&l, "suite", q->suite, sizeof q->suite, why, size) || take_number(&l, "rounds", PLAN_TRIES_MAX, &rounds, why, size) ||
	    take_number(&l, "at", UINT64_MAX, &q->at_s, why, size))
		return -EINVAL;
	q->rounds = (unsigned)rounds;
	if (kv_str(&l, "board", q->board, sizeof q->board) || strlen(q->board) != 16)
		return wrong(why, size, "16 hex digits were expected", "board");
	base = kv_get(&l, "base");
	if (!base || (*base && plan_switch_parse(base, &q->base)))
		return wrong(why, size, "a switch was expected", "base");
	for (enum plan_switch sw = PLAN_CHAIN; sw <= PLAN_FIRMWARE; sw++)
		if (take_way(&l, sw, &q->way[sw], why, size))
			return -EINVAL;
	return 0;
}

int qualified_read(struct qualified *q, const char *box, char *why, size_t size)
{
	char *path = lab_path("boxes/%s/qualified", box), *text = NULL, what[160];
	size_t len;
	int err = io_read_plain(path, QUALIFIED_TEXT_MAX + 64, &text, &len);

	why[0] = 0;
	if (err && err != -ENOENT)
		snprintf(why, size, "read %s: %s", path, err == -EINVAL ? "no plain file" : strerror(-err));
	if (!err) {
		err = qualified_parse(q, text, len, what, sizeof what);
		if (!err && strcmp(q->box, box)) {
			err = -EINVAL;
			snprintf(what, sizeof what, "it is of box %s", q->box);
		}
		if (err)
			snprintf(why, size, "%s: %s; 'kdyno box qualify %s' makes it anew", path, what, box);
	}
	free(text);
	free(path);
	return err;
}

int qualified_write(const struct qualified *q)
{
	char text[QUALIFIED_TEXT_MAX + 64], *folder = lab_path("boxes/%s", q->box), *path = lab_path("boxes/%s/qualified", q->box);
	long n = qualified_format(q, text, sizeof text);
	int err = n < 0 ? (int)n : io_mkdirs(folder, 0755);

	if (!err)
		err = io_write_file(path, text, (size_t)n, 0644);
	free(folder);
	free(path);
	return err;
}

/* Of all files that the config is made of, one behind the other. */
static int hash_board(const char *path, char hex[65])
{
	struct board b;
	struct board_source source;
	struct board_error e;
	struct sha256 sum;
	int err = 0;

	if (board_read_from(&b, &source, path, &e))
		return sha256_file(path, hex, NULL);
	sha256_init(&sum);
	for (size_t i = 0; !err && i < source.files; i++) {
		char *text = NULL;
		size_t len;

		err = io_read_plain(source.file[i], 1 << 20, &text, &len);
		if (!err)
			sha256_update(&sum, text, len);
		free(text);
	}
	sha256_final_hex(&sum, hex);
	board_source_free(&source);
	board_free(&b);
	return err;
}

int qualified_board_hash(const char *box, char out[17])
{
	char *path = lab_path("boards/%s.ini", box), hex[65];
	int err = hash_board(path, hex);

	memcpy(out, hex, 16);
	out[err ? 0 : 16] = 0;
	free(path);
	return err;
}

/* Why a switch is not to be used; 0: it may be. *found: by what was found out, not by what the kernels can do. */
static int refuse(const struct qualified *q, enum plan_switch sw, const struct qualified_can *can, int *found, char *why, size_t size)
{
	const struct qualified_way *w = q ? &q->way[sw] : NULL;
	const char *name = plan_switch_name(sw);

	if (sw == PLAN_CHAIN && can->no_kexec) {
		snprintf(why, size, "kernel %s cannot kexec", can->no_kexec);
		return 1;
	}
	if (!can->home_kexecs) {
		snprintf(why, size, "home cannot kexec");
		return 1;
	}
	if (!w || (w->safe != QUALIFIED_UNSAFE && w->shift != QUALIFIED_YES))
		return 0;
	*found = 1;
	if (w->safe == QUALIFIED_UNSAFE)
		snprintf(why, size, "%s is not safe here (%u of %u boots complete%s%s)", name, w->complete, w->boots, *w->why ? ", " : "", w->why);
	else
		snprintf(why, size, "%s shifts %.120s", name, w->shifted);
	return 1;
}

enum plan_switch qualified_choose(const struct qualified *q, enum plan_switch wanted, const struct qualified_can *can, char *why, size_t size)
{
	char reason[200];
	int found = 0;

	why[0] = 0;
	for (enum plan_switch sw = wanted; sw < PLAN_FIRMWARE; sw++) {
		if (refuse(q, sw, can, &found, reason, sizeof reason)) {
			if (!why[0])
				snprintf(why, size, "%s", reason);
			continue;
		}
		if (sw == wanted || !found || q->way[sw].safe == QUALIFIED_SAFE)
			return sw;
	}
	return PLAN_FIRMWARE;
}

char *qualified_words(const struct qualified *q, enum plan_switch sw, char *out, size_t size)
{
	const struct qualified_way *w = &q->way[sw];
	char bad[120] = "", shift[QUALIFIED_LIST_MAX + 64] = "";

	if (w->bad)
		snprintf(bad, sizeof bad, ", %u bad %s: %s", w->bad, w->bad == 1 ? "try" : "tries", w->why);
	if (q->base && q->base != sw && w->shift == QUALIFIED_NO)
		snprintf(shift, sizeof shift, ", no shift against %s", plan_switch_name(q->base));
	else if (q->base && q->base != sw && w->shift == QUALIFIED_UNKNOWN)
		snprintf(shift, sizeof shift, ", whether it shifts a metric: not known");
	else if (q->base && q->base != sw)
		snprintf(shift, sizeof shift, ", %s: %s", w->shift == QUALIFIED_BOOT ? "shifts what measures the boot itself" : "shifts", w->shifted);
	if (w->safe == QUALIFIED_UNTRIED)
		snprintf(out, size, "untried%s%s", *w->why ? ": " : "", w->why);
	else
		snprintf(out, size, "%s (%u of %u boots complete%s)%s", qualified_safe_name(w->safe), w->complete, w->boots, bad, shift);
	return out;
}
