// SPDX-License-Identifier: Apache-2.0
// importer.ts: a CSV file becomes a table: what the server guesses is shown and can be changed.
import { ask, askAll, errorFrom, importCsv, type Imported, type Suggestion, suggestTable } from "./api.ts";
import { createTable, type Plan, type Planned, QUANTA, records, type Role, sniffDelimiter, tableName, TYPES } from "./csv.ts";
import { button, fill, h } from "./dom.ts";
import { dialog } from "./help.ts";
import type { Schema } from "./schema.ts";
import { bytes, count, plural, quoteName } from "./text.ts";

const HEAD_BYTES = 512 * 1024; // of a file, for the guess
const PACKED_MAX = 64 * 1024 * 1024; // of a packed file, which is sent whole for it
const PREVIEW_ROWS = 5;
const SCRATCH = "dendro_import_preview"; // a name that no table has

export interface ImportHooks {
  schema: () => Schema;
  /** Reads the schema anew: the tables may have changed since the page looked. */
  reload: () => Promise<void>;
  say: (text: string) => void;
  /** The table has new rows. */
  done: (table: string) => void;
}

/** The beginning of a file, up to its last whole line. */
async function headOf(file: File): Promise<Blob> {
  if (/\.(gz|zst)$/i.test(file.name)) {
    if (file.size > PACKED_MAX) throw new Error(`A packed file of more than ${bytes(PACKED_MAX)}: unpack it first, or use dendro import.`);
    return file;
  }
  const head = new Uint8Array(await file.slice(0, HEAD_BYTES).arrayBuffer());
  const end = file.size > HEAD_BYTES ? head.lastIndexOf(10) + 1 : head.length;
  return new Blob([head.subarray(0, end || head.length)]);
}

/** What the suggested statement says of each column, read by the server itself and rolled back. */
async function planOf(suggestion: Suggestion, table: string): Promise<Plan> {
  const results = await askAll(`BEGIN; ${suggestion.create}; DESCRIBE ${SCRATCH}; ROLLBACK`);
  let quantum = "1 d";
  const columns = (results[2]?.rows ?? []).map((row): Planned => {
    const [column, type, , partition, local, interval, unit] = row as [string, string, boolean, number | null, number | null, number | null, string | null];
    if (interval !== null) quantum = `${interval} ${unit}`;
    const inKey = partition !== null || local !== null;
    const role: Role = !inKey ? "" : interval !== null || type.startsWith("TIMESTAMP") ? "time" : "series";
    return { name: column, type, role };
  });
  return { table, columns, quantum };
}

class Importer {
  private readonly body = h("div", { class: "import" });
  private readonly sql = h("pre", { class: "import-sql", "aria-label": "The statement that makes the table" });
  private readonly message = h("div", { class: "import-message", role: "alert" });
  private readonly note = h("p", { class: "small" });
  private readonly bar = h("progress", { class: "import-bar", max: 1, value: 0, hidden: true, "aria-label": "Sent" });
  private readonly skip = h("input", { type: "checkbox" });
  private readonly go: HTMLButtonElement;
  private readonly dialog: HTMLDialogElement;
  private plan: Plan;

  constructor(
    private readonly file: File,
    private readonly hooks: ImportHooks,
    private readonly suggestion: Suggestion,
    plan: Plan,
    private readonly delimiter: string,
    private readonly preview: string[][],
  ) {
    this.plan = plan;
    this.go = button({ text: "Import", class: "primary" }, () => void this.start());
    this.dialog = dialog(`Import ${file.name}`, this.body);
    this.dialog.classList.add("wide");
    this.draw();
  }

  private get exists(): boolean {
    const name = this.plan.table.toLowerCase();
    return this.hooks.schema().tables.some((t) => t.schema === "public" && t.name.toLowerCase() === name);
  }

  private draw(): void {
    const name = h("input", { type: "text", value: this.plan.table, spellcheck: "false" });
    name.addEventListener("input", () => {
      this.plan.table = name.value.trim();
      this.update();
    });
    const quantum = h("select", { "aria-label": "Quantum" });
    for (const q of new Set([this.plan.quantum, ...QUANTA])) quantum.append(h("option", { selected: q === this.plan.quantum }, q));
    quantum.addEventListener("change", () => {
      this.plan.quantum = quantum.value;
      this.update();
    });
    fill(
      this.body,
      h("div", { class: "import-row" }, h("label", {}, "Table ", name), h("label", {}, "Quantum ", quantum), h("span", { class: "small" }, bytes(this.file.size))),
      h("div", { class: "import-preview", tabindex: 0, role: "region", "aria-label": "Columns and first rows" }, this.columnsTable()),
      this.note, this.sql,
      h("div", { class: "import-row" }, h("label", {}, this.skip, " leave out rows that do not fit"), h("span", { class: "grow" }), this.bar, this.go),
      this.message,
    );
    this.update();
  }

  private columnsTable(): HTMLElement {
    const select = (label: string, options: [value: string, text: string][], value: string, set: (v: string) => void) => {
      const element = h("select", { "aria-label": label }, ...options.map(([v, text]) => h("option", { value: v, selected: v === value }, text)));
      element.addEventListener("change", () => {
        set(element.value);
        this.update();
      });
      return element;
    };
    const types = (own: string): [string, string][] => [...new Set([own, ...TYPES])].map((t) => [t, t.toLowerCase()]);
    const roles: [string, string][] = [["", "value"], ["series", "key: series"], ["time", "key: time"]];
    const heads = this.plan.columns.map((column) =>
      h(
        "th",
        { scope: "col" },
        h("strong", {}, column.name),
        select(`Type of ${column.name}`, types(column.type), column.type, (v) => (column.type = v)),
        select(`${column.name} in the key`, roles, column.role, (v) => (column.role = v as Role)),
      ),
    );
    const rows = this.preview.map((record) => h("tr", {}, ...this.plan.columns.map((_, i) => h("td", {}, record[i] ?? ""))));
    return h("table", {}, h("thead", {}, h("tr", {}, ...heads)), h("tbody", {}, ...rows));
  }

  private update(): void {
    fill(this.sql, this.exists ? `-- ${this.plan.table} is there already: the rows are added to it` : createTable(this.plan));
    fill(this.note, this.suggestion.why.trim().replaceAll("\n", " · "));
    const times = this.plan.columns.filter((c) => c.role === "time").length;
    const problem = !this.plan.table ? "The table needs a name." : times > 1 ? "One column is the time of the key, not several." : "";
    this.go.disabled = problem !== "";
    this.body.classList.toggle("existing", this.exists);
    fill(this.message, problem && h("p", {}, problem));
  }

  private async start(): Promise<void> {
    const made = !this.exists;
    this.go.disabled = true;
    fill(this.message);
    try {
      if (made) await ask(createTable(this.plan));
      const result = await this.send(made);
      this.hooks.say(`${plural(result.rows, "row")} imported` + (result.rejected ? `, ${count(result.rejected)} left out` : ""));
      if (result.rejected) this.report(result);
      else this.dialog.close();
      this.hooks.done(this.plan.table);
    } catch (error) {
      const { message, hint, sqlstate } = errorFrom(error);
      fill(this.message, h("div", { class: "error" }, h("p", { class: "error-message" }, message), hint && h("p", {}, hint), h("p", { class: "error-where" }, h("code", {}, sqlstate))));
      this.go.disabled = false;
    }
    this.bar.hidden = true;
  }

  /** The file; a table that was made for it goes again if it does not fit. */
  private async send(made: boolean): Promise<Imported> {
    this.bar.hidden = false;
    const options = {
      table: this.plan.table,
      delimiter: this.delimiter === "\t" ? "tab" : this.delimiter,
      on_error: this.skip.checked ? "skip" : "abort",
      ...(this.suggestion.epoch ? { epoch: this.suggestion.epoch } : {}),
    };
    try {
      return await importCsv(this.file, options, (share) => (this.bar.value = share));
    } catch (error) {
      if (made) await ask(`DROP TABLE ${quoteName(this.plan.table)}`).catch(() => {});
      throw error;
    }
  }

  private report(result: Imported): void {
    const rows = result.rejects.map((r) => h("li", {}, `line ${r.line}${r.column ? `, ${r.column}` : ""}: ${r.reason}`));
    fill(this.message, h("p", {}, `${plural(result.rejected, "row")} left out; the first of them:`), h("ul", { class: "rejects" }, ...rows));
  }
}

/** Opens the import of a file. */
export async function importFile(file: File, hooks: ImportHooks): Promise<void> {
  try {
    const head = await headOf(file);
    const packed = head === file;
    const text = packed ? "" : (await head.text()).replace(/^\uFEFF/, "");
    const delimiter = packed ? "," : sniffDelimiter(text);
    const suggestion = await suggestTable(head, { table: SCRATCH, delimiter: delimiter === "\t" ? "tab" : delimiter });
    const plan = await planOf(suggestion, tableName(file.name));
    await hooks.reload();
    new Importer(file, hooks, suggestion, plan, delimiter, records(text, delimiter, PREVIEW_ROWS + 1).slice(1));
  } catch (error) {
    const { message, hint } = errorFrom(error);
    dialog(`${file.name} cannot be imported`, h("p", {}, message), h("p", { class: "small" }, hint ?? "Dendro reads CSV texts with names in the first line, plain or packed by gzip or zstd."));
  }
}

/** Files can be dropped anywhere on the page. */
export function acceptDrops(take: (file: File) => void): void {
  const veil = h("div", { class: "veil", "aria-hidden": "true" }, h("p", {}, "Drop a CSV file to import it"));
  let depth = 0;
  const files = (event: DragEvent) => event.dataTransfer?.types.includes("Files") === true;
  const show = (on: boolean) => veil.classList.toggle("on", on);
  document.body.append(veil);
  addEventListener("dragenter", (event) => files(event) && (event.preventDefault(), show(++depth > 0)));
  addEventListener("dragleave", (event) => files(event) && show(--depth > 0));
  addEventListener("dragover", (event) => files(event) && event.preventDefault());
  addEventListener("drop", (event) => {
    if (!files(event)) return;
    event.preventDefault();
    show(false);
    depth = 0;
    const file = event.dataTransfer?.files[0];
    if (file) take(file);
  });
}

/** The browser's own dialog for files. */
export function chooseFile(take: (file: File) => void): void {
  const input = h("input", { type: "file", accept: ".csv,.tsv,.txt,.gz,.zst,text/csv" });
  input.addEventListener("change", () => input.files?.[0] && take(input.files[0]));
  input.click();
}
