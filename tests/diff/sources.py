# SPDX-License-Identifier: Apache-2.0
"""What FROM may hold, and queries inside of queries: joins, derived tables, LATERAL, VALUES, CTEs, set operations,
and subqueries as expressions. Every source has an alias of its own, so inner queries may use outer columns.

Values that leave an inner query are exact ones (no sums of floats, no sines): an outer comparison of them must not
hang on the last bit. A LIMIT stands behind an ORDER BY of all columns."""
from dataclasses import dataclass

from exprs import SUBQUERIES, Expr, ExprGen, subquery

SMALL = 60      # rows up to which a query per row is fine
LARGE = 20000   # no join beyond that


@dataclass
class Source:
    d: str
    p: str
    columns: list        # (kind, name)
    size: int            # guess of its rows


def _alias(g):
    g.aliases += 1
    return f"x{g.aliases}"


def _exprs(g, columns, outer, depth, size):
    """Expressions over columns and those of the queries around; with subqueries where they are not too many."""
    return ExprGen(g.rng, list(columns) + list(outer), g if depth > 0 and size <= SMALL else None, depth - 1)


def table(g, largest=LARGE):
    fit = [t for t in g.tables if t.rows <= largest] or [min(g.tables, key=lambda t: t.rows)]
    t, x = g.rng.choice(fit), _alias(g)
    text = f"{t.name}{g.rng.choice([' AS', ''])} {x}"
    return Source(text, text, [(kind, f"{x}.{name}") for kind, name in t.columns], t.rows)


def values(g):
    x, kinds = _alias(g), [g.rng.choice(["int", "text", "float", "time", "num"]) for _ in range(g.rng.randrange(1, 3))]
    e = ExprGen(g.rng)
    rows = [[e.literal(kind) for kind in kinds] for _ in range(g.rng.randrange(1, 5))]
    names = [f"v{i}" for i in range(len(kinds))]
    def text(side):
        return "(VALUES " + ", ".join("(" + ", ".join(getattr(v, side) for v in row) + ")" for row in rows) + f") AS {x} ({', '.join(names)})"
    return Source(text("d"), text("p"), [(kind, f"{x}.{name}") for kind, name in zip(kinds, names)], len(rows))


def series(g):
    x, a, b = _alias(g), g.rng.randrange(-2, 4), g.rng.randrange(-2, 8)
    if g.one_in(4):
        text = f"generate_series(TIMESTAMP '2015-06-01', TIMESTAMP '2015-06-02', INTERVAL '{g.rng.choice([5, 6, 24])} hours') AS {x} (i)"
        return Source(text, text, [("time", f"{x}.i")], 5)
    step = g.rng.choice(["", "", ", 2", ", -1"])
    text = f"generate_series({a}, {b}{step}) AS {x} (i)"
    return Source(text, text, [("int", f"{x}.i")], 8)


def derived(g, depth, outer=(), lateral=""):
    q, x = query(g, depth, outer), _alias(g)
    names = [f"d{i}" for i in range(len(q.kinds))]
    tail = f"{g.rng.choice([' AS', ''])} {x} ({', '.join(names)})"
    return Source(f"{lateral}({q.d}){tail}", f"{lateral}({q.p}){tail}",
                  [(kind, f"{x}.{name}") for kind, name in zip(q.kinds, names)], q.size)


def reference(g):
    """A CTE of the statement."""
    name, kinds, size = g.rng.choice(g.ctes)
    x = _alias(g)
    return Source(f"{name} AS {x}", f"{name} AS {x}", [(kind, f"{x}.e{i}") for i, kind in enumerate(kinds)], size)


def leaf(g, depth, outer, largest=LARGE):
    r = g.rng.randrange(12)
    if g.ctes and r < 3:
        s = reference(g)
        if s.size <= largest:
            return s
    if r == 4:
        return values(g)
    if r == 5:
        return series(g)
    if r in (6, 7, 8) and depth > 0:
        s = derived(g, depth - 1, ())
        if s.size <= largest:
            return s
    return table(g, largest)


def _equal(g, left, right):
    """A condition a = b over one column of each, or None."""
    pairs = [(a, b) for ka, a in left.columns for kb, b in right.columns if ka == kb and ka in ("int", "text", "time", "float", "num", "timetz", "ints")]
    if not pairs:
        return None
    a, b = g.rng.choice(pairs)
    if g.one_in(2):
        a, b = b, a
    return Expr("bool", f"{a} = {b}", f"{a} = {b}")


def _join(g, left, depth, outer):
    """left with one more source."""
    columns = left.columns
    if g.one_in(6) and depth > 0 and left.size <= SMALL:
        right = derived(g, depth - 1, list(left.columns) + list(outer), "LATERAL ")
        if g.one_in(2):
            return Source(f"{left.d} CROSS JOIN {right.d}", f"{left.p} CROSS JOIN {right.p}", columns + right.columns, left.size * right.size)
        on = _exprs(g, columns + right.columns, outer, 0, 0).expr("bool", 1)
        kind = g.rng.choice(["LEFT JOIN", "JOIN"])
        return Source(f"{left.d} {kind} {right.d} ON {on.d}", f"{left.p} {kind} {right.p} ON {on.p}",
                      columns + right.columns, left.size * right.size)
    right = leaf(g, depth, outer, max(LARGE // max(left.size, 1), 1) * 8)
    equal = _equal(g, left, right)
    product = left.size * max(right.size, 1)
    if g.one_in(5) and product <= LARGE:
        return Source(f"{left.d} CROSS JOIN {right.d}", f"{left.p} CROSS JOIN {right.p}", columns + right.columns, product)
    kind = g.rng.choice(["JOIN", "INNER JOIN", "LEFT JOIN", "LEFT OUTER JOIN", "RIGHT JOIN", "FULL JOIN"])
    if equal and (not g.one_in(4) or product > LARGE or kind == "FULL JOIN"):
        on = equal
        if g.one_in(3) and kind != "FULL JOIN":
            e = _exprs(g, columns + right.columns, outer, min(depth, 1), product)
            on = e.both("bool", "{} AND {}", equal, e.expr("bool", 2))
        return Source(f"{left.d} {kind} {right.d} ON {on.d}", f"{left.p} {kind} {right.p} ON {on.p}",
                      columns + right.columns, max(product // 10, left.size))
    if kind == "FULL JOIN":
        kind = "LEFT JOIN"
    on = _exprs(g, columns + right.columns, outer, min(depth, 1), product).expr("bool", 2)
    return Source(f"{left.d} {kind} {right.d} ON {on.d}", f"{left.p} {kind} {right.p} ON {on.p}", columns + right.columns, product)


def using(g):
    """Two tables with columns of the same name; the merged ones have no alias."""
    a, b = table(g, 300), table(g, 300)
    bare = lambda s: {name.split(".")[1]: kind for kind, name in s.columns}
    both = [(kind, n) for n, kind in bare(a).items() if bare(b).get(n) == kind]
    g.rng.shuffle(both)
    merged = both[: g.rng.choice([1, 1, 2, 3])]
    kind = g.rng.choice(["JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN"])
    text = f"{a.d} {kind} {b.d} USING ({', '.join(n for _, n in merged)})"
    return Source(text, text, merged * 2 + a.columns + b.columns, a.size * max(b.size, 1) // 8)


def source(g, depth, outer=(), most=4):
    """A FROM item: one leaf, or joins of some."""
    if g.one_in(8):
        return using(g)
    s = leaf(g, depth, outer)
    for _ in range(g.rng.choice([0, 0, 1, 1, 1, 2, 3][: 3 + most])):
        if g.one_in(8):
            right = leaf(g, depth, outer, max(LARGE // max(s.size, 1), 1))
            if right.size * s.size <= LARGE and g.one_in(2):
                other = _join(g, right, depth, outer)
                s = Source(f"{s.d} CROSS JOIN ({other.d})", f"{s.p} CROSS JOIN ({other.p})", s.columns + other.columns,
                           s.size * other.size)
                continue
        s = _join(g, s, depth, outer)
    return s


@dataclass
class Query:
    d: str
    p: str
    kinds: list
    size: int


EXACT = ["int", "int", "text", "text", "bool", "time", "num", "timetz", "ints"]


def _column(g, e, columns, kind=None):
    """A value that leaves an inner query."""
    fit = [(k, n) for k, n in columns if k == kind or not kind]
    if fit and not g.one_in(4):
        k, n = g.rng.choice(fit)
        return Expr(k, n, n)
    return e.expr(kind if kind and kind != "float" else g.rng.choice(EXACT), 1) if kind != "float" else e.literal("float")


def _total(g, count, force=False):
    """ORDER BY all and LIMIT, or nothing."""
    if not force and not g.one_in(4):
        return ""
    numbers = list(range(1, count + 1))
    g.rng.shuffle(numbers)
    order = ", ".join(str(n) + g.rng.choice(["", " DESC", " NULLS FIRST"]) for n in numbers)
    return f" ORDER BY {order} LIMIT {1 if force else g.rng.randrange(0, 9)}"


def _where(g, e, columns):
    if g.one_in(3):
        return Expr("bool", "", "")
    own = [c for c in columns]
    if own and g.one_in(2):
        kind, name = g.rng.choice(own)
        one = e.both("bool", " WHERE {} " + g.rng.choice(["=", "=", "<", ">=", "<>"]) + " {}", Expr(kind, name, name), e.expr(kind, 0))
        return one if g.one_in(2) else e.both("bool", "{} AND {}", one, e.expr("bool", 1))
    return e.both("bool", " WHERE {}", e.expr("bool", 2))


def simple(g, depth, outer, kinds):
    s = source(g, depth, outer, most=1)
    e = _exprs(g, s.columns, outer, depth, s.size)
    items = [_column(g, e, s.columns, kind) for kind in kinds] if kinds else [_column(g, e, s.columns) for _ in range(g.rng.randrange(1, 4))]
    where = _where(g, e, s.columns)
    head = "SELECT " + g.rng.choice(["", "", "", "DISTINCT "])
    tail = _total(g, len(items))
    return Query(head + ", ".join(x.d for x in items) + f" FROM {s.d}{where.d}{tail}",
                 head + ", ".join(x.p for x in items) + f" FROM {s.p}{where.p}{tail}", [x.kind for x in items],
                 s.size if not tail else 8)


def _exact_aggregate(g, s, kind=None):
    """An aggregate of own columns whose value does not depend on the order of rows."""
    fit = [(k, n) for k, n in s.columns if k in ("int", "text", "time", "float", "bool", "num", "timetz", "ints") and (not kind or k == kind)]
    if kind == "int" and g.one_in(2) or not fit:
        return Expr("int", "count(*)", "count(*)") if kind in (None, "int") else None
    k, n = g.rng.choice(fit)
    if k == "bool":
        f = g.rng.choice(["bool_and", "bool_or"])
        return Expr(k, f"{f}({n})", f"{f}({n})")
    f = g.rng.choice(["min", "max"] + (["sum"] if k in ("int", "num") else []))
    text = f"{f}({n})"
    return Expr(k, text, f"CAST({text} AS bigint)" if k == "int" else text)


def grouping(g, names):
    """A GROUP BY list of these, in some of its spellings."""
    r = g.rng.randrange(6)
    if r == 0:
        return f"ROLLUP ({', '.join(names)})"
    if r == 1:
        return f"CUBE ({', '.join(names)})"
    if r == 2:
        sets = [g.rng.sample(names, g.rng.randrange(len(names) + 1)) for _ in range(g.rng.randrange(1, 4))] + [names]
        return "GROUPING SETS (" + ", ".join(f"({', '.join(x)})" for x in sets) + ")"
    if r == 3 and len(names) > 1:
        return f"{names[0]}, ROLLUP ({', '.join(names[1:])})"
    return ", ".join(names)


def grouped(g, depth, outer, kinds):
    s = source(g, depth, outer, most=1)
    e = _exprs(g, s.columns, outer, depth, s.size)
    keys = [(k, n) for k, n in s.columns if k in ("int", "text", "time", "bool", "num", "timetz", "bits", "ints")]
    keys = g.rng.sample(keys, min(len(keys), g.rng.randrange(1, 3)))
    where = _where(g, e, s.columns)
    if kinds:
        items = [_exact_aggregate(g, s, kind) for kind in kinds]
        if None in items:
            return simple(g, depth, outer, kinds)
    else:
        items = [Expr(k, n, n) for k, n in keys] + [_exact_aggregate(g, s) for _ in range(g.rng.randrange(0, 3))]
    by = f" GROUP BY {grouping(g, [n for _, n in keys])}" if keys else ""
    if not by and not any("(" in x.d for x in items):
        return simple(g, depth, outer, kinds)
    if by and len(keys) > 1 and not kinds and g.one_in(3):
        call = f"grouping({', '.join(n for _, n in keys)})"
        items.append(Expr("int", call, call))
    having = " HAVING count(*) " + g.rng.choice(["> 1", "< 3", "<> 2"]) if g.one_in(4) else ""
    tail = _total(g, len(items))
    return Query("SELECT " + ", ".join(x.d for x in items) + f" FROM {s.d}{where.d}{by}{having}{tail}",
                 "SELECT " + ", ".join(x.p for x in items) + f" FROM {s.p}{where.p}{by}{having}{tail}",
                 [x.kind for x in items], max(s.size // 3, 1))


def set_operation(g, depth, outer, kinds):
    kinds = kinds or [g.rng.choice(["int", "text", "time", "bool", "float", "num", "ints"]) for _ in range(g.rng.randrange(1, 3))]
    a, b = query(g, depth - 1, outer, kinds), query(g, depth - 1, outer, kinds)
    op = g.rng.choice(["UNION", "UNION ALL", "INTERSECT", "INTERSECT ALL", "EXCEPT", "EXCEPT ALL"])
    tail = _total(g, len(kinds))
    return Query(f"({a.d}) {op} ({b.d}){tail}", f"({a.p}) {op} ({b.p}){tail}", kinds, a.size + b.size)


def query(g, depth, outer=(), kinds=None):
    """A query inside of another; kinds: of its columns, if they matter."""
    if depth > 0 and g.one_in(6):
        return set_operation(g, depth, outer, kinds)
    return g.rng.choice([simple, simple, grouped])(g, depth, outer, kinds)


def with_clause(g):
    """WITH for the statement: '' or the clause, in both spellings; g.ctes has the names."""
    g.ctes = []
    if not g.one_in(4):
        return "", ""
    d, p, made = [], [], []
    for i in range(g.rng.randrange(1, 3)):
        q = query(g, 1)
        how = g.rng.choice([" AS", " AS", " AS MATERIALIZED", " AS NOT MATERIALIZED"])
        names = ", ".join(f"e{j}" for j in range(len(q.kinds)))
        d.append(f"w{i} ({names}){how} ({q.d})")
        p.append(f"w{i} ({names}){how} ({q.p})")
        g.ctes = g.ctes + [(f"w{i}", q.kinds, q.size)]
    return "WITH " + ", ".join(d) + " ", "WITH " + ", ".join(p) + " "


# ---- subqueries as expressions: g is an ExprGen, g.gen the Gen ----

def _inner(e, kind=None, most=1):
    """Source, inner expressions, WHERE."""
    g = e.gen
    s = source(g, e.levels, (), most) if g.one_in(3) else leaf(g, e.levels, ())
    inner = _exprs(g, s.columns, e.columns, e.levels, s.size)
    return g, s, inner, _where(g, inner, s.columns)


def _scalar(kind):
    @subquery(kind)
    def extreme(e, depth):
        g, s, inner, where = _inner(e)
        call = _exact_aggregate(g, s, kind)
        if not call:
            return e.literal(kind)
        return Expr(kind, f"(SELECT {call.d} FROM {s.d}{where.d})", f"(SELECT {call.p} FROM {s.p}{where.p})")

    @subquery(kind)
    def first(e, depth):
        g, s, inner, where = _inner(e)
        x = _column(g, inner, s.columns, kind)
        tail = " ORDER BY 1" + g.rng.choice(["", " DESC"]) + g.rng.choice([" LIMIT 1", " FETCH FIRST ROW ONLY", " LIMIT 1 OFFSET 1"])
        return Expr(kind, f"(SELECT {x.d} FROM {s.d}{where.d}{tail})", f"(SELECT {x.p} FROM {s.p}{where.p}{tail})")

    @subquery("bool")
    def is_in(e, depth):
        g, s, inner, where = _inner(e)
        x, y = _column(g, inner, s.columns, kind), e.expr(kind, 1)
        op = g.rng.choice(["IN", "NOT IN", "IN", "NOT IN", "= ANY", "<> ALL", "< ANY", ">= ALL", "> SOME"])
        return Expr("bool", f"({y.d} {op} (SELECT {x.d} FROM {s.d}{where.d}))", f"({y.p} {op} (SELECT {x.p} FROM {s.p}{where.p}))")

    @subquery("bool")
    def row_in(e, depth):
        g, s, inner, where = _inner(e)
        other = g.rng.choice(["int", "text", "time"])
        x, y = _column(g, inner, s.columns, kind), _column(g, inner, s.columns, other)
        a, b = e.expr(kind, 0), e.expr(other, 0)
        op = g.rng.choice(["IN", "NOT IN"])
        return Expr("bool", f"(({a.d}, {b.d}) {op} (SELECT {x.d}, {y.d} FROM {s.d}{where.d}))",
                    f"(({a.p}, {b.p}) {op} (SELECT {x.p}, {y.p} FROM {s.p}{where.p}))")


for _kind in ("int", "text", "time", "float", "bool", "num", "timetz"):
    _scalar(_kind)


@subquery("bool", 4)
def exists(e, depth):
    g, s, inner, where = _inner(e)
    head = g.rng.choice(["EXISTS", "NOT EXISTS"])
    tail = g.rng.choice(["", "", " LIMIT 1", " OFFSET 1"])
    return Expr("bool", f"({head} (SELECT {g.rng.choice(['1', '*'])} FROM {s.d}{where.d}{tail}))".replace("SELECT *", "SELECT 1"),
                f"({head} (SELECT 1 FROM {s.p}{where.p}{tail}))")


@subquery("int", 4)
def count(e, depth):
    g, s, inner, where = _inner(e)
    return Expr("int", f"(SELECT count(*) FROM {s.d}{where.d})", f"(SELECT count(*) FROM {s.p}{where.p})")
