#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Names the linker sees. Each static library of a layer defines only symbols with a prefix that
tools/symbols.txt gives to this layer, and libdendro.so exports dendro_* and nothing else, so that
nothing of ours can clash with another library in the same process."""

import os
import re
import subprocess
import sys

from checklib import main, read

LIST = "tools/symbols.txt"
# Made by the compiler and its sanitizers, never by us.
COMPILER = re.compile(r"__|_GLOBAL_|asan\.|tsan\.|_init$|_fini$|_edata$|_end$")
SKIPPED = 77


def prefixes(root):
    table = {}
    for line in read(root, LIST).splitlines():
        if line.strip() and not line.startswith("#"):
            layer, words = line.split(":")
            table[layer.strip()] = words.split()
    return table


def symbols(path, *options):
    done = subprocess.run(["nm", "--defined-only", "--extern-only", "-P", *options, path],
                          capture_output=True, text=True, check=True)
    found = []
    for line in done.stdout.splitlines():
        words = line.split()
        if len(words) >= 2 and len(words[1]) == 1 and not COMPILER.match(words[0]):
            found.append(words[0])
    return sorted(set(found))


def check_static(table, layer, names):
    allowed = table.get(layer)
    if allowed is None:
        return [f"{LIST}: no line for the layer {layer}"]
    pattern = re.compile("(" + "|".join(allowed) + ")_")
    return [f"libdn_{layer}.a: {name}: not one of the prefixes {', '.join(allowed)} of {LIST}"
            for name in names if not pattern.match(name)]


def check_shared(names):
    if not names:
        return ["libdendro.so: exports nothing"]
    return [f"libdendro.so: exports {name}; only dendro_* may be visible" for name in names
            if not name.startswith("dendro_")]


def check(root, build_dir):
    table = prefixes(root)
    findings = []
    static, shared = {}, None
    for here, _, names in os.walk(os.path.join(build_dir, "src")):
        for name in names:
            match = re.fullmatch(r"libdn_(\w+)\.a", name)
            if match:
                static[match.group(1)] = os.path.join(here, name)
            elif re.fullmatch(r"libdendro\.so(\.\d+)*", name):  # the library, or a link to it
                shared = os.path.join(here, name)
    if not static:
        return findings + [f"{build_dir}: no libdn_*.a; build first"]
    for layer, path in sorted(static.items()):
        findings += check_static(table, layer, symbols(path))
    if shared:
        findings += check_shared(symbols(shared, "-D"))
    elif os.path.exists(os.path.join(root, "src/engine/meson.build")):
        findings.append("libdendro.so: src/engine is there, but the build made no library")
    elif not findings:
        print("libdendro.so: no such target yet")
        sys.exit(SKIPPED)
    return findings


def self_test():
    table = {"base": ["dn", "mem"], "vec": ["vec", "dn"]}
    assert check_static(table, "base", ["dn_a", "mem_b"]) == []
    assert len(check_static(table, "base", ["dn_a", "crc32", "memory"])) == 2
    assert len(check_static(table, "exec", ["x"])) == 1
    assert check_shared(["dendro_open"]) == []
    assert len(check_shared(["dendro_open", "mem_alloc"])) == 1
    assert len(check_shared([])) == 1
    assert symbols(sys.executable, "-D") is not None


if __name__ == "__main__":
    main(__doc__, check, self_test, lambda p: p.add_argument("--build-dir", default="build/release"))
