// SPDX-License-Identifier: Apache-2.0
// The data of a run as the page holds them: JSON, and numbers in base64 (src/cli/report_pack.c).
import { Quaternion, Vector3 } from "three";

export interface Shape {
    kind: string;
    size: number[];
    at: number[];
    orientation: number[];
    colour?: number[];
    points?: number[]; // of a convex hull, about the middle of its box
    corners?: number[]; // three points of each of its triangles
}
export interface Body {
    name: string;
    mass: number;
    com: number[];
    node_of?: number;
    flexible?: boolean;
    rest?: number[]; // of a node: undeformed, in axes of its flexible body
    turned?: number[];
    shape?: Shape;
    points: number[];
}
export interface Joint {
    name: string;
    kind: string;
    a: number;
    b: number;
    pa: number[];
    Ea: number[];
    pb: number[];
    Eb: number[];
    curve?: number[]; // points along it, in the frame of a, on which the origin of b stays
    closed?: boolean;
    loop?: boolean;
    redundant: boolean;
    unique?: boolean[]; // force and torque at the start; missing: all are
}
/** Joints without a point that keeps its place: nothing is drawn at their frames. */
const WANDERING = ["free", "rolling-disc", "rolling-sphere", "knife-edge"];

export function wanders(j: Joint): boolean {
    return WANDERING.includes(j.kind);
}

export interface Spring {
    name: string;
    a: number;
    b: number;
    pa: number[];
    pb: number[];
}
/** A tendon: its path over points of bodies and of the ground (-1). */
export interface Rope {
    name: string;
    points: { body: number; at: number[] }[];
}
/** A plane of the ground that a body touches. */
export interface PlaneOfContact {
    name: string;
    body: number;
    point: number[];
    normal: number[];
}
/** Two bodies, or a body and the ground (-1), that may touch. */
export interface Contact {
    name: string;
    a: number;
    b: number;
}
export interface Marker {
    name: string;
    body: number;
    position: number[];
}
/** Drawn on a body (-1: the ground): a mesh, or a shape with its kind and size. */
export interface Visual extends Shape {
    body: number;
    mesh?: number;
    scale?: number[];
}
export interface MeshMeta {
    points: number;
    corners: number;
    low: number[]; // corners of the box around it
    high: number[];
    step: number;
}
export interface Curve {
    name: string;
    unit: string;
    kind: string;
    owner: string;
    axes: string;
    count: number;
}
export interface Effort {
    by: string;
    unit: string;
    lowest: number | null;
    lowest_time: number | null;
    highest: number | null;
    highest_time: number | null;
}
export interface Largest {
    joint?: string;
    body?: string;
    value: number | null;
    time: number | null;
}
/** A strand, a flexible body, or a node of the assembly tree; children come first. */
export interface Part {
    strand: number;
    flexible: number;
    children: number[];
    closes: string[];
    rows: number;
    loop: boolean;
}
export interface Division {
    strand_of: number[];
    flexible_of: number[];
    folds: number[];
    parts: Part[];
}
export interface Meta {
    division?: Division;
    name: string;
    source: string;
    program: string;
    gravity: number[];
    model_bodies: number;
    bodies: Body[];
    joints: Joint[];
    springs: Spring[];
    ropes: Rope[];
    contacts: Contact[];
    planes: PlaneOfContact[];
    markers: Marker[];
    visuals: Visual[];
    meshes: MeshMeta[];
    mesh_cell: number; // m, to which meshes are simplified; 0: they are not
    meshes_lost: number;
    frames: number;
    run_frames: number;
    stride: number;
    left_out: string;
    curves: Curve[];
    size: Record<string, number>;
    freedoms: string;
    results: Record<string, number | string | null>;
    meanings: Record<string, string>;
    settings: Record<string, number | string | null>;
    peaks: Record<string, unknown>;
    events: { time: number | null; kind: string; text: string }[];
    sessions: Record<string, string | number | null>[];
    text: string;
    text_bytes: number;
}

/** What is chosen in the view or a list. */
export interface Choice {
    kind: "body" | "joint";
    run: number;
    index: number;
}

/** Browsers of 2025 and later decode by themselves. */
const decode = (Uint8Array as unknown as { fromBase64?: (text: string) => Uint8Array<ArrayBuffer> }).fromBase64;

export function bytes(id: string): ArrayBuffer {
    const coded = document.getElementById(id)?.textContent ?? "";
    if (decode) return decode.call(Uint8Array, coded).buffer;
    const text = atob(coded);
    const all = new Uint8Array(text.length);
    for (let i = 0; i < text.length; ++i) all[i] = text.charCodeAt(i);
    return all.buffer;
}

/** One number over time. */
export interface Line {
    label: string;
    unit: string;
    run: number;
    dashed: boolean;
    times: Float64Array;
    at(k: number): number;
}

export class Run {
    readonly meta: Meta;
    readonly times: Float64Array;
    readonly poses: Float32Array;
    private numbers: Float32Array | null = null;
    private readonly place = new Map<string, number>();
    readonly width: number;

    constructor(readonly number: number) {
        this.meta = JSON.parse(document.getElementById(`run${number}`)?.textContent ?? "") as Meta;
        this.times = new Float64Array(bytes(`times${number}`));
        this.poses = new Float32Array(bytes(`poses${number}`));
        let at = 0;
        for (const c of this.meta.curves) {
            this.place.set(c.name, at);
            at += c.count;
        }
        this.width = at;
    }

    /** Curves, decoded at first use. */
    private get curves(): Float32Array {
        return (this.numbers ??= new Float32Array(bytes(`curves${this.number}`)));
    }

    static there(number: number): boolean {
        return document.getElementById(`run${number}`) !== null;
    }
    get end(): number {
        return this.times.length ? this.times[this.times.length - 1] : 0;
    }

    /** The frame at or before a time, and the part of the interval behind it. */
    find(time: number): { k: number; f: number } {
        const t = this.times;
        let low = 0,
            high = t.length - 1;
        if (high <= 0 || time <= t[0]) return { k: 0, f: 0 };
        if (time >= t[high]) return { k: high, f: 0 };
        while (high - low > 1) {
            const middle = (low + high) >> 1;
            if (t[middle] <= time) low = middle;
            else high = middle;
        }
        return { k: low, f: (time - t[low]) / (t[high] - t[low]) };
    }

    /** Position of a body's centre of mass; between frames along a cubic through the four nearest. */
    private readonly corner = [new Vector3(), new Vector3(), new Vector3(), new Vector3()];
    private readonly turn = new Quaternion();
    pose(body: number, time: number, position: Vector3, quaternion: Quaternion): void {
        const { k, f } = this.find(time),
            n = this.meta.bodies.length,
            last = this.times.length - 1;
        const place = (frame: number) => 7 * (Math.min(Math.max(frame, 0), last) * n + body);
        const read = (frame: number, to: Vector3) => to.fromArray(this.poses, place(frame));
        const rotation = (frame: number, to: Quaternion) => {
            const i = place(frame);
            return to.set(this.poses[i + 1 + 3], this.poses[i + 2 + 3], this.poses[i + 3 + 3], this.poses[i + 3]);
        };
        read(k, position);
        rotation(k, quaternion);
        if (f === 0) return;
        const [before, from, to, after] = this.corner;
        (read(k - 1, before), from.copy(position), read(k + 1, to), read(k + 2, after));
        if (k === 0) before.copy(from).multiplyScalar(2).sub(to);
        if (k + 2 > last) after.copy(to).multiplyScalar(2).sub(from);
        const f2 = f * f,
            f3 = f2 * f;
        position
            .set(0, 0, 0)
            .addScaledVector(before, (-f + 2 * f2 - f3) / 2)
            .addScaledVector(from, (2 - 5 * f2 + 3 * f3) / 2)
            .addScaledVector(to, (f + 4 * f2 - 3 * f3) / 2)
            .addScaledVector(after, (f3 - f2) / 2);
        quaternion.slerp(rotation(k + 1, this.turn), f);
    }

    has(name: string): boolean {
        return this.place.has(name);
    }
    curve(name: string): Curve | undefined {
        return this.meta.curves.find((c) => c.name === name);
    }

    /** The components of a curve. */
    lines(name: string): Line[] {
        const c = this.curve(name),
            first = this.place.get(name);
        if (!c || first === undefined) return [];
        const axes = c.axes.split(" ");
        return Array.from({ length: c.count }, (_, i) => ({
            label: c.count > 1 ? `${c.name}.${axes[i]}` : c.name,
            unit: c.unit,
            run: this.number,
            dashed: this.number > 0,
            times: this.times,
            at: (k: number) => this.curves[k * this.width + first + i],
        }));
    }

    /** Position of a body over time as a curve of three components. */
    positions(body: number): Line[] {
        const n = this.meta.bodies.length,
            name = this.meta.bodies[body].name;
        return ["x", "y", "z"].map((axis, i) => ({
            label: `${name}.position.${axis}`,
            unit: "m",
            run: this.number,
            dashed: this.number > 0,
            times: this.times,
            at: (k: number) => this.poses[7 * (k * n + body) + i],
        }));
    }
}

/** "1 body", "2 bodies". */
export function count(n: number, one: string, more = `${one}s`): string {
    return `${n} ${n === 1 ? one : more}`;
}

/** A number as an engineer writes it: four digits, powers of ten where they help. */
export function amount(x: number | null | undefined, unit = ""): string {
    if (x === null || x === undefined || Number.isNaN(x)) return "\u2013";
    const size = Math.abs(x);
    const text =
        x === 0
            ? "0"
            : Number.isInteger(x) && size < 1e7
              ? String(x)
              : size >= 1e6 || size < 1e-3
                ? x
                      .toExponential(3)
                      .replace(/\.?0+e/, "e")
                      .replace("e+", "e")
                : String(Number(x.toPrecision(4)));
    return unit && unit !== "1" && unit !== "-" ? `${text} ${unit}` : text;
}
