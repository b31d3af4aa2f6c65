# SPDX-License-Identifier: GPL-2.0-or-later
#
# What the tests share that put a slow or lossy network cable between a twin and its network. Read it after tests/qemu/lab.sh. Contract: packet_box makes
# the box, packet_start runs the cable beside it, packet_set changes it while it works, packet_stop ends it.
# Trap: QEMU walks the filters of frames from the guest (rx) from the last to the first, so the pair of `up` stands the other way round.
# shellcheck shell=sh

# packet_box BOX: a twin whose NIC hangs on such a cable (sockets in a short path: a unix socket's has at most 107 bytes)
packet_box() {
    packet_dir=$(mktemp -d /tmp/kd-cable.XXXXXX)
    packet_settings=$packet_dir/settings
    box=$1
    qemu=""
    for s in up-from up-to down-from down-to; do qemu="$qemu -chardev socket,id=$s,path=$packet_dir/$s,reconnect-ms=100"; done
    qemu="$qemu -object filter-redirector,id=cable0,netdev=net0,queue=rx,indev=up-to"
    qemu="$qemu -object filter-redirector,id=cable1,netdev=net0,queue=rx,outdev=up-from"
    qemu="$qemu -object filter-redirector,id=cable2,netdev=net0,queue=tx,outdev=down-from"
    qemu="$qemu -object filter-redirector,id=cable3,netdev=net0,queue=tx,indev=down-to"
    { cat board-configs/qemu-x86_64.ini; printf '[twin]\nqemu ='; for w in $qemu; do printf ' %s\n   ' "$w"; done; echo; } >"$TAP_TMP/$box.ini"
    rm -f "$KDYNO_LAB/boards/$box.ini"
    check "box add $box" "$KDYNO" box add "$box" --board "$TAP_TMP/$box.ini" || bail "no box"
}

# packet_set UP_DELAY_US UP_LOSS_PPM DOWN_DELAY_US DOWN_LOSS_PPM
packet_set() {
    printf 'up delay_us=%s loss_ppm=%s\ndown delay_us=%s loss_ppm=%s\n' "$@" >"$packet_settings"
    [ -z "${packet_pid:-}" ] || kill -HUP "$packet_pid"
}

packet_start() {
    "$TAP_TOP/$BUILD/tests/packet-line" "$packet_settings" "$packet_dir" >"$TAP_TMP/packet-line" 2>&1 &
    packet_pid=$!
}

packet_stop() {
    [ -z "${packet_pid:-}" ] || { kill "$packet_pid"; wait "$packet_pid"; }
    packet_pid=""
    rm -rf "$packet_dir"
}
