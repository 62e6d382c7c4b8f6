# SPDX-License-Identifier: Apache-2.0
"""Plain queries over integers and texts that mean the same in Dendro and in SQLite, letter by letter: joins, subqueries,
NOT IN with NULLs, grouping, set operations, windows, recursion. SQLite knows no BOOLEAN, so truth leaves a query as
1, 0 or NULL; its NULLs come first, so every ORDER BY says where they go; nothing divides."""
import sqlite3

COLUMNS = [("int", "a"), ("int", "b"), ("int", "c"), ("text", "s"), ("text", "u")]
TEXTS = ["", "a", "ab", "b", "B", "zebra", "it''s"]


def tables(rng):
    """Statements that make and fill t1, t2, t3."""
    out = []
    for name, rows in (("t1", rng.choice([0, 8, 30])), ("t2", rng.choice([3, 12])), ("t3", rng.choice([1, 6]))):
        out.append(f"CREATE TABLE {name} ({', '.join(f'{n} ' + ('INTEGER' if k == 'int' else 'TEXT') for k, n in COLUMNS)})")
        for _ in range(rows):
            values = [literal(rng, k) for k, _ in COLUMNS]
            out.append(f"INSERT INTO {name} VALUES ({', '.join(values)})")
    return out


def literal(rng, kind):
    if rng.randrange(5) == 0:
        return "NULL"
    return str(rng.randrange(-3, 5)) if kind == "int" else f"'{rng.choice(TEXTS)}'"


class Plain:
    def __init__(self, rng):
        self.rng = rng
        self.names = 0

    def one_in(self, n):
        return self.rng.randrange(n) == 0

    def source(self, outer, depth):
        """FROM and its columns."""
        def leaf():
            self.names += 1
            x = f"x{self.names}"
            if depth > 0 and self.one_in(4):
                kinds = [self.rng.choice(["int", "text"]) for _ in range(2)]
                inner = self.query([], depth - 1, kinds)
                names = [f"d{i}" for i in range(len(kinds))]
                inner = f"SELECT * FROM ({inner})" if self.one_in(3) else inner
                return f"({inner}) AS {x}", [(k, f"{x}.{n}") for k, n in zip(kinds, names)], names
            return f"{self.rng.choice(['t1', 't2', 't3'])} AS {x}", [(k, f"{x}.{n}") for k, n in COLUMNS], None
        def add():
            text, columns, names = leaf()
            return text, columns
        text, columns = add()
        for _ in range(self.rng.choice([0, 1, 1, 2])):
            more, others = add()
            kind = self.rng.choice(["JOIN", "LEFT JOIN", "LEFT JOIN", "CROSS JOIN"])
            on = "" if kind == "CROSS JOIN" else f" ON {self.cond(columns + others, 0, 1)}"
            text, columns = f"{text} {kind} {more}{on}", columns + others
        return text, columns

    def value(self, kind, columns, depth, size=1):
        fit = [n for k, n in columns if k == kind]
        r = self.rng.randrange(9)
        if size == 0 or r < 4:
            return self.rng.choice(fit) if fit and not self.one_in(4) else literal(self.rng, kind)
        v = lambda k=kind: self.value(k, columns, depth, size - 1)
        if r == 4:
            return f"CASE WHEN {self.cond(columns, depth, 0)} THEN {v()} ELSE {v()} END"
        if r == 5:
            return f"COALESCE({v()}, {v()}, {literal(self.rng, kind)})"
        if r == 6 and depth > 0:
            text, own = self.source(columns, 0)
            call = self.rng.choice(["min", "max"]) + f"({self.value(kind, own, 0, 0)})"
            return f"(SELECT {call} FROM {text} WHERE {self.cond(own + columns, depth - 1, 1)})"
        if kind == "text":
            return f"({v()} || {v()})"
        return self.rng.choice([f"({v()} + {v()})", f"({v()} - {v()})", f"({v()} * {v()})", f"abs({v()})", f"length({v('text')})", f"NULLIF({v()}, {v()})"])

    def cond(self, columns, depth, size=2):
        if size > 0 and self.one_in(2):
            a, b = self.cond(columns, depth, size - 1), self.cond(columns, depth, size - 1)
            return self.rng.choice([f"({a} AND {b})", f"({a} OR {b})", f"(NOT {a})"])
        kind = self.rng.choice(["int", "int", "text"])
        v = lambda: self.value(kind, columns, 0, 1)
        r = self.rng.randrange(8)
        if r == 0:
            return f"({v()} IS {self.rng.choice(['', 'NOT '])}NULL)"
        if r == 1:
            return f"({v()} {self.rng.choice(['', 'NOT '])}BETWEEN {v()} AND {v()})"
        if r == 2:
            return f"({v()} {self.rng.choice(['', 'NOT '])}IN ({v()}, {literal(self.rng, kind)}, {v()}))"
        if r in (3, 4, 5) and depth > 0:
            text, own = self.source(columns, 0)
            where = self.cond(own + columns, depth - 1, 1)
            if r == 3:
                return f"({self.rng.choice(['', 'NOT '])}EXISTS (SELECT 1 FROM {text} WHERE {where}))"
            if self.rng.random() < 0.3:  # rows: unknown where no value differs
                return (f"(({v()}, {v()}) {self.rng.choice(['IN', 'NOT IN'])} "
                        f"(SELECT {self.value(kind, own, 0, 0)}, {self.value(kind, own, 0, 0)} FROM {text} WHERE {where}))")
            return f"({v()} {self.rng.choice(['IN', 'NOT IN'])} (SELECT {self.value(kind, own, 0, 0)} FROM {text} WHERE {where}))"
        return f"({v()} {self.rng.choice(['=', '<>', '<', '<=', '>', '>='])} {v()})"

    def query(self, outer, depth, kinds):
        """SELECT with columns d0, d1, … of these kinds."""
        if depth > 0 and self.one_in(5):
            op = self.rng.choice(["UNION", "UNION ALL", "INTERSECT", "EXCEPT"])
            return f"{self.query(outer, 0, kinds)} {op} {self.query(outer, 0, kinds)}"
        text, columns = self.source(outer, depth)
        where = f" WHERE {self.cond(columns + outer, depth)}" if not self.one_in(3) else ""
        if self.one_in(3):
            keys = [self.value(k, columns, 0, 0 if self.one_in(2) else 1) for k in kinds]
            items = keys[:-1] + [self.rng.choice(["min", "max"]) + f"({self.value(kinds[-1], columns, 0)})"]
            by = [k for k in keys[:-1] if any(n in k for _, n in columns)]
            having = " HAVING count(*) " + self.rng.choice(["> 1", "< 4"]) if by and self.one_in(3) else ""
            tail = (f" GROUP BY {', '.join(by)}" if by else "") + having
        else:
            items, tail = [self.value(k, columns + outer, depth) for k in kinds], ""
        head = "SELECT DISTINCT " if self.one_in(5) else "SELECT "
        return head + ", ".join(f"{x} AS d{i}" for i, x in enumerate(items)) + f" FROM {text}{where}{tail}"

    def window(self):
        text, columns = self.source([], 1)
        items = ", ".join(f"{n} AS d{i}" for i, (_, n) in enumerate(columns))
        whole = ", ".join(f"d{i}" for i in range(len(columns)))
        calls = ["row_number()", "rank()", "dense_rank()", "ntile(3)", "lag(d0)", "lead(d1, 2)", "first_value(d1)", "last_value(d0)",
                 "nth_value(d1, 2)", "count(d1)", "min(d1)", "max(d0)"] + (["sum(d0)"] if columns[0][0] == "int" else [])
        frame = self.rng.choice(["", "", " ROWS BETWEEN 2 PRECEDING AND 1 FOLLOWING", " ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING",
                                 " RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW EXCLUDE CURRENT ROW", " GROUPS BETWEEN 1 PRECEDING AND 1 FOLLOWING"])
        order = ", ".join(f"d{i} NULLS {self.rng.choice(['FIRST', 'LAST'])}" for i in range(len(columns)))
        part = self.rng.choice(["", "PARTITION BY d0 ", "PARTITION BY d1 "])
        return (f"SELECT {whole}, {self.rng.choice(calls)} OVER ({part}ORDER BY {order}{frame}) AS w "
                f"FROM (SELECT DISTINCT {items} FROM {text}) AS q")

    def recursive(self):
        kinds, n = ["int", "int"], self.rng.randrange(3, 9)
        return (f"WITH RECURSIVE r (d0, d1) AS (SELECT CAST(d0 AS INTEGER), 1 FROM ({self.query([], 0, kinds)}) AS q UNION "
                f"SELECT d0 + {self.rng.randrange(3)}, d1 + 1 FROM r WHERE d1 < {n}) SELECT d0, d1 FROM r")

    def statement(self):
        r = self.rng.randrange(8)
        if r == 0:
            return self.window()
        if r == 1:
            return self.recursive()
        return self.query([], 2, [self.rng.choice(["int", "text"]) for _ in range(self.rng.randrange(1, 4))])


class Sqlite:
    """Rows of each statement as texts; None: SQLite refuses it."""

    def __init__(self):
        self.db = sqlite3.connect(":memory:")

    def run(self, statements):
        out = []
        for s in statements:
            try:
                out.append([[None if v is None else str(v) for v in row] for row in self.db.execute(s).fetchall()])
            except sqlite3.Error:
                out.append(None)
        return out


def difference(dendro, rows):
    """None, or one line that says what differs."""
    if rows is None or dendro.sqlstate in ("22003", "42725", "42803", "42804", "42883"):
        return None  # a number too large; GROUP BY and types (of a bare NULL) that SQLite does not mind
    if dendro.sqlstate:
        return f"Dendro fails with {dendro.sqlstate} {dendro.message}, SQLite gives rows"
    key = lambda row: [(v is None, v or "") for v in row]
    a, b = sorted(dendro.rows, key=key), sorted(rows, key=key)
    if a == b:
        return None
    one = next(((x, y) for x, y in zip(a, b) if x != y), None)
    return f"{len(a)} rows, SQLite has {len(b)}; the first that differ: {one}"
