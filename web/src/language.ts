// SPDX-License-Identifier: Apache-2.0
// language.ts: Dendro's SQL for the editor: colours, and what can be completed where.
import type { Completion, CompletionContext, CompletionResult } from "@codemirror/autocomplete";
import { SQLDialect } from "@codemirror/lang-sql";
import { syntaxTree } from "@codemirror/language";
import type { EditorState } from "@codemirror/state";
import { functions, keywords, types } from "dendro:words";
import { drawn, draws } from "./picture.ts";
import type { Schema, Table } from "./schema.ts";
import { quoteName } from "./text.ts";

export const dialect = SQLDialect.define({
  keywords: [...keywords, "draw", "linechart", "areachart", "barchart", "pointchart"].join(" "),
  types: types.join(" "),
  builtin: ["quantum", ...functions.map(([name]) => name)].join(" "),
  operatorChars: "+-*/<>=~!@#%^&|`?",
  identifierQuotes: '"',
  doubleDollarQuotedStrings: true,
  charSetCasts: false,
});

export interface Span {
  from: number;
  to: number;
}

/** The statement at `position`, or the last before it; null: there is none. */
export function statementAt(state: EditorState, position: number): Span | null {
  let found: Span | null = null;
  for (let node = syntaxTree(state).topNode.firstChild; node; node = node.nextSibling) {
    if (node.name !== "Statement") continue;
    if (found && node.from > position) break;
    found = { from: node.from, to: node.to };
  }
  return found && pictureAround(state, found);
}

/** A DRAW is run with the queries behind it, and a query with the DRAWs before it. */
function pictureAround(state: EditorState, at: Span): Span {
  let picture: Span | null = null;
  for (let node = syntaxTree(state).topNode.firstChild; node; node = node.nextSibling) {
    if (node.name !== "Statement") continue;
    const text = state.sliceDoc(node.from, node.to);
    if (picture && drawn(text)) picture = { from: picture.from, to: node.to };
    else if (picture && at.from >= picture.from && at.from < picture.to) break;
    else picture = draws(text) ? { from: node.from, to: node.to } : null;
  }
  return picture && at.from >= picture.from && at.from < picture.to ? picture : at;
}

const NAME = String.raw`(?:"(?:[^"]|"")+"|[\p{L}_][\p{L}\p{N}_$]*)`;
const TABLES = new RegExp(
  String.raw`(?:\b(?:from|join|update|into|table|describe|from\s+only)\s+|,\s*)(${NAME}(?:\.${NAME})?)(?:\s+(?:as\s+)?(${NAME}))?`,
  "giu",
);

function unquote(name: string): string {
  return name.startsWith('"') ? name.slice(1, -1).replaceAll('""', '"') : name;
}

function findTable(schema: Schema, written: string): Table | undefined {
  const parts = written.match(new RegExp(NAME, "gu"))?.map(unquote) ?? [];
  const name = (parts.at(-1) ?? "").toLowerCase();
  const space = parts.length > 1 ? (parts[0] as string).toLowerCase() : null;
  return schema.tables.find(
    (t) => t.name.toLowerCase() === name && (space === null || t.schema.toLowerCase() === space),
  );
}

/** The tables that a statement names, by alias or name in small letters. */
export function tablesOf(schema: Schema, statement: string): Map<string, Table> {
  const found = new Map<string, Table>();
  for (const match of statement.matchAll(TABLES)) {
    const table = findTable(schema, match[1] as string);
    if (!table) continue;
    found.set(table.name.toLowerCase(), table);
    const alias = match[2] && unquote(match[2]).toLowerCase();
    if (alias && !keywords.includes(alias)) found.set(alias, table);
  }
  return found;
}

function columnsOf(table: Table, boost: number): Completion[] {
  return table.columns.map((c) => ({
    label: c.name,
    apply: quoteName(c.name),
    type: "property",
    detail: `${c.type} · ${table.name}`,
    boost,
  }));
}

function tableNames(tables: Table[]): Completion[] {
  return tables.map((t) => ({
    label: t.name,
    apply: quoteName(t.name),
    type: t.kind === "view" ? "interface" : "class",
    detail: t.kind,
    boost: 5,
  }));
}

/** Words of keys that the grammar reads as names. */
const KEY_WORDS: Completion[] = [
  {
    label: "QUANTUM",
    apply: "QUANTUM(",
    detail: "column, number, unit",
    info: "In a PRIMARY KEY: rows of one interval of time lie together, as in QUANTUM(time, 15, 'm').",
    type: "function",
  },
];

const WORDS: Completion[] = [
  ...KEY_WORDS,
  ...keywords.map((word) => ({ label: word.toUpperCase(), type: "keyword", boost: -1 })),
  ...types.map((type) => ({ label: type, type: "type", boost: -2 })),
  ...functions.map(([name, args, doc]) => ({
    label: name,
    apply: `${name}(`,
    detail: args,
    info: doc,
    type: "function",
  })),
];

function behindDot(schema: Schema, statement: string, owner: string): Completion[] {
  const name = unquote(owner).toLowerCase();
  const table = tablesOf(schema, statement).get(name) ?? findTable(schema, name);
  if (table) return columnsOf(table, 10);
  return tableNames(schema.tables.filter((t) => t.schema.toLowerCase() === name));
}

/** Completes columns of the tables that the statement names, tables, functions and keywords. */
export function completer(schema: () => Schema) {
  return (context: CompletionContext): CompletionResult | null => {
    const inside = syntaxTree(context.state).resolveInner(context.pos, -1).name;
    if (/Comment|String/.test(inside)) return null;
    const word = context.matchBefore(/[\p{L}_][\p{L}\p{N}_$]*/u);
    const from = word?.from ?? context.pos;
    const span = statementAt(context.state, context.pos);
    const statement = span ? context.state.sliceDoc(span.from, span.to) : "";
    const before = context.state.sliceDoc(Math.max(0, from - 200), from);
    const owner = new RegExp(`(${NAME})\\.$`, "u").exec(before)?.[1];
    const validFor = /^[\p{L}\p{N}_$]*$/u;
    if (owner) return { from, options: behindDot(schema(), statement, owner), validFor };
    if (!word && !context.explicit) return null;
    const named = new Set(tablesOf(schema(), statement).values());
    const columns = [...named].flatMap((table) => columnsOf(table, 20));
    return { from, options: [...columns, ...tableNames(schema().tables), ...WORDS], validFor };
  };
}
