# SPDX-License-Identifier: Apache-2.0
"""A plot of ratios as SVG, written by hand: a line for each class, a dot for each row, on a logarithmic axis; 1 is as fast."""
import html
import math

WIDTH, LEFT, RIGHT, ROW, TOP = 900, 200, 30, 34, 46
LOW, HIGH = 0.01, 100
TICKS = [0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100]


def place(ratio):
    part = (math.log(min(max(ratio, LOW), HIGH)) - math.log(LOW)) / (math.log(HIGH) - math.log(LOW))
    return LEFT + part * (WIDTH - LEFT - RIGHT)


def svg(lines, title):
    """lines: [(label, {row: ratio}, geomean)]"""
    height = TOP + ROW * len(lines) + 30
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" font-size="12">',
           f'<rect width="{WIDTH}" height="{height}" fill="white"/>',
           f'<text x="{LEFT}" y="18" font-size="14">{html.escape(title)}</text>']
    for tick in TICKS:
        x, colour = place(tick), "#444" if tick == 1 else "#ddd"
        out.append(f'<line x1="{x:.1f}" y1="{TOP - 12}" x2="{x:.1f}" y2="{height - 26}" stroke="{colour}"/>')
        out.append(f'<text x="{x:.1f}" y="{height - 10}" text-anchor="middle" fill="#444">{tick:g}</text>')
    for i, (label, ratios, mean) in enumerate(lines):
        y = TOP + ROW * i + ROW / 2
        out.append(f'<text x="{LEFT - 10}" y="{y + 4:.1f}" text-anchor="end">{html.escape(label)}</text>')
        for name, r in ratios.items():
            colour = "#2a7a3b" if r <= 1 else "#c0392b"
            out.append(f'<circle cx="{place(r):.1f}" cy="{y:.1f}" r="3.5" fill="{colour}" fill-opacity="0.6">'
                       f'<title>{html.escape(name)}: {r:.3g}</title></circle>')
        if mean:
            out.append(f'<path d="M {place(mean):.1f} {y - 11:.1f} v 22" stroke="#1f4e8c" stroke-width="3"><title>geomean {mean:.3g}</title></path>')
    out.append("</svg>")
    return "\n".join(out) + "\n"
