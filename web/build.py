#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds the console and turns it into two source files of the server: a list of the assets, and their
bytes, each packed by gzip. Called by Meson.

What is needed is Node.js, npm, and the packages of package-lock.json, from npm's cache or the network. If one
of them is missing the list is empty and says why, so that the server can tell it at /; with --mode enabled that
is an error instead."""
import argparse
import gzip
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TOTAL_MAX = 500_000  # bytes of all assets, packed
TYPES = {".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8",
         ".svg": "image/svg+xml", ".txt": "text/plain; charset=utf-8"}
BUNDLE = ["--bundle", "--minify", "--format=esm", "--target=es2022", "--legal-comments=none", "--charset=utf8", "--log-level=warning"]


class Missing(Exception):
    """Why there is no console."""


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as f:
        return f.read()


def words(root):
    """Keywords, types and functions, out of the lists that the server itself is made of."""
    keywords = re.findall(r'^DN_KEYWORD\(\w+,\s*"(\w+)",\s*(\w+)\)', read(root, "src/base/keyword_list.h"), re.MULTILINE)
    types = re.findall(r'^DN_TYPE\((\d+), \w+,\s*"([A-Z]+)"', read(root, "src/vec/type_list.h"), re.MULTILINE)
    functions = {}
    for name, args, doc in re.findall(r"^\| `(\w+)\((?:[^`]*)\)` \| ([^|]*) \| ([^|]*) \|", read(root, "docs/sql/functions.md"),
                                      re.MULTILINE):
        functions.setdefault(name, (args.split(";")[0].strip(), doc.strip()))
    if len(keywords) < 100 or len(types) < 10 or len(functions) < 100:
        raise SystemExit(f"build.py: {len(keywords)} keywords, {len(types)} types, {len(functions)} functions: a list has another form")
    return {"keywords": [word for word, _ in keywords],
            "reserved": [word for word, kind in keywords if kind != "FREE"],
            "types": sorted({name for number, name in types if 0 < int(number) < 40} - {"ENUM"}),
            "functions": [[name, args, doc] for name, (args, doc) in sorted(functions.items())]}


def esbuild(node, work, *args):
    """A defect of our own sources is an error in every mode."""
    command = [node, os.path.join(work, "node_modules", "esbuild", "bin", "esbuild"), *args, *BUNDLE]
    if subprocess.run(command, cwd=work, check=False).returncode != 0:
        raise SystemExit("build.py: esbuild failed")


def install(npm, work, everything=False):
    """The packages of the lock file, into work/node_modules; at once if they are there."""
    wanted = read(HERE, "package-lock.json") + str(everything)
    done = os.path.join(work, "node_modules", ".dendro-lock")
    if os.path.exists(done) and read(done) == wanted:
        return
    for name in ("package.json", "package-lock.json", ".npmrc"):
        shutil.copy(os.path.join(HERE, name), work)
    command = [npm, "ci", "--no-audit", "--no-fund", "--ignore-scripts", "--prefer-offline", "--fetch-retries=1"]
    npm_says = subprocess.run(command + ([] if everything else ["--omit=dev"]), cwd=work, text=True, capture_output=True, check=False)
    if npm_says.returncode != 0:
        error = " ".join(re.findall(r"(?m)^npm (?:ERR!|error) (?!A complete log)(.*)", npm_says.stderr))[:300]
        raise Missing(f"npm could not install the packages of web/package-lock.json ({error})")
    with open(done, "w", encoding="utf-8") as f:
        f.write(wanted)


def licenses(work):
    """The licence of each package whose code is in the bundle."""
    lock = json.loads(read(HERE, "package-lock.json"))["packages"]
    parts = ["The console of Dendro contains these packages.\n"]
    for path, entry in sorted(lock.items()):
        name = path.removeprefix("node_modules/")
        if not path or entry.get("dev") or "esbuild" in name:
            continue
        folder = os.path.join(work, path)
        text = next((read(folder, f) for f in sorted(os.listdir(folder)) if f.upper().startswith("LICEN")), entry.get("license", ""))
        parts.append(f"{'=' * 80}\n{name} {entry['version']}\n\n{text.strip()}\n")
    return "\n".join(parts).encode()


def bundle(root, node, npm, work):
    """Name to bytes of each asset."""
    os.makedirs(work, exist_ok=True)
    install(npm, work)
    # Copied beside node_modules, where the bundler looks for packages.
    shutil.rmtree(os.path.join(work, "src"), ignore_errors=True)
    shutil.copytree(os.path.join(HERE, "src"), os.path.join(work, "src"))
    with open(os.path.join(work, "words.js"), "w", encoding="utf-8") as f:
        f.writelines(f"export const {name} = {json.dumps(value, ensure_ascii=False)};\n" for name, value in words(root).items())
    esbuild(node, work, "src/main.ts", "--alias:dendro:words=./words.js", "--outfile=out/app.js")
    esbuild(node, work, "src/style.css", "--outfile=out/app.css")
    assets, page = {}, read(HERE, "index.html")
    for name in ("app.js", "app.css"):
        with open(os.path.join(work, "out", name), "rb") as f:
            data = f.read()
        stem, ext = os.path.splitext(name)
        hashed = f"{stem}-{hashlib.sha256(data).hexdigest()[:12]}{ext}"
        assets[hashed] = data
        page = page.replace(f"@{name}@", hashed)
    assets["icon.svg"] = read(HERE, "icon.svg").encode()
    assets["licenses.txt"] = licenses(work)
    return {"": page.encode(), **assets}


def c_string(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def write_sources(assets, why, table, code, work):
    """The list in C, the bytes in assembler."""
    lines = ["/* SPDX-License-Identifier: Apache-2.0", " * Generated by web/build.py. Do not edit. */", '#include "server/http/console.h"', ""]
    rows, total = [], 0
    assembler = ["/* SPDX-License-Identifier: Apache-2.0", " * Generated by web/build.py. Do not edit. */", '    .section .rodata, "a"']
    for i, (name, data) in enumerate(assets.items()):
        packed = gzip.compress(data, 9, mtime=0)
        total += len(packed)
        path = os.path.join(work, f"asset{i}.gz")
        with open(path, "wb") as f:
            f.write(packed)
        symbol = f"http_console_asset{i}"
        assembler += [f"    .global {symbol}", f"{symbol}:", f'    .incbin {c_string(os.path.abspath(path))}']
        lines += [f"extern const uint8_t {symbol}[];"]
        ext = os.path.splitext(name)[1] or ".html"
        forever = "true" if re.search(r"-[0-9a-f]{12}\.", name) else "false"
        etag = hashlib.sha256(data).hexdigest()[:16]
        rows += [f'    {{.name = "{name}", .type = "{TYPES[ext]}", .etag = "\\"{etag}\\"",',
                 f"     .packed = {symbol}, .packed_len = {len(packed)}, .len = {len(data)}, .forever = {forever}}},"]
    if total > TOTAL_MAX:
        raise SystemExit(f"build.py: the console has {total} bytes, more than {TOTAL_MAX}")
    lines += ["const struct http_console_asset http_console_assets[] = {", *rows, "    {.name = NULL},", "};",
              f"const char http_console_missing[] = {c_string(why)};", ""]
    assembler += ['    .section .note.GNU-stack, "", %progbits', ""]
    with open(table, "w", encoding="utf-8") as f:
        f.write("\n".join(lines))
    with open(code, "w", encoding="utf-8") as f:
        f.write("\n".join(assembler))
    return total


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mode", choices=("auto", "enabled", "disabled"), default="auto")
    parser.add_argument("--node", default="", help="path of node; empty: there is none")
    parser.add_argument("--npm", default="")
    parser.add_argument("--root", default=os.path.dirname(HERE), help="the source tree")
    parser.add_argument("--work", required=True, help="directory for packages and what is made of them")
    parser.add_argument("table", help="C file to write")
    parser.add_argument("code", help="assembler file to write")
    args = parser.parse_args()
    assets, why = {}, ""
    args.work = os.path.abspath(args.work)
    os.makedirs(args.work, exist_ok=True)
    try:
        if args.mode == "disabled":
            raise Missing("it was built with -Dconsole=disabled")
        if not args.node or not args.npm:
            raise Missing(f"{'npm' if args.node else 'Node.js'} was not there when this program was built")
        assets = bundle(args.root, args.node, args.npm, args.work)
    except Missing as e:
        if args.mode == "enabled":
            raise SystemExit(f"build.py: no console: {e}") from e
        why = str(e)
        print(f"build.py: no console: {why}", file=sys.stderr)
    write_sources(assets, why, args.table, args.code, args.work)


if __name__ == "__main__":
    main()
