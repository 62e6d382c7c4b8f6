#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the examples of documentation pages and compares what they print.

usage: run.py [--rewrite] [--self-test] DENDRO [PAGE...]

In a page, in their order and in one new database:

    ```sql               statements that must succeed; what they print is not looked at
    ```                  a block with lines that start with "dendro> " is a session of the shell: statements
                         (continued with "     -> ") and what they print, exactly. Nothing below a statement:
                         it must succeed. A line "…" stands for any number of lines.
    <!-- setup           statements that the reader need not see
    -->

LINE and ^ below an error are left out. Other blocks are not run: syntax, commands, ```sql fragment.
--rewrite writes today's output into the pages; read the difference before you commit it."""
import argparse
import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field

PROMPT, MORE = "dendro> ", "     -> "
MARK = re.compile(r"@@(\d+)@@\n")  # printed by the shell itself: a failed transaction refuses statements


@dataclass
class Example:
    line: int               # of its first line, from 1
    sql: str
    expected: list = None   # lines; None: it must succeed, no matter what it prints
    end: int = 0            # lines of output are [start, end) of the page
    start: int = 0
    got: list = field(default_factory=list)


def session(lines, first):
    """Examples of a block whose first line is number `first` (from 1) of the page."""
    found, i = [], 0
    while i < len(lines):
        if not lines[i].startswith(PROMPT):
            raise ValueError(f"line {first + i}: output without a statement before it")
        e = Example(first + i, lines[i][len(PROMPT):])
        i += 1
        while i < len(lines) and lines[i].startswith(MORE):
            e.sql += "\n" + lines[i][len(MORE):]
            i += 1
        e.start = first - 1 + i
        while i < len(lines) and not lines[i].startswith(PROMPT):
            i += 1
        e.end = first - 1 + i
        e.expected = lines[e.start - first + 1:i]
        found.append(e)
    return found


def examples(text):
    lines, found, i = text.split("\n"), [], 0
    while i < len(lines):
        fence = re.match(r"(```+)\s*(.*?)\s*$", lines[i])
        if lines[i].startswith("<!-- setup"):
            end = next(k for k in range(i, len(lines)) if lines[k].rstrip().endswith("-->"))
            found.append(Example(i + 1, "\n".join(lines[i + 1:end])))
            i = end + 1
        elif fence:
            end = next((k for k in range(i + 1, len(lines)) if lines[k].rstrip() == fence.group(1)), None)
            if end is None:
                raise ValueError(f"line {i + 1}: the block is not closed")
            body = lines[i + 1:end]
            if fence.group(2) == "sql":
                found.append(Example(i + 1, "\n".join(body)))
            elif body and body[0].startswith(PROMPT):
                found += session(body, i + 2)
            i = end + 1
        else:
            i += 1
    return found


def clean(text):
    """Lines of output without LINE and ^."""
    lines = text.rstrip("\n").split("\n") if text.strip("\n") else []
    kept, skip = [], False
    for line in lines:
        if skip:
            skip = False
            if line.strip() == "^":
                continue
        if re.match(r"LINE \d+: ", line):
            skip = True
            continue
        kept.append(line)
    return kept


def run(dendro, found):
    script = "".join(f"{e.sql.rstrip()}\n;\n\\echo @@{i}@@\n" for i, e in enumerate(found))
    with tempfile.TemporaryDirectory(prefix="dendro-docs-") as directory:
        # Files that examples write stay there.
        done = subprocess.run([os.path.abspath(dendro), "sql", "db"], input=script.encode(), check=False, cwd=directory,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    text = done.stdout.decode("utf-8", "replace")
    at = 0
    for i, e in enumerate(found):
        mark = next((m for m in MARK.finditer(text, at) if int(m.group(1)) == i), None)
        if not mark:
            raise RuntimeError(f"line {e.line}: no end of it in what the program prints:\n{text[at:at + 3000]}")
        e.got = clean(text[at:mark.start()])
        at = mark.end()


def fits(expected, got):
    """Whether the lines are the same, with … for any number of them."""
    if not expected:
        return not got
    if expected[0].strip() == "…":
        return any(fits(expected[1:], got[i:]) for i in range(len(got) + 1))
    return bool(got) and expected[0].rstrip() == got[0].rstrip() and fits(expected[1:], got[1:])


def fault(e):
    failed = [line for line in e.got if line.startswith("ERROR:")]
    if not e.expected:
        return f"it fails: {failed[0]}" if failed else None
    if fits(e.expected, e.got):
        return None
    return "it prints something else:\n" + "\n".join("      " + line for line in e.got)


def check_page(dendro, path, rewrite):
    with open(path, encoding="utf-8") as f:
        text = f.read()
    found = examples(text)
    run(dendro, found)
    faults = [(e, fault(e)) for e in found]
    faults = [(e, why) for e, why in faults if why]
    if rewrite:
        lines = text.split("\n")
        for e, _ in reversed(faults):
            if e.expected:
                lines[e.start:e.end] = e.got
        with open(path, "w", encoding="utf-8") as f:
            f.write("\n".join(lines))
    for e, why in faults:
        print(f"{path}:{e.line}: {e.sql.strip().splitlines()[0]}\n    {why}")
    return len(found), len(faults)


def self_test(dendro):
    """The runner can fail."""
    good = "```\ndendro> SELECT 1 AS x;\n+-+\n|x|\n+-+\n|1|\n+-+\n```\n"
    bad = {"other output": good.replace("|1|", "|2|"),
           "a failing statement": "```sql\nSELECT nothing;\n```\n",
           "a failing setup": "<!-- setup\nSELECT nothing;\n-->\n",
           "an error where rows were": good.replace("1 AS x", "1 / 0"),
           "rows that are missing": good.replace("|1|\n", "")}
    with tempfile.NamedTemporaryFile("w+", suffix=".md") as page:
        def faults(text):
            page.seek(0)
            page.truncate()
            page.write(text)
            page.flush()
            return check_page(dendro, page.name, False)[1]
        if faults(good) or faults(good.replace("|1|", "…")):
            raise SystemExit("a good page fails")
        for name, text in bad.items():
            if not faults(text):
                raise SystemExit(f"{name} is not found")
    print("the runner finds what it should")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rewrite", action="store_true")
    parser.add_argument("--self-test", action="store_true")
    parser.add_argument("dendro")
    parser.add_argument("pages", nargs="*")
    args = parser.parse_args()
    if args.self_test:
        self_test(args.dendro)
        return 0
    total = bad = 0
    for path in args.pages:
        try:
            count, faults = check_page(args.dendro, path, args.rewrite)
        except (ValueError, RuntimeError) as e:
            print(f"{path}: {e}")
            count, faults = 1, 1
        total, bad = total + count, bad + faults
    print(f"{total} examples, {bad} failed")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
