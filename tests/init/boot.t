#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# PID 1's order of boot: what it mounts, what it records as degraded, what the runner finds.
. tests/lib/tap.sh
. tests/init/namespace.sh

run "$INIT"
is "not as PID 1: exit 2" "$status" 2

runner <<'R'
echo $$ "$@" >/out/ran
sleep 0.2
[ ! -e /run/kd/modules ] || echo early >/out/modules-early
echo modules >&3
n=0
while [ ! -e /run/kd/modules ] && [ $n -lt 100 ]; do sleep 0.05; n=$((n + 1)); done
cp /run/kd/boot /run/kd/modules /out/
cut -d' ' -f2,3 /proc/mounts >/out/mounts
ls -l /proc/self/fd >/out/fds
ls -l /proc/$$/fd/3 >/out/fd3
grep -E 'SigBlk|SigIgn' /proc/self/status >/out/signals
echo "$PATH" >/out/path
exit 43
R
pack nothing.ko ../evil.ko
before=$(cat /proc/sys/kernel/panic /proc/sys/kernel/panic_on_oops 2>/dev/null)
boot
is "exit 43 of the runner is a reset" "$status" 129
like "the runner ran, without arguments" "$(has ran)" '^[0-9]+ *$'
like "proc is mounted" "$(has mounts)" '^/proc proc$'
like "/run is tmpfs" "$(has mounts)" '^/run tmpfs$'
like "/tmp is tmpfs" "$(has mounts)" '^/tmp tmpfs$'
like "the boot line" "$(has boot)" '^boot init_ns=[0-9]+ mounts_ns=[0-9]+ runner_ns=[0-9]+ sysctl= degraded='
check "its times are in order" test "$(value init_ns boot)" -le "$(value mounts_ns boot)" -a "$(value mounts_ns boot)" -le "$(value runner_ns boot)"
like "a missing devtmpfs is degraded" "$(value degraded boot)" 'mount\.devtmpfs:[0-9]+'
like "settings of the machine are left alone in a namespace" "$(value degraded boot)" '(^|,)sysctl:1'
is "all of them" "$(cat /proc/sys/kernel/panic /proc/sys/kernel/panic_on_oops 2>/dev/null)" "$before"
like "the modules' line" "$(has modules)" '^modules modules_ns=[0-9]+ modules=0 reset=unknown watchdog_s=0 watchdog= carries_s=0 degraded='
check "not before the runner says so" test ! -e "$OUT/modules-early"
like "a module that does not load is degraded" "$(value degraded modules)" 'module\.nothing\.ko:[0-9]+'
like "a name with a slash is not followed" "$(value degraded modules)" 'module\..._?evil\.ko:22'
like "fd 3 is a pipe" "$(has fd3)" 'pipe:'
is "no signal is blocked in the runner" "$(sed -n 's/^SigBlk:[[:space:]]*//p' "$OUT/signals" | tr -d 0)" ""
is "its PATH" "$(has path)" /bin:/sbin:/usr/bin:/usr/sbin
is "the console is quiet" "$(grep -v -E 'reboot returned|^Hangup$' "$TAP_TMP/console")" ""

rm -rf "$TAP_TMP/pack"
boot
is "no pack: a reset too" "$status" 129
is "no pack: nothing degraded by it" "$(value degraded modules)" ""
tap_done
