// SPDX-License-Identifier: Apache-2.0
// help.ts: the keys, and where more is to be read.
import { button, h } from "./dom.ts";

const KEYS: [string, string][] = [
  ["Ctrl Enter", "run the selection, or the statement at the cursor"],
  ["Ctrl Shift Enter", "run all statements"],
  ["Ctrl Alt Enter", "explain it: run it, and show what each step did"],
  ["Ctrl Space", "complete"],
  ["Tab", "take the completion; indent"],
  ["Ctrl /", "comment lines in or out"],
  ["Esc, then Tab", "leave the editor"],
  ["Arrows, Shift Arrows", "move and select in the result"],
  ["Ctrl C", "copy the selected cells"],
];

export function dialog(title: string, ...content: HTMLElement[]): HTMLDialogElement {
  const element = h("dialog", { "aria-label": title });
  element.append(
    h("div", { class: "dialog-head" }, h("h2", {}, title), button({ icon: "close", label: "Close" }, () => element.close())),
    ...content,
  );
  element.addEventListener("close", () => element.remove());
  document.body.append(element);
  element.showModal();
  return element;
}

export function helpDialog(): void {
  dialog(
    "Keys",
    h(
      "dl",
      { class: "keys" },
      ...KEYS.flatMap(([keys, what]) => [
        h("dt", {}, ...keys.split(" ").map((key) => h("kbd", {}, key))),
        h("dd", {}, what),
      ]),
    ),
    h("p", { class: "small" }, "On a Mac Ctrl is Cmd. ", h("a", { href: "/console/licenses.txt", target: "_blank" }, "Licences of what is inside")),
  );
}
