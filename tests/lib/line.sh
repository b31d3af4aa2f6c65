# SPDX-License-Identifier: GPL-2.0-or-later
#
# What the tests share that put a serial line between the twin and the station. Read it after tests/qemu/lab.sh. Contract: line_sweep makes the box anew;
# what the line did is in run/line-BOX.log of the lab once the sweep has ended.
# shellcheck shell=sh

# line_sweep SWEEP BOX "LINE OPTIONS" ARGS...: a sweep made afresh on a twin behind such a line
line_sweep() {
    id=$1 box=$2
    baud=$(echo "$3" | sed -n 's/.*--baud \([0-9]*\).*/\1/p')
    { sed "s/^kernel = ttyS0,.*/kernel = ttyS0,${baud:-115200}/" board-configs/qemu-x86_64.ini; printf '[twin]\nline = %s %s\n' "$TAP_TOP/$BUILD/tests/serial-line" "$3"; } >"$TAP_TMP/$box.ini"
    shift 3
    lab_stop
    rm -rf "$KDYNO_LAB/boards/$box.ini" "$KDYNO_LAB/sweeps/$id" "$KDYNO_LAB/results/$id"
    check "box add $box" "$KDYNO" box add "$box" --board "$TAP_TMP/$box.ini" || bail "no box"
    check "sweep new $id" "$KDYNO" sweep new "$id" --box "$box" --profile smoke "$@" || bail "no sweep $id"
}


# line_channel SWEEP NAME: records that came so (both, serial, nfs, differ)
line_channel() { grep -c "\"ch\":\"$2\"" "$KDYNO_LAB/sweeps/$1/records.jsonl"; }

# line_median SWEEP TEST METRIC: of the boots that count
line_median() {
    perl -MJSON::PP -e 'my ($file, $test, $name) = @ARGV; my @v; open my $h, "<", $file or die; while (<$h>) { my $r = decode_json($_); my $k = $r->{kv} or next;
        push @v, $k->{ns} ? $k->{v} / $k->{ns} : $k->{v} if $r->{kind} eq "metric" && $k->{test} eq $test && $k->{name} eq $name }
        @v = sort { $a <=> $b } @v; printf "%.6g\n", $v[$#v / 2] if @v' "$KDYNO_LAB/sweeps/$1/records.jsonl" "$2" "$3"
}
