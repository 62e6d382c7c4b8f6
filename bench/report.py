# SPDX-License-Identifier: Apache-2.0
"""Tables of the benchmark: one line a query while it runs, a summary, and Markdown for the documentation."""


def number(x):
    return "%.3f" % x if x < 1 else "%.2f" % x if x < 10 else "%.1f" % x if x < 100 else "%.0f" % x


def others(chosen):
    return [p for p in chosen if p.name != "dendro"]


def ratio(figures, peer, what="times"):
    """Dendro's time over the peer's, from the minima over the draws that both were given; None if one
    is missing."""
    a, b = figures.get("dendro", {}).get(what), figures.get(peer.name, {}).get(what)
    if not a or not b:
        return None
    common = min(len(a), len(b))
    return min(a[:common]) / min(b[:common])


def cell(figures):
    if figures is None:
        return "-"
    if "ms" in figures:
        return number(figures["ms"]) + (" WRONG" if "wrong" in figures else "")
    return "-" if figures["failed"] == "none" else figures["failed"]


def marks(figures, goal, chosen):
    """What is to be said of this row."""
    out = []
    for p in others(chosen):
        r = ratio(figures, p)
        if r is not None and r > 1:
            out.append(f"slower than {p.label}")
        elif r is not None and p.name == "duckdb" and r > goal:
            out.append(f"short of {1 / goal:.0f}x DuckDB")
    out += [f"{name}: {f['wrong']}" for name, f in figures.items() if "wrong" in f]
    return "; ".join(out)


def begin(chosen):
    names = "".join(f"{p.label + ' ms':>12}" for p in chosen)
    ratios = "".join(f"{'/' + p.label:>9}" for p in others(chosen))
    print(f"{'query':<24}{'rows':>8}{names}{ratios}", flush=True)


def line(query, figures, chosen):
    rows = next((f["rows"] for f in figures.values() if "rows" in f), 0)
    times = "".join(f"{cell(figures.get(p.name)):>12}" for p in chosen)
    ratios = "".join(f"{'-' if r is None else number(r):>9}" for r in (ratio(figures, p) for p in others(chosen)))
    print(f"{query.name:<24}{rows:>8}{times}{ratios}  {marks(figures, query.goal, chosen)}", flush=True)


def load_rows(out, chosen):
    """(label, {peer: text}) of everything that is not a query."""
    loads, memory = out["load"], out["memory"]
    yield "load, krows/s", {p: number(f["rows_per_s"] / 1e3) + ("" if f["fresh"] else " (earlier)")
                            for p, f in loads.items()}
    yield "bytes/row on disk", {p: number(f["bytes_per_row"]) for p, f in loads.items()}
    yield "peak RSS of the load, MiB", {p: number(f["rss"] / 2**20) for p, f in loads.items()}
    yield "peak RSS of the queries, MiB", {p: number(m["rss"] / 2**20) for p, m in memory.items()}
    yield "of it copies of answers, MiB", {p: number(m["result"] / 2**20) for p, m in memory.items()}
    for query, figures in out.get("throughput", {}).items():
        yield f"{query}, 1 client, queries/s", {p: number(f["qps"]) if "qps" in f else "not yet"
                                                for p, f in figures.items()}


def markdown(out, chosen):
    lines = []
    names = [p.label for p in chosen]
    ratios = [f"Dendro/{p.label}" for p in others(chosen)] + [f"CPU Dendro/{p.label}" for p in others(chosen)]
    lines.append(f"| | {' | '.join(names)} |")
    lines.append("|---|" + "---:|" * len(names))
    for label, texts in load_rows(out, chosen):
        lines.append(f"| {label} | {' | '.join(texts.get(p.name, '-') for p in chosen)} |")
    lines.append("")
    lines.append(f"| query | rows | {' | '.join(n + ', ms' for n in names)} | {' | '.join(ratios)} | |")
    lines.append("|---|---:|" + "---:|" * len(names + ratios) + "---|")
    for query, figures in out["queries"].items():
        rows = next((f["rows"] for f in figures.values() if "rows" in f), 0)
        row = [query, str(rows)] + [cell(figures.get(p.name)) for p in chosen]
        row += ["-" if r is None else number(r)
                for r in [ratio(figures, p, w) for w in ("times", "cpu") for p in others(chosen)]]
        lines.append(f"| {' | '.join(row)} | {marks(figures, out['goals'][query], chosen)} |")
    return "\n".join(lines) + "\n"


def summary(out, chosen):
    """Prints what counts; returns how many queries failed or differ."""
    for label, texts in load_rows(out, chosen):
        print(f"{label:<42}" + "".join(f"{p.label} {texts.get(p.name, '-'):<20}" for p in chosen))
    bad = 0
    for query, figures in out["queries"].items():
        for name, f in figures.items():
            if "wrong" in f:
                bad += 1
                print(f"WRONG   {query}: {name}: {f['wrong']}")
            elif f.get("failed") == "not yet":
                print(f"not yet {query}: {f['error'].splitlines()[0]}")
            elif "failed" in f and f["failed"] != "none":
                bad += 1
                print(f"FAILED  {query}: {name}: {f['failed']}: {f['error'].splitlines()[0]}")
    for p in others(chosen):
        known = {q: ratio(f, p) for q, f in out["queries"].items() if ratio(f, p) is not None}
        slower = sorted((q for q in known if known[q] > 1), key=lambda q: -known[q])
        print(f"faster than {p.label} in {len(known) - len(slower)} of {len(known)} queries"
              + (": slower in " + ", ".join(f"{q} ({number(known[q])}x)" for q in slower) if slower else ""))
    return bad
