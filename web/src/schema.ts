// SPDX-License-Identifier: Apache-2.0
// schema.ts: the tables there are, for the side panel and for completion.
import { askAll, type Column, type Row } from "./api.ts";
import { quoteName } from "./text.ts";

export interface Table {
  schema: string;
  name: string;
  kind: "table" | "view";
  rows: number;
  bytes: number;
  columns: Column[];
}

/** How the table is written in a statement. */
export function writtenName(table: Table): string {
  return table.schema === "public" ? quoteName(table.name) : `${quoteName(table.schema)}.${quoteName(table.name)}`;
}

export interface Schema {
  tables: Table[];
}

const VISIBLE = `c.relkind IN ('r', 'p', 'v', 'm')
  AND n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname NOT LIKE 'pg_temp%'`;

const QUERY = `
SELECT n.nspname, c.relname, c.relkind, c.reltuples,
       CASE WHEN c.relkind = 'v' THEN 0 ELSE pg_total_relation_size(c.oid) END
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE ${VISIBLE} ORDER BY n.nspname = 'public' DESC, 1, 2;
SELECT n.nspname, c.relname, a.attname, format_type(a.atttypid, a.atttypmod)
FROM pg_catalog.pg_attribute a
JOIN pg_catalog.pg_class c ON c.oid = a.attrelid
JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE a.attnum > 0 AND NOT a.attisdropped AND ${VISIBLE} ORDER BY a.attnum`;

// What PostgreSQL's clients are told, as Dendro calls it.
const SHORT: [RegExp, string][] = [
  [/^timestamp\((\d)\) with time zone$/, "TIMESTAMP($1)"],
  [/^timestamp with time zone$/, "TIMESTAMPTZ"],
  [/^timestamp without time zone$/, "TIMESTAMP"],
  [/^double precision$/, "DOUBLE"],
  [/^character varying/, "VARCHAR"],
  [/^text$/, "VARCHAR"],
  [/^bytea$/, "BLOB"],
];

export function shortType(type: string): string {
  for (const [long, short] of SHORT) {
    if (long.test(type)) return type.replace(long, short).replace("TIMESTAMP(3)", "TIMESTAMP");
  }
  return type.toUpperCase();
}

function tableOf(row: Row): Table {
  const [schema, name, kind, rows, bytes] = row as [string, string, string, number, number];
  return { schema, name, kind: kind === "v" ? "view" : "table", rows: Number(rows), bytes: Number(bytes), columns: [] };
}

export async function loadSchema(): Promise<Schema> {
  const [tables, columns] = await askAll(QUERY);
  const schema: Schema = { tables: (tables?.rows ?? []).map(tableOf) };
  const byName = new Map(schema.tables.map((t) => [`${t.schema}\0${t.name}`, t]));
  for (const [space, table, name, type] of (columns?.rows ?? []) as [string, string, string, string][]) {
    byName.get(`${space}\0${table}`)?.columns.push({ name, type: shortType(type) });
  }
  return schema;
}
