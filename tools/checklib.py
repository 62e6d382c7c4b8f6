# SPDX-License-Identifier: Apache-2.0
"""What the checkers of this directory share: finding files, reading C without its comments,
reporting, and the self-test that proves that a checker can fail.

A checker is a module with `check(root, ...)`, which returns a list of findings, each one line of
text that starts with path or path:line. `main` prints them and sets the exit code."""

import argparse
import os
import re
import sys
import tempfile

SKIP_DIRS = {".git", "build", "__pycache__", "dendro-sample", "node_modules"}


def files(root, dirs, suffixes):
    """Paths relative to root, sorted, of files under dirs that end in one of the suffixes."""
    found = []
    for top in dirs:
        for here, subdirs, names in os.walk(os.path.join(root, top)):
            subdirs[:] = [d for d in subdirs if d not in SKIP_DIRS]
            for name in names:
                if name.endswith(tuple(suffixes)):
                    found.append(os.path.relpath(os.path.join(here, name), root))
    return sorted(set(found))


def read(root, path):
    with open(os.path.join(root, path), encoding="utf-8") as f:
        return f.read()


_TOKEN = re.compile(
    r"""//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'""", re.DOTALL)


def strip_c(text):
    """The text with comments, strings and character constants blanked out; lines stay."""
    def blank(match):
        t = match.group(0)
        if t[0] in "\"'":
            return t[0] + " " * (len(t) - 2) + t[0]
        return "".join("\n" if c == "\n" else " " for c in t)
    return _TOKEN.sub(blank, text)


def strip_comments(text):
    """The text with comments blanked out; strings and lines stay."""
    def blank(match):
        t = match.group(0)
        if t[0] in "\"'":
            return t
        return "".join("\n" if c == "\n" else " " for c in t)
    return _TOKEN.sub(blank, text)


def line_of(text, offset):
    return text.count("\n", 0, offset) + 1


def layers(root):
    """The layer list of the top meson.build, lowest first."""
    match = re.search(r"^layers\s*=\s*\[(.*?)\]", read(root, "meson.build"), re.DOTALL | re.MULTILINE)
    if not match:
        raise SystemExit("meson.build: no `layers = [...]`")
    return re.findall(r"'([^']+)'", match.group(1))


class Tree:
    """A small made-up source tree for self-tests."""

    def __init__(self, contents):
        self._dir = tempfile.TemporaryDirectory(prefix="dendro-check-")
        self.root = self._dir.name
        for path, text in contents.items():
            full = os.path.join(self.root, path)
            os.makedirs(os.path.dirname(full), exist_ok=True)
            with open(full, "w", encoding="utf-8") as f:
                f.write(text)

    def __enter__(self):
        return self

    def __exit__(self, *args):
        self._dir.cleanup()


def expect(check, contents, *patterns):
    """The findings in a made-up tree are as many as the patterns, one for each, in any order."""
    with Tree(contents) as tree:
        findings = check(tree.root)
    left = list(findings)
    for pattern in patterns:
        hit = next((f for f in left if re.search(pattern, f)), None)
        if hit is None:
            raise SystemExit(f"self-test: nothing matches {pattern!r} in {findings}")
        left.remove(hit)
    if left:
        raise SystemExit(f"self-test: unexpected findings {left}")


def main(doc, check, self_test, arguments=None):
    """Runs a checker; `arguments(parser)` may add options, which go to check as keywords."""
    parser = argparse.ArgumentParser(description=doc)
    parser.add_argument("--root", default=os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    parser.add_argument("--self-test", action="store_true", help="prove that the check can fail")
    if arguments:
        arguments(parser)
    options = vars(parser.parse_args())
    root = os.path.abspath(options.pop("root"))
    if options.pop("self_test"):
        self_test()
        print("self-test passed")
        return
    findings = check(root, **options)
    for finding in findings:
        print(finding)
    if findings:
        sys.exit(f"{len(findings)} finding(s)")
