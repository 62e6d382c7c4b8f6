# SPDX-License-Identifier: Apache-2.0
"""More shapes, spelled alike on both sides: subqueries in operands that are not reached, recursion, statements that
change rows inside of others, MERGE, arrays, NUMERIC, set operations in set operations."""
import sources
from exprs import ExprGen
from queries import Statement, shape


def _tables(g, most=300):
    """Two tables of which the second may be read for each row of the first."""
    fit = [t for t in g.tables if t.rows <= most] or [min(g.tables, key=lambda t: t.rows)]
    return g.rng.choice(fit), g.rng.choice(fit)


def _ints(t, alias):
    return [f"{alias}.{name}" for kind, name in t.columns if kind == "int"]


REACHED = [
    ("int", "CASE WHEN {c} <> {v} THEN (SELECT 100 / ({c} - {v})) END"),
    ("int", "CASE {c} WHEN {v} THEN 0 WHEN {w} THEN (SELECT 100 / ({c} - {v})) ELSE (SELECT {c} + max(y.n) FROM {u} AS y WHERE y.n > 1000 / ({c} - {v})) END"),
    ("int", "coalesce(nullif({c}, {v}), (SELECT 100 / ({c} - {v} + 1)))"),
    ("bool", "{c} = {v} OR (SELECT 100 / ({c} - {v})) > {w}"),
    ("bool", "{c} <> {v} AND (SELECT 100 / ({c} - {v}) FROM {u} AS y ORDER BY 1 LIMIT 1) > {w}"),
    ("bool", "{c} = {v} OR 100 / ({c} - {v}) IN (SELECT y.n FROM {u} AS y)"),
    ("bool", "{c} = {v} OR EXISTS (SELECT 1 FROM {u} AS y WHERE y.n < 100 / ({c} - {v}))"),
    ("text", "CASE WHEN (SELECT count(*) FROM {u} AS y WHERE y.n = {c}) = 1 THEN (SELECT y.s FROM {u} AS y WHERE y.n = {c}) ELSE 'many' END"),
    ("int", "CASE WHEN {c} <> {v} THEN (SELECT 100 / (count(*) + {c} - {v}) FROM {u} AS y WHERE y.n = {c} AND false) END"),
    ("int", "(SELECT max(100 / (y.n - {v})) FROM {u} AS y WHERE y.n = {c} AND {c} <> {v})"),
    ("int", "(SELECT 100 / (y.n - {v}) FROM {u} AS y WHERE y.n = {c} AND y.n <> {v} ORDER BY 1 LIMIT 1)"),
    ("int", "CASE WHEN {c} > {v} THEN CASE WHEN {c} < {w} THEN (SELECT 100 / ({c} - {v}) + (SELECT min(y.n) FROM {u} AS y WHERE y.n = {c})) END ELSE {w} END"),
]


@shape(3)
def reached(g):
    """Division by zero, or a second row, in what is not asked for."""
    t, u = _tables(g, 60)
    c, v, w = g.rng.choice(_ints(t, "x")), g.rng.randrange(-1, 4), g.rng.randrange(-1, 8)
    forms = [g.rng.choice(REACHED) for _ in range(g.rng.randrange(1, 3))]
    items = [text.format(c=c, v=v, w=w, u=u.name) for _, text in forms]
    kinds = ["int"] + [kind for kind, _ in forms]
    way = g.rng.randrange(5)
    if way == 0:
        conds = [x if kind == "bool" else f"({x}) IS NOT NULL" for (kind, _), x in zip(forms, items)]
        text = f"SELECT {c} FROM {t.name} AS x WHERE {' OR '.join(conds)} ORDER BY 1"
        return Statement(text, text, ["int"], True)
    if way == 1:
        text = f"SELECT {c}, {', '.join(items)} FROM {t.name} AS x GROUP BY {c} ORDER BY {', '.join(str(i + 1) for i in range(len(kinds)))}"
    elif way == 2:
        text = f"SELECT {c}, z.* FROM {t.name} AS x, LATERAL (SELECT {', '.join(f'{x} AS z{i}' for i, x in enumerate(items))}) AS z ORDER BY {', '.join(str(i + 1) for i in range(len(kinds)))}"
    else:
        text = f"SELECT {c}, {', '.join(items)} FROM {t.name} AS x ORDER BY {', '.join(str(i + 1) for i in range(len(kinds)))}"
    return Statement(text, text, kinds, True)


@shape(1)
def no_columns(g):
    """Queries without columns: all of their rows are equal."""
    both = ["", ""]
    for i in range(g.rng.randrange(1, 4)):
        t = g.rng.choice(g.tables)
        where = g.where(ExprGen(g.rng, t.columns))
        op = g.rng.choice([" UNION ", " UNION ALL ", " INTERSECT ", " INTERSECT ALL ", " EXCEPT ", " EXCEPT ALL "]) if i else ""
        limit = f" LIMIT {g.rng.randrange(0, 9)}" if g.one_in(3) else ""
        both = [f"{head}{op}(SELECT FROM {t.name}{cond}{limit})" for head, cond in zip(both, (where.d, where.p))]
    form = g.rng.choice(["SELECT count(*) FROM ({}) AS z", "SELECT EXISTS ({})::text", "WITH z AS ({}) SELECT count(*) FROM z, z AS y",
                         "SELECT count(z) FROM ({}) AS z", "SELECT 1 + count(*) FROM (SELECT z.* FROM ({}) AS z) AS y"])
    return Statement(form.format(both[0]), form.format(both[1]), ["text" if "text" in form else "int"], False)


@shape(1)
def recursive(g):
    t, u = _tables(g)
    lo, hi, step = g.rng.randrange(-3, 3), g.rng.randrange(0, 12), g.rng.randrange(1, 4)
    union = g.rng.choice(["UNION", "UNION ALL"])
    way = g.rng.randrange(4)
    if way == 0:
        text = (f"WITH RECURSIVE r (a, b) AS (SELECT {lo}, 0 {union} SELECT a + {step}, b + 1 FROM r WHERE a < {hi}) "
                f"SELECT r.a, r.b, count(x.n) FROM r LEFT JOIN {t.name} AS x ON x.n = r.a GROUP BY 1, 2 ORDER BY 1, 2")
    elif way == 1:
        text = (f"WITH RECURSIVE r (k, d) AS (SELECT n, 0 FROM {t.name} WHERE n BETWEEN {lo} AND {hi} UNION "
                f"SELECT (r.k * 2 + x.n) % 11, r.d + 1 FROM r JOIN {u.name} AS x ON x.n % 5 = r.k % 5 WHERE r.d < 3) "
                "SELECT k, d, count(*) OVER (PARTITION BY d) FROM r ORDER BY 1, 2")
    elif way == 2:
        text = (f"WITH RECURSIVE r (k, d) AS (VALUES ({lo}, 0) {union} SELECT k + d, d + 1 FROM (SELECT * FROM r WHERE d < {hi}) AS q "
                f"WHERE NOT EXISTS (SELECT 1 FROM {t.name} AS x WHERE x.n = q.k AND x.n % 2 = 1)), "
                f"s AS (SELECT k, max(d) AS d FROM r GROUP BY k) SELECT s.k, s.d, (SELECT count(*) FROM r WHERE r.k <= s.k) FROM s ORDER BY 1")
    else:
        text = (f"SELECT x.n, (WITH RECURSIVE r (a) AS (SELECT x.n {union} SELECT a / 2 FROM r WHERE a > 0) SELECT count(*) FROM r), 0 "
                f"FROM {t.name} AS x WHERE x.n BETWEEN 0 AND {hi * 8} ORDER BY 1, 2")
    return Statement(text, text, ["int", "int", "int"], True)


def _free_text(t):
    return [c for k, c in t.columns if c not in t.key and k == "text"]


@shape(1)
def in_with(g):
    """INSERT, UPDATE, DELETE in WITH; what they return, and what the rest sees: the rows as they were."""
    t, u = _tables(g)
    k, m = g.rng.randrange(7), g.rng.randrange(3, 9)
    where = ExprGen(g.rng, [(kind, f"{t.name}.{name}") for kind, name in t.columns]).expr("bool", 1)
    free = _free_text(t)
    if free and g.one_in(2):
        change = f"UPDATE {t.name} SET {g.rng.choice(free)} = {t.name}.s WHERE {t.name}.n % {m} = {k % m} AND "
    else:
        change = f"DELETE FROM {t.name} WHERE {t.name}.n % {m} = {k % m} AND {t.name}.n % 2 = 0 AND "
    rest = g.rng.choice([
        "SELECT count(*), min(n), max(s) FROM c",
        f"SELECT count(*), (SELECT count(*) FROM {t.name}), min(x.s) FROM c JOIN {t.name} AS x ON x.n = c.n",
        f"SELECT count(*), max(c.n), min(x.s) FROM c FULL JOIN {u.name} AS x ON x.n = c.n"])
    text = "WITH c AS ({}{} RETURNING n, s) " + rest
    if t.name != u.name and g.one_in(3):  # one that reads those which are named after it
        text = (f"WITH RECURSIVE d AS (DELETE FROM {u.name} WHERE {u.name}.n % 3 = 0 AND {u.name}.n IN (SELECT e.n FROM e) RETURNING n, s), "
                "e AS (SELECT n FROM c WHERE n > 0), c AS ({}{} RETURNING n, s) SELECT count(*), (SELECT count(*) FROM c), min(d.s) FROM d")
    return Statement(text.format(change, where.d), text.format(change, where.p), ["int", "int", "text"])


# What ORDER BY, GROUP BY and DISTINCT ON find by the name of the result; kinds of the columns.
IMPLIED = (
    (["text"], "SELECT x.n::text FROM {t} AS x ORDER BY n{d}"),
    (["text"], "SELECT DISTINCT x.n::text FROM {t} AS x ORDER BY n{d} LIMIT {k}"),
    (["int"], "SELECT count(*) FROM {t} AS x GROUP BY x.n % {k} ORDER BY count{d}"),
    (["int", "int"], "SELECT x.n % {k}, max(x.n) FROM {t} AS x GROUP BY 1 ORDER BY max{d}, 1"),
    (["text", "int"], "SELECT reverse(x.s), count(*) FROM {t} AS x GROUP BY reverse ORDER BY reverse{d} NULLS LAST"),
    (["text"], "SELECT DISTINCT ON (reverse) reverse(x.s) FROM {t} AS x ORDER BY reverse{d}"),
    (["int"], "SELECT x.n % {k} FROM {t} AS x ORDER BY \"?column?\"{d}"),
    (["int", "bool"], "SELECT x.n, x::text = x::text FROM {t} AS x WHERE (x.n, (x.s, {k})) = (x.n, (x.s, {k})) ORDER BY 1"),
    (["int"], "SELECT count(DISTINCT (x.n % {k}, x.n * 1.0)) FROM {t} AS x"),
    (["int"], "SELECT x.n FROM {t} AS x ORDER BY ROW(x.n % {k})::text{d}, ROW(x.n)"),
    (["int"], "SELECT g FROM generate_series(1, {k}) AS g(a) WHERE g IN (SELECT x.n % {k} FROM {t} AS x) ORDER BY g{d}"),
)


@shape(1)
def implied(g):
    t, _ = _tables(g)
    kinds, text = g.rng.choice(IMPLIED)
    text = text.format(t=t.name, d=g.rng.choice(["", " DESC"]), k=g.rng.randrange(2, 12))
    return Statement(text, text, kinds, True)


@shape(1)
def merge(g):
    t, u = _tables(g)
    free = _free_text(t)
    m = g.rng.randrange(2, 6)
    whens = []
    if g.one_in(2):
        whens.append(f"WHEN MATCHED AND {t.name}.n % {m} = 1 THEN " + g.rng.choice(["DELETE", "DO NOTHING"]))
    if free:
        name = g.rng.choice(free)
        whens.append(f"WHEN MATCHED{g.rng.choice(['', ' AND z.c > 1'])} THEN UPDATE SET {name} = z.s || {t.name}.s")
    if g.one_in(2) or not whens:
        whens.append(f"WHEN NOT MATCHED AND z.n % {m} = 0 THEN INSERT (n, s, t) VALUES (z.n, z.s, TIMESTAMP '2015-06-01 12:00:00')")
    using = f"(SELECT x.n AS n, max(x.s) AS s, count(*) AS c FROM {u.name} AS x GROUP BY x.n)"
    text = f"MERGE INTO {t.name} USING {using} AS z ON z.n = {t.name}.n {' '.join(whens)}"
    return Statement(text, text, [])


@shape(1)
def arrays(g):
    t, u = _tables(g, 60)
    items = g.rng.sample([
        ("text", "array_to_string(array_agg(x.n ORDER BY x.n{}), ',', '-')".format(g.rng.choice(["", " DESC"]))),
        ("int", "(array_agg(x.n ORDER BY x.n, x.s))[{}]".format(g.rng.randrange(0, 4))),
        ("int", "cardinality(array_agg(x.n))"),
        ("bool", "{} = ANY (array_agg(x.n))".format(g.rng.randrange(-1, 8))),
        ("bool", "array_agg(DISTINCT x.n) @> ARRAY[{}]".format(g.rng.randrange(-1, 8))),
        ("text", "string_agg(x.s, '+' ORDER BY x.s, x.n)"),
        ("text", "array_to_string((array_agg(x.n ORDER BY x.n))[{}:{}] || 5, ' ')".format(g.rng.randrange(0, 3), g.rng.randrange(0, 5))),
    ], 2)
    if g.one_in(2):
        text = f"SELECT x.n % 4, {items[0][1]}, {items[1][1]} FROM {t.name} AS x GROUP BY 1 ORDER BY 1"
        return Statement(text, text, ["int"] + [kind for kind, _ in items], True)
    text = (f"SELECT x.n, array_to_string(ARRAY(SELECT y.n FROM {u.name} AS y WHERE y.n % 5 = x.n % 5 ORDER BY 1 LIMIT 4), ','), z.e "
            f"FROM {t.name} AS x, unnest(ARRAY[x.n, x.n + 1, NULL]) WITH ORDINALITY AS z (e, i) WHERE z.i <> {g.rng.randrange(1, 4)} ORDER BY 1, 2, 3")
    return Statement(text, text, ["int", "text", "int"], True)


@shape(1)
def numerics(g):
    t, _ = _tables(g)
    c = g.rng.choice(_ints(t, "x"))
    forms = [f"sum(CAST({c} AS NUMERIC(12, 2)) * 1.25)", f"max(CAST({c} AS NUMERIC) - 0.125)", f"min(round(CAST({c} AS NUMERIC) * 0.333, 2))",
             f"sum(DISTINCT CAST({c} AS NUMERIC(10, 1)))", f"sum(CAST({c} AS NUMERIC) % 7.5)", f"sum(abs({c} * -1.5))",
             f"sum(trunc({c} * 1.75, 1)) FILTER (WHERE {c} > 0)"]
    items = ", ".join(f"CAST({x} AS VARCHAR)" for x in g.rng.sample(forms, 2))
    text = f"SELECT x.n % 3, {items} FROM {t.name} AS x GROUP BY 1 ORDER BY 1"
    return Statement(text, text, ["int", "text", "text"], True)


@shape(1)
def sets(g):
    """Set operations in set operations, at the top."""
    g.aliases = 0
    kinds = [g.rng.choice(["int", "text", "time", "bool"]) for _ in range(g.rng.randrange(1, 3))]
    q = sources.set_operation(g, 3, (), kinds)
    order = " ORDER BY " + ", ".join(str(i + 1) for i in range(len(kinds)))
    return Statement(f"SELECT * FROM ({q.d}) AS q{order}", f"SELECT * FROM ({q.p}) AS q{order}", kinds, True)
