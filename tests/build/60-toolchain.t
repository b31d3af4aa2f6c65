#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# kd-cc: static, musl and nothing else, kernel headers found, the system's libraries not.
. tests/lib/tap.sh
cc=$BUILD/$ARCH/bin/kd-cc
[ -x "$cc" ] || bail "no $cc; make toolchain"

printf '%s\n' '#include <math.h>' '#include <stdio.h>' '#include <linux/kexec.h>' '#include <asm/unistd.h>' \
    'int main(int c, char **v) { (void)v; return printf("%.3f\n", sqrt(c + 1)) < 0; }' >"$TAP_TMP/a.c"
check "builds with kernel headers and libm" "$cc" -std=c11 -Os -Wall -Wextra -Werror -o "$TAP_TMP/a" "$TAP_TMP/a.c" -lm
is "runs" "$("$TAP_TMP/a")" 1.414
unlike "is static" "$(readelf -lW "$TAP_TMP/a")" 'INTERP'
unlike "has no build id" "$(readelf -SW "$TAP_TMP/a")" 'build-id'
unlike "has nothing of glibc" "$(strings "$TAP_TMP/a" 2>/dev/null || cat "$TAP_TMP/a")" 'GLIBC'
echo 'int inflate(void); int main(void) { return inflate(); }' >"$TAP_TMP/b.c"
run "$cc" -o "$TAP_TMP/b" "$TAP_TMP/b.c" -lz -larchive
check "the system's libraries are not found" test "$status" -ne 0
echo '#include <archive.h>' >"$TAP_TMP/c.c"
run "$cc" -c -o "$TAP_TMP/c.o" "$TAP_TMP/c.c"
check "nor its headers" test "$status" -ne 0
tap_done
