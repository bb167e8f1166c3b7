# SPDX-License-Identifier: Apache-2.0
"""Line figures as SVG, all of one look: panels in a row, one legend above.  White ground, so that they read on light and dark
pages alike.  Standard library only."""
import math
import re

COLORS = ["#1f6fb4", "#58a6dd", "#12406b", "#c8501e", "#eba07a", "#4a8f3c"]
WIDTH, HEIGHT, LEFT, GAP = 250, 180, 52, 22  # of one panel's field, px
LETTER = 6.2  # px, mean width of a letter of the legend


def short(x):
    """1e-6 in the place of 1e-06."""
    return f"{x:g}" if 1e-3 < abs(x) < 1e4 or x == 0 else f"{x:.0e}".replace("e-0", "e-").replace("e+0", "e")


def nice_step(span, most):
    """1, 2 or 5 times a power of ten: at most `most` steps in span."""
    step = 10 ** math.floor(math.log10(span / most))
    return step * next(k for k in (1, 2, 5, 10) if span / (k * step) <= most)


class Panel:
    """One set of axes: curves over x; y logarithmic or not (log), x too (xlog), x growing to the left (backwards)."""

    def __init__(self, title, x, y, log=True, xlog=False, backwards=False):
        self.title, self.x, self.y, self.log, self.xlog, self.backwards = title, x, y, log, xlog, backwards
        self.curves = []

    def add(self, name, color, xs, ys, marks=False, dash=""):
        self.curves.append((name, color, xs, ys, marks, dash))

    def limits(self):
        ys = [y for c in self.curves for y in c[3] if not self.log or y > 0]
        if not self.log:
            lo, hi = min(ys), max(ys)
            room = 0.06 * (hi - lo) or 1
            return lo - room, hi + room
        lo, hi = math.floor(math.log10(min(ys)) + 1e-9), math.ceil(math.log10(max(ys)) - 1e-9)
        return lo, max(hi, lo + 1)

    def ticks(self, lo, hi):
        if self.log:
            step = max(1, math.ceil((hi - lo) / 6))
            return [(k, short(10.0**k)) for k in range(lo, hi + 1, step)]
        step = nice_step(hi - lo, 6)
        return [(k * step, f"{k * step:g}") for k in range(math.ceil(lo / step), math.floor(hi / step) + 1)]

    def x_ticks(self, x0, x1):
        if not self.xlog:
            step = nice_step(x1 - x0, 6)
            return [k * step for k in range(math.ceil(x0 / step - 1e-9), math.floor(x1 / step + 1e-9) + 1)]
        lo, hi = math.ceil(math.log10(x0) - 1e-9), math.floor(math.log10(x1) + 1e-9)
        if hi - lo < 2:  # less than three decades: 1, 2, 5 of each
            fine = [m * 10.0**k for k in range(lo - 1, hi + 1) for m in (1, 2, 5)]
            return [x for x in fine if x0 * (1 - 1e-9) <= x <= x1 * (1 + 1e-9)]
        return [10.0**k for k in range(lo, hi + 1, max(1, math.ceil((hi - lo) / 6)))]

    def draw(self, left, top):
        lo, hi = self.limits()
        xs = [x for c in self.curves for x in c[2]]
        x0, x1 = min(xs) if self.xlog else min(0.0, min(xs)), max(xs)

        def across(x):
            u = math.log10(x / x0) / math.log10(x1 / x0) if self.xlog else (x - x0) / (x1 - x0)
            return left + WIDTH * (1 - u if self.backwards else u)

        def down(y):
            y = max(math.log10(y), lo) if self.log and y > 0 else lo if self.log else y
            return top + HEIGHT * (1 - (y - lo) / (hi - lo))

        out = [
            f'<rect x="{left}" y="{top}" width="{WIDTH}" height="{HEIGHT}" fill="none" stroke="#888"/>',
            f'<text x="{left + WIDTH / 2}" y="{top - 8}" text-anchor="middle" font-weight="bold">{self.title}</text>',
            f'<text x="{left + WIDTH / 2}" y="{top + HEIGHT + 32}" text-anchor="middle">{self.x}</text>',
            f'<text x="{left - 40}" y="{top - 24}" text-anchor="start" fill="#555">{self.y}</text>',
        ]
        for value, text in self.ticks(lo, hi):
            y = top + HEIGHT * (1 - (value - lo) / (hi - lo))
            out.append(
                f'<path d="M{left} {y:.1f}h{WIDTH}" stroke="#ddd"/>'
                f'<text x="{left - 5}" y="{y + 4:.1f}" text-anchor="end">{text}</text>'
            )
        for x in self.x_ticks(x0, x1):
            out.append(
                f'<path d="M{across(x):.1f} {top + HEIGHT}v-4" stroke="#888"/>'
                f'<text x="{across(x):.1f}" y="{top + HEIGHT + 15}" text-anchor="middle">{short(x)}</text>'
            )
        for _, color, cx, cy, marks, dash in self.curves:
            points = [(across(x), down(y)) for x, y in zip(cx, cy)]
            out.append(
                f'<polyline fill="none" stroke="{color}" stroke-width="1.5"{dashes(dash)} points="'
                + " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
                + '"/>'
            )
            if marks:
                out += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.5" fill="{color}"/>' for x, y in points]
        return out


def dashes(dash):
    return f' stroke-dasharray="{dash}"' if dash else ""


def legend(panels, width):
    """Lines of the legend: [(x, row, name, color, dash)], wrapped at the width."""
    entries, x, row = [], LEFT, 0
    for c in [c for p in panels for c in p.curves]:
        if not c[0] or c[0] in [e[2] for e in entries]:
            continue
        need = 40 + LETTER * len(c[0])
        if x + need > width and x > LEFT:
            x, row = LEFT, row + 1
        entries.append((x, row, c[0], c[1], c[5]))
        x += need
    return entries


def head(width, height):
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" font-family="sans-serif" font-size="11">\n'
            '<rect width="100%" height="100%" fill="white"/>\n')


def stack(path, name, width, height, lines):
    """Puts a drawing into a picture as the part `name`, one below the other; a part of that name is replaced."""
    parts = {}
    if path.exists():
        found = r'<svg id="([^"]+)" y="[^"]*" width="([^"]+)" height="([^"]+)">\n(.*?)</svg>\n'
        parts = {i: (float(w), float(h), text) for i, w, h, text in re.findall(found, path.read_text(encoding="utf-8"), flags=re.S)}
    parts[name] = width, height, "".join(line + "\n" for line in lines)
    out, y = "", 0
    for key, (w, h, text) in parts.items():
        out += f'<svg id="{key}" y="{y:g}" width="{w:g}" height="{h:g}">\n{text}</svg>\n'
        y += h
    path.write_text(head(max(w for w, _, _ in parts.values()), y) + out + "</svg>\n", encoding="utf-8")


def write_svg(path, panels, part=None):
    """The panels in a row; with `part`, as that part of a picture of several rows."""
    total = len(panels) * (WIDTH + LEFT + GAP) + 6
    entries = legend(panels, total)
    top = 66 + 16 * (entries[-1][1] if entries else 0)
    out = []
    for x, row, name, color, dash in entries:
        out.append(
            f'<path d="M{x:.1f} {14 + 16 * row}h18" stroke="{color}" stroke-width="3"{dashes(dash)}/>'
            f'<text x="{x + 23:.1f}" y="{18 + 16 * row}">{name}</text>'
        )
    for k, p in enumerate(panels):
        out += p.draw(LEFT + k * (WIDTH + LEFT + GAP), top)
    if part:
        stack(path, part, total, top + HEIGHT + 42, out)
    else:
        path.write_text(head(total, top + HEIGHT + 42) + "\n".join(out + ["</svg>"]) + "\n", encoding="utf-8")


def thin(t, y, most=120):
    """Largest value so far, at no more than `most` times after the first 0.2 s."""
    top, ts, ys = 0.0, [], []
    for k, (a, b) in enumerate(zip(t, y)):
        top = max(top, abs(b))
        if a > 0.2 and (k % max(1, len(t) // most) == 0 or k == len(t) - 1):
            ts.append(a)
            ys.append(max(top, 1e-17))
    return ts, ys
