#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 90
#
# File handles for kernels that want them with the mount (before 2.6.23), from a real server's MOUNT protocol: nfs-ganesha on loopback, v3, TCP and UDP.
. tests/lib/tap.sh
ask=$BUILD/tests/mountd-ask
kdyno=$TAP_TOP/$BUILD/kdyno
[ -x "$ask" ] || bail "no $ask"
command -v ganesha.nfsd >/dev/null || skip_all "ganesha.nfsd is missing: install nfs-ganesha and nfs-ganesha-vfs"
unshare -m true 2>/dev/null || skip_all "no mount namespaces: ganesha is started in one of its own (root)"

free_ports() {
    perl -MIO::Socket::INET -e 'my @s = map { IO::Socket::INET->new(Listen => 1, LocalAddr => "127.0.0.1") } 1 .. 2; print join " ", map { $_->sockport } @s'
}
# shellcheck disable=SC2046
set -- $(free_ports)
nfs=$1 mnt=$2
mkdir "$TAP_TMP/run" "$TAP_TMP/recovery" "$TAP_TMP/export" "$TAP_TMP/export/sub"
cat >"$TAP_TMP/conf" <<C
NFS_CORE_PARAM { Bind_addr = 127.0.0.1; NFS_Port = $nfs; MNT_Port = $mnt; Enable_NLM = false; Enable_RQUOTA = false; mount_path_pseudo = true;
  Protocols = 3; Enable_UDP = true; NSM_Use_Caller_Name = false; }
NFSv4 { Graceless = true; RecoveryRoot = "$TAP_TMP/recovery"; }
LOG { Default_Log_Level = EVENT; }
EXPORT { Export_Id = 1; Path = "$TAP_TMP/export"; Pseudo = "/kd"; Access_Type = RW; Squash = No_Root_Squash; Protocols = 3; Transports = TCP, UDP;
  SecType = sys; FSAL { Name = VFS; } }
C
"$kdyno" serve rpcbind "$TAP_TMP/run" 2>"$TAP_TMP/rpcbind.err" &
at_exit "kill $! 2>/dev/null"
# shellcheck disable=SC2016
unshare -m sh -c 'mount --bind "$1" /run && shift && exec "$@"' sh "$TAP_TMP/run" ganesha.nfsd -F -f "$TAP_TMP/conf" -L "$TAP_TMP/log" \
    -p "$TAP_TMP/pid" -N NIV_EVENT >/dev/null 2>&1 &
at_exit "kill -9 $! 2>/dev/null"
n=0
until grep -q "NFS SERVER INITIALIZED" "$TAP_TMP/log" 2>/dev/null || [ $n -ge 300 ]; do
    n=$((n + 1))
    sleep 0.1
done
grep -q "NFS SERVER INITIALIZED" "$TAP_TMP/log" || bail "ganesha does not start: $(tail -n 2 "$TAP_TMP/log")"
! grep -q "Could not create export" "$TAP_TMP/log" || skip_all "ganesha exports nothing from $TAP_TMP: $(grep -m 1 'Could not' "$TAP_TMP/log")"

run "$ask" tcp 3 "$mnt" /kd
is "by TCP" "$status" 0 || printf '%s\n' "$err" | sed 's/^/#   /'
like "a handle" "$out" '^([0-9a-f]{2}){4,64}$'
by_tcp=$out
run "$ask" udp 3 "$mnt" /kd
is "by UDP" "$status" 0 || printf '%s\n' "$err" | sed 's/^/#   /'
is "the same handle" "$out" "$by_tcp"
run "$ask" tcp 3 "$mnt" /kd/sub
is "a folder below the export" "$status" 0 || printf '%s\n' "$err" | sed 's/^/#   /'
if [ "$out" != "$by_tcp" ]; then pass "has another one"; else fail "has another one"; fi
run "$ask" tcp 3 "$mnt" /nowhere
is "no such path: refused" "$status" 1
one_line "and says why" "$err"
run "$ask" udp 2 "$mnt" /kd
is "v2, which this server has not: refused" "$status" 1
run "$ask" udp 3 1 /kd
is "nobody at that port" "$status" 1
tap_done
