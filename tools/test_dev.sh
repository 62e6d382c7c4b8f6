#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# test_dev.sh DEV: does ./dev count right? Runs a copy of it in an empty tree, with stand-ins for
# meson, ninja and dpkg-query that do what each case says, and looks at exit code and last line.
set -eu

dev=$1
top=$(mktemp -d)
trap 'rm -rf "$top"' EXIT
mkdir "$top/bin"
cp "$dev" "$top/dev"

cat >"$top/bin/meson" <<'FAKE'
#!/bin/sh
if [ "$1" = setup ]; then
    shift
    [ "$1" != --reconfigure ] || shift
    [ "${FAKE_SETUP_FAILS:-}" != "$1" ] || { echo "no such option"; exit 1; }
    mkdir -p "$1/meson-logs" && : >"$1/build.ninja"
    exit 0
fi
# meson test -C DIR ... --logbase BASE ...
dir=$3
case " $* " in *" --list "*) printf 'dendro:unit / %s\n' test1 test2 other && exit 0 ;; esac
while [ "$1" != --logbase ]; do shift; done
[ "${FAKE_RESULTS:-}" != none ] || exit "${FAKE_RC:-0}"
i=0
for result in ${FAKE_RESULTS:-OK OK}; do
    i=$((i + 1))
    printf '{"name": "test%d", "stdout": "\\"result\\": \\"FAIL\\"", "result": "%s", "duration": 1}\n' "$i" "$result"
done >"$dir/meson-logs/$2.json"
exit "${FAKE_RC:-0}"
FAKE
cat >"$top/bin/ninja" <<'FAKE'
#!/bin/sh
[ "${FAKE_BUILD_FAILS:-}" != "$2" ] || { echo "error: broken"; exit 1; }
mkdir -p "$2/src/bin" "$2/src/engine"
: >"$2/src/bin/dendro"
[ "${FAKE_NO_LIBRARY:-}" ] || : >"$2/src/engine/libdendro.so"
[ "${FAKE_NO_LIBRARY:-}" ] || : >"$2/src/engine/libdendro.so.0"
: >"$2/src/engine/libdendro.a"
FAKE
printf '#!/bin/sh\necho installed\n' >"$top/bin/dpkg-query"
printf '#!/bin/sh\nexit 0\n' >"$top/bin/pkg-config"
chmod +x "$top/bin/"*

bad=0
# want CODE LAST-LINE COMMAND [VARIABLE=VALUE...]
want() {
    code=$1 last=$2 command=$3
    shift 3
    got=0
    # shellcheck disable=SC2086
    out=$(env PATH="$top/bin:$PATH" DENDRO_JOBS=1 "$@" "$top/dev" $command </dev/null 2>&1) || got=$?
    line=$(printf '%s\n' "$out" | tail -n 1)
    if [ $got != "$code" ] || [ "$line" != "$last" ]; then
        printf '%s with "%s": exit %s and "%s", expected %s and "%s"\n%s\n' \
            "$command" "$*" $got "$line" "$code" "$last" "$out"
        bad=1
    fi
}

# Four runs of two tests each, and the clang build.
want 0 '9 passed, 0 failed' test
want 0 '9 passed, 0 failed' test # the second time in the same tree
want 1 '5 passed, 4 failed' test FAKE_RESULTS='OK FAIL' FAKE_RC=1
want 1 '5 passed, 8 failed' test FAKE_RESULTS='TIMEOUT OK ERROR SKIP' FAKE_RC=1
want 1 '5 passed, 4 failed' test FAKE_RESULTS='OK UNEXPECTEDPASS' FAKE_RC=1
want 0 '5 passed, 0 failed' test FAKE_RESULTS='EXPECTEDFAIL SKIP'
want 1 '9 passed, 4 failed' test FAKE_RC=1 # meson is unhappy though no test is
want 1 '1 passed, 4 failed' test FAKE_RESULTS=none FAKE_RC=1
want 1 '1 passed, 4 failed' test FAKE_RESULTS=none # a run without tests proves nothing
want 1 '7 passed, 1 failed' test FAKE_BUILD_FAILS=build/tsan
want 1 '8 passed, 1 failed' test FAKE_BUILD_FAILS=build/clang
want 0 '2 passed, 0 failed' 'test TEST'
want 0 '1 passed, 0 failed' 'test other' FAKE_RESULTS=OK
want 1 '1 passed, 1 failed' 'test unit' FAKE_RESULTS='OK FAIL' FAKE_RC=1
want 1 "dev: test: no test has 'nosuch' in its name or suite; meson test -C build/asan --list shows all" 'test nosuch'
rm -rf "$top/build"
want 1 '7 passed, 1 failed' test FAKE_SETUP_FAILS=build/asan
rm -rf "$top/build"
want 1 '9 passed, 1 failed' test FAKE_NO_LIBRARY=1
want 1 'dev: the release build failed' build FAKE_BUILD_FAILS=build/release
want 0 '== built build/release/dendro, libdendro.so, libdendro.a' build
for name in dendro libdendro.so libdendro.so.0 libdendro.a; do
    [ -e "$top/build/release/$name" ] || { echo "build/release/$name is not there"; bad=1; }
done
want 1 "dev: there is no command 'nonsense'" nonsense
want 1 "dev: soak: 'x' is no number of minutes" 'soak x'
want 1 "dev: fuzz: 'x' is no number of seconds" 'fuzz sql x'
exit $bad
