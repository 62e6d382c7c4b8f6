// SPDX-License-Identifier: Apache-2.0
// chartdata.ts: rows become lines: which columns, which buckets, which points. Nothing of the page.
import type { Column, Row, Value } from "./api.ts";
import { isNumber, isTime } from "./cells.ts";
import { quoteName } from "./text.ts";

/** Columns of a result, by their place; series null: one line. */
export interface Choice {
  time: number;
  value: number;
  series: number | null;
}

/** Times in seconds, ascending; for each series a value or null for each of them. */
export interface Lines {
  times: number[];
  names: string[];
  values: (number | null)[][];
  /** Series that there were beyond SERIES_MAX. */
  left: number;
}

export interface Range {
  from: number;
  to: number;
}

export const SERIES_MAX = 16;
const SAMPLE_ROWS = 2000;
const POINTS = 320; // that a chart aims at

// Date, time to the millisecond, zone: "2024-01-01T00:00:00.000000Z", "2024-01-01 00:00:00+00", "2024-01-01".
const TIME = /^(\d{4,6}-\d\d-\d\d)(?:[ T](\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?)\d*)?(Z|[+-]\d\d(?::\d\d)?)?$/;

/** Seconds of a time, a date or a number of seconds; NaN: it is none. */
export function seconds(value: Value): number {
  if (typeof value === "number") return value;
  if (typeof value !== "string") return NaN;
  const [, date, time, zone] = TIME.exec(value) ?? [];
  if (!date) return NaN;
  // What has no zone is drawn as it is written, whatever the browser's zone.
  return Date.parse(`${date}T${time ?? "00:00"}${zone ? zone.padEnd(zone === "Z" ? 1 : 6, ":00") : "Z"}`) / 1000;
}

function distinct(rows: Row[], column: number): number {
  return new Set(rows.slice(0, SAMPLE_ROWS).map((row) => row[column])).size;
}

/** The columns that a person would pick; null: there is nothing to draw. */
export function guess(columns: Column[], rows: Row[]): Choice | null {
  const time = columns.findIndex((c) => isTime(c.type));
  const numbers = columns.flatMap((c, i) => (isNumber(c.type) ? [i] : []));
  const value = numbers.find((i) => /^(DOUBLE|REAL|NUMERIC)/.test(columns[i]?.type ?? "")) ?? numbers[0];
  if (time < 0 || value === undefined) return null;
  const series = columns.findIndex((c, i) => {
    const kinds = /^(VARCHAR|CHAR|NAME|TEXT|ENUM|BOOLEAN)/.test(c.type) ? distinct(rows, i) : 0;
    return kinds > 1 && kinds <= SERIES_MAX;
  });
  return { time, value, series: series < 0 ? null : series };
}

/** Lines out of rows; several values of a series at one time become their mean. */
export function linesOf(rows: Row[], choice: Choice, name: string): Lines {
  const series = new Map<string, Map<number, [sum: number, count: number]>>();
  const times = new Set<number>();
  for (const row of rows) {
    const time = seconds(row[choice.time] ?? null);
    const cell = row[choice.value] ?? null;
    const value = cell === null ? NaN : Number(cell);
    if (Number.isNaN(time)) continue;
    const key = choice.series === null ? name : String(row[choice.series] ?? "NULL");
    const points = series.get(key) ?? new Map<number, [number, number]>();
    if (!series.has(key)) series.set(key, points);
    if (series.size <= SERIES_MAX) times.add(time);
    if (Number.isNaN(value)) continue;
    const point = points.get(time);
    if (point) {
      point[0] += value;
      point[1]++;
    } else points.set(time, [value, 1]);
  }
  const sorted = [...times].sort((a, b) => a - b);
  const names = [...series.keys()].slice(0, SERIES_MAX);
  const values = names.map((key) =>
    sorted.map((time) => {
      const point = series.get(key)?.get(time);
      return point ? point[0] / point[1] : null;
    }),
  );
  return { times: sorted, names, values, left: series.size - names.length };
}

/** Points of a series that are drawn; of more, those that give the line its shape. */
export const POINTS_MAX = 1500;

/**
 * Which of the points of a line are drawn, `max` of them (largest triangle three buckets, Steinarsson 2013): the line
 * is cut into stretches of as many points, and of each that one stays which makes the largest triangle with the one
 * that stayed before and the middle of the next stretch. Peaks stay peaks, which means would flatten.
 */
export function lttb(x: number[], y: number[], max: number): number[] {
  const n = x.length;
  if (n <= max || max < 3) return x.map((_, i) => i);
  const kept = [0];
  const stretch = (n - 2) / (max - 2);
  const begin = (bucket: number) => Math.floor(bucket * stretch) + 1;
  for (let bucket = 0; bucket < max - 2; bucket++) {
    const [from, to, end] = [begin(bucket), begin(bucket + 1), Math.min(begin(bucket + 2), n)];
    let [nextX, nextY] = [0, 0];
    for (let i = to; i < end; i++) {
      nextX += (x[i] as number) / (end - to);
      nextY += (y[i] as number) / (end - to);
    }
    const [lastX, lastY] = [x[kept.at(-1) as number] as number, y[kept.at(-1) as number] as number];
    let [best, area] = [from, -1];
    for (let i = from; i < to; i++) {
      const triangle = Math.abs((lastX - nextX) * ((y[i] as number) - lastY) - (lastX - (x[i] as number)) * (nextY - lastY));
      if (triangle > area) [best, area] = [i, triangle];
    }
    kept.push(best);
  }
  kept.push(n - 1);
  return kept;
}

/** Lines within a range, each with POINTS_MAX points at most. */
export function thinned(lines: Lines, range: Range | null): { lines: Lines; points: number; of: number } {
  const points = new Map<number, (number | null)[]>();
  let [drawn, of] = [0, 0];
  lines.values.forEach((values, series) => {
    const [x, y]: [number[], number[]] = [[], []];
    values.forEach((value, i) => {
      const time = lines.times[i] as number;
      if (value === null || (range && (time < range.from || time > range.to))) return;
      x.push(time);
      y.push(value);
    });
    const kept = lttb(x, y, POINTS_MAX);
    [drawn, of] = [drawn + kept.length, of + x.length];
    for (const i of kept) {
      const at = x[i] as number;
      const row = points.get(at) ?? lines.names.map(() => null);
      row[series] = y[i] as number;
      points.set(at, row);
    }
  });
  const times = [...points.keys()].sort((a, b) => a - b);
  const values = lines.names.map((_, series) => times.map((time) => points.get(time)?.[series] ?? null));
  return { lines: { ...lines, times, values }, points: drawn, of };
}

// Widths that a person would choose, in seconds.
const WIDTHS = [
  0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200,
  10800, 21600, 43200, 86400, 2 * 86400, 7 * 86400, 14 * 86400, 30 * 86400, 90 * 86400, 365 * 86400,
];

/** The width of buckets for a range of so many seconds. */
export function bucketFor(span: number): number {
  return WIDTHS.find((width) => span / width <= POINTS) ?? (WIDTHS.at(-1) as number);
}

/** A width as SQL has it, and as a person reads it. */
export function widthText(width: number): string {
  const units: [number, string][] = [[86400, "day"], [3600, "hour"], [60, "minute"], [1, "second"], [0.001, "millisecond"]];
  const [unit, name] = units.find(([u]) => width >= u) ?? [0.001, "millisecond"];
  const n = Math.round(width / unit);
  return `${n} ${name}${n === 1 ? "" : "s"}`;
}

const TOKEN = /--[^\n]*|\/\*[^]*?\*\/|'(?:[^']|'')*'|"(?:[^"]|"")*"|[^]/g;

/** A statement without comments and what ends it; null: it is none that gives rows to another. */
export function asSubquery(text: string): string | null {
  const tokens = (text.match(TOKEN) ?? []).filter((token) => !/^(--|\/\*)/.test(token));
  const end = tokens.indexOf(";");
  const statement = tokens.slice(0, end < 0 ? undefined : end).join("").trim();
  const rest = end < 0 ? "" : tokens.slice(end + 1).join("").trim();
  return rest === "" && /^(select|with|values|table|\()/i.test(statement) ? statement : null;
}

const OWN_BUCKET = /(\btime_bucket\(\s*interval\s+)'([^']+)'/gi;

/** Has the statement buckets of its own, which a zoom makes narrower? */
export function hasBucket(statement: string | null): boolean {
  return statement !== null && withWidth(statement, 60) !== null;
}

/** The statement with another width in its own time_bucket; null: it has none, or several. */
function withWidth(statement: string, width: number): string | null {
  const widths = new Set(Array.from(statement.matchAll(OWN_BUCKET), (match) => match[2]));
  return widths.size === 1 ? statement.replace(OWN_BUCKET, `$1'${widthText(width)}'`) : null;
}

/**
 * The query for a range: time, series, value, in buckets of the right width. A statement that has buckets
 * of its own gets narrower ones; of other rows means are taken. Null: the column is no time stamp.
 */
export function rangeQuery(statement: string, columns: Column[], choice: Choice, range: Range): string | null {
  const time = columns[choice.time];
  const value = columns[choice.value];
  const series = choice.series === null ? null : columns[choice.series];
  if (!time?.type.startsWith("TIMESTAMP") || !value) return null;
  const [t, v, s] = [quoteName(time.name), quoteName(value.name), series ? quoteName(series.name) : "NULL"];
  const literal = (at: number) => `${time.type} '${new Date(at * 1000).toISOString()}'`;
  const width = bucketFor(range.to - range.from);
  const narrower = withWidth(statement, width);
  const from = narrower ? range.from - width : range.from;
  return [
    narrower ? `SELECT ${t}, ${s}, ${v}` : `SELECT time_bucket(INTERVAL '${widthText(width)}', ${t}), ${s}, avg(${v})`,
    `FROM (${narrower ?? statement}\n) AS q`,
    `WHERE ${t} >= ${literal(from)} AND ${t} <= ${literal(range.to)}`,
    narrower ? "ORDER BY 1" : `GROUP BY 1${series ? ", 2" : ""} ORDER BY 1`,
  ].join("\n");
}
