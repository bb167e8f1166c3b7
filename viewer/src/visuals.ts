// SPDX-License-Identifier: Apache-2.0
// Visuals of bodies: shapes and meshes.  A mesh comes as points on a grid of 16 bits and triangles (src/cli/report_mesh.c).
import { BufferGeometry, Color, Matrix4, Quaternion, Vector3 } from "three";
import { bodyColour, shapeGeometry } from "./bodies";
import { creased } from "./creases";
import { bytes } from "./data";
import type { MeshMeta, Run, Visual } from "./data";

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
