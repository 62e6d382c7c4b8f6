#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`./dev bench shapes`: data of other shapes than the first benchmark has, beside DuckDB, ClickHouse, QuestDB and PostgreSQL, in
one run: every row of all peers in turn, medians over rounds, answers compared. Writes bench/results/shapes.md, .json and .svg."""
import argparse
import datetime
import importlib
import json
import os
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(1, os.path.dirname(HERE))
import engines  # noqa: E402 pylint: disable=wrong-import-position
import page     # noqa: E402 pylint: disable=wrong-import-position
import plot     # noqa: E402 pylint: disable=wrong-import-position
import run as first_bench  # noqa: E402 pylint: disable=wrong-import-position
import versions            # noqa: E402 pylint: disable=wrong-import-position

ROOT = os.path.dirname(os.path.dirname(HERE))
# Every class is a module here: NAME, and run(context) that gives its figures and its parts.
CLASSES = ["late", "series", "keys", "predicates", "tpch", "clicks", "cpu", "load", "wire", "growth"]


def names(text):
    return text.split(",")


def parse_arguments():
    parser = argparse.ArgumentParser(prog="./dev bench shapes", description=__doc__)
    parser.add_argument("classes", nargs="*", metavar="CLASS", help="all of them by default: " + ", ".join(CLASSES))
    parser.add_argument("--scale", choices=["small", "full", "quick"], default="full", help="full: the sizes that targets are for")
    parser.add_argument("--quick", action="store_true", help="--scale quick and 2 rounds: does the benchmark itself work?")
    parser.add_argument("--only", type=names, help="names of rows, with commas between")
    parser.add_argument("--peers", type=names, default=[e.name for e in engines.ENGINES], help="with commas between; dendro is always there")
    parser.add_argument("--rounds", type=int, default=0, help="timed rounds of each row (5)")
    parser.add_argument("--reload", action="store_true", help="load every peer anew")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a setting of Dendro")
    parser.add_argument("--seed", type=int, default=0, help="of the data; 0: that of the first benchmark")
    parser.add_argument("--decimals", type=int, default=0, help="of metrics (0)")
    parser.add_argument("--skew", type=float, default=0, help="of series and clicks: how unevenly rows are spread")
    parser.add_argument("--build", default=os.path.join(ROOT, "build", "release"), help="build directory")
    parser.add_argument("--data", default=os.path.join(ROOT, "build", "bench-data", "shapes"), help="where data lies")
    options = parser.parse_args()
    for name in options.classes:
        if name not in CLASSES:
            parser.error(f"no class is called '{name}'; there are: {', '.join(CLASSES)}")
    for name in options.peers:
        if name not in [e.name for e in engines.ENGINES]:
            parser.error(f"no peer is called '{name}'; there are: {', '.join(e.name for e in engines.ENGINES)}")
    options.scale = "quick" if options.quick else options.scale
    options.rounds = options.rounds or (2 if options.quick else 5)
    options.classes = options.classes or CLASSES
    options.root, options.data, options.build = ROOT, os.path.abspath(options.data), os.path.abspath(options.build)
    return options


def find_engines(options):
    """The peers that can be had here; what is missing is said, and no reason to stop."""
    out = []
    for engine in engines.ENGINES:
        if engine.name == "dendro" or engine.name in options.peers:
            try:
                out.append(engine(options))
            except versions.Missing as e:
                print(f"== without {engine.label}: {e}", flush=True)
    return out


def write(run):
    base = os.path.join(ROOT, "bench", "results", "shapes" if run["scale"] == "full" else f"shapes-{run['scale']}")
    os.makedirs(os.path.dirname(base), exist_ok=True)
    for end, text in ((".json", json.dumps(run, indent=1)), (".md", page.page(run)),
                      (".svg", plot.svg(page.plot_lines(run), f"Dendro's time over the best peer's, scale {run['scale']}"))):
        with open(base + end, "w", encoding="utf-8") as f:
            f.write(text)
    return base


def main():
    options = parse_arguments()
    os.environ["TZ"] = "UTC"
    time.tzset()
    options.engines = find_engines(options)
    run = {"scale": options.scale, "rounds": options.rounds, "machine": first_bench.machine(), "classes": {}, "versions": {},
           "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"), "settings": options.set}
    base = None
    for name in options.classes:
        begin = time.monotonic()
        figures, parts = importlib.import_module(name).run(options)
        run["classes"][name] = {"figures": figures, "parts": parts, "seconds": time.monotonic() - begin}
        for part in parts:
            run["versions"].update(part.get("versions", {}))
        base = write(run)  # after each class: a long run that is stopped leaves what it has
        print(f"== {name}: {time.monotonic() - begin:.0f} s", flush=True)
    print("\n" + "\n".join(page.summary_lines(run["classes"])))
    bad = page.problems(run)
    for name, row, peer, what in bad:
        print(f"BAD {name} {row}: {peer}: {what}")
    print(f"== figures in {os.path.relpath(base, ROOT)}.md, .json and .svg")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
