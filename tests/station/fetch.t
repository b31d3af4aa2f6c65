#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 600
# kernel fetch on the distribution's real kernels: the default two and home, nothing twice, a damaged download, wrong words.
. tests/lib/tap.sh
KDYNO=$TAP_TOP/$BUILD/kdyno
command -v apt-get >/dev/null || skip_all "no apt here"
# The lab that the QEMU tests use too, so that it is made once.
KDYNO_LAB=$TAP_TOP/$BUILD/test-lab
export KDYNO_LAB

run "$KDYNO" kernel fetch
is "kernel fetch" "$status" 0 || bail "$err"
is "three kernels, added or there" "$(printf '%s\n' "$out" | grep -cE '^(added|have) ')" 3
like "the first is the distribution's own" "$out" '^(added|have) [0-9].*cloud-amd64: #1 SMP.*initrd=initramfs, compression=.*gzip.*kexec_file=yes, modules=yes'
like "and is home too" "$out" '^(added|have) home: '
run "$KDYNO" kernel fetch
is "again" "$status" 0
is "adds nothing" "$(printf '%s\n' "$out" | grep -c '^have ')" 3
unlike "and downloads nothing" "$out" '^fetch'
own=$(printf '%s\n' "$out" | sed -n 's/^have \([0-9][^:]*\):.*/\1/p' | head -n 1)
is "vmlinuz is shared with home" "$(stat -c %i "$KDYNO_LAB/kernels/$own/vmlinuz")" "$(stat -c %i "$KDYNO_LAB/kernels/home/vmlinuz")"
check "depmod knows NFS" grep -q '/nfs\.ko' "$KDYNO_LAB/kernels/$own/modules/lib/modules/$own/modules.dep"

# A cached package that has lost its end is fetched again, and the kernel made of it is the same.
cache=${KDYNO_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/kdyno}
deb=$(cd "$cache/kernels" && ls linux-image-"$own"_*.deb)
mkdir -p "$TAP_TMP/cache/kernels"
ln -s "$cache/apt" "$TAP_TMP/cache/apt"
head -c 1000000 "$cache/kernels/$deb" >"$TAP_TMP/cache/kernels/$deb"
run env KDYNO_CACHE="$TAP_TMP/cache" KDYNO_LAB="$TAP_TMP/lab" "$KDYNO" kernel fetch linux-image-"$own"
is "a truncated package in the cache" "$status" 0
like "it is said" "$err" 'is damaged: fetched again'
check "the download is whole" cmp "$cache/kernels/$deb" "$TAP_TMP/cache/kernels/$deb"
check "its hash stands beside" sh -c 'cd "$1" && sha256sum -c ./*.sha256' sh "$TAP_TMP/cache/kernels"
check "and the kernel is the same" cmp "$TAP_TMP/lab/kernels/$own/vmlinuz" "$KDYNO_LAB/kernels/$own/vmlinuz"
is "nothing half-written" "$(find "$TAP_TMP/cache" "$TAP_TMP/lab" -name '.tmp-*')" ""

run "$KDYNO" kernel fetch linux-image-claud-amd64
is "an unknown package: exit 1" "$status" 1
one_line "an unknown package: one line" "$err"
like "an unknown package: nearest" "$err" "did you mean 'linux-image-cloud-amd64'"
run "$KDYNO" kernel fetch --suite nosuchsuite
is "an unknown suite: exit 1" "$status" 1
one_line "an unknown suite: one line" "$err"
run "$KDYNO" kernel fetch bash
like "no kernel package" "$err" 'bash is no kernel package'
run "$KDYNO" kernel fetch --suite 'a b'
is "no name of a suite" "$status" 2
tap_done
