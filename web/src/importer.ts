// SPDX-License-Identifier: Apache-2.0
// importer.ts: a file becomes a table: what the server guesses is shown and can be changed.
import { ask, askAll, errorFrom, importCsv, type Imported, type Suggestion, suggestTable, written } from "./api.ts";
import { createTable, decode, type Plan, type Planned, QUANTA, records, type Role, tableName, TYPES } from "./csv.ts";
import { button, fill, h } from "./dom.ts";
import { dialog } from "./help.ts";
import type { Schema } from "./schema.ts";
import { bytes, count, plural, quoteName } from "./text.ts";

const HEAD_BYTES = 8 * 1024 * 1024; // of a file, for the guess
const SHOWN_BYTES = 64 * 1024; // of them, for the preview
const PACKED_MAX = 64 * 1024 * 1024; // of a packed file or Parquet, which is sent whole for it
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
  if (/\.(gz|zst|parquet)$/i.test(file.name)) {
    if (file.size > PACKED_MAX) throw new Error(`A packed file or Parquet of more than ${bytes(PACKED_MAX)}: dendro import reads it from the command line.`);
    return file;
  }
  const head = new Uint8Array(await file.slice(0, HEAD_BYTES).arrayBuffer());
  const end = file.size > HEAD_BYTES ? head.lastIndexOf(10) + 1 : head.length;
  return new Blob([head.subarray(0, end || head.length)]);
}

/** The first rows, as far as the page can read them itself. */
async function previewOf(head: Blob, file: File, suggestion: Suggestion): Promise<string[][]> {
  const { delimiter, quote, header, encoding } = suggestion;
  if (head === file && /\.(gz|zst|parquet)$/i.test(file.name)) return [];
  const text = decode(await head.slice(0, SHOWN_BYTES).arrayBuffer(), encoding ?? "utf8");
  const from = header === "false" ? 0 : 1;
  if (encoding === "ndjson") return [];
  return records(text, delimiter === "tab" ? "\t" : (delimiter ?? ","), quote ?? '"', PREVIEW_ROWS + from).slice(from);
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
  private readonly note = h("p", { class: "small import-why" });
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
      h("div", { class: "import-row" }, this.suggestion.delimiter && h("label", {}, this.skip, " leave out rows that do not fit"), h("span", { class: "grow" }), this.bar, this.go),
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
    // Types and key of a table that is there are not guessed.
    const lines = this.suggestion.why.trim().split("\n").filter((line) => !this.exists || /^(text|numbers|times):/.test(line));
    fill(this.note, ...lines.map((line) => h("span", {}, line)));
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
      fill(this.message, h("div", { class: "error" }, h("p", { class: "error-message" }, message), hint && h("p", {}, hint), made && this.wayOn(message),
        h("p", { class: "error-where" }, h("code", {}, sqlstate))));
      this.go.disabled = false;
    }
    this.bar.hidden = true;
  }

  /** A value that does not fit: its column can be made a text. */
  private wayOn(message: string): HTMLElement | null {
    const name = /^line \d+, column "(.*?)":/.exec(message)?.[1];
    const column = this.plan.columns.find((c) => c.name === name);
    if (!column || column.type === "VARCHAR" || column.role === "time") return null;
    return h("p", {}, button({ text: `Make ${column.name} a text`, class: "way-on" }, () => {
      column.type = "VARCHAR";
      fill(this.message);
      this.draw();
    }));
  }

  /** The file; a table that was made for it goes again if it does not fit. */
  private async send(made: boolean): Promise<Imported> {
    this.bar.hidden = false;
    const options = {
      ...written(this.suggestion),
      table: this.plan.table,
      on_error: this.skip.checked ? "skip" : "abort",
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
    const suggestion = await suggestTable(head, { table: SCRATCH });
    const [plan, preview] = await Promise.all([planOf(suggestion, tableName(file.name)), previewOf(head, file, suggestion)]);
    await hooks.reload();
    new Importer(file, hooks, suggestion, plan, preview);
  } catch (error) {
    const { message, hint } = errorFrom(error);
    dialog(`${file.name} cannot be imported`, h("p", {}, message), h("p", { class: "small" }, hint ?? "Dendro reads CSV and lines of JSON objects (NDJSON), plain or packed by gzip or zstd, and Parquet."));
  }
}

/** Files can be dropped anywhere on the page. */
export function acceptDrops(take: (file: File) => void): void {
  const veil = h("div", { class: "veil", "aria-hidden": "true" }, h("p", {}, "Drop a CSV, NDJSON or Parquet file to import it"));
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
  const input = h("input", { type: "file", accept: ".csv,.tsv,.txt,.ndjson,.jsonl,.gz,.zst,.parquet,text/csv" });
  input.addEventListener("change", () => input.files?.[0] && take(input.files[0]));
  input.click();
}
