#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The documentation is whole: relative links lead somewhere, every src/<dir> has a README.md,
ARCHITECTURE.md stays under 300 lines and names every layer, docs/errors.md is what the error list
gives, docs/README.md leads to every page, and no tracked text knows one person's machine."""

import os
import re

import gen_errors
from checklib import SKIP_DIRS, expect, files, layers, line_of, main, read

LINK = re.compile(r"(?<!!)\[[^\]\n]*\]\(([^)\s]+)\)|!\[[^\]\n]*\]\(([^)\s]+)\)")
FENCE = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)
CODE = re.compile(r"`[^`\n]*`")
# Written in pieces so that this file does not find itself.
MACHINE_PATHS = re.compile("(?<![\\w.])/(?:work|root|farm)" + "/")
TEXT = (".md", ".c", ".h", ".y", ".re", ".py", ".sh", ".awk", ".txt", ".test", ".sql", "meson.build")
ARCHITECTURE_LINES = 300


def blank(match):
    return re.sub(r"[^\n]", " ", match.group(0))


def anchors(text):
    """The anchors of a page's headings, as the usual renderers make them."""
    found = set()
    for title in re.findall(r"^#+\s+(.*?)\s*$", FENCE.sub(blank, text), re.MULTILINE):
        title = re.sub(r"[^\w\- ]", "", title.replace("`", "").lower())
        found.add(title.replace(" ", "-"))
    return found


def check_links(root, path):
    text = CODE.sub(blank, FENCE.sub(blank, read(root, path)))
    for match in LINK.finditer(text):
        target = match.group(1) or match.group(2)
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        full = os.path.normpath(os.path.join(os.path.dirname(path), name)) if name else path
        place = f"{path}:{line_of(text, match.start())}"
        if not os.path.exists(os.path.join(root, full)):
            yield f"{place}: the link to {target} leads nowhere"
        elif anchor and full.endswith(".md") and anchor not in anchors(read(root, full)):
            yield f"{place}: {full} has no heading for #{anchor}"


def check_architecture(root):
    if not os.path.exists(os.path.join(root, "ARCHITECTURE.md")):
        return
    text = read(root, "ARCHITECTURE.md")
    lines = text.count("\n")
    if lines >= ARCHITECTURE_LINES:
        yield f"ARCHITECTURE.md: {lines} lines; it must stay under {ARCHITECTURE_LINES}"
    for layer in layers(root):
        if f"src/{layer}" not in text:
            yield f"ARCHITECTURE.md: does not mention src/{layer}"


def check_index(root):
    if not os.path.exists(os.path.join(root, "docs/README.md")):
        return
    index = read(root, "docs/README.md")
    for path in files(root, ["docs"], [".md"]):
        page = os.path.relpath(path, "docs")
        if page != "README.md" and f"({page}" not in index:
            yield f"docs/README.md: does not lead to {page}"


def check_errors(root):
    if not os.path.exists(os.path.join(root, gen_errors.LIST)):
        return
    path = os.path.join(root, gen_errors.PAGE)
    if not os.path.exists(path) or read(root, gen_errors.PAGE) != gen_errors.page(root):
        yield f"{gen_errors.PAGE}: not what {gen_errors.LIST} gives; run tools/gen_errors.py --write"


def check(root):
    findings = []
    for path in files(root, ["."], [".md"]):
        findings += check_links(root, path)
    src = os.path.join(root, "src")
    for name in sorted(os.listdir(src)) if os.path.isdir(src) else []:
        full = os.path.join(src, name)
        if os.path.isdir(full) and os.listdir(full) and not os.path.exists(os.path.join(full, "README.md")):
            findings.append(f"src/{name}: no README.md")
    findings += check_architecture(root)
    findings += check_index(root)
    findings += check_errors(root)
    for path in files(root, ["."], TEXT) + [p for p in ("dev", ".ci/run") if os.path.exists(os.path.join(root, p))]:
        text = read(root, path)
        findings += [f"{path}:{line_of(text, m.start())}: '{m.group(0)}' is a path of one machine"
                     for m in MACHINE_PATHS.finditer(text)]
    return findings


def self_test():
    assert ".git" in SKIP_DIRS
    expect(check, {"a.md": "# One Thing\n[b](b.md) [x](https://x.org/) [h](#one-thing) `[c](d.md)`\n", "b.md": "# B\n"})
    expect(check, {"a.md": "\n[b](b.md)\n"}, r"a\.md:2: the link to b\.md leads nowhere")
    expect(check, {"a.md": "[b](b.md#two)\n", "b.md": "# One\n"}, r"no heading for #two")
    expect(check, {"src/base/a.c": ""}, r"src/base: no README\.md")
    meson = {"meson.build": "layers = ['base']\n"}
    expect(check, {**meson, "ARCHITECTURE.md": "src/base\n" * 300}, r"300 lines")
    expect(check, {**meson, "ARCHITECTURE.md": "\n"}, r"does not mention src/base")
    expect(check, {"docs/README.md": "[a](a.md)\n", "docs/a.md": "", "docs/b.md": ""}, r"does not lead to b\.md")
    base = {"src/base/README.md": "", gen_errors.LIST: 'DN_ERR(IO, 1, "58030", "Broken.")\n'}
    expect(check, base, r"docs/errors\.md: not what")
    expect(check, {**base, gen_errors.PAGE: gen_errors.HEAD + "| IO | 1 | 58030 | Broken. |\n"})
    expect(check, {"a.md": "see /" + "work/x\n"}, r"path of one machine")


if __name__ == "__main__":
    main(__doc__, check, self_test)
