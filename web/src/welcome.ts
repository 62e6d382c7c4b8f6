// SPDX-License-Identifier: Apache-2.0
// welcome.ts: what a first visit shows: the newest of the rows there are, as a chart.
import { ask } from "./api.ts";
import { isNumber, isTime } from "./cells.ts";
import { bucketFor, seconds, widthText } from "./chartdata.ts";
import { type Schema, type Table, writtenName } from "./schema.ts";
import { quoteName } from "./text.ts";

const NOTHING = `-- There are no tables yet. Make one, or drop a CSV file on this page.
CREATE TABLE weather (
    station      VARCHAR   NOT NULL,
    time         TIMESTAMP NOT NULL,
    temperature  DOUBLE,
    PRIMARY KEY ((station, QUANTUM(time, 1, 'h')), station, time)
);
`;

interface Shape {
  table: Table;
  time: string;
  value: string;
  series: string | null;
}

/** A table that can be drawn: the one with the most rows. */
function shapeOf(tables: Table[]): Shape | null {
  const shapes = tables.flatMap((table) => {
    const time = table.columns.find((c) => isTime(c.type) && c.type !== "DATE");
    const value = table.columns.find((c) => isNumber(c.type) && /DOUBLE|REAL|NUMERIC/.test(c.type)) ?? table.columns.find((c) => isNumber(c.type));
    const series = table.columns.find((c) => c.type.startsWith("VARCHAR"));
    return table.kind === "table" && time && value ? [{ table, time: time.name, value: value.name, series: series?.name ?? null }] : [];
  });
  return shapes.sort((a, b) => b.table.rows - a.table.rows)[0] ?? null;
}

/** The text of the first tab, and whether it is to be run. */
export async function welcome(schema: Schema): Promise<{ text: string; run: boolean }> {
  const shape = shapeOf(schema.tables);
  if (!shape) return schema.tables.length === 0 ? { text: NOTHING, run: false } : { text: "", run: false };
  return { text: await lookAt(shape), run: shape.table.rows > 0 };
}

/** A first statement for a table: a chart of it if that can be, else its rows. */
export async function firstLook(table: Table): Promise<string> {
  const shape = shapeOf([table]);
  return shape ? lookAt(shape) : `SELECT * FROM ${writtenName(table)} LIMIT 1000;\n`;
}

async function lookAt(shape: Shape): Promise<string> {
  const [time, value] = [quoteName(shape.time), quoteName(shape.value)];
  const name = writtenName(shape.table);
  const bounds = await ask(`SELECT min(${time}), max(${time}) FROM ${name}`);
  const [from, to] = (bounds.rows[0] ?? []).map(seconds) as [number, number];
  const width = widthText(Math.max(60, bucketFor((to - from) * 2) || 60));
  const series = shape.series ? quoteName(shape.series) : null;
  return `-- A first look at ${shape.table.name}: means per ${width}. Ctrl-Enter runs it; drag over the chart to zoom in.
SELECT time_bucket(INTERVAL '${width}', ${time}) AS time${series ? `, ${series}` : ""}, avg(${value}) AS ${value}
FROM ${name}
GROUP BY 1${series ? ", 2 ORDER BY 1, 2" : " ORDER BY 1"};
`;
}
