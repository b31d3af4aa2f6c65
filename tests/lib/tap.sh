# SPDX-License-Identifier: GPL-2.0-or-later
#
# TAP for test scripts; read with `. tests/lib/tap.sh` from the top of the tree, where tests run.
# Contract: TAP_TMP is a directory of the test's own, removed at the end; tap_done prints the plan and must be the last
# command, so that a script which dies early has no plan and fails. BUILD, ARCH and ARCHES have their defaults.
# Trap: `check` and `is` never end the script (so no `set -e` needed), they count; use `bail` where going on is senseless.
# shellcheck shell=sh
BUILD=$(realpath -m --relative-to=. "${BUILD:-build}") # behind TAP_TOP, wherever it is
ARCH=${ARCH:-x86_64}
ARCHES=${ARCHES:-$(sed -n 's/^ARCHES ?= //p' config.mk)}
TAP_TOP=$(pwd)
TAP_TMP=$(mktemp -d "${TMPDIR:-/tmp}/kdyno-test.XXXXXX")
TAP_COUNT=0
TAP_FAILED=0
TAP_CLEANUP=:
trap 'tap_exit $?' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# at_exit COMMAND: run it at the end too, whatever happens (may be called several times).
at_exit() { TAP_CLEANUP="$1; $TAP_CLEANUP"; }
tap_exit() {
    trap - EXIT
    eval "$TAP_CLEANUP"
    rm -rf "$TAP_TMP"
    exit "$1"
}

# tap_result STATUS DESCRIPTION: one assertion, passed when STATUS is 0.
tap_result() {
    TAP_COUNT=$((TAP_COUNT + 1))
    if [ "$1" -eq 0 ]; then
        echo "ok $TAP_COUNT - $2"
    else
        echo "not ok $TAP_COUNT - $2"
        TAP_FAILED=$((TAP_FAILED + 1))
    fi
    return "$1"
}
diag() { printf '%s\n' "$*" | sed 's/^/# /'; }
pass() { tap_result 0 "$1"; }
fail() { tap_result 1 "$1"; }

# check DESCRIPTION COMMAND...: passes when the command succeeds; its output is shown when it does not.
check() {
    tap_what=$1
    shift
    "$@" >"$TAP_TMP/.out" 2>&1
    tap_status=$?
    if ! tap_result $tap_status "$tap_what"; then
        diag "status $tap_status of: $*"
        sed 's/^/#   /' "$TAP_TMP/.out"
        return 1
    fi
}

# wait_for SECONDS COMMAND...: until it succeeds; 1 when it never does
wait_for() {
    tap_left=$(($1 * 10))
    shift
    until "$@" >/dev/null 2>&1; do
        tap_left=$((tap_left - 1))
        [ "$tap_left" -gt 0 ] || return 1
        sleep 0.1
    done
}

# run COMMAND...: leaves status, standard output and standard error in $status, $out and $err.
run() {
    "$@" >"$TAP_TMP/.out" 2>"$TAP_TMP/.err"
    status=$?
    out=$(cat "$TAP_TMP/.out") err=$(cat "$TAP_TMP/.err")
}

# is DESCRIPTION GOT WANTED
is() {
    if [ "$2" = "$3" ]; then
        pass "$1"
    else
        fail "$1"
        diag "got:    $2"
        diag "wanted: $3"
        return 1
    fi
}

# like DESCRIPTION TEXT PATTERN (extended regular expression; any line may match)
like() {
    if printf '%s\n' "$2" | grep -Eq -- "$3"; then
        pass "$1"
    else
        fail "$1"
        diag "no match for $3 in:"
        diag "$2"
        return 1
    fi
}
unlike() {
    if printf '%s\n' "$2" | grep -Eq -- "$3"; then
        fail "$1"
        diag "unwanted match for $3 in:"
        diag "$2"
        return 1
    else
        pass "$1"
    fi
}
# one_line DESCRIPTION TEXT: an error is one line
one_line() { is "$1" "$(printf '%s\n' "$2" | wc -l | tr -d ' ')" 1; }

skip() { TAP_COUNT=$((TAP_COUNT + 1)); echo "ok $TAP_COUNT - $1 # SKIP $2"; }
skip_all() { echo "1..0 # SKIP $1"; exit 0; }
bail() { fail "$1"; echo "# cannot go on"; exit 1; }
tap_done() { echo "1..$TAP_COUNT"; exit "$((TAP_FAILED > 0))"; }
