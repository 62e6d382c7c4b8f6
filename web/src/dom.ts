// SPDX-License-Identifier: Apache-2.0
// dom.ts: elements in one call. Texts become text nodes, never markup: a value of the database
// cannot become part of the page.

export type Child = Node | string | number | null | undefined | false;

type Listeners = { [K in keyof HTMLElementEventMap]?: (event: HTMLElementEventMap[K]) => void };

export interface Props {
  class?: string;
  on?: Listeners;
  [attribute: string]: string | number | boolean | Listeners | undefined;
}

function setAttribute(element: Element, name: string, value: Props[string]): void {
  if (value === undefined || value === false) return;
  element.setAttribute(name, value === true ? "" : String(value));
}

export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  props: Props = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (name !== "on") setAttribute(element, name, value);
  }
  for (const [type, listener] of Object.entries(props.on ?? {})) {
    element.addEventListener(type, listener as EventListener);
  }
  append(element, ...children);
  return element;
}

export function append(parent: Node, ...children: Child[]): void {
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    parent.appendChild(child instanceof Node ? child : document.createTextNode(String(child)));
  }
}

/** Puts `children` in the place of all that `parent` has. */
export function fill(parent: Element, ...children: Child[]): void {
  parent.replaceChildren();
  append(parent, ...children);
}

const SVG = "http://www.w3.org/2000/svg";

function svg(tag: string, attributes: Record<string, string | number>): SVGElement {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  return element;
}

// Paths on a square of 16: one stroke each.
const ICONS = {
  run: "M4.5 2.8v10.4L13 8z",
  stop: "M4 4h8v8H4z",
  plus: "M8 3v10M3 8h10",
  close: "M4 4l8 8M12 4l-8 8",
  table: "M2.5 3.5h11v9h-11zM2.5 6.5h11M6.5 6.5v6",
  view: "M1.5 8s2.5-4.5 6.5-4.5S14.5 8 14.5 8 12 12.5 8 12.5 1.5 8 1.5 8zM8 6.2a1.8 1.8 0 100 3.6 1.8 1.8 0 000-3.6z",
  chart: "M2 13.5h12M3 11l3.2-4 2.6 2.2L13 4",
  copy: "M5.5 5.5h7v7h-7zM10.5 5.5v-2h-7v7h2",
  download: "M8 2.5v7.5M4.8 7L8 10.2 11.2 7M3 13h10",
  upload: "M8 10.5V3M4.8 6.2L8 3l3.2 3.2M3 13h10",
  menu: "M2.5 4.5h11M2.5 8h11M2.5 11.5h11",
  moon: "M13 9.5A5.5 5.5 0 016.5 3a5.5 5.5 0 106.5 6.5z",
  sun: "M8 5.2a2.8 2.8 0 100 5.6 2.8 2.8 0 000-5.6zM8 1.5v1.6M8 12.9v1.6M1.5 8h1.6M12.9 8h1.6M3.4 3.4l1.1 1.1M11.5 11.5l1.1 1.1M12.6 3.4l-1.1 1.1M4.5 11.5l-1.1 1.1",
  key: "M5.2 7.8a2.7 2.7 0 105.4 0 2.7 2.7 0 00-5.4 0zM2 13l3.8-3.4M3.6 11.6l1.4 1.5",
  refresh: "M13 8a5 5 0 11-1.5-3.6M13 2.5v2.8h-2.8",
  pulse: "M1.5 8.5h3l1.7-5 3 9 1.8-4h3.5",
  help: "M5.8 6a2.2 2.2 0 114 1.3C9 8.2 8 8.5 8 9.8M8 12.2v.4",
  chevron: "M6 4l4 4-4 4",
  user: "M8 8.2a2.6 2.6 0 100-5.2 2.6 2.6 0 000 5.2zM3 13.4c.6-2.4 2.6-3.6 5-3.6s4.4 1.2 5 3.6",
} as const;

export type IconName = keyof typeof ICONS;

export function icon(name: IconName): SVGElement {
  const element = svg("svg", { viewBox: "0 0 16 16", class: "icon", "aria-hidden": "true" });
  element.append(svg("path", { d: ICONS[name] }));
  return element;
}

export interface ButtonProps extends Props {
  icon?: IconName;
  text?: string;
  label?: string;
}

/** A button; `label` is its name for those who do not see the icon, and its tooltip. */
export function button(props: ButtonProps, click: () => void): HTMLButtonElement {
  const { icon: name, text, label, ...rest } = props;
  const element = h(
    "button",
    { type: "button", title: label, "aria-label": text ? undefined : label, ...rest },
    name && icon(name),
    text && h("span", {}, text),
  );
  element.addEventListener("click", click);
  return element;
}

/** Calls `move` with the distance from where a drag began, until the button or finger is let go. */
export function onDrag(
  handle: HTMLElement,
  begin: () => (dx: number, dy: number) => void,
): void {
  handle.addEventListener("pointerdown", (down) => {
    if (down.button !== 0) return;
    const move = begin();
    const onMove = (event: PointerEvent) =>
      move(event.clientX - down.clientX, event.clientY - down.clientY);
    down.preventDefault();
    handle.setPointerCapture(down.pointerId);
    handle.addEventListener("pointermove", onMove);
    handle.addEventListener(
      "lostpointercapture",
      () => handle.removeEventListener("pointermove", onMove),
      { once: true },
    );
  });
}
