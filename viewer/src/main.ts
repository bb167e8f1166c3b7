// SPDX-License-Identifier: Apache-2.0
// The page of `cleave report`: time, view and panel kept together.
import { Vector3 } from "three";
import { amount, count, Run } from "./data";
import { about, division, lists, model, picked, summary } from "./panel";
import { plots } from "./plot_page";
import type { Plot } from "./plots";
import type { Choice } from "./data";
import { element } from "./html";
import { View } from "./scene";
import { stage } from "./early";
import { tools } from "./tools";

const $ = <T extends HTMLElement>(id: string): T => document.getElementById(id) as T;
const runs = [new Run(0), ...(Run.there(1) ? [new Run(1)] : [])];
const end = Math.max(...runs.map((r) => r.end));
const pages = ["Summary", "Plots", "Parts", "Model", "Division", "About"];
const speeds = [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10];

let view: View | null = null;
let time = 0,
    playing = false,
    speed = 1,
    page = 0,
    last = 0;
let choice: Choice | null = null;
let shownPlots: Plot[] = [];

function note(text: string): void {
    $("note").textContent = text;
}

if (stage) view = new View(stage, runs);
else {
    note("This browser shows no 3D view (WebGL is off); numbers and plots are beside.");
    $("tools").hidden = true;
}

const aids = view && tools(view, runs, { time: () => time, play, seek: setTime, playing: () => playing }, note);

// ---------------------------------------------------------------- time

function setTime(t: number): void {
    time = Math.min(Math.max(t, 0), end);
    view?.show(time);
    $<HTMLInputElement>("scrub").value = String(time);
    $("clock").textContent = `${time.toFixed(end < 10 ? 3 : 2)} / ${amount(end, "s")}`;
    for (const p of shownPlots) p.draw(time);
    showPicked();
}

function play(on: boolean): void {
    playing = on;
    $("play").textContent = on ? "\u275A\u275A" : "\u25B6";
    $("play").setAttribute("aria-label", on ? "Pause" : "Play");
    if (on && time >= end) setTime(0);
    if (!on) remember();
}

function step(frames: number): void {
    play(false);
    const t = runs[0].times,
        { k, f } = runs[0].find(time);
    const to = frames < 0 && f > 0 ? k : k + frames;
    setTime(t[Math.min(Math.max(to, 0), t.length - 1)]);
    remember();
}

function tick(now: number): void {
    const passed = Math.min((now - last) / 1000, 0.1);
    last = now;
    if (playing) {
        const t = time + passed * speed;
        if (t < end) setTime(t);
        else if ($<HTMLInputElement>("loop").checked && end > 0) setTime(t % end);
        else (setTime(end), play(false));
    }
    view?.draw();
    requestAnimationFrame(tick);
}

function setSpeed(to: number): void {
    speed = to;
    $<HTMLSelectElement>("speed").value = String(to);
}

// ---------------------------------------------------------------- what is chosen, the panel

function showPicked(): void {
    const box = $("picked");
    box.hidden = choice === null;
    if (choice) box.replaceChildren(picked(runs[choice.run], choice, time));
}

function choose(to: Choice | null): void {
    choice = to;
    view?.choose(to);
    aids?.chosen(to);
    showPicked();
    if (page === 1 || page === 2) showPage(page, false);
    remember();
}

/** Shows the bodies of a unit of the division; nothing is chosen then. */
function mark(title: string, bodies: number[]): void {
    choose(null);
    view?.mark(bodies.map((index) => ({ kind: "body", run: 0, index })));
    note(`${title}: ${count(bodies.length, "body", "bodies")}`);
}

function showPage(to: number, focus = true): void {
    const top = $("panel").scrollTop,
        word = document.querySelector<HTMLInputElement>("#search")?.value ?? "";
    const same = page === to;
    page = to;
    [...$("tabs").children].forEach((tab, i) => {
        tab.setAttribute("aria-selected", String(i === to));
        (tab as HTMLElement).tabIndex = i === to ? 0 : -1;
        if (i === to && focus && document.activeElement?.parentElement === $("tabs")) (tab as HTMLElement).focus();
    });
    shownPlots = [];
    const panel = $("panel");
    if (to === 1) {
        const made = plots(runs, choice, (t) => {
            play(false);
            setTime(t);
            remember();
        });
        panel.replaceChildren(made.box);
        shownPlots = made.plots;
        for (const p of shownPlots) p.draw(time);
    } else
        panel.replaceChildren(
            to === 0
                ? summary(runs)
                : to === 2
                  ? lists(runs[0], choice, choose)
                  : to === 3
                    ? model(runs)
                    : to === 4
                      ? division(runs, mark)
                      : about(runs),
        );
    panel.scrollTop = same && to === 2 ? top : 0;
    panel.setAttribute("aria-label", pages[to]);
    const search = document.querySelector<HTMLInputElement>("#search");
    if (search && word) ((search.value = word), search.dispatchEvent(new Event("input")));
}

// ---------------------------------------------------------------- theme, link, picture

function dark(): boolean {
    return document.documentElement.dataset.theme === "dark";
}
function setTheme(on: boolean): void {
    document.documentElement.dataset.theme = on ? "dark" : "light";
    view?.theme(on);
    for (const p of shownPlots) p.draw(time);
}

/** Time, camera and choice as the end of the address. */
function place(): string {
    const parts = [`t=${Number(time.toPrecision(9))}`];
    if (view)
        parts.push(
            `c=${[...view.camera.position.toArray(), ...view.controls.target.toArray()]
                .map((x) => Number(x.toPrecision(6)))
                .join(",")}`,
        );
    if (choice) parts.push(`s=${choice.kind}.${choice.run}.${choice.index}`);
    return `#${parts.join("&")}`;
}
function remember(): void {
    try {
        history.replaceState(null, "", place());
    } catch {
        /* an address that may not be changed */
    }
}
function recall(): void {
    for (const part of location.hash.slice(1).split("&")) {
        const [key, value = ""] = part.split("="),
            numbers = value.split(",").map(Number);
        if (key === "t" && Number.isFinite(numbers[0])) setTime(numbers[0]);
        if (key === "c" && view && numbers.length === 6 && numbers.every(Number.isFinite)) {
            view.camera.position.copy(new Vector3(numbers[0], numbers[1], numbers[2]));
            view.controls.target.set(numbers[3], numbers[4], numbers[5]);
            view.controls.update();
        }
        const [kind, run, index] = value.split(".");
        if (
            key === "s" &&
            (kind === "body" || kind === "joint") &&
            (kind === "body" ? runs[Number(run)]?.meta.bodies : runs[Number(run)]?.meta.joints)?.[Number(index)]
        )
            choose({ kind, run: Number(run), index: Number(index) });
    }
}

// ---------------------------------------------------------------- the page

function build(): void {
    const m = runs[0].meta;
    document.title = `${m.name} - cleave`;
    $("title").textContent = m.name;
    $("subtitle").textContent =
        runs.length > 1
            ? `with ${runs[1].meta.name} (${runs[1].meta.source})`
            : [count(m.size.bodies, "body", "bodies"), count(m.size.joints, "joint"), amount(end, "s")].join(", ");
    pages.forEach((name, i) => {
        const tab = element("button", name);
        tab.setAttribute("role", "tab");
        tab.addEventListener("click", () => showPage(i));
        $("tabs").append(tab);
    });
    for (const s of speeds) {
        const o = element("option", `${s}x`) as HTMLOptionElement;
        o.value = String(s);
        $("speed").append(o);
    }
    const thinned: string[] = [];
    if (m.frames < m.run_frames) thinned.push(`${m.frames} of ${m.run_frames} frames`);
    if (m.stride > 1) thinned.push(`one body in ${m.stride} of ${m.model_bodies}`);
    if (m.left_out) thinned.push(`without ${m.left_out}`);
    if (m.mesh_cell > 0) thinned.push(`meshes simplified to ${amount(m.mesh_cell, "m")}`);
    if (m.meshes_lost > 0) thinned.push(`without ${count(m.meshes_lost, "mesh", "meshes")} that cannot be read`);
    const notes = thinned.length ? [`Thinned: ${thinned.join(", ")}.`] : [];
    if (view?.drifts) notes.push("The camera goes along with the bodies.");
    if (view) note(notes.join(" "));
    const scrub = $<HTMLInputElement>("scrub");
    scrub.max = String(end);
    for (const e of m.events)
        if (e.time !== null && end > 0) {
            const mark = element("i");
            mark.title = e.kind;
            mark.style.left = `${(100 * e.time) / end}%`;
            $("marks").append(mark);
        }
    scrub.addEventListener("input", () => {
        play(false);
        setTime(Number(scrub.value));
    });
    scrub.addEventListener("change", remember);
    $("play").addEventListener("click", () => play(!playing));
    $("back").addEventListener("click", () => step(-1));
    $("next").addEventListener("click", () => step(1));
    $<HTMLSelectElement>("speed").addEventListener("change", (e) =>
        setSpeed(Number((e.target as HTMLSelectElement).value)),
    );
    $("panel").addEventListener("seek", (e) => {
        play(false);
        setTime((e as CustomEvent<number>).detail);
        remember();
    });
    $("panel").addEventListener("joints", (e) => {
        const names = new Set((e as CustomEvent<string[]>).detail);
        choose(null);
        view?.mark(
            m.joints.flatMap((j, index) => (names.has(j.name) ? [{ kind: "joint" as const, run: 0, index }] : [])),
        );
    });
    $("theme").addEventListener("click", () => setTheme(!dark()));
    $("fit").addEventListener("click", () => {
        view?.fit();
        remember();
    });
    $("link").addEventListener("click", () => {
        remember();
        void navigator.clipboard?.writeText(location.href.split("#")[0] + place()).then(
            () => note("Link copied"),
            () => note("The link is in the address bar"),
        );
    });
}

function pointer(): void {
    const canvas = $("scene");
    let x = 0,
        y = 0;
    canvas.addEventListener("pointerdown", (e) => {
        ((x = e.clientX), (y = e.clientY));
    });
    canvas.addEventListener("pointerup", (e) => {
        if (view && Math.hypot(e.clientX - x, e.clientY - y) < 5) choose(view.pick(e.clientX, e.clientY));
        else remember();
    });
}

function keys(e: KeyboardEvent): void {
    const on = e.target as HTMLElement,
        typing = on.tagName === "INPUT" && (on as HTMLInputElement).type === "search";
    if (e.key === "Escape") {
        choose(null);
        return;
    }
    if (typing || e.ctrlKey || e.metaKey || e.altKey || on.tagName === "SELECT") return;
    const atTabs = on.parentElement === $("tabs"),
        faster = speeds.indexOf(speed);
    const done = (() => {
        switch (e.key) {
            case " ":
                if (on.tagName === "BUTTON") return false;
                play(!playing);
                return true;
            case "ArrowLeft":
                if (atTabs) showPage((page + pages.length - 1) % pages.length);
                else step(-1);
                return true;
            case "ArrowRight":
                if (atTabs) showPage((page + 1) % pages.length);
                else step(1);
                return true;
            case "Home":
                play(false);
                setTime(0);
                return true;
            case "End":
                play(false);
                setTime(end);
                return true;
            case "+":
            case "=":
                setSpeed(speeds[Math.min(faster + 1, speeds.length - 1)]);
                return true;
            case "-":
                setSpeed(speeds[Math.max(faster - 1, 0)]);
                return true;
            case "f":
            case "F":
                view?.fit();
                return true;
            case "d":
            case "D":
                setTheme(!dark());
                return true;
            case "/":
                showPage(2);
                $("search").focus();
                return true;
            default:
                if (e.key >= "1" && e.key <= String(pages.length)) {
                    showPage(Number(e.key) - 1);
                    return true;
                }
                return false;
        }
    })();
    if (done) e.preventDefault();
}

build();
pointer();
setTheme(window.matchMedia("(prefers-color-scheme: dark)").matches);
view?.resize();
view?.fit();
new ResizeObserver(() => {
    view?.resize();
    for (const p of shownPlots) p.draw(time);
}).observe($("stage"));
window.addEventListener("keydown", keys);
window.addEventListener("hashchange", recall);
setSpeed(speeds.find((s) => end / s <= 20) ?? 10);
if (end >= 1 && end <= 30) setSpeed(1);
showPage(0);
setTime(0);
recall();
requestAnimationFrame((now) => {
    last = now;
    tick(now);
});

// For tests of the page.
Object.assign(window, {
    cleave: {
        times: () => Array.from(runs[0].times),
        pose: (run: number, body: number) => view?.drawnPose(run, body) ?? null,
        pixel: (kind: Choice["kind"], index: number) => view?.pixelOf({ kind, run: 0, index }) ?? null,
        state: () => ({ time, playing, speed, page, choice, end }),
        seek: setTime,
        ends: (body: number) => view?.mechanisms[0].ends.get(body)?.map((p) => p.toArray()) ?? null,
        arrows: () => view?.forces.lengths() ?? [],
        contacts: () => view?.contacts.points() ?? [],
        programs: () => view?.programs ?? 0,
        marked: () => view?.marked ?? 0,
        colour: (body: number) => view?.drawnColour(0, body) ?? null,
        planes: () => view?.drawnPlanes() ?? null,
        ropes: () => view?.drawnRopes() ?? null,
        tracks: () => view?.drawnTracks() ?? null,
        box: (run: number, body: number) => view?.drawnBox(run, body) ?? null,
    },
});
