// SPDX-License-Identifier: Apache-2.0
// The bodies and joints of one run in the scene: shapes, joints by kind, loop joints ringed, springs, tendons, markers
// with traces, flexible bodies as tubes.
import {
    BufferGeometry,
    Color,
    Float32BufferAttribute,
    Group,
    LatheGeometry,
    Line,
    Matrix3,
    Matrix4,
    Mesh,
    Object3D,
    Quaternion,
    SphereGeometry,
    TorusGeometry,
    TubeGeometry,
    CatmullRomCurve3,
    Vector2,
    Vector3,
} from "three";
import { mergeGeometries } from "three/examples/jsm/utils/BufferGeometryUtils.js";
import { beamOf } from "./beams";
import { bodyColour, bodyGeometry, jointGeometry, shapeGeometry } from "./bodies";
import type { Palette } from "./colours";
import { CONTACT, hidden } from "./contacts";
import { wanders } from "./data";
import type { Choice, Joint, Rope, Run } from "./data";
import { rodGeometry, span, springGeometry } from "./spans";
import { lineMaterial, paint, surface } from "./surfaces";
import { trackGeometry } from "./tracks";
import { Meshes, visualColour, visualGeometry } from "./visuals";

const PLAIN = 200; // bodies from which on they have few triangles
const SEEN = 0.28; // of a second run
const FIXED = 0x5d6776, // signs on the ground
    LOOSE = 0xa3adba,
    TRACE = 0xc92a2a,
    ROPE = 0xb5722a;

/** The bodies and joints of one run. */
export class Mechanism {
    readonly root = new Group();
    readonly bodies: Group[] = [];
    readonly meshes = new Map<string, Mesh>();
    exaggeration = 1; // of the deformation of flexible bodies
    readonly ends = new Map<number, Vector3[]>(); // of their tubes, as they are drawn
    readonly skins: Mesh[] = []; // shapes that touch, below visuals
    readonly ropes: Mesh[] = []; // pieces of tendons
    readonly tracks: Mesh[] = []; // curves on which joints keep points
    private palette: Palette | null = null;
    private readonly dressed: Set<number>; // bodies with visuals
    private readonly parts: { mesh: Mesh; body: number; own: Color }[] = []; // these
    private readonly dynamic: ((time: number) => void)[] = [];

    constructor(
        readonly run: Run,
        r: number,
        ghost: boolean,
        private readonly shadows: boolean,
    ) {
        const plain = run.meta.bodies.length > PLAIN;
        this.dressed = new Set(run.meta.visuals.map((v) => v.body));
        const ground = new Group();
        this.root.add(ground);
        run.meta.bodies.forEach((body, i) => {
            const group = new Group();
            this.bodies.push(group);
            this.root.add(group);
            const geometry = this.dressed.has(i) ? null : bodyGeometry(body, r, plain);
            if (!geometry) return;
            this.add(group, new Mesh(geometry, surface(bodyColour(i, body.shape), ghost ? { ghost: SEEN } : {})), "body", i, ghost);
        });
        this.visuals(ground, ghost);
        if (!ghost) this.touching();
        this.flexible(r, ghost);
        if (!ghost && run.meta.joints.length <= 4000)
            run.meta.joints.forEach((joint, i) => this.joint(joint, i, ground, r, plain));
        run.meta.springs.forEach((s) => this.spring(s.a, s.pa, s.b, s.pb, r, ghost));
        run.meta.ropes.forEach((p) => this.rope(p, r, ghost));
        if (!ghost) run.meta.markers.forEach((m) => this.marker(m.body, m.position, r));
    }

    /** What bodies and the ground are dressed in; one mesh for all of a colour. */
    private visuals(ground: Object3D, ghost: boolean): void {
        const meshes = new Meshes(this.run),
            groups = new Map<string, { body: number; own: Color; all: BufferGeometry[] }>();
        for (const v of this.run.meta.visuals) {
            const body = v.body,
                com = new Vector3().fromArray(body >= 0 ? this.run.meta.bodies[body].com : [0, 0, 0]);
            const own = visualColour(v, body),
                key = `${body} ${own.getHexString()}`,
                g = visualGeometry(v, com, meshes),
                flat = g.index ? g.toNonIndexed() : g;
            flat.deleteAttribute("uv");
            if (!groups.has(key)) groups.set(key, { body, own, all: [] });
            groups.get(key)!.all.push(flat);
        }
        for (const { body, own, all } of groups.values()) {
            if (body < 0 && ghost) continue;
            const mesh = new Mesh(mergeGeometries(all), surface(own, ghost ? { ghost: SEEN } : {})),
                to = body >= 0 ? this.bodies[body] : ground;
            this.shade(mesh, ghost);
            if (body >= 0) mesh.userData = { kind: "body", index: body, run: this.run.number };
            to.add(mesh);
            if (body < 0) continue;
            this.parts.push({ mesh, body, own });
            if (!this.meshes.has(`body${body}`)) this.meshes.set(`body${body}`, mesh);
        }
    }

    /** Shapes of contact of bodies that are drawn by their visuals. */
    private touching(): void {
        for (const i of hidden(this.run)) {
            const { shape, com } = this.run.meta.bodies[i],
                skin = new Mesh(shapeGeometry(shape!, new Vector3().fromArray(com)), surface(CONTACT, { ghost: 0.25 }));
            this.skins.push(skin);
            this.bodies[i].add(skin);
        }
    }

    /** All that is drawn of a body or joint. */
    drawn(choice: Choice): Mesh[] {
        const parts = choice.kind === "body" ? this.parts.filter((p) => p.body === choice.index) : [];
        const mesh = this.meshes.get(choice.kind + choice.index);
        return parts.length ? parts.map((p) => p.mesh) : mesh ? [mesh] : [];
    }

    private shade(mesh: Mesh, ghost: boolean): void {
        mesh.castShadow = this.shadows && !ghost;
        mesh.receiveShadow = !ghost;
    }

    private add(to: Object3D, mesh: Mesh, kind: Choice["kind"], index: number, ghost = false): void {
        this.shade(mesh, ghost);
        mesh.userData = { kind, index, run: this.run.number };
        to.add(mesh);
        this.meshes.set(`${kind}${index}`, mesh);
    }

    /** Offset of a point given in body axes from the body frame. */
    private local(body: number, p: number[]): Vector3 {
        const at = new Vector3().fromArray(p);
        return body >= 0 ? at.sub(new Vector3().fromArray(this.run.meta.bodies[body].com)) : at;
    }

    /** The same as a global point, at a time. */
    point(body: number, p: number[], time: number, to = new Vector3()): Vector3 {
        const at = this.local(body, p);
        if (body < 0) return to.copy(at);
        const q = new Quaternion();
        this.run.pose(body, time, to, q);
        return to.add(at.applyQuaternion(q));
    }

    private joint(joint: Joint, i: number, ground: Object3D, r: number, plain: boolean): void {
        if (wanders(joint)) return;
        if (joint.kind === "distance") {
            const rod = new Mesh(rodGeometry(r), surface(0x8a94a3));
            this.add(this.root, rod, "joint", i);
            this.stretch(rod, joint.a, joint.pa, joint.b, joint.pb);
            return;
        }
        const geometry = joint.curve ? trackGeometry(joint, r) : jointGeometry(joint.kind, r, plain);
        if (!geometry) return;
        // the frame of a flexible body is elsewhere; a curve lies in that of a
        const flexible = !joint.curve && joint.a >= 0 && joint.b >= 0 && this.run.meta.bodies[joint.a].flexible === true;
        const body = flexible ? joint.b : joint.a;
        const on = body >= 0 ? this.bodies[body] : ground;
        const E = new Matrix3().set(
            ...((flexible ? joint.Eb : joint.Ea) as [
                number,
                number,
                number,
                number,
                number,
                number,
                number,
                number,
                number,
            ]),
        );
        const holder = new Group();
        holder.applyMatrix4(new Matrix4().setFromMatrix3(E));
        holder.position.copy(this.local(body, flexible ? joint.pb : joint.pa));
        on.add(holder);
        const fixed = joint.a < 0 || joint.b < 0;
        this.add(holder, new Mesh(geometry, surface(fixed ? FIXED : LOOSE)), "joint", i);
        if (joint.curve) this.track(joint, i, r);
        else if (joint.loop) {
            const ring = new Mesh(
                new TorusGeometry(2.3 * r, 0.32 * r, 10, plain ? 16 : 40),
                surface(0xe8590c, { emissive: 0x4f1900 }),
            );
            ring.userData = { kind: "joint", index: i, run: this.run.number };
            holder.add(ring);
        }
    }

    /** The point that stays on a curve, as a ball on its body. */
    private track(joint: Joint, i: number, r: number): void {
        const ball = new Mesh(new SphereGeometry(1.1 * r, 20, 14), surface(joint.b < 0 ? FIXED : LOOSE));
        ball.userData = { kind: "joint", index: i, run: this.run.number };
        ball.position.copy(this.local(joint.b, joint.pb));
        (joint.b >= 0 ? this.bodies[joint.b] : this.root).add(ball);
        this.tracks.push(this.meshes.get(`joint${i}`)!);
    }

    /** Flexible bodies as tubes, with their deformation times a factor. */
    private flexible(r: number, ghost: boolean): void {
        const point = (b: number, p: number[], t: number): Vector3 => this.point(b, p, t);
        this.run.meta.bodies.forEach((body, i) => {
            const beam = body.flexible ? beamOf(this.run, i, point, r) : null;
            if (!beam) return;
            const tube = new Mesh(
                new BufferGeometry(),
                surface(bodyColour(i), ghost ? { ghost: SEEN } : {}),
            );
            tube.frustumCulled = false;
            this.add(this.root, tube, "body", i, ghost);
            this.dynamic.push((time) => {
                const points = beam(time, this.exaggeration);
                this.ends.set(i, [points[0], points[points.length - 1]]);
                tube.geometry.dispose();
                tube.geometry = new TubeGeometry(
                    new CatmullRomCurve3(points),
                    Math.min(4 * points.length, 160),
                    0.8 * r,
                    10,
                );
            });
        });
    }

    /** Keeps a mesh along z between two points. */
    private stretch(mesh: Mesh, a: number, pa: number[], b: number, pb: number[]): void {
        mesh.frustumCulled = false;
        this.dynamic.push((t) =>
            span(this.point(a, pa, t), this.point(b, pb, t), mesh.position, mesh.quaternion, mesh.scale),
        );
    }

    private spring(a: number, pa: number[], b: number, pb: number[], r: number, ghost: boolean): void {
        const t = this.run.times[0] ?? 0,
            length = Math.max(this.point(a, pa, t).distanceTo(this.point(b, pb, t)), 4 * r);
        const coil = new Mesh(
            springGeometry(length, r, this.run.meta.springs.length > 100),
            surface(0x7d8796, ghost ? { ghost: 0.4 } : {}),
        );
        coil.castShadow = this.shadows && !ghost;
        this.root.add(coil);
        this.stretch(coil, a, pa, b, pb);
        const ends: [number, number[]][] = [
            [a, pa],
            [b, pb],
        ];
        for (const [body, at] of ghost ? [] : ends) {
            const eye = new Mesh(new SphereGeometry(0.9 * r, 16, 10), surface(body < 0 ? FIXED : LOOSE));
            eye.position.copy(this.local(body, at));
            (body >= 0 ? this.bodies[body] : this.root).add(eye);
        }
    }

    /** A tendon: straight between its points. */
    private rope({ points }: Rope, r: number, ghost: boolean): void {
        const thin = rodGeometry(0.55 * r);
        for (let i = 1; i < points.length; ++i) {
            const [from, to] = [points[i - 1], points[i]],
                piece = new Mesh(thin, surface(ROPE, ghost ? { ghost: 0.4 } : {}));
            piece.castShadow = this.shadows && !ghost;
            this.root.add(piece);
            this.ropes.push(piece);
            this.stretch(piece, from.body, from.at, to.body, to.at);
        }
    }

    private marker(body: number, at: number[], r: number): void {
        const profile = [new Vector2(0, -1.5 * r), new Vector2(0.8 * r, 0), new Vector2(0, 1.5 * r)];
        const facets = new LatheGeometry(profile, 4).toNonIndexed();
        facets.computeVertexNormals();
        const mesh = new Mesh(facets, surface(TRACE));
        mesh.position.copy(this.local(body, at));
        (body >= 0 ? this.bodies[body] : this.root).add(mesh);
        if (body < 0) return;
        const times = this.run.times,
            step = Math.max(1, Math.floor(times.length / 1500)),
            points: number[] = [];
        for (let k = 0; k < times.length; k += step) points.push(...this.point(body, at, times[k]).toArray());
        const ink = new Color(TRACE).toArray(),
            colours = points.map((_, k) => ink[k % 3]);
        const trace = new Line(
            new BufferGeometry()
                .setAttribute("position", new Float32BufferAttribute(points, 3))
                .setAttribute("color", new Float32BufferAttribute(colours, 3)),
            lineMaterial(0.45),
        );
        trace.frustumCulled = false;
        this.root.add(trace);
    }

    /** The axes of a body at its centre of mass, or of a joint. */
    frameOf(choice: Choice): Object3D | null {
        return choice.kind === "body"
            ? (this.bodies[choice.index] ?? null)
            : (this.meshes.get(`joint${choice.index}`)?.parent ?? null);
    }

    /** Colours of bodies; `show` brings them to their time. */
    colour(palette: Palette, time: number): void {
        this.palette = palette;
        this.paint(time);
    }

    private paint(time: number): void {
        if (!this.palette) return;
        const { palette } = this;
        for (const { mesh, body, own } of this.parts)
            paint(mesh, palette.plain ? own : palette.of(body, time));
        for (let i = 0; i < this.bodies.length; ++i) {
            if (this.dressed.has(i)) continue;
            const mesh = this.meshes.get(`body${i}`);
            if (mesh) paint(mesh, palette.of(i, time));
        }
    }

    show(time: number): void {
        if (this.palette?.moving) this.paint(time);
        const n = this.bodies.length;
        for (let i = 0; i < n; ++i) this.run.pose(i, time, this.bodies[i].position, this.bodies[i].quaternion);
        for (const move of this.dynamic) move(time);
    }
}
