// SPDX-License-Identifier: Apache-2.0
// csv.ts: the beginning of a CSV text, for a preview, and the table that a person makes of it. The server
// reads the text itself; nothing of the page is in here.
import { quoteName } from "./text.ts";

/** The beginning of a file as a text, in the encoding that the server has found. */
export function decode(bytes: ArrayBuffer, encoding: string): string {
  const label = { latin1: "windows-1252", win1252: "windows-1252", utf16le: "utf-16le", utf16be: "utf-16be" }[encoding] ?? "utf-8";
  return new TextDecoder(label).decode(bytes);
}

/** The first records of a text; quoted cells may hold anything. */
export function records(text: string, delimiter: string, quote: string, max: number): string[][] {
  const found: string[][] = [];
  let record: string[] = [];
  let cell = "";
  let quoted = false;
  const endCell = () => {
    record.push(cell);
    cell = "";
  };
  for (let i = 0; i < text.length && found.length < max; i++) {
    const c = text[i] as string;
    if (quoted) {
      if (c !== quote) cell += c;
      else if (text[i + 1] === quote) cell += text[i++];
      else quoted = false;
    } else if (c === quote && cell === "") quoted = true;
    else if (c === delimiter) endCell();
    else if (c === "\n") {
      if (cell.endsWith("\r")) cell = cell.slice(0, -1);
      endCell();
      if (record.length > 1 || record[0] !== "") found.push(record);
      record = [];
    } else cell += c;
  }
  if (found.length < max && (cell || record.length)) {
    endCell();
    found.push(record);
  }
  return found;
}

/** A name for a table out of the name of a file. */
export function tableName(file: string): string {
  const name = file.replace(/(\.(csv|tsv|txt|ndjson|jsonl|parquet))?(\.gz|\.zst)?$/i, "").toLowerCase().replace(/[^\p{L}\p{N}_]+/gu, "_").replace(/^_+|_+$/g, "");
  return /^[\p{L}_]/u.test(name) ? name.slice(0, 60) : `t_${name}`.slice(0, 60);
}

export type Role = "" | "series" | "time";

export interface Planned {
  name: string;
  type: string;
  role: Role;
}

export interface Plan {
  table: string;
  columns: Planned[];
  /** As in "1 h". */
  quantum: string;
}

export const QUANTA = ["1 m", "15 m", "1 h", "6 h", "1 d", "7 d", "30 d"];
export const TYPES = ["VARCHAR", "DOUBLE", "BIGINT", "INTEGER", "BOOLEAN", "TIMESTAMP", "TIMESTAMP(6)", "TIMESTAMP(9)", "DATE", "NUMERIC", "UUID"];

function keyOf(plan: Plan): string | null {
  const series = plan.columns.filter((c) => c.role === "series").map((c) => quoteName(c.name));
  const time = plan.columns.find((c) => c.role === "time");
  if (!time) return series.length ? `PRIMARY KEY (${series.join(", ")})` : null;
  const t = quoteName(time.name);
  const [number, unit] = plan.quantum.split(" ");
  const quantum = `QUANTUM(${t}, ${number}, '${unit}')`;
  return `PRIMARY KEY ((${[...series, quantum].join(", ")}), ${[...series, t].join(", ")})`;
}

export function createTable(plan: Plan): string {
  const lines = plan.columns.map((c) => `    ${quoteName(c.name)} ${c.type}${c.role ? " NOT NULL" : ""}`);
  const key = keyOf(plan);
  if (key) lines.push(`    ${key}`);
  return `CREATE TABLE ${quoteName(plan.table)} (\n${lines.join(",\n")}\n)`;
}
