#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""COPY against files that PostgreSQL 15 wrote: read, and written again byte for byte.

    test_copy.py DENDRO [CLASS...]   runs all, or these
    test_copy.py --list              the classes, one per line"""
import os
import subprocess
import sys
import unittest

import test_cli
from test_cli import Case

GOLDEN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "golden", "copy")
TABLE = "CREATE TABLE all_types (k int PRIMARY KEY, b boolean, s smallint, i bigint, r real, d double precision, " \
        "v varchar, x bytea, tz timestamptz, dt date, tm time, iv interval, u uuid, n numeric, ia int[], va varchar[])"
FORMS = {"txt": "", "csv": "(FORMAT csv, HEADER)", "bin": "(FORMAT binary)"}
READ = {**FORMS, "csv2": "(FORMAT csv, HEADER match)"}


def golden(name):
    with open(os.path.join(GOLDEN, "pg15." + name), "rb") as f:
        return f.read()


class Golden(Case):
    def copy(self, sql, data=b""):
        p = subprocess.run([test_cli.DENDRO, "sql", self.dir, "-c", sql], input=data, capture_output=True,
                           env=self.env, check=False)
        self.assertEqual((p.returncode, p.stderr), (0, b""))
        return p.stdout

    def test_round_trip(self):
        self.sql(TABLE)
        for name, options in READ.items():
            self.copy("TRUNCATE all_types")
            self.assertEqual(self.copy(f"COPY all_types FROM STDIN {options}", golden(name[:3])), b"COPY 8\n")
            for out, wanted in FORMS.items():
                with self.subTest(read=name, written=out):
                    got = self.copy(f"COPY (SELECT * FROM all_types ORDER BY k) TO STDOUT {wanted}")
                    self.assertEqual(got, golden(out))

    def test_files(self):
        self.sql(TABLE)
        path = os.path.join(self.dir + ".bin")
        self.copy(f"COPY all_types FROM '{os.path.join(GOLDEN, 'pg15.txt')}' (FORMAT text)")
        self.copy(f"COPY (SELECT * FROM all_types ORDER BY k) TO '{path}' WITH BINARY")
        with open(path, "rb") as f:
            self.assertEqual(f.read(), golden("bin"))
        os.unlink(path)

    def test_damage(self):
        """Every prefix and every changed byte of a binary file is read or refused; nothing is half there."""
        self.sql(TABLE)
        data = golden("bin")
        for n in list(range(0, len(data) - 2, 97)) + [18, 19, 20, 21]:
            p = subprocess.run([test_cli.DENDRO, "sql", self.dir, "-c", "COPY all_types FROM STDIN (FORMAT binary)"],
                               input=data[:n] + b"\x7f" + data[n + 1:], capture_output=True, env=self.env, check=False)
            if p.returncode == 0:
                self.copy("TRUNCATE all_types")
                continue
            self.assertRegex(p.stderr.decode(), r"^ERROR:  (22|54|23)")
            self.assertEqual(self.copy("COPY (SELECT count(*) FROM all_types) TO STDOUT"), b"0\n")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    if sys.argv[1] == "--list":
        print("\n".join(c.__name__ for c in [Golden]))
        sys.exit(0)
    test_cli.DENDRO = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=1)
