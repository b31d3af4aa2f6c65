#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 120
#
# PID 1 where each system call that Linux 2.4.0 lacked answers ENOSYS (no signalfd, pipe2, openat, getrandom, futex, epoll ...): it starts, says what is
# missing, starts the runner, sees it die, starts it once more, and resets. Its vDSO is left to it; the clock without one is the suite's test.
. tests/lib/tap.sh
. tests/init/namespace.sh
[ -x "$OLD" ] || bail "no $OLD"
[ -x "$BUSYBOX" ] || skip_all "no $BUSYBOX"
"$OLD" -x 2.4.0 "$BUSYBOX" true 2>/dev/null || skip_all "no seccomp here: $("$OLD" -x 2.4.0 "$BUSYBOX" true 2>&1)"
"$OLD" -x 2.4.0 /bin/true 2>/dev/null
is "the filter works: a program that needs openat does not start" "$?" 127
SHELL_OF_RUNNER="/busybox sh"

runner <<'R'
echo $$ "$@" >/out/ran
/busybox cat /run/kd/boot >/out/boot
echo modules >&3
n=0
while [ ! -e /run/kd/modules ] && [ $n -lt 100 ]; do /busybox sleep 0.05; n=$((n + 1)); done
/busybox cat /run/kd/modules >/out/modules
/busybox cut -d' ' -f2,3 /proc/mounts >/out/mounts
/busybox ls -l /proc/self/fd >/out/fds
exit 43
R
pack nothing.ko
boot 2.4.0
is "exit 43 of the runner is a reset" "$status" 129 || sed 's/^/#   /' "$TAP_TMP/console"
like "the runner ran, without arguments" "$(has ran)" '^[0-9]+ *$'
like "proc is mounted" "$(has mounts)" '^/proc proc$'
like "the boot line" "$(has boot)" '^boot init_ns=[0-9]+ mounts_ns=[0-9]+ runner_ns=[0-9]+ sysctl= degraded='
like "what is missing is said" "$(value degraded boot)" 'mount\.devtmpfs:[0-9]+'
like "the modules' line" "$(has modules)" '^modules modules_ns=[0-9]+ modules=0 '
like "a module that does not load is degraded" "$(value degraded modules)" 'module\.nothing\.ko:[0-9]+'

# ---- a runner that dies, and the one in its place that does too
runner <<'R'
echo "$@" >>/out/lives
kill -SEGV $$
R
boot 2.4.0
is "a reset in the end" "$status" 129
is "two lives" "$(wc -l <"$OUT/lives")" 2
is "the second is told why" "$(tail -n 1 "$OUT/lives")" "--next signal-11"
like "and the last words" "$(cat "$TAP_TMP/console")" 'no runner left \(signal-11\): reset'

# ---- one that leaves a process behind
runner <<'R'
if [ "$1" = --next ]; then echo "$2" >/out/next; /busybox ps | /busybox grep -c '[s]leep 77' >/out/left; exit 43; fi
/busybox sleep 77 &
exit 1
R
boot 2.4.0
is "its children are ended" "$(has left)" 0
is "the next one is told" "$(has next)" exit-1
tap_done
