#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# image/apt-root on mirrors made here (file: URIs), so that nothing leaves the machine: which entries it keeps, how it
# adds suites, and that the second call does nothing.
. tests/lib/tap.sh

KDYNO_APT_ETC=$TAP_TMP/etc
export KDYNO_APT_ETC
mkdir -p "$KDYNO_APT_ETC/sources.list.d"

# mirror DIR SUITE ORIGIN LABEL: an empty repository of that suite
mirror() {
    mkdir -p "$TAP_TMP/$1/dists/$2/main/binary-$(dpkg --print-architecture)" "$TAP_TMP/$1/dists/$2/main/source"
    : >"$TAP_TMP/$1/dists/$2/main/binary-$(dpkg --print-architecture)/Packages"
    : >"$TAP_TMP/$1/dists/$2/main/source/Sources"
    (cd "$TAP_TMP/$1/dists/$2" && {
        printf '%s\n' "Origin: $3" "Label: $4" "Suite: $2" "Codename: $2" "Components: main" \
            "Architectures: $(dpkg --print-architecture)" "Date: $(date -Ru)" "SHA256:"
        for f in main/*/*; do echo " $(sha256sum <"$f" | cut -d' ' -f1) $(wc -c <"$f") $f"; done
    } >Release)
}
mirror debian able Debian Debian
mirror debian baker Debian Debian
mirror debian able-backports Debian "Debian Backports"
mirror debian-security able-security Debian Debian-Security
mirror debian-security baker-security Debian Debian-Security
mirror other able Other Other

printf '%s\n' '# a comment' "deb [ trusted=yes arch=$(dpkg --print-architecture) ] file:$TAP_TMP/debian able main contrib # and another" \
    "deb [trusted=yes] file:$TAP_TMP/other able main" "deb [trusted=yes] file:$TAP_TMP/flat ./" \
    "deb cdrom:[Debian]/ able main" >"$KDYNO_APT_ETC/sources.list"
printf '%s\n' "Types: deb" "URIs: file:$TAP_TMP/debian-security" "Suites: able-security" "Components: main" "Trusted: yes" \
    "" "Types: deb" "URIs: file:$TAP_TMP/debian" "Suites: baker" "Components: main" "Trusted: yes" "Enabled: no" \
    >"$KDYNO_APT_ETC/sources.list.d/more.sources"

run image/apt-root "$TAP_TMP/root"
is "makes a root" "$status" 0 || diag "$err"
is "prints the configuration's path" "$out" "$TAP_TMP/root/apt.conf"
list=$(cat "$TAP_TMP/root/sources.list")
like "keeps the one-line entry" "$list" "^deb \[trusted=yes\] file:$TAP_TMP/debian able main contrib$"
like "switches source packages on" "$list" "^deb-src .*/debian able main contrib$"
like "keeps the deb822 entry" "$list" "^deb .*/debian-security able-security main$"
unlike "leaves what is not of Debian" "$list" "/other"
unlike "leaves what is disabled" "$list" "baker"
check "apt takes the configuration" env APT_CONFIG="$TAP_TMP/root/apt.conf" apt-cache policy nothing
stamp=$(stat -c %y "$TAP_TMP/root/apt.conf")
run image/apt-root "$TAP_TMP/root"
is "the second call does nothing" "$(stat -c %y "$TAP_TMP/root/apt.conf")" "$stamp"

run image/apt-root --suite baker --suite able-backports --no-source "$TAP_TMP/more"
is "adds suites" "$status" 0 || diag "$err"
list=$(cat "$TAP_TMP/more/sources.list")
like "the suite that was asked for" "$list" "/debian baker main"
like "and its security updates" "$list" "/debian-security baker-security main"
like "backports" "$list" "/debian able-backports main"
unlike "without source packages" "$list" "deb-src"
run image/apt-root --suite baker --only "$TAP_TMP/only"
unlike "--only leaves the machine's own" "$(cat "$TAP_TMP/only/sources.list")" " able"

run image/apt-root --suite charlie "$TAP_TMP/none"
is "unknown suite: exit code" "$status" 1
one_line "unknown suite: one line" "$err"
like "unknown suite: named" "$err" "charlie"
run image/apt-root --suite 'a b;c' "$TAP_TMP/none"
is "a name that is none: exit code" "$status" 2
KDYNO_APT_ETC=$TAP_TMP/nowhere
run image/apt-root "$TAP_TMP/none2"
is "no sources: exit code" "$status" 1
one_line "no sources: one line" "$err"

# A key that stands in the file itself goes to a file of its own.
mkdir "$TAP_TMP/keys"
printf '%s\n' "Types: deb deb-src" "URIs: file:/a file:/b" "Suites: x y" "Components: main" "Signed-By:" \
    " -----BEGIN PGP PUBLIC KEY BLOCK-----" " ." " abc" " -----END PGP PUBLIC KEY BLOCK-----" >"$TAP_TMP/k.sources"
is "deb822: each URI with each suite" "$(awk -v keys="$TAP_TMP/keys" -f image/apt-root-deb822.awk "$TAP_TMP/k.sources" | wc -l)" 4
is "deb822: the key's second line is empty" "$(sed -n 2p "$TAP_TMP/keys/1.asc")" ""
tap_done
