// SPDX-License-Identifier: Apache-2.0
// What the view shows and how: colours, arrows, a body that is followed, a cut, the legend, pictures and videos.
import type { Colouring, Palette } from "./colours";
import { colourings } from "./colours";
import { hidden } from "./contacts";
import { Choice, Run } from "./data";
import { element } from "./html";
import type { View } from "./scene";

const $ = <T extends HTMLElement>(id: string): T => document.getElementById(id) as T;
const words: Record<Colouring, string> = {
    body: "by body",
    strand: "by strand",
    level: "by level of the tree",
    force: "by joint force",
};

export interface Clock {
    time(): number;
    play(on: boolean): void;
    seek(t: number): void;
    playing(): boolean;
}

/** Names what the colours and signs mean. */
function legend(runs: Run[], view: View, palette: Palette | null): void {
    const box = $("legend"),
        m = runs[0].meta;
    box.replaceChildren();
    const key = (name: string, text: string, before = ""): void => {
        const one = element("span", before);
        one.append(element("i", "", name), text);
        box.append(one);
    };
    if (m.joints.some((j) => j.loop && j.kind !== "distance")) key("loop", "loop joint");
    if (runs.length > 1) key("ghost", `second run: ${runs[1].meta.source}`);
    if (palette?.scale) key("ramp", palette.scale[1], `${palette.scale[0]} `);
    if (view.contacts.count && view.contacts.root.visible) key("contact", "contact");
    if (view.forces.root.visible && view.forces.forces) key("force", "joint force");
    if (view.forces.root.visible && view.forces.contacts) key("contact", "contact force");
    if (view.forces.root.visible && view.forces.efforts) key("effort", "actuator effort (two heads: moment)");
}

function save(url: string, name: string): void {
    const a = document.createElement("a");
    a.href = url;
    a.download = name;
    a.click();
}

/** A name for a file of this run. */
function fileName(run: Run, end: string): string {
    return `${run.meta.name.replace(/[^\w.-]+/g, "_") || "cleave"}${end}`;
}

/** Records one pass at the speed that is set; a second call ends it. */
function video(view: View, run: Run, clock: Clock, note: (text: string) => void): () => void {
    let recorder: MediaRecorder | null = null;
    return () => {
        if (recorder) return recorder.stop();
        if (!("MediaRecorder" in window) || !view.canvas.captureStream)
            return note("This browser cannot record videos.");
        const parts: Blob[] = [],
            loop = $<HTMLInputElement>("loop"),
            looped = loop.checked;
        recorder = new MediaRecorder(view.canvas.captureStream(30), { videoBitsPerSecond: 8e6 });
        recorder.ondataavailable = (e) => parts.push(e.data);
        recorder.onstop = () => {
            const url = URL.createObjectURL(new Blob(parts, { type: "video/webm" }));
            save(url, fileName(run, ".webm"));
            setTimeout(() => URL.revokeObjectURL(url), 10000);
            recorder = null;
            loop.checked = looped;
            $("video").textContent = "Video";
            note("");
        };
        loop.checked = false;
        clock.seek(0);
        recorder.start();
        clock.play(true);
        $("video").textContent = "Stop";
        note("Recording until the end of the run.");
        const watch = (): void => {
            if (!recorder) return;
            if (clock.playing()) requestAnimationFrame(watch);
            else setTimeout(() => recorder?.stop(), 150);
        };
        watch();
    };
}

export interface Tools {
    /** What is chosen changed. */
    chosen(choice: Choice | null): void;
}

export function tools(view: View, runs: Run[], clock: Clock, note: (text: string) => void): Tools {
    const run = runs[0],
        select = $<HTMLSelectElement>("colour"),
        arrows = $<HTMLInputElement>("arrows"),
        follow = $<HTMLInputElement>("follow"),
        cut = $<HTMLInputElement>("cut"),
        along = $<HTMLSelectElement>("along");
    let palette: Palette | null = null,
        choice: Choice | null = null;
    for (const by of colourings(run)) {
        const o = element("option", words[by]) as HTMLOptionElement;
        o.value = by;
        select.append(o);
    }
    select.addEventListener("change", () => {
        palette = view.colour(select.value as Colouring, clock.time());
        legend(runs, view, palette);
    });
    const some = view.forces.forces + view.forces.efforts + view.forces.contacts;
    arrows.disabled = some === 0;
    arrows.parentElement!.title = some
        ? "Efforts of actuators, and forces of joints and contacts where the run has them"
        : "The run has neither efforts nor forces of joints and contacts (run --reactions)";
    arrows.addEventListener("change", () => {
        view.arrows(arrows.checked, clock.time());
        legend(runs, view, palette);
    });
    const aim = (): void => {
        const body = choice?.kind === "body" && choice.run === 0 ? choice.index : -1;
        follow.disabled = body < 0;
        view.follow(follow.checked ? body : -1, clock.time());
    };
    const contacts = $<HTMLInputElement>("contacts");
    contacts.parentElement!.hidden = view.contacts.count === 0 && hidden(run).length === 0;
    contacts.parentElement!.title = "Where bodies touch, and the shapes that do";
    contacts.addEventListener("change", () => {
        view.touching(contacts.checked);
        legend(runs, view, palette);
    });
    follow.parentElement!.title = "The camera goes with the body that is chosen";
    follow.addEventListener("change", aim);
    $("bend").hidden = !run.meta.bodies.some((b) => b.flexible);
    $("factor").addEventListener("change", (e) =>
        view.exaggerate(Number((e.target as HTMLSelectElement).value), clock.time()),
    );
    cut.parentElement!.title = "Cuts away what is near, or one end along an axis; faces of the section are flat";
    const section = (): void => view.cut(Number(cut.value), along.value);
    cut.addEventListener("input", section);
    along.addEventListener("change", section);
    $("png").addEventListener("click", () => save(view.png(), fileName(run, `-${clock.time().toFixed(3)}s.png`)));
    $("video").addEventListener("click", video(view, run, clock, note));
    legend(runs, view, null);
    aim();
    return {
        chosen: (to) => {
            choice = to;
            aim();
        },
    };
}
