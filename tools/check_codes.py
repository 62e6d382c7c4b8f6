#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A return code that is overwritten before it is looked at: an error that is lost.

Each function of src/ is read as statements, and the variables rc, *_rc and rc_* are followed on every way through it.
What a call gave must be read (compared, returned, passed on) before the variable gets another value, and before the
function returns something else. Whether the reader does the right thing with it is not judged."""

import re

from checklib import expect, files, main, read, strip_c

NAME = re.compile(r"rc|\w+_rc|rc_\w+")
WORD = re.compile(r"[A-Za-z_]\w*")
TOKEN = re.compile(r"[A-Za-z_]\w*|\d[\w.]*|->|==|!=|<=|>=|&&|\|\||[-+*/%&|^]=|<<=?|>>=?|\S")
NO_CALLS = {"sizeof", "_Alignof", "offsetof"}
SOURCES = (".c", ".h")


class Parser:
    """Statements as tuples, the first item says which; expressions as lists of (token, line)."""

    def __init__(self, tokens):
        self.tokens, self.at = tokens, 0

    def peek(self, ahead=0):
        return self.tokens[self.at + ahead][0] if self.at + ahead < len(self.tokens) else ""

    def until(self, end):
        """Tokens before the next `end` outside of all brackets; it is taken, too."""
        depth, start = 0, self.at
        while self.at < len(self.tokens):
            token = self.tokens[self.at][0]
            self.at += 1
            if depth == 0 and token == end:
                return self.tokens[start:self.at - 1]
            depth += (token in "([{") - (token in ")]}")
        return self.tokens[start:]

    def brackets(self):
        self.at += 1
        return self.until(")")

    def block(self):
        """{ … }: the bracket is the next token."""
        self.at += 1
        out = []
        while self.peek() not in ("}", ""):
            out.append(self.statement())
        self.at += 1
        return ("block", out)

    def statement(self):
        token = self.peek()
        if token == "{":
            return self.block()
        if token == "do":
            self.at += 1
            body = self.statement()
            self.at += 1  # while
            cond = self.brackets()
            self.until(";")
            return ("do", body, cond)
        if token in ("if", "while", "switch", "for") or (re.search("FOR_?EACH", token) and self.peek(1) == "("):
            return self.compound(token)
        if token in ("return", "goto"):
            self.at += 1
            return (token, self.until(";"), self.tokens[self.at - 1][1])
        if token in ("break", "continue"):
            self.until(";")
            return (token,)
        if token in ("case", "default"):
            self.until(":")
            return ("case",)
        if WORD.fullmatch(token) and self.peek(1) == ":":
            self.at += 2
            return ("label", token)
        return ("expression", self.until(";"))

    def compound(self, token):
        self.at += 1
        if token != "for":
            cond = self.brackets()
        else:
            self.at += 1
            init, cond, step = self.until(";"), self.until(";"), self.until(")")
        body = self.statement()
        if token == "if":
            other = None
            if self.peek() == "else":
                self.at += 1
                other = self.statement()
            return ("if", cond, body, other)
        if token == "switch":
            return ("switch", cond, body)
        if token == "for":
            return ("for", init, cond, step, body)
        return ("for", [], cond, [], body)


# A state is {variable: lines where it got what was not looked at yet}; None: no way leads here.
def join(*states):
    found = [s for s in states if s is not None]
    if not found:
        return None
    return {v: frozenset().union(*(s.get(v, frozenset()) for s in found)) for v in set().union(*found)}


class Walk:
    """The ways through a function."""

    def __init__(self, report):
        self.report = report
        self.labels = {}    # name: state of the gotos that lead there; all lead forward
        self.breaks = []    # of the loops and switches around: state of their breaks
        self.continues = []
        self.heads = []     # of the switches around: state at their cases

    def assign(self, state, name, line, call):
        for where in state.get(name, ()):
            self.report(where, name, line)
        state[name] = frozenset([line]) if call else frozenset()

    def expression(self, tokens, state):
        if state is None:
            return None
        state, i = dict(state), 0
        while i < len(tokens):
            name, line = tokens[i]
            before = tokens[i - 1][0] if i else ""
            after = tokens[i + 1][0] if i + 1 < len(tokens) else ""
            if not NAME.fullmatch(name) or before in (".", "->") or after == "(":
                i += 1
            elif before == "*" and (i < 2 or not WORD.fullmatch(tokens[i - 2][0])):
                i += 1  # *rc = …: the caller looks at it
            elif after != "=":
                state[name] = frozenset()
                i += 1
            else:
                i = self.assignment(tokens, i, state)
        return state

    def assignment(self, tokens, i, state):
        """name = value, up to a comma or to the end of the brackets around. Changes the state."""
        name, line = tokens[i]
        end, depth = i + 2, 0
        while end < len(tokens) and not (depth == 0 and tokens[end][0] in (",", ")")):
            depth += (tokens[end][0] in "([{") - (tokens[end][0] in ")]}")
            end += 1
        value = tokens[i + 2:end]
        state.update(self.expression(value, state))
        call = any(WORD.fullmatch(a) and b == "(" and a not in NO_CALLS
                   for (a, _), (b, _) in zip(value, value[1:]))
        self.assign(state, name, line, call)
        if end < len(tokens) and tokens[end][0] == ")":
            state[name] = frozenset()  # (rc = f()) is looked at where it stands
        return end

    def loop(self, init, cond, step, body, state):
        state = self.expression(init, state)
        out = None
        for _ in range(2):  # the end of the body leads to its start
            state = self.expression(cond, state)
            out = join(out, state) if cond else out
            self.breaks.append(None)
            self.continues.append(None)
            after = self.statement(body, state)
            state = self.expression(step, join(after, self.continues.pop()))
            out = join(out, self.breaks.pop())
        return join(out, self.expression(cond, state) if cond else None)

    def do(self, body, cond, state):
        out, start = None, state
        for _ in range(2):
            self.breaks.append(None)
            self.continues.append(None)
            after = self.statement(body, start)
            state = self.expression(cond, join(after, self.continues.pop()))
            out = join(out, self.breaks.pop(), state)
            start = join(start, state)
        return out

    def statement(self, s, state):
        kind = s[0]
        if kind == "block":
            for one in s[1]:
                state = self.statement(one, state)
        elif kind == "expression":
            state = self.expression(s[1], state)
        elif kind == "if":
            state = self.expression(s[1], state)
            other = self.statement(s[3], state) if s[3] else state
            state = join(self.statement(s[2], state), other)
        elif kind == "for":
            state = self.loop(*s[1:], state)
        elif kind == "do":
            state = self.do(s[1], s[2], state)
        elif kind == "switch":
            state = self.expression(s[1], state)
            self.breaks.append(None)
            self.heads.append(state)
            after = self.statement(s[2], None)
            state = join(self.heads.pop(), after, self.breaks.pop())
        elif kind == "case":
            state = join(state, self.heads[-1])
        elif kind == "label":
            state = join(state, self.labels.get(s[1]))
        elif kind == "return":
            self.end(self.expression(s[1], state), s[2])
            state = None
        elif kind == "goto":
            self.labels[s[1][0][0]] = join(self.labels.get(s[1][0][0]), state)
            state = None
        else:
            ways = self.breaks if kind == "break" else self.continues
            ways[-1] = join(ways[-1], state)
            state = None
        return state

    def end(self, state, line):
        for name, lines in (state or {}).items():
            for where in lines:
                self.report(where, name, -line)


def functions(code):
    """The tokens of each body: a { at the start of a line, as clang-format has it."""
    tokens = [(m.group(0), m.start()) for m in TOKEN.finditer(code)]
    starts = [m.start() + 1 for m in re.finditer(r"\n\{", code)]
    line, last, i = 1, 0, 0
    for start in starts:
        while i < len(tokens) and tokens[i][1] < start:
            i += 1
        depth, body = 0, []
        for token, offset in tokens[i:]:
            line += code.count("\n", last, offset)
            last = offset
            body.append((token, line))
            depth += (token == "{") - (token == "}")
            if depth == 0:
                break
        i += len(body)
        yield body


def check(root):
    findings = []
    for path in files(root, ["src"], SOURCES):
        code = re.sub(r"^[ \t]*#(?:[^\n\\]|\\\n|\\.)*", lambda m: "\n" * m.group(0).count("\n"),
                      strip_c(read(root, path)), flags=re.MULTILINE)
        seen = set()

        def report(where, name, line, path=path, seen=seen):
            if (where, name) not in seen:
                what = f"is overwritten in line {line}" if line > 0 else f"is lost in line {-line}, which returns something else,"
                findings.append(f"{path}:{where}: what {name} got {what} before it is looked at")
            seen.add((where, name))

        for body in functions(code):
            if any(NAME.fullmatch(token) for token, _ in body):
                walk = Walk(report)
                walk.end(walk.statement(Parser(body).block(), {}), body[-1][1])
    return findings


def self_test():
    def one(body, *patterns):
        expect(check, {"src/base/a.c": "int f(int x)\n{\n" + body + "}\n"}, *patterns)

    one("rc = a();\nrc = b();\nreturn rc;\n", r"a\.c:3: what rc got is overwritten in line 4")
    one("rc = a();\nif (rc == 0)\n rc = b();\nreturn rc;\n")
    one("int rc = a();\nif (x)\n rc = b();\nelse if (x && rc == 0)\n rc = c();\nreturn rc;\n", r"a\.c:3:.*line 5")
    one("int rc = 0;\nrc = b();\nreturn rc;\n")
    one("int rc = x ? 1 : a();\nrc = rc < 0 ? rc : b();\nreturn rc;\n")
    one("while ((rc = a()) == 0)\n b();\nreturn rc;\n")
    one("while ((rc = a()) == 0)\n rc = b();\nreturn rc;\n", r"a\.c:4:.*line 3")
    one("for (i = 0; i < x; i++)\n rc = a();\nreturn rc;\n", r"a\.c:4:.*line 4")
    one("for (i = 0; rc == 0 && i < x; i++)\n rc = a();\nreturn rc;\n")
    one("do {\n rc = a();\n} while (rc == 0);\nreturn rc;\n")
    one("rc = a();\nif (x)\n goto out;\nrc = rc ? rc : b();\nout:\nrc = c();\nreturn rc;\n",
        r"a\.c:3:.*line 8", r"a\.c:6:.*line 8")
    one("switch (x) {\ncase 1:\n rc = a();\n break;\ncase 2:\n rc = b();\n}\nreturn rc;\n")
    one("switch (x) {\ncase 1:\n rc = a();\ncase 2:\n rc = b();\n break;\n}\nreturn rc;\n", r"a\.c:5:.*line 7")
    one("for (;;) {\n rc = a();\n if (x)\n  break;\n if (rc)\n  continue;\n rc = b();\n if (rc)\n  return rc;\n}\nreturn rc;\n")
    one("rc = a();\nreturn 0;\n", r"a\.c:3:.*lost in line 4")
    one("rc = a();\n", r"a\.c:3:.*lost in line 4")
    one("rc = a();\nif (x)\n return rc;\nb(&rc);\nreturn 0;\n")
    one("#define A(x) \\\n rc = a(); \\\n rc = b();\ns->rc = a();\ns->rc = b();\nreturn 0;\n")
    one("*rc = a();\nb();\nreturn 0;\n")
    one("read_rc = a();\nif (x)\n read_rc = b();\nreturn read_rc;\n", r"what read_rc got")


if __name__ == "__main__":
    main(__doc__, check, self_test)
