// SPDX-License-Identifier: Apache-2.0
// rings.ts: the slabs of a table as the rings of a tree: the oldest inside, each as strong as it has rows.
import { bytes, count } from "./text.ts";

export interface Slab {
  start: string | null;
  end: string | null;
  rows: number;
  bytes: number;
  inMemory: number;
  goesAt: string | null;
}

const SVG = "http://www.w3.org/2000/svg";
export const RINGS_MAX = 24;

function element(tag: string, attributes: Record<string, string | number>): SVGElement {
  const e = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) e.setAttribute(name, String(value));
  return e;
}

const day = (time: string | null) => time?.slice(0, 16).replace("T00:00", "").replace("T", " ") ?? "…";

/** `slabs`: the newest first. */
export function rings(slabs: Slab[]): SVGElement {
  const shown = slabs.slice(0, RINGS_MAX).reverse();
  const most = Math.max(1, ...shown.map((s) => s.rows));
  const step = 44 / (shown.length + 1);
  const svg = element("svg", { viewBox: "0 0 100 100", class: "rings", role: "img", "aria-label": `${shown.length} slabs, the newest outside` });
  svg.append(element("circle", { cx: 50, cy: 50, r: Math.max(1.5, step * 0.4), class: "heart" }));
  shown.forEach((slab, i) => {
    const ring = element("circle", {
      cx: 50, cy: 50, r: step * (i + 1) + 2, class: slab.inMemory > 0 ? "ring fresh" : "ring",
      "stroke-width": Math.max(0.8, Math.min(7, step * 0.78)), "stroke-opacity": (0.25 + 0.75 * (slab.rows / most)).toFixed(2),
    });
    const title = element("title", {});
    title.textContent = `${day(slab.start)} – ${day(slab.end)}: ${count(slab.rows)} rows, ${bytes(slab.bytes)}` +
      (slab.inMemory ? `, ${count(slab.inMemory)} in memory` : "") + (slab.goesAt ? `; goes at ${day(slab.goesAt)}` : "");
    ring.append(title);
    svg.append(ring);
  });
  return svg;
}
