// SPDX-License-Identifier: Apache-2.0
// The pages beside the view: results, plots, lists, model, provenance.  Every text is set as text, never as HTML.
import { drawing } from "./division";
import { element, moment, sender, table } from "./html";
import { amount, count, Effort, Largest, Line, Run } from "./data";
import type { Choice } from "./data";

const number = (x: unknown): number | null => (typeof x === "number" ? x : null);

/** The drift beside the energy that moves; it has none where nothing moves. */
function share(relative: unknown, drift: unknown): string {
    return number(relative) === null && number(drift) !== null ? "none: nothing moves" : amount(number(relative));
}

/** The range of an effort; a press on an end shows its time. */
function range(e: Effort): HTMLElement {
    const box = element("span");
    box.append(moment(e.lowest_time, amount(e.lowest)), " to ", moment(e.highest_time, amount(e.highest, e.unit)));
    return box;
}

function summaryOf(run: Run, all: boolean): HTMLElement {
    const m = run.meta,
        r = m.results,
        box = document.createElement("div");
    const lead = element(
        "p",
        [
            `${m.name}: ${count(m.size.bodies, "body", "bodies")}`,
            count(m.size.joints, "joint"),
            count(m.size.loops, "loop"),
        ].join(", "),
        "lead",
    );
    box.append(lead, element("p", `Degrees of freedom: ${m.freedoms}.`));
    if (r.status !== "ok")
        box.append(
            element(
                "p",
                r.status === "not finished"
                    ? "The run is not finished; the page shows what it has so far."
                    : `The run ended early: ${String(r.status).replaceAll("_", " ")}.`,
                "warn",
            ),
        );
    const wall = number(r.wall_seconds),
        time = number(r.time) ?? run.end;
    const rows: [string, string][] = [["simulated", amount(time, "s")]];
    if (wall !== null && wall > 0 && time > 0)
        rows.push([
            "computed in",
            `${amount(wall, "s")} (${amount(Number((time / wall).toPrecision(3)))}x real time)`,
        ]);
    rows.push(
        ["energy at the start", amount(number(r.energy_initial), "J")],
        ["largest energy drift", amount(number(r.max_energy_drift), "J")],
        ["energy drift, relative", share(r.max_energy_drift_relative, r.max_energy_drift)],
        ["constraint violation, position", amount(number(r.max_position_violation), "m or rad")],
        ["constraint violation, velocity", amount(number(r.max_velocity_violation), "m/s or rad/s")],
        ["steps", amount(number(r.steps))],
        ["rejected steps", amount(number(r.rejected_steps))],
    );
    if ((number(r.truncated_evaluations) ?? 0) > 0)
        rows.push(["evaluations of lower rank", amount(number(r.truncated_evaluations))]);
    box.append(table(rows, "Result"));
    const efforts = Object.entries((m.peaks.efforts ?? {}) as Record<string, Effort>);
    if (efforts.length)
        box.append(
            table(
                efforts.slice(0, 40).map(([name, e]) => [`${name} (${e.by})`, range(e)]),
                "Actuators",
            ),
        );
    const largest: [string, HTMLElement][] = [];
    for (const [key, words, unit] of [
        ["largest_force", "largest joint force", "N"],
        ["largest_torque", "largest joint moment", "N m"],
        ["largest_speed", "largest speed", "m/s"],
    ]) {
        const x = m.peaks[key] as Largest | undefined;
        if (x && x.value !== null && x.value > 0)
            largest.push([
                words,
                moment(x.time, `${amount(x.value, unit)} at ${amount(x.time, "s")}: ${x.joint ?? x.body ?? ""}`),
            ]);
    }
    if (largest.length) box.append(table(largest, "Peaks"));
    if (m.events.length)
        box.append(
            table(
                m.events
                    .slice(0, 60)
                    .map((e) => [
                        moment(e.time, amount(e.time, "s")),
                        `${e.kind.replaceAll("_", " ")}${e.text ? `: ${e.text}` : ""}`,
                    ]),
                "Events",
            ),
        );
    const redundant = m.joints.filter((j) => j.redundant).map((j) => j.name);
    if (redundant.length)
        box.append(
            element("h2", "Joints with redundant constraints"),
            element("p", redundant.slice(0, 60).join(", ")),
            sender("Show them", "joints", redundant),
        );
    if (!all) return box;
    const more = document.createElement("details"),
        numbers = table(
            Object.entries(r)
                .filter(([k]) => m.meanings[k])
                .map(([k, v]) => [k, typeof v === "string" ? v : amount(v)]),
        );
    for (const row of numbers.querySelectorAll("tr"))
        row.title = m.meanings[row.firstElementChild?.textContent ?? ""] ?? "";
    more.append(element("summary", "All numbers of the run"), numbers);
    box.append(more);
    return box;
}

export function summary(runs: Run[]): HTMLElement {
    const box = document.createElement("div");
    runs.forEach((run, i) => {
        if (runs.length > 1) box.append(element("h2", `Run ${i + 1}: ${run.meta.source}`));
        box.append(summaryOf(run, true));
    });
    return box;
}

export function model(runs: Run[]): HTMLElement {
    const run = runs[0],
        m = run.meta,
        s = m.size,
        box = document.createElement("div");
    const kinds = new Map<string, number>();
    for (const j of m.joints) kinds.set(j.kind, (kinds.get(j.kind) ?? 0) + 1);
    box.append(
        table(
            [
                ["bodies", String(s.bodies)],
                ["joints", String(s.joints)],
                ["independent loops", String(s.loops)],
                ["degrees of freedom that no motion drives (rank)", String(s.mobility_found)],
                ["the same by counting (Gruebler)", String(s.mobility_counted)],
                ["redundant constraints", String(s.redundant_constraints)],
            ],
            "Mechanism",
        ),
    );
    box.append(
        table(
            [...kinds].map(([k, n]) => [k, String(n)]),
            "Joints by kind",
        ),
    );
    box.append(element("h2", "Model file"));
    const pre = element("pre", m.text || "");
    pre.tabIndex = 0;
    pre.setAttribute("aria-label", "Text of the model");
    if (m.text_bytes > 262144) box.append(element("p", `The first 256 KiB of ${m.text_bytes} bytes.`, "soft"));
    box.append(pre);
    return box;
}

/** How it was divided: the tree; a click shows the bodies of a unit. */
export function division(runs: Run[], mark: (title: string, bodies: number[]) => void): HTMLElement {
    const run = runs[0],
        m = run.meta,
        s = m.size,
        box = document.createElement("div");
    box.append(
        table(
            [
                [
                    "loop joints",
                    m.joints
                        .filter((j) => j.loop)
                        .map((j) => j.name)
                        .slice(0, 60)
                        .join(", ") || "none",
                ],
                ["strands", String(s.strands)],
                ["nodes of the assembly tree", String(s.tree_nodes)],
                ["leaves of the assembly tree", String(s.tree_leaves)],
                ["depth of the assembly tree", String(s.tree_depth)],
            ],
            "Division",
        ),
    );
    const tree = drawing(run, mark),
        holder = element("div", "", "tree-box");
    box.append(element("h2", "Tree of parts"));
    if (!tree) {
        box.append(
            element(
                "p",
                m.division ? "It has too many strands to be drawn." : "The page has no room for it.",
                "soft",
            ),
        );
        return box;
    }
    box.append(
        element(
            "p",
            "Squares are strands of bodies, circles join what is to their right; orange ones close loops. " +
                "Click one to see its bodies.",
            "soft",
        ),
    );
    holder.append(tree);
    box.append(holder);
    return box;
}

export function about(runs: Run[]): HTMLElement {
    const box = document.createElement("div");
    runs.forEach((run, i) => {
        const m = run.meta;
        if (runs.length > 1) box.append(element("h2", `Run ${i + 1}`));
        box.append(
            table(
                [
                    ["model", m.source],
                    ["page made by", `cleave ${m.program}`],
                    ["frames shown", `${m.frames} of ${m.run_frames}`],
                    ["bodies shown", m.stride > 1 ? `one in ${m.stride} of ${m.model_bodies}` : "all"],
                    ["left out for size", m.left_out || "nothing"],
                ],
                "Source",
            ),
        );
        box.append(
            table(
                Object.entries(m.settings).map(([k, v]) => [k, typeof v === "string" ? v : amount(v)]),
                "Settings",
            ),
        );
        m.sessions.forEach((s, k) =>
            box.append(
                table(
                    Object.entries(s).map(([key, v]) => [
                        key.replace("_", " "),
                        typeof v === "number" ? amount(v) : String(v ?? ""),
                    ]),
                    m.sessions.length > 1 ? `Session ${k + 1}` : "Computed by",
                ),
            ),
        );
    });
    box.append(
        element("h2", "Keys"),
        table([
            ["space", "play, pause"],
            ["left, right", "one frame"],
            ["home, end", "start, end"],
            ["+, -", "speed"],
            ["1 to 6", "pages"],
            ["F", "show all"],
            ["D", "dark, light"],
            ["/", "search"],
            ["escape", "nothing chosen"],
        ]),
    );
    return box;
}

/** Bodies and joints with search. */
export function lists(run: Run, choice: Choice | null, choose: (c: Choice) => void): HTMLElement {
    const box = document.createElement("div"),
        search = document.createElement("input"),
        out = document.createElement("div");
    ((search.type = "search"), (search.id = "search"), (search.placeholder = "Search bodies and joints"));
    search.setAttribute("aria-label", "Search bodies and joints");
    const fill = () => {
        const word = search.value.trim().toLowerCase();
        out.replaceChildren();
        const section = (title: string, kind: Choice["kind"], items: { name: string; note: string }[]) => {
            const list = document.createElement("ul");
            list.className = "items";
            let shown = 0,
                matching = 0;
            items.forEach((item, index) => {
                if (word && !item.name.toLowerCase().includes(word)) return;
                matching++;
                if (shown >= 300) return;
                shown++;
                const row = document.createElement("li"),
                    button = document.createElement("button");
                button.append(element("b", item.name), element("span", item.note));
                button.setAttribute("aria-pressed", String(choice?.kind === kind && choice.index === index));
                button.addEventListener("click", () => choose({ kind, run: 0, index }));
                row.append(button);
                list.append(row);
            });
            out.append(element("h2", `${title} (${matching})`), list);
            if (matching > shown) out.append(element("p", `The first ${shown}; search for others.`, "soft"));
        };
        section(
            "Bodies",
            "body",
            run.meta.bodies.map((b) => ({
                name: b.name,
                note: b.node_of !== undefined ? "node" : amount(b.mass, "kg"),
            })),
        );
        section(
            "Joints",
            "joint",
            run.meta.joints.map((j) => ({
                name: j.name,
                note: `${j.kind}${j.loop ? ", loop" : ""}${j.redundant ? ", redundant" : ""}`,
            })),
        );
    };
    search.addEventListener("input", fill);
    fill();
    box.append(search, out);
    return box;
}

const MOST_CONTACTS = 6;

/** Contacts of a body that last at a frame: with whom, normal force and depth. */
function contactRows(run: Run, body: number, k: number): [string, string][] {
    const rows: [string, string][] = [];
    for (const c of run.meta.contacts) {
        if (c.a !== body && c.b !== body) continue;
        const [force] = run.lines(`contacts.${c.name}.normal_force`),
            [depth] = run.lines(`contacts.${c.name}.depth`),
            [x] = run.lines(`contacts.${c.name}.point`),
            other = c.a === body ? c.b : c.a;
        if (!force || !depth || !x || Number.isNaN(x.at(k)) || rows.length >= MOST_CONTACTS) continue;
        const who = other < 0 ? "the ground" : run.meta.bodies[other].name;
        rows.push([`touches ${who}`, `${amount(force.at(k), "N")}, depth ${amount(depth.at(k), "m")}`]);
    }
    return rows;
}

/** What is chosen, at a time. */
export function picked(run: Run, choice: Choice, time: number): HTMLElement {
    const box = document.createElement("div"),
        { k } = run.find(time);
    const now = (l: Line[], known?: boolean[]) =>
        l.map((x, i) => (known && !known[i] ? `[${amount(x.at(k))}]` : amount(x.at(k)))).join("  ");
    const rows: [string, string][] = [];
    let name: string;
    if (choice.kind === "body") {
        const b = run.meta.bodies[choice.index];
        name = b.name;
        rows.push(
            [
                "body",
                b.node_of !== undefined
                    ? `node of ${run.meta.bodies[b.node_of]?.name ?? "a flexible body"}`
                    : b.flexible
                      ? "flexible"
                      : amount(b.mass, "kg"),
            ],
            ["position, m", now(run.positions(choice.index))],
        );
    } else {
        const j = run.meta.joints[choice.index],
            who = (i: number) => (i < 0 ? "ground" : run.meta.bodies[i].name);
        name = j.name;
        rows.push(
            ["joint", `${j.kind}${j.loop ? ", closes a loop" : ""}${j.redundant ? ", redundant constraints" : ""}`],
            ["between", `${who(j.a)} and ${who(j.b)}`],
        );
    }
    const unique = choice.kind === "joint" ? run.meta.joints[choice.index].unique : undefined;
    let open = false;
    for (const c of run.meta.curves)
        if (c.kind === choice.kind && c.owner === name) {
            const part = c.name.slice(name.length + 1),
                known = part === "force" ? unique?.slice(0, 3) : part === "torque" ? unique?.slice(3) : undefined;
            open ||= known?.includes(false) ?? false;
            rows.push([`${part.replaceAll("_", " ")}, ${c.unit}`, now(run.lines(c.name), known)]);
        }
    if (choice.kind === "body") rows.push(...contactRows(run, choice.index, k));
    box.append(element("h2", name), table(rows));
    if (open)
        box.append(element("p", "[in brackets]: one of many values, as redundant constraints share it.", "soft"));
    return box;
}
