#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 2400
# tests/station/damage.t with more: 12,000 records over a line of 115200 baud that damages 1 byte of 1000, 600 over one that damages 10. At 1: nothing
# wrong is filed, at least 99 % is recovered. At 10: nothing wrong is filed, the share is printed.
. tests/lib/tap.sh
. tests/station/run.sh
. tests/station/damage.sh
sim_lab 300
sed -i 's/^again_s = .*/again_s = 60/' "$KDYNO_LAB/boards/sim.ini"
# shellcheck disable=SC2317 # called by name
recovered() { echo "$figures" | grep -Eq 'share=(1|0\.99)'; }
DAMAGE_S=600
for seed in 11 12 13; do
    damage_run "one-$seed" 2 800 "$seed" 1 115200
    is "1 byte of 1000, seed $seed: the sweep ends well" "$status" 0 || diag "$out" "$err"
    like "nothing wrong is filed" "$figures" 'tries=5 .* wrong=0 '
    check "at least 99 % is recovered" recovered
done
for seed in 21 22; do
    damage_run "ten-$seed" 1 100 "$seed" 10 115200
    like "10 bytes of 1000, seed $seed: nothing wrong is filed" "$figures" ' wrong=0 '
done
tap_done
