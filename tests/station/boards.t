#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Board configs as people get them wrong: each is one line with file, line and, where there is one, the nearest right word; nothing of it
# comes into the lab. Then board check and list on what is right.
. tests/lib/tap.sh
. tests/station/lab.sh

dir=$TAP_TMP/boards
mkdir "$dir"
right='[board]
arch = x86_64
[console]
type = tty
path = /dev/ttyS0
[machine]
memory = 64M
'
# broken NAME LINE PATTERN [check-only]: $dir/NAME.ini, by `board check` and by `box add`; the line is of $culprit, or of that file
culprit=
broken() {
    file=$dir/$1.ini
    refused 1 "^kdyno: ${culprit:-$file}:$2: .*$3" "$1" "$KDYNO" board check "$file"
    [ $# -lt 4 ] || return 0
    said=$err
    run "$KDYNO" box add "$1" --board "$file"
    is "$1: box add says the same" "$status $err" "1 $said"
    culprit=
}
# with NAME LINE PATTERN TEXT [check-only]: the right one, and TEXT behind it, which begins in line 8
with() {
    printf '%s' "$right" >"$dir/$1.ini"
    printf '%b' "$4" >>"$dir/$1.ini"
    broken "$1" "$2" "$3" ${5:+"$5"}
}
# instead NAME LINE PATTERN SED: the right one, changed
instead() {
    printf '%s' "$right" | sed "$4" >"$dir/$1.ini"
    broken "$1" "$2" "$3"
}

# ---- keys and sections
with key 8 "unknown key 'cpu' in \[machine\]; did you mean 'cpus'" 'cpu = 2\n'
with key-elsewhere 8 "'deaf_s' is no key of \[machine\]; did you mean \[boot\]" 'deaf_s = 200\n'
with key-strange 8 "unknown key 'colour' in \[machine\]" 'colour = red\n'
with section 9 "unknown section \[mashine\]; did you mean \[machine\]" '[mashine]\ncpus = 2\n'
with twice 8 "'memory' stands twice in \[machine\] \(first in line 7\)" 'memory = 1G\n'
with neither 8 'neither a \[section\] nor key = value' 'just words\n'
instead no-section 1 "'arch' stands before any \[section\]" 1d
instead no-arch 7 '\[board\] arch is missing' 's/^arch.*/; nothing/'
instead no-memory 7 '\[machine\] memory is missing: like 256M' 's/^memory.*/cpus = 2/'
instead no-path 4 '\[console\] type wants a path' 5d
: >"$dir/empty.ini"
broken empty 1 '\[board\] arch is missing'

# ---- values
instead arch 2 "arch = x86-64: x86_64, i486, aarch64, armv7 or riscv64 was expected; did you mean 'x86_64'" 's/x86_64/x86-64/'
instead arch-unknown 2 'arch = vax: x86_64, i486' 's/x86_64/vax/'
instead type 4 "type = tyy: .*; did you mean 'tty'" 's/= tty/= tyy/'
with switch 9 "switch = via_home: chain, via-home or firmware was expected; did you mean 'via-home'" '[board]\nswitch = via_home\n'
with bool 9 "sysrq = yess: yes or no was expected; did you mean 'yes'" '[console]\nsysrq = yess\n'
with not-a-number 8 'cpus = two: a number from 1 to 4096' 'cpus = two\n'
with out-of-range 9 'deaf_s = 5: a number from 10 to 86400' '[boot]\ndeaf_s = 5\n'
with negative 9 'retries = -1: a number from 0' '[power]\nretries = -1\n'
with speed 9 'speed = 115k2: a number from 50 to 4000000' '[console]\nspeed = 115k2\n'
instead bytes 7 'memory = 64Q: bytes were expected, like 268435456 or 256M' 's/64M/64Q/'
instead small 7 'memory = 1M: at least 16M' 's/64M/1M/'
with scratch 8 'scratch = 17000001: 0, or at least 16M and a multiple of 4096 bytes' 'scratch = 17000001\n'
with crash 8 'crash_kernel takes more than half of memory' 'crash_kernel = 64M\n'
with module 8 "modules: '../e1000' is no name of a module" 'modules = ext4, ../e1000\n'
with mac 9 'mac = 52:54:00:12:34: six bytes' '[network]\nmac = 52:54:00:12:34\n'
with mac-group 9 'address of a group' '[network]\nmac = 01:00:5e:00:00:01\n'
with address 9 'address = 10.0.0.256/8: dhcp or ADDR/PREFIX' '[network]\naddress = 10.0.0.256/8\n'
with address-word 9 "did you mean 'dhcp'" '[network]\naddress = dchp\n'
with firmware 9 "firmware = eufi: bios, uefi or none was expected; did you mean 'uefi'" '[boot]\nfirmware = eufi\n'
with cmdline 9 'kdyno.s own' '[boot]\ncmdline = quiet kd.http=x\n'
with command 9 'cycle: a command was expected' '[power]\ncycle =\n'
with half 9 '\[power\] off stands without on' '[power]\noff = x\n'
with twin 9 '\[twin\] qemu goes with \[console\] type = qemu' '[twin]\nqemu = -S\n'

# ---- bytes
with nul 8 'holds a NUL byte' 'nic = a\0b\n'
with escape 8 'control characters' 'nic = a\033[2J\n'
with long 8 'the line is too long: at most 190 bytes' "nic = $(printf '%0200d' 0)\n"
{ printf '%s' "$right" && head -c 70000 /dev/zero | tr '\0' ';'; } >"$dir/large.ini"
refused 1 "^kdyno: $dir/large.ini: larger than 64 KiB" "large" "$KDYNO" board check "$dir/large.ini"
printf '%s' "$right" | sed 's/$/\r/' >"$dir/crlf.ini"
run "$KDYNO" board check "$dir/crlf.ini"
is "a file with CRLF is right" "$status" 0
with crlf-wrong 8 "did you mean 'cpus'" 'cpu = 2\r\n'

# ---- include
with include-none 9 "include = crfl.ini: No such file or directory; did you mean 'crlf.ini'" '[board]\ninclude = crfl.ini\n'
with include-folder 9 'include = ..: no plain file' '[board]\ninclude = ..\n'
with include-empty 9 'include: the name of a file was expected' '[board]\ninclude =\n'
with include-self 9 'a loop' '[board]\ninclude = ./include-self.ini\n'
printf '[board]\ninclude = loop-b.ini\n' >"$dir/loop-a.ini"
printf '[board]\n; round again\ninclude = loop-a.ini\n' >"$dir/loop-b.ini"
culprit=$dir/loop-b.ini
broken loop-a 3 'includes this file in turn: a loop'
for i in 1 2 3 4 5 6 7 8; do printf '[board]\ninclude = deep%d.ini\n' $((i + 1)) >"$dir/deep$i.ini"; done
printf '%s' "$right" >"$dir/deep9.ini"
culprit=$dir/deep8.ini
broken deep1 2 'more than 8 files'
culprit=$dir/key.ini
with include-wrong 8 "did you mean 'cpus'" '[board]\ninclude = key.ini\n'
mkfifo "$dir/fifo.ini"
with include-fifo 9 'include = fifo.ini: no plain file' '[board]\ninclude = fifo.ini\n'
is "nothing of all that is in the lab" "$(find "$KDYNO_LAB" -type f 2>/dev/null)" ""

# ---- what is right
printf '[board]\ninclude = crlf.ini\nsummary = mine\n[machine]\ncpus = 4\n' >"$dir/mine.ini"
run "$KDYNO" board check "$dir/mine.ini"
is "one that stands on another" "$status" 0 || diag "$err"
like "where a value came from: its own" "$out" '\[machine\] cpus +4 +mine.ini:5$'
like "the other" "$out" '\[machine\] memory +64M +crlf.ini:7$'
like "neither" "$out" '\[boot\] deaf_s +300 +default$'
run "$KDYNO" board check --json "$dir/mine.ini" "$dir/key.ini"
is "one of two is wrong" "$status" 1
echo "$out" >"$TAP_TMP/json"
json() { tests/lib/json-get boards "$@" <"$TAP_TMP/json"; }
is "in JSON" "$(json 0 right) $(json 1 right)" "true false"
is "with what it says" "$(json 0 keys key=memory value)" 64M
is "and what is wrong, and where" "$(json 1 error file) $(json 1 error line)" "$dir/key.ini 8"
like "in words" "$(json 1 error text)" "^unknown key 'cpu'"
check "box add takes it" "$KDYNO" box add mine --board "$dir/mine.ini"
is "in one file" "$(grep -c include "$KDYNO_LAB/boards/mine.ini")" 0
run "$KDYNO" box show mine
like "that says the same" "$out" '^machine +4 CPUs, 64 MiB'
run "$KDYNO" box add mine --board "$dir/mine.ini"
like "twice is once" "$out" '^have box mine'
like "and that nobody has tried it" "$out" '^tested = no: '
run "$KDYNO" board list
for name in generic-bios generic-uefi generic-486; do like "list has $name, untested" "$out" "^$name +[a-z0-9_]+ +[a-z-]+ +no +"; done
refused 1 "no board config 'generic-bois'.*did you mean 'generic-bios'" "a name that is none" "$KDYNO" board check generic-bois
# shellcheck disable=SC2046 # names
run "$KDYNO" board check $("$KDYNO" board list | awk 'NR > 1 { print $1 }')
is "all that come along are right" "$status" 0 || diag "$err"

# ---- modules, which only kernels know
like "without a kernel nobody knows modules" "$out" 'no kernel of this lab tells whether its modules exist'
fake_kernel 6.1.9-test
with module-unknown 8 "nic: none of the lab's 1 kernels has a module 'virtio_nett'; did you mean 'virtio_net'" 'nic = ext4, virtio_nett\n' check-only
printf '%s' "$right" >"$dir/modules.ini"
printf 'modules = virtio-net, ext4, nfsd?\n' >>"$dir/modules.ini"
run "$KDYNO" board check "$dir/modules.ini"
is "- and _ are one, what is built in is there, what ends in ? may be missing" "$status" 0 || diag "$err"
like "and is named" "$out" 'in none of the lab.s 1 kernels: nfsd$'
tap_done
