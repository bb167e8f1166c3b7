// SPDX-License-Identifier: Apache-2.0
// Visuals of bodies: shapes and meshes.  A mesh comes as points on a grid of 16 bits and triangles (src/cli/report_mesh.c);
// edges are sharp where faces meet at more than 35 degrees.
import { BufferAttribute, BufferGeometry, Color, Matrix4, Quaternion, Vector3 } from "three";
import { bodyColour, shapeGeometry } from "./bodies";
import { bytes } from "./data";
import type { MeshMeta, Run, Visual } from "./data";

const SHARP = Math.cos((35 * Math.PI) / 180);

/** The meshes of a run, in the units of their files, each made when it is wanted. */
export class Meshes {
    private readonly made = new Map<number, BufferGeometry>();
    private data: ArrayBuffer | null = null;

    constructor(private readonly run: Run) {}

    private all(): ArrayBuffer {
        this.data ??= bytes(`meshes${this.run.number}`);
        return this.data;
    }

    /** Points and corners of a mesh as they lie in the page. */
    private read(mesh: number): { points: Float32Array; corners: Uint32Array } {
        const meta = this.run.meta.meshes;
        let at = 0;
        const wide = (i: number): number => (meta[i].points > 65536 ? 4 : 2);
        for (let i = 0; i < mesh; ++i) at += 6 * meta[i].points + wide(i) * meta[i].corners;
        const m = meta[mesh],
            end = at + 6 * m.points,
            grid = new Uint16Array(this.all().slice(at, end)),
            list = this.all().slice(end, end + wide(mesh) * m.corners);
        const points = new Float32Array(grid.length);
        for (let i = 0; i < grid.length; ++i) points[i] = m.low[i % 3] + m.step * grid[i];
        return { points, corners: Uint32Array.from(wide(mesh) === 4 ? new Uint32Array(list) : new Uint16Array(list)) };
    }

    geometry(mesh: number): BufferGeometry {
        let g = this.made.get(mesh);
        if (!g) {
            const { points, corners } = this.read(mesh);
            g = creased(points, corners);
            this.made.set(mesh, g);
        }
        return g;
    }
}

/** Triangles with normals: those of neighbours that are nearly in one plane are averaged by area. */
function creased(points: Float32Array, corners: Uint32Array): BufferGeometry {
    const n = corners.length,
        faces = new Float32Array(n), // of a face: twice its area times its normal
        unit = new Float32Array(n),
        first = new Int32Array(points.length / 3 + 1);
    for (let i = 0; i < n; i += 3) {
        const a = 3 * corners[i],
            b = 3 * corners[i + 1],
            c = 3 * corners[i + 2];
        const ux = points[b] - points[a],
            uy = points[b + 1] - points[a + 1],
            uz = points[b + 2] - points[a + 2],
            vx = points[c] - points[a],
            vy = points[c + 1] - points[a + 1],
            vz = points[c + 2] - points[a + 2];
        faces[i] = uy * vz - uz * vy;
        faces[i + 1] = uz * vx - ux * vz;
        faces[i + 2] = ux * vy - uy * vx;
        const length = Math.hypot(faces[i], faces[i + 1], faces[i + 2]) || 1;
        for (let k = i; k < i + 3; ++k) {
            unit[k] = faces[k] / length;
            ++first[corners[k] + 1];
        }
    }
    for (let i = 1; i < first.length; ++i) first[i] += first[i - 1];
    const around = new Int32Array(n),
        filled = first.slice();
    for (let i = 0; i < n; ++i) around[filled[corners[i]]++] = i - (i % 3);
    const position = new Float32Array(3 * n),
        normals = new Float32Array(3 * n);
    for (let i = 0; i < n; ++i) {
        const p = corners[i],
            f = i - (i % 3);
        let x = 0,
            y = 0,
            z = 0;
        for (let k = first[p]; k < first[p + 1]; ++k) {
            const o = around[k];
            if (unit[f] * unit[o] + unit[f + 1] * unit[o + 1] + unit[f + 2] * unit[o + 2] < SHARP) continue;
            x += faces[o];
            y += faces[o + 1];
            z += faces[o + 2];
        }
        const length = Math.hypot(x, y, z) || 1;
        for (let k = 0; k < 3; ++k) position[3 * i + k] = points[3 * p + k];
        normals[3 * i] = x / length;
        normals[3 * i + 1] = y / length;
        normals[3 * i + 2] = z / length;
    }
    return new BufferGeometry()
        .setAttribute("position", new BufferAttribute(position, 3))
        .setAttribute("normal", new BufferAttribute(normals, 3));
}

/** A visual in body axes from the centre of mass (of the ground: global). */
export function visualGeometry(v: Visual, com: Vector3, meshes: Meshes): BufferGeometry {
    if (v.mesh === undefined) return shapeGeometry(v, com);
    const [w, x, y, z] = v.orientation,
        scale = v.scale ?? [1, 1, 1];
    const at = new Vector3().fromArray(v.at).sub(com);
    const g = meshes
        .geometry(v.mesh)
        .clone()
        .applyMatrix4(new Matrix4().compose(at, new Quaternion(x, y, z, w), new Vector3().fromArray(scale)));
    if (scale[0] * scale[1] * scale[2] < 0) flip(g);
    return g;
}

/** A mirrored mesh is inside out: the corners of its triangles change their order. */
function flip(g: BufferGeometry): void {
    for (const name of ["position", "normal"]) {
        const a = g.getAttribute(name).array;
        for (let i = 0; i < a.length; i += 9)
            for (let k = 3; k < 6; ++k) [a[i + k], a[i + k + 3]] = [a[i + k + 3], a[i + k]];
    }
}

/** The corners of the box around a visual, as it lies in its body. */
export function visualBox(v: Visual, com: Vector3, meta: MeshMeta[]): Vector3[] {
    const [w, x, y, z] = v.orientation,
        turn = new Quaternion(x, y, z, w),
        m = v.mesh === undefined ? null : meta[v.mesh],
        [a, b] = v.size ?? [];
    const half =
        v.kind === "box"
            ? v.size.map((s) => s / 2)
            : v.kind === "sphere"
              ? [a, a, a]
              : [a, a, v.kind === "capsule" ? a + b / 2 : b / 2];
    return [0, 1, 2, 3, 4, 5, 6, 7].map((i) => {
        const side = [i & 1, i & 2, i & 4].map(Boolean);
        const p = side.map((far, k) =>
            m ? (m.low[k] + (far ? m.high[k] - m.low[k] : 0)) * (v.scale?.[k] ?? 1) : far ? half[k] : -half[k],
        );
        return new Vector3().fromArray(p).applyQuaternion(turn).add(new Vector3().fromArray(v.at)).sub(com);
    });
}

/** Its own colour; meshes without one are light grey, as parts of machines. */
export function visualColour(v: Visual, body: number): Color {
    if (v.colour) return bodyColour(0, v);
    return v.mesh !== undefined || body < 0 ? new Color(0xb4bcc8) : bodyColour(body);
}
