#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A disk that fills up, under the real program.

On a small file system of its own (tmpfs in a mount namespace of this test) a ballast file takes most
of the space. INSERTs go on until they fail with 53100; reads must go on all the while; the ballast
is removed, and INSERTs must succeed again in the same process. Every acknowledged row is there at
the end, none that failed, and `dendro check` finds nothing.

Then once more: when the disk is full the program is killed, and another program takes what space that
gave back. The database must open, show every acknowledged row, and DROP TABLE must make room.

Needs the right to mount: as root, or where user namespaces are allowed. Without, it says so and is
skipped (exit code 77).

    full_disk.py PATH-TO-DENDRO
"""
import os
import subprocess
import sys
import tempfile

from session import Program, check, query

MIB = 1 << 20
SIZE = 5 * MIB
BALLAST = 4 * MIB
ROWS = 200  # of a statement


def enter_namespace(script):
    """Starts this script again where it may mount; does not return if that works."""
    for how in (["unshare", "-m"], ["unshare", "-rm"]):
        probe = how + ["sh", "-c", "mount -t tmpfs -o size=1m tmpfs /mnt"]
        try:
            if subprocess.run(probe, capture_output=True, check=False).returncode == 0:
                os.execvp(how[0], how + [sys.executable, script, "--inside"] + sys.argv[1:])
        except FileNotFoundError:
            break
    print("SKIPPED: a tmpfs cannot be mounted here (neither root nor user namespaces)")
    sys.exit(77)


def script():
    pad = "p" * 60
    yield "CREATE TABLE t (k BIGINT PRIMARY KEY, pad VARCHAR)"
    for i in range(2500):
        # Text that does not compress away, and a flush now and then.
        rows = ", ".join(f"({i * ROWS + k}, '{pad}{i * 7919 + k * 104729:x}')" for k in range(ROWS))
        yield "INSERT INTO t VALUES " + rows
        yield f"SELECT 'rows', count(*), {i} FROM t"
        if i % 50 == 49:
            yield "CHECKPOINT"


def run(dendro, base):
    directory = os.path.join(base, "db")
    ballast = os.path.join(base, "ballast")
    with open(ballast, "wb") as file:
        file.write(b"\xff" * BALLAST)
    program = Program(dendro, directory, script(),
                      ["memtable_size=128kB", "log_chunk_size=64kB"])
    acked = refused = reads_while_full = after = 0
    freed = False
    while (line := program.line()) is not None:
        if line.startswith("INSERT 0 "):
            acked += 1
            after += freed
        elif line.startswith("ERROR:"):
            if "53100" not in line:
                raise AssertionError("another error than 'no space': " + line)
            refused += 1
        elif line.startswith("|rows"):
            count = int(line.split("|")[2])
            if count != acked * ROWS:
                raise AssertionError(f"{count} rows, but {acked * ROWS} were acknowledged")
            reads_while_full += refused > 0 and not freed
        if reads_while_full == 5 and not freed:
            os.unlink(ballast)
            freed = True
        if after == 30:
            break
    print(f"{acked} statements acknowledged, {refused} refused, {reads_while_full} reads while "
          f"full, {after} writes after space came back")
    if not (refused and reads_while_full and after == 30):
        raise AssertionError("the disk did not fill, or writes did not come back")
    program.kill()
    for line in program.rest():  # what was printed before the kill
        acked += line.startswith("INSERT 0 ")
    count = int(query(dendro, directory, "SELECT count(*) FROM t")[0][0])
    if not acked * ROWS <= count <= (acked + 1) * ROWS:
        raise AssertionError(f"{count} rows after reopening, {acked * ROWS} were acknowledged")
    wrong = check(dendro, directory)
    if wrong:
        raise AssertionError("dendro check: " + wrong)


def fill(path):
    """Takes all space that is left, to the last block."""
    block = 1 << 16
    with open(path, "wb", buffering=0) as file:
        while block:
            try:
                if file.write(b"\xff" * block) < block:
                    block //= 2
            except OSError:
                block //= 2


def restart(dendro, base):
    directory = os.path.join(base, "db")
    ballast = os.path.join(base, "ballast")
    with open(ballast, "wb") as file:
        file.write(b"\xff" * BALLAST)
    statements = ["CREATE TABLE kept (k BIGINT PRIMARY KEY)", "INSERT INTO kept VALUES (1), (2)"]
    program = Program(dendro, directory, statements + list(script()),
                      ["memtable_size=128kB", "log_chunk_size=64kB"])
    acked = -1  # that of `kept`
    while (line := program.line()) is not None and not line.startswith("ERROR:"):
        acked += line.startswith("INSERT 0 ")
    program.kill()
    if line is None or "53100" not in line:
        raise AssertionError(f"the disk did not fill: {line}")
    fill(os.path.join(base, "more"))
    for _ in range(2):
        count = int(query(dendro, directory, "SELECT count(*) FROM t")[0][0])
        # What came after the refusal may have found room again before the kill.
        if not acked * ROWS <= count <= (acked + 20) * ROWS:
            raise AssertionError(f"{count} rows on a full disk, {acked * ROWS} were acknowledged")
    try:
        query(dendro, directory, "INSERT INTO t SELECT g, repeat('x', 50) || g FROM "
              "generate_series(10000001, 10100000) AS g")
        raise AssertionError("the disk is not full")
    except RuntimeError as error:
        if "53100" not in str(error):
            raise
    query(dendro, directory, "DROP TABLE t")
    query(dendro, directory, "INSERT INTO kept VALUES (4)")
    total = int(query(dendro, directory, "SELECT sum(k) FROM kept")[0][0])
    if total != 7:
        raise AssertionError(f"kept has {total}")
    wrong = check(dendro, directory)
    if wrong:
        raise AssertionError("dendro check: " + wrong)
    print(f"killed while full after {acked} statements: opened, dropped, written")


def inside(dendro, what):
    with tempfile.TemporaryDirectory(prefix="dendro-full-") as base:
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "tmpfs", base], check=True)
        try:
            what(dendro, base)
        finally:
            subprocess.run(["umount", "-l", base], check=True)


def main():
    if sys.argv[1] != "--inside":
        enter_namespace(__file__)
    inside(sys.argv[2], run)
    inside(sys.argv[2], restart)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (AssertionError, RuntimeError) as error:
        print(error)
        sys.exit(1)
