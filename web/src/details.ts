// SPDX-License-Identifier: Apache-2.0
// details.ts: one table from near: its key, its quanta, its slabs, what it costs.
import { ask, askAll, errorFrom, type Row } from "./api.ts";
import { fill, h, icon } from "./dom.ts";
import { rings, RINGS_MAX, type Slab } from "./rings.ts";
import { type Table, writtenName } from "./schema.ts";
import { bytes, count, plural, quoteName } from "./text.ts";

interface KeyColumn {
  name: string;
  type: string;
  partition: number | null;
  local: number | null;
  quantum: string | null;
  descending: boolean;
}

export interface Details {
  columns: KeyColumn[];
  slabs: Slab[];
  slabsCount: number;
  retention: string | null;
  create: string;
}

function keyColumn(row: Row): KeyColumn {
  const [name, type, , partition, local, interval, unit, order] = row as [
    string, string, boolean, number | null, number | null, number | null, string | null, string | null,
  ];
  return { name, type, partition, local, quantum: interval === null ? null : `${interval} ${unit}`, descending: order === "DESC" };
}

function slabOf(row: Row): Slab {
  const [start, end, rows, size, inMemory, goesAt] = row as [string | null, string | null, number, number, number, string | null];
  return { start, end, rows: Number(rows), bytes: Number(size), inMemory: Number(inMemory), goesAt };
}

const SLABS = `SELECT partition_start, partition_end, rows, bytes, rows_in_memory, goes_at, retention, count(*) OVER ()
FROM dendro_partitions WHERE schemaname = $1 AND tablename = $2 ORDER BY partition_start DESC LIMIT ${RINGS_MAX}`;

export async function loadDetails(table: Table): Promise<Details> {
  const name = writtenName(table);
  const [described, created] = await askAll(`DESCRIBE ${name}; SHOW CREATE TABLE ${name}`);
  // A role without the right to read the table sees no slabs.
  const slabs = await ask(SLABS, [table.schema, table.name]).catch(() => null);
  return {
    columns: (described?.rows ?? []).map(keyColumn),
    create: String(created?.rows[0]?.[0] ?? ""),
    slabs: (slabs?.rows ?? []).map(slabOf),
    slabsCount: Number(slabs?.rows[0]?.[7] ?? 0),
    retention: (slabs?.rows[0]?.[6] ?? null) as string | null,
  };
}

/** The key as a person says it: what keeps rows together, and in which order they lie. */
function keyLines(columns: KeyColumn[]): [string, string][] {
  const by = (key: "partition" | "local") =>
    columns.filter((c) => c[key] !== null).sort((a, b) => (a[key] as number) - (b[key] as number));
  const parts = by("partition").filter((c) => !c.quantum).map((c) => c.name);
  const quantum = columns.find((c) => c.quantum);
  const order = by("local").map((c) => c.name + (c.descending ? " ↓" : ""));
  const lines: [string, string][] = [];
  if (parts.length > 0) lines.push(["Series", parts.join(", ")]);
  if (quantum) lines.push(["Quantum", `${quantum.quantum} of ${quantum.name}`]);
  if (order.length > 0) lines.push(["Order", order.join(", ")]);
  return lines;
}

function facts(table: Table, details: Details): HTMLElement {
  const lines: [string, string][] = [...keyLines(details.columns)];
  lines.push(["Rows", count(table.rows)], ["Size", bytes(table.bytes)]);
  if (details.slabsCount > 0) lines.push(["Slabs", count(details.slabsCount)]);
  if (details.retention) lines.push(["Retention", details.retention]);
  return h("dl", { class: "facts" }, ...lines.flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]));
}

export interface DetailHooks {
  insert: (text: string) => void;
  edit: (text: string) => void;
}

/** The element of a table's details; it is filled when the server has told them. */
export function detailsElement(table: Table, hooks: DetailHooks): HTMLElement {
  const element = h("div", { class: "entry-body" });
  const columnList = (keys: Map<string, KeyColumn>) =>
    h(
      "ul",
      { class: "columns", "aria-label": `Columns of ${table.name}` },
      ...table.columns.map((column) => {
        const key = keys.get(column.name);
        const inKey = key && (key.partition !== null || key.local !== null);
        return h(
          "li",
          {},
          h(
            "button",
            { type: "button", title: inKey ? "In the key. Put into the editor" : "Put into the editor", on: { click: () => hooks.insert(quoteName(column.name)) } },
            inKey ? icon("key") : h("span", { class: "no-icon" }), h("span", {}, column.name), h("small", {}, (key?.type ?? column.type).toLowerCase()),
          ),
        );
      }),
    );
  fill(element, columnList(new Map()));
  if (table.kind === "view") return element;
  loadDetails(table).then(
    (details) => {
      fill(
        element,
        columnList(new Map(details.columns.map((c) => [c.name, c]))),
        h(
          "div",
          { class: "facts-row" },
          facts(table, details),
          details.slabs.length > 0 &&
            h("figure", { class: "slabs" }, rings(details.slabs),
              details.slabsCount > RINGS_MAX && h("figcaption", {}, `the newest ${RINGS_MAX} of ${plural(details.slabsCount, "slab")}`)),
        ),
        h("div", { class: "entry-tools" },
          h("button", { type: "button", class: "link", on: { click: () => hooks.edit(details.create + "\n") } }, "CREATE TABLE")),
      );
    },
    (error: unknown) => element.append(h("p", { class: "panel-note" }, errorFrom(error).message)),
  );
  return element;
}
