# SPDX-License-Identifier: GPL-2.0-or-later
#
# What the station's tests share: the command, a lab of the test's own, and kernels that look real as far as kdyno looks: a
# setup header, a config, modules that depmod can read, in packages as Debian makes them. Read it after tests/lib/tap.sh.
# Contract: sets KDYNO and KDYNO_LAB; everything lies below TAP_TMP.
# shellcheck shell=sh
KDYNO=$TAP_TOP/$BUILD/kdyno
KDYNO_LAB=$TAP_TMP/lab
KDYNO_SHARE=$TAP_TMP/share
export KDYNO_LAB KDYNO_SHARE

# share: what comes along with the command, and an image that need not boot
mkdir -p "$KDYNO_SHARE/$ARCH"
for part in board-configs image; do ln -s "$TAP_TOP/$part" "$KDYNO_SHARE/$part"; done
ln -s "$TAP_TOP/tests/suite" "$KDYNO_SHARE/suite"
echo "an image" >"$KDYNO_SHARE/$ARCH/image.cpio"
gzip -nk "$KDYNO_SHARE/$ARCH/image.cpio"
xz -k "$KDYNO_SHARE/$ARCH/image.cpio"

# fake_image FILE RELEASE: 16 KiB with the header of a 64-bit bzImage, protocol 2.15
fake_image() {
    perl -e 'my $b = "\0" x 16384; my $put = sub { substr($b, $_[0], length $_[1]) = $_[1] };
        $put->(0x1f1, chr 3); $put->(0x1f4, pack "V", (16384 - 2048) / 16); $put->(0x202, "HdrS"); $put->(0x206, pack "v", 0x20f);
        $put->(0x20e, pack "v", 0x200); $put->(0x236, pack "v", 1); $put->(0x400, "$ARGV[0] (someone\@somewhere) #1 SMP Test $ARGV[0]-1");
        print $b' "$2" >"$1"
}

# fake_modules FOLDER: virtio_net needing failover (a symbol of it), the rest of the twin's modules, ext4 built in
fake_modules() {
    mkdir -p "$1/kernel/net" "$1/kernel/fs"
    echo 'const char s[] __attribute__((section("__ksymtab_strings"))) = "kd_failover"; int kd_failover;' >"$TAP_TMP/a.c"
    echo 'extern int kd_failover; int *need = &kd_failover;' >"$TAP_TMP/b.c"
    gcc -c -o "$1/kernel/net/failover.ko" "$TAP_TMP/a.c"
    gcc -c -o "$1/kernel/net/virtio_net.ko" "$TAP_TMP/b.c"
    echo 'int x;' >"$TAP_TMP/c.c"
    gcc -c -o "$1/kernel/fs/nfs.ko" "$TAP_TMP/c.c"
    cp "$1/kernel/fs/nfs.ko" "$1/kernel/net/virtio-blk.ko"
    cp "$1/kernel/fs/nfs.ko" "$1/kernel/net/virtio_pci.ko" || bail "no compiler for modules"
    printf '%s\n' kernel/fs/ext4/ext4.ko >"$1/modules.builtin"
    printf '%s\n' kernel/net/failover.ko kernel/net/virtio_net.ko kernel/fs/nfs.ko >"$1/modules.order"
}

config_of_all() { printf '%s\n' CONFIG_X86_64=y CONFIG_BLK_DEV_INITRD=y CONFIG_RD_GZIP=y CONFIG_RD_XZ=y CONFIG_KEXEC=y CONFIG_KEXEC_FILE=y; }

# fake_root FOLDER RELEASE: boot/ and lib/modules/ of an installed kernel
fake_root() {
    mkdir -p "$1/boot" "$1/lib/modules/$2"
    fake_image "$1/boot/vmlinuz-$2" "$2"
    config_of_all >"$1/boot/config-$2"
    fake_modules "$1/lib/modules/$2"
}

# fake_deb FILE FOLDER [COMPRESSOR]: a package with the folder's files, as dpkg-deb lays it out
fake_deb() {
    tool=${3:-xz}
    case $tool in gzip) ext=.gz ;; zstd) ext=.zst ;; cat) ext= ;; *) ext=.xz ;; esac
    (
        cd "$TAP_TMP" && rm -rf deb && mkdir deb && cd deb && echo 2.0 >debian-binary
        tar -cf control.tar -T /dev/null
        tar -C "$2" -cf - . | $tool >data.tar$ext
        rm -f "$1" && ar rc "$1" debian-binary control.tar data.tar$ext
    )
}

# fake_kernel RELEASE [ARGS...]: in the lab
fake_kernel() {
    fake_root "$TAP_TMP/root-$1" "$1"
    release=$1
    shift
    check "kernel $release" "$KDYNO" kernel add "$TAP_TMP/root-$release" "$@" || bail "no kernel"
}

# refused STATUS PATTERN DESCRIPTION COMMAND...: one line that says so
refused() {
    want=$1 pattern=$2 what=$3
    shift 3
    run "$@"
    is "$what: exit $want" "$status" "$want"
    one_line "$what: one line" "$err"
    like "$what: says so" "$err" "$pattern"
}

# nothing_left FOLDER: no temporary folder stays
nothing_left() { is "nothing half-written in $(basename "$1")" "$(find "$1" -name '.tmp-*' 2>/dev/null)" ""; }
