#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What the suite costs beside what it measures: docs/MEASUREMENTS.md, "Overhead". RUNS=N rounds (60).
set -eu
exec perl -Ibench bench/overhead.pl
