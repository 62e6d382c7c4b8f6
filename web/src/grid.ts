// SPDX-License-Identifier: Apache-2.0
// grid.ts: a table of any length. Only rows that can be seen are in the page.
//
// A browser cannot make an element of a million rows' height, so the height stops growing at
// HEIGHT_MAX. `top` is the place in the whole table, in pixels: it follows small steps of the scroll
// bar pixel by pixel, and long ones in proportion.
import type { Column, Row } from "./api.ts";
import { cellText, isNumber, tabbed } from "./cells.ts";
import { h, onDrag } from "./dom.ts";

const ROW_HEIGHT = 26;
const HEIGHT_MAX = 8_000_000;
const WIDTH_MIN = 60;
const WIDTH_MAX = 420;
const CHARACTER = 7.6;
const SAMPLE_ROWS = 200;

interface Cell {
  row: number;
  column: number;
}

export class Grid {
  readonly element: HTMLElement;
  private readonly head = h("div", { class: "grid-head", role: "row", "aria-rowindex": 1 });
  private readonly body = h("div", { class: "grid-rows", role: "rowgroup" });
  private readonly space = h("div", { class: "grid-space" });
  private columns: Column[] = [];
  private rows: Row[] = [];
  private widths: number[] = [];
  /** Rows that were there when the widths were measured. */
  private measured = 0;
  private top = 0;
  private scrolled = 0;
  private frame = 0;
  private anchor: Cell | null = null;
  private active: Cell | null = null;

  constructor(private readonly copied: (cells: number) => void) {
    this.element = h(
      "div",
      { class: "grid", role: "grid", tabindex: 0, "aria-label": "Result" },
      this.head,
      this.space,
    );
    this.space.append(this.body);
    this.element.addEventListener("scroll", () => this.onScroll());
    this.element.addEventListener("keydown", (event) => this.onKey(event));
    this.element.addEventListener("copy", (event) => this.onCopy(event));
    this.body.addEventListener("pointerdown", (event) => this.onPointer(event));
    new ResizeObserver(() => this.draw()).observe(this.element);
  }

  /** Shows a result from its beginning; `rows` may grow later: then call grown(). */
  show(columns: Column[], rows: Row[]): void {
    this.columns = columns;
    this.rows = rows;
    this.top = 0;
    this.anchor = this.active = null;
    this.widths = [];
    this.element.scrollTop = this.scrolled = 0;
    this.element.scrollLeft = 0;
    this.measure();
    this.drawHead();
    this.grown();
  }

  grown(): void {
    if (this.measured < Math.min(SAMPLE_ROWS, this.rows.length)) this.measure();
    else this.template();
    const height = Math.min(this.rows.length * ROW_HEIGHT, HEIGHT_MAX);
    this.space.style.height = `${height}px`;
    this.element.setAttribute("aria-rowcount", String(this.rows.length + 1));
    this.element.setAttribute("aria-colcount", String(this.columns.length));
    this.draw();
  }

  /** The rows that are selected, or all. */
  selection(): { rows: Row[]; from: number; to: number } {
    if (!this.active || !this.anchor) return { rows: this.rows, from: 0, to: this.columns.length - 1 };
    const [top, bottom] = [this.anchor.row, this.active.row].sort((a, b) => a - b) as [number, number];
    const [from, to] = [this.anchor.column, this.active.column].sort((a, b) => a - b) as [number, number];
    return { rows: this.rows.slice(top, bottom + 1), from, to };
  }

  // ---- widths ----

  private measure(): void {
    const sample = this.rows.slice(0, SAMPLE_ROWS);
    this.measured = sample.length;
    this.widths = this.columns.map((column, i) => {
      let longest = Math.max(column.name.length + 1, column.type.length * 0.85);
      for (const row of sample) longest = Math.max(longest, Math.min(60, cellText(row[i] ?? null).length));
      return Math.round(Math.min(WIDTH_MAX, Math.max(WIDTH_MIN, longest * CHARACTER + 26)));
    });
    this.template();
  }

  private template(): void {
    const number = Math.max(44, String(this.rows.length).length * 8 + 22);
    this.element.style.setProperty(
      "--columns",
      `${number}px ${this.widths.map((w) => `${w}px`).join(" ")}`,
    );
    this.element.style.setProperty("--width", `${number + this.widths.reduce((a, b) => a + b, 0)}px`);
  }

  private drawHead(): void {
    const cells = this.columns.map((column, i) => {
      const handle = h("span", { class: "grid-resize", "aria-hidden": "true" });
      onDrag(handle, () => {
        const before = this.widths[i] ?? WIDTH_MIN;
        return (dx) => {
          this.widths[i] = Math.max(WIDTH_MIN, before + dx);
          this.template();
        };
      });
      return h(
        "div",
        { class: isNumber(column.type) ? "cell number" : "cell", role: "columnheader", title: `${column.name} ${column.type}` },
        h("span", { class: "name" }, column.name),
        h("span", { class: "type" }, column.type.toLowerCase()),
        handle,
      );
    });
    this.head.replaceChildren(h("div", { class: "cell index", role: "columnheader", "aria-label": "Row" }), ...cells);
  }

  // ---- drawing ----

  private get viewHeight(): number {
    return Math.max(0, this.element.clientHeight - this.head.offsetHeight);
  }

  private onScroll(): void {
    const at = this.element.scrollTop;
    const step = at - this.scrolled;
    if (step === 0) return; // sideways, or where scrollToTop has put it
    const bottom = this.space.offsetHeight - this.viewHeight;
    const last = Math.max(0, this.rows.length * ROW_HEIGHT - this.viewHeight);
    this.scrolled = at;
    if (at <= 0) this.top = 0;
    else if (at >= bottom - 1) this.top = last;
    else if (Math.abs(step) > this.viewHeight * 2 || this.rows.length * ROW_HEIGHT <= HEIGHT_MAX) {
      this.top = bottom > 0 ? (at / bottom) * last : 0;
    } else this.top = Math.max(0, Math.min(last, this.top + step));
    if (!this.frame) this.frame = requestAnimationFrame(() => this.draw());
  }

  private draw(): void {
    this.frame = 0;
    const first = Math.max(0, Math.floor(this.top / ROW_HEIGHT) - 4);
    const count = Math.ceil(this.viewHeight / ROW_HEIGHT) + 8;
    const last = Math.min(this.rows.length, first + count);
    const lines: HTMLElement[] = [];
    for (let i = first; i < last; i++) lines.push(this.line(i));
    this.body.style.transform = `translateY(${this.element.scrollTop + first * ROW_HEIGHT - this.top}px)`;
    this.body.replaceChildren(...lines);
  }

  private isSelected(row: number, column: number): boolean {
    const { anchor, active } = this;
    return (
      anchor !== null && active !== null &&
      row >= Math.min(anchor.row, active.row) && row <= Math.max(anchor.row, active.row) &&
      column >= Math.min(anchor.column, active.column) && column <= Math.max(anchor.column, active.column)
    );
  }

  private line(at: number): HTMLElement {
    const row = this.rows[at] as Row;
    const line = h("div", { class: at % 2 ? "grid-row odd" : "grid-row", role: "row", "aria-rowindex": at + 2 });
    line.append(h("div", { class: "cell index", role: "rowheader", "data-row": at, "data-column": -1 }, at + 1));
    this.columns.forEach((column, i) => {
      const value = row[i] ?? null;
      const selected = this.isSelected(at, i);
      let name = "cell";
      if (isNumber(column.type)) name += " number";
      if (value === null) name += " null";
      if (selected) name += " selected";
      if (this.active?.row === at && this.active.column === i) name += " active";
      const text = value === null ? "NULL" : cellText(value);
      const cell = h("div", { class: name, role: "gridcell", "data-row": at, "data-column": i });
      if (selected) cell.setAttribute("aria-selected", "true");
      if (text.length > 40) cell.title = text.slice(0, 2000);
      cell.textContent = text.length > 400 ? text.slice(0, 400) + "…" : text;
      line.append(cell);
    });
    return line;
  }

  // ---- selection ----

  private cellAt(event: PointerEvent): Cell | null {
    const target = this.element.ownerDocument.elementFromPoint(event.clientX, event.clientY);
    const cell = target?.closest<HTMLElement>("[data-row]");
    if (!cell || !this.body.contains(cell)) return null;
    return { row: Number(cell.dataset["row"]), column: Number(cell.dataset["column"]) };
  }

  private select(anchor: Cell, active: Cell): void {
    const last = this.columns.length - 1;
    const whole = active.column < 0; // the number of a row: all of it
    this.anchor = { row: anchor.row, column: whole ? 0 : Math.max(0, anchor.column) };
    this.active = { row: active.row, column: whole ? last : active.column };
    this.draw();
  }

  private onPointer(event: PointerEvent): void {
    const at = this.cellAt(event);
    if (!at || event.button !== 0) return;
    event.preventDefault();
    this.element.focus({ preventScroll: true });
    const anchor = event.shiftKey && this.anchor ? this.anchor : at;
    this.select(anchor, at);
    const move = (moved: PointerEvent) => {
      const to = this.cellAt(moved);
      if (to) this.select(anchor, to);
    };
    addEventListener("pointermove", move);
    addEventListener("pointerup", () => removeEventListener("pointermove", move), { once: true });
  }

  private onKey(event: KeyboardEvent): void {
    const page = Math.max(1, Math.floor(this.viewHeight / ROW_HEIGHT) - 1);
    const last = { row: this.rows.length - 1, column: this.columns.length - 1 };
    if (last.row < 0) return;
    const all = event.ctrlKey || event.metaKey;
    const steps: Record<string, [number, number]> = {
      ArrowUp: [all ? -Infinity : -1, 0], ArrowDown: [all ? Infinity : 1, 0],
      ArrowLeft: [0, all ? -Infinity : -1], ArrowRight: [0, all ? Infinity : 1],
      PageUp: [-page, 0], PageDown: [page, 0],
      Home: all ? [-Infinity, -Infinity] : [0, -Infinity], End: all ? [Infinity, Infinity] : [0, Infinity],
    };
    const step = steps[event.key];
    if (all && event.key === "a") {
      this.select({ row: 0, column: 0 }, last);
    } else if (step) {
      const from = this.active ?? { row: Math.floor(this.top / ROW_HEIGHT), column: 0 };
      const to = this.active
        ? { row: clamp(from.row + step[0], last.row), column: clamp(from.column + step[1], last.column) }
        : from;
      this.select(event.shiftKey && this.anchor ? this.anchor : to, to);
      this.reveal(to);
    } else return;
    event.preventDefault();
  }

  private reveal(cell: Cell): void {
    const y = cell.row * ROW_HEIGHT;
    const height = this.viewHeight;
    if (y < this.top) this.scrollToTop(y);
    else if (y + ROW_HEIGHT > this.top + height) this.scrollToTop(y + ROW_HEIGHT - height);
    const x = this.widths.slice(0, cell.column).reduce((a, b) => a + b, 0);
    const width = this.widths[cell.column] ?? 0;
    const seen = this.element.clientWidth - 60;
    if (x < this.element.scrollLeft) this.element.scrollLeft = x;
    else if (x + width > this.element.scrollLeft + seen) this.element.scrollLeft = x + width - seen;
  }

  scrollToTop(top: number): void {
    const bottom = this.space.offsetHeight - this.viewHeight;
    const last = Math.max(0, this.rows.length * ROW_HEIGHT - this.viewHeight);
    this.top = Math.max(0, Math.min(last, top));
    this.scrolled = last > 0 ? Math.round((this.top / last) * bottom) : 0;
    this.element.scrollTop = this.scrolled;
    this.scrolled = this.element.scrollTop;
    this.draw();
  }

  private onCopy(event: ClipboardEvent): void {
    if (!this.active) return;
    const { rows, from, to } = this.selection();
    event.clipboardData?.setData("text/plain", tabbed(rows, from, to));
    event.preventDefault();
    this.copied(rows.length * (to - from + 1));
  }
}

function clamp(n: number, max: number): number {
  return Math.max(0, Math.min(max, n));
}
