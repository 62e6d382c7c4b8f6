# SPDX-License-Identifier: Apache-2.0
"""Whether two outcomes are the same. Values are compared by the type that the generator gave the column."""
import math
import re
from decimal import Decimal, localcontext

# SQLSTATEs that mean the same fault; docs/sql/differences.md has the reasons.
SAME_STATE = {
    ("22P02", "22007"),  # a text that is no value of its type: PostgreSQL has one code per type
}
RELATIVE = 1e-11


def years(text):
    """Years before the first as ISO 8601 counts them: 0005-04-01 00:00:00 BC is -0004-04-01 00:00:00."""
    def year(m):
        n = int(m[1]) - 1
        return f"{'-' if n else ''}{n:04}{m[2]}"
    return re.sub(r"\b(\d{4,})(-\d\d-\d\d(?: [0-9:.+-]+)?) BC\b", year, text)


def _time(text):
    """Seconds and fraction as text without trailing zeros, in one spelling."""
    text = years(text)
    m = re.fullmatch(r"(-?\d+-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:\.(\d+))?(?:Z|\+00)?", text)
    if not m:
        return text
    fraction = (m.group(3) or "").rstrip("0")
    return f"{m.group(1)} {m.group(2)}.{fraction}"


def _same_numeric(x, y):
    """What has more than 38 digits in PostgreSQL is rounded here, a sum at each step."""
    if x == y or not (x.is_finite() and y.is_finite()) or len(y.as_tuple().digits) <= 38:
        return x == y
    with localcontext() as context:
        context.prec = 200
        return abs(x - y) <= abs(y).scaleb(-28)


def same_value(kind, a, b):
    if a is None or b is None:
        return a is None and b is None
    if kind == "bool":
        return a[0] == b[0]
    if kind in ("float", "int"):
        try:
            x, y = float(a), float(b)
        except ValueError:
            return False
        if kind == "int":
            return int(a) == int(y) if y == int(y) and abs(y) < 2**52 else a == b
        if math.isnan(x) or math.isnan(y):
            return math.isnan(x) and math.isnan(y)
        if math.isinf(x) or math.isinf(y):
            return x == y
        return abs(x - y) <= RELATIVE * max(abs(x), abs(y)) + 1e-300
    if kind == "num":  # of equal ones any may stand for a group
        return a == b or _same_numeric(Decimal(a), Decimal(b))
    if kind == "digits":  # compares the texts, unless PostgreSQL's is one that cannot be had here
        return a == b or (len(Decimal(b).as_tuple().digits) > 38 and _same_numeric(Decimal(a), Decimal(b)))
    if kind == "time":
        return _time(a) == _time(b)
    return a == b


def _sort_key(kinds):
    def key(row):
        out = []
        for kind, v in zip(kinds, row):
            if v is None:
                out.append((1, "", 0.0))
            elif kind in ("float", "int", "num"):
                x = float(v)
                out.append((0, "", math.inf if math.isnan(x) else x))
            elif kind == "bool":
                out.append((0, v[0], 0.0))
            else:
                out.append((0, _time(v) if kind == "time" else v, 0.0))
        return out
    return key


def difference(kinds, ordered, dendro, postgres):
    """None, or one line that says what differs."""
    if dendro.sqlstate or postgres.sqlstate:
        if dendro.sqlstate == postgres.sqlstate or (dendro.sqlstate, postgres.sqlstate) in SAME_STATE:
            return None
        if postgres.sqlstate == "0A000" and not dendro.sqlstate:
            return None  # FULL JOIN without an equality
        if dendro.sqlstate:
            return f"Dendro fails with {dendro.sqlstate} {dendro.message}, PostgreSQL: {postgres.sqlstate or 'rows'}"
        return f"PostgreSQL fails with {postgres.sqlstate}, Dendro gives rows"
    a, b = dendro.rows, postgres.rows
    if len(a) != len(b):
        return f"{len(a)} rows, PostgreSQL has {len(b)}"
    for row in a + b:
        if len(row) != len(kinds):
            return f"a row of {len(row)} columns instead of {len(kinds)}: {row}"
    if not ordered:
        a, b = sorted(a, key=_sort_key(kinds)), sorted(b, key=_sort_key(kinds))
    for i, (x, y) in enumerate(zip(a, b)):
        for kind, v, w in zip(kinds, x, y):
            if not same_value(kind, v, w):
                return f"row {i + 1}: {v!r}, PostgreSQL has {w!r}\n    {x}\n    {y}"
    return None
