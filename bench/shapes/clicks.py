# SPDX-License-Identifier: Apache-2.0
"""clicks: hits of a web analytics service in the shape of ClickBench, of our own generator, and 43 questions after its own; ties are
broken, so that there is one right answer. With a key and without."""
from ask import Set, ask_all, geomean, ratios, row
from tables import Table

NAME = "clicks"
ROWS = {"quick": 20000, "small": 100000, "full": 1000000}

COLUMNS = [("watch_id", "bigint"), ("counter_id", "int"), ("event_time", "second"), ("event_date", "date"), ("user_id", "bigint"), ("region_id", "int"),
           ("client_ip", "bigint"), ("adv_engine_id", "small"), ("resolution_width", "small"), ("mobile_phone", "small"), ("mobile_phone_model", "text"),
           ("search_engine_id", "small"), ("search_phrase", "text"), ("url", "text"), ("title", "text"), ("referer", "text"), ("is_refresh", "small"),
           ("dont_count_hits", "small"), ("is_link", "small"), ("is_download", "small"), ("traffic_source_id", "small"), ("referer_hash", "bigint"),
           ("url_hash", "bigint"), ("window_width", "small"), ("window_height", "small")]
KEY = ("counter_id", "event_date", "user_id", "event_time", "watch_id")
JULY = "counter_id = 62 AND event_date >= DATE '2013-07-01' AND event_date <= DATE '2013-07-31'"


def top(columns, count="count(*)", where="", limit=10, more="", having=""):
    """Groups, largest first. where: a condition; more: further aggregates."""
    condition = f" WHERE {where}" if where else ""
    return (f"SELECT {columns}, {count} AS n{', ' + more if more else ''} FROM hits{condition} GROUP BY {columns}"
            f"{' HAVING ' + having if having else ''} ORDER BY n DESC, {columns} LIMIT {limit}")


SUMS = ", ".join(f"sum(resolution_width + {i})" for i in range(90))
HOST = "regexp_replace(referer, '^https?://(?:www\\.)?([^/]+)/.*$', '\\1')"
ADDRESS_HOST = (f"SELECT k, avg(length(referer)) AS l, count(*) AS n, min(referer) AS m FROM (SELECT {HOST} AS k, referer FROM hits WHERE referer <> '') AS x "
                "GROUP BY k HAVING count(*) > 100 ORDER BY l DESC, k LIMIT 25")
MINUTE = "date_trunc('minute', event_time)"

QUERIES = [
    row("q0", "SELECT count(*) FROM hits"),
    row("q1", "SELECT count(*) FROM hits WHERE adv_engine_id <> 0"),
    row("q2", "SELECT sum(adv_engine_id), count(*), avg(resolution_width) FROM hits"),
    row("q3", "SELECT avg(CAST(user_id AS double precision)) FROM hits"),
    row("q4", "SELECT count(DISTINCT user_id) FROM hits"),
    row("q5", "SELECT count(DISTINCT search_phrase) FROM hits"),
    row("q6", "SELECT min(event_date), max(event_date) FROM hits"),
    row("q7", top("adv_engine_id", where="adv_engine_id <> 0", limit=100)),
    row("q8", top("region_id", "count(DISTINCT user_id)")),
    row("q9", top("region_id", more="sum(adv_engine_id), avg(resolution_width), count(DISTINCT user_id)")),
    row("q10", top("mobile_phone_model", "count(DISTINCT user_id)", "mobile_phone_model <> ''")),
    row("q11", top("mobile_phone, mobile_phone_model", "count(DISTINCT user_id)", "mobile_phone_model <> ''")),
    row("q12", top("search_phrase", where="search_phrase <> ''")),
    row("q13", top("search_phrase", "count(DISTINCT user_id)", "search_phrase <> ''")),
    row("q14", top("search_engine_id, search_phrase", where="search_phrase <> ''")),
    row("q15", top("user_id")),
    row("q16", top("user_id, search_phrase")),
    row("q17", "SELECT user_id, search_phrase, count(*) AS n FROM hits GROUP BY user_id, search_phrase ORDER BY user_id, search_phrase LIMIT 10"),
    row("q18", "SELECT user_id, m, search_phrase, count(*) AS n FROM (SELECT user_id, EXTRACT(minute FROM event_time) AS m, search_phrase FROM hits) "
               "AS x GROUP BY user_id, m, search_phrase ORDER BY n DESC, user_id, m, search_phrase LIMIT 10"),
    row("q19", "SELECT count(*), max(url) FROM hits WHERE user_id = (SELECT max(user_id) FROM hits)"),
    row("q20", "SELECT count(*) FROM hits WHERE url LIKE '%google%'"),
    row("q21", top("search_phrase", where="url LIKE '%google%' AND search_phrase <> ''", more="min(url)")),
    row("q22", top("search_phrase", where="title LIKE '%weather%' AND url NOT LIKE '%.google%' AND search_phrase <> ''",
                   more="min(url), min(title), count(DISTINCT user_id)")),
    row("q23", "SELECT watch_id, counter_id, event_time, user_id, url, title, referer, search_phrase FROM hits WHERE url LIKE '%google%' "
               "ORDER BY event_time, watch_id LIMIT 10"),
    row("q24", "SELECT search_phrase FROM hits WHERE search_phrase <> '' ORDER BY event_time, search_phrase LIMIT 10"),
    row("q25", "SELECT search_phrase FROM hits WHERE search_phrase <> '' ORDER BY search_phrase LIMIT 10"),
    row("q26", "SELECT search_phrase FROM hits WHERE search_phrase <> '' ORDER BY event_time, search_phrase, watch_id LIMIT 10"),
    row("q27", "SELECT counter_id, avg(length(url)) AS l, count(*) AS n FROM hits WHERE url <> '' GROUP BY counter_id HAVING count(*) > 100 "
               "ORDER BY l DESC, counter_id LIMIT 25"),
    row("q28", ADDRESS_HOST, duckdb=ADDRESS_HOST, clickhouse=ADDRESS_HOST.replace("regexp_replace", "replaceRegexpOne").replace("\\", "\\\\")),
    row("q29", f"SELECT {SUMS} FROM hits"),
    row("q30", top("search_engine_id, client_ip", where="search_phrase <> ''", more="sum(is_refresh), avg(resolution_width)")),
    row("q31", top("watch_id, client_ip", where="search_phrase <> ''", more="sum(is_refresh), avg(resolution_width)")),
    row("q32", top("watch_id, client_ip", more="sum(is_refresh), avg(resolution_width)")),
    row("q33", top("url")),
    row("q34", "SELECT 1 AS one, url, count(*) AS n FROM hits GROUP BY url ORDER BY n DESC, url LIMIT 10"),
    row("q35", "SELECT client_ip, client_ip - 1 AS a, client_ip - 2 AS b, client_ip - 3 AS c, count(*) AS n FROM hits "
               "GROUP BY client_ip, client_ip - 1, client_ip - 2, client_ip - 3 ORDER BY n DESC, client_ip LIMIT 10"),
    row("q36", top("url", where=f"{JULY} AND dont_count_hits = 0 AND is_refresh = 0 AND url <> ''")),
    row("q37", top("title", where=f"{JULY} AND dont_count_hits = 0 AND is_refresh = 0 AND title <> ''")),
    row("q38", top("url", where=f"{JULY} AND is_refresh = 0 AND is_link <> 0 AND is_download = 0") + " OFFSET 100"),
    row("q39", f"SELECT traffic_source_id, search_engine_id, adv_engine_id, src, url, count(*) AS n FROM (SELECT traffic_source_id, search_engine_id, "
               f"adv_engine_id, CASE WHEN search_engine_id = 0 AND adv_engine_id = 0 THEN referer ELSE '' END AS src, url FROM hits WHERE {JULY} "
               "AND is_refresh = 0) AS x GROUP BY traffic_source_id, search_engine_id, adv_engine_id, src, url "
               "ORDER BY n DESC, traffic_source_id, search_engine_id, adv_engine_id, src, url LIMIT 10 OFFSET 100"),
    row("q40", top("url_hash, event_date", where=f"{JULY} AND is_refresh = 0 AND traffic_source_id IN (-1, 6) AND referer_hash <> 0") + " OFFSET 10"),
    row("q41", top("window_width, window_height", where=f"{JULY} AND is_refresh = 0 AND dont_count_hits = 0 AND url <> ''") + " OFFSET 50"),
    row("q42", f"SELECT {MINUTE} AS minute, count(*) AS n FROM hits WHERE counter_id = 62 AND event_date >= DATE '2013-07-14' "
               f"AND event_date <= DATE '2013-07-15' AND is_refresh = 0 AND dont_count_hits = 0 GROUP BY {MINUTE} ORDER BY minute LIMIT 10 OFFSET 20"),
]


def table(keyed):
    return Table("hits", COLUMNS, key=f"PRIMARY KEY ({', '.join(KEY)})" if keyed else None, not_null=KEY if keyed else (), order=KEY if keyed else (),
                 indexes=[f"PRIMARY KEY ({', '.join(KEY)})"] if keyed else [])


def run(context):
    figures, parts = {}, []
    for variant in ("key", "none"):
        rows = ROWS[context.scale]
        words = ["gen_clicks", "--rows", str(rows), "--users", str(max(rows // 6, 10)), "--seed", str(context.seed or 1)]
        words += ["--skew", str(context.skew)] if context.skew else []
        data = Set(context, f"clicks-{rows}-{variant}", [table(variant == "key")], {"hits": words})
        loads, answers, versions = ask_all(context, data, QUERIES, context.only, leave=("questdb",))
        known = ratios(answers)
        figures[f"{variant}: geomean"], figures[f"{variant}: worst"] = geomean(known.values()), max(known.values(), default=None)
        parts.append({"name": variant, "rows": answers, "load": loads, "versions": versions})
    return figures, parts
