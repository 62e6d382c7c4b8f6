#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each statement that the grammar knows is one that the shell's help knows: a page of docs/sql says how it is written."""
import os
import re

import gen_help
from checklib import expect, files, main, read

GRAMMAR = "src/sql/grammar.y"
PAGES = "docs/sql"
RULE = re.compile(r"^([a-z_]+)(?:\([A-Z]\))?\s*::=\s*([^.]*)\.", re.MULTILINE)
# Refused, in other words the same, or no beginning of a name.
NOT_HELPED = {"LISTEN", "NOTIFY", "DROP TRIGGER", "LP", "WITH", "PUT ID"}
BETWEEN = {"GLOBAL", "LIKE", "LOCAL", "LP", "OR", "TEMP", "TEMPORARY", "UNIQUE", "UNLOGGED"}
WORDS = {"DESC": "DESCRIBE"}
TWO_WORDS = ("ALTER", "CREATE", "DROP", "PUT")


def symbols(text):
    return [re.sub(r"\(.*", "", s) for s in text.split()]


def terminals(rules, symbol, seen=()):
    """What a symbol can begin with; nothing for what is left out or goes round in circles."""
    if symbol[0].isupper():
        return set(symbol.split("|"))
    found = set()
    for body in rules.get(symbol, []):
        if body and symbol not in seen:
            found |= terminals(rules, body[0], (*seen, symbol))
    return found


def wanted(grammar):
    rules = {}
    for head, body in RULE.findall(grammar):
        rules.setdefault(head, []).append(symbols(body))
    found = set()
    for body in rules.get("cmd", []):
        first = terminals(rules, body[0]) if body else set()
        for word in first:
            if word not in TWO_WORDS:
                found.add(word)
                continue
            second = terminals(rules, body[1]) if len(body) > 1 else set()
            found |= {f"{word} {s}" for s in second if s not in BETWEEN and not s.startswith("X_")}
    return found


def check(root):
    grammar = read(root, GRAMMAR)
    known = gen_help.topics([os.path.join(root, p) for p in files(root, [PAGES], (".md",))])
    heads = {name for t in known for name in (t.split()[0], " ".join(t.split()[:2]))}
    missing = {WORDS.get(w, w) for w in wanted(grammar) - NOT_HELPED} - heads
    return [f"{PAGES}: no page says how {w} … is written, so the shell's \\h does not know it" for w in sorted(missing)]


def self_test():
    page = "# USE\n\n```\nUSE name\n```\n"
    rules = "cmd ::= USE name(N). {x}\ncmd ::= CREATE kind(K) name. {y}\nkind(A) ::= TYPE. {}\nkind ::= ROLE.\n"
    expect(check, {GRAMMAR: rules, PAGES + "/use.md": page + "```\nCREATE {TYPE | ROLE} name\n```\n"})
    expect(check, {GRAMMAR: rules, PAGES + "/use.md": page}, "CREATE TYPE", "CREATE ROLE")
    expect(check, {GRAMMAR: rules, PAGES + "/use.md": "```\nCREATE TYPE name\nCREATE ROLE name\n```\n"}, "USE")


if __name__ == "__main__":
    main(__doc__, check, self_test)
