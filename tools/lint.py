#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""clang-tidy over src/, less what was looked at and is no fault.

usage: lint.py [-j N] [--self-test] BUILD [FILE...]

BUILD has the compile_commands.json. tools/lint_known.txt lists findings that are none, with the reason: an entry is
`FILE [CHECK] the line of source`, so it stays true when lines move and goes when the line changes. Everything else
is printed and makes the exit code 1, and so is an entry that finds nothing any more."""
import argparse
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
KNOWN = os.path.join(ROOT, "tools", "lint_known.txt")
FINDING = re.compile(r"^(\S+?):(\d+):(\d+): (?:error|warning): (.*) \[([^\]]+)\]$")


def known_entries(text):
    return {line.strip() for line in text.split("\n") if line.strip() and not line.startswith("#")}


def findings(output, base, read_line):
    """(entry, text) of every finding; read_line(path, number) gives the source."""
    # A message may go on behind its first line, with the name of the check at the end.
    joined = re.sub(r"(: (?:error|warning): [^\n\[]*)\n(?!\S+:\d+:)[^\n]*?(\[[a-z])", r"\1 \2", output)
    for line in joined.split("\n"):
        m = FINDING.match(line)
        if not m:
            continue
        path = os.path.relpath(os.path.normpath(os.path.join(base, m.group(1))), ROOT)
        check = m.group(5).replace(",-warnings-as-errors", "")
        source = read_line(path, int(m.group(2))).strip()
        yield f"{path} [{check}] {source}", f"{path}:{m.group(2)}:{m.group(3)}: {m.group(4)} [{check}]"


def read_source(path, number):
    with open(os.path.join(ROOT, path), encoding="utf-8") as f:
        lines = f.read().split("\n")
    return lines[number - 1] if number <= len(lines) else ""


def tidy(build, path):
    done = subprocess.run(["clang-tidy-14", "--quiet", "-p", build, path], cwd=ROOT, text=True, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return done.stdout


def sources():
    found = []
    for directory, _, names in os.walk(os.path.join(ROOT, "src")):
        found += [os.path.relpath(os.path.join(directory, n), ROOT) for n in names if n.endswith(".c")]
    return sorted(found)


def self_test():
    output = ("src/a.c:2:5: error: bad thing [bugprone-x,-warnings-as-errors]\n"
              "src/a.h:1:1: error: Excessive padding in 'struct a'. \nOptimal order: \n"
              "src/b.c:1:1: note: no finding\n")
    found = list(findings(output, ROOT, lambda path, n: f"  line {n};"))
    assert found == [("src/a.c [bugprone-x] line 2;", "src/a.c:2:5: bad thing [bugprone-x]")], found
    assert known_entries("# why\nsrc/a.c [bugprone-x] line 2;\n\n") == {found[0][0]}
    print("lint.py finds what it should")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-j", type=int, default=os.cpu_count())
    parser.add_argument("--self-test", action="store_true")
    parser.add_argument("build", nargs="?")
    parser.add_argument("files", nargs="*")
    args = parser.parse_args()
    if args.self_test:
        self_test()
        return 0
    if not args.build:
        parser.error("BUILD is missing")
    build = os.path.abspath(args.build)
    with open(KNOWN, encoding="utf-8") as f:
        known = known_entries(f.read())
    used, bad = set(), {}
    with ThreadPoolExecutor(args.j) as pool:
        for output in pool.map(lambda path: tidy(build, path), args.files or sources()):
            for entry, text in findings(output, build, read_source):
                if entry in known:
                    used.add(entry)
                elif entry not in bad:
                    bad[entry] = text
                    print(f"{text}\n    {entry}", flush=True)
    stale = set() if args.files else known - used
    for entry in sorted(stale):
        print(f"tools/lint_known.txt: finds nothing any more, delete it: {entry}")
    return 1 if bad or stale else 0


if __name__ == "__main__":
    sys.exit(main())
