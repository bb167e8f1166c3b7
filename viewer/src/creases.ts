// SPDX-License-Identifier: Apache-2.0
// Surfaces of triangles, of meshes and of convex hulls: edges are sharp where faces meet at more than 35 degrees.
import { BufferAttribute, BufferGeometry } from "three";

const SHARP = Math.cos((35 * Math.PI) / 180);

/** Triangles with normals: those of neighbours that are nearly in one plane are averaged by area. */
export function creased(points: Float32Array, corners: Uint32Array): BufferGeometry {
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
