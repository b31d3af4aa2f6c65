# SPDX-License-Identifier: GPL-2.0-or-later
#
# What the tests of a results server that fails share. Read it after tests/qemu/lab.sh. Contract: nfs_begin leaves `sweep run` in the background, its pid
# in $run, what it says in $TAP_TMP/run.
# shellcheck shell=sh

nfs_begin() {
    "$KDYNO" sweep run "$1" >"$TAP_TMP/run" 2>&1 &
    run=$!
}
nfs_server() { cut -d ' ' -f 1 "$KDYNO_LAB/run/nfs-results.pid"; }
nfs_other_than() { now=$(nfs_server) && [ "$now" != "$1" ] && kill -0 "$now"; }

# nfs_tag SWEEP LINE
nfs_tag() { sed -n "s/^try line=$2 tag=\([0-9a-f]*\) .*/\1/p" "$KDYNO_LAB/sweeps/$1/schedule"; }

# nfs_wait_writing SWEEP LINE: until the box has written of the line over NFS, and is in a test that is not one of the early ones
nfs_wait_writing() {
    file=$KDYNO_LAB/results/$1/${NFS_BOX:-qemu}/$(nfs_tag "$1" "$2").kd1
    check "line $2 writes to NFS" lab_wait 240 grep -q 'begin test=disk-seq' "$file"
}

# nfs_channels SWEEP LINE: the channels of the records of a line, as `show` knows them
nfs_channels() {
    "$KDYNO" show "$1" --json | perl -MJSON::PP -0777 -e '
        sub tries { my $x = shift; ref $x eq "ARRAY" ? map { tries($_) } @$x : ref $x eq "HASH" ? (exists $x->{serial_only} ? $x : map { tries($_) } values %$x) : () }
        my ($t) = grep { $_->{line} == $ARGV[0] } tries(decode_json(<STDIN>));
        print join " ", map { $t->{$_} ? "$_=$t->{$_}" : () } qw(both serial_only nfs_only differ missing)' "$2"
}

# nfs_caught_up SWEEP LINE: all that the box said of the line is in its file, bye included, whatever was missing meanwhile
nfs_caught_up() {
    check "line $2 is whole on NFS" lab_wait 30 grep -q ' bye count=' "$KDYNO_LAB/results/$1/${NFS_BOX:-qemu}/$(nfs_tag "$1" "$2").kd1"
    diag "line $2 was filed as: $(nfs_channels "$1" "$2")"
}

# nfs_no_hang SWEEP: no boot was started again, no runner was ended for a promise that it did not keep, no box was cut
nfs_no_hang() {
    is "neither runner nor PID 1 was held up" "$(grep -Ec 'runner%2520--next|blocked for more than|blocked%2520for%2520more' "$KDYNO_LAB/sweeps/$1"/console-*.log)" 0
    unlike "and no power cycle was needed" "$(cat "$TAP_TMP/run")" 'power cycle|silent|no-progress'
}
