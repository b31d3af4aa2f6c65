#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# build.sh on machines where things are missing, played by a dpkg-query and a QEMU in front of the PATH; bad usage.
. tests/lib/tap.sh

mkdir "$TAP_TMP/bin"
fake() { # NAME LINE...: a program of that name in front of the PATH
    name=$1
    shift
    printf '%s\n' '#!/bin/sh' "$@" >"$TAP_TMP/bin/$name"
    chmod 755 "$TAP_TMP/bin/$name"
}
build_sh() { run env PATH="$TAP_TMP/bin:$PATH" BUILD="$TAP_TMP/build" ./build.sh "$@"; }

fake dpkg-query 'exit 1'
build_sh setup NO_INSTALL=1
is "nothing installed: exit code" "$status" 1
one_line "nothing installed: one line" "$err"
like "nothing installed: names the packages" "$err" 'missing: gcc .*libarchive-dev.*nfs-ganesha'
check "nothing installed: nothing was written" test ! -e "$TAP_TMP/build"

fake dpkg-query 'case $4 in kmod) exit 1 ;; esac' 'printf "ii "'
fake qemu-system-x86_64 'echo "QEMU emulator version 10.0.2 (Debian)"'
build_sh setup NO_INSTALL=1
is "one missing: exit code" "$status" 1
like "one missing: is named, alone" "$err" 'missing: kmod$'

fake dpkg-query 'printf "ii "'
build_sh setup NO_INSTALL=1
is "nothing missing: exit code" "$status" 0
fake qemu-system-x86_64 'echo "QEMU emulator version 7.2.11 (Debian 1:7.2)"'
build_sh setup NO_INSTALL=1
is "an old QEMU is no error" "$status" 0
like "an old QEMU is said to be one" "$out" '7\.2 is older than 8\.1'
fake dpkg-query 'printf "un "; exit 0'
build_sh image NO_INSTALL=1
is "known to dpkg but not installed is missing" "$status" 1

run env NO_INSTALL=1 PATH="$TAP_TMP/bin:$PATH" ./build.sh image BUILD="$TAP_TMP/build"
is "NO_INSTALL from the environment" "$status" 1

# A sweep of which a boot was given up is compared, and is a failure.
fake dpkg-query 'printf "ii "'
fake qemu-system-x86_64 'echo "QEMU emulator version 10.0.2 (Debian)"'
fake make 'exit 0'
mkdir -p "$TAP_TMP/build"
: >"$TAP_TMP/build/proven"
for code in 0 1; do
    fake ../build/kdyno 'shift 2' 'echo "kdyno $*"' "[ \"\$1 \$2\" != 'sweep run' ] || exit $code"
    build_sh sweep NO_INSTALL=1 LAB="$TAP_TMP/lab"
    is "sweep run ends with $code: exit code" "$status" $code
    like "sweep run ends with $code: compared" "$out" '^kdyno compare first$'
done
one_line "incomplete: one line" "$err"
like "incomplete: says so" "$err" 'not every boot of the sweep is complete'

for words in "" "paint" "sweep twice" "sweep COLOUR=red" "--fast"; do
    # shellcheck disable=SC2086 # words
    build_sh $words
    is "usage '$words': exit code" "$status" 2
done
one_line "usage: one line" "$err"
build_sh --help
is "--help: exit code" "$status" 0
like "--help: names the verbs" "$out" '^  sweep .*'
tap_done
