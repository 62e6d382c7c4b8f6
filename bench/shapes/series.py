# SPDX-License-Identifier: Apache-2.0
"""series: many devices with few rows each: 100,000 × 26 (few) and 1,000,000 × 5 (many)."""
from ask import Set, ask_all, geomean, ratios
from queries import START, Query, stamp
from tables import Table

NAME = "series"
SIZES = {  # devices, rows of each
    "quick": {"few": (1000, 26), "many": (10000, 5)},
    "small": {"few": (10000, 26), "many": (100000, 5)},
    "full": {"few": (100000, 26), "many": (1000000, 5)},
}
COLUMNS = [("time", "time"), ("device", "series"), ("site", "tag"), ("model", "tag"), ("firmware", "tag"), ("state", "tag"), ("v1", "double"),
           ("v2", "double")]


def table():
    return Table("reading", COLUMNS, key="PRIMARY KEY ((device, QUANTUM(time, 1, 'd')), device, time)", not_null=("device", "time"),
                 order=("device", "time"), part="toYYYYMM(time)", indexes=("(device, time)", "(time)"), clock="time")


def question(name, make, ordered=True):
    return Query(name, None, ordered, None, make)


def rows(devices, steps):
    def window(dialect, d):
        return (f"SELECT count(*), sum(v1), max(v2) FROM reading WHERE time >= {stamp(dialect, START)} "
                f"AND time < {stamp(dialect, START + min(120, steps * 5))}")

    def point(dialect, d):
        at = START + 10 * d.random.randrange(steps)
        return f"SELECT * FROM reading WHERE device = 'dev_{d.random.randrange(devices)}' AND time = {stamp(dialect, at)}"

    def one_series(dialect, d):
        return f"SELECT time, v1, v2 FROM reading WHERE device = 'dev_{d.random.randrange(devices)}' ORDER BY time"

    def lastpoint(dialect, d):
        """The newest row of each: as each peer says it best; summed, so that the answer is small."""
        inner = {
            "dendro": "SELECT device, last(v1, time) AS v, max(time) AS t FROM reading GROUP BY device",
            "duckdb": "SELECT device, arg_max(v1, time) AS v, max(time) AS t FROM reading GROUP BY device",
            "clickhouse": "SELECT device, argMax(v1, time) AS v, max(time) AS t FROM reading GROUP BY device",
            "questdb": "SELECT device, v1 AS v, time AS t FROM reading LATEST ON time PARTITION BY device",
            "postgres": "SELECT DISTINCT ON (device) device, v1 AS v, time AS t FROM reading ORDER BY device, time DESC",
        }[dialect]
        return f"SELECT count(*), sum(v), min(t), max(t) FROM ({inner}) AS x"

    def in_list(dialect, d):
        names = ", ".join(f"'dev_{d.random.randrange(devices)}'" for _ in range(20))
        return f"SELECT device, max(v1), min(v2) FROM reading WHERE device IN ({names}) GROUP BY device ORDER BY device"

    return [
        question("count", lambda dialect, d: "SELECT count(*) FROM reading"),
        question("window-2m", window),
        question("lastpoint", lastpoint),
        question("distinct", lambda dialect, d: "SELECT count(DISTINCT device) FROM reading"),
        question("sum", lambda dialect, d: "SELECT sum(v1), sum(v2) FROM reading"),
        question("by-minute", lambda dialect, d: "SELECT date_trunc('minute', time) AS minute, avg(v1), count(*) FROM reading "
                                                  "GROUP BY minute ORDER BY minute"),
        question("point", point),
        question("one-series", one_series),
        question("top-n", lambda dialect, d: "SELECT device, max(v1) AS m, sum(v2) AS s FROM reading GROUP BY device "
                                              "ORDER BY m DESC, s DESC, device LIMIT 10"),
        question("by-tag", lambda dialect, d: "SELECT site, count(*), avg(v1), max(v2) FROM reading GROUP BY site ORDER BY site"),
        question("tag-filter", lambda dialect, d: "SELECT model, avg(v2), count(*) FROM reading WHERE site = 'site_7' AND state = 'on' "
                                                   "GROUP BY model ORDER BY model"),
        question("in-20", in_list),
    ]


def run(context):
    figures, parts = {}, []
    for name, (devices, steps) in SIZES[context.scale].items():
        words = ["gen", "series", "--hosts", str(devices), "--rows", str(steps), "--decimals", str(context.decimals)]
        words += ["--skew", str(context.skew)] if context.skew else []
        words += ["--seed", str(context.seed)] if context.seed else []
        data = Set(context, f"series-{devices}", [table()], {"reading": words}, devices)
        loads, answers, versions = ask_all(context, data, rows(devices, steps), context.only)
        known = ratios(answers)
        figures[f"{name}: geomean"], figures[f"{name}: worst"] = geomean(known.values()), max(known.values(), default=None)
        figures[f"{name}: load rows/s"] = loads.get("dendro", {}).get("rows_per_s")
        parts.append({"name": f"{name}: {devices} × {steps}", "rows": answers, "load": loads, "versions": versions})
    return figures, parts
