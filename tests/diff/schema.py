# SPDX-License-Identifier: Apache-2.0
"""Random tables with the same rows in both databases. Dendro's have keys of all forms; PostgreSQL's have none, so
the keys of the rows are made distinct here."""
from dataclasses import dataclass, field

from exprs import ARRAYS, BITS, INTERVALS, NUMBERS, TEXTS, TIMETZS, quote

# kind, type in Dendro, type in PostgreSQL
TYPES = [("int", "BIGINT", "bigint"), ("int", "INTEGER", "integer"), ("int", "SMALLINT", "smallint"),
         ("float", "DOUBLE", "float8"), ("text", "VARCHAR", "text"), ("bool", "BOOLEAN", "boolean"),
         ("time", "TIMESTAMP", "timestamp(3)"), ("time", "TIMESTAMP(6)", "timestamp(6)"),
         ("num", "NUMERIC", "numeric"), ("num", "NUMERIC(12, 2)", "numeric(12, 2)"), ("interval", "INTERVAL", "interval"),
         ("timetz", "TIMETZ", "timetz"), ("bits", "BIT VARYING", "bit varying"), ("ints", "INTEGER[]", "integer[]")]


@dataclass
class Table:
    name: str
    columns: list = field(default_factory=list)  # (kind, name)
    key: set = field(default_factory=set)
    not_null: set = field(default_factory=set)
    rows: int = 0


# Of key columns, in the form that they are stored in (docs/adr/0016); conditions have others, too.
KEY_INTERVALS = ["1 hour", "1 day", "1 mon", "1 year 2 mons", "-5 days", "00:00:00.5", "3 days 04:05:06", "0"]
WIDE_KEYS = [("num", "NUMERIC(12, 2) DEFAULT 1.25", "numeric(12, 2) DEFAULT 1.25"),
             ("interval", "INTERVAL DEFAULT '1 day'", "interval DEFAULT '1 day'")]


def _key_value(rng, kind):
    return quote(rng.choice(KEY_INTERVALS)) if kind == "interval" else f"{rng.randrange(-400, 400) / 100:.2f}"


def _value(rng, kind, null):
    if null and rng.randrange(5) == 0:
        return "NULL"
    if kind == "int":
        return str(rng.choice([0, 1, 2, 3, -1, 7, rng.randrange(-100, 100)]))
    if kind == "float":
        return repr(rng.choice([0.0, 0.25, -1.5, 100.0, rng.randrange(-1000, 1000) / 8]))
    if kind == "bool":
        return rng.choice(["true", "false"])
    if kind == "text":
        return quote(rng.choice(TEXTS))
    if kind == "num":
        return rng.choice(NUMBERS + [f"{rng.randrange(-10000, 10000) / 100:.2f}"] * 6)
    if kind in ("interval", "timetz", "bits", "ints"):
        return quote(rng.choice({"interval": INTERVALS, "timetz": TIMETZS, "bits": BITS, "ints": ARRAYS}[kind]))
    day = rng.choice(["1969-12-31", "1970-01-01", "2015-06-01", "2015-06-02", "2016-02-29", "1955-11-05"])
    return f"'{day} {rng.randrange(24):02}:{rng.choice([0, 15, 30, 59]):02}:{rng.randrange(60):02}.{rng.choice([0, 1, 500, 999]):03}'"


def _keys(names):
    """PRIMARY KEY clauses over (series, time, number)."""
    s, t, n = names
    return [f"((s, QUANTUM({t}, 1, 'd')), s, {t}, {n})", f"((s, QUANTUM({t}, 6, 'h')), s, {t} DESC, {n})",
            f"(({s}), {t}, {n} DESC)", f"({t}, {s}, {n})", f"({n}, {t} DESC, {s})",
            f"(({s}, {n}), {t} DESC)", f"(({n}, QUANTUM({t}, 7, 'd')), {t}, {s} DESC)"]


def _wide_keys():
    """The same with a NUMERIC or INTERVAL, k."""
    return ["((s), k, t, n)", "((s), k DESC, t, n)", "((k, s), t, n)", "(k, s, t DESC, n)", "(t, k DESC, s, n)",
            "((k, QUANTUM(t, 7, 'd')), t, n, s)"]


def _value_keys(wide):
    """Keys without a time, whose rows are stored in the order of their values."""
    return ["((s), n, k)", "(k, n DESC, s)", "((n, k), s)"] if wide else ["((s), n)", "((s), n DESC)", "(n, s)", "((n, s))"]


def make(rng, name, rows):
    """A table and the statements that make and fill it: (dendro, postgres) pairs."""
    t = Table(name, rows=rows)
    columns = [("text", "s", "VARCHAR", "text"), ("time", "t", "TIMESTAMP", "timestamp(3)"),
               ("int", "n", "INTEGER", "integer")]
    wide = rng.randrange(4) == 0
    if wide:
        columns.insert(3, (lambda w: (w[0], "k", w[1], w[2]))(rng.choice(WIDE_KEYS)))
    for i in range(rng.randrange(3, 7)):
        kind, d, p = rng.choice(TYPES)
        columns.append((kind, f"c{i}", d, p))
    t.columns = [(kind, column) for kind, column, _, _ in columns]
    t.key = {"s", "t", "n", "k"} if wide else {"s", "t", "n"}
    t.not_null = set(t.key)
    by_value = rng.randrange(4) == 0
    keys = _value_keys(wide) if by_value else _wide_keys() if wide else _keys(("s", "t", "n"))
    key = "" if rng.randrange(8) == 0 else ", PRIMARY KEY " + rng.choice(keys)
    dendro = ", ".join(f"{c} {d}{' NOT NULL' if c in t.key else ''}" for _, c, d, _ in columns)
    postgres = ", ".join(f"{c} {p}" for _, c, _, p in columns)
    pairs = [(f"CREATE TABLE {name} ({dendro}{key})", f"CREATE TABLE {name} ({postgres})")]
    seen, lines = set(), []
    for i in range(rows):
        values = [_key_value(rng, kind) if c == "k" else _value(rng, kind, c not in t.not_null)
                  for kind, c, _, _ in columns]
        same = tuple(v for v, (_, c, _, _) in zip(values, columns) if c in (("s", "n", "k") if by_value else ("s", "t", "n")))
        if same in seen or values[1] == "'1970-01-01 00:00:00.000'":  # a QUANTUM has no time 0
            continue
        seen.add(same)
        lines.append("(" + ", ".join(values) + ")")
    while lines:
        part = lines[: rng.choice([1, 20, 200] if rows < 1000 else [500])]
        lines = lines[len(part):]
        insert = f"INSERT INTO {name} VALUES " + ", ".join(part)
        pairs.append((insert, insert))
        if rng.randrange(3) == 0:
            pairs.append(("CHECKPOINT", "SELECT 1 WHERE false"))
    return t, pairs
