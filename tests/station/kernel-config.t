#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 120
# The configuration that a bare bzImage carries inside (CONFIG_IKCONFIG) makes its facts; a damaged one is none, and no error.
. tests/lib/tap.sh
. tests/station/lab.sh

# image FILE RELEASE COMPRESSOR [PROTOCOL]: a bzImage whose payload is COMPRESSOR's output of a kernel that carries $TAP_TMP/config
image() {
    { head -c 5000 /dev/zero; printf IKCFG_ST; gzip -9nc "$TAP_TMP/config"; printf IKCFG_ED; head -c 3000 /dev/zero; } >"$TAP_TMP/kernel"
    $3 <"$TAP_TMP/kernel" >"$TAP_TMP/payload"
    [ "$3" = "gzip -c" ] || printf '\0\040\0\0' >>"$TAP_TMP/payload"
    perl -e 'local $/; open my $f, "<", $ARGV[3] or die; my $p = <$f>; my $b = "\0" x 4096 . $p; $b .= "\0" x (16 - length($b) % 16);
        my $put = sub { substr($b, $_[0], length $_[1]) = $_[1] };
        $put->(0x1f1, chr 3); $put->(0x1f4, pack "V", (length($b) - 2048) / 16); $put->(0x202, "HdrS"); $put->(0x206, pack "v", hex $ARGV[2]);
        $put->(0x20e, pack "v", 0x200); $put->(0x236, pack "v", hex $ARGV[2] >= 0x20c); $put->(0x400, "$ARGV[1] (a\@b) #1 SMP");
        $put->(0x248, pack "VV", 4096 - 2048, length $p) if hex $ARGV[2] >= 0x208;
        open my $o, ">", $ARGV[0] or die; print $o $b' "$1" "$2" "${4:-20f}" "$TAP_TMP/payload"
}

printf '%s\n' CONFIG_X86_64=y CONFIG_BLK_DEV_INITRD=y CONFIG_RD_XZ=y '# CONFIG_RD_GZIP is not set' CONFIG_KEXEC=y '# CONFIG_KEXEC_FILE is not set' >"$TAP_TMP/config"
for by in "gzip -c" "xz -c --check=crc32" "bzip2 -c" "zstd -qc"; do
    name=$(echo "$by" | cut -d' ' -f1)
    image "$TAP_TMP/bzImage" "6.9.0-$name" "$by"
    run "$KDYNO" kernel add "$TAP_TMP/bzImage"
    is "$name" "$status" 0 || printf '%s\n' "$err" | sed 's/^/#   /'
    like "$name: its facts are those of the configuration" "$out" 'x86_64, initrd=initramfs, compression=xz, kexec=yes, kexec_file=no,'
    check "$name: it is kept" cmp "$TAP_TMP/config" "$KDYNO_LAB/kernels/6.9.0-$name/config"
done

printf '%s\n' CONFIG_X86_32=y CONFIG_BLK_DEV_INITRD=y >"$TAP_TMP/config"
image "$TAP_TMP/bzImage" 2.6.20 "gzip -c" 204
run "$KDYNO" kernel add "$TAP_TMP/bzImage"
like "a protocol that does not say where: by the first gzip header" "$out" 'i386, initrd=initramfs, compression=gzip, kexec=no, kexec_file=no'

# ---- damage
printf '%s\n' CONFIG_X86_64=y CONFIG_BLK_DEV_INITRD=y CONFIG_KEXEC=y >"$TAP_TMP/config"
image "$TAP_TMP/good" 6.9.0-torn "gzip -c"
# a byte in the middle of the payload; an offset past the end; a length past the end
n=0
for change in "4130 \\377\\377\\377" "584 \\377\\377\\377" "588 \\377\\377\\377\\177"; do
    n=$((n + 1))
    cp "$TAP_TMP/good" "$TAP_TMP/bzImage"
    # shellcheck disable=SC2059
    printf "${change#* }" | dd of="$TAP_TMP/bzImage" bs=1 seek="${change% *}" conv=notrunc 2>/dev/null
    run "$KDYNO" kernel add "$TAP_TMP/bzImage" --as "torn$n"
    is "damage $n is no error" "$status" 0 || printf '%s\n' "$err" | sed 's/^/#   /'
    like "damage $n: unknown" "$out" 'initrd=unknown, compression=gzip, kexec=unknown'
done
fake_image "$TAP_TMP/bzImage" 6.9.0-bare
run "$KDYNO" kernel add "$TAP_TMP/bzImage"
like "one without" "$out" 'initrd=unknown'
nothing_left "$KDYNO_LAB/kernels"
is "no payload is left" "$(find "$KDYNO_LAB/kernels" -name '.payload*')" ""
tap_done
