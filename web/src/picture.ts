// SPDX-License-Identifier: Apache-2.0
// picture.ts: EventQL's DRAW … CHART: the server makes the picture, the page shows it.
import { h } from "./dom.ts";

const BLANKS = String.raw`(?:\s|--[^\n]*(?:\n|$)|/\*[^]*?\*/)*`;
const DRAW = new RegExp(`^${BLANKS}draw\\b`, "i");
const QUERY = new RegExp(`^${BLANKS}(?:select|with|values|from|draw|\\()`, "i");

/** Is the statement a DRAW? */
export function draws(statement: string): boolean {
  return DRAW.test(statement);
}

/** May the statement belong to a picture: a DRAW, or a query behind one? */
export function drawn(statement: string): boolean {
  return QUERY.test(statement);
}

/** The SVG of the server as a part of the page: it has no style and no script, and the page's policy lets none in. */
export function pictureOf(svg: string): HTMLElement {
  const parsed = new DOMParser().parseFromString(svg, "image/svg+xml").documentElement;
  const element = h("div", { class: "picture" });
  element.append(document.importNode(parsed, true));
  return element;
}
