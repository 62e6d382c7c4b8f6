// SPDX-License-Identifier: Apache-2.0
// main.ts: puts the parts of the console together.
import { activityDialog } from "./activity.ts";
import { AskError, cancel, draw, errorFrom, newId, onLoginWanted, progressOfAll, run as runSql } from "./api.ts";
import { append, button, fill, h, icon, onDrag } from "./dom.ts";
import { Editor, offsetOf, type Selected } from "./editor.ts";
import { helpDialog } from "./help.ts";
import { acceptDrops, chooseFile, importFile } from "./importer.ts";
import { Login } from "./login.ts";
import { Panel } from "./panel.ts";
import { draws } from "./picture.ts";
import { explaining } from "./plan.ts";
import { Results, ROWS_MAX, Run } from "./results.ts";
import { loadSchema, type Schema } from "./schema.ts";
import { Tabs } from "./tabs.ts";
import { firstLook, welcome } from "./welcome.ts";
import { onTheme, startTheme, toggleTheme } from "./theme.ts";

const SPLIT = "dendro.split";
const PROGRESS_MS = 500; // between two questions how far a statement is

class Console {
  private schema: Schema = { tables: [] };
  private readonly editor: Editor;
  private readonly tabs: Tabs;
  private readonly results: Results;
  private readonly panel: Panel;
  private readonly login = new Login(() => void this.begin());
  private readonly toast = h("div", { class: "toast", role: "status", "aria-live": "polite" });
  private readonly runButton: HTMLButtonElement;
  private readonly stopButton: HTMLButtonElement;
  /** The last run of each tab, by its id. */
  private readonly runs = new Map<number, Run>();
  private toastTimer = 0;
  /** The tables are known. */
  private loaded = false;
  /** Calls of begin() that have not ended. */
  private beginning = 0;

  constructor() {
    this.results = new Results({
      place: (run, position) => this.editor.place(this.offset(run, position)),
      goTo: (run, position) => this.editor.goTo(this.offset(run, position)),
      say: (text) => this.say(text),
    });
    this.editor = new Editor({
      schema: () => this.schema,
      run: (what) => void this.run(what),
      explain: (what) => {
        const { text, before } = explaining(what.text);
        void this.run({ text, from: what.from - before });
      },
      changed: (text) => this.tabs.changed(text),
    });
    this.runButton = button({ icon: "run", text: "Run", label: "Run the selection, or the statement at the cursor (Ctrl-Enter)", class: "primary" }, () => this.editor.runSelected());
    this.stopButton = button({ icon: "stop", text: "Cancel", label: "Cancel what runs", class: "danger" }, () => void this.cancel());
    this.panel = new Panel({
      insert: (text) => this.editor.insert(text),
      edit: (text) => this.tabs.open(text),
      open: (text) => this.openAndRun(text),
      reload: () => void this.reload(),
    });
    onLoginWanted(() => this.login.show());
    this.tabs = new Tabs(this.editor, () => this.switched());
    this.build();
    this.showState();
    void this.begin();
    this.editor.focus();
  }

  // ---- the page ----

  private build(): void {
    const themeButton = button({ icon: "moon", label: "Dark or light" }, toggleTheme);
    onTheme((theme) => fill(themeButton, icon(theme === "dark" ? "sun" : "moon")));
    const header = h(
      "header",
      { class: "top" },
      button({ icon: "menu", label: "Show or hide the tables", class: "menu" }, () => document.body.classList.toggle("panel-off")),
      h("img", { src: "/console/icon.svg", alt: "", class: "logo", width: 24, height: 24 }),
      h("h1", {}, "Dendro"),
      h("span", { class: "grow" }),
      this.login.badge,
      button({ icon: "upload", text: "Import", label: "Import a file (or drop it on the page)", class: "writes" }, () => chooseFile((file) => this.import(file))),
      button({ icon: "pulse", text: "Running", label: "Statements that run now" }, () => activityDialog((text) => this.say(text))),
      themeButton,
      button({ icon: "help", label: "Keys and help" }, helpDialog),
    );
    const toolbar = h("div", { class: "toolbar" }, this.runButton, this.stopButton,
      button({ text: "Run all", label: "Run all statements (Ctrl-Shift-Enter)" }, () => this.editor.runAll()),
      button({ text: "Explain", label: "What each step of the statement does, and where the time goes (Ctrl-Alt-Enter)" }, () => this.editor.explain()));
    const splitter = h("div", { class: "splitter", role: "separator", "aria-orientation": "horizontal", "aria-label": "Size of the editor", tabindex: 0 });
    const work = h("main", { class: "work" }, h("div", { class: "tab-bar" }, this.tabs.element), toolbar, this.editor.element, splitter, this.results.element);
    this.split(splitter, work);
    if (matchMedia("(max-width: 760px)").matches) document.body.classList.add("panel-off");
    acceptDrops((file) => this.import(file));
    append(document.body, header, h("div", { class: "frame" }, this.panel.element, work), this.toast);
  }

  /** The line between editor and results can be moved, by pointer and by keys. */
  private split(splitter: HTMLElement, work: HTMLElement): void {
    const set = (share: number) => {
      const kept = Math.max(0.12, Math.min(0.85, share));
      work.style.setProperty("--split", `${(kept * 100).toFixed(1)}%`);
      splitter.setAttribute("aria-valuenow", String(Math.round(kept * 100)));
      localStorage.setItem(SPLIT, String(kept));
    };
    const share = () => this.editor.element.offsetHeight / work.offsetHeight;
    set(Number(localStorage.getItem(SPLIT)) || 0.36);
    onDrag(splitter, () => {
      const before = share();
      return (_, dy) => set(before + dy / work.offsetHeight);
    });
    splitter.addEventListener("keydown", (event) => {
      const step = { ArrowUp: -0.04, ArrowDown: 0.04 }[event.key];
      if (step) set(share() + step);
    });
  }

  say(text: string): void {
    clearTimeout(this.toastTimer);
    fill(this.toast, text);
    this.toast.classList.add("on");
    this.toastTimer = window.setTimeout(() => this.toast.classList.remove("on"), 4000);
  }

  /** Marks the body as ready when nothing of the start is under way any more; a login starts again. */
  private async begin(): Promise<void> {
    this.beginning++;
    delete document.body.dataset["ready"];
    await this.start().finally(() => this.beginning--);
    if (this.beginning === 0) document.body.dataset["ready"] = "";
  }

  /** A first visit begins with something to look at. */
  private async start(): Promise<void> {
    await Promise.all([this.login.load(), this.reload()]);
    if (!this.tabs.fresh || this.tabs.activeText || !this.loaded) return;
    try {
      const { text, run } = await welcome(this.schema);
      if (this.tabs.activeText) return; // a person was faster
      this.editor.replaceAll(text);
      if (!run) return;
      this.results.setView("chart");
      await this.run({ text, from: 0 });
    } catch (error) {
      this.say(errorFrom(error).message);
    }
  }

  // ---- tables ----

  private async reload(): Promise<void> {
    try {
      this.schema = await loadSchema();
      this.loaded = true;
      this.panel.show(this.schema);
    } catch (error) {
      this.schema = { tables: [] };
      const wanted = error instanceof AskError && error.status === 401;
      this.panel.fail(wanted ? "Log in to see the tables." : errorFrom(error).message);
    }
  }

  private import(file: File): void {
    if (this.login.readOnly) return this.say("This role may not make or fill tables.");
    void importFile(file, {
      schema: () => this.schema,
      reload: () => this.reload(),
      say: (text) => this.say(text),
      done: (table) => void this.imported(table),
    });
  }

  /** A table with new rows is shown at once. */
  private async imported(name: string): Promise<void> {
    await this.reload();
    const table = this.schema.tables.find((t) => t.name.toLowerCase() === name.toLowerCase());
    if (!table) return;
    this.results.setView("chart");
    this.openAndRun(await firstLook(table));
  }

  // ---- running ----

  private offset(run: Run, position: number): number {
    return run.from + offsetOf(run.text, position);
  }

  private get current(): Run | undefined {
    return this.runs.get(this.tabs.activeId);
  }

  private switched(): void {
    // The first call comes from the constructor of the tabs, before there is anything to show.
    if (!this.tabs) return;
    this.results.show(this.current ?? null);
    this.showState();
  }

  private showState(): void {
    const running = this.current?.running === true;
    this.runButton.hidden = running;
    this.stopButton.hidden = !running;
  }

  private openAndRun(text: string): void {
    this.tabs.open(text);
    this.editor.runAll();
  }

  private async run(what: Selected): Promise<void> {
    if (this.current?.running) return this.say("A statement of this tab is running: cancel it first.");
    const tab = this.tabs.activeId;
    const run = new Run(what.text, what.from, newId());
    this.runs.set(tab, run);
    this.editor.markError(null);
    this.results.show(run);
    this.showState();
    this.follow(run);
    try {
      if (draws(run.text)) run.picture = await draw(run.text, run.id);
      else await runSql(run.text, { id: run.id, limit: ROWS_MAX, signal: new AbortController().signal }, run);
      run.finish(null);
    } catch (error) {
      run.finish(errorFrom(error));
      if (!(error instanceof AskError)) console.error(error);
    }
    this.showState();
    const position = run.error?.position;
    if (position !== undefined && this.tabs.activeId === tab) this.editor.markError(this.offset(run, position));
    if (changesSchema(run)) void this.reload();
  }

  /** Asks how far a statement is, as long as it runs. */
  private follow(run: Run): void {
    const look = async () => {
      if (!run.running) return;
      // Where this cannot be told, the statement goes on all the same.
      const all = await progressOfAll().catch(() => []);
      run.progress = all.find((p) => p.id === run.id) ?? run.progress;
      setTimeout(() => void look(), PROGRESS_MS);
    };
    setTimeout(() => void look(), PROGRESS_MS);
  }

  private async cancel(): Promise<void> {
    if (!this.current?.running) return;
    try {
      await cancel(this.current.id);
    } catch (error) {
      this.say(errorFrom(error).message);
    }
  }
}

/** May there be other tables, or other numbers of rows, than before? */
function changesSchema(run: Run): boolean {
  return run.sets.some((set) => /^(CREATE|DROP|ALTER|TRUNCATE|INSERT|DELETE|COPY|SELECT INTO|MERGE)/.test(set.tag));
}

startTheme();
new Console();
