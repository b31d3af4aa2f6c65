#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What a panic costs beside a crash kernel, and what a crash kernel costs where nothing panics: printed, side by side in one run. KERNEL=ID
# (default: the newest of the lab), ROUNDS=N (default 4) and LAB=DIR as for performance.sh.
set -eu
exec perl bench/crash.pl
