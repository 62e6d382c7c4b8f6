#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# list.sh: the pages that have examples to run, one per line, relative to the project.
cd "$(dirname "$0")/../.." || exit 2
grep -lE '^(```sql$|dendro> |<!-- setup)' README.md docs/*.md docs/sql/*.md | LC_ALL=C sort
