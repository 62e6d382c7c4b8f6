#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every header compiles alone and twice over, with the flags of the build, and says #pragma once.
List headers (*_list.h) and templates (*_tmpl.h) are made to be included many times, inside other
text: they are left out."""

import concurrent.futures
import json
import os
import re
import shlex
import subprocess

from checklib import Tree, files, main, read

INCLUDED_MANY_TIMES = ("_list.h", "_tmpl.h")
DROP_WITH_VALUE = {"-o", "-MF", "-MQ", "-MT"}
DROP = {"-c", "-MD", "-MMD"}


def build_flags(build_dir):
    """Compiler and flags by source directory, from compile_commands.json."""
    with open(os.path.join(build_dir, "compile_commands.json"), encoding="utf-8") as f:
        commands = json.load(f)
    flags = {}
    for entry in commands:
        words, args = shlex.split(entry["command"]), []
        words = [w for w in words if os.path.basename(w) != "ccache"]
        i = 0
        while i < len(words):
            if words[i] in DROP_WITH_VALUE:
                i += 1
            elif words[i] not in DROP and words[i] != entry["file"]:
                args.append(words[i])
            i += 1
        source = os.path.normpath(os.path.join(entry["directory"], entry["file"]))
        flags.setdefault(os.path.dirname(source), (args, entry["directory"]))
    return flags


def compile_alone(header, args, directory):
    name = re.sub(r"^(src|include)/", "", header)
    text = f'#include "{name}"\n#include "{name}"\nint header_alone_(void);\n'
    done = subprocess.run(args + ["-fsyntax-only", "-x", "c", "-"], input=text, cwd=directory,
                          capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return None
    return f"{header}: does not compile alone\n{done.stderr.strip()}"


def check(root, build_dir=None):
    headers = [h for h in files(root, ["src", "include"], [".h"]) if not h.endswith(INCLUDED_MANY_TIMES)]
    findings = [f"{h}: no #pragma once" for h in headers
                if h.startswith("src") and "\n#pragma once\n" not in "\n" + read(root, h)]
    flags = build_flags(build_dir) if build_dir else {}
    plain = (["cc", "-std=c17", "-Wall", "-Wextra", "-Werror", "-D_POSIX_C_SOURCE=200809L",
              f"-I{root}/src", f"-I{root}/include"], root)
    with concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        def one(header):
            where = os.path.join(root, os.path.dirname(header))
            any_flags = next(iter(flags.values())) if flags else plain
            return compile_alone(header, *flags.get(where, any_flags))
        findings += [f for f in pool.map(one, headers) if f]
    return findings


def self_test():
    bad = {
        "src/base/good.h": "#pragma once\n#include <stddef.h>\nsize_t base_size(void);\n",
        "src/base/bare.h": "#pragma once\nsize_t base_size(void);\n",
        "src/base/twice.h": "struct base_twice { int x; };\n",
        "src/base/x_list.h": "X(1)\n",
    }
    with Tree(bad) as tree:
        text = "\n".join(check(tree.root))
    for wanted in ("bare.h: does not compile alone", "twice.h: does not compile alone", "twice.h: no #pragma"):
        if wanted not in text:
            raise SystemExit(f"self-test: {wanted!r} not found in: {text}")
    if "good.h" in text or "x_list.h" in text:
        raise SystemExit(f"self-test: a good header was refused: {text}")


if __name__ == "__main__":
    main(__doc__, check, self_test, lambda p: p.add_argument("--build-dir"))
