#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 300
# The runner's own code over a line of 115200 baud that damages bytes, both ways, with no NFS: nothing wrong is filed, and what was lost is asked for
# again until it is there. tests/long/damage.t has more records, more damage, and a real kernel.
. tests/lib/tap.sh
. tests/station/run.sh
. tests/station/damage.sh
sim_lab 300
sed -i 's/^again_s = .*/again_s = 60/' "$KDYNO_LAB/boards/sim.ini"
# recovered: at least 99 % (share=1.0000 or 0.99..)
# shellcheck disable=SC2317 # called by name
recovered() { echo "$figures" | grep -Eq 'share=(1|0\.99)'; }

damage_run clean 1 400 1 0 0
is "an undamaged line: the sweep ends well" "$status" 0 || diag "$out" "$err"
like "all is filed as it was said" "$figures" 'tries=3 .*missing=0 wrong=0 share=1.0000'

damage_run one 1 400 2 1 115200
is "1 byte of 1000: the sweep ends well" "$status" 0 || diag "$out" "$err"
like "nothing wrong is filed" "$figures" 'tries=3 .* wrong=0 '
check "at least 99 % is recovered" recovered

DAMAGE_S=60
damage_run ten 1 60 3 10 115200
like "10 bytes of 1000: nothing wrong is filed" "$figures" ' wrong=0 '
like "and bytes were damaged on the way to the box too" "$line" 'to-box .*(flips|drops|doubles)=[1-9]'
tap_done
