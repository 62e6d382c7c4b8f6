# SPDX-License-Identifier: Apache-2.0
"""cpu: every row of the first benchmark, 100 and 1000 hosts, beside these peers."""
from ask import ask_all, geomean, ratios
from cpu_set import cpu_rows, cpu_set

NAME = "cpu"
SIZES = {"quick": {"s": 10}, "small": {"s": 100}, "full": {"s": 100, "b": 1000}}


def run(context):
    figures, parts = {}, []
    for name, hosts in SIZES[context.scale].items():
        loads, rows, versions = ask_all(context, cpu_set(context, hosts), cpu_rows(), context.only)
        known = ratios(rows)
        figures[f"{name}: geomean"], figures[f"{name}: worst"] = geomean(known.values()), max(known.values(), default=None)
        parts.append({"name": name, "rows": rows, "load": loads, "versions": versions})
    return figures, parts
