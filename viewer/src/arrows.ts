// SPDX-License-Identifier: Apache-2.0
// Arrows of joint forces, contact forces and actuator efforts.  Those of one kind share a scale: the largest of the run has the given
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
import type { Curve, Joint, Line, Run } from "./data";
import { CONTACT, touches, touchPoint } from "./contacts";
import type { Touch } from "./contacts";
import { signMaterial, surface } from "./surfaces";

const Y = new Vector3(0, 1, 0);
type At = (body: number, point: number[], time: number, to: Vector3) => Vector3;

interface Arrow {
    shape: Group;
    shaft: Mesh;
    head: Mesh;
    update(time: number): void;
}

/** The largest length of a vector curve over the run. */
function largest(run: Run, lines: Line[]): number {
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

/** The size that 95 % of the contact forces stay below: single impacts are a thousand times as large as rest. */
function usual(run: Run, all: Line[][]): number {
    const sizes: number[] = [];
    for (const lines of all)
        for (let k = 0; k < run.times.length; ++k) {
            const size = Math.hypot(...lines.map((l) => l.at(k)));
            if (size > 0) sizes.push(size);
        }
    return Float64Array.from(sizes).sort()[Math.floor(0.95 * sizes.length)] ?? 0;
}

const LONGEST = 1.5; // of an arrow, in lengths of the scale

export class Arrows {
    readonly root = new Group();
    private readonly all: Arrow[] = [];
    private readonly shaft: BufferGeometry;
    private readonly heads: BufferGeometry[];
    private readonly acting: { forces: Acting[]; efforts: Acting[]; contacts: Touch[] };
    readonly forces: number; // how many of each kind
    readonly efforts: number;
    readonly contacts: number;

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
        const contacts = touches(run);
        this.acting = { forces, efforts, contacts };
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
        this.contacts = contacts.length;
        this.root.visible = false;
    }

    /** The arrows, when they are shown first: their scales need all frames. */
    private build(): void {
        const { run, acting } = this,
            most = Math.max(0, ...acting.forces.map((x) => largest(run, run.lines(x.curve.name)))),
            touching = usual(
                run,
                acting.contacts.map((x) => x.force),
            );
        for (const { joint, curve } of acting.forces)
            this.force(0xd6336c, run.lines(curve.name), most, (t, to) => (this.at(joint.b, joint.pb, t, to), true));
        for (const touch of acting.contacts)
            this.force(CONTACT, touch.force, touching, (t, to) => touchPoint(run, touch, t, to));
        for (const unit of ["N", "N m"]) {
            const some = acting.efforts.filter((x) => x.curve.unit === unit);
            const scale = Math.max(0, ...some.map((x) => largest(run, run.lines(x.curve.name))));
            for (const { joint, curve } of some) this.effort(joint, curve, scale, unit === "N m");
        }
    }

    private make(colour: number, heads: number): Omit<Arrow, "update"> {
        const lit = { emissive: new Color(colour).multiplyScalar(0.25).getHex(), whole: true },
            material = colour === CONTACT ? signMaterial(colour) : surface(colour, lit), // these begin inside bodies
            shape = new Group(),
            shaft = new Mesh(this.shaft, material),
            head = new Mesh(this.heads[heads - 1], material);
        shaft.renderOrder = head.renderOrder = colour === CONTACT ? 1 : 0;
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

    /** A force at a point that may not be there at all times. */
    private force(colour: number, lines: Line[], most: number, where: (time: number, to: Vector3) => boolean): void {
        const a = this.make(colour, 1),
            from = new Vector3(),
            f = new Vector3();
        const update = (time: number): void => {
            const { k } = this.run.find(time);
            f.set(lines[0].at(k), lines[1].at(k), lines[2].at(k));
            const size = where(time, from) ? f.length() : 0;
            const length = most > 0 ? this.length * Math.min(size / most, LONGEST) : 0;
            this.place(a, from, size > 0 ? f.divideScalar(size) : Y, length);
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
