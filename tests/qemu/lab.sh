# SPDX-License-Identifier: GPL-2.0-or-later
#
# What the QEMU tests share: one lab with the two kernels and a twin (made once, used by all), sweeps of their own.
# Read it after tests/lib/tap.sh. Contract: sets KDYNO, KDYNO_LAB, OLD and NEW (kernel ids); nothing runs when it returns.
# Trap: a test that starts `sweep run` in the background must call lab_stop at its end (at_exit lab_stop).
# shellcheck shell=sh
KDYNO=$TAP_TOP/$BUILD/kdyno
KDYNO_LAB=$TAP_TOP/$BUILD/test-lab
export KDYNO_LAB
command -v qemu-system-x86_64 >/dev/null || bail "qemu-system-x86_64 is missing: ./build.sh qemu installs it"

# lab_ready: kernels and box. The kernels are those that `kernel fetch` takes by itself.
lab_ready() {
    check "kernel fetch gets the two default kernels and home" "$KDYNO" kernel fetch || bail "no kernels"
    rm -f "$KDYNO_LAB/boards/qemu.ini" # of an older tree, maybe: box add never replaces one
    check "box add makes the twin" "$KDYNO" box add qemu --board qemu-x86_64 || bail "no box"
    # Other tests may have fetched older and newer ones: the default pair is 6.1 and the one after it.
    OLD=$(lab_kernels | grep -A 1 '^6\.' | head -n 1)
    NEW=$(lab_kernels | grep -A 1 '^6\.' | sed -n 2p)
}

# Ids of the default kernels but home, oldest first; those that other tests have added under names of their own left out.
lab_kernels() {
    for f in "$KDYNO_LAB"/kernels/[0-9]*/facts; do basename "$(dirname "$f")"; done | grep cloud | sort -V
}

# lab_sweep ID ARGS...: a sweep made afresh on the twin, of profile smoke where the arguments name none
lab_sweep() {
    id=$1
    shift
    lab_stop
    rm -rf "$KDYNO_LAB/sweeps/$id" "$KDYNO_LAB/results/$id"
    case " $* " in *" --profile "*) ;; *) set -- --profile smoke "$@" ;; esac
    check "sweep new $id" "$KDYNO" sweep new "$id" --box qemu "$@" || bail "no sweep $id"
}

# Ends whatever the lab's pid files name and is still the process it was.
lab_stop() {
    for f in "$KDYNO_LAB"/run/*.pid; do
        [ -r "$f" ] || continue
        read -r pid start <"$f" || continue
        # field 22 of stat, counted behind the command's name
        [ "$(sed 's/.*) //' "/proc/$pid/stat" 2>/dev/null | cut -d ' ' -f 20)" = "$start" ] || continue
        kill -9 "$pid" 2>/dev/null
    done
}

# lab_idle: fails with what the pid files name and still runs; for `check "nothing runs on" lab_idle`
lab_idle() {
    for f in "$KDYNO_LAB"/run/*.pid; do
        [ -r "$f" ] && read -r pid _ <"$f" && kill -0 "$pid" 2>/dev/null && echo "$f: $pid still runs" && return 1
    done
    ! pgrep -f "$KDYNO_LAB/(run|sweeps)/"
}

# lab_wait SECONDS COMMAND...: until it succeeds
lab_wait() {
    left=$1
    shift
    until "$@" >/dev/null 2>&1; do
        left=$((left - 1))
        [ "$left" -gt 0 ] || return 1
        sleep 1
    done
}

# lab_states SWEEP STATE: how many lines of the station's journal say so
lab_states() { grep -c "state=$2 " "$KDYNO_LAB/sweeps/$1/journal" 2>/dev/null; }
lab_at_least() { [ "$(lab_states "$1" "$2")" -ge "$3" ]; }
