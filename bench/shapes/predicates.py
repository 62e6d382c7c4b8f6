# SPDX-License-Identifier: Apache-2.0
"""predicates: conditions and expressions on columns that are not in the key, over the cpu set."""
from ask import ask_all, geomean, ratios, row
from cpu_set import cpu_set

NAME = "predicates"
HOSTS = {"quick": 10, "small": 30, "full": 100}

ROWS = [
    row("sum-above", "SELECT count(*) FROM cpu WHERE usage_user + usage_system > 50"),
    row("two-equalities", "SELECT count(*), max(usage_idle) FROM cpu WHERE usage_user = 50 AND usage_system = 50"),
    row("top-10-by-sum", "SELECT time, hostname, usage_user + usage_system AS s FROM cpu ORDER BY s DESC, time, hostname LIMIT 10"),
    row("distinct-metric", "SELECT count(DISTINCT usage_user) FROM cpu", questdb="SELECT count_distinct(usage_user) FROM cpu"),
    row("group-two-metrics", "SELECT usage_user, usage_system, count(*) AS n FROM cpu GROUP BY usage_user, usage_system "
        "ORDER BY n DESC, usage_user, usage_system LIMIT 20"),
    row("group-floor", "SELECT floor(usage_user / 10) AS f, count(*), avg(usage_idle) FROM cpu GROUP BY f ORDER BY f"),
    row("sum-expression", "SELECT sum(usage_user * 2 + usage_system) FROM cpu"),
    row("case-sum", "SELECT sum(CASE WHEN usage_user > 80 THEN 1 WHEN usage_user > 40 THEN 2 ELSE 3 END) FROM cpu"),
    row("case-group", "SELECT CASE WHEN usage_user > 80 THEN 'high' WHEN usage_user > 40 THEN 'mid' ELSE 'low' END AS c, count(*), avg(usage_system) "
        "FROM cpu GROUP BY c ORDER BY c"),
    row("like-prefix", "SELECT count(*), sum(usage_user) FROM cpu WHERE datacenter LIKE 'us-%'"),
    row("like-inside", "SELECT count(*) FROM cpu WHERE os LIKE '%16.%' AND usage_user > 10"),
    row("in-tags", "SELECT region, max(usage_user) FROM cpu WHERE region IN ('us-east-1', 'eu-west-1', 'sa-east-1') GROUP BY region ORDER BY region"),
    row("in-metrics", "SELECT count(*) FROM cpu WHERE usage_user IN (1, 17, 33, 49, 65, 81)"),
    row("between", "SELECT count(*), avg(usage_system) FROM cpu WHERE usage_user BETWEEN 40 AND 45",
        questdb="SELECT count(*), avg(usage_system) FROM cpu WHERE usage_user >= 40 AND usage_user <= 45"),
    row("or", "SELECT count(*) FROM cpu WHERE usage_user > 95 OR usage_system < 5 OR usage_idle = 50"),
    row("not-equal-tags", "SELECT count(*) FROM cpu WHERE team <> 'SF' AND arch = 'x64'"),
    row("tag-and-metric", "SELECT max(usage_idle) FROM cpu WHERE service_environment = 'production' AND usage_nice > 90"),
    row("all-of-match", "SELECT time, hostname, usage_user FROM cpu WHERE usage_user > 99 AND usage_system > 90", ordered=False),
    row("group-two-tags", "SELECT region, team, count(*), avg(usage_user) FROM cpu GROUP BY region, team ORDER BY region, team"),
    row("having", "SELECT datacenter, avg(usage_user) AS a FROM cpu GROUP BY datacenter HAVING max(usage_user) >= 50 ORDER BY datacenter",
        questdb="SELECT datacenter, a FROM (SELECT datacenter, avg(usage_user) AS a, max(usage_user) AS m FROM cpu) WHERE m >= 50 ORDER BY datacenter"),
    row("difference", "SELECT count(*) FROM cpu WHERE usage_user - usage_system BETWEEN -1 AND 1",
        questdb="SELECT count(*) FROM cpu WHERE usage_user - usage_system >= -1 AND usage_user - usage_system <= 1"),
    row("abs-max", "SELECT max(abs(usage_user - usage_idle)), min(usage_user * usage_system) FROM cpu"),
    row("compare-columns", "SELECT count(*) FROM cpu WHERE usage_user > usage_system AND usage_system > usage_idle"),
    row("expression-by-host", "SELECT hostname, avg(usage_user + usage_system + usage_idle) FROM cpu GROUP BY hostname ORDER BY hostname"),
]


def run(context):
    data = cpu_set(context, HOSTS[context.scale])
    loads, answers, versions = ask_all(context, data, ROWS, context.only)
    known = ratios(answers)
    return ({"geomean": geomean(known.values()), "worst": max(known.values(), default=None)},
            [{"name": "", "rows": answers, "load": loads, "versions": versions}])
