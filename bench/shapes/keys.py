# SPDX-License-Identifier: Apache-2.0
"""keys: the cpu set with an id as its key, with the time first, and without a key at all."""
from ask import ask_all, geomean, ratios
from cpu_set import COLUMNS, cpu_rows, cpu_set, cpu_table

NAME = "keys"
HOSTS = {"quick": 10, "small": 30, "full": 100}
# Rows over all hosts that a table of any key is asked.
CHOSEN = ["single-groupby-1-1-1", "cpu-max-all-8", "double-groupby-1", "double-groupby-all", "groupby-orderby-limit", "high-cpu-1", "high-cpu-all",
          "lastpoint", "count-all", "sum-one", "groupby-host", "top10-hosts", "point-lookup", "range-1h", "newest-10", "distinct-hosts", "join-tags",
          "p95-all"]
VARIANTS = {  # key of Dendro, its columns, order of ClickHouse, indexes of PostgreSQL
    "id": ("PRIMARY KEY (id)", ("id",), ("id",), ("PRIMARY KEY (id)", "(hostname, time)", "(time)")),
    "time-host": ("PRIMARY KEY (time, hostname)", ("time", "hostname"), ("time", "hostname"), ("PRIMARY KEY (time, hostname)", "(hostname, time)")),
    "none": (None, (), (), ("(hostname, time)", "(time)")),
}


def run(context):
    figures, parts = {}, []
    rows = [q for q in cpu_rows() if q.name in CHOSEN]
    for name, (key, not_null, order, indexes) in VARIANTS.items():
        table = cpu_table([("id", "bigint")] + COLUMNS, key, not_null, order, indexes)
        data = cpu_set(context, HOSTS[context.scale], f"keys-{name}-{HOSTS[context.scale]}", table, ident=True)
        loads, answers, versions = ask_all(context, data, rows, context.only)
        known, ours = ratios(answers), loads.get("dendro")
        figures[f"{name}: geomean"], figures[f"{name}: worst"] = geomean(known.values()), max(known.values(), default=None)
        if ours:
            figures[f"{name}: load rows/s"], figures[f"{name}: bytes/row"] = ours["rows_per_s"], ours["bytes_per_row"]
            figures[f"{name}: load RSS MiB"] = ours["rss"] / 2**20
        parts.append({"name": name, "rows": answers, "load": loads, "versions": versions})
    return figures, parts
