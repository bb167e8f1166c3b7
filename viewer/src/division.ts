// SPDX-License-Identifier: Apache-2.0
// How the mechanism was divided: the tree of parts, drawn with its strands to the right, and what belongs to each body.
import { count, Run } from "./data";

/** A strand, a flexible body, or a node that joins the units below it. */
export interface Unit {
    label: string;
    bodies: number[]; // its own, without those of the units below it
    below: Unit[];
    loop: boolean;
    node: boolean;
}

const MOST_ROWS = 400;

function names(run: Run, bodies: number[]): string {
    const n = bodies.map((b) => run.meta.bodies[b].name);
    return n.length > 3 ? `${n[0]}, ${n[1]} ... ${n[n.length - 1]} (${n.length})` : n.join(", ");
}

/** The roots of the division; none where the page does not have it. */
export function units(run: Run): Unit[] {
    const d = run.meta.division;
    if (!d) return [];
    const strand = d.folds.map((): Unit => ({ label: "", bodies: [], below: [], loop: false, node: false }));
    const flexible = new Map<number, number[]>();
    d.strand_of.forEach((s, body) => {
        if (s >= 0) strand[s].bodies.push(body);
        else flexible.set(d.flexible_of[body], [...(flexible.get(d.flexible_of[body]) ?? []), body]);
    });
    for (const u of strand) u.label = names(run, u.bodies);
    d.folds.forEach((into, s) => {
        if (into >= 0) strand[into].below.push(strand[s]);
    });
    const part: Unit[] = [],
        inside = new Set<Unit>();
    const taken = new Set(d.folds.flatMap((into, s) => (into >= 0 ? [s] : [])));
    for (const p of d.parts) {
        if (p.strand >= 0) (part.push(strand[p.strand]), taken.add(p.strand));
        else if (p.flexible >= 0) {
            const bodies = flexible.get(p.flexible) ?? [];
            part.push({ label: `${names(run, bodies)}: flexible`, bodies, below: [], loop: false, node: false });
        } else {
            const below = p.children.map((c) => part[c]);
            for (const u of below) inside.add(u);
            const what =
                p.closes.length > 4
                    ? `${p.closes.slice(0, 3).join(", ")} ... (${p.closes.length})`
                    : p.closes.join(", ");
            part.push({ label: `${what} (${count(p.rows, "row")})`, bodies: [], below, loop: p.loop, node: true });
        }
    }
    return [...new Set(part)].filter((u) => !inside.has(u)).concat(strand.filter((_, s) => !taken.has(s)));
}

/** All bodies of a unit. */
export function bodiesOf(u: Unit): number[] {
    return u.bodies.concat(u.below.flatMap(bodiesOf));
}

/** For every body its strand, and how many units lie above it; null where the page does not have them. */
export function places(run: Run): { strand: number[]; level: number[] } | null {
    const roots = units(run);
    if (roots.length === 0) return null;
    const strand = run.meta.bodies.map(() => 0),
        level = run.meta.bodies.map(() => 0);
    let next = 0;
    const visit = (u: Unit, depth: number): void => {
        for (const b of u.bodies) ((strand[b] = next), (level[b] = depth));
        if (u.bodies.length) next++;
        for (const x of u.below) visit(x, depth + 1);
    };
    for (const u of roots) visit(u, 0);
    return { strand, level };
}

const SVG = "http://www.w3.org/2000/svg";
function svg(tag: string, attributes: Record<string, string | number>): SVGElement {
    const e = document.createElementNS(SVG, tag);
    for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, String(v));
    return e;
}

/** The tree as a drawing; a click or return on a unit chooses its bodies. */
export function drawing(run: Run, choose: (title: string, bodies: number[]) => void): SVGElement | null {
    const roots = units(run);
    const height = (u: Unit): number => (u.below.length ? 1 + Math.max(...u.below.map(height)) : 0);
    const deepest = Math.max(0, ...roots.map(height)),
        STEP = Math.max(14, Math.min(34, 200 / (deepest + 1))),
        ROW = 21;
    let row = 0;
    const lines: SVGElement[] = [],
        marks: SVGElement[] = [];
    const draw = (u: Unit, depth: number): number => {
        const x = 10 + STEP * depth;
        let y = 0;
        if (u.node) {
            const ends = u.below.map((b) => draw(b, depth + 1));
            y = (Math.min(...ends) + Math.max(...ends)) / 2;
            for (const end of ends) lines.push(svg("path", { d: `M${x},${y}V${end}H${x + STEP}`, class: "branch" }));
        } else {
            y = 14 + ROW * row++;
            for (const b of u.below) {
                const end = draw(b, depth + 1);
                lines.push(svg("path", { d: `M${x},${y}V${end}H${x + STEP}`, class: "branch" }));
            }
        }
        const bodies = bodiesOf(u),
            text = u.node ? `${u.loop ? "closes a loop: " : "joins: "}${u.label}` : u.label;
        const g = svg("g", {
            tabindex: 0,
            role: "button",
            "aria-label": `${text}; ${count(bodies.length, "body", "bodies")}`,
        });
        const hint = svg("title", {});
        hint.textContent = text;
        g.append(hint);
        if (u.node) g.append(svg("circle", { cx: x, cy: y, r: 5.5, class: u.loop ? "node loop" : "node" }));
        else {
            const label = svg("text", { x: x + 10, y: y + 4 });
            label.textContent = u.label;
            g.append(svg("rect", { x: x - 5, y: y - 5, width: 10, height: 10, rx: 2, class: "leaf" }), label);
        }
        const take = () => {
            for (const m of marks) m.classList.toggle("on", m === g);
            choose(text, bodies);
        };
        g.addEventListener("click", take);
        g.addEventListener("keydown", (e) => {
            const key = (e as KeyboardEvent).key;
            if (key === "Enter" || key === " ") (take(), e.preventDefault(), e.stopPropagation());
        });
        marks.push(g);
        return y;
    };
    const leaves = (u: Unit): number => (u.node ? 0 : 1) + u.below.reduce((n, b) => n + leaves(b), 0);
    if (roots.reduce((n, u) => n + leaves(u), 0) > MOST_ROWS) return null;
    for (const u of roots) draw(u, 0);
    const all = svg("svg", { width: 400 + STEP * deepest, height: 10 + ROW * Math.max(row, 1), class: "tree" });
    all.append(...lines, ...marks);
    return all;
}
