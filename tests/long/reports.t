#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 7200
# The three field reports on two kernels, with boots enough for error bars: REPORT_ROUNDS rounds (3), files of 16 MiB, a quarter of the tree. The tables that it prints are those
# of docs/reports.md.
. tests/lib/tap.sh
. tests/qemu/lab.sh
. tests/qemu/reports.sh
at_exit lab_stop
lab_ready
rounds=${REPORT_ROUNDS:-3}
report_bonnie t-bonnie "$OLD,$NEW" "$rounds" 16
report_tiobench t-tiobench "$OLD,$NEW" "$rounds" 16
report_boot t-boot "$OLD,$NEW" "$rounds" 4
check "nothing runs on" lab_idle
tap_done
