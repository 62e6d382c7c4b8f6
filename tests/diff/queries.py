# SPDX-License-Identifier: Apache-2.0
"""Shapes of statements. `@shape(weight)` adds one: a function of a Gen that returns a Statement. A shape takes what
FROM offers from g.source(): one table, or anything that sources.py makes."""
import re
from dataclasses import dataclass

import sources
from exprs import Expr, ExprGen

SHAPES = []


@dataclass
class Statement:
    d: str
    p: str
    kinds: list          # of the result's columns; [] for statements without rows
    ordered: bool = False


def shape(weight=1):
    def add(f):
        SHAPES.extend([f] * weight)
        return f
    return add


class Gen:
    """Random statements over the tables of a round."""

    def __init__(self, rng, tables):
        self.rng = rng
        self.tables = tables
        self.aliases = 0
        self.ctes = []      # of the statement: (name, kinds, size)

    def one_in(self, n):
        return self.rng.randrange(n) == 0

    def source(self):
        """FROM clause, and expressions over the columns it offers."""
        self.aliases = 0
        if not self.one_in(3):
            s = sources.source(self, 2)
            return Expr("", "FROM " + s.d, "FROM " + s.p), ExprGen(self.rng, s.columns, self if s.size <= sources.SMALL else None, 2)
        t = self.rng.choice(self.tables)
        if self.one_in(4):
            return self.plain(f"FROM {t.name} AS x", [(kind, f"x.{name}") for kind, name in t.columns])
        return self.plain(f"FROM {t.name}", t.columns)

    def plain(self, text, columns):
        return Expr("", text, text), ExprGen(self.rng, columns)

    def where(self, e):
        if self.one_in(3):
            return Expr("bool", "", "")
        return e.both("bool", " WHERE {}", self.predicate(e))

    def predicate(self, e):
        """Half of them about one column, as plans like it; the others anything."""
        if self.one_in(2):
            return e.expr("bool", 3)
        kind, name = self.rng.choice(e.columns)
        column = Expr(kind, name, name)
        one = e.both("bool", "{} " + self.rng.choice(["=", "<", ">=", ">", "<=", "<>"]) + " {}", column, e.literal(kind))
        if self.one_in(2):
            return one
        return e.both("bool", "{} " + self.rng.choice(["AND", "OR"]) + " {}", one, e.expr("bool", 1))

    def item(self, e, depth=3):
        kind = self.rng.choice(["int", "int", "float", "text", "text", "bool", "time", "interval", "num", "num",
                                "timetz", "bits", "ints"])
        return e.expr(kind, depth)

    def order(self, count):
        """A total order of the result: by all its columns. '' = none."""
        if self.one_in(3):
            return ""
        numbers = list(range(1, count + 1))
        self.rng.shuffle(numbers)
        return " ORDER BY " + ", ".join(
            str(n) + self.rng.choice(["", " ASC", " DESC"]) + self.rng.choice(["", "", " NULLS FIRST", " NULLS LAST"])
            for n in numbers)

    def limit(self):
        text = self.rng.choice(["", "", f" LIMIT {self.rng.randrange(0, 12)}"])
        return text + self.rng.choice(["", "", f" OFFSET {self.rng.randrange(0, 6)}"])

    def statement(self):
        d, p = sources.with_clause(self)
        s = self.rng.choice(SHAPES)(self)
        if s.d.startswith("SELECT"):
            s.d, s.p = d + s.d, p + s.p
        return s

    def select(self, items, rest_d, rest_p, distinct=False):
        head = "SELECT DISTINCT " if distinct else "SELECT "
        # Sums of floating point differ in the last bit, by which rows would be sorted.
        inexact = any(x.kind == "float" and re.search(r"\b(avg|stddev|var|sum|corr|covar|regr)", x.d) for x in items)
        order = "" if inexact else self.order(len(items))
        tail = order + (self.limit() if order else "")
        return Statement(head + ", ".join(x.d for x in items) + " " + rest_d + tail,
                         head + ", ".join(x.p for x in items) + " " + rest_p + tail,
                         [x.kind for x in items], bool(order))


AGGREGATES = {
    "int": ["sum", "min", "max", "avg", "count", "stddev", "var_pop"],
    "float": ["sum", "min", "max", "avg", "count", "stddev_pop", "variance", "stddev_samp"],
    "text": ["min", "max", "count"],
    "bool": ["bool_and", "bool_or", "every", "count"],
    "time": ["min", "max", "count"],
    "interval": ["min", "max", "count", "sum"],
    "num": ["sum", "sum", "min", "max", "avg", "avg", "count", "stddev", "variance", "var_pop"],
    "timetz": ["min", "max", "count"],
    "bits": ["count"],
    "ints": ["min", "max", "count"],
}
FLOATS = {"avg", "stddev", "stddev_pop", "stddev_samp", "variance", "var_pop"}


def aggregate(g, e, depth=2):
    """One aggregate call. PostgreSQL's NUMERIC results are cast to what Dendro gives."""
    if g.one_in(6):
        call, kind, arg = "count(*)", "int", None
        d, p = call, call
    else:
        arg_kind = g.rng.choice(["int", "int", "float", "text", "bool", "time", "interval", "num", "num", "timetz", "bits", "ints"])
        name = g.rng.choice(AGGREGATES[arg_kind])
        arg = e.expr(arg_kind, depth)
        distinct = "DISTINCT " if g.one_in(6) and name in ("count", "sum", "min", "max", "avg") else ""
        d, p = f"{name}({distinct}{arg.d})", f"{name}({distinct}{arg.p})"
        kind = "int" if name == "count" else "float" if name in FLOATS and arg_kind != "num" else arg_kind
    if g.one_in(5):
        condition = e.expr("bool", 1)
        d, p = f"{d} FILTER (WHERE {condition.d})", f"{p} FILTER (WHERE {condition.p})"
    if kind == "int":
        p = f"CAST({p} AS bigint)"
    elif kind == "float" and arg_kind == "int" and name == "avg" and g.one_in(2):  # halves as those of NUMERIC
        d, p = f"CAST(round({d}) AS float8)", f"CAST(round({p}) AS float8)"
    elif kind == "float":  # and what is computed of it as float8
        d, p = f"CAST({d} AS float8)", f"CAST({p} AS float8)"
    return Expr(kind, d, p)


@shape()
def by_key(g):
    """Questions that the order of the key answers: the first rows of each series, neighbours, joins on the key."""
    t = g.rng.choice(g.tables)
    kinds = {name: kind for kind, name in t.columns}
    order = g.rng.choice(["t, n", "t DESC, n DESC", "n, t", "t DESC, n"])
    result = [kinds["s"], kinds["t"], kinds["n"]]
    text, e = g.plain(f"FROM {t.name}", t.columns)
    where = g.where(e)
    way = g.rng.randrange(4)
    if way == 0:
        head, tail = "SELECT DISTINCT ON (s) s, t, n", f" ORDER BY s, {order}"
    elif way == 1:
        head = f"SELECT s, t, n FROM (SELECT s, t, n, row_number() OVER (PARTITION BY s ORDER BY {order}) AS place"
        tail = f") AS y WHERE place <= {g.rng.randrange(1, 5)} ORDER BY 1, 2, 3"
    elif way == 2:
        head = f"SELECT s, t, n, lag(n) OVER (PARTITION BY s ORDER BY {order})"
        tail = " ORDER BY 1, 2, 3"
        result.append(kinds["n"])
    else:
        join = g.rng.choice(["JOIN", "LEFT JOIN"])
        sql = (f"SELECT a.s, a.t, a.n, b.n FROM (SELECT * {{}}) AS a {join} {t.name} AS b "
               "ON a.s = b.s AND a.t = b.t AND a.n = b.n ORDER BY 1, 2, 3")
        return Statement(sql.format(text.d + where.d), sql.format(text.p + where.p), result + [kinds["n"]], True)
    return Statement(f"{head} {text.d}{where.d}{tail}", f"{head} {text.p}{where.p}{tail}", result, True)


@shape(4)
def plain(g):
    text, e = g.source()
    items = [g.item(e) for _ in range(g.rng.randrange(1, 4))]
    where = g.where(e)
    return g.select(items, text.d + where.d, text.p + where.p, distinct=g.one_in(4))


@shape(1)
def star(g):
    t = g.rng.choice(g.tables)
    where = g.where(ExprGen(g.rng, t.columns))
    kinds = [kind for kind, _ in t.columns]
    return Statement(f"SELECT * FROM {t.name}{where.d}", f"SELECT * FROM {t.name}{where.p}", kinds)


@shape(2)
def whole(g):
    """Aggregates of all rows."""
    text, e = g.source()
    items = [aggregate(g, e) for _ in range(g.rng.randrange(1, 4))]
    where = g.where(e)
    having = e.both("bool", " HAVING {}", g.having(e)) if g.one_in(6) else Expr("bool", "", "")
    return Statement("SELECT " + ", ".join(x.d for x in items) + f" {text.d}{where.d}{having.d}",
                     "SELECT " + ", ".join(x.p for x in items) + f" {text.p}{where.p}{having.p}",
                     [x.kind for x in items])


def _having(g, e):
    a = aggregate(g, e, 1)
    if a.kind == "bool":
        return a
    return e.both("bool", "{} " + g.rng.choice([">", "<=", "IS DISTINCT FROM", "<>"]) + " {}", a, e.literal(a.kind))


Gen.having = _having


@shape(5)
def grouped(g):
    text, e = g.source()
    keys = []
    for _ in range(g.rng.randrange(1, 3)):
        if g.one_in(2):
            kind, name = g.rng.choice(e.columns)
            keys.append(Expr(kind, name, name))
        else:
            keys.append(g.item(e, 2))
    items = keys + [aggregate(g, e) for _ in range(g.rng.randrange(1, 4))]
    where = g.where(e)
    by = ", ".join(str(i + 1) for i in range(len(keys)))
    having = e.both("bool", " HAVING {}", g.having(e)) if g.one_in(4) else Expr("bool", "", "")
    return g.select(items, f"{text.d}{where.d} GROUP BY {by}{having.d}", f"{text.p}{where.p} GROUP BY {by}{having.p}")


@shape(1)
def bucketed(g):
    """GROUP BY time(...): Dendro's own spelling of what date_bin gives."""
    text, e = g.source()
    times = [n for k, n in e.columns if k == "time"]
    if not times:
        return grouped(g)
    name = g.rng.choice(times)
    width, words = g.rng.choice([("15m", "15 minutes"), ("1h", "1 hour"), ("6h", "6 hours"), ("1d", "1 day"), ("30s", "30 seconds")])
    items = [aggregate(g, e, 1) for _ in range(g.rng.randrange(1, 3))]
    where = g.where(e)
    bin_ = f"date_bin(INTERVAL '{words}', {name}, TIMESTAMP '1970-01-01')"
    key = Expr("time", f"time({name}, {width})", bin_)
    return g.select([key] + items, f"{text.d}{where.d} GROUP BY time({name}, {width})", f"{text.p}{where.p} GROUP BY {bin_}")


@shape(2)
def scalar(g):
    """No FROM: constants, folded before anything runs."""
    e = ExprGen(g.rng)
    items = [g.item(e, 4) for _ in range(g.rng.randrange(1, 4))]
    return Statement("SELECT " + ", ".join(x.d for x in items), "SELECT " + ", ".join(x.p for x in items),
                     [x.kind for x in items])


EDGES = {
    "int": ["9223372036854775807", "(-9223372036854775807 - 1)", "0", "-1", "2147483648", "3037000500"],
    "float": ["1e308", "-1e308", "0.0", "2.5", "-0.5", "9.3e18"],
}


@shape(1)
def edge(g):
    """Ends of ranges: the same value or the same error."""
    r = g.rng
    if g.one_in(2):
        a, b = r.choice(EDGES["int"]), r.choice(EDGES["int"])
        form = r.choice(["{} + {}", "{} - {}", "{} * {}", "{} / {}", "{} % {}", "- {} + 0 * {}", "abs({}) - abs({})"])
        d = form.format(a, b)
        p = form.format(*[f"({x})::bigint" for x in (a, b)])
        return Statement(f"SELECT {d}", f"SELECT {p}", ["int"])
    a, b = r.choice(EDGES["float"]), r.choice(EDGES["float"])
    form, kind = r.choice([("{} + {}", "float"), ("{} * {}", "float"), ("{} / {}", "float"), ("power({}, {})", "float"),
                           ("exp({}) + {}", "float"), ("ln({}) + {}", "float"), ("sqrt({}) + {}", "float"),
                           ("CAST({} AS BIGINT) + 0 * CAST({} AS BIGINT)", "int"),
                           ("CAST({} AS INTEGER) + 0 * CAST({} AS SMALLINT)", "int")])
    return Statement("SELECT " + form.format(f"CAST({a} AS DOUBLE)", f"CAST({b} AS DOUBLE)"),
                     "SELECT " + form.format(f"({a}::float8)", f"({b}::float8)"), [kind])


@shape(2)
def change(g):
    """UPDATE or DELETE; the rows are compared by the shapes that follow."""
    t = g.rng.choice(g.tables)
    e = ExprGen(g.rng, t.columns)
    where = g.where(e)
    if g.one_in(4) and where.d:
        return Statement(f"DELETE FROM {t.name}{where.d} AND n % 3 = 0", f"DELETE FROM {t.name}{where.p} AND n % 3 = 0", [])
    free = [(k, c) for k, c in t.columns if c not in t.key and k in ("float", "text", "bool", "time", "num", "interval", "timetz", "bits", "ints")]
    if not free:
        return star(g)
    kind, name = g.rng.choice(free)
    value = e.expr(kind, 2)
    if kind == "time":  # the column's precision: PostgreSQL rounds as Dendro does
        value = e.both("time", "date_trunc('second', {})", value)
    if kind == "float" and "NaN" in value.d:  # Dendro refuses to store it
        value = e.literal(kind)
    return Statement(f"UPDATE {t.name} SET {name} = {value.d}{where.d}",
                     f"UPDATE {t.name} SET {name} = {value.p}{where.p}", [])


@shape(1)
def change_from(g):
    """UPDATE … FROM with one partner for each row, DELETE … USING with any."""
    g.aliases = 0
    t = g.rng.choice(g.tables)
    s = sources.table(g, 300)
    columns = [(kind, f"{t.name}.{name}") for kind, name in t.columns] + s.columns
    x = s.columns[0][1].split(".")[0]
    if g.one_in(3):
        where = ExprGen(g.rng, columns).expr("bool", 2)
        head = f"DELETE FROM {t.name} USING {s.d} WHERE {t.name}.n = {x}.n AND {t.name}.n % 3 = 1 AND "
        return Statement(head + where.d, head + where.p, [])
    free = [c for k, c in t.columns if c not in t.key and k == "text"]
    if not free:
        return change(g)
    inner = f"(SELECT {x}.n AS n, max({x}.s) AS s, count(*) AS c FROM {s.d} GROUP BY {x}.n)"
    where = ExprGen(g.rng, columns[:len(t.columns)] + [("int", "z.c"), ("text", "z.s")]).expr("bool", 2)
    head = f"UPDATE {t.name} SET {g.rng.choice(free)} = z.s FROM {inner} AS z WHERE z.n = {t.name}.n AND "
    return Statement(head + where.d, head + where.p, [])


# ---- windows ----

RANKS = ["rank()", "dense_rank()", "percent_rank()", "cume_dist()"]
BOUNDS = ["UNBOUNDED PRECEDING", "{} PRECEDING", "CURRENT ROW", "{} FOLLOWING", "UNBOUNDED FOLLOWING"]
EXCLUDES = ["", "", "", " EXCLUDE CURRENT ROW", " EXCLUDE GROUP", " EXCLUDE TIES", " EXCLUDE NO OTHERS"]


def _frame(g, ranged, total):
    """A frame clause or ''; ranged: RANGE may have offsets; total: no ties, which ROWS would tell apart."""
    if g.one_in(3):
        return ""
    mode = g.rng.choice(["ROWS", "RANGE", "GROUPS"] if total else ["RANGE", "GROUPS"])
    numbers = [0, 1, 2, 3, 4] if mode != "RANGE" or ranged else [0, 2, 4]
    a = g.rng.choice([n for n in numbers if n < 4])
    b = g.rng.choice([n for n in numbers if n >= max(a, 1)])
    if a == b and a in (1, 3):
        low = g.rng.randrange(3)
        offsets = (low + g.rng.randrange(2), low) if a == 1 else (low, low + g.rng.randrange(2))
    else:
        offsets = (g.rng.randrange(4), g.rng.randrange(4))
    return f" {mode} BETWEEN {BOUNDS[a].format(offsets[0])} AND {BOUNDS[b].format(offsets[1])}{g.rng.choice(EXCLUDES)}"


def _window_call(g, e, total):
    """A call; total: the order leaves no ties, so that it may depend on it."""
    r = g.rng.randrange(10)
    if r < 2:
        call = g.rng.choice(RANKS + (["row_number()", "ntile(3)"] if total else []))
        return Expr("float" if call[0] in "pc" else "int", call, call)
    kind, name = g.rng.choice([c for c in e.columns if c[0] != "interval"])
    if r < 5 and total:
        form = g.rng.choice(["lag({})", "lead({})", "lag({}, 2)", "lead({}, 2)", "first_value({})", "last_value({})", "nth_value({}, 2)"])
        text = form.format(name)
        return Expr(kind, text, text)
    if kind == "bits":
        return Expr("int", f"count({name})", f"count({name})")
    if kind == "bool":
        text = g.rng.choice(["bool_and", "bool_or", "count"]) + f"({name})"
        return Expr("int" if text[0] == "c" else "bool", text, text)
    f = g.rng.choice(["count", "min", "max"] + (["sum", "avg"] if kind in ("int", "num") else []))
    filtered = f" FILTER (WHERE {e.columns[0][1]} IS NOT NULL)" if g.one_in(6) else ""
    text = f"{f}({name}){filtered}"
    return Expr("int" if f == "count" else "float" if f == "avg" and kind == "int" else kind, text, text)


@shape(3)
def windowed(g):
    text, e = g.source()
    e.gen = None
    columns = [c for c in e.columns if c[0] in ("int", "text", "time", "bool")]
    if not columns:
        return plain(g)
    part = g.rng.sample(columns, min(len(columns), g.rng.choice([0, 1, 1, 2])))
    keys = g.rng.sample(columns, min(len(columns), g.rng.choice([1, 1, 2])))
    # Ties in the order of the window, or none: a number for each row of the source.
    total = g.one_in(2)
    inner_d = "SELECT " + ", ".join(f"{n} AS k{i}" for i, (_, n) in enumerate(e.columns))
    names = [(k, f"k{i}") for i, (k, _) in enumerate(e.columns)]
    place = {n: f"k{i}" for i, (_, n) in enumerate(e.columns)}
    if total:
        distinct = "SELECT DISTINCT" + inner_d[len("SELECT"):]
        order = ", ".join(n for _, n in names)
    else:
        distinct = inner_d
        order = ", ".join(place[n] + g.rng.choice(["", " DESC", " NULLS FIRST", " DESC NULLS LAST"]) for _, n in keys)
    inner = ExprGen(g.rng, names)
    partition = f"PARTITION BY {', '.join(place[n] for _, n in part)} " if part else ""
    ranged = not total and len(keys) == 1 and keys[0][0] == "int"
    over = f"{partition}ORDER BY {order}{_frame(g, ranged, total)}"
    items = [Expr(k, n, n) for k, n in g.rng.sample(names, min(len(names), 2))]
    for _ in range(g.rng.randrange(1, 3)):
        call = _window_call(g, inner, total)
        cast = {"int": "bigint", "float": "float8"}.get(call.kind)
        with_over = f"{call.d} OVER w"
        items.append(Expr(call.kind, with_over, f"CAST({with_over} AS {cast})" if cast else with_over))
    rest = lambda side: f"FROM ({distinct} {getattr(text, side)}) AS q WINDOW w AS ({over})"
    return g.select(items, rest("d"), rest("p"))
