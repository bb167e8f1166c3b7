// SPDX-License-Identifier: Apache-2.0
// Curves over time, one unit a plot, with the time of the view as a line: drag zooms all plots, double click shows all
// of the time, a click or a short drag moves the time.
import { amount, Line } from "./data";

const colours = ["#2f7ee6", "#e0772b", "#2a9d74", "#c2406b", "#7d63cf", "#3c9fbf", "#9a7a2f", "#6b8f3c"];
const LEFT = 58,
    RIGHT = 8,
    TOP = 8,
    BOTTOM = 20;

export interface Spec {
    title: string;
    unit: string;
    lines: Line[];
    log?: boolean;
    empty?: string;
}

/** Ticks of 1, 2, 5 times powers of ten. */
function ticks(low: number, high: number, count: number): number[] {
    const rough = (high - low) / count,
        ten = 10 ** Math.floor(Math.log10(rough)),
        part = rough / ten;
    const step = ten * (part < 1.5 ? 1 : part < 3.5 ? 2 : part < 7.5 ? 5 : 10),
        found: number[] = [];
    for (let i = Math.ceil(low / step - 1e-9); i * step <= high + 1e-9 * step; ++i) found.push(i * step);
    return found;
}

export class Plot {
    readonly element = document.createElement("div");
    private readonly canvas = document.createElement("canvas");
    private readonly keys = document.createElement("div");
    private readonly values: HTMLElement[] = [];
    private from: number;
    private to: number;
    private drag: number | null = null;
    private dragTo = 0;
    private shownTime = 0;
    private hover: number | null = null;

    constructor(
        readonly spec: Spec,
        readonly end: number,
        private readonly seek: (t: number) => void,
        private readonly zoomed: (span: [number, number] | null) => void,
    ) {
        ((this.from = 0), (this.to = end > 0 ? end : 1));
        this.element.className = "plot";
        const head = document.createElement("div");
        head.className = "head";
        const title = document.createElement("span"),
            unit = document.createElement("span");
        title.textContent = spec.title;
        unit.textContent = spec.unit;
        unit.className = "soft";
        head.append(title, unit);
        this.keys.className = "keys";
        spec.lines.forEach((line, i) => {
            const key = document.createElement("span"),
                mark = document.createElement("b"),
                value = document.createElement("span");
            mark.style.background =
                colours[(line.dashed ? i % Math.max(1, spec.lines.length / 2) : i) % colours.length];
            mark.style.opacity = line.dashed ? "0.5" : "1";
            key.append(mark, `${line.label}${line.dashed ? " (2)" : ""} `, value);
            this.keys.append(key);
            this.values.push(value);
        });
        this.canvas.setAttribute("role", "img");
        this.canvas.setAttribute("aria-label", `${spec.title} over time`);
        this.element.append(head, this.canvas, this.keys);
        this.listen();
    }

    private time(x: number): number {
        const box = this.canvas.getBoundingClientRect();
        const f = (x - box.left - LEFT) / (box.width - LEFT - RIGHT);
        return this.from + Math.min(Math.max(f, 0), 1) * (this.to - this.from);
    }

    private listen(): void {
        const c = this.canvas;
        c.addEventListener("pointerdown", (e) => {
            this.drag = this.dragTo = e.clientX;
            c.setPointerCapture(e.pointerId);
        });
        c.addEventListener("pointermove", (e) => {
            this.hover = this.time(e.clientX);
            if (this.drag !== null) this.dragTo = e.clientX;
            this.draw(this.shownTime);
        });
        c.addEventListener("pointerleave", () => {
            this.hover = null;
            this.draw(this.shownTime);
        });
        c.addEventListener("pointerup", () => {
            if (this.drag !== null && Math.abs(this.dragTo - this.drag) > 6) {
                const a = this.time(Math.min(this.drag, this.dragTo)),
                    b = this.time(Math.max(this.drag, this.dragTo));
                if (b > a) this.zoomed([a, b]);
            } else if (this.drag !== null) this.seek(this.time(this.drag));
            this.drag = null;
            this.draw(this.shownTime);
        });
        c.addEventListener("dblclick", () => {
            this.zoomed(null);
        });
    }

    /** Shows a span of time, or all of it. */
    zoom(span: [number, number] | null): void {
        [this.from, this.to] = span ?? [0, this.end > 0 ? this.end : 1];
        this.draw(this.shownTime);
    }

    private nearest(line: Line, time: number): number {
        const t = line.times;
        let low = 0,
            high = t.length - 1;
        while (high - low > 1) {
            const m = (low + high) >> 1;
            if (t[m] <= time) low = m;
            else high = m;
        }
        return Math.abs(t[high] - time) < Math.abs(time - t[low]) ? high : low;
    }

    /** A value as it is plotted: of a logarithmic scale its power of ten. */
    private value(x: number): number {
        return this.spec.log ? (Math.abs(x) > 0 ? Math.log10(Math.abs(x)) : NaN) : x;
    }

    private range(): [number, number] {
        let low = Infinity,
            high = -Infinity;
        for (const line of this.spec.lines)
            for (let k = 0; k < line.times.length; ++k) {
                if (line.times[k] < this.from || line.times[k] > this.to) continue;
                const y = this.value(line.at(k));
                if (Number.isFinite(y)) ((low = Math.min(low, y)), (high = Math.max(high, y)));
            }
        if (!(low <= high)) return this.spec.log ? [-17, -15] : [-1, 1];
        if (this.spec.log) return [Math.floor(low), Math.max(Math.ceil(high), Math.floor(low) + 1)];
        const pad =
            high - low > 1e-9 * Math.max(Math.abs(high), Math.abs(low)) ? 0.06 * (high - low) : Math.abs(high) || 1;
        return [low - pad, high + pad];
    }

    draw(time: number): void {
        this.shownTime = time;
        const c = this.canvas,
            wide = c.clientWidth,
            high = c.clientHeight,
            scale = window.devicePixelRatio || 1;
        if (wide === 0) return;
        if (c.width !== Math.round(wide * scale))
            ((c.width = Math.round(wide * scale)), (c.height = Math.round(high * scale)));
        const g = c.getContext("2d");
        if (!g) return;
        const css = getComputedStyle(document.documentElement),
            ink = css.getPropertyValue("--soft").trim(),
            grid = css.getPropertyValue("--line").trim();
        g.setTransform(scale, 0, 0, scale, 0, 0);
        g.clearRect(0, 0, wide, high);
        g.font = "11px system-ui, 'DejaVu Sans', sans-serif";
        const [low, top] = this.range();
        const X = (t: number) => LEFT + ((t - this.from) / (this.to - this.from)) * (wide - LEFT - RIGHT);
        const Y = (y: number) => high - BOTTOM - ((y - low) / (top - low)) * (high - TOP - BOTTOM);
        g.strokeStyle = grid;
        g.fillStyle = ink;
        g.lineWidth = 1;
        ((g.textAlign = "right"), (g.textBaseline = "middle"));
        const exact = Math.max(Math.abs(low), Math.abs(top)),
            rows = this.spec.log ? ticks(low, top, 4).filter((y) => Number.isInteger(y)) : ticks(low, top, 4);
        for (const y of rows) {
            (g.beginPath(), g.moveTo(LEFT, Y(y)), g.lineTo(wide - RIGHT, Y(y)), g.stroke());
            g.fillText(this.spec.log ? `1e${y}` : Math.abs(y) < 1e-9 * exact ? "0" : amount(y), LEFT - 5, Y(y));
        }
        ((g.textAlign = "center"), (g.textBaseline = "top"));
        for (const t of ticks(this.from, this.to, 5))
            g.fillText(`${amount(Number(t.toPrecision(12)))}${t === this.from ? " s" : ""}`, X(t), high - BOTTOM + 5);
        g.save();
        (g.beginPath(), g.rect(LEFT, TOP - 2, wide - LEFT - RIGHT, high - TOP - BOTTOM + 4), g.clip());
        this.spec.lines.forEach((line, i) => this.stroke(g, line, i, X, Y));
        g.restore();
        if (this.drag !== null && Math.abs(this.dragTo - this.drag) > 6) {
            const box = c.getBoundingClientRect();
            ((g.fillStyle = ink), (g.globalAlpha = 0.18));
            g.fillRect(
                Math.min(this.drag, this.dragTo) - box.left,
                TOP,
                Math.abs(this.dragTo - this.drag),
                high - TOP - BOTTOM,
            );
            g.globalAlpha = 1;
        }
        const at = this.hover ?? time;
        g.strokeStyle = css.getPropertyValue("--accent").trim();
        (g.beginPath(), g.moveTo(X(time), TOP), g.lineTo(X(time), high - BOTTOM), g.stroke());
        if (this.hover !== null) {
            ((g.strokeStyle = ink), g.setLineDash([2, 3]));
            (g.beginPath(), g.moveTo(X(at), TOP), g.lineTo(X(at), high - BOTTOM), g.stroke());
            g.setLineDash([]);
        }
        this.spec.lines.forEach((line, i) => {
            this.values[i].textContent = amount(line.at(this.nearest(line, at)));
        });
    }

    private stroke(
        g: CanvasRenderingContext2D,
        line: Line,
        i: number,
        X: (t: number) => number,
        Y: (y: number) => number,
    ): void {
        const half = Math.max(1, this.spec.lines.length / 2);
        g.strokeStyle = colours[(line.dashed ? i % half : i) % colours.length];
        g.lineWidth = 1.6;
        g.setLineDash(line.dashed ? [5, 4] : []);
        g.beginPath();
        let pen = false;
        for (let k = 0; k < line.times.length; ++k) {
            const y = this.value(line.at(k));
            if (!Number.isFinite(y)) {
                pen = false;
                continue;
            }
            if (pen) g.lineTo(X(line.times[k]), Y(y));
            else g.moveTo(X(line.times[k]), Y(y));
            pen = true;
        }
        g.stroke();
        g.setLineDash([]);
    }
}
