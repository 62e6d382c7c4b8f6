# SPDX-License-Identifier: Apache-2.0
"""load: rows/s, bytes/row, memory and cores of a load that is durable when it is counted, always done anew."""
from cpu_set import cpu_set

NAME = "load"
SIZES = {"quick": 10, "small": 100, "full": 1000}


def run(context):
    data = cpu_set(context, SIZES[context.scale])
    loads = {e.name: data.load(e, fresh=True) for e in context.engines}
    ours = loads.get("dendro", {})
    figures = {"rows/s": ours.get("rows_per_s"), "bytes/row": ours.get("bytes_per_row"), "cores busy": ours.get("cores"),
               "RSS MiB": ours["rss"] / 2**20 if ours else None}
    return figures, [{"name": "", "rows": {}, "load": loads}]
