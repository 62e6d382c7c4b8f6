# SPDX-License-Identifier: Apache-2.0
"""growth: what ten times the hosts cost each row. A row that looks at one series must not feel the others."""
from ask import ask_all
from cpu_set import cpu_rows, cpu_set

NAME = "growth"
SIZES = {"quick": 5, "small": 20, "full": 100}
ONE_SERIES = {"single-groupby-1-1-1", "single-groupby-1-1-12", "single-groupby-5-1-1", "single-groupby-5-1-12", "cpu-max-all-1", "high-cpu-1",
              "point-lookup", "range-1h", "newest-of-host", "window-max-1-1-1"}


def run(context):
    hosts = SIZES[context.scale]
    both = [ask_all(context, cpu_set(context, n), cpu_rows() if n >= 8 else [q for q in cpu_rows() if "8" not in q.name], context.only)
            for n in (hosts, hosts * 10)]
    once, tenfold = both[0][1], both[1][1]
    grown, parts = {}, {}
    for name, figures in tenfold.items():
        parts[name] = {}
        for peer, f in figures.items():
            before = once.get(name, {}).get(peer, {})
            parts[name][peer] = {k: v for k, v in f.items() if k in ("failed", "error", "wrong")}
            if "median_ms" in f and "median_ms" in before:
                parts[name][peer] = {"growth": f["median_ms"] / before["median_ms"], "once_ms": before["median_ms"], "tenfold_ms": f["median_ms"],
                                     **parts[name][peer]}
        if "growth" in parts[name].get("dendro", {}):
            grown[name] = parts[name]["dendro"]["growth"]
    figures = {"worst": max((g for n, g in grown.items() if n not in ONE_SERIES), default=None),
               "worst of one series": max((g for n, g in grown.items() if n in ONE_SERIES), default=None)}
    return figures, [{"name": f"{hosts} and {hosts * 10} hosts", "rows": parts, "load": {}, "growth": grown, "versions": both[0][2]}]
