// SPDX-License-Identifier: Apache-2.0
// Curves on which joints keep points: a thin tube through places of the spline (src/model/curve.c).
import { BufferGeometry, CatmullRomCurve3, Matrix3, TubeGeometry, Vector3 } from "three";
import type { Joint } from "./data";

/** Places along the curve of a joint, in its frame on the first body. */
function places(joint: Joint): Vector3[] {
    const all = joint.curve ?? [],
        found: Vector3[] = [];
    for (let i = 0; i + 2 < all.length; i += 3) found.push(new Vector3().fromArray(all, i));
    return found;
}

export function trackGeometry(joint: Joint, r: number): BufferGeometry {
    const points = places(joint),
        closed = joint.closed === true;
    if (closed) points.pop(); // it is the first one
    return new TubeGeometry(
        new CatmullRomCurve3(points, closed, "centripetal"),
        Math.min(2 * points.length, 2000),
        0.35 * r,
        8,
        closed,
    );
}

/** The same places in the axes of the first body, from its frame. */
export function trackPoints(joint: Joint): Vector3[] {
    const E = new Matrix3().fromArray(joint.Ea).transpose(), // rows
        at = new Vector3().fromArray(joint.pa);
    return places(joint).map((p) => p.applyMatrix3(E).add(at));
}
