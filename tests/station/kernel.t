#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 300
# kernel add, list, show, remove: every form that a kernel comes in, nothing twice, and every way in which it can be no kernel.
. tests/lib/tap.sh
. tests/station/lab.sh

# ---- the forms
fake_root "$TAP_TMP/r1" 6.9.1-a
run "$KDYNO" kernel add "$TAP_TMP/r1"
is "a folder" "$status" 0
like "what was understood" "$out" '^added 6\.9\.1-a: #1 SMP Test 6\.9\.1-a-1, x86_64, initrd=initramfs, compression=gzip,xz, kexec=yes, kexec_file=yes, modules=yes'
check "facts are there" test -s "$KDYNO_LAB/kernels/6.9.1-a/facts"
like "depmod ran" "$(cat "$KDYNO_LAB/kernels/6.9.1-a/modules/lib/modules/6.9.1-a/modules.dep")" 'virtio_net.ko: kernel/net/failover.ko'
run "$KDYNO" kernel add "$TAP_TMP/r1"
like "the same again is there" "$out" '^have 6\.9\.1-a:'

for tool in xz gzip zstd cat; do
    fake_root "$TAP_TMP/r-$tool" "6.9.2-$tool"
    fake_deb "$TAP_TMP/$tool.deb" "$TAP_TMP/r-$tool" $tool
    run "$KDYNO" kernel add "$TAP_TMP/$tool.deb"
    like "a .deb ($tool)" "$out" "^added 6\.9\.2-$tool: .*modules=yes"
done
is "modules stay as they come" "$(cd "$KDYNO_LAB/kernels/6.9.2-xz" && cmp modules/lib/modules/6.9.2-xz/kernel/fs/nfs.ko "$TAP_TMP/r-xz/lib/modules/6.9.2-xz/kernel/fs/nfs.ko")" ""

# A kernel of newer suites: image, modules and config in three packages, everything below usr/
r=7.2.0+split
mkdir -p "$TAP_TMP/s1/usr/lib/modules/$r" "$TAP_TMP/s2/usr/lib/modules/$r" "$TAP_TMP/s3/usr/lib/modules/$r"
fake_image "$TAP_TMP/s1/usr/lib/modules/$r/vmlinuz" $r
fake_modules "$TAP_TMP/s2/usr/lib/modules/$r"
xz "$TAP_TMP/s2/usr/lib/modules/$r/kernel/net/failover.ko"
config_of_all >"$TAP_TMP/s3/usr/lib/modules/$r/config"
for i in 1 2 3; do fake_deb "$TAP_TMP/s$i.deb" "$TAP_TMP/s$i"; done
run "$KDYNO" kernel add "$TAP_TMP/s2.deb" "$TAP_TMP/s1.deb" "$TAP_TMP/s3.deb"
like "split packages" "$out" '^added 7\.2\.0\+split: .*compression=gzip,xz.*modules=yes'
run "$KDYNO" kernel add "$TAP_TMP/s1.deb" "$TAP_TMP/s3.deb" "$TAP_TMP/s2.deb"
like "in another order they are the same" "$out" '^have 7\.2\.0\+split'
refused 1 'no kernel image in it .*linux-binary-' "modules alone" "$KDYNO" kernel add "$TAP_TMP/s2.deb"

# A build tree of each age of modules.order
for form in kernel/net/net.ko net/net.ko net/net.o; do
    n=$((${n:-0} + 1))
    t=$TAP_TMP/build$n
    mkdir -p "$t/arch/x86/boot" "$t/include/config" "$t/net"
    fake_image "$t/arch/x86/boot/bzImage" "6.9.3-$n"
    config_of_all >"$t/.config"
    echo "6.9.3-$n" >"$t/include/config/kernel.release"
    cp "$TAP_TMP/r1/lib/modules/6.9.1-a/kernel/fs/nfs.ko" "$t/net/net.ko"
    echo $form >"$t/modules.order"
    run "$KDYNO" kernel add "$t"
    like "a build tree with $form" "$out" "^added 6\.9\.3-$n: .*modules=yes"
    check "its module is there" test -s "$KDYNO_LAB/kernels/6.9.3-$n/modules/lib/modules/6.9.3-$n/kernel/net/net.ko"
done
rm "$TAP_TMP/build1/net/net.ko"
refused 1 'in modules\.order but not there' "a build that is not complete" "$KDYNO" kernel add "$TAP_TMP/build1" --as incomplete

fake_image "$TAP_TMP/bzImage" 6.9.4
run "$KDYNO" kernel add "$TAP_TMP/bzImage" --as bare
like "a bare bzImage" "$out" '^added bare: .*initrd=unknown, compression=gzip, kexec=unknown.*modules=no'
(cd "$TAP_TMP/r1" && tar -cJf "$TAP_TMP/r1.tar.xz" boot lib)
run "$KDYNO" kernel add "$TAP_TMP/r1.tar.xz" --as tarred
like "a tar, under an id of its own" "$out" '^added tarred: '

run "$KDYNO" kernel add 6.9.1-a --as home
like "once more under another id" "$out" '^added home: #1 SMP Test 6\.9\.1-a-1'
is "by a hard link" "$(stat -c %h "$KDYNO_LAB/kernels/home/vmlinuz")" 2
run "$KDYNO" kernel add 6.9.1-a --as home
like "and twice is once" "$out" '^have home: '

run "$KDYNO" kernel add "$KDYNO_LAB/kernels/6.9.1-a" --as path
like "by the path of its folder too" "$out" '^added path: '
is "by a hard link again" "$(stat -c %h "$KDYNO_LAB/kernels/path/vmlinuz")" 3
run "$KDYNO" --lab "$TAP_TMP/lab2" kernel add "$KDYNO_LAB/kernels/6.9.1-a"
like "and into another lab" "$out" '^added 6\.9\.1-a: .*modules=yes'

# ---- what is there
run "$KDYNO" kernel list
is "list" "$status" 0
like "list names one" "$out" '^home +x86_64 +modules +#1 SMP Test 6\.9\.1-a-1'
run "$KDYNO" kernel show bare
like "show" "$out" '^compression  gzip'
refused 1 "did you mean 'bare'" "an unknown kernel" "$KDYNO" kernel show bari
run "$KDYNO" kernel remove tarred
is "remove" "$status" 0
check "it is gone" test ! -e "$KDYNO_LAB/kernels/tarred"
refused 1 'no kernel' "removing it again" "$KDYNO" kernel remove tarred

# ---- what is refused
head -c 3000 "$TAP_TMP/xz.deb" >"$TAP_TMP/cut.deb"
refused 1 'cut\.deb: .*truncated' "a truncated .deb" "$KDYNO" kernel add "$TAP_TMP/cut.deb"
size=$(stat -c %s "$TAP_TMP/cat.deb")
head -c $((size - 600)) "$TAP_TMP/cat.deb" >"$TAP_TMP/cut2.deb"
refused 1 'cut2\.deb: .*truncated' "one whose end is missing" "$KDYNO" kernel add "$TAP_TMP/cut2.deb"
perl -e 'local $/; $_ = <STDIN>; substr($_, length() - 900, 16) ^= "\xff" x 16; print' <"$TAP_TMP/xz.deb" >"$TAP_TMP/bad.deb"
refused 1 'bad\.deb: damaged' "a damaged .deb" "$KDYNO" kernel add "$TAP_TMP/bad.deb"
echo nothing >"$TAP_TMP/text"
refused 1 'text: ' "what is no package" "$KDYNO" kernel add "$TAP_TMP/text"
: >"$TAP_TMP/empty"
refused 1 'empty: ' "an empty file" "$KDYNO" kernel add "$TAP_TMP/empty"
head -c 9000 "$TAP_TMP/bzImage" >"$TAP_TMP/cutImage"
refused 1 'cutImage: truncated: 9000 bytes of' "a truncated bzImage" "$KDYNO" kernel add "$TAP_TMP/cutImage" --as cut
refused 1 'No such file' "a file that is not there" "$KDYNO" kernel add "$TAP_TMP/none"
refused 1 'neither a kernel.s build tree' "a folder of something else" "$KDYNO" kernel add "$TAP_TMP/deb"
refused 2 'which file' "no file" "$KDYNO" kernel add
refused 2 'no id' "an id that is none" "$KDYNO" kernel add "$TAP_TMP/bzImage" --as a/b
refused 1 'files of two kernels' "two kernels at once" "$KDYNO" kernel add "$TAP_TMP/xz.deb" "$TAP_TMP/gzip.deb"
fake_image "$TAP_TMP/r1/boot/vmlinuz-6.9.1-a" 6.9.9-other
refused 1 'the kernel says it is 6\.9\.9-other, its modules are of 6\.9\.1-a' "modules of another kernel" "$KDYNO" kernel add "$TAP_TMP/r1"
refused 1 "is there already, another one" "an id that is taken" "$KDYNO" kernel add "$TAP_TMP/xz.deb" --as home
nothing_left "$KDYNO_LAB/kernels"

# A full disk
mkdir "$TAP_TMP/small"
if unshare -rm true 2>/dev/null; then
    refused 1 'No space left' "a full disk" unshare -rm sh -c 'mount -t tmpfs -o size=40k none "$1" && KDYNO_LAB="$1/lab" "$2" kernel add "$3"; s=$?
        [ -z "$(find "$1" -name ".tmp-*")" ] || echo "left behind" >&2; exit $s' sh "$TAP_TMP/small" "$KDYNO" "$TAP_TMP/xz.deb"
else
    skip "a full disk" "no namespaces here"
fi

# Ctrl-C in the middle: many large modules
r=6.9.5-big
fake_root "$TAP_TMP/big" $r
for i in $(seq 40); do head -c 4000000 /dev/zero >"$TAP_TMP/big/lib/modules/$r/kernel/net/z$i.ko"; done
fake_deb "$TAP_TMP/big.deb" "$TAP_TMP/big" gzip
"$KDYNO" kernel add "$TAP_TMP/big.deb" >/dev/null 2>"$TAP_TMP/big.err" &
pid=$!
for i in $(seq 200); do [ -d "$KDYNO_LAB/kernels/.tmp-$pid" ] && break; sleep 0.02; done
kill -TERM $pid # a shell without job control starts its children deaf to INT
wait $pid
is "interrupted" $? 1
like "it says so" "$(cat "$TAP_TMP/big.err")" 'interrupted; nothing is left behind'
nothing_left "$KDYNO_LAB/kernels"
check "and no kernel came of it" test ! -e "$KDYNO_LAB/kernels/$r"
tap_done
