# SPDX-License-Identifier: GPL-2.0-or-later
#
# PID 1 without a machine: the box's own init in user, pid and mount namespaces of its own, in a root that has the host's
# programs, a runner that is a script, and no devtmpfs, no watchdog, no modules it may load. Read it after tests/lib/tap.sh.
# Contract: `boot` runs init to its end and leaves $status; what the runner wrote lies in $OUT.
# Trap: always in a user namespace, also as root: init resets machines and opens watchdogs.
# shellcheck shell=sh
INIT=$TAP_TOP/$BUILD/$ARCH/init
ROOT=$TAP_TMP/root
OUT=$TAP_TMP/out
OLD=$TAP_TOP/$BUILD/tests/old-kernel
BUSYBOX=$TAP_TOP/$BUILD/$ARCH/packages/busybox/busybox
export ROOT OUT INIT

[ -x "$INIT" ] || skip_all "no $BUILD/$ARCH/init"
unshare -U -r -m -p -f true 2>/dev/null || skip_all "no user namespaces"
mkdir -p "$ROOT" "$OUT"

# runner: standard input becomes /kd/runner. It is called with no argument, or with --next REASON.
runner() {
    { printf '#!%s\n' "${SHELL_OF_RUNNER:-/bin/sh}"; cat; } >"$TAP_TMP/runner"
    chmod 755 "$TAP_TMP/runner"
}

# pack NAME...: a module order with these names; each module is a file that no kernel takes.
pack() {
    mkdir -p "$TAP_TMP/pack/modules"
    printf '%s\n' "$@" >"$TAP_TMP/pack/order"
    for name; do echo "no module" >"$TAP_TMP/pack/modules/$name"; done
}

# boot [VERSION]: as on a kernel that old (tests/lib/old-kernel.c): then the runner must be static, `#!/busybox sh`. Status 129 is a reset (the kernel tells the pid namespace's parent by SIGHUP).
boot() {
    rm -f "$OUT"/*
    unshare -U -r -m -p -f sh -eu -c '
        mount -t tmpfs root "$ROOT"
        cd "$ROOT"
        mkdir -p dev proc sys run tmp mnt kd usr out etc
        touch dev/null
        mount --bind /dev/null dev/null
        mount --rbind /usr usr
        for d in bin sbin lib lib32 lib64 libx32; do
            [ ! -L /$d ] || ln -s "$(readlink /$d)" $d
            [ -L /$d ] || [ ! -d /$d ] || { mkdir $d; mount --rbind /$d $d; }
        done
        mount --bind "$OUT" out
        cp "$INIT" init
        [ ! -f "$1/runner" ] || cp "$1/runner" kd/runner
        [ ! -d "$1/pack" ] || cp -r "$1/pack" kd/pack
        [ -n "${2:-}" ] || exec chroot . /init
        cp "$3" old-kernel
        cp "$4" busybox
        exec chroot . /old-kernel -x "$2" /init' sh "$TAP_TMP" "${1:-}" "$OLD" "$BUSYBOX" >"$TAP_TMP/console" 2>&1 </dev/null
    status=$?
}

has() { cat "$OUT/$1" 2>/dev/null; }
# value KEY FILE
value() { tr ' ' '\n' <"$OUT/$2" | sed -n "s/^$1=//p"; }
