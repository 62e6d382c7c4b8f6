#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
r"""Makes what the shell's \h says out of the pages of docs/sql: gen_help.py OUTPUT PAGE…

A page says how its statements are written in a ``` block of its own: each line that begins at the margin is a form
of a statement, what is indented belongs to it, and "word: …" at the margin explains a word of all of them. A form's
name are the words in capitals that it begins with; what is in brackets is passed over, and {A | B} are two names."""
import os
import re
import sys

WORD = re.compile(r"[A-Z]+\b")
DETAIL = re.compile(r"[a-z]+: ")
NAME_WORDS = 3
EXAMPLE_MAX = 320


def group(text, at):
    """The text of the brackets that begin at `at`, without them, and where they end."""
    depth = 0
    for i in range(at, len(text)):
        depth += text[i] in "[{"
        depth -= text[i] in "]}"
        if depth == 0:
            return text[at + 1:i], i + 1
    return text[at + 1:], len(text)


def parts(text):
    """What stands between the | of `text` that are in no brackets."""
    found, depth, begin = [], 0, 0
    for i, c in enumerate(text):
        depth += c in "[{("
        depth -= c in "]})"
        if depth == 0 and text.startswith(" | ", i):
            found.append(text[begin:i].strip())
            begin = i + 3
    return found + [text[begin:].strip()]


def capitals(text):
    """The words in capitals that a text begins with; brackets are passed over."""
    words, at = [], 0
    while at < len(text) and len(words) < NAME_WORDS:
        word = WORD.match(text, at)
        if word:
            words.append(word.group(0))
            at = word.end()
        elif text[at] == "[":
            at = group(text, at)[1]
        elif text[at] != " ":
            break
        else:
            at += 1
    return words, at


def names(form):
    """The names of the statements that a form is about."""
    first, at = capitals(form)
    if at < len(form) and form[at] == "{":
        inside, end = group(form, at)
        ways = [capitals(part) for part in parts(inside)]
        whole = all(words and stop == len(part) for (words, stop), part in zip(ways, parts(inside)))
        if not first or (whole and re.match(r" [a-z\[]", form[end:])):
            return [" ".join((first + words)[:NAME_WORDS]) for words, _ in ways]
    found = [" ".join(first)] if first else []
    for other in parts(form)[1:]:
        words, _ = capitals(other)
        if words and first and words[0] == first[0] and len(words) > 1:
            found.append(" ".join(words))
    return found


def forms(block):
    """The forms of a block and its details; (None, None): it does not say how statements are written."""
    lines = [line.rstrip() for line in block]
    if not lines or not re.match(r"[A-Z\[{]", lines[0]) or any(line.endswith(";") or ";  --" in line for line in lines):
        return None, None
    found, details, into = [], [], None
    for line in lines:
        if not line:
            continue
        if DETAIL.match(line):
            details.append([line])
            into = details[-1]
        elif line[0] in " )" or (into and into[-1].startswith("[") and group(into[-1], 0)[1] == len(into[-1])):
            if into is None:
                return None, None
            into.append(line)
        elif re.match(r"[A-Z\[{]", line):
            found.append([])
            into = found[-1]
            into.append(line)
        else:
            return None, None
    whole = []
    for form in found:
        halves = form[0].split(";   ") if len(form) == 1 else []
        whole += [[half] for half in halves] if len(halves) > 1 else [form]
    return ["\n".join(form) for form in whole], ["\n".join(detail) for detail in details]


def blocks(text):
    """The ``` blocks of a page, as (language, lines)."""
    inside, language, lines = False, "", []
    for line in text.split("\n"):
        if line.startswith("```"):
            if inside:
                yield language, lines
            inside, language, lines = not inside, line[3:].strip(), []
        elif inside:
            lines.append(line)


def statements(text):
    """Statements of the page's examples."""
    for language, lines in blocks(text):
        if language == "sql":
            yield from (s.strip() + ";" for s in "\n".join(lines).split(";\n") if s.strip(" ;\n"))
        elif lines and lines[0].startswith("dendro> "):
            for i, line in enumerate(lines):
                if line.startswith("dendro> "):
                    more = [line[8:]]
                    while i + len(more) < len(lines) and lines[i + len(more)].startswith("     -> "):
                        more.append(lines[i + len(more)][8:])
                    yield "\n".join(more)


def example(name, text):
    """A short statement of the page that is written so; what does not succeed is not looked for."""
    pattern = r"\s+(?:(?:OR REPLACE|IF NOT EXISTS|TEMP)\s+)*".join(map(re.escape, name.split())) + r"\b"
    for s in statements(text):
        s = s.replace(";;", ";")
        if len(s) <= EXAMPLE_MAX and re.match(pattern, s):
            return s
    return ""


def own(name, text):
    """Is the page about the statement? Its title has all words of the name, or as many as it has capitals."""
    title = set(re.findall(r"[A-Z]{2,}", text.split("\n", 1)[0]))
    words = name.split()
    return all(word in title for word in words) or (words[0] in title and (len(words) == 1 or words[1] in ("INTO", "FROM")))


def topics(pages):
    read = []
    for path in pages:
        with open(path, encoding="utf-8") as f:
            read.append(("docs/sql/" + os.path.basename(path), f.read()))
    found = {}
    for name in sorted({n for _, text in read for n in written_on(text)}):
        found[name] = {"forms": [], "pages": [], "example": ""}
        for page, text in sorted(read, key=lambda item: not own(name, item[1])):
            add(found[name], name, page, text)
    return found


def written_on(text):
    """Names of the statements whose forms a page has."""
    for language, lines in blocks(text):
        for form in (forms(lines)[0] if language == "" else None) or []:
            yield from names(re.sub(r"\s+", " ", form))


def add(t, name, page, text):
    for language, lines in blocks(text):
        written, details = forms(lines) if language == "" else (None, None)
        for form in written or []:
            if name not in names(re.sub(r"\s+", " ", form)):
                continue
            for item in [form, *[d for d in details if re.search(rf"\b{d.split(':')[0]}\b", form)]]:
                if item not in t["forms"]:
                    t["forms"].append(item)
            if page not in t["pages"]:
                t["pages"].append(page)
            t["example"] = t["example"] or example(name, text)


def quoted(text):
    """A string of C, a line each."""
    lines = text.split("\n")
    return "\n        ".join('"' + line.replace("\\", "\\\\").replace('"', '\\"') + ("\\n" if i + 1 < len(lines) else "") + '"'
                             for i, line in enumerate(lines))


def main():
    out, *pages = sys.argv[1:]
    found = topics(sorted(pages))
    if "SELECT" not in found:
        raise SystemExit("the pages say of no statement how it is written")
    with open(out, "w", encoding="utf-8") as f:
        f.write("/* SPDX-License-Identifier: Apache-2.0\n *\n"
                " * help_list.h: made by tools/gen_help.py of the pages of docs/sql:\n"
                " * DN_HELP(statement, how it is written, an example or \"\", its pages). */\n")
        for name in sorted(found):
            t = found[name]
            f.write(f"DN_HELP({quoted(name)},\n        {quoted(chr(10).join(t['forms']))},\n"
                    f"        {quoted(t['example'])},\n        {quoted(', '.join(t['pages']))})\n")


if __name__ == "__main__":
    main()
