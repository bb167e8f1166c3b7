// SPDX-License-Identifier: Apache-2.0
// Which plots a page has: those of every run, and those of what is chosen.
import { touching } from "./contacts";
import type { Choice, Line, Run } from "./data";
import { element } from "./html";
import { Plot, Spec } from "./plots";

const MOST_LINES = 8;
let span: [number, number] | null = null; // that all plots show; null: the run

/** The plots that every page has, and those of what is chosen. */
export function specs(runs: Run[], choice: Choice | null): Spec[] {
    const found: Spec[] = [],
        of = (names: string[]): Line[] => runs.flatMap((run) => names.flatMap((n) => run.lines(n)));
    const add = (title: string, names: string[], log = false) => {
        const byUnit = new Map<string, Line[]>();
        for (const line of of(names)) byUnit.set(line.unit, [...(byUnit.get(line.unit) ?? []), line]);
        for (const [unit, lines] of byUnit) {
            const shown = lines.filter((l) => l.run === 0).slice(0, MOST_LINES),
                second = lines.filter((l) => l.run > 0).slice(0, MOST_LINES);
            found.push({
                title: lines.length > shown.length + second.length ? `${title} (the first ${shown.length})` : title,
                unit,
                lines: [...shown, ...second],
                log,
            });
        }
    };
    if (choice) {
        const run = runs[choice.run],
            owner = choice.kind === "body" ? run.meta.bodies[choice.index].name : run.meta.joints[choice.index].name;
        if (choice.kind === "body")
            found.push({ title: `${owner}: position`, unit: "m", lines: run.positions(choice.index) });
        for (const c of run.meta.curves)
            if (c.kind === choice.kind && c.owner === owner)
                add(
                    c.name.slice(0, owner.length + 1) === `${owner}.`
                        ? `${owner}: ${c.name.slice(owner.length + 1).replaceAll("_", " ")}`
                        : c.name,
                    [c.name],
                );
        if (choice.kind === "body") for (const name of touching(run, choice.index)) add(name, [`${name}.normal_force`]);
    }
    const own = (test: (c: { name: string; kind: string; owner: string }) => boolean) =>
        runs[0].meta.curves.filter(test).map((c) => c.name);
    const part = (c: { name: string; owner: string }, p: string) =>
        c.name.slice(c.owner.length + 1) === p || c.name.slice(c.owner.length + 1).startsWith(`${p}.`);
    add("Energy drift", ["energy.drift"]);
    if (runs.some((r) => r.meta.size.loops > 0))
        add("Constraint violation", ["violation.position", "violation.velocity"], true);
    add(
        "Joint coordinates",
        own((c) => c.kind === "joint" && part(c, "q")),
    );
    add(
        "Efforts",
        own((c) => c.kind === "joint" && part(c, "effort")),
    );
    add(
        "Normal forces of contacts",
        own((c) => c.kind === "contact" && part(c, "normal_force")),
    );
    add(
        "Joint rates",
        own((c) => c.kind === "joint" && part(c, "u")),
    );
    add("Energy", ["energy.kinetic", "energy.potential", "energy.work"]);
    add("Momentum", ["system.momentum"]);
    add("Angular momentum about the centre of mass", ["system.angular_momentum"]);
    add("Step size", ["integrator.step"], true);
    add("Evaluations so far", ["integrator.evaluations"]);
    return found;
}

export function plots(
    runs: Run[],
    choice: Choice | null,
    seek: (t: number) => void,
): { box: HTMLElement; plots: Plot[] } {
    const box = document.createElement("div"),
        end = Math.max(...runs.map((r) => r.end));
    const zoom = (to: [number, number] | null): void => {
        span = to;
        for (const p of all) p.zoom(span);
    };
    const all: Plot[] = specs(runs, choice).map((s) => new Plot(s, end, seek, zoom));
    for (const p of all) {
        p.zoom(span);
        box.append(p.element);
    }
    box.append(element("p", "Drag: zoom all plots. Double click: all. Click: go to that time.", "soft"));
    return { box, plots: all };
}
