# SPDX-License-Identifier: Apache-2.0
"""Tables, and how each peer keeps them: what a user of that peer would write, with a key, an order or indexes where
that user would make them."""

# Kinds of columns. `tag`: a text of few values; `series`: one that tells very many series apart; `second`: a time without fractions.
TYPES = {
    "dendro": {"series": "VARCHAR", "time": "TIMESTAMP", "second": "TIMESTAMP", "date": "DATE", "tag": "VARCHAR", "text": "VARCHAR", "double": "DOUBLE",
               "small": "SMALLINT", "int": "INTEGER", "bigint": "BIGINT", "money": "DECIMAL(15, 2)"},
    "duckdb": {"series": "VARCHAR", "time": "TIMESTAMP", "second": "TIMESTAMP", "date": "DATE", "tag": "VARCHAR", "text": "VARCHAR", "double": "DOUBLE",
               "small": "SMALLINT", "int": "INTEGER", "bigint": "BIGINT", "money": "DECIMAL(15, 2)"},
    "clickhouse": {"series": "String", "time": "DateTime64(3)", "second": "DateTime", "date": "Date", "tag": "LowCardinality(String)", "text": "String",
                   "double": "Float64", "small": "Int16", "int": "Int32", "bigint": "Int64", "money": "Decimal(15, 2)"},
    "questdb": {"series": "SYMBOL CAPACITY 2097152", "time": "TIMESTAMP", "second": "TIMESTAMP", "date": "DATE", "tag": "SYMBOL", "text": "VARCHAR", "double": "DOUBLE",
                "small": "SHORT", "int": "INT", "bigint": "LONG", "money": "DECIMAL(15, 2)"},
    "postgres": {"series": "text", "time": "timestamp", "second": "timestamp", "date": "date", "tag": "text", "text": "text", "double": "float8",
                 "small": "int2", "int": "int4", "bigint": "int8", "money": "numeric(15, 2)"},
}


class Table:
    """columns: (name, kind). key: of Dendro, as it stands in CREATE TABLE; None: a table without a key. not_null: the
    columns of that key. order: ORDER BY of ClickHouse; part: its PARTITION BY. indexes: of PostgreSQL, the first one may be
    "PRIMARY KEY (…)". clock: the designated time stamp of QuestDB."""

    def __init__(self, name, columns, *, key=None, not_null=(), order=(), part=None, indexes=(), clock=None):
        self.name, self.columns = name, columns
        self.key, self.not_null = key, not_null
        self.order, self.part, self.indexes, self.clock = order, part, indexes, clock

    def _columns(self, engine):
        return [(n, TYPES[engine][k]) for n, k in self.columns]

    def create(self, engine):
        """Statements that make it."""
        return getattr(self, "_create_" + engine)()

    def _create_dendro(self):
        parts = [f"{n} {t}" + (" NOT NULL" if n in self.not_null else "") for n, t in self._columns("dendro")]
        return [f"CREATE TABLE {self.name} ({', '.join(parts + ([self.key] if self.key else []))})"]

    def _create_duckdb(self):
        # Without a key: an index of DuckDB slows its load and helps none of its scans, as its own guide says.
        return [f"CREATE TABLE {self.name} ({', '.join(f'{n} {t}' for n, t in self._columns('duckdb'))})"]

    def _create_clickhouse(self):
        columns = ", ".join(f"{n} {t}" for n, t in self._columns("clickhouse"))
        part = f" PARTITION BY {self.part}" if self.part else ""
        return [f"CREATE TABLE {self.name} ({columns}) ENGINE = MergeTree{part} ORDER BY ({', '.join(self.order) or 'tuple()'}) "
                "SETTINGS fsync_after_insert = 1, fsync_part_directory = 1"]

    def _create_questdb(self):
        clock = f" TIMESTAMP({self.clock}) PARTITION BY DAY" if self.clock else ""
        return [f"CREATE TABLE {self.name} ({', '.join(f'{n} {t}' for n, t in self._columns('questdb'))}){clock}"]

    def _create_postgres(self):
        return [f"CREATE TABLE {self.name} ({', '.join(f'{n} {t}' for n, t in self._columns('postgres'))})"]

    def index_postgres(self):
        """After the load, as its manual advises."""
        out = []
        for number, text in enumerate(self.indexes):
            if text.startswith("PRIMARY KEY"):
                out.append(f"ALTER TABLE {self.name} ADD {text}")
            else:
                out.append(f"CREATE INDEX {self.name}_{number} ON {self.name} {text}")
        return out
