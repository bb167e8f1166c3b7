// SPDX-License-Identifier: Apache-2.0
// Where bodies touch: a dot at the point of each contact while it lasts, seen through the bodies, and the shapes by which
// bodies with visuals touch.  Points are the means of a contact's points by their forces.
import { Group, Mesh, SphereGeometry, Vector3 } from "three";
import type { Contact, Line, Run } from "./data";
import { signMaterial } from "./surfaces";

export const CONTACT = 0xf08c00;

/** A contact with its curves. */
export interface Touch {
    contact: Contact;
    point: Line[];
    force: Line[];
}

/** The contacts of a run that has their columns. */
export function touches(run: Run): Touch[] {
    return run.meta.contacts.flatMap((contact) => {
        const point = run.lines(`contacts.${contact.name}.point`),
            force = run.lines(`contacts.${contact.name}.force`);
        return point.length === 3 && force.length === 3 ? [{ contact, point, force }] : [];
    });
}

function at(lines: Line[], k: number, to: Vector3): boolean {
    to.set(lines[0].at(k), lines[1].at(k), lines[2].at(k));
    return !Number.isNaN(to.x + to.y + to.z);
}

/** The point of a contact at a time, on a line between two frames that both have one; false: nothing touches. */
export function touchPoint(run: Run, touch: Touch, time: number, to: Vector3): boolean {
    const { k, f } = run.find(time),
        next = new Vector3();
    if (!at(touch.point, k, to)) return false;
    if (f > 0 && at(touch.point, k + 1, next)) to.lerp(next, f);
    return true;
}

export class Contacts {
    readonly root = new Group();
    private readonly all: { touch: Touch; dot: Mesh }[];

    constructor(
        private readonly run: Run,
        r: number,
    ) {
        const dot = new SphereGeometry(0.75 * r, 16, 10),
            ink = signMaterial(CONTACT);
        this.all = touches(run).map((touch) => {
            const mesh = new Mesh(dot, ink);
            mesh.renderOrder = 1;
            this.root.add(mesh);
            return { touch, dot: mesh };
        });
    }

    get count(): number {
        return this.all.length;
    }

    show(time: number): void {
        for (const { touch, dot } of this.all) dot.visible = touchPoint(this.run, touch, time, dot.position);
    }

    /** The dots that are drawn, for the test of the page. */
    points(): number[][] {
        return this.all.filter((x) => x.dot.visible).map((x) => x.dot.position.toArray());
    }
}

/** The contacts of a body, as their curves are called: "contacts.NAME". */
export function touching(run: Run, body: number): string[] {
    return run.meta.contacts.filter((c) => c.a === body || c.b === body).map((c) => `contacts.${c.name}`);
}

/** Bodies whose visuals hide the shape that touches. */
export function hidden(run: Run): number[] {
    const dressed = new Set(run.meta.visuals.map((v) => v.body)),
        found = new Set<number>();
    for (const { a, b } of run.meta.contacts)
        for (const i of [a, b]) if (i >= 0 && dressed.has(i) && run.meta.bodies[i].shape) found.add(i);
    return [...found];
}
