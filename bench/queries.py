# SPDX-License-Identifier: Apache-2.0
"""The queries of the benchmark, in the dialect of each peer, with parameters drawn from fixed seeds.

A query is a function of a dialect and a draw. It returns the text, a list of texts (forms of the same
question; the first that the peer understands is used), or None where the dialect cannot say it.
All answers of one draw must be equal over the peers: the driver compares them.

`goal` is what Dendro promises: its time over DuckDB's. `ordered` says that the text fixes the order
of the rows, so that it is compared too.

The names up to `lastpoint` follow the query types of TSBS' `cpu-only` case:
    single-groupby-M-H-T   max of M metrics, H hosts, T hours, per minute
    cpu-max-all-H          max of all 10 metrics, H hosts, 8 hours, per hour
    double-groupby-M       avg of M metrics per host and hour, all hosts, 12 hours
    groupby-orderby-limit  max per minute before a random end, newest 5 minutes
    high-cpu-1, -all       all columns where usage_user > 90, 12 hours, one host or all
    lastpoint              newest row of each host
"""
import random
import time
from collections import namedtuple

START = 1451606400  # 2016-01-01T00:00:00Z, as in gen.c
DAYS = 3
TAGS = ["hostname", "region", "datacenter", "rack", "os", "arch", "team", "service", "service_version",
        "service_environment"]
METRICS = ["usage_user", "usage_system", "usage_idle", "usage_nice", "usage_iowait",
           "usage_irq", "usage_softirq", "usage_steal", "usage_guest", "usage_guest_nice"]
AS_FAST, THRICE = 1.0, 1 / 3

Query = namedtuple("Query", "name data ordered goal text")


class Draw:
    """One draw of parameters: the same for every peer."""

    def __init__(self, seed, hosts):
        self.random, self.count = random.Random(seed), hosts

    def hosts(self, n):
        return [f"host_{i}" for i in self.random.sample(range(self.count), n)]

    def window(self, hours):
        start = START + self.random.randrange(0, int((DAYS * 24 - hours) * 3600))
        return start, start + int(hours * 3600)

    def instant(self):
        return START + 10 * self.random.randrange(0, DAYS * 8640)


def draw(query, hosts, number):
    return Draw(f"{query.name}/{hosts}/{number}", hosts)


# ---- pieces of text ----

def stamp(dialect, t):
    """SQLite keeps seconds since 1970, the others (here and in shapes/) time stamps."""
    return str(t) if dialect == "sqlite" else time.strftime("'%Y-%m-%d %H:%M:%S'", time.gmtime(t))


def bucket(dialect, unit):
    seconds = {"minute": 60, "hour": 3600}[unit]
    return f"time/{seconds}*{seconds}" if dialect == "sqlite" else f"date_trunc('{unit}', time)"


def within(dialect, window):
    return f"time >= {stamp(dialect, window[0])} AND time < {stamp(dialect, window[1])}"


def of_hosts(hosts):
    return "hostname IN (" + ", ".join(f"'{h}'" for h in hosts) + ")"


def each(function, metrics):
    return ", ".join(f"{function}({m}) AS {function}_{m}" for m in metrics)


# ---- the queries ----

def single_groupby(metrics, hosts, hours):
    def text(dialect, d):
        names, window = d.hosts(hosts), d.window(hours)
        return (f"SELECT {bucket(dialect, 'minute')} AS minute, {each('max', METRICS[:metrics])} FROM cpu "
                f"WHERE {of_hosts(names)} AND {within(dialect, window)} GROUP BY minute ORDER BY minute")
    return text


def cpu_max_all(hosts):
    def text(dialect, d):
        names, window = d.hosts(hosts), d.window(8)
        return (f"SELECT {bucket(dialect, 'hour')} AS hour, {each('max', METRICS)} FROM cpu "
                f"WHERE {of_hosts(names)} AND {within(dialect, window)} GROUP BY hour ORDER BY hour")
    return text


def double_groupby(metrics):
    def text(dialect, d):
        return (f"SELECT {bucket(dialect, 'hour')} AS hour, hostname, {each('avg', METRICS[:metrics])} FROM cpu "
                f"WHERE {within(dialect, d.window(12))} GROUP BY hour, hostname ORDER BY hour, hostname")
    return text


def groupby_orderby_limit(dialect, d):
    end = d.window(1)[1]
    return (f"SELECT {bucket(dialect, 'minute')} AS minute, max(usage_user) FROM cpu "
            f"WHERE time < {stamp(dialect, end)} GROUP BY minute ORDER BY minute DESC LIMIT 5")


def high_cpu(hosts):
    def text(dialect, d):
        names = d.hosts(hosts)
        which = f" AND {of_hosts(names)}" if names else ""
        return f"SELECT * FROM cpu WHERE usage_user > 90.0 AND {within(dialect, d.window(12))}{which}"
    return text


def lastpoint(dialect, d):
    """As each peer says it best; the columns by name, since a table may have more."""
    others = ", ".join(f"last({c}, time) AS {c}" for c in TAGS[1:] + METRICS)
    every = ", ".join(["time"] + TAGS + METRICS)
    return {
        "dendro": f"SELECT max(time) AS time, hostname, {others} FROM cpu GROUP BY hostname ORDER BY hostname",
        "duckdb": f"SELECT {every} FROM cpu JOIN (SELECT hostname h, max(time) t FROM cpu GROUP BY hostname) "
                  "ON hostname = h AND time = t ORDER BY hostname",
        "clickhouse": f"SELECT {every} FROM cpu ORDER BY hostname, time DESC LIMIT 1 BY hostname",
        "questdb": f"SELECT {every} FROM cpu LATEST ON time PARTITION BY hostname",
        "postgres": f"SELECT b.* FROM tags t, LATERAL (SELECT {every} FROM cpu c WHERE c.hostname = t.hostname "
                    "ORDER BY time DESC LIMIT 1) b",
        "sqlite": "SELECT c.* FROM tags t JOIN cpu c ON c.hostname = t.hostname AND c.time = "
                  "(SELECT max(time) FROM cpu x WHERE x.hostname = t.hostname)",
    }[dialect]


def lastpoint_lateral(dialect, d):
    if dialect in ("sqlite", "clickhouse", "questdb"):
        return None
    return ("SELECT b.* FROM tags t, LATERAL (SELECT * FROM cpu c WHERE c.hostname = t.hostname "
            "ORDER BY time DESC LIMIT 1) b")


def point_lookup(dialect, d):
    host, at = d.hosts(1)[0], d.instant()
    return f"SELECT * FROM cpu WHERE hostname = '{host}' AND time = {stamp(dialect, at)}"


def range_1h(dialect, d):
    host, window = d.hosts(1)[0], d.window(1)
    return f"SELECT * FROM cpu WHERE hostname = '{host}' AND {within(dialect, window)} ORDER BY time"


def newest_of_host(dialect, d):
    return f"SELECT * FROM cpu WHERE hostname = '{d.hosts(1)[0]}' ORDER BY time DESC LIMIT 10"


def newest_of_each(rows):
    """The newest rows of each host, by row_number; DISTINCT ON is another form of the first."""
    def text(dialect, d):
        return ("SELECT hostname, time, usage_user FROM (SELECT hostname, time, usage_user, row_number() OVER "
                f"(PARTITION BY hostname ORDER BY time DESC) AS place FROM cpu) AS x WHERE place <= {rows} "
                "ORDER BY hostname, time")
    return text


def distinct_on(dialect, d):
    if dialect == "sqlite":
        return None
    if dialect == "clickhouse":
        return "SELECT hostname, time, usage_user FROM cpu ORDER BY hostname, time DESC LIMIT 1 BY hostname"
    if dialect == "questdb":
        return "SELECT hostname, time, usage_user FROM cpu LATEST ON time PARTITION BY hostname ORDER BY hostname"
    return "SELECT DISTINCT ON (hostname) hostname, time, usage_user FROM cpu ORDER BY hostname, time DESC"


def lag_by_host(dialect, d):
    lag = "lag(usage_user) OVER (PARTITION BY hostname ORDER BY time)"
    if dialect == "clickhouse":
        lag = ("lagInFrame(toNullable(usage_user)) OVER (PARTITION BY hostname ORDER BY time "
               "ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)")
    return (f"SELECT hostname, count(*), min(step), max(step) FROM (SELECT hostname, usage_user - {lag} AS step FROM cpu) AS x "
            "GROUP BY hostname ORDER BY hostname")


def moving_avg(dialect, d):
    return ("SELECT hostname, max(mean) FROM (SELECT hostname, avg(usage_user) OVER (PARTITION BY hostname ORDER BY time "
            "ROWS BETWEEN 59 PRECEDING AND CURRENT ROW) AS mean FROM cpu) AS x GROUP BY hostname ORDER BY hostname")


def window_max(metrics, hosts, hours):
    def text(dialect, d):
        names, window = d.hosts(hosts), d.window(hours)
        return (f"SELECT {each('max', METRICS[:metrics])} FROM cpu "
                f"WHERE {of_hosts(names)} AND {within(dialect, window)}")
    return text


def window_avg_by_host(metrics):
    def text(dialect, d):
        return (f"SELECT hostname, {each('avg', METRICS[:metrics])} FROM cpu "
                f"WHERE {within(dialect, d.window(12))} GROUP BY hostname ORDER BY hostname")
    return text


def p95_all(dialect, d):
    if dialect == "questdb":  # it has approximate percentiles only
        return None
    if dialect == "clickhouse":
        return "SELECT quantileExactInclusive(0.95)(usage_user) FROM cpu"
    if dialect != "sqlite":
        return "SELECT percentile_cont(0.95) WITHIN GROUP (ORDER BY usage_user) FROM cpu"
    place = "(SELECT (count(*) - 1) * 0.95 FROM cpu)"
    return (f"SELECT min(v) + (max(v) - min(v)) * ({place} - cast({place} AS int)) FROM "
            f"(SELECT usage_user v FROM cpu ORDER BY usage_user LIMIT 2 OFFSET cast({place} AS int))")


def p95_by_host(dialect, d):
    if dialect == "questdb":
        return None
    if dialect == "clickhouse":
        return "SELECT hostname, quantileExactInclusive(0.95)(usage_user) FROM cpu GROUP BY hostname ORDER BY hostname"
    if dialect != "sqlite":
        return ("SELECT hostname, percentile_cont(0.95) WITHIN GROUP (ORDER BY usage_user) FROM cpu "
                "GROUP BY hostname ORDER BY hostname")
    return ("SELECT hostname, min(v) + (max(v) - min(v)) * (place - cast(place AS int)) FROM "
            "(SELECT hostname, usage_user v, row_number() OVER (PARTITION BY hostname ORDER BY usage_user) - 1 r, "
            "(count(*) OVER (PARTITION BY hostname) - 1) * 0.95 place FROM cpu) "
            "WHERE r BETWEEN cast(place AS int) AND cast(place AS int) + 1 GROUP BY hostname ORDER BY hostname")


def geo_region_hourly(dialect, d):
    return (f"SELECT {bucket(dialect, 'hour')} AS hour, avg(temperature) FROM GeoCheckin "
            "WHERE region = 'region_3' GROUP BY hour ORDER BY hour")


def plain(text):
    return lambda dialect, d: text


def cpu(name, text, ordered=True, goal=AS_FAST):
    return Query(name, "cpu", ordered, goal, text)


def geo(name, text):
    return Query(name, "geo", True, AS_FAST, text)


QUERIES = [
    cpu("single-groupby-1-1-1", single_groupby(1, 1, 1), goal=THRICE),
    cpu("single-groupby-1-1-12", single_groupby(1, 1, 12), goal=THRICE),
    cpu("single-groupby-1-8-1", single_groupby(1, 8, 1), goal=THRICE),
    cpu("single-groupby-5-1-1", single_groupby(5, 1, 1), goal=THRICE),
    cpu("single-groupby-5-1-12", single_groupby(5, 1, 12), goal=THRICE),
    cpu("single-groupby-5-8-1", single_groupby(5, 8, 1), goal=THRICE),
    cpu("cpu-max-all-1", cpu_max_all(1), goal=THRICE),
    cpu("cpu-max-all-8", cpu_max_all(8), goal=THRICE),
    cpu("double-groupby-1", double_groupby(1), goal=THRICE),
    cpu("double-groupby-5", double_groupby(5), goal=THRICE),
    cpu("double-groupby-all", double_groupby(10), goal=THRICE),
    cpu("groupby-orderby-limit", groupby_orderby_limit),
    cpu("high-cpu-1", high_cpu(1), ordered=False),
    cpu("high-cpu-all", high_cpu(0), ordered=False),
    cpu("lastpoint", lastpoint, ordered=False, goal=THRICE),
    cpu("lastpoint-lateral", lastpoint_lateral, ordered=False),
    cpu("last-time", plain("SELECT hostname, max(time) AS time FROM cpu GROUP BY hostname ORDER BY hostname")),
    cpu("window-max-1-1-1", window_max(1, 1, 1)),
    cpu("window-max-5-8-12", window_max(5, 8, 12)),
    cpu("window-avg-by-host-1", window_avg_by_host(1)),
    cpu("window-avg-by-host-all", window_avg_by_host(10)),
    cpu("count-all", plain("SELECT count(*) FROM cpu")),
    cpu("sum-one", plain("SELECT sum(usage_user) FROM cpu"), goal=THRICE),
    cpu("groupby-host", plain("SELECT hostname, avg(usage_user), max(usage_user), count(*) FROM cpu "
                              "GROUP BY hostname ORDER BY hostname"), goal=THRICE),
    cpu("top10-hosts", plain("SELECT hostname, max(usage_user) AS m FROM cpu GROUP BY hostname "
                             "ORDER BY m DESC, hostname LIMIT 10"), goal=THRICE),
    cpu("point-lookup", point_lookup),
    cpu("range-1h", range_1h),
    cpu("newest-of-host", newest_of_host),
    cpu("newest-10", plain("SELECT * FROM cpu ORDER BY time DESC, hostname LIMIT 10")),
    cpu("distinct-hosts", plain("SELECT DISTINCT hostname FROM cpu"), ordered=False),
    cpu("join-tags", plain("SELECT t.datacenter, avg(c.usage_user), count(*) FROM cpu c "
                           "JOIN tags t ON c.hostname = t.hostname WHERE t.team = 'SF' "
                           "GROUP BY t.datacenter ORDER BY t.datacenter")),
    cpu("join-self", plain("SELECT a.hostname, max(a.usage_user - b.usage_system) FROM cpu a JOIN cpu b "
                           "ON a.hostname = b.hostname AND a.time = b.time GROUP BY a.hostname ORDER BY a.hostname")),
    cpu("distinct-on-host", distinct_on),
    cpu("newest-3-of-each", newest_of_each(3)),
    cpu("lag-by-host", lag_by_host),
    cpu("moving-avg-by-host", moving_avg),
    cpu("p95-all", p95_all),
    cpu("p95-by-host", p95_by_host),
    geo("geo-by-state", plain("SELECT region, state, avg(temperature), min(temperature), max(temperature) "
                              "FROM GeoCheckin GROUP BY region, state ORDER BY region, state")),
    geo("geo-weather", plain("SELECT weather, count(*), avg(temperature) FROM GeoCheckin "
                             "GROUP BY weather ORDER BY weather")),
    geo("geo-region-hourly", geo_region_hourly),
]

# Throughput of one client: many draws of these, one after the other.
THROUGHPUT = ["point-lookup", "range-1h", "single-groupby-1-1-1"]

# ---- tables ----

CPU_COLUMNS = [("time", "time")] + [(t, "text") for t in TAGS] + [(m, "double") for m in METRICS]
TAGS_COLUMNS = [(t, "text") for t in TAGS]
GEO_COLUMNS = [("region", "text"), ("state", "text"), ("time", "time"), ("weather", "text"), ("temperature", "double")]
TYPES = {
    "dendro": {"time": "TIMESTAMP", "text": "VARCHAR", "double": "DOUBLE"},
    "duckdb": {"time": "TIMESTAMP", "text": "VARCHAR", "double": "DOUBLE"},
    "sqlite": {"time": "INTEGER", "text": "TEXT", "double": "REAL"},
}
KEYS = {
    "cpu": (("hostname", "time"), "PRIMARY KEY ((hostname, QUANTUM(time, 1, 'd')), hostname, time)"),
    "tags": (("hostname",), "PRIMARY KEY (hostname)"),
    "GeoCheckin": (("region", "state", "time"),
                   "PRIMARY KEY ((region, state, QUANTUM(time, 15, 'm')), region, state, time)"),
}


def create_table(dialect, table, columns):
    """Only Dendro gets a key: it is its physical order. SQLite gets indexes after the load."""
    types = TYPES[dialect]
    key_columns, key = KEYS[table]
    parts = []
    for name, kind in columns:
        must = " NOT NULL" if dialect == "dendro" and name in key_columns else ""
        parts.append(f"{name} {types[kind]}{must}")
    if dialect == "dendro":
        parts.append(key)
    return f"CREATE TABLE {table} ({', '.join(parts)})"


def forms(query, dialect, hosts, number):
    """The texts of a query for one draw: a list, empty where the dialect cannot say it."""
    text = query.text(dialect, draw(query, hosts, number))
    return [] if text is None else [text] if isinstance(text, str) else text
