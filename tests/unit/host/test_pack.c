/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pack: which modules, in which order, decompressed, the same bytes twice; and the compression of an image. */
#include "../common/unit.h"

#include <errno.h>

#include "common/io.h"
#include "common/sha256.h"
#include "host/freeze.h"
#include "host/lab.h"
#include "host/pack.h"
#include "host/unpack.h"

static struct unit_dir dir;
static char err[600];

static void put(const char *name, const char *text, size_t len)
{
	char *path = lab_path("kernels/k/modules/lib/modules/6.9/%s", name), *slash = strrchr(path, '/');
	*slash = 0;
	assert_int_equal(io_mkdirs(path, 0755), 0);
	*slash = '/';
	assert_int_equal(io_write_file(path, text, len, 0644), 0);
	free(path);
}

static void put_text(const char *name, const char *text) { put(name, text, strlen(text)); }

/* An "ELF" file under its name, compressed by a program of the machine. */
static void put_module(const char *name, const char *tool)
{
	char text[64], cmd[900];
	int n = snprintf(text, sizeof text, "\177ELF %s", name);
	put(name, text, (size_t)n);
	char *path = lab_path("kernels/k/modules/lib/modules/6.9/%s", name);
	snprintf(cmd, sizeof cmd, "%s '%s'", tool, path);
	if (*tool)
		assert_int_equal(system(cmd), 0);
	free(path);
}

static void make_kernel(struct kernel *k)
{
	*k = (struct kernel){.id = "k", .release = "6.9", .modules = 1};
	lab_create();
	put_module("kernel/net.ko", "xz -f");
	put_module("kernel/core.ko", "gzip -f");
	put_module("kernel/a-disk.ko", "zstd -q --rm -f");
	put_module("kernel/plain.ko", "");
	put_text("modules.dep",
	         "kernel/net.ko.xz: kernel/core.ko.gz\nkernel/core.ko.gz:\nkernel/a-disk.ko.zst:\nkernel/plain.ko:\nkernel/fake.ko:\n");
	put("modules.builtin", "kernel/ext4.ko\n", 15);
	put("kernel/fake.ko", "no module", 9);
}

struct seen {
	char names[400], order[200];
	int bad;
};

static int look(void *user, const char *name, uint64_t bytes, struct archive *a)
{
	struct seen *s = user;
	const char *path = unit_path(&dir, "file");
	char *text;
	size_t len;
	(void)bytes;
	strcat(strcat(s->names, " "), strrchr(name, '/') + 1);
	assert_int_equal(unpack_to_file(a, path, err, sizeof err), 0);
	assert_int_equal(io_read_file(path, 1000, &text, &len), 0);
	if (!strcmp(name, "kd/pack/order"))
		strcpy(s->order, text);
	else
		s->bad |= len < 4 || memcmp(text, "\177ELF", 4);
	free(text);
	return 0;
}

static void test_pack(void **state)
{
	struct kernel k;
	struct pack p;
	struct board b = {.name = "box", .nic = "net", .modules = "a_disk,ext4,plain?,gone?", .watchdog = ""};
	struct seen s = {0};
	char path[600], one[65], two[65];
	uint64_t bytes;
	(void)state;
	make_kernel(&k);
	snprintf(path, sizeof path, "%s", unit_path(&dir, "pack.cpio"));
	assert_int_equal(pack_write(&p, &k, &b, path, err, sizeof err), 0);
	assert_int_equal(p.modules, 4);
	assert_string_equal(p.missing, "gone");
	assert_int_equal(p.unproven, 0);
	assert_int_equal(sha256_file(path, one, &bytes), 0);
	assert_int_equal(bytes % 512, 0);
	assert_int_equal(bytes, p.bytes);
	assert_int_equal(unpack_walk(path, look, &s, err, sizeof err), 0);
	assert_string_equal(s.order, "core.ko\nnet.ko\na-disk.ko\nplain.ko\n");
	assert_string_equal(s.names, " order core.ko net.ko a-disk.ko plain.ko");
	assert_int_equal(s.bad, 0);
	assert_int_equal(pack_write(&p, &k, &b, path, err, sizeof err), 0);
	assert_int_equal(sha256_file(path, two, NULL), 0);
	assert_string_equal(one, two);
}

/* The drivers of the watchdog come last, in the board's order; what carries it over a jump is the first that the kernel has. */
static void test_watchdog(void **state)
{
	static const struct {
		const char *list, *watchdog, *missing;
		size_t modules;
	} row[] = {
		{"gone?,plain?,a-disk", "plain", "gone", 4}, {"a-disk,plain", "a-disk", "", 4}, {"ext4?", "ext4", "", 2},
		{"gone?,softdog?", "", "gone", 3},           {"softdog,plain", "", "", 4},      {"", "", "", 2},
	};
	struct kernel k;
	struct pack p;
	struct board b = {.name = "box", .nic = "net", .modules = ""};
	char path[600];
	(void)state;
	make_kernel(&k);
	put_module("kernel/softdog.ko", "");
	put_text("modules.dep",
	         "kernel/net.ko.xz: kernel/core.ko.gz\nkernel/core.ko.gz:\nkernel/a-disk.ko.zst:\nkernel/plain.ko:\nkernel/softdog.ko:\n");
	snprintf(path, sizeof path, "%s", unit_path(&dir, "pack.cpio"));
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		b.watchdog = (char *)(uintptr_t)row[i].list;
		assert_int_equal(pack_write(&p, &k, &b, path, err, sizeof err), 0);
		assert_string_equal(p.watchdog, row[i].watchdog);
		assert_string_equal(p.missing, row[i].missing);
		assert_int_equal(p.modules, row[i].modules);
	}
	b.watchdog = (char *)(uintptr_t) "gone";
	assert_int_equal(pack_write(&p, &k, &b, path, err, sizeof err), -ENOENT);
}

static void test_refused(void **state)
{
	struct kernel k;
	struct pack p;
	struct board b = {.name = "box", .nic = "net", .modules = "ext4,gone", .watchdog = ""};
	char path[600];
	(void)state;
	make_kernel(&k);
	snprintf(path, sizeof path, "%s", unit_path(&dir, "pack.cpio"));
	assert_int_equal(pack_write(&p, &k, &b, path, err, sizeof err), -ENOENT);
	assert_non_null(strstr(err, "kernel k lacks what box box needs: gone"));
	b.modules = "fake";
	assert_int_equal(pack_write(&p, &k, &b, path, err, sizeof err), -EBADMSG);
	assert_non_null(strstr(err, "not an ELF file"));
	put("kernel/core.ko.gz", "\x1f\x8b\x08\0\0\0\0\0\0\3xx", 12);
	b.modules = "";
	assert_int_equal(pack_write(&p, &k, &b, path, err, sizeof err), -EBADMSG);
	assert_non_null(strstr(err, "damaged or truncated"));
	b.nic = "ext4";
	assert_int_equal(pack_write(&p, &k, &b, "/nonexistent/pack", err, sizeof err), -ENOENT);
	/* A bare image: nothing is known, so it is trusted, and said. */
	k = (struct kernel){.id = "bare", .release = "6.9"};
	b.modules = "whatever";
	assert_int_equal(pack_write(&p, &k, &b, path, err, sizeof err), 0);
	assert_int_equal(p.unproven, 1);
	assert_int_equal(p.modules, 0);
}

static int have(void *user, const char *ext) { return strstr(user, *ext ? ext : "none") != NULL; }

static void test_compression(void **state)
{
	struct kernel k = {.compression = "gzip,xz,zstd"};
	(void)state;
	assert_string_equal(freeze_compression(&k, have, "gz xz none"), "gz");
	assert_string_equal(freeze_compression(&k, have, "xz none"), "xz");
	assert_string_equal(freeze_compression(&k, have, "zst"), "zst");
	assert_null(freeze_compression(&k, have, ""));
	strcpy(k.compression, "lz4");
	assert_string_equal(freeze_compression(&k, have, "gz xz none"), "");
	assert_null(freeze_compression(&k, have, "gz xz"));
	strcpy(k.compression, "none");
	assert_string_equal(freeze_compression(&k, have, "gz none"), "");
}

static int setup(void **state)
{
	(void)state;
	unit_dir_make(&dir);
	setenv("KDYNO_LAB", unit_path(&dir, "lab"), 1);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	unit_dir_remove(&dir);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_pack), cmocka_unit_test(test_watchdog), cmocka_unit_test(test_refused),
	                                   cmocka_unit_test(test_compression)};
	return cmocka_run_group_tests_name("pack", tests, setup, teardown);
}
