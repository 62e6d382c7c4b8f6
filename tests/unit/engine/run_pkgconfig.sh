#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs the library to a directory of its own and builds examples/embed.c as a stranger would, by what pkg-config
# says, against the shared library, by its versioned name; against the static one, with what pkg-config --static
# names and nothing else; then once more as C++, which must be able to read the header.
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
readelf -d "$dir/embed" | grep -q 'NEEDED.*\[libdendro\.so\.0\]' || { echo "embed is not linked with libdendro.so.0" >&2; exit 1; }
for name in "$lib" "$lib.0" "$lib.0.$(pkg-config --modversion dendro | cut -d. -f2-)"; do
    [ -e "$name" ] || { echo "there is no $name" >&2; exit 1; }
done
# Every library that the shared one needs is named for static programs, too, as is the library itself: no others are
# looked for.
for needed in $(readelf -d "$lib" | sed -n 's/.*NEEDED.*\[lib\(.*\)\.so.*\]/\1/p'); do
    case $needed in c | m | asan | ubsan | tsan | gcc_s) continue ;; esac
    pkg-config --static --libs dendro | grep -qe "-l$needed\\b" || { echo "dendro.pc does not name $needed" >&2; exit 1; }
done
# shellcheck disable=SC2046,SC2086 # words
cc -std=c11 -Wall -Wextra -Werror $flags "$2" $(pkg-config --cflags dendro) \
    $(pkg-config --static --libs dendro | sed 's/-ldendro\b/-l:libdendro.a/') -o "$dir/embed_static"
! readelf -d "$dir/embed_static" | grep -q libdendro || { echo "embed_static needs libdendro.so" >&2; exit 1; }
"$dir/embed_static" "$dir/data_static" >"$dir/out"
grep -q '^SELECT 3$' "$dir/out" || { cat "$dir/out" >&2; exit 1; }
[ "$("$dir"/usr/local/bin/dendro --version | cut -d' ' -f2)" = "$(pkg-config --modversion dendro)" ]
if command -v c++ >/dev/null; then
    echo '#include <dendro.h>' >"$dir/a.cc"
    # shellcheck disable=SC2046 # words
    c++ -std=c++11 -Wall -Wextra -Werror -fsyntax-only $(pkg-config --cflags dendro) "$dir/a.cc"
fi
