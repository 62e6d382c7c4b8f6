#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""All C files are formatted as clang-format 14 with .clang-format of the root would do it.
`./dev format` mends what this finds."""

import os
import re
import shutil
import subprocess

from checklib import Tree, files, main, read

PROGRAM = "clang-format-14"
CHUNK = 40


def check(root):
    if not shutil.which(PROGRAM):
        raise SystemExit(f"{PROGRAM} is not installed; ./dev deps test")
    paths = files(root, ["src", "include", "tests", "bench"], [".c", ".h"])
    findings = []
    for start in range(0, len(paths), CHUNK * 2):
        chunks = [paths[start:start + CHUNK], paths[start + CHUNK:start + 2 * CHUNK]]
        running = [subprocess.Popen([PROGRAM, "--dry-run", "-Werror", "--ferror-limit=1"] + c, cwd=root,
                                    stderr=subprocess.PIPE, text=True) for c in chunks if c]
        for process in running:
            _, text = process.communicate()
            found = re.findall(r"^(\S+?:\d+):\d+: error: (.*)", text, re.MULTILINE)
            findings += [f"{place}: {what}" for place, what in found]
            if process.returncode != 0 and not found:
                findings.append(f"{PROGRAM}: {text.strip()}")
    return findings


def self_test():
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    style = read(root, ".clang-format")
    good = "int good(int a)\n{\n    return a;\n}\n"
    with Tree({".clang-format": style, "src/good.c": good, "src/bad.c": "int bad( int a ) { return a; }\n"}) as tree:
        findings = check(tree.root)
    if len(findings) != 1 or not findings[0].startswith("src/bad.c:1"):
        raise SystemExit(f"self-test: {findings}")


if __name__ == "__main__":
    main(__doc__, check, self_test)
