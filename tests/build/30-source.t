#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Sources and built packages are hashed on every use: what is damaged is named in one line and never used. Nothing here
# reaches for the network: the mirror is an empty directory, and SOURCES has what is wanted.
. tests/lib/tap.sh

cache=${KDYNO_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/kdyno}
check "the source of musl is there" image/package source musl || bail "no source"
file=$(basename "$(image/package source musl)")
KDYNO_CACHE=$TAP_TMP/cache KDYNO_APT_ETC=$TAP_TMP/empty
export KDYNO_CACHE KDYNO_APT_ETC
mkdir -p "$TAP_TMP/cache/sources" "$TAP_TMP/empty" "$TAP_TMP/good" "$TAP_TMP/bad"
cp "$cache/sources/$file" "$TAP_TMP/good/"
head -c 100000 "$cache/sources/$file" >"$TAP_TMP/bad/$file"

cp "$TAP_TMP/bad/$file" "$TAP_TMP/cache/sources/"
run image/package source musl
is "damaged cached source: exit code" "$status" 1
one_line "damaged cached source: one line" "$err"
like "damaged cached source: named, with the way out" "$err" "cache/sources/$file is damaged.*run again"
check "damaged cached source: moved aside" test -f "$TAP_TMP/cache/sources/$file.bad" -a ! -e "$TAP_TMP/cache/sources/$file"

run env SOURCES="$TAP_TMP/good" image/package source musl
is "fetched anew from SOURCES" "$status" 0 || diag "$err"
is "and kept in the cache" "$(sha256sum <"$TAP_TMP/cache/sources/$file")" "$(sha256sum <"$TAP_TMP/good/$file")"
run env SOURCES="$TAP_TMP/bad" image/package source musl
is "then the cache is enough" "$status" 0

rm "$TAP_TMP/cache/sources/$file"
run env SOURCES="$TAP_TMP/bad" image/package source musl
is "damaged in SOURCES: exit code" "$status" 1
one_line "damaged in SOURCES: one line" "$err"
like "damaged in SOURCES: named" "$err" "bad/$file is not the file"
is "damaged in SOURCES: nothing half-written" "$(find "$TAP_TMP/cache/sources" -name '.new*' -o -name "$file" | wc -l)" 0

run image/package source nothing
is "unknown package: exit code" "$status" 2
one_line "unknown package: one line" "$err"

# A built package is known by all that went into it, and hashed like a source.
before=$(image/package key musl x86_64)
mkdir "$TAP_TMP/tree"
cp -r image "$TAP_TMP/tree/image"
is "the key does not depend on where the tree is" "$("$TAP_TMP/tree/image/package" key musl x86_64)" "$before"
echo '# changed' >>"$TAP_TMP/tree/image/packages/musl/package"
run "$TAP_TMP/tree/image/package" key musl x86_64
check "a changed fragment changes the key" test "$out" != "$before"
run "$TAP_TMP/tree/image/package" key busybox x86_64
check "and the keys of what needs it" test "$out" != "$(image/package key busybox x86_64)"
tap_done
