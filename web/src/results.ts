// SPDX-License-Identifier: Apache-2.0
// results.ts: what a run gave: for each statement a table, or a sentence, or an error.
import { download, errorFrom, type Column, type Progress, type Row, type Sink, type SqlError, type Stats } from "./api.ts";
import { csv, json, tabbed } from "./cells.ts";
import { canDraw, Chart, type ChartSource } from "./chart.ts";
import { button, fill, h, icon, type IconName } from "./dom.ts";
import { Grid } from "./grid.ts";
import { pictureOf } from "./picture.ts";
import { type PlanDocument, planPage, plansOf } from "./plan.ts";
import { count, duration, plural, timeLeft } from "./text.ts";

/** Rows that the page keeps of a result. */
export const ROWS_MAX = 1_000_000;

export interface ResultSet {
  columns: Column[];
  rows: Row[];
  tag: string;
  stats: Stats | null;
}

type View = "table" | "chart";

/** One press of Run: its text, and what came of it. */
export class Run implements Sink {
  readonly sets: ResultSet[] = [];
  readonly began = performance.now();
  ended: number | null = null;
  error: SqlError | null = null;
  /** How far the statement is; null: it is not asked yet. */
  progress: Progress | null = null;
  /** SVG: what DRAW gave. */
  picture: string | null = null;
  changed: () => void = () => {};

  constructor(
    readonly text: string,
    /** Where the text begins in the editor. */
    readonly from: number,
    readonly id: string,
  ) {}

  get running(): boolean {
    return this.ended === null;
  }

  begin(columns: Column[]): void {
    this.sets.push({ columns, rows: [], tag: "", stats: null });
    this.changed();
  }

  rows(rows: Row[]): void {
    const set = this.sets.at(-1);
    if (!set) return;
    for (const row of rows) set.rows.push(row);
    this.changed();
  }

  end(tag: string, stats: Stats): void {
    const set = this.sets.at(-1);
    if (set) Object.assign(set, { tag, stats });
    this.changed();
  }

  /** Over, well or not. */
  finish(error: SqlError | null): void {
    this.error = error;
    this.ended = performance.now();
    this.changed();
  }
}

export interface ResultHooks {
  /** Line and column of a place in the editor's text. */
  place: (run: Run, position: number) => { line: number; column: number };
  goTo: (run: Run, position: number) => void;
  say: (text: string) => void;
}

export class Results {
  readonly element = h("section", { class: "results", "aria-label": "Results" });
  private readonly bar = h("div", { class: "result-bar" });
  private readonly summary = h("div", { class: "summary", role: "status", "aria-live": "polite" });
  private readonly picks = h("div", { class: "picks", role: "group", "aria-label": "Statements" });
  private readonly tools = h("div", { class: "tools", role: "group", "aria-label": "Result tools" });
  private readonly views = h("div", { class: "views", role: "group", "aria-label": "View" });
  private readonly body = h("div", { class: "result-body" });
  private readonly grid: Grid;
  private readonly chart = new Chart();
  private view: View = "table";
  private source: ChartSource | null = null;
  /** The result is a plan: it is shown as a picture unless its text is wanted. */
  private plans: { of: ResultSet; plans: PlanDocument[] } | null = null;
  private planAsText = false;
  private run: Run | null = null;
  private picked = 0;
  /** What the body shows, so that growing results only grow. */
  private shown: ResultSet | SqlError | ChartSource | PlanDocument[] | Run | null = null;
  private ticking = 0;
  /** What the tools are there for: rows, or this picture. */
  private toolsFor: string | null = null;

  constructor(private readonly hooks: ResultHooks) {
    this.grid = new Grid((cells) => hooks.say(`Copied ${plural(cells, "cell")}`));
    fill(this.bar, this.picks, this.views, this.summary, this.tools);
    fill(this.element, this.bar, this.body);
    this.show(null);
  }

  /** Shows a run, and follows it while it goes on. */
  show(run: Run | null): void {
    if (this.run) this.run.changed = () => {};
    this.run = run;
    this.picked = 0;
    this.shown = null;
    if (run) run.changed = () => this.update();
    this.update();
  }

  private get set(): ResultSet | null {
    return this.run?.sets[this.picked] ?? null;
  }

  private update(): void {
    const { run } = this;
    if (run && run.sets.length > 1 && this.shown !== null && run.running) this.picked = run.sets.length - 1;
    if (run?.error && !this.set) this.picked = Math.max(0, run.sets.length - 1);
    this.drawPicks();
    this.findSource();
    this.drawViews();
    this.drawBody();
    this.drawSummary();
    this.drawTools();
  }

  // ---- the bar ----

  private drawPicks(): void {
    const { run } = this;
    const entries = run ? run.sets.map((set, i) => ({ label: set.tag || (set.stats ? "rows" : "…"), i })) : [];
    if (run?.error && entries.length > 0) entries.push({ label: "error", i: run.sets.length });
    this.picks.hidden = entries.length < 2;
    fill(
      this.picks,
      ...entries.map(({ label, i }) =>
        h(
          "button",
          { type: "button", class: "pick", "aria-pressed": String(i === this.picked), on: { click: () => this.pick(i) } },
          `${i + 1} ${label}`,
        ),
      ),
    );
  }

  private pick(at: number): void {
    this.picked = at;
    this.shown = null;
    this.update();
  }

  /** What a chart can be made of: a result that is whole. */
  private findSource(): void {
    const { run, set } = this;
    if (!set?.stats) this.plans = null;
    else if (this.plans?.of !== set) {
      const plans = plansOf(set);
      this.plans = plans && { of: set, plans };
    }
    if (!run || !set?.stats || run.running) this.source = null;
    else if (this.source?.rows !== set.rows) {
      const source = { columns: set.columns, rows: set.rows, statement: run.sets.length === 1 ? run.text : null, truncated: set.stats.truncated === true };
      this.source = canDraw(source) ? source : null;
    }
  }

  private drawViews(): void {
    this.views.hidden = this.source === null && this.plans === null;
    if (this.plans) {
      const one = (text: string, asText: boolean) =>
        button({ text, "aria-pressed": String(this.planAsText === asText) }, () => {
          this.planAsText = asText;
          this.shown = null;
          this.update();
        });
      return fill(this.views, one("Plan", false), one("JSON", true));
    }
    const one = (view: View, name: IconName, text: string) =>
      button({ icon: name, text, "aria-pressed": String(this.view === view) }, () => this.setView(view));
    fill(this.views, one("table", "table", "Table"), one("chart", "chart", "Chart"));
  }

  /** Shows results as a table or, where that can be, as a chart; it stays so for the next ones. */
  setView(view: View): void {
    this.view = view;
    this.shown = null;
    this.update();
  }

  private drawSummary(): void {
    clearTimeout(this.ticking);
    const { run, set } = this;
    if (!run) return fill(this.summary);
    const parts: string[] = [];
    if (set && set.columns.length > 0) parts.push(plural(set.rows.length, "row"));
    if (set?.stats?.truncated) parts.push(`the first ${count(ROWS_MAX)} of more`);
    if (run.running) {
      parts.push(`running ${duration(performance.now() - run.began)}`);
      parts.push(...progressTexts(run.progress));
      this.ticking = window.setTimeout(() => this.drawSummary(), 100);
    } else if (set?.stats) parts.push(duration(set.stats.ms));
    const share = run.running ? run.progress?.percent : undefined;
    fill(
      this.summary,
      run.running && share === undefined && h("span", { class: "spinner", "aria-hidden": "true" }),
      share !== undefined && h("progress", { class: "run-bar", max: 100, value: share, "aria-label": "Done" }),
      parts.join(" · "),
    );
  }

  private drawTools(): void {
    const { set, run } = this;
    const picture = run?.picture;
    if (picture) {
      this.tools.hidden = false;
      if (this.toolsFor === picture) return;
      this.toolsFor = picture;
      return fill(this.tools, button({ icon: "download", text: "SVG", label: "Download the picture" }, () =>
        saveAs(new Blob([picture], { type: "image/svg+xml" }), "chart.svg")));
    }
    this.tools.hidden = !set || set.columns.length === 0 || this.run?.running === true;
    if (this.tools.hidden || this.toolsFor === "rows") return;
    this.toolsFor = "rows";
    fill(
      this.tools,
      button({ icon: "copy", text: "Copy", label: "Copy the selected cells, or all rows" }, () => void this.copy()),
      button({ icon: "download", text: "CSV", label: "Download as CSV" }, () => void this.save("csv")),
      button({ icon: "download", text: "JSON", label: "Download as JSON" }, () => void this.save("json")),
      button({ icon: "download", text: "Parquet", label: "Run it again, and download as Parquet" }, () => void this.saveParquet()),
    );
  }

  private async copy(): Promise<void> {
    const { rows, from, to } = this.grid.selection();
    try {
      await navigator.clipboard.writeText(tabbed(rows, from, to));
      this.hooks.say(`Copied ${plural(rows.length, "row")}`);
    } catch {
      this.hooks.say("The browser did not let the page copy. Select cells and press Ctrl-C.");
    }
  }

  private async save(kind: "csv" | "json"): Promise<void> {
    const { set, run } = this;
    if (!set || !run) return;
    try {
      // What is not whole here is asked for again, and goes straight into the file.
      const whole = !set.stats?.truncated || run.sets.length > 1;
      const text = kind === "csv" ? csv : json;
      const type = kind === "csv" ? "text/csv" : "application/json";
      const blob = whole
        ? new Blob([text(set.columns, set.rows)], { type })
        : await download(run.text, kind === "csv" ? "csv" : "ndjson");
      saveAs(blob, `result.${whole || kind === "csv" ? kind : "ndjson"}`);
    } catch (error) {
      this.hooks.say(errorFrom(error).message);
    }
  }

  /** The server writes it, so the statement runs again: it must be a query. */
  private async saveParquet(): Promise<void> {
    if (!this.run) return;
    try {
      saveAs(await download(this.run.text, "parquet"), "result.parquet");
    } catch (error) {
      const { message, hint } = errorFrom(error);
      this.hooks.say(hint ? `${message}. ${hint}` : message);
    }
  }

  // ---- the body ----

  private drawBody(): void {
    const { run, set } = this;
    if (!run) return fill(this.body, hintPage());
    if (run.picture) {
      if (this.shown !== run) fill(this.body, pictureOf(run.picture));
      this.shown = run;
      return;
    }
    const error = run.error && this.picked >= run.sets.length - (set?.stats ? 0 : 1) && !set?.stats ? run.error : null;
    const what = error ?? set;
    const plans = !this.planAsText && !error ? (this.plans?.plans ?? null) : null;
    const drawn = plans ?? (this.view === "chart" && this.source ? this.source : what);
    if (drawn && drawn === this.shown) {
      if (set && drawn === set && set.columns.length > 0) this.grid.grown();
      if (drawn !== set || set.columns.length > 0) return;
    }
    this.shown = drawn;
    if (error) fill(this.body, this.errorPage(run, error));
    else if (plans) fill(this.body, planPage(plans));
    else if (this.view === "chart" && this.source) {
      fill(this.body, this.chart.element);
      this.chart.show(this.source);
    }
    else if (set && set.columns.length > 0) {
      fill(this.body, this.grid.element);
      this.grid.show(set.columns, set.rows);
    } else if (set) fill(this.body, h("p", { class: "done" }, set.stats ? `${set.tag} ✓` : ""));
    else fill(this.body);
  }

  private errorPage(run: Run, error: SqlError): HTMLElement {
    const place = error.position !== undefined ? this.hooks.place(run, error.position) : null;
    return h(
      "div",
      { class: "error", role: "alert" },
      h("p", { class: "error-message" }, error.message),
      error.hint && h("p", { class: "error-hint" }, h("strong", {}, "Hint "), error.hint),
      h(
        "p",
        { class: "error-where" },
        h("code", { title: "SQLSTATE" }, error.sqlstate),
        place &&
          h(
            "button",
            { type: "button", class: "link", on: { click: () => this.hooks.goTo(run, error.position as number) } },
            `line ${place.line}, column ${place.column}`,
          ),
      ),
    );
  }
}

function saveAs(blob: Blob, name: string): void {
  const link = h("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** "34%", "5,000,000 rows read", "about 12 s left", as far as it is known. */
export function progressTexts(progress: Progress | null): string[] {
  if (!progress || progress.rows === 0) return [];
  return [
    ...(progress.percent === undefined ? [] : [`${Math.floor(progress.percent)}%`]),
    `${plural(progress.rows, "row")} read`,
    ...(progress.seconds_left === undefined ? [] : [timeLeft(progress.seconds_left)]),
  ];
}

function hintPage(): HTMLElement {
  const key = (text: string) => h("kbd", {}, text);
  return h(
    "div",
    { class: "empty" },
    icon("table"),
    h("p", {}, "Results appear here."),
    h("p", {}, key("Ctrl"), " ", key("Enter"), " runs the selection, or the statement at the cursor; with ", key("Shift"), " all of them."),
  );
}
