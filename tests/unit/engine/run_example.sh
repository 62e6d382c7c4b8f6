#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs examples/embed.c twice on one directory (the second time it finds its table) and compares what it prints.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
want='2015-06-01T00:30:00.000Z  20.5
2015-06-01T00:32:00.000Z  22.5
2015-06-01T00:34:00.000Z  24.5
SELECT 3
5000 rows, 50 without a value, sum 71910.0'
for i in 1 2; do
    got=$("$1" "$dir/data")
    [ "$got" = "$want" ] || { printf 'run %d gave:\n%s\n' $i "$got" >&2; exit 1; }
done
