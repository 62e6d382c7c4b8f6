# SPDX-License-Identifier: Apache-2.0
"""One list of statements on both databases, and what each of them said."""
import re
import subprocess
from dataclasses import dataclass, field

MARK = "@@done "


@dataclass
class Outcome:
    """sqlstate None: it succeeded."""
    rows: list = field(default_factory=list)
    sqlstate: str = None
    message: str = ""


def _unescape(text):
    if text == "\\N":
        return None
    return re.sub(r"\\(.)", lambda m: {"n": "\n", "t": "\t", "r": "\r"}.get(m.group(1), m.group(1)), text)


class Dendro:
    def __init__(self, program, directory):
        self.program = program
        self.directory = directory

    def run(self, statements, echo=False):
        """echo: the marks are the shell's, so that they come in a transaction block that failed, too."""
        mark = "\\echo {}\n" if echo else "SELECT '{}';\n"
        script = "".join(f"{s};\n" + mark.format(f"{MARK}{i}") for i, s in enumerate(statements))
        done = subprocess.run([self.program, "sql", self.directory, "-q", "--format", "tsv", "--no-header"],
                              input=script.encode(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              check=False)
        text = done.stdout.decode("utf-8", "replace")
        if done.returncode != 0:
            raise RuntimeError(f"dendro ended with {done.returncode}:\n{text[-6000:]}")
        return self._parse(text, len(statements))

    @staticmethod
    def _parse(text, count):
        outcomes, now, quiet = [], Outcome(), False
        for line in text.split("\n"):
            if line.startswith(MARK):
                outcomes.append(now)
                now, quiet = Outcome(), False
                continue
            error = re.match(r"ERROR:  (\w{5}): (.*)", line)
            if error:
                now.sqlstate, now.message, quiet = error.group(1), error.group(2), True
                now.rows = []
            elif not quiet and not line.startswith(("WARNING:", "NOTICE:", "HINT:", "LOG:")):
                now.rows.append([_unescape(f) for f in line.split("\t")])
        if len(outcomes) != count:
            raise RuntimeError(f"dendro answered {len(outcomes)} of {count} statements:\n{text[-3000:]}")
        return outcomes


class Session:
    """A session of PostgreSQL, one statement after the other: `with Session(cluster) as s: s.run(statement)`."""

    def __init__(self, cluster):
        self.psql = cluster.session()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.psql.stdin.close()
        self.psql.wait()
        self.psql.stdout.close()

    def run(self, statement):
        self.psql.stdin.write(f"{statement};\n\\echo '{MARK}':SQLSTATE\n")
        self.psql.stdin.flush()
        rows = []
        for line in self.psql.stdout:
            line = line.rstrip("\n")
            if line.startswith(MARK):
                state = line[len(MARK):].strip()
                return Outcome(rows) if state == "00000" else Outcome([], state)
            rows.append([None if f == "\\N" else f for f in line.split("\x1f")])
        raise RuntimeError(f"psql ended at {statement}")


class Postgres:
    def __init__(self, cluster):
        self.cluster = cluster

    def run(self, statements):
        script = "".join(f"{s};\n\\echo '{MARK}{i} ':SQLSTATE\n" for i, s in enumerate(statements))
        outcomes, rows = [], []
        for line in self.cluster.run(script).split("\n"):
            if line.startswith(MARK):
                state = line.split()[-1]
                ok = state == "00000"
                outcomes.append(Outcome(rows if ok else [], None if ok else state))
                rows = []
            else:
                rows.append([None if f == "\\N" else f for f in line.split("\x1f")])
        if len(outcomes) != len(statements):
            raise RuntimeError(f"psql answered {len(outcomes)} of {len(statements)} statements")
        return outcomes
