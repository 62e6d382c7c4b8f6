#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What reads bytes from outside has a fuzz target: tests/fuzz/parsers.txt has an entry for every source file
with a sign of a reader, and every target of tests/fuzz/meson.build is named there."""

import fnmatch
import re

from checklib import expect, files, main, read, strip_c

LIST = "tests/fuzz/parsers.txt"
MESON = "tests/fuzz/meson.build"
SIGNS = re.compile(
    r"\b(DN_CHECK_DISK|rd_make|dn_json_parse|DN_E_BAD_(BINARY|COPY|DATETIME|TEXT)|pgw_rd_\w+|lp_begin|http_query|"
    r"snappy_uncompress|inflateInit2?|ZSTD_createDCtx|LZ4_decompress_\w+)\b")
TARGET = re.compile(r"^  \['(\w+)', \['", re.MULTILINE)


def entries(root):
    """(line, pattern, targets or None, reason)"""
    found = []
    for number, line in enumerate(read(root, LIST).splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        pattern, _, rest = line.partition(" ")
        rest = rest.strip()
        if rest.startswith("-"):
            found.append((number, pattern, None, rest[1:].strip()))
        else:
            found.append((number, pattern, [t.strip() for t in rest.split(",")], ""))
    return found


def check(root):
    findings = []
    named = set()
    paths = files(root, ["src"], [".c"])
    targets = set(TARGET.findall(read(root, MESON)))
    listed = entries(root)
    for number, pattern, given, reason in listed:
        if not fnmatch.filter(paths, pattern):
            findings.append(f"{LIST}:{number}: there is no {pattern}")
        if given is None and not reason:
            findings.append(f"{LIST}:{number}: a reason is wanted behind the -")
        for target in given or []:
            named.add(target)
            if target not in targets:
                findings.append(f"{LIST}:{number}: there is no fuzz target '{target}'")
    for target in sorted(targets - named):
        findings.append(f"{LIST}: the target '{target}' reads nothing that is listed")
    for path in paths:
        if any(fnmatch.fnmatch(path, pattern) for _, pattern, _, _ in listed):
            continue
        sign = SIGNS.search(strip_c(read(root, path)))
        if sign:
            findings.append(f"{path}: has {sign.group(0)}, a sign of a reader of bytes from outside, and no entry in {LIST}")
    return findings


def self_test():
    meson = "fuzz_targets = [\n  ['a', ['a_fuzz.c'], [base_dep], 5],\n]\n"
    good = {MESON: meson, LIST: "# x\nsrc/a*.c a\nsrc/b.c - reads what it wrote\n",
            "src/a1.c": "rd_make(p, n);\n", "src/b.c": "rd_make(p, n);\n", "src/c.c": "/* rd_make(p, n) */\n"}
    expect(check, good)
    expect(check, {**good, "src/c.c": "rc = dn_json_parse(p);\n"}, r"src/c\.c: has dn_json_parse")
    expect(check, {**good, LIST: good[LIST] + "src/c.c b\n"}, r":4: there is no fuzz target 'b'")
    expect(check, {**good, LIST: good[LIST] + "src/d.c a\n"}, r":4: there is no src/d\.c")
    expect(check, {**good, LIST: good[LIST].replace("- reads what it wrote", "-")}, r":3: a reason")
    expect(check, {**good, MESON: meson.replace("]\n]", "]\n  ['b', ['b_fuzz.c'], [base_dep], 5],\n]").replace(
        "],\n]", "],\n  ['b', ['b_fuzz.c'], [base_dep], 5],\n]")}, r"target 'b' reads nothing")


if __name__ == "__main__":
    main(__doc__, check, self_test)
