// SPDX-License-Identifier: Apache-2.0
// cells.ts: values as texts: in the table, in the clipboard, in files.
import type { Column, Row, Value } from "./api.ts";

const NUMBERS = /^(SMALLINT|INTEGER|BIGINT|REAL|DOUBLE|NUMERIC|OID)/;

export function isNumber(type: string): boolean {
  return NUMBERS.test(type);
}

export function isTime(type: string): boolean {
  return type.startsWith("TIMESTAMP") || type === "DATE";
}

export function cellText(value: Value): string {
  if (value === null) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** Rows as spreadsheets take them from the clipboard. */
export function tabbed(rows: Row[], from: number, to: number): string {
  const cell = (v: Value) => cellText(v).replace(/[\t\n\r]+/g, " ");
  return rows.map((row) => row.slice(from, to + 1).map(cell).join("\t")).join("\n");
}

/** As the server writes CSV: NULL is empty, an empty text is "". */
function csvCell(value: Value): string {
  if (value === null) return "";
  const text = cellText(value);
  return text === "" || /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export function csv(columns: Column[], rows: Row[]): string {
  return [columns.map((c) => c.name), ...rows].map((row) => row.map(csvCell).join(",") + "\n").join("");
}

export function json(columns: Column[], rows: Row[]): string {
  const names = uniqueNames(columns);
  const object = (row: Row) => JSON.stringify(Object.fromEntries(names.map((name, i) => [name, row[i] ?? null])));
  return rows.length ? `[\n${rows.map(object).join(",\n")}\n]\n` : "[]\n";
}

/** Names of columns; those that come again get a number. */
function uniqueNames(columns: Column[]): string[] {
  const seen = new Map<string, number>();
  return columns.map(({ name }) => {
    const times = (seen.get(name) ?? 0) + 1;
    seen.set(name, times);
    return times === 1 ? name : `${name}_${times}`;
  });
}
