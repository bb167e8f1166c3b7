// SPDX-License-Identifier: Apache-2.0
// A flexible body as a line through its nodes: cubics with the tangents of the nodes, which follow the rotations of the
// nodes as the undeformed chord did.  The deformation may be exaggerated.
import { Quaternion, Vector3 } from "three";
import type { Run } from "./data";

interface Place {
    p: Vector3;
    q: Quaternion;
}

/** A rotation by so many times its angle, the short way. */
function times(q: Quaternion, factor: number): Quaternion {
    const w = Math.min(Math.abs(q.w), 1),
        sign = q.w < 0 ? -1 : 1,
        half = Math.acos(w),
        axis = new Vector3(q.x, q.y, q.z).multiplyScalar(sign);
    if (axis.length() < 1e-12) return new Quaternion();
    return new Quaternion().setFromAxisAngle(axis.normalize(), 2 * half * factor);
}

/** A node of a flexible body at a time; its displacement from the rigid body is multiplied. */
function node(run: Run, frame: number, body: number): (time: number, factor: number) => Place {
    const { rest, turned } = run.meta.bodies[body],
        com = new Vector3().fromArray(run.meta.bodies[frame].com);
    return (time, factor) => {
        const p = new Vector3(),
            q = new Quaternion();
        run.pose(body, time, p, q);
        if (factor === 1 || !rest || !turned) return { p, q };
        const p0 = new Vector3(),
            q0 = new Quaternion();
        run.pose(frame, time, p0, q0);
        p0.add(new Vector3().fromArray(rest).sub(com).applyQuaternion(q0));
        q0.multiply(new Quaternion(turned[1], turned[2], turned[3], turned[0]));
        return {
            p: p.sub(p0).multiplyScalar(factor).add(p0),
            q: q0.clone().multiply(times(q0.invert().multiply(q), factor)),
        };
    };
}

/** Points of the line at a time, or null where there are too few nodes. */
export function beamOf(
    run: Run,
    frame: number,
    point: (body: number, p: number[], time: number) => Vector3,
    r: number,
): ((time: number, factor: number) => Vector3[]) | null {
    const stations: ((time: number, factor: number) => Place)[] = [];
    run.meta.bodies.forEach((b, k) => {
        if (b.node_of === frame) stations.push(node(run, frame, k));
    });
    for (const j of run.meta.joints) {
        // joints on its frame, at their points on the other body
        const other = j.a === frame ? j.b : j.b === frame ? j.a : frame,
            at = j.a === frame ? j.pb : j.pa;
        const nowhere = other === frame || j.kind === "free" || j.kind === "distance";
        if (nowhere || (other >= 0 && run.meta.bodies[other].flexible)) continue;
        stations.push((t) => {
            const q = new Quaternion();
            run.pose(frame, t, new Vector3(), q);
            return { p: point(other, at, t), q };
        });
    }
    const first = stations.map((at) => ({ at, ...at(0, 1) }));
    const start = first.filter((s, k) => !first.slice(0, k).some((o) => o.p.distanceTo(s.p) < r));
    if (start.length < 2) return null;
    let far = start[0];
    for (const s of start) if (s.p.distanceTo(start[0].p) > far.p.distanceTo(start[0].p)) far = s;
    const chord = far.p.clone().sub(start[0].p).normalize();
    start.sort((a, b) => a.p.dot(chord) - b.p.dot(chord));
    const axis = start.map((s) => chord.clone().applyQuaternion(s.q.clone().invert()));
    return (time, factor) => {
        const points: Vector3[] = [];
        const now = start.map((s, j) => {
            const { p, q } = s.at(time, factor);
            return { p, d: axis[j].clone().applyQuaternion(q) };
        });
        for (let j = 0; j + 1 < now.length; ++j) {
            const a = now[j],
                b = now[j + 1],
                length = a.p.distanceTo(b.p);
            for (let s = 0; s < 8; ++s) {
                const f = s / 8,
                    f2 = f * f,
                    f3 = f2 * f;
                points.push(
                    new Vector3()
                        .addScaledVector(a.p, 2 * f3 - 3 * f2 + 1)
                        .addScaledVector(a.d, length * (f3 - 2 * f2 + f))
                        .addScaledVector(b.p, 3 * f2 - 2 * f3)
                        .addScaledVector(b.d, length * (f3 - f2)),
                );
            }
        }
        points.push(now[now.length - 1].p);
        return points;
    };
}
