#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The linters are a test like any other.
. tests/lib/tap.sh
check "clang-format" tests/lib/lint format
check "cppcheck" tests/lib/lint c
check "shellcheck" tests/lib/lint sh
check "licence lines and lengths" tests/lib/lint text
tap_done
