// SPDX-License-Identifier: Apache-2.0
// editor.ts: CodeMirror, in a shadow root: there its styles are objects, not <style> elements, so
// the page's content security policy needs no exception for them.
import {
  acceptCompletion,
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  closeCompletion,
  completionKeymap,
} from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab, toggleComment } from "@codemirror/commands";
import { sql } from "@codemirror/lang-sql";
import { bracketMatching, HighlightStyle, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { EditorState, Prec, StateEffect, StateField, type Extension } from "@codemirror/state";
import {
  Decoration,
  type DecorationSet,
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
  placeholder,
} from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { completer, dialect, type Span, statementAt } from "./language.ts";
import type { Schema } from "./schema.ts";

/** A text to run, and where in the editor it begins. */
export interface Selected {
  text: string;
  from: number;
}

export interface EditorHooks {
  schema: () => Schema;
  run: (what: Selected) => void;
  explain: (what: Selected) => void;
  changed: (text: string) => void;
}

const setError = StateEffect.define<Span | null>();

/** The place of an error, underlined until the text changes. */
const errorField = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marks, transaction) {
    if (transaction.docChanged) marks = Decoration.none;
    for (const effect of transaction.effects) {
      if (!effect.is(setError)) continue;
      const span = effect.value;
      marks = span
        ? Decoration.set([Decoration.mark({ class: "cm-dn-error" }).range(span.from, span.to)])
        : Decoration.none;
    }
    return marks;
  },
  provide: (field) => EditorView.decorations.from(field),
});

const colours = HighlightStyle.define([
  { tag: tags.keyword, color: "var(--code-keyword)", fontWeight: "600" },
  { tag: tags.typeName, color: "var(--code-type)" },
  { tag: [tags.standard(tags.name), tags.special(tags.name)], color: "var(--code-function)" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--code-string)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--code-number)" },
  { tag: [tags.lineComment, tags.blockComment], color: "var(--code-comment)", fontStyle: "italic" },
  { tag: tags.operator, color: "var(--code-operator)" },
]);

const look = EditorView.theme({
  "&": { height: "100%", fontSize: "13.5px", backgroundColor: "var(--surface)", color: "var(--text)" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.6", overflow: "auto" },
  ".cm-content": { padding: "10px 0", caretColor: "var(--accent)" },
  ".cm-line": { padding: "0 14px" },
  ".cm-gutters": { backgroundColor: "var(--surface)", color: "var(--faint)", border: "none", paddingLeft: "6px" },
  ".cm-activeLine": { backgroundColor: "var(--active-line)" },
  ".cm-activeLineGutter": { backgroundColor: "var(--active-line)", color: "var(--muted)" },
  ".cm-cursor": { borderLeftColor: "var(--accent)", borderLeftWidth: "2px" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "var(--selection)",
  },
  "&.cm-focused .cm-matchingBracket": { backgroundColor: "var(--selection)", outline: "none" },
  ".cm-placeholder": { color: "var(--faint)" },
  ".cm-dn-error": {
    textDecoration: "underline wavy var(--bad) 1.5px",
    textUnderlineOffset: "4px",
    backgroundColor: "var(--bad-soft)",
  },
  ".cm-tooltip": {
    backgroundColor: "var(--raised)",
    color: "var(--text)",
    border: "1px solid var(--line)",
    borderRadius: "8px",
    boxShadow: "var(--shadow)",
    overflow: "hidden",
  },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": { fontFamily: "var(--mono)", fontSize: "12.5px", maxHeight: "16em" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li": { padding: "3px 10px 3px 6px" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { backgroundColor: "var(--accent)", color: "var(--on-accent)" },
  ".cm-completionDetail": { color: "var(--muted)", fontStyle: "normal", marginLeft: "1.2em" },
  "li[aria-selected] .cm-completionDetail": { color: "inherit", opacity: "0.8" },
  ".cm-completionInfo": { padding: "8px 12px", maxWidth: "340px", fontFamily: "var(--sans)", fontSize: "12.5px" },
});

/** Offset in the text of a position that counts characters (code points) from 1 on. */
export function offsetOf(text: string, position: number): number {
  let offset = 0;
  for (const character of text) {
    if (--position <= 0) break;
    offset += character.length;
  }
  return Math.min(offset, text.length);
}

/**
 * Escape makes the next Tab leave the editor instead of indenting. CodeMirror does that for two seconds, which is too
 * short for a person who looks for the key; here it lasts until the text, the selection or the focus changes.
 */
function leaveWithTab(view: EditorView): boolean {
  view.setTabFocusMode(true);
  return false; // Escape also closes what is open
}

export class Editor {
  readonly element: HTMLElement;
  private readonly view: EditorView;
  private readonly extensions: Extension;

  constructor(private readonly hooks: EditorHooks) {
    this.element = document.createElement("div");
    this.element.className = "editor";
    const root = this.element.attachShadow({ mode: "open" });
    this.extensions = this.setup();
    this.view = new EditorView({ state: this.state(""), parent: root, root });
  }

  private setup(): Extension {
    const keys = [
      { key: "Mod-Enter", run: () => this.runSelected() },
      { key: "Shift-Mod-Enter", run: () => this.runAll() },
      { key: "Alt-Mod-Enter", run: () => this.explain() },
      { key: "Mod-/", run: toggleComment },
      { key: "Tab", run: acceptCompletion },
      { key: "Escape", run: leaveWithTab },
    ];
    return [
      Prec.highest(keymap.of(keys)),
      lineNumbers(),
      history(),
      drawSelection(),
      indentUnit.of("    "),
      bracketMatching(),
      closeBrackets(),
      highlightActiveLine(),
      highlightActiveLineGutter(),
      EditorView.lineWrapping,
      EditorView.contentAttributes.of({ "aria-label": "SQL editor" }),
      placeholder("SELECT …"),
      sql({ dialect, upperCaseKeywords: true }),
      autocompletion({ override: [completer(this.hooks.schema)], icons: false }),
      syntaxHighlighting(colours),
      errorField,
      look,
      EditorView.updateListener.of((update) => {
        if (update.docChanged || update.selectionSet || update.focusChanged) update.view.setTabFocusMode(false);
        if (update.docChanged) this.hooks.changed(update.state.doc.toString());
      }),
      keymap.of([
        ...closeBracketsKeymap,
        ...defaultKeymap,
        ...historyKeymap,
        ...completionKeymap,
        indentWithTab,
      ]),
    ];
  }

  /** A state for another text: each tab has one, with its own history. */
  state(text: string): EditorState {
    return EditorState.create({ doc: text, extensions: this.extensions });
  }

  get current(): EditorState {
    return this.view.state;
  }

  show(state: EditorState): void {
    this.view.setState(state);
  }

  focus(): void {
    this.view.focus();
  }

  /** What is selected, or else the statement at the cursor. */
  selected(): Selected | null {
    const { state } = this.view;
    const range = state.selection.main;
    const span = range.empty ? statementAt(state, range.head) : range;
    return span && { text: state.sliceDoc(span.from, span.to), from: span.from };
  }

  runSelected(): boolean {
    closeCompletion(this.view);
    const what = this.selected();
    if (what?.text.trim()) this.hooks.run(what);
    return true;
  }

  explain(): boolean {
    closeCompletion(this.view);
    const what = this.selected();
    if (what?.text.trim()) this.hooks.explain(what);
    return true;
  }

  runAll(): boolean {
    closeCompletion(this.view);
    const text = this.view.state.doc.toString();
    if (text.trim()) this.hooks.run({ text, from: 0 });
    return true;
  }

  /** Puts `text` in the place of the selection. */
  insert(text: string): void {
    this.view.dispatch(this.view.state.replaceSelection(text));
    this.focus();
  }

  replaceAll(text: string): void {
    this.view.dispatch({ changes: { from: 0, to: this.view.state.doc.length, insert: text } });
  }

  /** Underlines the word at an offset; null: no more. */
  markError(at: number | null): void {
    const { doc } = this.view.state;
    if (at === null || doc.length === 0) {
      this.view.dispatch({ effects: setError.of(null) });
      return;
    }
    const from = Math.min(at, doc.length - 1);
    const word = /^[\p{L}\p{N}_$]+|^./u.exec(doc.sliceString(from, from + 200));
    const to = Math.min(doc.length, from + Math.max(1, word?.[0].length ?? 1));
    this.view.dispatch({ effects: [setError.of({ from, to }), EditorView.scrollIntoView(from)] });
  }

  goTo(at: number): void {
    this.view.dispatch({ selection: { anchor: Math.min(at, this.view.state.doc.length) }, scrollIntoView: true });
    this.focus();
  }

  /** Line and column, from 1 on. */
  place(at: number): { line: number; column: number } {
    const line = this.view.state.doc.lineAt(Math.min(at, this.view.state.doc.length));
    return { line: line.number, column: at - line.from + 1 };
  }
}
