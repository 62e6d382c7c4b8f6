#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# list.sh: the scripts of this directory, one per line, without the runner's own.
# list.sh --check NAME...: fails if these are not all of them, so that a new script cannot be forgotten by
# a build directory that was set up before it.
cd "$(dirname "$0")" || exit 2
found=$(find . -name '*.test' ! -path './runner/*' | sed 's,^\./,,' | LC_ALL=C sort)
if [ $# = 0 ]; then
    [ -z "$found" ] || printf '%s\n' "$found"
    exit 0
fi
shift # the word --check
known=
[ $# = 0 ] || known=$(printf '%s\n' "$@")
[ "$found" = "$known" ] && exit 0
printf 'scripts were added or removed since this build directory was set up:\n'
printf 'known:\n%s\nfound:\n%s\nrun: meson setup --reconfigure BUILD-DIRECTORY (./dev does)\n' "$known" "$found"
exit 1
