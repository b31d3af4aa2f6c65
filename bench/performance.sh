#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The figures of docs/PERFORMANCE.md, measured side by side in one run and written there. `make bench` runs it; KERNEL=ID
# and RUNS=N choose the kernel (default: home) and the repetitions (default 7); LAB=DIR the lab that is used for it.
set -eu
exec perl -Ibench bench/performance.pl
