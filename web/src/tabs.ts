// SPDX-License-Identifier: Apache-2.0
// tabs.ts: the texts that a person works on. They are kept in the browser, without passwords.
import type { EditorState } from "@codemirror/state";
import type { Editor } from "./editor.ts";
import { button, fill, h } from "./dom.ts";

interface Tab {
  id: number;
  title: string;
  /** Named by a person: the text does not name it any more. */
  named: boolean;
  text: string;
  state: EditorState | null;
}

interface Saved {
  active: number;
  tabs: { id: number; title: string; named: boolean; text: string }[];
}

const KEY = "dendro.tabs";
const TITLE_LENGTH = 24;

/** The text with the passwords of CREATE and ALTER ROLE taken out. */
export function withoutPasswords(text: string): string {
  return text.replace(/(\bpassword\s+e?)'(?:[^']|'')*('|$)/gi, "$1'…'");
}

/** What a text is about: the object it names first. */
function titleOf(text: string): string | null {
  const object = /\b(?:from|into|update|table|view)\s+(?:if\s+(?:not\s+)?exists\s+)?("[^"]+"|[\p{L}_][\p{L}\p{N}_.$]*)/iu;
  const name = object.exec(text)?.[1]?.replaceAll('"', "");
  return name ? name.slice(0, TITLE_LENGTH) : null;
}

function load(): Saved | null {
  try {
    const saved = JSON.parse(localStorage.getItem(KEY) ?? "null") as Saved | null;
    return saved && Array.isArray(saved.tabs) && saved.tabs.length > 0 ? saved : null;
  } catch {
    return null;
  }
}

export class Tabs {
  readonly element = h("div", { class: "tabs", role: "tablist", "aria-label": "Texts" });
  /** Nothing was kept: the first visit. */
  readonly fresh: boolean;
  private tabs: Tab[] = [];
  private active: Tab;
  private timer = 0;

  constructor(
    private readonly editor: Editor,
    private readonly switched: (id: number) => void,
  ) {
    const saved = load();
    this.fresh = saved === null;
    this.tabs = (saved?.tabs ?? [{ id: 1, title: "Query 1", named: false, text: "" }]).map((t) => ({ ...t, state: null }));
    this.active = this.tabs.find((t) => t.id === saved?.active) ?? (this.tabs[0] as Tab);
    this.show(this.active);
    addEventListener("pagehide", () => this.save());
  }

  get activeId(): number {
    return this.active.id;
  }

  get activeText(): string {
    return this.active.text;
  }

  /** The editor's text has changed. */
  changed(text: string): void {
    if (text === this.active.text) return;
    this.active.text = text;
    const title = this.active.named ? this.active.title : titleOf(text) ?? this.active.title;
    if (title !== this.active.title) {
      this.active.title = title;
      this.draw();
    }
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.save(), 300);
  }

  open(text = "", title?: string): void {
    const id = Math.max(...this.tabs.map((t) => t.id)) + 1;
    const tab = { id, title: title ?? titleOf(text) ?? `Query ${id}`, named: title !== undefined, text, state: null };
    this.tabs.push(tab);
    this.show(tab);
    this.editor.focus();
  }

  private show(tab: Tab): void {
    if (tab !== this.active) this.active.state = this.editor.current;
    this.active = tab;
    this.editor.show(tab.state ?? this.editor.state(tab.text));
    this.draw();
    this.save();
    this.switched(tab.id);
  }

  private close(tab: Tab): void {
    const at = this.tabs.indexOf(tab);
    this.tabs.splice(at, 1);
    if (this.tabs.length === 0) {
      this.tabs.push({ id: tab.id + 1, title: `Query ${tab.id + 1}`, named: false, text: "", state: null });
    }
    if (tab === this.active) this.show(this.tabs[Math.min(at, this.tabs.length - 1)] as Tab);
    else this.draw();
    this.save();
  }

  private rename(tab: Tab): void {
    const title = prompt("Name of this tab", tab.title)?.trim();
    if (!title) return;
    tab.title = title.slice(0, TITLE_LENGTH);
    tab.named = true;
    this.draw();
    this.save();
  }

  private save(): void {
    const tabs = this.tabs.map(({ id, title, named, text }) => ({ id, title, named, text: withoutPasswords(text) }));
    try {
      localStorage.setItem(KEY, JSON.stringify({ active: this.active.id, tabs } satisfies Saved));
    } catch {
      // The browser's store is full or switched off: the tabs live as long as the page.
    }
  }

  private step(tab: Tab, by: number): void {
    this.choose(this.tabs[(this.tabs.indexOf(tab) + by + this.tabs.length) % this.tabs.length] as Tab);
  }

  /** Shows a tab and leaves the focus on its name, where the arrows go on. */
  private choose(tab: Tab): void {
    this.show(tab);
    this.element.querySelector<HTMLElement>('[aria-selected="true"]')?.focus();
  }

  private one(tab: Tab): HTMLElement {
    const selected = tab === this.active;
    const name = h(
      "button",
      {
        type: "button", role: "tab", class: "tab-name", "aria-selected": String(selected),
        tabindex: selected ? 0 : -1, title: "Double click to rename",
        on: {
          click: () => tab !== this.active && this.choose(tab),
          dblclick: () => this.rename(tab),
          keydown: (event) => {
            if (event.key === "ArrowRight") this.step(tab, 1);
            else if (event.key === "ArrowLeft") this.step(tab, -1);
            else if (event.key === "F2") this.rename(tab);
            else if (event.key === "Delete") this.close(tab);
          },
        },
      },
      tab.title,
    );
    const close = button({ icon: "close", label: `Close ${tab.title}`, class: "tab-close", tabindex: -1 }, () => this.close(tab));
    return h("div", { class: selected ? "tab on" : "tab", role: "presentation" }, name, close);
  }

  private draw(): void {
    const add = button({ icon: "plus", label: "New tab", class: "tab-add" }, () => this.open());
    fill(this.element, ...this.tabs.map((tab) => this.one(tab)), add);
  }
}
