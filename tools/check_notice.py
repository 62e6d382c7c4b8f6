#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every library that the program or libdendro is linked with stands in NOTICE, as "(libNAME)", and no other."""

import glob
import os
import re
import subprocess

from checklib import expect, main, read

# Of the system or of the compiler.
SYSTEM = {"libc", "libm", "ld-linux-x86-64", "libgcc_s", "libasan", "libubsan", "libtsan", "libpthread", "libdendro"}


def needed(path):
    """The names that a program or library is linked with, as readelf tells them."""
    out = subprocess.run(["readelf", "-d", path], capture_output=True, text=True, check=True).stdout
    return set(re.findall(r"\(NEEDED\).*\[([\w.+-]+?)\.so[.\d]*\]", out))


def named(notice):
    return set(re.findall(r"(?m)^  \S.*?\((lib[\w.+-]+)\)", notice))


def compare(notice, linked):
    listed = named(notice)
    return ([f"NOTICE: does not name {lib}, which {' and '.join(sorted(by))} need" for lib, by in sorted(linked.items())
             if lib not in listed and lib not in SYSTEM] +
            [f"NOTICE: names {lib}, which nothing is linked with" for lib in sorted(listed - set(linked))])


def check(root, build_dir):
    linked = {}
    for pattern in ("src/bin/dendro", "src/engine/libdendro.so*[!p]"):
        found = [path for path in glob.glob(os.path.join(build_dir, pattern)) if os.path.isfile(path)]
        if not found:
            return [f"{build_dir}/{pattern} is not there; build first"]
        for lib in needed(found[0]):
            linked.setdefault(lib, set()).add(os.path.basename(found[0]))
    return compare(read(root, "NOTICE"), linked)


def self_test():
    good = "Text (libnot).\n  A thing (liba): MIT\n  B (libb-8), which A uses: MIT\n"
    for linked, want in (({"liba": {"x"}, "libb-8": {"x"}, "libc": {"x"}}, 0), ({"liba": {"x"}}, 1),
                         ({"liba": {"x"}, "libb-8": {"x"}, "libz": {"x", "y"}}, 1)):
        if len(compare(good, linked)) != want:
            raise SystemExit(f"compare({linked}) found {compare(good, linked)}")
    if "libc" not in needed("/bin/sh"):
        raise SystemExit("readelf shows no library of /bin/sh")
    expect(lambda root: check(root, root), {"NOTICE": good}, r"src/bin/dendro is not there")


if __name__ == "__main__":
    main(__doc__, check, self_test, lambda p: p.add_argument("--build-dir", required=False, default="build/debug"))
