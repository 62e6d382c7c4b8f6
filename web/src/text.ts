// SPDX-License-Identifier: Apache-2.0
// text.ts: numbers, sizes and names as a person reads them.
import { reserved } from "dendro:words";

const mustQuote = new Set(reserved);
const counts = new Intl.NumberFormat("en-US");

export function count(n: number): string {
  return counts.format(n);
}

export function plural(n: number, one: string, many = one + "s"): string {
  return `${count(n)} ${n === 1 ? one : many}`;
}

export function bytes(n: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let unit = 0;
  while (n >= 1000 && unit < units.length - 1) {
    n /= 1000;
    unit++;
  }
  return `${unit === 0 || n >= 100 ? Math.round(n) : n.toFixed(1)} ${units[unit]}`;
}

export function duration(ms: number): string {
  if (ms < 10) return `${ms.toFixed(1)} ms`;
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(2)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`;
}

/** What is left of a long wait, roughly. */
export function timeLeft(seconds: number): string {
  if (seconds < 2) return "a moment left";
  if (seconds < 90) return `about ${Math.round(seconds)} s left`;
  return `about ${Math.round(seconds / 60)} min left`;
}

/** A name as SQL wants it: in quotes if it must. */
export function quoteName(name: string): string {
  if (/^[a-z_][a-z0-9_]*$/i.test(name) && !mustQuote.has(name.toLowerCase())) return name;
  return `"${name.replaceAll('"', '""')}"`;
}

export function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
