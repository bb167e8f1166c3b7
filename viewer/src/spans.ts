// SPDX-License-Identifier: Apache-2.0
// What stretches between two moving points: springs as coils, distance joints as rods.  A geometry is built once along
// z, at the length of the start, and scaled to the length of the moment.
import { BufferGeometry, Curve, CylinderGeometry, Quaternion, TubeGeometry, Vector3 } from "three";

/** A coil of unit radius about z, with straight ends on the axis. */
class Coil extends Curve<Vector3> {
    constructor(
        private readonly length: number,
        private readonly radius: number,
        private readonly turns: number,
    ) {
        super();
    }

    override getPoint(f: number, to = new Vector3()): Vector3 {
        const w = 2 * Math.PI * this.turns * f,
            lead = Math.min(Math.max(Math.min(f, 1 - f) / 0.09 - 0.4, 0), 1),
            wide = this.radius * lead * lead * (3 - 2 * lead);
        return to.set(wide * Math.cos(w), wide * Math.sin(w), f * this.length);
    }
}

/** A spring of unit length along z; r is the size of joints. */
export function springGeometry(length: number, r: number, plain: boolean): BufferGeometry {
    const radius = Math.min(Math.max(0.05 * length, 1.1 * r), 2.6 * r),
        turns = Math.round(Math.min(Math.max(length / (1.6 * radius), 5), 14));
    const tube = new TubeGeometry(new Coil(length, radius, turns), turns * (plain ? 8 : 22), 0.26 * r, plain ? 4 : 8);
    return tube.scale(1, 1, 1 / length);
}

/** A rod of unit length along z. */
export function rodGeometry(r: number): BufferGeometry {
    return new CylinderGeometry(0.55 * r, 0.55 * r, 1, 16)
        .translate(0, 0.5, 0)
        .rotateX(Math.PI / 2);
}

const z = new Vector3(0, 0, 1);

/** Places what lies along z between two points. */
export function span(p: Vector3, q: Vector3, at: Vector3, turn: Quaternion, scale: Vector3): void {
    const d = q.clone().sub(p),
        length = Math.max(d.length(), 1e-9);
    at.copy(p);
    turn.setFromUnitVectors(z, d.divideScalar(length));
    scale.set(1, 1, length);
}
