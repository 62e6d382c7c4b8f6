#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Object-relational mappers and tools that look at tables before they use them: SQLAlchemy, pandas, Django, and the texts
that consoles and dashboards send.

    test_orm.py DENDRO [CLASS...]   runs all, or these
    test_orm.py --list              the classes, one per line"""
import subprocess
import sys

import wirelib
from wirelib import ServerTest

SCHEMA = """CREATE TABLE kt (a INT PRIMARY KEY, b VARCHAR(10) UNIQUE, c NUMERIC(10, 2) DEFAULT 1.25, t TIMESTAMP(6), CHECK (b <> ''));
CREATE TABLE ser (id SERIAL PRIMARY KEY, v VARCHAR);
CREATE TABLE idn (id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, w VARCHAR);
CREATE TABLE ref (x INT PRIMARY KEY, r INT REFERENCES kt (a) ON DELETE CASCADE);
CREATE INDEX kt_ci ON kt (c, b);
CREATE VIEW vw AS SELECT a AS x, b FROM kt;
COMMENT ON TABLE kt IS 'the table';
COMMENT ON COLUMN kt.b IS 'the b'"""


class Orm(ServerTest):
    """SQLAlchemy: reflection, tables made and dropped, rows by the mapper; pandas on top of it."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        import sqlalchemy

        cls.engine = sqlalchemy.create_engine(f"postgresql://dendro@127.0.0.1:{cls.server.port}/dendro")
        with cls.engine.begin() as c:
            for statement in SCHEMA.split(";"):
                c.execute(sqlalchemy.text(statement))

    @classmethod
    def tearDownClass(cls):
        cls.engine.dispose()
        super().tearDownClass()

    def test_inspector(self):
        import sqlalchemy

        i = sqlalchemy.inspect(self.engine)
        self.assertEqual((i.get_view_names(), i.has_table("kt"), i.has_table("nothing")), (["vw"], True, False))
        self.assertEqual([(c["name"], str(c["type"]), c["nullable"], c["default"], c["comment"]) for c in i.get_columns("kt")],
                         [("a", "INTEGER", False, None, None), ("b", "VARCHAR(10)", True, None, "the b"),
                          ("c", "NUMERIC(10, 2)", True, "1.25", None), ("t", "TIMESTAMP", True, None, None)])
        self.assertEqual(i.get_pk_constraint("kt"), {"constrained_columns": ["a"], "name": "kt_pkey"})
        self.assertEqual([(f["constrained_columns"], f["referred_table"], f["referred_columns"], f["options"])
                          for f in i.get_foreign_keys("ref")], [(["r"], "kt", ["a"], {"ondelete": "CASCADE"})])
        self.assertEqual([(x["name"], x["unique"], x["column_names"]) for x in i.get_indexes("kt")],
                         [("kt_b_key", True, ["b"]), ("kt_ci", False, ["c", "b"])])
        self.assertEqual(i.get_unique_constraints("kt"), [{"name": "kt_b_key", "column_names": ["b"]}])
        self.assertEqual([c["name"] for c in i.get_check_constraints("kt")], ["kt_b_check"])
        self.assertEqual(i.get_table_comment("kt"), {"text": "the table"})
        self.assertTrue(i.get_columns("ser")[0]["autoincrement"])
        self.assertEqual(i.get_columns("idn")[0]["identity"],
                         {"always": True, "start": 1, "increment": 1, "minvalue": 1, "maxvalue": 2**63 - 1, "cache": 1, "cycle": False})
        self.assertEqual(i.get_sequence_names(), ["idn_id_seq", "ser_id_seq"])
        self.assertIn("SELECT kt.a AS x", i.get_view_definition("vw"))

    def test_reflect(self):
        import sqlalchemy

        m = sqlalchemy.MetaData()
        m.reflect(self.engine, only=["kt", "ser", "idn", "ref"])
        self.assertEqual(sorted(m.tables), ["idn", "kt", "ref", "ser"])
        self.assertEqual([f.target_fullname for f in m.tables["ref"].foreign_keys], ["kt.a"])
        self.assertEqual(m.tables["kt"].c.b.type.length, 10)

    def test_mapper(self):
        import sqlalchemy as sa
        from sqlalchemy.orm import Session, declarative_base

        base = declarative_base()

        class Part(base):
            __tablename__ = "part"
            id = sa.Column(sa.Integer, primary_key=True)
            name = sa.Column(sa.String(20), nullable=False, index=True)
            price = sa.Column(sa.Numeric(8, 2))
            made = sa.Column(sa.DateTime(timezone=True), server_default=sa.func.now())

        class Box(base):
            __tablename__ = "box"
            id = sa.Column(sa.Integer, sa.Identity(), primary_key=True)
            part = sa.Column(sa.Integer, sa.ForeignKey("part.id"))

        for _ in range(2):
            base.metadata.create_all(self.engine)
        with Session(self.engine) as s:
            parts = [Part(name="a", price=1.5), Part(name="b")]
            s.add_all(parts)
            s.flush()
            self.assertEqual([p.id for p in parts], [1, 2])
            self.assertIsNotNone(parts[0].made)
            s.add(Box(part=parts[0].id))
            s.commit()
            self.assertEqual([p.name for p in s.query(Part).join(Box, Box.part == Part.id)], ["a"])
            s.get(Part, 1).name = "z"
            s.commit()
            self.assertEqual(s.execute(sa.select(Part.name).order_by(Part.id)).all(), [("z",), ("b",)])
            self.assertEqual(s.execute(sa.insert(Part).values(name="q").returning(Part.id)).scalar(), 3)
            s.rollback()
            self.assertEqual(s.query(sa.func.count(Part.id)).scalar(), 2)
        with self.engine.connect() as c:
            rows = c.execution_options(stream_results=True).execute(sa.text("SELECT generate_series(1, 1000)"))
            self.assertEqual(sum(r[0] for r in rows), 500500)
        base.metadata.drop_all(self.engine)
        self.assertFalse(sa.inspect(self.engine).has_table("part"))

    def test_pandas(self):
        import pandas
        import sqlalchemy

        frame = pandas.DataFrame({"t": pandas.date_range("2024-01-01", periods=3, freq="h", tz="UTC"), "v": [1.5, 2.5, None], "s": list("abc")})
        for how in ("replace", "append"):
            frame.to_sql("frame", self.engine, index=False, if_exists=how)
        back = pandas.read_sql_table("frame", self.engine)
        self.assertEqual((back.shape, str(back.dtypes["t"]), str(back.dtypes["v"])), ((6, 3), "datetime64[ns, UTC]", "float64"))
        self.assertEqual(pandas.read_sql("SELECT sum(v) AS v FROM frame", self.engine)["v"][0], 8.0)
        with self.engine.begin() as c:
            c.execute(sqlalchemy.text("DROP TABLE frame"))


class Django(ServerTest):
    """inspectdb, migrate, a user."""
    SCRIPT = r"""
import io, sys
import django
from django.conf import settings
settings.configure(SECRET_KEY="x", USE_TZ=True, DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
    INSTALLED_APPS=["django.contrib.contenttypes", "django.contrib.auth"],
    DATABASES={"default": {"ENGINE": "django.db.backends.postgresql", "NAME": "dendro", "USER": "dendro", "HOST": "127.0.0.1", "PORT": sys.argv[1]}})
django.setup()
from django.core.management import call_command
from django.db import connection
call_command("migrate", verbosity=0)
from django.contrib.auth.models import User
u = User.objects.create_user("ann", "a@b.c", "pw")
u.is_staff = True
u.save()
print(u.pk, User.objects.filter(username__startswith="a", is_staff=True).count())
print(connection.introspection.get_sequences(connection.cursor(), "auth_user")[0]["name"])
out = io.StringIO()
call_command("inspectdb", "auth_user", "auth_permission", stdout=out)
print(*sorted(line.strip() for line in out.getvalue().splitlines() if "username =" in line or "ForeignKey(" in line), sep="\n")
u.delete()
print(User.objects.count())
"""

    def test_django(self):
        r = subprocess.run(["/usr/bin/python3", "-W", "ignore", "-c", self.SCRIPT, str(self.server.port)], capture_output=True, text=True,
                           timeout=240, check=False)
        self.assertEqual(r.returncode, 0, r.stderr)
        self.assertEqual(r.stdout.splitlines(), [
            "1 1", "auth_user_id_seq",
            "content_type = models.ForeignKey('DjangoContentType', models.DO_NOTHING)",
            "username = models.CharField(unique=True, max_length=150)", "0"])


class Texts(ServerTest):
    """Queries such as consoles and dashboards send: they must run, and say what is true."""

    def ask(self, sql):
        import psycopg2

        c = psycopg2.connect(host="127.0.0.1", port=self.server.port, user="dendro", dbname="dendro")
        try:
            c.autocommit = True
            cur = c.cursor()
            cur.execute(sql)
            return cur.fetchall() if cur.description else []
        finally:
            c.close()

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for statement in SCHEMA.split(";") + ["INSERT INTO kt VALUES (1, 'x', 2, '2024-01-01 00:07:00')"]:
            cls.ask(cls, statement)

    def test_grafana(self):
        tables = self.ask("""SELECT quote_ident(table_name) AS "table" FROM information_schema.tables
            WHERE quote_ident(table_schema) NOT IN ('information_schema', 'pg_catalog') AND quote_ident(table_schema) IN
            (SELECT CASE WHEN trim(s[i]) = '"$user"' THEN user ELSE trim(s[i]) END
             FROM generate_series(array_lower(string_to_array(current_setting('search_path'), ','), 1),
                                  array_upper(string_to_array(current_setting('search_path'), ','), 1)) AS i,
                  string_to_array(current_setting('search_path'), ',') s) ORDER BY 1""")
        self.assertEqual([t[0] for t in tables], ["idn", "kt", "ref", "ser", "vw"])
        self.assertEqual(self.ask("""SELECT column_name AS "column", data_type AS "type" FROM information_schema.columns
            WHERE quote_ident(table_name) = 'vw' ORDER BY 1"""), [("b", "text"), ("x", "integer")])
        self.assertEqual(self.ask("""SELECT floor(extract(epoch FROM t) / 300) * 300 AS "time", count(*) FROM kt
            WHERE t BETWEEN '2023-12-31T23:00:00Z' AND '2024-01-01T01:00:00.123456Z' GROUP BY 1"""), [(1704067500, 1)])

    def test_npgsql(self):
        """The query that loads types: which are arrays is told by how they are received."""
        rows = self.ask("""SELECT t.typname, CASE WHEN p.proname = 'array_recv' THEN 'a' ELSE t.typtype END AS kind, e.typname
            FROM pg_type t LEFT JOIN pg_class c ON c.oid = t.typrelid LEFT JOIN pg_proc p ON p.oid = t.typreceive
            LEFT JOIN pg_range r ON r.rngtypid = t.oid LEFT JOIN pg_type e ON e.oid = t.typelem
            WHERE t.typname IN ('int4', '_int4', 'timestamptz', '_text') ORDER BY 1""")
        self.assertEqual(rows, [("_int4", "a", "int4"), ("_text", "a", "text"), ("int4", "b", None), ("timestamptz", "b", None)])

    def test_consoles(self):
        """Whole rows of the catalog with columns of the same name twice, privileges by names put together, sizes, statistics."""
        for relation in ("pg_type", "pg_namespace", "pg_class", "pg_constraint", "pg_database", "pg_roles", "pg_am"):
            self.assertTrue(self.ask(f"SELECT x.oid, x.* FROM pg_catalog.{relation} x ORDER BY 1"), relation)
        self.assertEqual(self.ask("""SELECT t.tablename, has_any_column_privilege(current_user, '"' || t.schemaname || '"."' || t.tablename || '"', 'update'),
            has_table_privilege(current_user, quote_ident(t.schemaname) || '.' || quote_ident(t.tablename), 'delete')
            FROM pg_tables t WHERE t.schemaname !~ '^pg_' AND t.schemaname <> 'information_schema' AND tablename = 'kt'
            AND has_schema_privilege(current_user, t.schemaname, 'usage')"""), [("kt", True, True)])
        self.assertEqual(self.ask("""SELECT c.relname, i.indkey, pg_get_expr(i.indpred, i.indrelid), pg_stat_get_numscans(i.indexrelid)
            FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid WHERE i.indrelid = 'kt'::regclass ORDER BY 1"""),
                         [("kt_b_key", "2", None, 0), ("kt_ci", "3 2", None, 0), ("kt_pkey", "1", None, 0)])
        self.assertEqual(self.ask("SELECT current_database(), session_user, inet_server_port(), user"), [("dendro", "dendro", None, "dendro")])
        self.assertEqual(self.ask("""SELECT col_description(CAST(CAST(format('%I.%I', CAST(c.table_schema AS text), CAST(c.table_name AS text)) AS regclass)
            AS oid), c.ordinal_position) FROM information_schema.columns c WHERE c.table_name = 'kt' AND column_name = 'b'"""), [("the b",)])
        for view in ("pg_stat_database", "pg_stat_bgwriter", "pg_stat_activity", "pg_stat_user_tables", "pg_statio_user_tables"):
            self.ask(f"SELECT * FROM {view}")

    def test_json(self):
        """JSON is told to be JSON."""
        self.assertEqual(self.ask("SELECT json_build_object('a', 1, 'b', 'q\"'), json_build_array(NULL, 'x'), (SELECT json_build_object('k', a) FROM kt k WHERE k.a = o.a) FROM kt o"),
                         [({"a": 1, "b": 'q"'}, [None, "x"], {"k": 1})])


if __name__ == "__main__":
    wirelib.main(sys.modules[__name__])
