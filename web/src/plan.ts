// SPDX-License-Identifier: Apache-2.0
// plan.ts: EXPLAIN as a picture: what each step did, where the time went, what of a table was read and what was left out.
import type { ResultSet } from "./results.ts";
import { h } from "./dom.ts";
import { bytes, count, duration, plural } from "./text.ts";

/** A step, as EXPLAIN (FORMAT json) has it; times and rows only after ANALYZE. */
export interface Step {
  Operator?: string;
  Details?: string[];
  Rows?: number;
  "Rows expected"?: number;
  Loops?: number;
  "Time ns"?: number;
  "Own time ns"?: number;
  "Memory bytes"?: number;
  "Spilled bytes"?: number;
  "Rows read"?: number;
  "Blocks left out"?: number;
  "Vectors left out"?: number;
  "Blocks answered"?: number;
  "Vectors answered"?: number;
  "Bytes read"?: number;
  Input?: Step | string;
  Right?: Step | string;
}

export interface PlanDocument {
  Plan?: Step;
  CTEs?: Step[];
  Subqueries?: Step[];
  Warning?: string;
  "Planning Time"?: number;
  "Execution Time"?: number;
}

/** The statement that explains another: with what it does, unless it changes rows. */
export function explaining(statement: string): { text: string; before: number } {
  if (/^\s*explain\b/i.test(statement)) return { text: statement, before: 0 };
  const plain = statement.replace(/--[^\n]*|\/\*[^]*?\*\/|'(?:[^']|'')*'/g, " ");
  const reads = /^[\s(]*(select|with|values|table)\b/i.test(plain) && !/\b(insert|update|delete|merge|into)\b/i.test(plain);
  const prefix = reads ? "EXPLAIN (ANALYZE, FORMAT json) " : "EXPLAIN (FORMAT json) ";
  return { text: prefix + statement, before: prefix.length };
}

/** The plans in a result, if it has any. */
export function plansOf(set: ResultSet): PlanDocument[] | null {
  const text = set.rows[0]?.[0];
  if (set.columns.length !== 1 || set.columns[0]?.name !== "plan" || set.rows.length !== 1 || typeof text !== "string") return null;
  try {
    const plans = JSON.parse(text) as PlanDocument[];
    return Array.isArray(plans) && plans[0]?.Plan?.Operator !== undefined ? plans : null;
  } catch {
    return null; // the lines of FORMAT text
  }
}

function stepsOf(plan: PlanDocument): Step[] {
  const found: Step[] = [];
  const add = (step: Step | string | undefined) => {
    if (step === undefined || typeof step === "string") return;
    found.push(step);
    add(step.Input);
    add(step.Right);
  };
  for (const root of [plan.Plan, ...(plan.CTEs ?? []), ...(plan.Subqueries ?? [])]) add(root);
  return found;
}

const time = (ns: number) => (ns < 1e6 ? `${Math.max(1, Math.round(ns / 1e3))} µs` : duration(ns / 1e6));
const percent = (share: number) => `${Math.round(share * 100)}%`;

/** How far facts are from what was expected: 1 = as expected. */
function factorOff(expected: number, rows: number): number {
  const [a, b] = [Math.max(1, expected), Math.max(1, rows)];
  return Math.max(a / b, b / a);
}

const OFF = 10; // from here on it is worth a look

// ---- what was read ----

interface Part {
  name: string;
  read: number;
  of: number;
}

/** "slabs: 1 of 31, partitions: 2 of 16, …" of a scan. */
function partsOf(details: string[]): Part[] {
  const line = details.find((d) => /\b(slabs|blocks|segments): \d+ of \d+/.test(d)) ?? "";
  return [...line.matchAll(/(slabs|partitions|blocks|segments): (\d+) of (\d+)/g)].map(([, name, read, of]) => ({
    name: name as string, read: Number(read), of: Number(of),
  }));
}

function meter(share: number, kind: string): HTMLElement {
  const bar = h("span", { class: `plan-bar ${kind}`, "aria-hidden": "true" }, h("span", {}));
  (bar.firstElementChild as HTMLElement).style.setProperty("width", percent(Math.max(0, Math.min(1, share))));
  return bar;
}

function readElement(step: Step): HTMLElement | null {
  const parts = partsOf(step.Details ?? []).filter((part) => part.of > 0);
  const left = (name: string, n: number | undefined) => (n ? `${plural(n, name)} left out by least and greatest values` : "");
  const answered = (step["Blocks answered"] ?? 0) + (step["Vectors answered"] ?? 0);
  const more = [
    step["Rows read"] !== undefined && `${plural(step["Rows read"], "row")} read`,
    step["Bytes read"] ? `${bytes(step["Bytes read"])} from disk` : "",
    left("block", step["Blocks left out"]), left("vector", step["Vectors left out"]),
    answered ? `${count(answered)} answered without reading` : "",
  ].filter(Boolean);
  if (parts.length === 0) return null;
  return h(
    "div", { class: "plan-read" },
    h("dl", {}, ...parts.flatMap(({ name, read, of }) => [
      h("dt", {}, name), h("dd", {}, meter(read / of, "read"), h("span", {}, read === of ? `all ${count(of)}` : `${count(read)} of ${count(of)}`)),
    ])),
    more.length > 0 && h("p", { class: "small" }, more.join(" · ")),
  );
}

// ---- steps ----

function facts(step: Step): HTMLElement {
  const rows = step.Rows;
  const expected = step["Rows expected"];
  const off = rows !== undefined && expected !== undefined && factorOff(expected, rows) >= OFF;
  return h(
    "div", { class: "plan-facts" },
    rows !== undefined && h("span", {}, plural(rows, "row")),
    expected !== undefined && h("span", { class: off ? "off" : "" }, `${count(Math.round(expected))} expected`),
    (step.Loops ?? 1) > 1 && h("span", {}, `run ${count(step.Loops as number)} times`),
    (step["Memory bytes"] ?? 0) >= 1e6 && h("span", {}, bytes(step["Memory bytes"] as number)),
    !!step["Spilled bytes"] && h("span", { class: "off" }, `${bytes(step["Spilled bytes"])} to disk, for want of memory`),
  );
}

function stepElement(step: Step | string, total: number): HTMLElement {
  if (typeof step === "string") return h("li", {}, step);
  const own = step["Own time ns"];
  const share = own !== undefined && total > 0 ? own / total : 0;
  const details = (step.Details ?? []).filter((d) => !/^(slabs|blocks|segments): |^rows read: |^left out by zone maps|^decoded: /.test(d));
  const below = [step.Input, step.Right].filter((s): s is Step | string => s !== undefined);
  return h(
    "li", {},
    h(
      "div", { class: share >= 0.5 ? "plan-step hot" : "plan-step" },
      h("div", { class: "plan-head" }, h("strong", {}, step.Operator ?? ""), h("span", { class: "grow" }),
        own !== undefined && h("span", { class: "plan-time" }, `${time(own)} · ${percent(share)}`), own !== undefined && meter(share, "time")),
      facts(step),
      readElement(step),
      details.length > 0 && h("ul", { class: "plan-details" }, ...details.map((d) => h("li", {}, d))),
    ),
    below.length > 0 && h("ul", { class: "plan-below" }, ...below.map((s) => stepElement(s, total))),
  );
}

/** The one sentence that says where the time went. */
function sentence(plan: PlanDocument): string {
  const steps = stepsOf(plan).filter((s) => s["Own time ns"] !== undefined);
  const total = steps.reduce((sum, s) => sum + (s["Own time ns"] as number), 0);
  const most = steps.reduce<Step | null>((best, s) => ((s["Own time ns"] as number) > (best?.["Own time ns"] ?? -1) ? s : best), null);
  const parts: string[] = [];
  if (plan["Execution Time"] !== undefined) parts.push(`It took ${duration(plan["Execution Time"])}`);
  if (most && total > 0) parts.push(`${percent((most["Own time ns"] as number) / total)} of it in ${most.Operator}`);
  const planning = plan["Planning Time"] !== undefined ? `planning took ${duration(plan["Planning Time"])}` : "";
  if (parts.length === 0) return planning ? `It was not run; ${planning}.` : "";
  return `${parts.join(", ")}${planning ? `; ${planning}` : ""}.`;
}

function planElement(plan: PlanDocument): HTMLElement {
  const total = stepsOf(plan).reduce((sum, s) => sum + (s["Own time ns"] ?? 0), 0);
  const tree = (title: string, steps: Step[] | undefined) =>
    steps && steps.length > 0 && h("section", {}, title && h("h3", {}, title), h("ul", { class: "plan-tree" }, ...steps.map((s) => stepElement(s, total))));
  return h(
    "div", {},
    h("p", { class: "plan-sentence" }, sentence(plan)),
    plan.Warning && h("p", { class: "plan-warning" }, plan.Warning),
    tree("", plan.Plan && [plan.Plan]),
    tree("WITH", plan.CTEs),
    tree("Subqueries", plan.Subqueries),
  );
}

export function planPage(plans: PlanDocument[]): HTMLElement {
  return h("div", { class: "plan", role: "region", "aria-label": "Plan", tabindex: 0 }, ...plans.map(planElement));
}
