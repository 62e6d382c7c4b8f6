#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes a site of static pages out of docs/: `./dev docs`. Needs nothing but Python, and the pages need nothing but a browser: no
network, no server, no build step. The navigation is docs/README.md: its headings, and the first links of its tables. Every
link between pages is checked.

usage: docs_site.py [--root DIR] [--out DIR] [--self-test]"""
import argparse
import html
import json
import os
import re
import shutil
import sys
import tempfile

REPOSITORY_ONLY = ("../src/", "../tests/", "../bench/", "../tools/", "../examples/", "../web/")
KEYWORDS = None  # of SQL, from src/base/keyword_list.h
TOKEN = re.compile(r"(?P<comment>--[^\n]*)|(?P<text>'(?:[^']|'')*')|(?P<name>\"[^\"]*\")|(?P<number>\b\d+(?:\.\d+)?\b)"
                   r"|(?P<word>[A-Za-z_][A-Za-z_0-9]*)")

# ---- inline ----


def slug(text):
    """The anchor of a heading, as repositories show it."""
    text = re.sub(r"[`*]|\[([^\]]*)\]\([^)]*\)", lambda m: m.group(1) or "", text)
    return re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")


class Page:
    def __init__(self, path, text):
        self.path = path  # relative to the project, docs/…
        self.text = text
        self.title = next((l.lstrip("# ").strip() for l in text.splitlines() if l.startswith("# ")), path)
        self.title = re.sub(r"[`*]", "", self.title)
        self.anchors = set()
        self.links = []   # (target page or file, anchor)
        self.headings = []
        self.out = target_of(path)


def target_of(path):
    """docs/sql/README.md -> sql/index.html; what is above docs -> its own name."""
    rel = os.path.relpath(path, "docs")
    if rel.startswith(".."):
        rel = "project/" + os.path.basename(rel)
    rel = re.sub(r"README\.md$", "index.md", rel)
    return re.sub(r"\.md$", ".html", rel)


def link(page, pages, href):
    """A link as it stands in the text, as the site has it; None: it leads out of the site."""
    if re.match(r"[a-z]+:", href):
        return href
    name, _, anchor = href.partition("#")
    path = os.path.normpath(os.path.join(os.path.dirname(page.path), name)) if name else page.path
    if path in pages:
        page.links.append((path, anchor))
        return os.path.relpath(pages[path].out, os.path.dirname(page.out) or ".") + (f"#{anchor}" if anchor else "")
    if path.startswith("docs/images/"):
        page.links.append((path, ""))
        return os.path.relpath(target_of(path), os.path.dirname(page.out) or ".")
    return None


def inline(page, pages, text):
    """`code`, **bold**, *italics*, [text](link), ![picture](file), <https://…>"""
    parts = re.split(r"(`[^`]+`)", text)
    for i, part in enumerate(parts):
        if i % 2:
            parts[i] = "\0" + part[1:-1] + "\0"
    text = "".join(parts)
    codes = []

    def keep(match):
        codes.append(f"<code>{html.escape(match.group(1))}</code>")
        return f"\1{len(codes) - 1}\1"

    text = re.sub("\0([^\0]*)\0", keep, text)
    text = html.escape(text, quote=False)

    def anchor(match):
        picture, label, href = match.groups()
        to = link(page, pages, html.unescape(href))
        path = os.path.normpath(os.path.join(os.path.dirname(page.path), href.partition("#")[0]))
        if re.fullmatch(r"[\w./-]+\.md", label) and path in pages:
            label = html.escape(pages[path].title)  # a file's name means nothing here
        if picture:
            return f'<img src="{html.escape(to or href)}" alt="{html.escape(label)}" loading="lazy">'
        return f'<a href="{html.escape(to)}">{label}</a>' if to else label

    text = re.sub(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)", anchor, text)
    text = re.sub(r"&lt;(https?://[^&\s]+)&gt;", r'<a href="\1">\1</a>', text)
    text = re.sub(r"\*\*(?=\S)(.+?)(?<=\S)\*\*", r"<strong>\1</strong>", text)
    text = re.sub(r"(?<![\w*])\*(?=[^\s*])([^*]+?)(?<=[^\s*])\*(?![\w*])", r"<em>\1</em>", text)
    return re.sub("\1(\\d+)\1", lambda m: codes[int(m.group(1))], text)


# ---- SQL in colours ----


def coloured(code):
    out, at = [], 0
    for m in TOKEN.finditer(code):
        kind = m.lastgroup
        if kind == "word":
            if m.group().upper() not in KEYWORDS or m.group() != m.group().upper():
                continue
            kind = "keyword"
        out.append(html.escape(code[at:m.start()], quote=False))
        out.append(f'<span class="{kind}">{html.escape(m.group(), quote=False)}</span>')
        at = m.end()
    return "".join(out) + html.escape(code[at:], quote=False)


def code_block(lines, kind):
    if any(line.startswith("dendro> ") for line in lines):
        shown = []
        for line in lines:
            for prompt in ("dendro> ", "     -> "):
                if line.startswith(prompt):
                    shown.append(f'<span class="prompt">{html.escape(prompt)}</span>{coloured(line[len(prompt):])}')
                    break
            else:
                shown.append(f'<span class="answer">{html.escape(line, quote=False)}</span>')
        return "<pre><code>" + "\n".join(shown) + "</code></pre>"
    text = "\n".join(lines)
    plain = html.escape(text, quote=False)
    return f"<pre><code>{coloured(text) if kind.startswith('sql') else plain}</code></pre>"


# ---- blocks ----


def table(page, pages, lines):
    def cells(line):
        return [c.replace("\0", "|").strip() for c in line.strip().strip("|").replace("\\|", "\0").split("|")]

    def split(line):  # a bar inside of `code` is no border
        line = re.sub(r"`[^`]*`", lambda m: m.group().replace("\\|", "|").replace("|", "\\|"), line)
        return cells(line)

    aligns = ['text-align:right' if c.endswith(":") and not c.startswith(":") else "" for c in cells(lines[1])]
    out = ['<div class="wide"><table>']
    head = split(lines[0])
    if any(head):
        out.append("<thead><tr>" + "".join(f"<th>{inline(page, pages, c)}</th>" for c in head) + "</tr></thead>")
    out.append("<tbody>")
    for line in lines[2:]:
        row = split(line)
        out.append("<tr>" + "".join(
            f'<td{" class=right" if i < len(aligns) and aligns[i] else ""}>{inline(page, pages, c)}</td>'
            for i, c in enumerate(row)) + "</tr>")
    return "".join(out) + "</tbody></table></div>"


ITEM = re.compile(r"(\s*)([-*]|\d+\.) +(.*)")


def items(page, pages, lines):
    """A list, with lists in it by indentation."""
    out, stack = [], []
    for line in lines:
        m = ITEM.match(line)
        if not m:
            out.append(" " + inline(page, pages, line.strip()))
            continue
        indent, kind = len(m.group(1)), "ul" if m.group(2) in "-*" else "ol"
        while stack and indent < stack[-1][0]:
            out.append(f"</li></{stack.pop()[1]}>")
        if stack and indent == stack[-1][0]:
            out.append("</li>")
        else:
            out.append(f"<{kind}>")
            stack.append((indent, kind))
        out.append("<li>" + inline(page, pages, m.group(3)))
    while stack:
        out.append(f"</li></{stack.pop()[1]}>")
    return "".join(out)


def heading(page, pages, line):
    level = len(line) - len(line.lstrip("#"))
    text = line.lstrip("#").strip()
    anchor = slug(text)
    page.anchors.add(anchor)
    shown = inline(page, pages, text)
    if level > 1:
        page.headings.append((level, anchor, re.sub(r"<[^>]+>", "", shown)))
    return f'<h{level} id="{anchor}">{shown}<a class="here" href="#{anchor}" aria-label="link to here">#</a></h{level}>'


def body(page, pages):
    lines = re.sub(r"<!--.*?-->\n?", "", page.text, flags=re.S).splitlines()
    out, i = [], 0
    while i < len(lines):
        line = lines[i]
        if line.startswith("```"):
            end = next((k for k in range(i + 1, len(lines)) if lines[k].startswith("```")), len(lines))
            out.append(code_block(lines[i + 1:end], line[3:].strip()))
            i = end + 1
        elif line.startswith("#"):
            out.append(heading(page, pages, line))
            i += 1
        elif line.startswith("|") and i + 1 < len(lines) and re.match(r"\|[-: |]+\|?\s*$", lines[i + 1]):
            end = next((k for k in range(i, len(lines)) if not lines[k].startswith("|")), len(lines))
            out.append(table(page, pages, lines[i:end]))
            i = end
        elif ITEM.match(line) and not line.startswith("    "):
            end = i + 1
            while end < len(lines) and (lines[end].strip() and (ITEM.match(lines[end]) or lines[end].startswith(" "))):
                end += 1
            out.append(items(page, pages, lines[i:end]))
            i = end
        elif line.startswith("    "):
            end = next((k for k in range(i, len(lines)) if lines[k].strip() and not lines[k].startswith("    ")), len(lines))
            out.append(code_block([l[4:] for l in "\n".join(lines[i:end]).rstrip().splitlines()], ""))
            i = end
        elif line.startswith("<svg"):
            end = next(k for k in range(i, len(lines)) if lines[k].startswith("</svg>"))
            out.append('<figure>' + "\n".join(lines[i:end + 1]) + "</figure>")
            i = end + 1
        elif line.startswith("> "):
            end = next((k for k in range(i, len(lines)) if not lines[k].startswith(">")), len(lines))
            out.append("<blockquote>" + inline(page, pages, " ".join(l[1:].strip() for l in lines[i:end])) + "</blockquote>")
            i = end
        elif not line.strip():
            i += 1
        else:
            end = i + 1
            while end < len(lines) and lines[end].strip() and not re.match(r"```|#|\||<svg", lines[end]) \
                    and not ITEM.match(lines[end]):
                end += 1
            out.append("<p>" + inline(page, pages, " ".join(l.strip() for l in lines[i:end])) + "</p>")
            i = end
    return "\n".join(out)


# ---- the site ----

STYLE = """
:root{--bg:#fff;--fg:#1d2420;--dim:#5c6a62;--line:#dfe5e1;--code:#f4f7f5;--accent:#1f6f4a;--word:#8a3b12;--text:#1f6f4a;--num:#5b3fa0}
@media (prefers-color-scheme:dark){:root{--bg:#141816;--fg:#e3e8e5;--dim:#94a19a;--line:#2c3430;--code:#1c221f;--accent:#6ccf9d;--word:#f0a97a;--text:#8fd6b0;--num:#b9a5f0}}
*{box-sizing:border-box}html{scroll-padding-top:1rem}
body{margin:0;background:var(--bg);color:var(--fg);font:16px/1.6 system-ui,sans-serif;display:grid;grid-template-columns:17rem minmax(0,1fr)}
nav{border-right:1px solid var(--line);height:100vh;position:sticky;top:0;overflow-y:auto;padding:1.2rem}
nav h2{font-size:.75rem;text-transform:uppercase;letter-spacing:.06em;color:var(--dim);margin:1.2rem 0 .3rem}
nav ul{list-style:none;margin:0;padding:0}nav li a{display:block;padding:.12rem .4rem;border-radius:4px;color:inherit;text-decoration:none;font-size:.9rem}
nav a[aria-current]{background:var(--code);color:var(--accent);font-weight:600}
nav input{width:100%;padding:.45rem .6rem;border:1px solid var(--line);border-radius:6px;background:var(--code);color:inherit;font:inherit}
main{padding:1.6rem 2.4rem 6rem;max-width:58rem}
#found{list-style:none;padding:0}#found li{padding:.5rem 0;border-bottom:1px solid var(--line)}#found p{margin:0;color:var(--dim);font-size:.9rem}
h1,h2,h3{line-height:1.25}h2{margin-top:2.2rem;padding-top:.6rem;border-top:1px solid var(--line)}
a{color:var(--accent)}.here{opacity:0;margin-left:.4rem;text-decoration:none}:is(h1,h2,h3):hover .here,.here:focus{opacity:1}
code{background:var(--code);padding:.1em .3em;border-radius:4px;font:.88em ui-monospace,monospace}
pre{background:var(--code);padding:.9rem 1.1rem;border-radius:8px;overflow-x:auto;line-height:1.45}pre code{padding:0;background:none;font-size:.85rem}
.wide{overflow-x:auto}table{border-collapse:collapse;font-size:.92rem}td,th{padding:.35rem .8rem .35rem 0;border-bottom:1px solid var(--line);text-align:left;vertical-align:top}td.right{text-align:right}
.keyword{color:var(--word)}.text{color:var(--text)}.number{color:var(--num)}.comment,.prompt,.answer{color:var(--dim)}
img,svg{max-width:100%;height:auto}figure{margin:1.2rem 0}blockquote{border-left:3px solid var(--accent);margin:0;padding:.1rem 1rem;color:var(--dim)}
.toc{font-size:.9rem;color:var(--dim)}.toc a{margin-right:1rem}.skip{position:absolute;left:-99rem}.skip:focus{left:1rem;top:1rem}
@media (max-width:50rem){body{display:block}nav{position:static;height:auto;border:0;border-bottom:1px solid var(--line)}nav details:not([open])~*{display:none}main{padding:1.2rem}}
"""

SCRIPT = """
"use strict";
(function () {
  const box = document.getElementById("search"), main = document.querySelector("main"), base = document.body.dataset.base;
  const page = main.innerHTML;
  function shown(words, text) {
    const at = Math.max(0, text.toLowerCase().indexOf(words[0]) - 60);
    return (at ? "… " : "") + text.slice(at, at + 200) + (text.length > at + 200 ? " …" : "");
  }
  function find() {
    const words = box.value.toLowerCase().split(/\\s+/).filter(Boolean);
    if (!words.length) { main.innerHTML = page; return; }
    const hits = [];
    for (const e of DENDRO_INDEX) {
      const title = (e.t + " " + e.h).toLowerCase(), text = e.x.toLowerCase();
      let score = 0;
      for (const w of words) {
        const a = title.includes(w) ? 10 : 0, b = text.split(w).length - 1;
        if (!a && !b) { score = 0; break; }
        score += a + Math.min(b, 5);
      }
      if (score) hits.push([score, e]);
    }
    hits.sort((a, b) => b[0] - a[0]);
    main.textContent = "";
    const head = document.createElement("h1"), list = document.createElement("ul");
    head.textContent = hits.length ? "Found" : "Nothing found";
    list.id = "found";
    for (const [, e] of hits.slice(0, 40)) {
      const item = document.createElement("li"), a = document.createElement("a"), p = document.createElement("p");
      a.href = base + e.u;
      a.textContent = e.t + (e.h ? " › " + e.h : "");
      a.addEventListener("click", () => setTimeout(() => { box.value = ""; find(); }));
      p.textContent = shown(words, e.x);
      item.append(a, p);
      list.append(item);
    }
    main.append(head, list);
  }
  box.addEventListener("input", find);
  document.addEventListener("keydown", (e) => {
    if (e.key === "/" && document.activeElement !== box) { e.preventDefault(); box.focus(); }
    if (e.key === "Escape") { box.value = ""; find(); }
  });
})();
"""


def navigation(pages):
    """[(heading, [(page, label)])] of docs/README.md; what no table names stands at the end."""
    text = pages["docs/README.md"].text
    groups, seen = [], {"docs/README.md"}
    for line in text.splitlines():
        if line.startswith("## "):
            groups.append((line[3:].strip(), []))
        m = re.match(r"\| *\[[^\]]*\]\(([^)#]+)\) *\|", line)
        path = os.path.normpath(os.path.join("docs", m.group(1))) if m else None
        if path in pages and path not in seen:
            seen.add(path)
            groups[-1][1].append(path)
    return [(name, list_) for name, list_ in groups if list_]


def whole(page, shown, groups, pages):
    up = "../" * page.out.count("/")
    nav = [f'<nav aria-label="Pages"><p><a href="{up}index.html"><strong>Dendro</strong></a></p>'
           '<input id="search" type="search" placeholder="Search ( / )" aria-label="Search all pages">']
    for name, list_ in groups:
        nav.append(f"<h2>{html.escape(name)}</h2><ul>")
        for path in list_:
            other = pages[path]
            here = ' aria-current="page"' if other is page else ""
            nav.append(f'<li><a href="{up}{other.out}"{here}>{html.escape(other.title)}</a></li>')
        nav.append("</ul>")
    nav.append("</nav>")
    toc = [f'<a href="#{a}">{t}</a>' for level, a, t in page.headings if level == 2]
    if len(toc) > 2:
        first, _, rest = shown.partition("</h1>")
        shown = f'{first}</h1><p class="toc">{"".join(toc)}</p>{rest}'
    return ('<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
            f'<title>{html.escape(page.title)} · Dendro</title><link rel="stylesheet" href="{up}style.css"></head>'
            f'<body data-base="{up}"><a class="skip" href="#main">To the text</a>{"".join(nav)}<main id="main">{shown}</main>'
            f'<script src="{up}index.js"></script><script src="{up}search.js"></script></body></html>\n')


def index_of(page, shown):
    """Pieces of a page for the search: from heading to heading."""
    found = []
    for piece in re.split(r'(?=<h[1-3] id=)', shown):
        m = re.match(r'<h(\d) id="([^"]*)">(.*?)<a class="here"', piece)
        text = html.unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", piece))).strip()
        head = html.unescape(re.sub(r"<[^>]+>", "", m.group(3))) if m and m.group(1) != "1" else ""
        if text:
            found.append({"t": page.title, "h": head, "u": page.out + (f"#{m.group(2)}" if head else ""), "x": text[:4000]})
    return found


def check_links(root, pages):
    wrong = []
    for page in pages.values():
        for path, anchor in page.links:
            if path not in pages and not os.path.exists(os.path.join(root, path)):
                wrong.append(f"{page.path}: no page {path}")
            elif anchor and path in pages and anchor not in pages[path].anchors:
                wrong.append(f"{page.path}: no heading #{anchor} in {path}")
    return wrong


def make(root, out):
    """Returns what is wrong with the pages."""
    global KEYWORDS
    with open(os.path.join(root, "src/base/keyword_list.h"), encoding="utf-8") as f:
        KEYWORDS = set(re.findall(r"^\w+\(\s*\"?([A-Z_]+)\"?", f.read(), re.M))
    pages = {}
    for folder, _, names in sorted(os.walk(os.path.join(root, "docs"))):
        for name in sorted(names):
            if name.endswith(".md"):
                path = os.path.relpath(os.path.join(folder, name), root)
                with open(os.path.join(root, path), encoding="utf-8") as f:
                    pages[path] = Page(path, f.read())
    for path in ("README.md", "ARCHITECTURE.md", "HACKING.md", "CHANGELOG.md", "SECURITY.md"):
        if os.path.exists(os.path.join(root, path)):
            with open(os.path.join(root, path), encoding="utf-8") as f:
                pages[path] = Page(path, f.read())
    shown = {path: body(page, pages) for path, page in pages.items()}
    groups = navigation(pages)
    search = []
    shutil.rmtree(out, ignore_errors=True)
    for path, page in pages.items():
        to = os.path.join(out, page.out)
        os.makedirs(os.path.dirname(to), exist_ok=True)
        with open(to, "w", encoding="utf-8") as f:
            f.write(whole(page, shown[path], groups, pages))
        search += index_of(page, shown[path])
    for name, text in (("style.css", STYLE.lstrip()), ("search.js", SCRIPT.lstrip()),
                       ("index.js", "const DENDRO_INDEX = " + json.dumps(search, ensure_ascii=False) + ";\n")):
        with open(os.path.join(out, name), "w", encoding="utf-8") as f:
            f.write(text)
    images = os.path.join(root, "docs/images")
    if os.path.isdir(images):
        shutil.copytree(images, os.path.join(out, "images"))
    return check_links(root, pages), len(pages)


# ---- self-test ----


def self_test():
    pages = {"docs/README.md": Page("docs/README.md", "# D\n\n## Learn\n\n| page | for |\n|---|---|\n| [a.md](a.md) | all |\n"),
             "docs/a.md": Page("docs/a.md", "# A `x`\n\ntext **bold** and `a|b <c>` to [b](b.md#no)\n\n| x | y |\n|---|---:|\n"
                               "| `a \\| b` | 1 |\n\n- one\n  more\n  - inner\n- two\n\n```\ndendro> SELECT 'x';\nanswer\n```\n")}
    global KEYWORDS
    KEYWORDS = {"SELECT"}
    shown = body(pages["docs/a.md"], pages)
    for part in ("<strong>bold</strong>", "<code>a|b &lt;c&gt;</code>", "<td><code>a | b</code></td>", "<td class=right>1</td>",
                 "<li>one more<ul><li>inner</li></ul></li>", '<span class="keyword">SELECT</span>',
                 '<span class="answer">answer</span>', 'id="a-x"'):
        assert part in shown, (part, shown)
    assert navigation(pages) == [("Learn", ["docs/a.md"])]
    pages["docs/b.md"] = Page("docs/b.md", "# B\n")
    pages["docs/a.md"].links.clear()
    for page in pages.values():
        body(page, pages)
    assert check_links(".", pages) == ["docs/a.md: no heading #no in docs/b.md"], check_links(".", pages)
    print("docs_site: self-test passed")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", default=os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
    parser.add_argument("--out")
    parser.add_argument("--self-test", action="store_true")
    args = parser.parse_args()
    if args.self_test:
        self_test()
        return 0
    root = os.path.abspath(args.root)
    with tempfile.TemporaryDirectory() as scratch:
        wrong, count = make(root, args.out or os.path.join(scratch, "site"))
    for line in wrong:
        print(line)
    if args.out and not wrong:
        print(f"{count} pages: {os.path.join(args.out, 'index.html')}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
