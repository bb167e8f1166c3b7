// SPDX-License-Identifier: Apache-2.0
// Colours of bodies: one each, one for each strand, by the level in the assembly tree, or by the largest joint force.
import { Color } from "three";
import { bodyColour } from "./bodies";
import { amount, Run } from "./data";
import { places } from "./division";

export type Colouring = "body" | "strand" | "level" | "force";
export interface Palette {
    /** The colour of a body; by force it depends on the time. */
    of(body: number, time: number): Color;
    moving: boolean;
    plain: boolean; // every body and visual has its own colour
    /** What the ends of the scale mean, or null: there is none. */
    scale: [string, string] | null;
}

const stops = ["#31478f", "#2a8f9d", "#8fc46a", "#f0b429", "#e0512f"].map((c) => new Color(c));
const SHADES = 96; // of the ramp: each has its material

export function ramp(f: number): Color {
    const x = (Math.round(Math.min(Math.max(f, 0), 1) * SHADES) / SHADES) * (stops.length - 1),
        i = Math.min(Math.floor(x), stops.length - 2);
    return stops[i].clone().lerp(stops[i + 1], x - i);
}

/** What a run can be coloured by. */
export function colourings(run: Run): Colouring[] {
    const found: Colouring[] = ["body"];
    if (run.meta.division) found.push("strand", "level");
    if (run.meta.joints.some((j) => run.has(`${j.name}.force`))) found.push("force");
    return found;
}

/** For every body the lines of the forces of its joints; and the largest force of the run. */
function forces(run: Run): { of: ((k: number) => number)[][]; most: number } {
    const of: ((k: number) => number)[][] = run.meta.bodies.map(() => []);
    let most = 0;
    for (const j of run.meta.joints) {
        const l = run.lines(`${j.name}.force`);
        if (l.length !== 3) continue;
        const size = (k: number): number => Math.hypot(l[0].at(k), l[1].at(k), l[2].at(k));
        for (const b of [j.a, j.b]) if (b >= 0) of[b].push(size);
        for (let k = 0; k < run.times.length; ++k) most = Math.max(most, size(k) || 0);
    }
    return { of, most };
}

export function palette(run: Run, by: Colouring): Palette {
    const plain: Palette = { of: (b) => bodyColour(b, run.meta.bodies[b].shape), moving: false, plain: true, scale: null };
    if (by === "force") {
        const { of, most } = forces(run);
        const at = (b: number, k: number): number => of[b].reduce((m, f) => Math.max(m, f(k) || 0), 0);
        return {
            of: (b, time) => ramp(most > 0 ? at(b, run.find(time).k) / most : 0),
            moving: true,
            plain: false,
            scale: ["0", `${amount(most, "N")}: largest joint force`],
        };
    }
    const where = by === "body" ? null : places(run);
    if (!where) return plain;
    if (by === "strand") return { of: (b) => bodyColour(where.strand[b]), moving: false, plain: false, scale: null };
    const deepest = Math.max(1, ...where.level);
    return {
        of: (b) => ramp(where.level[b] / deepest),
        moving: false,
        plain: false,
        scale: ["top of the tree", `${deepest} levels down`],
    };
}
