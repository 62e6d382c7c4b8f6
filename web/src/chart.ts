// SPDX-License-Identifier: Apache-2.0
// chart.ts: lines over time. A drag zooms: the range is asked for again, in buckets that fit it.
import uPlot from "uplot";
import { ask, type Column, errorFrom, type Row } from "./api.ts";
import { isNumber, isTime } from "./cells.ts";
import { asSubquery, bucketFor, type Choice, guess, hasBucket, type Lines, linesOf, type Range, rangeQuery, thinned, widthText } from "./chartdata.ts";
import { button, fill, h } from "./dom.ts";
import { count, plural } from "./text.ts";
import { onTheme } from "./theme.ts";

const COLOURS = [
  "#2d8a5f", "#d97b29", "#3d7fc4", "#c2456b", "#8561c5", "#a38a1e", "#2aa3a3", "#b85c38",
  "#5c7a29", "#7a6ff0", "#cc5fa8", "#4f7f8c", "#e0a030", "#6aa84f", "#9c5b5b", "#5b6f9c",
];

// Of uPlot: [from this step on, text, text where the year, the day, the hour … begins, …].
const TIMES: uPlot.Axis.Values = [
  [86400 * 365, "{YYYY}", null, null, null, null, null, null, 1],
  [86400 * 28, "{MMM}", "\n{YYYY}", null, null, null, null, null, 1],
  [86400, "{D} {MMM}", "\n{YYYY}", null, null, null, null, null, 1],
  [60, "{HH}:{mm}", "\n{YYYY}-{MM}-{DD}", null, "\n{MM}-{DD}", null, null, null, 1],
  [1, "{HH}:{mm}:{ss}", "\n{YYYY}-{MM}-{DD}", null, "\n{MM}-{DD}", null, null, null, 1],
  [0.001, ":{ss}.{fff}", "\n{YYYY}-{MM}-{DD} {HH}:{mm}", null, "\n{MM}-{DD} {HH}:{mm}", null, "\n{HH}:{mm}", null, 1],
];

export interface ChartSource {
  columns: Column[];
  rows: Row[];
  /** The text that gave the rows; null: it cannot be asked again. */
  statement: string | null;
  /** There are more rows than these. */
  truncated: boolean;
}

/** Can something be drawn of this? */
export function canDraw(source: ChartSource): boolean {
  return source.rows.length > 0 && guess(source.columns, source.rows) !== null;
}

export class Chart {
  readonly element = h("div", { class: "chart" });
  private readonly controls = h("div", { class: "chart-controls" });
  private readonly note = h("span", { class: "chart-note", role: "status" });
  private readonly plotArea = h("div", { class: "plot", role: "img" });
  private source: ChartSource | null = null;
  private choice: Choice | null = null;
  /** What is drawn, and all that it is drawn of. */
  private lines: Lines | null = null;
  private all: Lines | null = null;
  private zoomed: Range | null = null;
  private plot: uPlot | null = null;
  /** Counts requests: an answer that is not the last asked for is not drawn. */
  private asked = 0;

  constructor() {
    fill(this.element, this.controls, this.plotArea);
    new ResizeObserver(() => this.resize()).observe(this.plotArea);
    onTheme(() => this.draw());
  }

  /** Draws a result. The columns that were picked stay picked if they are there again. */
  show(source: ChartSource): void {
    if (source === this.source) return;
    const before = this.source?.columns.map((c) => c.name).join("\0");
    const same = before === source.columns.map((c) => c.name).join("\0");
    this.source = source;
    if (!same || !this.choice) this.choice = guess(source.columns, source.rows);
    this.zoomed = null;
    this.drawControls();
    this.load();
  }

  // ---- what is drawn ----

  private load(): void {
    const { source, choice } = this;
    if (!source || !choice) return;
    this.all = linesOf(source.rows, choice, source.columns[choice.value]?.name ?? "");
    this.thin(null);
    if (source.truncated) void this.ask({ from: this.all.times[0] ?? 0, to: this.all.times.at(-1) ?? 0 });
  }

  /** Draws the rows that the page has, of a range or all. */
  private thin(range: Range | null): void {
    if (!this.all) return;
    const { lines, points, of } = thinned(this.all, range);
    this.lines = lines;
    this.say(null, points < of ? `${count(points)} of ${plural(of, "point")}, those that give the shape` : range ? plural(of, "point") : "");
    this.draw();
  }

  private say(width: number | null, more = ""): void {
    const left = this.lines?.left ? `${this.lines.names.length} of ${this.lines.names.length + this.lines.left} series` : "";
    const mean = width === null ? "" : `per ${widthText(width)}`;
    fill(this.note, [mean, left, more].filter(Boolean).join(" · "));
  }

  /** The range, in its buckets, from the server; if that cannot be, what is there is stretched. */
  private async ask(range: Range): Promise<void> {
    const { source, choice } = this;
    const subquery = source?.statement ? asSubquery(source.statement) : null;
    const query = source && choice && subquery ? rangeQuery(subquery, source.columns, choice, range) : null;
    const asked = ++this.asked;
    if (!query || !source || !choice) return;
    try {
      const result = await ask(query);
      if (asked !== this.asked) return;
      const name = source.columns[choice.value]?.name ?? "";
      this.lines = linesOf(result.rows, { time: 0, value: 2, series: choice.series === null ? null : 1 }, name);
      this.say(bucketFor(range.to - range.from));
      this.draw();
    } catch (error) {
      if (asked === this.asked) this.say(null, errorFrom(error).message);
    }
  }

  private zoom(range: Range | null): void {
    this.zoomed = range;
    this.asked++;
    this.drawControls();
    if (!range) return this.load();
    // The server knows more of what was cut off, and of buckets that can be narrower.
    if (!this.source?.truncated && !hasBucket(this.source?.statement ?? null)) return this.thin(range);
    this.draw();
    void this.ask(range);
  }

  private drawControls(): void {
    const { source, choice } = this;
    if (!source || !choice) return;
    const pick = (label: string, key: keyof Choice, fits: (c: Column) => boolean, none = false) => {
      const select = h("select", {
        on: {
          change: () => {
            const at = Number(select.value);
            this.choice = { ...choice, [key]: at < 0 ? null : at } as Choice;
            this.zoomed = null;
            this.drawControls();
            this.load();
          },
        },
      });
      if (none) select.append(h("option", { value: -1, selected: choice[key] === null }, "one line"));
      source.columns.forEach((column, i) => {
        if (fits(column)) select.append(h("option", { value: i, selected: choice[key] === i }, column.name));
      });
      return h("label", {}, label, select);
    };
    fill(
      this.controls,
      pick("Time", "time", (c) => isTime(c.type) || isNumber(c.type)),
      pick("Value", "value", (c) => isNumber(c.type)),
      pick("Series", "series", (c) => !isTime(c.type), true),
      this.note,
      this.zoomed && button({ text: "Whole range", label: "Zoom out", class: "quiet" }, () => this.zoom(null)),
    );
  }

  // ---- drawing ----

  private size(): { width: number; height: number } {
    const legend = this.plotArea.querySelector<HTMLElement>(".u-legend")?.offsetHeight ?? 28;
    return { width: Math.max(120, this.plotArea.clientWidth), height: Math.max(100, this.plotArea.clientHeight - legend - 4) };
  }

  private resize(): void {
    if (!this.plot && this.lines) this.draw();
    else this.plot?.setSize(this.size());
  }

  private draw(): void {
    this.plot?.destroy();
    this.plot = null;
    const { lines } = this;
    if (!lines || this.plotArea.clientWidth === 0) return;
    const css = getComputedStyle(document.documentElement);
    const colour = (name: string) => css.getPropertyValue(name).trim();
    const axis = { stroke: colour("--muted"), grid: { stroke: colour("--line"), width: 1 }, ticks: { stroke: colour("--line"), width: 1 }, font: `11px ${css.getPropertyValue("--sans")}` };
    const few = lines.times.length < 40;
    this.plotArea.setAttribute("aria-label", `Chart of ${lines.names.join(", ")}`);
    this.plot = new uPlot(
      {
        ...this.size(),
        tzDate: (time) => uPlot.tzDate(new Date(time * 1000), "Etc/UTC"),
        cursor: { drag: { x: true, y: false, setScale: false }, points: { size: 7 } },
        scales: { x: this.zoomed ? { time: true, range: [this.zoomed.from, this.zoomed.to] } : { time: true } },
        axes: [{ ...axis, values: TIMES }, { ...axis, size: 62 }],
        series: [
          { label: "time", value: (_, at) => (at === null || at === undefined ? "" : new Date(at * 1000).toISOString().replace(".000Z", "Z")) },
          ...lines.names.map((label, i) => ({
            label,
            stroke: COLOURS[i % COLOURS.length] as string,
            width: 1.75,
            spanGaps: true,
            points: { show: few },
            value: (_: uPlot, v: number | null) => (v === null ? "" : String(Number(v.toPrecision(6)))),
          })),
        ],
        hooks: {
          setSelect: [
            (u) => {
              if (u.select.width < 6) return;
              const from = u.posToVal(u.select.left, "x");
              const to = u.posToVal(u.select.left + u.select.width, "x");
              // When uPlot is through with the event: drawing anew takes this plot away.
              queueMicrotask(() => this.zoom({ from, to }));
            },
          ],
        },
      },
      [lines.times, ...lines.values] as uPlot.AlignedData,
      this.plotArea,
    );
    this.plot.setSize(this.size());
  }
}
