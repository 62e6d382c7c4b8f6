#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check_broken.sh SLT DIR: each script of DIR must fail with the exit code and the words that its
# first line tells: `# expect CODE: words`.
slt=$1 dir=$2 bad=0 count=0
for file in "$dir"/*.test; do
    head=$(head -n 1 "$file")
    code=$(printf '%s' "$head" | sed -n 's/^# expect \([0-9]*\): .*/\1/p')
    words=$(printf '%s' "$head" | sed -n 's/^# expect [0-9]*: //p')
    out=$("$slt" --dendro /bin/sh --mode fresh "$file" 2>&1)
    got=$?
    count=$((count + 1))
    if [ -z "$words" ] || [ "$got" != "$code" ] || ! printf '%s' "$out" | grep -qF -- "$words"; then
        printf '%s: expected exit %s and "%s", got exit %s and:\n%s\n' "$file" "$code" "$words" "$got" "$out"
        bad=1
    fi
done
[ "$count" -gt 20 ] || { echo "only $count scripts in $dir"; bad=1; }

# --rewrite turns a wrong expectation into the right one and leaves the rest of the file alone.
copy=$(mktemp) || exit 2
trap 'rm -f "$copy"' EXIT
cp "$dir/value.test" "$copy"
"$slt" --rewrite "$copy" >/dev/null && "$slt" "$copy" || bad=1
[ "$(diff "$dir/value.test" "$copy" | grep -c '^[<>]')" = 2 ] || { echo "--rewrite changed too much"; bad=1; }
exit $bad
