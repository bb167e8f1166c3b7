// SPDX-License-Identifier: Apache-2.0
// Where the bodies are over a run, and how large their parts are: for the first camera and the thickness of rods.
import { Quaternion, Vector3 } from "three";
import { corners } from "./bodies";
import { wanders } from "./data";
import type { Run } from "./data";
import { trackPoints } from "./tracks";
import { visualBox } from "./visuals";

/** The middle of the bodies, by mass. */
export function middleOf(run: Run, time: number): Vector3 {
    const sum = new Vector3(),
        p = new Vector3(),
        q = new Quaternion(),
        n = run.meta.bodies.length,
        step = Math.max(1, Math.floor(n / 400));
    let mass = 0;
    for (let i = 0; i < n; i += step) {
        const m = Math.max(run.meta.bodies[i].mass, 1e-12);
        run.pose(i, time, p, q);
        (sum.addScaledVector(p, m), (mass += m));
    }
    return mass > 0 ? sum.divideScalar(mass) : sum;
}

export interface Extent {
    low: Vector3;
    high: Vector3;
    middle: Vector3;
    size: number;
    r: number;
}

/** Where the corners of all bodies are over the run; single far ones do not count. */
export function extent(runs: Run[], follow: boolean): Extent {
    const values: number[][] = [[], [], []],
        lengths: number[] = [];
    const p = new Vector3(),
        q = new Quaternion();
    for (const run of runs) {
        const n = run.meta.bodies.length,
            stepBody = Math.max(1, Math.floor(n / 400)),
            frames = Math.min(40, run.times.length);
        const local = run.meta.bodies.map((b) => (b.shape ? [] : corners(b)));
        const dressed = new Map<number, Vector3[]>();
        for (const v of run.meta.visuals) {
            const com = new Vector3().fromArray(v.body >= 0 ? run.meta.bodies[v.body].com : [0, 0, 0]),
                box = visualBox(v, com, run.meta.meshes);
            dressed.set(v.body, (dressed.get(v.body) ?? []).concat(box));
        }
        for (const p of dressed.get(-1) ?? []) p.toArray().forEach((x, k) => values[k].push(x));
        run.meta.bodies.forEach((b, i) => {
            const c = local[i];
            if (b.shape) lengths.push(2 * Math.max(...b.shape.size));
            else if (c.length > 1) lengths.push(Math.max(...c.map((x) => x.distanceTo(c[0]))));
            else if (c.length === 1) lengths.push(c[0].length());
        });
        for (let f = 0; f < frames; ++f) {
            const time = run.times[Math.round((f * (run.times.length - 1)) / Math.max(frames - 1, 1))];
            const away = follow ? middleOf(runs[0], time) : new Vector3();
            for (let i = 0; i < n; i += stepBody) {
                run.pose(i, time, p, q);
                p.sub(away);
                const box = dressed.get(i),
                    own = box ?? (local[i].length ? local[i] : [new Vector3()]);
                const half = !box && run.meta.bodies[i].shape ? Math.max(...run.meta.bodies[i].shape!.size) / 2 : 0;
                for (const c of own) {
                    const v = c.clone().applyQuaternion(q).add(p);
                    (values[0].push(v.x - half, v.x + half),
                        values[1].push(v.y - half, v.y + half),
                        values[2].push(v.z - half, v.z + half));
                }
            }
        }
        for (const j of run.meta.joints) if (j.a < 0 && !wanders(j)) j.pa.forEach((x, k) => values[k].push(x));
        for (const p of run.meta.joints.flatMap((j) => (j.a < 0 && j.curve ? trackPoints(j) : [])))
            p.toArray().forEach((x, k) => values[k].push(x));
        for (const s of run.meta.springs)
            for (const [body, at] of [[s.a, s.pa], [s.b, s.pb]] as const)
                if (body < 0) at.forEach((x, k) => values[k].push(x));
        for (const { body, at } of run.meta.ropes.flatMap((p) => p.points))
            if (body < 0) at.forEach((x, k) => values[k].push(x));
    }
    const low = new Vector3(),
        high = new Vector3();
    values.forEach((all, k) => {
        const v = Float64Array.from(all).sort();
        const n = v.length - 1,
            most = n < 0 ? 2 : v[Math.ceil(0.99 * n)] - v[Math.floor(0.01 * n)];
        const whole = n < 0 || v[n] - v[0] <= 2 * most || most === 0;
        low.setComponent(k, n < 0 ? -1 : whole ? v[0] : v[Math.floor(0.01 * n)]);
        high.setComponent(k, n < 0 ? 1 : whole ? v[n] : v[Math.ceil(0.99 * n)]);
    });
    const size = Math.max(high.distanceTo(low), 1e-6);
    lengths.sort((a, b) => a - b);
    const typical = lengths.filter((x) => x > 1e-9);
    const length = typical.length ? typical[Math.floor(0.7 * typical.length)] : size / 5;
    return {
        low,
        high,
        middle: low.clone().add(high).multiplyScalar(0.5),
        size,
        r: Math.min(Math.max(0.055 * length, Math.min(0.006 * size, 0.12 * length), 0.003 * size), 0.016 * size),
    };
}
