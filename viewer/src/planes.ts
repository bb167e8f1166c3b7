// SPDX-License-Identifier: Apache-2.0
// Planes of the ground that bodies touch.  One that lies level and low is the floor of the scene; the others are plates
// with a rim, as large as the motion.
import { BufferGeometry, Color, Float32BufferAttribute, Group, Line, Mesh } from "three";
import { PlaneGeometry, Quaternion, Vector3 } from "three";
import type { Run } from "./data";
import { lineMaterial, surface } from "./surfaces";

export interface Level {
    point: Vector3;
    normal: Vector3;
}

/** The planes of a run, each once. */
export function planesOf(run: Run): Level[] {
    const found: Level[] = [];
    for (const p of run.meta.planes) {
        const normal = new Vector3().fromArray(p.normal).normalize(),
            point = new Vector3().fromArray(p.point);
        const same = (q: Level): boolean =>
            q.normal.distanceTo(normal) < 1e-9 &&
            Math.abs(q.point.dot(normal) - point.dot(normal)) < 1e-9 * (1 + point.length());
        if (!found.some(same)) found.push({ point, normal });
    }
    return found;
}

/** A plate in a plane, about the middle of the motion. */
export function plate(plane: Level, middle: Vector3, size: number): Group {
    const group = new Group(),
        h = 0.5 * size;
    const sheet = new Mesh(new PlaneGeometry(2 * h, 2 * h), surface(0x8fa3bd, { ghost: 0.35, whole: true }));
    sheet.receiveShadow = true;
    const corners = [-h, -h, 0, h, -h, 0, h, h, 0, -h, h, 0, -h, -h, 0];
    const ink = new Color(0x6b7d95).toArray(),
        colours = corners.map((_, k) => ink[k % 3]);
    const rim = new Line(
        new BufferGeometry()
            .setAttribute("position", new Float32BufferAttribute(corners, 3))
            .setAttribute("color", new Float32BufferAttribute(colours, 3)),
        lineMaterial(),
    );
    group.add(sheet, rim);
    group.quaternion.copy(new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), plane.normal));
    const away = middle.clone().sub(plane.point).dot(plane.normal);
    group.position.copy(middle).addScaledVector(plane.normal, -away);
    return group;
}
