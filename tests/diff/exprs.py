# SPDX-License-Identifier: Apache-2.0
"""Random typed expressions, each in two spellings: Dendro's and PostgreSQL's.

An expression knows its kind (int, float, text, bool, time, interval, num, timetz, bits, ints). `@rule(kind)` adds a way to make one;
rules ask `g.expr(kind, depth)` for their parts, so a new rule is one function. Where both databases spell it
alike a rule returns g.both(...). Columns come from `g.columns`, whatever FROM and the queries around gave.
`@subquery(kind)` (sources.py) adds one that is a query: used where the generator has a Gen and levels left."""
from dataclasses import dataclass

KINDS = ["int", "float", "text", "bool", "time", "interval", "num", "timetz", "bits", "ints"]


@dataclass(frozen=True)
class Expr:
    kind: str
    d: str  # Dendro
    p: str  # PostgreSQL


RULES = {kind: [] for kind in KINDS}


def rule(kind, weight=1):
    def add(f):
        RULES[kind].extend([f] * weight)
        return f
    return add


SUBQUERIES = {kind: [] for kind in KINDS}


def subquery(kind, weight=1):
    def add(f):
        SUBQUERIES[kind].extend([f] * weight)
        return f
    return add


def quote(text):
    return "'" + text.replace("'", "''") + "'"


class ExprGen:
    """columns: (kind, name) of the scope; gen: makes subqueries, None = none here; levels: how deep they may nest."""

    def __init__(self, rng, columns=(), gen=None, levels=0):
        self.rng = rng
        self.columns = list(columns)
        self.gen = gen
        self.levels = levels

    def pick(self, *choices):
        return self.rng.choice(choices)

    def one_in(self, n):
        return self.rng.randrange(n) == 0

    def both(self, kind, form, *parts):
        """The same form in both, {} for each part."""
        return Expr(kind, form.format(*[x.d for x in parts]), form.format(*[x.p for x in parts]))

    def column(self, kind):
        names = [n for k, n in self.columns if k == kind]
        if not names:
            return None
        name = self.rng.choice(names)
        return Expr(kind, name, name)

    def literal(self, kind):
        r = self.rng
        if self.one_in(12):
            name = {"int": "BIGINT", "text": "TEXT", "bool": "BOOLEAN", "time": "TIMESTAMP",
                    "interval": "INTERVAL", "float": "DOUBLE", "num": "NUMERIC", "timetz": "TIMETZ", "bits": "BIT VARYING",
                    "ints": "INTEGER[]"}[kind]
            return Expr(kind, f"CAST(NULL AS {name})",
                        f"CAST(NULL AS {'float8' if kind == 'float' else name})")
        if kind == "int":
            v = r.choice([0, 1, 2, 3, 7, 10, 100, -1, -5, r.randrange(-50, 50)])
            return Expr(kind, f"({v})", f"({v}::bigint)")
        if kind == "float":
            v = r.choice([0.0, 0.5, 1.5, -2.25, 10.0, 3.0, 0.1, r.randrange(-400, 400) / 8])
            return Expr(kind, f"CAST({v!r} AS DOUBLE)", f"({v!r}::float8)")
        if kind == "bool":
            return self.both(kind, r.choice(["true", "false"]))
        if kind == "text":
            return self.both(kind, quote(r.choice(TEXTS)) + "::text")
        if kind == "interval":
            return self.both(kind, f"INTERVAL {quote(r.choice(INTERVALS))}")
        if kind == "num":
            return self.both(kind, f"({r.choice(NUMBERS)}::numeric)")
        if kind == "timetz":
            return self.both(kind, f"TIMETZ {quote(r.choice(TIMETZS))}")
        if kind == "bits":
            return self.both(kind, f"B'{r.choice(BITS)}'::bit varying")
        if kind == "ints":
            return self.both(kind, f"{quote(r.choice(ARRAYS)).replace('{', '{{').replace('}', '}}')}::integer[]")
        return self.both(kind, f"TIMESTAMP {quote(self.time_text())}")

    def time_text(self):
        r = self.rng
        return r.choice([f"{r.randrange(1900, 2100)}-{r.randrange(1, 13):02}-{r.randrange(1, 29):02}",
                         f"1969-12-31 {r.randrange(24):02}:{r.randrange(60):02}:00.{r.randrange(1000):03}",
                         f"2015-06-{r.randrange(1, 31):02} {r.randrange(24):02}:{r.randrange(60):02}:"
                         f"{r.randrange(60):02}", "2000-02-29", "1970-01-01", "1600-02-29 23:59:59.999"])

    def expr(self, kind, depth):
        if depth <= 0 or self.one_in(4):
            column = None if self.one_in(4) else self.column(kind)
            return column or self.literal(kind)
        if self.gen and SUBQUERIES[kind] and self.one_in(8):
            return self.rng.choice(SUBQUERIES[kind])(self, depth - 1)
        return self.rng.choice(RULES[kind])(self, depth - 1)


TEXTS = ["", "a", "ab", "abc", "it's", "A", "Zebra", "a%b", "x_y", "  pad ", "10", "-3", "Größe", "b\\c", "foo,bar,baz"]
PATTERNS = ["%", "a%", "%b", "_", "__", "%a%", "A%", "x\\_y", "a\\%b", "", "%e_ra", "Gr__e", "a%c%"]
NUMBERS = ["0", "1.5", "-2.25", "100.00", "0.001", "7", "12.34", "-0.50", "1.50", "99999.99", "3", "'NaN'"]
TIMETZS = ["00:00+00", "04:05:06.789+02", "23:59:59.999999-05:30", "12:00-08", "04:05+00", "24:00+00"]
BITS = ["", "0", "1", "101", "0101", "1111", "00000001", "110", "1010"]
ARRAYS = ["{}", "{1,2,3}", "{3,NULL,1}", "{7}", "{-1,0}", "{NULL}", "{1,2}", "{2,2,2}"]
INTERVALS = ["1 day", "2 hours", "90 minutes", "1 month", "-1 day", "1 year 2 months", "3 days 04:05:06.789", "0",
             "-2 months 5 days", "36 hours", "500 milliseconds", "1 week"]
FIELDS = ["year", "month", "day", "hour", "minute", "second", "dow", "doy", "epoch", "quarter", "week", "isodow",
          "isoyear", "milliseconds", "microseconds", "decade", "century", "millennium"]
UNITS = ["second", "minute", "hour", "day", "week", "month", "quarter", "year", "decade", "century", "millennium"]


# ---- any kind ----

def _case(kind):
    @rule(kind)
    def searched(g, depth):
        c, a, b = g.expr("bool", depth), g.expr(kind, depth), g.expr(kind, depth)
        return g.both(kind, "CASE WHEN {} THEN {} ELSE {} END", c, a, b)

    @rule(kind)
    def no_else(g, depth):
        x, y, a = g.expr("int", depth), g.expr("int", depth), g.expr(kind, depth)
        return g.both(kind, "CASE {} WHEN {} THEN {} END", x, y, a)

    @rule(kind)
    def coalesce(g, depth):
        return g.both(kind, "COALESCE({}, {})", g.expr(kind, depth), g.expr(kind, depth))

    @rule(kind)
    def nullif(g, depth):
        return g.both(kind, "NULLIF({}, {})", g.expr(kind, depth), g.expr(kind, depth))

    @rule(kind)
    def extreme(g, depth):
        parts = [g.expr(kind, depth) for _ in range(g.pick(2, 3))]
        return g.both(kind, g.pick("greatest", "least") + "(" + ", ".join(["{}"] * len(parts)) + ")", *parts)

    @rule("bool")
    def compare(g, depth):
        op = g.pick("=", "<>", "<", "<=", ">", ">=", "IS DISTINCT FROM", "IS NOT DISTINCT FROM")
        return g.both("bool", "({} " + op + " {})", g.expr(kind, depth), g.expr(kind, depth))

    @rule("bool")
    def is_null(g, depth):
        return g.both("bool", "({} IS " + g.pick("", "NOT ") + "NULL)", g.expr(kind, depth))

    @rule("bool")
    def between(g, depth):
        form = "({} " + g.pick("", "NOT ") + "BETWEEN {} AND {})"
        return g.both("bool", form, g.expr(kind, depth), g.expr(kind, depth), g.expr(kind, depth))

    @rule("bool")
    def in_list(g, depth):
        parts = [g.expr(kind, depth)] + [g.expr(kind, 0) for _ in range(g.pick(1, 2, 4))]
        form = "({} " + g.pick("", "NOT ") + "IN (" + ", ".join(["{}"] * (len(parts) - 1)) + "))"
        return g.both("bool", form, *parts)


for _kind in KINDS:
    _case(_kind)


# ---- numbers ----

@rule("int", 3)
def int_arithmetic(g, depth):
    return g.both("int", "({} " + g.pick("+", "-", "+", "-", "*") + " {})", g.expr("int", min(depth, 1)), g.expr("int", min(depth, 1)))


@rule("int")
def int_divide(g, depth):
    return g.both("int", "({} " + g.pick("/", "%") + " NULLIF({}, 0))", g.expr("int", depth), g.expr("int", depth))


@rule("int")
def int_bits(g, depth):
    return g.both("int", "({} " + g.pick("&", "|", "#") + " {})", g.expr("int", depth), g.expr("int", depth))


@rule("int")
def int_one(g, depth):
    return g.both("int", g.pick("abs({})", "(- {})", "(~ {})", "gcd({}, 12)", "({} >> 2)", "sign({})::bigint"),
                  g.expr("int", depth))


@rule("int")
def int_of_text(g, depth):
    form = g.pick("length({})::bigint", "octet_length({})::bigint", "ascii({})::bigint", "strpos({}, 'a')::bigint",
                  "position('b' IN ({}))::bigint", "char_length({})::bigint")
    return g.both("int", form, g.expr("text", depth))


@rule("int")
def int_of_float(g, depth):
    x = g.expr("float", 0)
    return g.both("int", g.pick("CAST({} AS BIGINT)", "floor({})::bigint", "CAST(trunc({}) AS INTEGER)::bigint"), x)


@rule("int")
def int_of_bool(g, depth):
    x = g.expr("bool", depth)
    return Expr("int", f"CAST({x.d} AS BIGINT)", f"CAST(CAST({x.p} AS integer) AS bigint)")


@rule("float", 3)
def float_arithmetic(g, depth):
    return g.both("float", "({} " + g.pick("+", "-", "*") + " {})", g.expr("float", depth), g.expr("float", min(depth, 1)))


@rule("float")
def float_divide(g, depth):
    return g.both("float", "({} / NULLIF({}, 0))", g.expr("float", depth), g.expr("float", depth))


@rule("float")
def float_mixed(g, depth):
    return g.both("float", "({} " + g.pick("+", "-", "*") + " {})", g.expr("int", depth), g.expr("float", depth))


@rule("float", 2)
def float_one(g, depth):
    form = g.pick("abs({})", "(- {})", "ceil({})", "floor({})", "round({})", "trunc({})", "sign({})", "sqrt(abs({}))",
                  "cbrt({})", "exp(least({}, 20))", "ln(abs({}) + 1)", "log(abs({}) + 1)", "power(abs({}), 0.5)",
                  "sin({})", "cos({})", "atan({})", "degrees({})", "radians({})", "atan2({}, 2)", "tanh({})")
    return g.both("float", form, g.expr("float", depth))


@rule("float")
def float_extract(g, depth):
    form = f"extract({g.rng.choice(FIELDS)} FROM {{}})"
    x = g.both("float", form, g.expr("time", depth))
    return Expr("float", f"CAST({x.d} AS DOUBLE)", f"CAST({x.p} AS float8)")


@rule("float")
def float_extract_interval(g, depth):
    x = g.both("float", f"extract({g.pick('year', 'month', 'day', 'hour', 'minute', 'second', 'epoch')} FROM {{}})",
               g.expr("interval", depth))
    return Expr("float", f"CAST({x.d} AS DOUBLE)", f"CAST({x.p} AS float8)")


# ---- texts ----

@rule("text", 2)
def text_join(g, depth):
    return g.both("text", "({} || {})", g.expr("text", depth), g.expr(g.pick("text", "text", "int"), depth))


@rule("text", 2)
def text_one(g, depth):
    form = g.pick("lower({})", "upper({})", "trim({})", "ltrim({})", "rtrim({})", "reverse({})", "left({}, 2)", "right({}, -1)",
                  "left({}, -2)", "substring({}, 2)", "substr({}, 0, 3)", "substring({} FROM 2 FOR 2)", "replace({}, 'a', 'zz')",
                  "translate({}, 'abc', 'xy')", "lpad({}, 5, '*')", "rpad({}, 4)", "repeat({}, 2)", "split_part({}, ',', 2)",
                  "btrim({}, 'ab')", "concat({}, NULL, 'x')", "concat_ws('-', {}, NULL, 'y')")
    x = g.expr("text", depth)
    if form in ("lower({})", "upper({})"):  # the C locale of PostgreSQL knows ASCII only
        x = g.both("text", "replace(replace({}, 'ö', 'o'), 'ß', 's')", x)
    return g.both("text", form, x)


@rule("text")
def text_cut(g, depth):
    n, m = g.rng.randrange(-2, 6), g.rng.randrange(0, 5)
    return g.both("text", f"substring({{}}, {n}, {m})", g.expr("text", depth))


@rule("text")
def text_of(g, depth):
    return g.both("text", "CAST({} AS TEXT)", g.expr(g.pick("int", "bool", "interval"), depth))


# ---- truth ----

@rule("bool", 4)
def bool_logic(g, depth):
    return g.both("bool", "({} " + g.pick("AND", "OR") + " {})", g.expr("bool", depth), g.expr("bool", depth))


@rule("bool")
def bool_one(g, depth):
    form = g.pick("(NOT {})", "({} IS TRUE)", "({} IS NOT TRUE)", "({} IS FALSE)", "({} IS NOT FALSE)")
    return g.both("bool", form, g.expr("bool", depth))


@rule("bool", 2)
def bool_like(g, depth):
    return g.both("bool", "({} " + g.pick("", "NOT ") + "LIKE " + quote(g.rng.choice(PATTERNS)) + ")", g.expr("text", depth))


@rule("bool")
def bool_ilike(g, depth):
    x = g.both("text", "replace(replace({}, 'ö', 'o'), 'ß', 's')", g.expr("text", depth))
    return g.both("bool", "({} ILIKE " + quote(g.pick("A%", "%B", "_b_", "zEB%", "%")) + ")", x)


@rule("bool")
def bool_escape(g, depth):
    return g.both("bool", "({} LIKE " + g.pick("'a!%%'", "'%!_%'", "'!a'") + " ESCAPE '!')", g.expr("text", depth))


@rule("bool")
def bool_start(g, depth):
    return g.both("bool", "starts_with({}, {})", g.expr("text", depth), g.expr("text", 0))


# ---- time ----

@rule("time", 2)
def time_move(g, depth):
    return g.both("time", "({} " + g.pick("+", "-") + " {})", g.expr("time", min(depth, 1)), g.expr("interval", 0))


@rule("time", 2)
def time_trunc(g, depth):
    return g.both("time", f"date_trunc('{g.rng.choice(UNITS)}', {{}})", g.expr("time", depth))


@rule("time")
def time_bucket(g, depth):
    width = g.pick("15 minutes", "1 day", "7 hours", "10 seconds", "1 week", "90 days")
    x = g.expr("time", depth)
    return Expr("time", f"time_bucket(INTERVAL '{width}', {x.d})",
                f"date_bin(INTERVAL '{width}', {x.p}, TIMESTAMP '1970-01-01')")


@rule("interval", 2)
def interval_sum(g, depth):
    return g.both("interval", "({} " + g.pick("+", "-") + " {})", g.expr("interval", min(depth, 1)), g.expr("interval", 0))


@rule("interval")
def interval_between(g, depth):
    return g.both("interval", "({} - {})", g.expr("time", depth), g.expr("time", depth))


@rule("interval")
def interval_scaled(g, depth):
    return g.both("interval", "({} * " + g.pick("2", "0.5", "-1", "1.5") + ")", g.expr("interval", 0))


@rule("interval")
def interval_one(g, depth):
    return g.both("interval", g.pick("(- {})", "justify_hours({})", "justify_days({})"), g.expr("interval", depth))
