#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Opens the golden volume of every release: the same answers as then, before and after this program
has flushed, merged and written to it.

    open_volume.py PATH-TO-DENDRO
"""
import difflib
import os
import shutil
import sys
import tempfile

from volume_common import answers, check, sql

HERE = os.path.dirname(os.path.abspath(__file__))


def compare(want, have, when):
    if want != have:
        diff = difflib.unified_diff(want.splitlines(), have.splitlines(), "then", "now", lineterm="")
        raise AssertionError(f"{when}:\n" + "\n".join(diff))


def test(dendro, name, base):
    directory = os.path.join(base, name)
    shutil.copytree(os.path.join(HERE, name), directory)
    os.makedirs(os.path.join(directory, "scratch"))  # git keeps no empty directories
    with open(os.path.join(HERE, name + ".txt"), encoding="utf-8") as file:
        want = file.read()
    check(dendro, directory)
    compare(want, answers(dendro, directory), "opened")
    check(dendro, directory)
    sql(dendro, directory, "CHECKPOINT")
    check(dendro, directory)
    compare(want, answers(dendro, directory), "after CHECKPOINT")
    # A new row and a new version of an old one.
    sql(dendro, directory, "INSERT INTO foo VALUES (1, 11), (99, 99)", "CREATE TABLE later (a INT)",
        "INSERT INTO later VALUES (1)")
    rows = sql(dendro, directory, "SELECT * FROM foo WHERE bar IN (1, 99) ORDER BY bar",
               "SELECT * FROM later")
    compare("bar,baz\n1,11\n99,99\na\n1\n", rows.replace("\r", ""), "written to")
    check(dendro, directory)


def main():
    volumes = sorted(name for name in os.listdir(HERE)
                     if name.startswith("volume_v") and os.path.isdir(os.path.join(HERE, name)))
    if not volumes:
        print("there is no golden volume")
        return 1
    for name in volumes:
        with tempfile.TemporaryDirectory(prefix="dendro-golden-") as base:
            try:
                test(sys.argv[1], name, base)
            except (AssertionError, RuntimeError) as error:
                print(f"{name}: {error}")
                return 1
        print(f"{name}: opened, compared, written to")
    return 0


if __name__ == "__main__":
    sys.exit(main())
