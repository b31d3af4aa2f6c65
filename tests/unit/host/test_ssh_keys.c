/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ssh_keys: the public key in what a tool says, and where the person's key is. */
#include "../common/unit.h"

#include <errno.h>
#include <stdlib.h>

#include "host/ssh_keys.h"

#define KEY "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl"

static int take(const char *text, char *out, size_t size) { return ssh_keys_public(text, strlen(text), out, size); }

static void test_public(void **state)
{
	static const char *const yes[] = {KEY, KEY "\n", KEY " someone@somewhere\n",
	                                  "Generating 256 bit ed25519 key\nPublic key portion is:\n" KEY " root@box\nFingerprint: SHA256:x\n",
	                                  "a b " KEY "\r\n"};
	static const char *const no[] = {"", "ssh-ed25519", "ssh-ed25519 ", "ssh-ed25519 AAAA",
	                                 "ssh-rsa AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl"};
	char out[SSH_KEYS_LINE_MAX], big[SSH_KEYS_LINE_MAX + 100] = "ssh-ed25519 ";

	(void)state;
	for (size_t i = 0; i < sizeof yes / sizeof *yes; i++) {
		assert_int_equal(take(yes[i], out, sizeof out), 0);
		assert_string_equal(out, KEY);
	}
	for (size_t i = 0; i < sizeof no / sizeof *no; i++)
		assert_int_equal(take(no[i], out, sizeof out), -EINVAL);
	memset(big + strlen(big), 'A', SSH_KEYS_LINE_MAX);
	assert_int_equal(take(big, out, sizeof out), -EINVAL);
	assert_int_equal(take(KEY, out, sizeof KEY - 1), -EINVAL);
	assert_int_equal(take(KEY, out, sizeof KEY), 0);
	assert_int_equal(ssh_keys_public(KEY, 20, out, sizeof out), -EINVAL);
}

static void is_path(const char *wanted)
{
	char *path = ssh_keys_path();

	assert_string_equal(path, wanted);
	free(path);
}

static void test_path(void **state)
{
	(void)state;
	setenv("HOME", "/home/p", 1);
	unsetenv("XDG_CONFIG_HOME");
	unsetenv("KDYNO_SSH");
	is_path("/home/p/.config/kdyno/ssh/id_ed25519");
	setenv("XDG_CONFIG_HOME", "/c", 1);
	is_path("/c/kdyno/ssh/id_ed25519");
	setenv("XDG_CONFIG_HOME", "relative", 1); /* the specification wants such a one ignored */
	is_path("/home/p/.config/kdyno/ssh/id_ed25519");
	setenv("KDYNO_SSH", "/k", 1);
	is_path("/k/id_ed25519");
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_public), cmocka_unit_test(test_path)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
