#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs the library to a directory of its own and builds examples/embed.c as a stranger would, by what pkg-config
# says, against the shared library; then once more as C++, which must be able to read the header.
#
#     run_pkgconfig.sh BUILDDIR EXAMPLE SANITIZE
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
flags=
[ "$3" = none ] || flags="-fsanitize=$3"
DESTDIR=$dir meson install -C "$1" --no-rebuild >"$dir/log" 2>&1 || { cat "$dir/log" >&2; exit 1; }
pc=$(find "$dir" -name dendro.pc)
[ -n "$pc" ] || { echo "no dendro.pc was installed" >&2; exit 1; }
export PKG_CONFIG_PATH="${pc%/*}" PKG_CONFIG_SYSROOT_DIR="$dir" PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1 \
    PKG_CONFIG_ALLOW_SYSTEM_LIBS=1
pkg-config --validate dendro
lib=$(find "$dir" -name libdendro.so)
# shellcheck disable=SC2046,SC2086 # words
cc -std=c11 -Wall -Wextra -Werror $flags "$2" $(pkg-config --cflags --libs dendro) -o "$dir/embed"
LD_LIBRARY_PATH="${lib%/*}" "$dir/embed" "$dir/data" >"$dir/out"
grep -q '^SELECT 3$' "$dir/out" || { cat "$dir/out" >&2; exit 1; }
[ "$("$dir"/usr/local/bin/dendro --version | cut -d' ' -f2)" = "$(pkg-config --modversion dendro)" ]
if command -v c++ >/dev/null; then
    echo '#include <dendro.h>' >"$dir/a.cc"
    # shellcheck disable=SC2046 # words
    c++ -std=c++11 -Wall -Wextra -Werror -fsyntax-only $(pkg-config --cflags dendro) "$dir/a.cc"
fi
