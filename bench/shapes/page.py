# SPDX-License-Identifier: Apache-2.0
"""The report of a run: one page of Markdown, and the lines of the plot."""
from ask import best_peer, geomean, number, ratio, ratios
from targets import judge


def row_lines(part):
    """Markdown of the rows of a part."""
    ours = part.get("ours", "dendro")
    lines = ["| row | Dendro, ms | best peer | its ms | ratio |", "|---|---:|---|---:|---:|"]
    for name, figures in part["rows"].items():
        mine, best, r = figures.get(ours, {}), best_peer(figures, ours), ratio(figures, ours)
        cell = number(mine["median_ms"]) if "median_ms" in mine else mine.get("failed", "-")
        wrong = " WRONG" if any("wrong" in f for f in figures.values()) else ""
        lines.append(f"| {name} | {cell}{wrong} | {best[0] if best else '-'} | {number(best[1]) if best else '-'} | {number(r)} |")
    return lines


def late_lines(part):
    lines = ["| row | late, ms | clean, ms | late / clean |", "|---|---:|---:|---:|"]
    for name, figures in part["rows"].items():
        late, clean = figures.get("late", {}).get("median_ms"), figures.get("clean", {}).get("median_ms")
        lines.append(f"| {name} | {number(late)} | {number(clean)} | {number(part['slowdown'].get(name))} |")
    return lines


def growth_lines(part):
    lines = ["| row | Dendro, ms at 1× | at 10× | growth | least growth of a peer |", "|---|---:|---:|---:|---:|"]
    for name, figures in part["rows"].items():
        mine = figures.get("dendro", {})
        others = [f["growth"] for n, f in figures.items() if n != "dendro" and "growth" in f]
        lines.append(f"| {name} | {number(mine.get('once_ms'))} | {number(mine.get('tenfold_ms'))} | {number(mine.get('growth'))} | "
                     f"{number(min(others, default=None))} |")
    return lines


def floor_lines(part):
    names = ["server", "embedded", "floor", "postgres"]
    lines = ["| row | server, ms | embedded | libpq alone | PostgreSQL | server / (embedded + libpq alone) |", "|---|---:|---:|---:|---:|---:|"]
    for name, figures in part["rows"].items():
        ms = [figures.get(n, {}).get("median_ms") for n in names]
        ratio_ = ms[0] / (ms[1] + ms[2]) if None not in ms[:3] else None
        lines.append(f"| {name} | " + " | ".join(number(v) for v in ms + [ratio_]) + " |")
    return lines


def rate_lines(part):
    lines = ["| point reads | clients | " + " | ".join(next(iter(next(iter(part["rates"].values())).values()))) + " |"]
    lines.append("|---|---:|" + "---:|" * (lines[0].count("|") - 3))
    for what, rates in part["rates"].items():
        for clients, by_peer in rates.items():
            lines.append(f"| {what} | {clients} | " + " | ".join(f"{v:.0f}/s" for v in by_peer.values()) + " |")
    return lines


def load_lines(part):
    lines = ["| load | krows/s | bytes/row | RSS, MiB | cores busy | how |", "|---|---:|---:|---:|---:|---|"]
    for name, f in part["load"].items():
        lines.append(f"| {name}{'' if f.get('fresh') else ' (earlier)'} | {number(f['rows_per_s'] / 1e3)} | {number(f['bytes_per_row'])} | "
                     f"{number(f['rss'] / 2**20) if f['rss'] else '-'} | {number(f['cores']) if f['cores'] else '-'} | {f['how']} |")
    return lines


def part_lines(part):
    lines = []
    if "slowdown" in part:
        lines = late_lines(part)
    elif "growth" in part:
        lines = growth_lines(part)
    elif "rates" in part:
        lines = rate_lines(part)
    elif "floor" in part:
        lines = floor_lines(part)
    elif part["rows"]:
        known = ratios(part["rows"], part.get("ours", "dendro"))
        lines = row_lines(part)
        if known:
            worst = max(known, key=known.get)
            lines += ["", f"geomean {number(geomean(known.values()))}, worst {number(known[worst])} ({worst}), {len(known)} rows"]
    if part["load"]:
        lines += [""] + load_lines(part)
    return lines


def big(x):
    return f"{x:.3g}" if x < 1000 else f"{x:,.0f}"


def summary_lines(results):
    lines = ["| class | figure | value | target | |", "|---|---|---:|---:|---|"]
    for name, result in results.items():
        judged = judge(name, result["figures"])
        for what, value, target, reached in judged:
            lines.append(f"| {name} | {what} | {big(value)} | {target} | {'reached' if reached else '**missed**'} |")
        for what, value in result["figures"].items():
            if value is not None and what not in [j[0] for j in judged]:
                lines.append(f"| {name} | {what} | {big(value)} | | |")
    return lines


def page(run):
    lines = [f"# Shapes, scale {run['scale']}", "",
             f"{run['date']}, {run['machine']['cpu']}, {run['machine']['cores']} cores, load {run['machine']['load'][0]:.1f} at the start; "
             f"medians of {run['rounds']} rounds, peers in turn. Versions: "
             + ", ".join(f"{n} {v}" for n, v in sorted(run["versions"].items())) + ".", ""]
    lines += summary_lines(run["classes"])
    for name, result in run["classes"].items():
        for part in result["parts"]:
            lines += ["", f"## {name}{': ' + part['name'] if part['name'] else ''}", ""] + part_lines(part)
    return "\n".join(lines) + "\n"


def plot_lines(run):
    out = []
    for name, result in run["classes"].items():
        for part in result["parts"]:
            known = part.get("slowdown") or part.get("growth") or ratios(part["rows"], part.get("ours", "dendro"))
            if known:
                label = f"{name} {part['name']}".strip()
                out.append((label if len(label) < 27 else label[:25] + "…", known, geomean(known.values())))
    return out


def problems(run):
    """[(class, row, peer, what)]: answers that differ, and rows that a peer did not answer though it has a text for it."""
    out = []
    for name, result in run["classes"].items():
        for part in result["parts"]:
            for row, figures in part["rows"].items():
                for peer, f in figures.items():
                    if "wrong" in f:
                        out.append((name, row, peer, f["wrong"]))
                    elif "failed" in f and (f["failed"] != "timeout" or peer in ("dendro", "late", "clean", "server", "embedded")):
                        out.append((name, row, peer, f"{f['failed']}: {f['error']}"))
    return out
