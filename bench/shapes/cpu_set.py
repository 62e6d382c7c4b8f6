# SPDX-License-Identifier: Apache-2.0
"""The cpu table of the first benchmark (../queries.py) for the peers of this one, with a key of choice."""
import queries
from ask import Set
from tables import Table

COLUMNS = [("time", "second")] + [(t, "tag") for t in queries.TAGS] + [(m, "double") for m in queries.METRICS]
SERIES_KEY = "PRIMARY KEY ((hostname, QUANTUM(time, 1, 'd')), hostname, time)"
INDEXES = ("(hostname, time)", "(time)")


def tags_table():
    return Table("tags", [(t, "tag") for t in queries.TAGS], key="PRIMARY KEY (hostname)", not_null=("hostname",), order=("hostname",),
                 indexes=("PRIMARY KEY (hostname)",))


def cpu_table(columns=None, key=SERIES_KEY, not_null=("hostname", "time"), order=("hostname", "time"), indexes=INDEXES):
    return Table("cpu", columns or COLUMNS, key=key, not_null=not_null, order=order, part="toYYYYMM(time)", indexes=indexes, clock="time")


def cpu_set(context, hosts, name=None, table=None, ident=False, days=queries.DAYS):
    """hosts × 8640 rows a day."""
    generator = ["gen", "cpu", "--hosts", str(hosts), "--days", str(days), "--decimals", str(context.decimals)]
    generator += ["--id", "1"] if ident else []
    more = ["--seed", str(context.seed)] if context.seed else []
    return Set(context, name or f"cpu-{hosts}", [table or cpu_table(), tags_table()],
               {"cpu": generator + more, "tags": ["gen", "tags", "--hosts", str(hosts)] + more}, hosts)


def cpu_rows():
    return [q for q in queries.QUERIES if q.data == "cpu"]
