// SPDX-License-Identifier: Apache-2.0
// Arrows of joint forces and actuator efforts.  Those of one kind share a scale: the largest of the run has the given
// length.  A moment has two heads.
import {
    BufferGeometry,
    Color,
    ConeGeometry,
    CylinderGeometry,
    Group,
    Mesh,
    Quaternion,
    Vector3,
} from "three";
import { mergeGeometries } from "three/examples/jsm/utils/BufferGeometryUtils.js";
import type { Curve, Joint, Run } from "./data";
import { surface } from "./surfaces";

const Y = new Vector3(0, 1, 0);
type At = (body: number, point: number[], time: number, to: Vector3) => Vector3;

interface Arrow {
    shape: Group;
    shaft: Mesh;
    head: Mesh;
    update(time: number): void;
}

/** The largest length of a vector curve over the run. */
function largest(run: Run, c: Curve): number {
    const lines = run.lines(c.name);
    let most = 0;
    for (let k = 0; k < run.times.length; ++k) {
        const size = Math.hypot(...lines.map((l) => l.at(k)));
        if (size > most) most = size;
    }
    return most;
}

interface Acting {
    joint: Joint;
    curve: Curve;
}

export class Arrows {
    readonly root = new Group();
    private readonly all: Arrow[] = [];
    private readonly shaft: BufferGeometry;
    private readonly heads: BufferGeometry[];
    private readonly acting: { forces: Acting[]; efforts: Acting[] };
    readonly forces: number; // how many of each kind
    readonly efforts: number;

    constructor(
        private readonly run: Run,
        private readonly at: At,
        private readonly length: number,
        private readonly radius: number,
    ) {
        const curves = new Map(run.meta.curves.map((c) => [c.name, c]));
        const of = (part: string): Acting[] =>
            run.meta.joints.flatMap((joint) => {
                const curve = curves.get(`${joint.name}.${part}`);
                return curve ? [{ joint, curve }] : [];
            });
        const forces = of("force").filter((x) => x.curve.count === 3);
        const efforts = of("effort").filter((x) => x.curve.count === 1 && x.joint.kind !== "distance");
        this.acting = { forces, efforts };
        this.shaft = new CylinderGeometry(0.5 * radius, 0.5 * radius, 1, 12).translate(0, 0.5, 0);
        this.heads = [1, 2].map((n) =>
            mergeGeometries(
                Array.from({ length: n }, (_, i) =>
                    new ConeGeometry(1.3 * radius, 3 * radius, 16).translate(0, -1.5 * radius - 2 * radius * i, 0),
                ),
            ),
        );
        this.forces = forces.length;
        this.efforts = efforts.length;
        this.root.visible = false;
    }

    /** The arrows, when they are shown first: their scales need all frames. */
    private build(): void {
        const { run, acting } = this,
            most = Math.max(0, ...acting.forces.map((x) => largest(run, x.curve)));
        for (const { joint, curve } of acting.forces) this.force(joint, curve, most);
        for (const unit of ["N", "N m"]) {
            const some = acting.efforts.filter((x) => x.curve.unit === unit);
            const scale = Math.max(0, ...some.map((x) => largest(run, x.curve)));
            for (const { joint, curve } of some) this.effort(joint, curve, scale, unit === "N m");
        }
    }

    private make(colour: number, heads: number): Omit<Arrow, "update"> {
        const material = surface(colour, { emissive: new Color(colour).multiplyScalar(0.25).getHex(), whole: true }),
            shape = new Group(),
            shaft = new Mesh(this.shaft, material),
            head = new Mesh(this.heads[heads - 1], material);
        shape.add(shaft, head);
        this.root.add(shape);
        return { shape, shaft, head };
    }

    /** An arrow from a point along a vector of a length in metres. */
    private place(a: Omit<Arrow, "update">, from: Vector3, along: Vector3, length: number): void {
        a.shape.visible = length > 0.01 * this.length;
        if (!a.shape.visible) return;
        a.shape.position.copy(from);
        a.shape.quaternion.setFromUnitVectors(Y, along);
        a.shaft.scale.y = Math.max(length - 2 * this.radius, 1e-6 * this.length);
        a.head.position.y = length;
        a.head.scale.setScalar(Math.min(1, length / (4 * this.radius)));
    }

    private force(joint: Joint, curve: Curve, most: number): void {
        const lines = this.run.lines(curve.name),
            a = this.make(0xd6336c, 1),
            from = new Vector3(),
            f = new Vector3();
        const update = (time: number): void => {
            const { k } = this.run.find(time);
            f.set(lines[0].at(k), lines[1].at(k), lines[2].at(k));
            const size = f.length();
            this.at(joint.b, joint.pb, time, from);
            this.place(a, from, size > 0 ? f.divideScalar(size) : Y, most > 0 ? (this.length * size) / most : 0);
        };
        this.all.push({ ...a, update });
    }

    private effort(joint: Joint, curve: Curve, most: number, moment: boolean): void {
        const [line] = this.run.lines(curve.name),
            a = this.make(0x2b8a3e, moment ? 2 : 1),
            from = new Vector3(),
            p = new Vector3(),
            q = new Quaternion(),
            z = new Vector3();
        const update = (time: number): void => {
            const { k } = this.run.find(time),
                value = line.at(k);
            z.set(joint.Ea[2], joint.Ea[5], joint.Ea[8]);
            if (joint.a >= 0) (this.run.pose(joint.a, time, p, q), z.applyQuaternion(q));
            this.at(joint.b, joint.pb, time, from);
            this.place(a, from, value < 0 ? z.negate() : z, most > 0 ? (this.length * Math.abs(value)) / most : 0);
        };
        this.all.push({ ...a, update });
    }

    show(time: number): void {
        if (!this.root.visible) return;
        if (this.all.length === 0) this.build();
        for (const a of this.all) a.update(time);
    }

    /** Lengths as they are drawn, for the test of the page. */
    lengths(): number[] {
        return this.all.map((a) => (a.shape.visible ? a.head.position.y : 0));
    }
}
