#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A directory of src/ includes and links only itself and the layers before it in the list of the
top meson.build; headers include each other without cycles; main() lives in src/bin alone."""

import os
import re

from checklib import expect, files, layers, line_of, main, read, strip_c, strip_comments

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+"([^"]+)"', re.MULTILINE)
# The public header belongs to the engine: nothing below it may know it.
PUBLIC_HEADER = "dendro.h"
PUBLIC_LAYER = "engine"
SOURCES = (".c", ".h", ".y", ".re", ".l", ".in")


def check_include(order, path, layer, target, line):
    if target == PUBLIC_HEADER:
        owner = PUBLIC_LAYER
    elif "/" in target:
        owner = target.split("/")[0]
    else:
        # Only generated files and their own sources include by bare name.
        return None
    if owner not in order:
        return f'{path}:{line}: "{target}" is in no layer of meson.build'
    if order[owner] > order[layer]:
        return f'{path}:{line}: layer {layer} may not include "{target}" of the later layer {owner}'
    return None


def check_cycles(graph):
    findings, state = [], {}

    def visit(node, trail):
        state[node] = "open"
        for target in graph.get(node, ()):
            if state.get(target) == "open":
                loop = trail[trail.index(target):] + [target]
                findings.append(f"{target}: headers include each other: " + " -> ".join(loop))
            elif target not in state:
                visit(target, trail + [target])
        state[node] = "done"

    for node in sorted(graph):
        if node not in state:
            visit(node, [node])
    return findings


def check(root):
    names = layers(root)
    order = {name: i for i, name in enumerate(names)}
    findings, graph = [], {}
    for path in files(root, ["src"], SOURCES + ("meson.build",)):
        parts = path.split(os.sep)
        if len(parts) < 3:
            findings.append(f"{path}: sources belong into a layer directory")
            continue
        layer = parts[1]
        if layer not in order:
            findings.append(f"{path}: src/{layer} is in no layer of meson.build")
            continue
        text = read(root, path)
        if path.endswith("meson.build"):
            for match in re.finditer(r"\b([a-z]+)_(?:dep|lib)\b", re.sub(r"#[^\n]*", "", text)):
                other = match.group(1)
                if other in order and order[other] > order[layer]:
                    findings.append(f"{path}:{line_of(text, match.start())}: layer {layer} may not "
                                    f"link the later layer {other}")
            continue
        code = strip_comments(text)
        for match in INCLUDE.finditer(code):
            finding = check_include(order, path, layer, match.group(1), line_of(code, match.start()))
            if finding:
                findings.append(finding)
            if path.endswith(".h"):
                graph.setdefault("/".join(parts[1:]), []).append(match.group(1))
        if layer != "bin" and re.search(r"^(?:int\s+)?main\s*\(", strip_c(text), re.MULTILINE):
            findings.append(f"{path}: main() belongs into src/bin")
    for path in files(root, ["include"], [".h"]):
        for match in INCLUDE.finditer(strip_comments(read(root, path))):
            findings.append(f'{path}: the public header may not include "{match.group(1)}"')
    return findings + check_cycles(graph)


def self_test():
    top = {"meson.build": "layers = ['base', 'vec', 'engine', 'bin']\n"}
    expect(check, {**top, "src/vec/a.c": '#include "base/b.h"\n#include "vec/a.h"\n',
                   "src/bin/main.c": '#include "dendro.h"\nint main(void)\n{\n}\n'})
    expect(check, {**top, "src/base/a.c": '#include "vec/a.h"\n'}, r"a\.c:1: layer base may not include")
    expect(check, {**top, "src/base/a.c": '/* #include "vec/a.h" */\n'})
    expect(check, {**top, "src/vec/a.c": '#include "dendro.h"\n'}, r'may not include "dendro\.h"')
    expect(check, {**top, "src/vec/a.c": '#include "nowhere/a.h"\n'}, r"is in no layer")
    expect(check, {**top, "src/nowhere/a.c": ""}, r"is in no layer")
    expect(check, {**top, "src/vec/meson.build": "x = [base_dep, engine_dep]\n"}, r"may not link")
    expect(check, {**top, "src/vec/a.h": '#include "vec/b.h"\n', "src/vec/b.h": '#include "vec/a.h"\n'},
           r"include each other: vec/a\.h -> vec/b\.h -> vec/a\.h")
    expect(check, {**top, "src/vec/a.c": "int main(void)\n"}, r"main\(\) belongs")
    expect(check, {**top, "include/dendro.h": '#include "base/err.h"\n'}, r"public header may not")


if __name__ == "__main__":
    main(__doc__, check, self_test)
