# SPDX-License-Identifier: Apache-2.0
"""Are two answers the same? Reads what qbench's `write` has written (see peer.h)."""
import math
import os
import tempfile

TOLERANCE = 1e-9
# SQLite has no time type: these columns hold seconds there.
TIME_COLUMNS = {"time", "minute", "hour"}


def parse_cell(cell, seconds):
    kind, text = cell[0], cell[1:]
    if kind == "n":
        return None
    if kind == "i":
        return int(text) * 1000 if seconds else int(text)
    if kind == "t":
        return int(text)
    if kind == "d":
        return float(text)
    return text


def read(path):
    """(rows as lists of values, columns) of an answer."""
    with open(path, encoding="utf-8", newline="\n") as f:
        names = f.readline().rstrip("\n").split("\t")
        lines = f.read().split("\n")
    lines.pop()
    rows = []
    for line in lines:
        cells = line.split("\t")
        rows.append([parse_cell(c, c[0] == "i" and names[i] in TIME_COLUMNS) for i, c in enumerate(cells)])
    return rows, len(names)


def same_value(a, b):
    if a == b:
        return True
    if a is None or b is None or isinstance(a, str) or isinstance(b, str):
        return False
    return math.isclose(a, b, rel_tol=TOLERANCE, abs_tol=1e-12)


def whole(v):
    """A number that is whole but for its last digits; None if it is not."""
    if isinstance(v, float):
        near = float(f"{v:.12g}")
        return int(near) if near.is_integer() else None
    return v


def sort_key(row):
    """An order that a difference in the last digits, or in the kind of number, does not change: texts and whole numbers first."""
    exact, rest = [], []
    for v in row:
        if isinstance(v, str):
            exact.append((1, v))
        elif v is not None and whole(v) is not None:
            exact.append((0, whole(v)))
        elif v is not None:
            rest.append(float(f"{v:.7g}"))
    return exact, rest


def difference(path_a, path_b, ordered):
    """None if the answers are equal, else a sentence."""
    with open(path_a, "rb") as a, open(path_b, "rb") as b:
        if a.read() == b.read():
            return None
    rows_a, cols_a = read(path_a)
    rows_b, cols_b = read(path_b)
    if cols_a != cols_b:
        return f"{cols_a} columns and {cols_b}"
    if len(rows_a) != len(rows_b):
        return f"{len(rows_a)} rows and {len(rows_b)}"
    if not ordered:
        rows_a.sort(key=sort_key)
        rows_b.sort(key=sort_key)
    for i, (row_a, row_b) in enumerate(zip(rows_a, rows_b)):
        for c, (a, b) in enumerate(zip(row_a, row_b)):
            if not same_value(a, b):
                return f"row {i + 1}, column {c + 1}: {a!r} and {b!r}"
    return None


# ---- `python3 compare.py`: the comparison can fail, and only when it should ----

def self_test():
    head = "time\tname\tv\n"
    a = head + "t1000\tsx\td1.5\nt2000\tsy\tn\n"
    cases = [  # another answer, ordered, what is said of it
        (a, True, None),
        (head + "i1\tsx\td1.5\ni2\tsy\tn\n", True, None),              # SQLite's seconds
        (head + "t1000\tsx\td1.5000000000001\nt2000\tsy\tn\n", True, None),
        (head + "t1000\tsx\td1.500001\nt2000\tsy\tn\n", True, "row 1, column 3"),
        (head + "t2000\tsy\tn\nt1000\tsx\td1.5\n", False, None),
        (head + "d2000\tsy\tn\nd1000.0\tsx\td1.5000000000001\n", False, None),  # another kind of number
        (head + "t2000\tsy\tn\nt1000\tsx\td1.5\n", True, "row 1, column 1"),
        (head + "t1000\tsx\td1.5\n", True, "2 rows and 1"),
        (head + "t1000\tsx\td1.5\nt2000\tsy\td0\n", True, "None and 0.0"),
        (head + "t1000\tsz\td1.5\nt2000\tsy\tn\n", False, "row 1, column 2"),
        ("time\tname\nt1000\tsx\nt2000\tsy\n", True, "3 columns and 2"),
    ]
    with tempfile.TemporaryDirectory() as home:
        paths = [os.path.join(home, n) for n in "ab"]
        for other, ordered, said in cases:
            for path, text in zip(paths, (a, other)):
                with open(path, "w", encoding="utf-8") as f:
                    f.write(text)
            got = difference(*paths, ordered)
            if (got is None) != (said is None) or said and said not in got:
                raise SystemExit(f"compare: {other!r} gives {got!r}, expected {said!r}")
    print("self-test passed")


if __name__ == "__main__":
    self_test()
