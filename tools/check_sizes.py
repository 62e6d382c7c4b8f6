#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The size ratchet. Soft limits may be passed only by what tools/sizes.txt lists, and only up to
the size written there: an entry may shrink or go, never grow. Hard limits hold for everything.

    .c 800 lines soft, 1200 hard; .h 300 soft, 1200 hard; function body 80 soft, 120 hard;
    7 parameters, no exceptions

`--update` lowers the entries to today's sizes and drops those that are not needed any more. A new
entry is written by hand, with a reason in the commit that adds it."""

import os
import re

from checklib import expect, files, line_of, main, read, strip_c

FILE_SOFT = {".c": 800, ".h": 300}
FILE_HARD = 1200
FUNCTION_SOFT, FUNCTION_HARD = 80, 120
PARAMS_HARD = 7
# Functions whose parameters somebody else has chosen: a library calls them.
FOREIGN = {"src/server/http/http.c:http_handle", "src/server/http/cert.c:cert_ask"}
LIST = "tools/sizes.txt"

# Our brace style puts a function's braces alone on column 0.
BODY = re.compile(r"^\{\n(.*?)^\}", re.DOTALL | re.MULTILINE)


def functions(code):
    """(name, first line, body lines, parameter count) of each function definition."""
    for body in BODY.finditer(code):
        before = code[:body.start()].rstrip()
        if not before.endswith(")"):
            continue
        depth, i = 0, len(before)
        while i > 0:
            i -= 1
            depth += {")": 1, "(": -1}.get(before[i], 0)
            if depth == 0:
                break
        name = re.search(r"(\w+)\s*$", before[:i])
        if not name:
            continue
        inner, depth, commas = before[i + 1:-1], 0, 0
        for c in inner:
            depth += {"(": 1, ")": -1}.get(c, 0)
            commas += c == "," and depth == 0
        params = 0 if inner.strip() in ("", "void") else commas + 1
        yield name.group(1), line_of(code, name.start()), body.group(1).count("\n"), params


def measure(root):
    """{key: (size, soft limit, hard limit, place)}"""
    sizes = {}
    for path in files(root, ["src", "include", "tests", "bench"], [".c", ".h"]):
        text = read(root, path)
        sizes[f"file {path}"] = (text.count("\n"), FILE_SOFT[path[-2:]], FILE_HARD, path)
        for name, line, length, params in functions(strip_c(text)):
            place = f"{path}:{line}"
            sizes[f"function {path}:{name}"] = (length, FUNCTION_SOFT, FUNCTION_HARD, place)
            if f"{path}:{name}" not in FOREIGN:
                sizes[f"params {path}:{name}"] = (params, PARAMS_HARD, PARAMS_HARD, place)
    return sizes


def read_list(root):
    entries = {}
    if os.path.exists(os.path.join(root, LIST)):
        for line in read(root, LIST).splitlines():
            if line.strip() and not line.startswith("#"):
                key, size = line.rsplit(None, 1)
                entries[key] = int(size)
    return entries


def update(root, sizes, entries):
    kept = {k: min(v, sizes[k][0]) for k, v in entries.items() if k in sizes and sizes[k][0] > sizes[k][1]}
    head = [line for line in read(root, LIST).splitlines() if line.startswith("#")]
    with open(os.path.join(root, LIST), "w", encoding="utf-8") as f:
        f.write("\n".join(head + [f"{k} {v}" for k, v in sorted(kept.items())]) + "\n")


def check(root, **options):
    sizes, entries = measure(root), read_list(root)
    if options.get("update"):
        update(root, sizes, entries)
        entries = read_list(root)
    findings = []
    for key, (size, soft, hard, place) in sorted(sizes.items()):
        kind, name = key.split(" ", 1)
        unit = "parameters" if kind == "params" else "lines"
        if size > hard:
            findings.append(f"{place}: {kind} {name} has {size} {unit}; the hard limit is {hard}")
        elif size > soft and key not in entries:
            findings.append(f"{place}: {kind} {name} has {size} {unit}; the limit is {soft}, and {LIST} does not list it")
        elif size > soft and size > entries[key]:
            findings.append(f"{place}: {kind} {name} grew from {entries[key]} to {size} {unit}")
    for key in sorted(entries):
        if key not in sizes or sizes[key][0] <= sizes[key][1]:
            findings.append(f"{LIST}: '{key}' is not needed any more (check_sizes.py --update)")
    return findings


def self_test():
    def body(lines, params="int a"):
        return f"int f({params})\n{{\n" + "    a++;\n" * lines + "}\n"

    seven = ", ".join(f"int p{i}" for i in range(7))
    expect(check, {"src/a/a.c": body(80, seven)})
    expect(check, {"src/a/a.c": body(81)}, r"a\.c:1: function .*:f has 81 lines; the limit is 80")
    expect(check, {"src/a/a.c": body(121)}, r"hard limit is 120")
    expect(check, {"src/a/a.c": body(81), LIST: "# x\nfunction src/a/a.c:f 81\n"})
    expect(check, {"src/a/a.c": body(82), LIST: "function src/a/a.c:f 81\n"}, r"grew from 81 to 82")
    expect(check, {"src/a/a.c": body(121), LIST: "function src/a/a.c:f 121\n"}, r"hard limit")
    expect(check, {"src/a/a.c": body(1), LIST: "function src/a/a.c:f 81\n"}, r"not needed")
    expect(check, {"src/a/a.c": body(1, seven + ", int (*fn)(int, int)")}, r"has 8 parameters")
    expect(check, {"src/a/a.c": "int x;\n" * 801}, r"file src/a/a\.c has 801 lines; the limit is 800")
    expect(check, {"src/a/a.h": "int x;\n" * 301}, r"file src/a/a\.h has 301 lines")
    expect(check, {"tests/a.c": "int x;\n" * 1201, LIST: "file tests/a.c 1201\n"}, r"hard limit is 1200")
    expect(lambda root: check(root, update=True),
           {"src/a/a.c": body(85), LIST: "function src/a/a.c:f 90\nfunction src/a/a.c:gone 90\n"})


if __name__ == "__main__":
    main(__doc__, check, self_test,
         lambda p: p.add_argument("--update", action="store_true", help="lower and drop entries"))
