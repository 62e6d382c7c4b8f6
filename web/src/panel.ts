// SPDX-License-Identifier: Apache-2.0
// panel.ts: the tables, beside the editor.
import { button, fill, h, icon } from "./dom.ts";
import { detailsElement } from "./details.ts";
import { type Schema, type Table, writtenName } from "./schema.ts";
import { bytes, count } from "./text.ts";

export interface PanelHooks {
  insert: (text: string) => void;
  /** Into a tab of its own; open also runs it. */
  edit: (text: string) => void;
  open: (text: string) => void;
  reload: () => void;
}

export class Panel {
  readonly element = h("aside", { class: "panel", "aria-label": "Tables" });
  private readonly list = h("div", { class: "panel-list" });
  private readonly opened = new Set<string>();
  private schema: Schema = { tables: [] };

  constructor(private readonly hooks: PanelHooks) {
    fill(
      this.element,
      h("div", { class: "panel-head" }, h("h2", {}, "Tables"), button({ icon: "refresh", label: "Load again" }, hooks.reload)),
      this.list,
    );
  }

  show(schema: Schema): void {
    this.schema = schema;
    this.draw();
  }

  /** The tables cannot be told, for this reason. */
  fail(message: string): void {
    fill(this.list, h("p", { class: "panel-note" }, message));
  }

  private draw(): void {
    if (this.schema.tables.length === 0) {
      fill(this.list, h("p", { class: "panel-note" }, "There are no tables yet."));
      return;
    }
    const groups = new Map<string, Table[]>();
    for (const table of this.schema.tables) {
      const group = groups.get(table.schema) ?? [];
      group.push(table);
      groups.set(table.schema, group);
    }
    const several = groups.size > 1;
    fill(
      this.list,
      ...[...groups].flatMap(([name, tables]) => [
        several && h("h3", { class: "panel-group" }, name),
        ...tables.map((table) => this.entry(table)),
      ]),
    );
  }

  private entry(table: Table): HTMLElement {
    const key = `${table.schema}.${table.name}`;
    const open = this.opened.has(key);
    const toggle = h(
      "button",
      {
        type: "button", class: "entry-name", "aria-expanded": String(open),
        on: {
          click: () => {
            if (!this.opened.delete(key)) this.opened.add(key);
            this.draw();
          },
        },
      },
      icon("chevron"), icon(table.kind === "view" ? "view" : "table"), h("span", {}, table.name),
      table.kind === "table" && h("small", { title: `${count(table.rows)} rows, ${bytes(table.bytes)}` }, short(table.rows)),
    );
    const look = button({ icon: "run", label: `Show rows of ${table.name}`, class: "entry-run" }, () =>
      this.hooks.open(`SELECT * FROM ${writtenName(table)} LIMIT 1000;`),
    );
    return h("div", { class: open ? "entry open" : "entry" }, h("div", { class: "entry-head" }, toggle, look), open && detailsElement(table, this.hooks));
  }
}

function short(n: number): string {
  return new Intl.NumberFormat("en-US", { notation: "compact" }).format(Math.max(0, n));
}
