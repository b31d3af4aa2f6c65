#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Sets a Debian machine up and runs the whole. See usage below, or ./build.sh --help.
# Contract: installs only what is missing, and says what; each step looks first whether it is done, so it starts again
# where it stopped; ends with exit code 0, 1 (failed, the last line says what) or 2 (usage).
# Trap: it restarts itself in a clean environment; a setting that is not in the list at `allowed` never arrives.
set -eu

usage() {
    cat <<'END'
usage: ./build.sh VERB [NAME=VALUE]...

  sweep         everything: sets up, builds, fetches two kernels, measures them on a QEMU box, compares them
  check         sets up, builds and runs every test; ends on `N passed, N failed`
  image [ARCH]  sets up what the image needs and builds it (build/ARCH/image.cpio*; default all of ARCHES)
  setup         installs what a sweep needs
  qemu          installs QEMU 8.1 or newer

settings (or in the environment):
  NO_INSTALL=1     install nothing; list what is missing and fail if anything is
  LAB=DIR          the lab directory of `sweep` (default $KDYNO_LAB, else ./lab)
  ROUNDS=N         rounds of `sweep` (default 6)
  KERNELS=ID,ID    kernels of `sweep` (default: the two cloud kernels that it fetches)
  ARCHES="ARCH..." whose images are built (image, check: default x86_64 i486 aarch64; sweep: x86_64, all that it needs)
  SOURCES=DIR      take upstream tarballs from here
  KDYNO_CACHE=DIR  where downloads and built packages are kept (default ~/.cache/kdyno)
  BUILD=DIR        where things are built (default build)
END
}

allowed="NO_INSTALL LAB ROUNDS KERNELS SOURCES BUILD ARCH ARCHES KDYNO_CACHE KDYNO_LAB KDYNO_APT_ETC KDYNO_STARTED XDG_CACHE_HOME HOME USER
LOGNAME TERM TMPDIR CI http_proxy https_proxy ftp_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY SSL_CERT_FILE SSL_CERT_DIR"

# ---- settings, and a clean environment

verb=""
for word in "$@"; do
    case $word in
    -h | --help | help) usage; exit 0 ;;
    *=*)
        name=${word%%=*}
        case " $allowed " in
        *[[:space:]]"$name"[[:space:]]*) ;;
        *) echo "build.sh: no setting '$name'; ./build.sh --help lists them" >&2; exit 2 ;;
        esac
        export "$name=${word#*=}"
        ;;
    -*) echo "build.sh: no option '$word'; ./build.sh --help lists the verbs and settings" >&2; exit 2 ;;
    *)
        if [ -z "$verb" ]; then
            verb=$word
        elif [ "$verb" = image ]; then
            ARCHES=$word
            export ARCHES
        else
            echo "build.sh: '$word' is one word too many; ./build.sh --help" >&2
            exit 2
        fi
        ;;
    esac
done
case $verb in
sweep | check | image | setup | qemu) ;;
"") usage >&2; exit 2 ;;
*) echo "build.sh: no verb '$verb'; it is one of sweep, check, image, setup, qemu" >&2; exit 2 ;;
esac

if [ -z "${KDYNO_CLEAN:-}" ]; then
    KDYNO_STARTED=${KDYNO_STARTED:-$(date +%s)}
    # What a test puts in front of the PATH stays in front.
    set -- KDYNO_CLEAN=1 "PATH=${PATH:-/usr/bin:/bin}:/usr/local/sbin:/usr/sbin:/sbin" LC_ALL=C DEBIAN_FRONTEND=noninteractive
    for name in $allowed; do
        eval "[ -z \"\${$name+set}\" ] || set -- \"\$@\" \"$name=\$$name\""
    done
    exec env -i "$@" sh "$0" "$verb"
fi

cd "$(dirname "$0")"
BUILD=${BUILD:-build} ARCH=${ARCH:-x86_64}
known=$(cd image/arch && echo *)
arches_default=$(sed -n 's/^ARCHES ?= //p' config.mk)
case $verb in sweep | setup) ARCHES=${ARCHES:-$ARCH} ;; *) ARCHES=${ARCHES:-$arches_default} ;; esac
ARCHES=$(echo "$ARCHES" | tr ',' ' ' | xargs)
for arch in $ARCHES; do
    [ -f "image/arch/$arch" ] || { echo "build.sh: no architecture '$arch'; known: $known" >&2; exit 2; }
done
# The image of ARCH is what the tests are about; another is it only where that one is not asked for.
case "$verb $ARCHES" in image*" $ARCH "* | image*" $ARCH") ;; image*) ARCH=${ARCHES%% *} ;; esac
cache=${KDYNO_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/kdyno}
jobs=$(nproc 2>/dev/null || echo 2)
logs=$BUILD/log

say() { printf '[%4d s] %s\n' "$(($(date +%s) - KDYNO_STARTED))" "$*"; }
die() { echo "build.sh: $*" >&2; exit 1; }

# logged NAME WHAT COMMAND...: a line for the step, its output in a log that is renamed only on success.
logged() {
    step=$1
    say "$2"
    shift 2
    mkdir -p "$logs"
    if ! "$@" >"$logs/$step.part" 2>&1; then
        tail -n 20 "$logs/$step.part" >&2
        die "$step failed; the whole log is $logs/$step.part"
    fi
    mv -f "$logs/$step.part" "$logs/$step.log"
}

# ---- what is missing, and its installation

packages_build="gcc libc6-dev linux-libc-dev make pkg-config perl libarchive-dev libjansson-dev libinih-dev libmicrohttpd-dev
xz-utils zstd bzip2"
packages_run="kmod nfs-ganesha nfs-ganesha-vfs pxelinux syslinux-common iproute2 procps openssh-client dropbear-bin"
packages_check="libcmocka-dev clang-format cppcheck shellcheck cpio jq"
# For a kernel of our own make (image/kernels), which the tests of an i486 boot.
packages_kernel="flex bison bc"

# What the architectures of ARCHES are compiled with.
packages_arches() {
    for arch in $ARCHES; do (
        arch_debian=""
        # shellcheck source=/dev/null
        . "./image/arch/$arch"
        echo "$arch_debian"
    ); done
}

installed() {
    case $(dpkg-query -W -f '${db:Status-Abbrev}' "$1" 2>/dev/null) in ?i*) return 0 ;; esac
    return 1
}

# missing_of PACKAGE...: those that are not installed, on one line
missing_of() {
    list=""
    for p in "$@"; do installed "$p" || list="$list $p"; done
    echo "${list# }"
}

as_root() {
    if [ "$(id -u)" = 0 ]; then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo env DEBIAN_FRONTEND=noninteractive LC_ALL=C "$@"
    else
        die "must install packages but is neither root nor has sudo; as root: apt-get install $missing"
    fi
}

# Services of packages must not start. A policy-rc.d of ours says so while apt-get runs, and goes with it; one that the
# machine has is left as it is.
policy=/usr/sbin/policy-rc.d
policy_mark="# of kdyno's build.sh while it installs; may be removed"
policy_set() {
    if [ ! -e $policy ] || grep -Fqx "$policy_mark" $policy; then
        printf '%s\n' '#!/bin/sh' "$policy_mark" 'exit 101' >"$BUILD/policy-rc.d"
        as_root install -m 755 "$BUILD/policy-rc.d" $policy
        trap policy_clear EXIT
        trap 'exit 130' INT TERM HUP
    fi
}
policy_clear() {
    if grep -Fqsx "$policy_mark" $policy; then as_root rm -f $policy; fi
    rm -f "$BUILD/policy-rc.d"
    trap - EXIT
}

# Another apt-get may hold the lock for a while.
apt_options="-q -y --no-install-recommends -o DPkg::Lock::Timeout=600"

# The lists may be empty or too old to fetch by: then, and only then, they are updated.
# shellcheck disable=SC2086 # options are words
apt_install() {
    as_root apt-get $apt_options install "$@" && return 0
    as_root apt-get -q update
    as_root apt-get $apt_options install "$@"
}

setup() { # PACKAGE...
    command -v dpkg-query >/dev/null || die "this is no Debian (no dpkg-query); install what the Makefile needs by hand and call make"
    missing=$(missing_of "$@")
    case $verb in sweep | check | setup) qemu_state ;; *) qemu=unasked ;; esac
    if [ -n "${NO_INSTALL:-}" ]; then
        [ "$qemu" != none ] || missing="${missing:+$missing }qemu-system-x86"
        [ -e /etc/mtab ] || say "setup: /etc/mtab is missing, NFS cannot be served: ln -s ../proc/self/mounts /etc/mtab"
        [ -z "$missing" ] || die "NO_INSTALL is set and these packages are missing: $missing"
        [ "$qemu" != old ] || say "qemu: $qemu_version is older than 8.1; its emulation corrupts guests now and then"
        return 0
    fi
    if [ -n "$missing" ]; then
        mkdir -p "$BUILD"
        policy_set
        # shellcheck disable=SC2086 # a list
        logged install "setup: installing $missing" apt_install $missing
        policy_clear
    fi
    case $verb in sweep | check | setup) mtab_setup; qemu_setup ;; esac
}

# A root made by debootstrap lacks the link by which nfs-ganesha finds file systems; an installed Debian has it.
mtab_setup() {
    [ -e /etc/mtab ] || {
        say "setup: making the link /etc/mtab"
        as_root ln -s ../proc/self/mounts /etc/mtab
    }
}

# ---- QEMU: 7.2 of Debian 12 corrupts guests (12 of 64 boots of 6.12 died in it, none of 24 under 10.0)

# Sets qemu to none, old or good, and qemu_version.
qemu_state() {
    qemu=none qemu_version=""
    command -v qemu-system-x86_64 >/dev/null || return 0
    qemu_version=$(qemu-system-x86_64 --version | sed -n 's/^QEMU emulator version \([0-9]*\.[0-9]*\).*/\1/p')
    qemu=old
    ! version_ge "$qemu_version" 8.1 || qemu=good
}
version_ge() { # MAJOR.MINOR MAJOR.MINOR
    [ "${1%%.*}" -gt "${2%%.*}" ] || { [ "${1%%.*}" -eq "${2%%.*}" ] && [ "${1#*.}" -ge "${2#*.}" ]; }
}

candidate() { apt-cache policy "$1" 2>/dev/null | sed -n 's/^  Candidate: \([0-9]*:\)\{0,1\}\([0-9]*\.[0-9]*\).*/\2/p'; }

qemu_packages="qemu-system-x86 qemu-system-common qemu-system-data seabios ipxe-qemu"
qemu_setup() {
    qemu_state
    [ "$qemu" != good ] || return 0
    missing="qemu-system-x86"
    mkdir -p "$BUILD"
    policy_set
    [ -n "$(candidate qemu-system-x86)" ] || logged update "qemu: updating the package lists" as_root apt-get -q update
    own=$(candidate qemu-system-x86)
    # shellcheck disable=SC2086 # a list
    if [ -n "$own" ] && version_ge "$own" 8.1; then
        logged qemu "qemu: installing the distribution's $own" apt_install $qemu_packages
    else
        qemu_backport
    fi
    policy_clear
    qemu_state
    case $qemu in
    none) die "qemu-system-x86_64 cannot be installed; see $logs/" ;;
    old) say "qemu: only $qemu_version is to be had; its emulation corrupts guests now and then (a boot that dies is tried again)" ;;
    esac
}

# From backports through a private apt root, so that the machine's own lists stay as they are.
qemu_backport() {
    codename=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
    if conf=$(image/apt-root --suite "$codename-backports" --no-source "$cache/apt/backports" 2>"$BUILD/backports.err"); then
        # shellcheck disable=SC2086 # a list
        logged qemu "qemu: installing QEMU from $codename-backports" \
            as_root env APT_CONFIG="$conf" apt-get $apt_options -t "$codename-backports" install $qemu_packages
        as_root env APT_CONFIG="$conf" apt-get clean
    elif [ "$qemu" = none ]; then
        say "qemu: no $codename-backports ($(head -n 1 "$BUILD/backports.err"))"
        # shellcheck disable=SC2086 # a list
        logged qemu "qemu: installing the distribution's own" apt_install $qemu_packages
    fi
}

# ---- steps

# Proven before any work: a compiler that builds and runs a program with the station's libraries.
prove() {
    [ ! -f "$BUILD/proven" ] || return 0
    mkdir -p "$BUILD/prove"
    printf '%s\n' '#include <archive.h>' '#include <ini.h>' '#include <jansson.h>' '#include <microhttpd.h>' \
        'int main(void) { return !archive_version_string() || !MHD_get_version(); }' >"$BUILD/prove/prove.c"
    # shellcheck disable=SC2046 # flags are words
    { gcc -o "$BUILD/prove/prove" "$BUILD/prove/prove.c" $(pkg-config --cflags --libs libarchive jansson libmicrohttpd inih) &&
        "$BUILD/prove/prove"; } || die "gcc cannot build and run a program with libarchive, jansson, libmicrohttpd and inih; see above"
    rm -rf "$BUILD/prove"
    : >"$BUILD/proven"
}

build() {
    left=""
    for arch in $known; do case " $ARCH $ARCHES " in *" $arch "*) ;; *) left="$left $arch" ;; esac; done
    say "make: the kdyno command, the programs of the box, the image for $ARCHES${left:+; left out:$left (ARCHES says which)}"
    make -s -j"$jobs" BUILD="$BUILD" ARCH="$ARCH" ARCHES="$ARCHES" || die "make failed; the lines above say where"
}

kdyno() { "$BUILD/kdyno" --lab "$lab" "$@"; }

sweep_kernels() {
    say "kernels: fetching what is not there yet"
    kdyno kernel fetch
}
sweep_box() {
    [ -e "$lab/boards/qemu.ini" ] || {
        say "box: making the QEMU twin"
        kdyno box add qemu
    }
}
sweep_new() {
    [ -f "$lab/sweeps/first/schedule" ] || {
        # The two that `kernel fetch` brings, unless KERNELS says otherwise.
        kernels=${KERNELS:-$(kdyno kernel list | awk '$1 ~ /cloud/ && $1 != "home" { print $1 }' | head -n 2 | paste -sd,)}
        say "sweep: planning $rounds rounds of $kernels"
        kdyno sweep new first --box qemu --kernels "$kernels" --rounds "$rounds" --profile smoke
    }
}
sweep_run() {
    say "sweep: running"
    incomplete=""
    kdyno sweep run first || incomplete=1 # what is complete is compared all the same
}
sweep_compare() {
    say "compare"
    kdyno compare first
    say "done: results are in $lab/sweeps/first/records.jsonl; $BUILD/kdyno --lab $lab show first lists them"
    [ -z "$incomplete" ] || die "not every boot of the sweep is complete: the lines of 'sweep run' above say why"
}

do_sweep() {
    lab=${LAB:-${KDYNO_LAB:-./lab}}
    rounds=${ROUNDS:-6}
    # shellcheck disable=SC2046,SC2086 # lists
    setup $packages_build $(packages_arches) $packages_run
    prove
    build
    sweep_kernels
    sweep_box
    sweep_new
    sweep_run
    sweep_compare
}

do_check() {
    case " $ARCHES " in *" i486 "*) ;; *) packages_kernel="" ;; esac
    # shellcheck disable=SC2046,SC2086 # lists
    setup $packages_build $(packages_arches) $packages_run $packages_check $packages_kernel
    prove
    build
    say "check: building the tests"
    make -s -j"$jobs" check-build BUILD="$BUILD" ARCH="$ARCH" ARCHES="$ARCHES" || die "make check-build failed; the lines above say where"
    say "check: running the tests"
    rm -f "$BUILD/test-logs/summary"
    if ! make -s check BUILD="$BUILD" ARCH="$ARCH" ARCHES="$ARCHES"; then
        # make has had the last word; the line that counts comes again.
        cat "$BUILD/test-logs/summary" || echo "0 passed, 1 failed"
        exit 1
    fi
}

do_image() {
    # shellcheck disable=SC2046,SC2086 # lists
    setup $packages_build $(packages_arches)
    prove
    build
}

do_setup() {
    # shellcheck disable=SC2046,SC2086 # lists
    setup $packages_build $(packages_arches) $packages_run
    say "setup: nothing is missing"
}

do_qemu() {
    if [ -n "${NO_INSTALL:-}" ]; then
        qemu_state
        [ "$qemu" != none ] || die "NO_INSTALL is set and qemu-system-x86 is missing"
    else
        qemu_setup
    fi
    say "qemu: $qemu_version"
}

"do_$verb"
