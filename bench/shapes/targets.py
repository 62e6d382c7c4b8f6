# SPDX-License-Identifier: Apache-2.0
"""What Dendro is to reach, in one table: (figure, "<=" or ">=", bound). A ratio is Dendro's median over the best peer's; above 1 it
is slower. Figures of a class are named by the class; a figure that a run does not have is not judged."""

TARGETS = {
    "late": [("worst at once / clean", "<=", 3), ("worst ten seconds later / clean", "<=", 1.3)],
    "series": [("few: geomean", "<=", 0.5), ("few: worst", "<=", 1.2), ("many: geomean", "<=", 0.7), ("many: worst", "<=", 1.5),
               ("few: load rows/s", ">=", 1.5e6), ("many: load rows/s", ">=", 1.5e6)],
    "keys": [(f"{v}: {what}", sign, bound) for v in ("id", "time-host", "none")
             for what, sign, bound in (("geomean", "<=", 0.7), ("load rows/s", ">=", 1e6), ("bytes/row", "<=", 6), ("load RSS MiB", "<=", 600))],
    "predicates": [("geomean", "<=", 0.4), ("worst", "<=", 1)],
    "tpch": [(f"{v}: {what}", "<=", bound) for v in ("keys", "none") for what, bound in (("geomean", 2.5), ("worst", 6))],
    "clicks": [(f"{v}: {what}", "<=", bound) for v in ("key", "none") for what, bound in (("geomean", 0.9), ("worst", 3))],
    "cpu": [(f"{v}: {what}", "<=", bound) for v in ("s", "b") for what, bound in (("geomean", 0.25), ("worst", 1))],
    "load": [("rows/s", ">=", 1.5e6)],
    # Not over embedded alone: libpq by itself takes 14 times as long as the answer, whoever the server is.
    "wire": [("worst large answer / (embedded + libpq alone)", "<=", 1.3), ("worst large answer / PostgreSQL", "<=", 1)]
            + [(f"point, {n} clients / PostgreSQL", ">=", 1.2) for n in (1, 8, 64)]
            + [(f"point beside writers, {n} clients / PostgreSQL", ">=", 1.2) for n in (1, 8, 64)],
    "growth": [("worst", "<=", 10.5), ("worst of one series", "<=", 1.2)],
}


def judge(name, figures):
    """[(figure, value, "<= bound", reached)] of the figures that a run has."""
    out = []
    for what, sign, bound in TARGETS[name]:
        value = figures.get(what)
        if value is not None:
            out.append((what, value, f"{sign} {bound:g}", value <= bound if sign == "<=" else value >= bound))
    return out
