# SPDX-License-Identifier: Apache-2.0
"""Sequences of statements, in which what one does depends on those before it: tables, views and sequences that come and
go, temporary ones made in every way there is, transaction blocks, savepoints, cursors, prepared statements, search_path.

The generator remembers what is there, and hears from PostgreSQL which statements failed, so that most succeed; a seed gives
one sequence all the same. Statements are the same text on both sides. Tables have no primary key: a second row of a key
is another thing here. What is prepared names its schema: whether a plan sees a temporary table that was made since is
a matter of PostgreSQL's cache."""
import copy
import re

SESSION = 100  # statements; then the database is closed and opened again, and what was the session's is gone
SCHEMAS = re.compile(r"pg_temp_\d+(_\d+)?")


class State:
    """What the generator believes to be there."""

    def __init__(self):
        self.rels = {}      # name: (kind, temporary); kind t(able), v(iew), s(equence)
        self.cursors = {}   # name: (with hold, of this block)
        self.commits = {}   # temporary tables that the end of a transaction drops


class Blocks:
    def __init__(self, rng):
        self.rng = rng
        self.state = State()
        self.prepared = set()
        self.saves = []      # (name, state then)
        self.before = None   # state at BEGIN; None: no block
        self.failed = False  # the block is believed to have failed
        self.made = 0

    def new_session(self):
        if self.before is not None:
            self.state = self.before
        self.before, self.saves, self.failed, self.prepared = None, [], False, set()
        self.state.rels = {n: r for n, r in self.state.rels.items() if not r[1]}
        self.state.cursors, self.state.commits = {}, {}

    # ---- names ----

    def some(self, kind):
        """One that is there, as a rule."""
        names = [n for n, (k, _) in self.state.rels.items() if k in kind]
        if names and self.rng.randrange(25):
            return self.rng.choice(sorted(names))
        return kind[0] + str(self.rng.randrange(4))

    def free(self, kind):
        names = [f"{kind}{i}" for i in range(4) if f"{kind}{i}" not in self.state.rels]
        return self.rng.choice(names) if names and self.rng.randrange(25) else f"{kind}{self.rng.randrange(4)}"

    def make(self, name, kind, temp):
        if name not in self.state.rels:
            self.state.rels[name] = (kind, temp)

    def temp(self):
        """A word for CREATE, a prefix of the name, and whether it is temporary."""
        how = self.rng.randrange(6)
        return (("TEMP ", "", True) if how < 2 else ("TEMPORARY ", "pg_temp.", True) if how == 2
                else ("", "pg_temp.", True) if how == 3 else ("", "", False))

    def query(self, kinds="tv"):
        rng = self.rng
        if rng.randrange(3) == 0:
            return f"SELECT {rng.randrange(9)} AS a, 'x{rng.randrange(9)}'::text AS b"
        if rng.randrange(4) == 0:
            return f"SELECT i AS a, 'y'::text AS b FROM generate_series(1, {rng.randrange(1, 8)}) AS g(i)"
        return f"SELECT a, b FROM {self.some(kinds)}"

    # ---- statements: each gives a text ----

    def create_table(self):
        word, prefix, temp = self.temp()
        name, rng = self.free("t"), self.rng
        ending = ""
        if temp and rng.randrange(3) == 0:
            ending = rng.choice([" ON COMMIT DROP", " ON COMMIT DELETE ROWS", " ON COMMIT PRESERVE ROWS"])
        how = rng.randrange(8)
        # Of a table that is there, PostgreSQL looks neither at ON COMMIT nor at what is to be executed.
        exists = "IF NOT EXISTS " if rng.randrange(8) == 0 and how != 4 and (word or not ending) else ""
        drops = ending.endswith("DROP")
        if not (drops and self.before is None):
            self.make(name, "t", temp)
            if drops:
                self.state.commits[name] = True
        if how < 2:
            return f"CREATE {word}TABLE {exists}{prefix}{name} (a INT, b TEXT){ending}"
        if how == 2:
            return f"CREATE {word}TABLE {exists}{prefix}{name} (a SERIAL, b TEXT DEFAULT 'd'){ending}"
        if how == 3:
            return f"CREATE {word}TABLE {exists}{prefix}{name} (LIKE {self.some('t')} INCLUDING DEFAULTS){ending}"
        if how == 4 and self.prepared:
            return f"CREATE {word}TABLE {exists}{prefix}{name}{ending} AS EXECUTE {rng.choice(sorted(self.prepared))}"
        if how == 5 and not ending:
            query = self.query().replace(" AS b", f" AS b INTO {word}{prefix}{name}", 1)
            if " INTO " not in query:
                query = query.replace("SELECT a, b ", f"SELECT a, b INTO {word}{prefix}{name} ", 1)
            return query
        data = rng.choice(["", "", "", " WITH NO DATA"])
        return f"CREATE {word}TABLE {exists}{prefix}{name}{ending} AS {self.query()}{data}"

    def create_view(self):
        word, prefix, temp = self.temp()
        name = self.free("v")
        self.make(name, "v", temp)
        replace = "OR REPLACE " if self.rng.randrange(4) == 0 else ""
        # A view over itself is refused here when it is made, there when it is read.
        return f"CREATE {replace}{word}VIEW {prefix}{name} AS {self.query('t' if replace else 'tv')}"

    def create_sequence(self):
        word, prefix, temp = self.temp()
        name = self.free("s")
        self.make(name, "s", temp)
        return f"CREATE {word}SEQUENCE {prefix}{name}"

    def schemas(self):
        """A schema of its own, in which nothing else of the generator is."""
        name = f"n{self.rng.randrange(2)}"
        return self.rng.choice([f"CREATE SCHEMA {name}", f"CREATE SCHEMA IF NOT EXISTS {name}",
                                f"CREATE TABLE {name}.x AS {self.query()}", f"SELECT a, b FROM {name}.x",
                                f"DROP SCHEMA {name} CASCADE", f"DROP SCHEMA IF EXISTS {name}",
                                f"SET search_path = {name}, public"])

    def drop(self):
        kind = self.rng.choice("ttvs")
        name = self.some(kind)
        word = {"t": "TABLE", "v": "VIEW", "s": "SEQUENCE"}[kind]
        exists = "IF EXISTS " if self.rng.randrange(3) == 0 else ""
        self.state.rels.pop(name, None)
        return f"DROP {word} {exists}{name}{' CASCADE' if self.rng.randrange(2) else ''}"

    def alter(self):
        name, rng = self.some("t"), self.rng
        how = rng.randrange(5)
        if how == 0:
            to = self.free("t")
            if name in self.state.rels and to not in self.state.rels:
                self.state.rels[to] = self.state.rels.pop(name)
            return f"ALTER TABLE {name} RENAME TO {to}"
        self.made += 1
        return [f"ALTER TABLE {name} ADD COLUMN c{self.made} INT DEFAULT {rng.randrange(9)}",
                f"ALTER TABLE {name} ALTER COLUMN b SET DEFAULT 'e'",
                f"ALTER TABLE {name} ALTER COLUMN a DROP DEFAULT",
                f"TRUNCATE {name}"][how - 1]

    def change(self):
        name, rng = self.some("t"), self.rng
        n = rng.randrange(20)
        return rng.choice([
            f"INSERT INTO {name} (a, b) VALUES ({n}, 'r{n}')",
            f"INSERT INTO {name} (a, b) VALUES ({n}, 'r{n}'), ({n + 1}, NULL)",
            f"INSERT INTO {name} (b) VALUES ('only')",
            f"INSERT INTO {name} (a, b) {self.query()}",
            f"UPDATE {name} SET a = a + 1 WHERE a < {n}",
            f"DELETE FROM {name} WHERE a > {n}",
            f"UPDATE {name} SET a = 10 / (a - {n})",
        ])

    def select(self):
        name = self.some("tv")
        return self.rng.choice([
            f"SELECT a, b FROM {name}",
            f"SELECT count(*), sum(a), max(b) FROM {name}",
            f"SELECT x.a, y.b FROM {name} AS x JOIN {self.some('tv')} AS y ON x.a = y.a",
            f"SELECT a, b FROM pg_temp.{name}",
            f"SELECT a, b FROM public.{name}",
            f"SELECT 100 / a FROM {name}",
        ])

    def sequence(self):
        name = self.some("s")
        return self.rng.choice([f"SELECT nextval('{name}')", f"SELECT nextval('{name}')", f"SELECT currval('{name}')",
                                f"SELECT setval('{name}', {self.rng.randrange(1, 50)})", "SELECT lastval()",
                                f"SELECT setval('{name}', {self.rng.randrange(1, 50)}, false)"])

    def declare(self):
        name = f"c{self.rng.randrange(4)}"
        hold = self.before is None or self.rng.randrange(2) == 0
        if self.rng.randrange(15) == 0:
            hold = not hold
        if hold or self.before is not None:
            self.state.cursors.setdefault(name, (hold, self.before is not None))
        query = f"SELECT a, b FROM {self.some('tv')} ORDER BY a, b"
        if self.rng.randrange(8) == 0:
            # Of a table: where a view is of constants PostgreSQL divides when it plans.
            query = f"SELECT 10 / (a - {self.rng.randrange(9)}) AS a FROM {self.some('t')} ORDER BY a"
        return f"DECLARE {name} SCROLL CURSOR {'WITH HOLD ' if hold else ''}FOR {query}"

    def fetch(self):
        names = sorted(self.state.cursors)
        name = self.rng.choice(names) if names and self.rng.randrange(25) else f"c{self.rng.randrange(4)}"
        if not names and self.rng.randrange(5):
            return self.declare()
        how = self.rng.randrange(10)
        if how == 0:
            self.state.cursors.pop(name, None)
            return f"CLOSE {name}"
        if how == 1 and self.rng.randrange(3) == 0:
            self.state.cursors.clear()
            return "CLOSE ALL"
        word = self.rng.choice(["", "2", "ALL", "PRIOR", "FIRST", "LAST", "ABSOLUTE 2", "RELATIVE -1", "BACKWARD ALL", "0"])
        return f"{'MOVE' if how == 2 else 'FETCH'} {word}{' FROM ' if word else ' '}{name}"

    def prepare(self):
        name, rng = f"p{self.rng.randrange(3)}", self.rng
        if name in self.prepared and rng.randrange(4):
            if rng.randrange(6):
                return f"EXECUTE {name}"
            self.prepared.discard(name)
            return f"DEALLOCATE {name}"
        self.prepared.add(name)
        return f"PREPARE {name} AS {self.query().replace(' FROM t', ' FROM public.t').replace(' FROM v', ' FROM public.v')}"

    def session(self):
        return self.rng.choice([
            "SET search_path = public", "SET search_path = pg_temp, public", "SET search_path = public, pg_temp",
            "RESET search_path", "SET LOCAL search_path = pg_temp, public", "SHOW search_path",
            "SELECT current_schemas(false)", "SELECT current_schemas(true)", "DISCARD TEMP", "DISCARD SEQUENCES",
            "SET work_mem = '1MB'", "SELECT name, is_holdable FROM pg_cursors", "SELECT name FROM pg_prepared_statements",
        ])

    # ---- blocks ----

    def begin(self):
        self.before, self.saves, self.failed = copy.deepcopy(self.state), [], False
        return "BEGIN"

    def end(self):
        good = self.rng.randrange(4) > 0
        if good and not self.failed:
            for name in self.state.commits:
                self.state.rels.pop(name, None)
            self.state.commits = {}
            self.state.cursors = {n: (h, False) for n, (h, b) in self.state.cursors.items() if h}
        else:
            self.state = self.before
        self.before, self.saves, self.failed = None, [], False
        return "COMMIT" if good else "ROLLBACK"

    def save(self):
        name = f"p{self.rng.randrange(3)}"
        self.saves.append((name, copy.deepcopy(self.state)))
        return f"SAVEPOINT {name}"

    def back(self):
        if not self.saves:
            return self.end()
        name = self.rng.choice(self.saves)[0]
        while self.saves[-1][0] != name:
            self.saves.pop()
        if self.rng.randrange(3) == 0 and not self.failed:
            self.saves.pop()
            return f"RELEASE {name}"
        self.state, self.failed = copy.deepcopy(self.saves[-1][1]), False
        return f"ROLLBACK TO {name}"

    def statement(self):
        self.undo = copy.deepcopy((self.state, self.before, self.saves, self.failed, self.prepared))
        self.last = self.choose()
        return self.last

    def answered(self, sqlstate):
        """What PostgreSQL said to the last statement."""
        if not sqlstate:
            return
        self.state, self.before, self.saves, self.failed, self.prepared = self.undo
        if self.last == "COMMIT" and self.before is not None:
            self.state, self.before, self.saves = self.before, None, []
        self.failed = self.before is not None

    def choose(self):
        rng = self.rng
        if self.before is None and rng.randrange(8) == 0:
            return self.begin()
        if self.before is not None and rng.randrange(14) == 0:
            return self.end()
        if self.before is not None and rng.randrange(7) == 0:
            return self.save()
        if self.before is not None and rng.randrange(9 if not self.failed else 2) == 0:
            return self.back()
        if self.failed and rng.randrange(3):
            return self.end()
        kinds = [(self.create_table, 5), (self.create_view, 2), (self.create_sequence, 1), (self.drop, 2), (self.alter, 2),
                 (self.change, 7), (self.select, 5), (self.sequence, 2), (self.declare, 3), (self.fetch, 6),
                 (self.prepare, 3), (self.session, 1), (self.schemas, 1)]
        return rng.choices([k for k, _ in kinds], [w for _, w in kinds])[0]()


# Both fail, and which fault is named first differs: PostgreSQL looks for the table before the query.
SAME_FAULT = {("26000", "42P07"), ("42P01", "42P07"), ("42P16", "42P07")}


def difference(statement, dendro, postgres):
    """None, or what differs."""
    if dendro.sqlstate != postgres.sqlstate:
        if (dendro.sqlstate, postgres.sqlstate) in SAME_FAULT:
            return None
        return (f"Dendro: {dendro.sqlstate or 'no error'} {dendro.message}, "
                f"PostgreSQL: {postgres.sqlstate or 'no error'}")
    ordered = statement.startswith("FETCH")
    a, b = ([[None if f is None else SCHEMAS.sub("pg_temp", f) for f in row] for row in side.rows]
            for side in (dendro, postgres))
    a = [[{"true": "t", "false": "f"}.get(f, f) for f in row] for row in a]
    if not ordered:
        a, b = (sorted(x, key=lambda row: [(f is None, f or "") for f in row]) for x in (a, b))
    return None if a == b else f"rows {a}, PostgreSQL has {b}"
