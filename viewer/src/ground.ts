// SPDX-License-Identifier: Apache-2.0
// The grid of the ground: lines at 1, 2 or 5 times a power of ten metres, which fade into the background.
import { BufferGeometry, Color, Float32BufferAttribute, LineSegments } from "three";
import { lineMaterial } from "./surfaces";

export function gridOf(size: number, ink: Color, back: Color): { lines: LineSegments; cell: number } {
    const ten = 10 ** Math.floor(Math.log10(size / 6)),
        rough = size / 6 / ten,
        cell = ten * (rough < 2 ? 1 : rough < 5 ? 2 : 5),
        n = Math.ceil((2.2 * size) / cell),
        position: number[] = [],
        colour: number[] = [];
    const end = (x: number, y: number, across: boolean): void => {
        const fade = Math.min(1, Math.hypot(x, y) / (n * cell));
        position.push(...(across ? [y, x, 0] : [x, y, 0]));
        colour.push(
            ...ink
                .clone()
                .lerp(back, fade * fade)
                .toArray(),
        );
    };
    for (let i = -n; i <= n; ++i)
        for (const across of [false, true])
            for (let k = -n; k < n; ++k) {
                end(i * cell, k * cell, across);
                end(i * cell, (k + 1) * cell, across);
            }
    const g = new BufferGeometry()
        .setAttribute("position", new Float32BufferAttribute(position, 3))
        .setAttribute("color", new Float32BufferAttribute(colour, 3));
    const lines = new LineSegments(g, lineMaterial());
    lines.position.z = -0.002 * size;
    lines.renderOrder = -1; // before the floor above it
    return { lines, cell };
}
