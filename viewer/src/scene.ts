// SPDX-License-Identifier: Apache-2.0
// The mechanism in three dimensions: bodies, joints by kind, loop joints ringed, springs, markers with traces, ground.
import {
    ACESFilmicToneMapping, BufferGeometry, Color, DirectionalLight, DoubleSide, Float32BufferAttribute, Group,
    HemisphereLight, LatheGeometry, Line, LineBasicMaterial, LineSegments, Matrix3, Matrix4, Mesh, MeshStandardMaterial,
    Object3D, PCFShadowMap, PerspectiveCamera, PlaneGeometry, Quaternion, Raycaster, Scene, ShadowMaterial,
    TorusGeometry, TubeGeometry, CatmullRomCurve3, Vector2, Vector3, WebGLRenderer,
} from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { bodyColour, bodyGeometry, corners, jointGeometry } from "./bodies";
import type { Joint, Run } from "./data";

export interface Choice { kind: "body" | "joint"; run: number; index: number }
const PLAIN = 200; // bodies from which on they have few triangles

/** The bodies and joints of one run. */
class Mechanism {
    readonly root = new Group();
    readonly bodies: Group[] = [];
    readonly meshes = new Map<string, Mesh>();
    private readonly dynamic: ((time: number) => void)[] = [];

    constructor(readonly run: Run, r: number, ghost: boolean) {
        const plain = run.meta.bodies.length > PLAIN;
        const ground = new Group();
        this.root.add(ground);
        run.meta.bodies.forEach((body, i) => {
            const group = new Group();
            this.bodies.push(group);
            this.root.add(group);
            const geometry = bodyGeometry(body, r, plain);
            if (!geometry) return;
            const material = new MeshStandardMaterial({
                color: bodyColour(i, body.shape), roughness: 0.55, metalness: 0.05, side: DoubleSide,
                transparent: ghost, opacity: ghost ? 0.28 : 1, depthWrite: !ghost,
            });
            this.add(group, new Mesh(geometry, material), "body", i, ghost);
        });
        this.flexible(r, ghost);
        if (!ghost && run.meta.joints.length <= 4000) run.meta.joints.forEach((joint, i) => this.joint(joint, i, ground, r, plain));
        run.meta.springs.forEach((s) => this.spring(s.a, s.pa, s.b, s.pb, r, ghost));
        if (!ghost) run.meta.markers.forEach((m) => this.marker(m.body, m.position, r));
    }

    private add(to: Object3D, mesh: Mesh, kind: Choice["kind"], index: number, ghost = false): void {
        mesh.castShadow = !ghost;
        mesh.receiveShadow = !ghost;
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
        if (joint.kind === "free") return;
        if (joint.kind === "distance") {
            const line = new Line(new BufferGeometry().setAttribute("position", new Float32BufferAttribute(6, 3)),
                new LineBasicMaterial({ color: 0x8a94a3 }));
            line.frustumCulled = false;
            this.root.add(line);
            this.dynamic.push((t) => {
                const p = this.point(joint.a, joint.pa, t), q = this.point(joint.b, joint.pb, t);
                line.geometry.setAttribute("position", new Float32BufferAttribute([p.x, p.y, p.z, q.x, q.y, q.z], 3));
            });
            return;
        }
        const geometry = jointGeometry(joint.kind, r, plain);
        if (!geometry) return;
        const flexible = joint.a >= 0 && joint.b >= 0 && this.run.meta.bodies[joint.a].flexible === true; // its frame is elsewhere
        const body = flexible ? joint.b : joint.a;
        const on = body >= 0 ? this.bodies[body] : ground;
        const E = new Matrix3().set(...((flexible ? joint.Eb : joint.Ea) as [number, number, number, number, number, number, number, number, number]));
        const holder = new Group();
        holder.applyMatrix4(new Matrix4().setFromMatrix3(E));
        holder.position.copy(this.local(body, flexible ? joint.pb : joint.pa));
        on.add(holder);
        const fixed = joint.a < 0 || joint.b < 0;
        const material = new MeshStandardMaterial({ color: fixed ? 0x5d6776 : 0xa3adba, roughness: 0.5, metalness: 0.1 });
        this.add(holder, new Mesh(geometry, material), "joint", i);
        if (joint.loop) {
            const ring = new Mesh(new TorusGeometry(2.3 * r, 0.32 * r, 10, plain ? 16 : 40),
                new MeshStandardMaterial({ color: 0xe8590c, roughness: 0.5, emissive: 0x7a2c00, emissiveIntensity: 0.4 }));
            ring.userData = { kind: "joint", index: i, run: this.run.number };
            holder.add(ring);
        }
    }

    /** A flexible body is a tube through its nodes, tangent to their axes as the undeformed chord was. */
    private flexible(r: number, ghost: boolean): void {
        this.run.meta.bodies.forEach((body, i) => {
            if (!body.flexible) return;
            const stations: ((time: number) => { p: Vector3; q: Quaternion })[] = [];
            this.run.meta.bodies.forEach((b, k) => {
                if (b.node_of === i) stations.push((t) => { const p = new Vector3(), q = new Quaternion(); this.run.pose(k, t, p, q); return { p, q }; });
            });
            for (const j of this.run.meta.joints) { // joints on its frame, at their points on the other body
                const other = j.a === i ? j.b : j.b === i ? j.a : i, at = j.a === i ? j.pb : j.pa;
                if (other === i || j.kind === "free" || j.kind === "distance" || (other >= 0 && this.run.meta.bodies[other].flexible)) continue;
                stations.push((t) => { const p = new Vector3(), q = new Quaternion(); this.run.pose(i, t, p, q); return { p: this.point(other, at, t), q }; });
            }
            const first = stations.map((at) => ({ at, ...at(0) }));
            const start = first.filter((s, k) => !first.slice(0, k).some((o) => o.p.distanceTo(s.p) < r));
            if (start.length < 2) return;
            let far = start[0];
            for (const s of start) if (s.p.distanceTo(start[0].p) > far.p.distanceTo(start[0].p)) far = s;
            const chord = far.p.clone().sub(start[0].p).normalize();
            start.sort((a, b) => a.p.dot(chord) - b.p.dot(chord));
            const axis = start.map((s) => chord.clone().applyQuaternion(s.q.clone().invert()));
            const tube = new Mesh(new BufferGeometry(), new MeshStandardMaterial({
                color: bodyColour(i), roughness: 0.55, side: DoubleSide, transparent: ghost, opacity: ghost ? 0.28 : 1 }));
            tube.frustumCulled = false;
            this.add(this.root, tube, "body", i, ghost);
            this.dynamic.push((time) => {
                const points: Vector3[] = [];
                const now = start.map((s, j) => {
                    const { p, q } = s.at(time);
                    return { p, d: axis[j].clone().applyQuaternion(q) };
                });
                for (let j = 0; j + 1 < now.length; ++j) {
                    const a = now[j], b = now[j + 1], length = a.p.distanceTo(b.p);
                    for (let s = 0; s < 8; ++s) { // cubic with the tangents of the nodes
                        const f = s / 8, f2 = f * f, f3 = f2 * f;
                        points.push(new Vector3().addScaledVector(a.p, 2 * f3 - 3 * f2 + 1).addScaledVector(a.d, length * (f3 - 2 * f2 + f))
                            .addScaledVector(b.p, 3 * f2 - 2 * f3).addScaledVector(b.d, length * (f3 - f2)));
                    }
                }
                points.push(now[now.length - 1].p);
                tube.geometry.dispose();
                tube.geometry = new TubeGeometry(new CatmullRomCurve3(points), Math.min(4 * points.length, 160), 0.8 * r, 10);
            });
        });
    }

    private spring(a: number, pa: number[], b: number, pb: number[], r: number, ghost: boolean): void {
        const turns = 9, steps = 14 * turns, position = new Float32Array(3 * (steps + 1));
        const geometry = new BufferGeometry().setAttribute("position", new Float32BufferAttribute(position, 3));
        const line = new Line(geometry, new LineBasicMaterial({ color: 0x7d8796, transparent: ghost, opacity: ghost ? 0.4 : 1 }));
        line.frustumCulled = false;
        this.root.add(line);
        this.dynamic.push((time) => {
            const p = this.point(a, pa, time), d = this.point(b, pb, time).sub(p), attribute = line.geometry.getAttribute("position");
            const z = d.clone().normalize(), x = new Vector3(Math.abs(z.x) < 0.7 ? 1 : 0, Math.abs(z.x) < 0.7 ? 0 : 1, 0).cross(z).normalize();
            const y = z.clone().cross(x);
            for (let i = 0; i <= steps; ++i) {
                const f = i / steps, w = 2 * Math.PI * turns * f, wide = f < 0.08 || f > 0.92 ? 0 : 1.3 * r;
                const v = p.clone().addScaledVector(d, f).addScaledVector(x, wide * Math.cos(w)).addScaledVector(y, wide * Math.sin(w));
                attribute.setXYZ(i, v.x, v.y, v.z);
            }
            attribute.needsUpdate = true;
        });
    }

    private marker(body: number, at: number[], r: number): void {
        const profile = [new Vector2(0, -1.5 * r), new Vector2(0.8 * r, 0), new Vector2(0, 1.5 * r)];
        const mesh = new Mesh(new LatheGeometry(profile, 4), new MeshStandardMaterial({ color: 0xc92a2a, flatShading: true }));
        mesh.position.copy(this.local(body, at));
        (body >= 0 ? this.bodies[body] : this.root).add(mesh);
        if (body < 0) return;
        const times = this.run.times, step = Math.max(1, Math.floor(times.length / 1500)), points: number[] = [];
        for (let k = 0; k < times.length; k += step) points.push(...this.point(body, at, times[k]).toArray());
        const trace = new Line(new BufferGeometry().setAttribute("position", new Float32BufferAttribute(points, 3)),
            new LineBasicMaterial({ color: 0xc92a2a, transparent: true, opacity: 0.45 }));
        trace.frustumCulled = false;
        this.root.add(trace);
    }

    show(time: number): void {
        const n = this.bodies.length;
        for (let i = 0; i < n; ++i) this.run.pose(i, time, this.bodies[i].position, this.bodies[i].quaternion);
        for (const move of this.dynamic) move(time);
    }
}

/** The middle of the bodies, by mass. */
function middleOf(run: Run, time: number): Vector3 {
    const sum = new Vector3(), p = new Vector3(), q = new Quaternion(), n = run.meta.bodies.length, step = Math.max(1, Math.floor(n / 400));
    let mass = 0;
    for (let i = 0; i < n; i += step) {
        const m = Math.max(run.meta.bodies[i].mass, 1e-12);
        run.pose(i, time, p, q);
        sum.addScaledVector(p, m), mass += m;
    }
    return mass > 0 ? sum.divideScalar(mass) : sum;
}

interface Extent { low: Vector3; high: Vector3; middle: Vector3; size: number; r: number }

/** Where the corners of all bodies are over the run; single far ones do not count. */
function extent(runs: Run[], follow: boolean): Extent {
    const values: number[][] = [[], [], []], lengths: number[] = [];
    const p = new Vector3(), q = new Quaternion();
    for (const run of runs) {
        const n = run.meta.bodies.length, stepBody = Math.max(1, Math.floor(n / 400)), frames = Math.min(40, run.times.length);
        const local = run.meta.bodies.map((b) => (b.shape ? [] : corners(b)));
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
                const own = local[i].length ? local[i] : [new Vector3()];
                const half = run.meta.bodies[i].shape ? Math.max(...run.meta.bodies[i].shape!.size) / 2 : 0;
                for (const c of own) {
                    const v = c.clone().applyQuaternion(q).add(p);
                    values[0].push(v.x - half, v.x + half), values[1].push(v.y - half, v.y + half), values[2].push(v.z - half, v.z + half);
                }
            }
        }
        for (const j of run.meta.joints)
            if (j.a < 0 && j.kind !== "free") j.pa.forEach((x, k) => values[k].push(x));
    }
    const low = new Vector3(), high = new Vector3();
    values.forEach((v, k) => {
        v.sort((a, b) => a - b);
        const n = v.length - 1, most = n < 0 ? 2 : v[Math.ceil(0.99 * n)] - v[Math.floor(0.01 * n)];
        const all = n < 0 || v[n] - v[0] <= 2 * most || most === 0;
        low.setComponent(k, n < 0 ? -1 : all ? v[0] : v[Math.floor(0.01 * n)]);
        high.setComponent(k, n < 0 ? 1 : all ? v[n] : v[Math.ceil(0.99 * n)]);
    });
    const size = Math.max(high.distanceTo(low), 1e-6);
    lengths.sort((a, b) => a - b);
    const typical = lengths.filter((x) => x > 1e-9);
    const length = typical.length ? typical[Math.floor(typical.length / 2)] : size / 5;
    return { low, high, middle: low.clone().add(high).multiplyScalar(0.5), size, r: Math.min(Math.max(0.055 * length, 0.003 * size), 0.016 * size) };
}

export class View {
    readonly scene = new Scene();
    readonly camera = new PerspectiveCamera(32, 1, 0.01, 1000);
    readonly controls: OrbitControls;
    readonly mechanisms: Mechanism[] = [];
    private readonly renderer: WebGLRenderer;
    private readonly up = new Vector3(0, 0, 1);
    private around: Extent;
    readonly follows: boolean;
    private readonly away = new Vector3();
    private readonly sun = new DirectionalLight(0xffffff, 2.2);
    private readonly sky = new HemisphereLight(0xffffff, 0xb0b6c0, 1.5);
    private readonly floor = new Group();
    private grid: LineSegments | null = null;
    private chosen: Mesh[] = [];
    dirty = true;

    constructor(readonly canvas: HTMLCanvasElement, runs: Run[]) {
        this.renderer = new WebGLRenderer({ canvas, antialias: true, preserveDrawingBuffer: true });
        this.renderer.shadowMap.enabled = runs[0].meta.bodies.length <= 2000;
        this.renderer.shadowMap.type = PCFShadowMap;
        this.renderer.toneMapping = ACESFilmicToneMapping;
        this.around = extent(runs, false);
        const grounded = runs.some((run) => run.meta.joints.some((j) => j.a < 0 && j.kind !== "free"));
        const near = grounded ? this.around : extent(runs, true);
        this.follows = !grounded && this.around.size > 2.5 * near.size; // it flies away: the camera goes along
        if (this.follows) this.around = near;
        const g = new Vector3().fromArray(runs[0].meta.gravity);
        if (g.length() > 0) this.up.copy(g).normalize().negate();
        runs.forEach((run, i) => {
            const m = new Mechanism(run, this.around.r, i > 0);
            this.mechanisms.push(m);
            this.scene.add(m.root);
        });
        this.camera.up.copy(this.up);
        this.controls = new OrbitControls(this.camera, canvas);
        this.controls.addEventListener("change", () => { this.dirty = true; });
        this.light();
        this.fit();
        this.show(0);
        this.fit();
    }

    /** Sun, shadow and grid below the lowest point of the motion. */
    private light(): void {
        const { size, middle, low, high } = this.around;
        const side = this.sideways();
        this.sun.position.copy(middle).addScaledVector(this.up, 1.6 * size).addScaledVector(side, 0.7 * size)
            .addScaledVector(this.up.clone().cross(side), 0.5 * size);
        this.sun.target.position.copy(middle);
        this.sun.castShadow = true;
        this.sun.shadow.mapSize.set(2048, 2048);
        const c = this.sun.shadow.camera;
        c.left = c.bottom = -0.8 * size, c.right = c.top = 0.8 * size, c.near = 0.1 * size, c.far = 4 * size;
        this.sun.shadow.bias = -0.0004;
        this.sun.shadow.normalBias = 0.3 * this.around.r;
        this.sky.position.copy(this.up);
        const fill = new DirectionalLight(0xffffff, 0.9); // from the eye: no face is black
        this.camera.add(fill);
        fill.position.set(0.3, 0.2, 1);
        this.scene.add(this.sun, this.sun.target, this.sky, this.camera);
        const heights = [low, high].map((v) => v.dot(this.up));
        const bottom = Math.min(...heights, ...[0, 1, 2, 3, 4, 5, 6, 7].map((i) =>
            new Vector3(i & 1 ? low.x : high.x, i & 2 ? low.y : high.y, i & 4 ? low.z : high.z).dot(this.up)));
        this.floor.position.copy(middle).addScaledVector(this.up, bottom - middle.dot(this.up) - 3 * this.around.r - 0.01 * size);
        this.floor.quaternion.setFromUnitVectors(new Vector3(0, 0, 1), this.up);
        const shadow = new Mesh(new PlaneGeometry(20 * size, 20 * size), new ShadowMaterial({ opacity: 0.22 }));
        shadow.receiveShadow = true;
        this.floor.add(shadow);
        this.scene.add(this.floor);
    }

    private sideways(): Vector3 {
        const x = Math.abs(this.up.x) > 0.9 ? new Vector3(0, 0, 1) : new Vector3(1, 0, 0);
        return x.sub(this.up.clone().multiplyScalar(x.dot(this.up))).normalize();
    }

    /** The common axis of the joints that turn: planar mechanisms are seen along it. */
    private planarAxis(): Vector3 | null {
        const run = this.mechanisms[0].run, q = new Quaternion(), p = new Vector3();
        let axis: Vector3 | null = null;
        for (const j of run.meta.joints) {
            if (["fixed", "prismatic", "distance", "point", "free"].includes(j.kind)) continue;
            if (!["revolute", "planar", "helical", "cylindrical"].includes(j.kind)) return null;
            const z = new Vector3(j.Ea[2], j.Ea[5], j.Ea[8]);
            if (j.a >= 0) run.pose(j.a, 0, p, q), z.applyQuaternion(q);
            if (!axis) axis = z;
            else if (axis.clone().cross(z).length() > 1e-4) return null;
        }
        return axis;
    }

    /** The first camera: all of the motion, planar mechanisms nearly from the front, others from above at an angle. */
    fit(): void {
        const { middle, low, high } = this.around, side = this.sideways(), axis = this.planarAxis();
        const target = middle.clone().add(this.away);
        const direction = new Vector3();
        const front = this.up.clone().cross(side).negate(); // towards the viewer
        if (axis && Math.abs(axis.dot(this.up)) < 0.95) {
            if (axis.dot(front) + 0.5 * axis.dot(side) < 0) axis.negate();
            direction.copy(axis).addScaledVector(this.up, 0.3).addScaledVector(axis.clone().cross(this.up), -0.32);
        } else if (axis)
            direction.copy(this.up).addScaledVector(front, 0.75).addScaledVector(side, 0.2);
        else
            direction.copy(front).addScaledVector(side, 0.65).addScaledVector(this.up, 0.55);
        direction.normalize();
        const right = this.up.clone().cross(direction).normalize(), top = direction.clone().cross(right);
        const aspect = this.camera.aspect || 1.5, half = Math.tan((this.camera.fov * Math.PI) / 360);
        let distance = 0;
        for (let i = 0; i < 8; ++i) {
            const v = new Vector3(i & 1 ? low.x : high.x, i & 2 ? low.y : high.y, i & 4 ? low.z : high.z).sub(middle);
            const wide = Math.abs(v.dot(right)) + 4 * this.around.r, tall = Math.abs(v.dot(top)) + 4 * this.around.r;
            distance = Math.max(distance, v.dot(direction) + Math.max(wide / (half * aspect), tall / half));
        }
        distance *= 1.08;
        this.camera.position.copy(target).addScaledVector(direction, distance);
        this.camera.near = distance / 500, this.camera.far = 100 * distance;
        this.camera.updateProjectionMatrix();
        this.controls.target.copy(target);
        this.controls.update();
        this.dirty = true;
    }

    /** Background, grid and light of a theme. */
    theme(dark: boolean): void {
        const back = new Color(dark ? 0x12161c : 0xf3f5f8);
        this.scene.background = back;
        if (this.grid) this.floor.remove(this.grid), this.grid.geometry.dispose();
        const size = this.around.size, ten = 10 ** Math.floor(Math.log10(size / 6)), rough = size / 6 / ten;
        const cell = ten * (rough < 2 ? 1 : rough < 5 ? 2 : 5), n = Math.ceil((2.2 * size) / cell), position: number[] = [], colour: number[] = [];
        const ink = new Color(dark ? 0x3a4554 : 0xc3cad5);
        for (let i = -n; i <= n; ++i) // lines that fade into the background
            for (const across of [false, true])
                for (let k = -n; k < n; ++k) {
                    const a = [i * cell, k * cell], b = [i * cell, (k + 1) * cell];
                    for (const [x, y] of [a, b]) {
                        position.push(...(across ? [y, x, 0] : [x, y, 0]));
                        const fade = Math.min(1, Math.hypot(x, y) / (n * cell));
                        colour.push(...ink.clone().lerp(back, fade * fade).toArray());
                    }
                }
        const g = new BufferGeometry().setAttribute("position", new Float32BufferAttribute(position, 3)).setAttribute("color", new Float32BufferAttribute(colour, 3));
        this.grid = new LineSegments(g, new LineBasicMaterial({ vertexColors: true, toneMapped: false }));
        this.grid.position.z = -0.002 * size;
        this.floor.add(this.grid);
        this.sky.intensity = dark ? 1.1 : 1.6;
        this.gridCell = cell;
        this.dirty = true;
    }
    gridCell = 1;

    show(time: number): void {
        for (const m of this.mechanisms) m.show(time);
        if (this.follows) {
            const to = middleOf(this.mechanisms[0].run, time), by = to.clone().sub(this.away);
            for (const v of [this.camera.position, this.controls.target, this.sun.position, this.sun.target.position, this.floor.position]) v.add(by);
            this.away.copy(to);
            if (this.grid) { // it stays where it is, in steps of its lines
                const shift = to.clone().applyQuaternion(this.floor.quaternion.clone().invert());
                this.grid.position.x = -(shift.x % this.gridCell), this.grid.position.y = -(shift.y % this.gridCell);
            }
            this.controls.update();
        }
        this.dirty = true;
    }

    resize(): void {
        const wide = this.canvas.clientWidth, high = this.canvas.clientHeight;
        if (wide === 0 || high === 0) return;
        this.renderer.setPixelRatio(Math.min(window.devicePixelRatio || 1, 2));
        this.renderer.setSize(wide, high, false);
        this.camera.aspect = wide / high;
        this.camera.updateProjectionMatrix();
        this.dirty = true;
    }

    draw(): void {
        if (!this.dirty) return;
        this.dirty = false;
        this.renderer.render(this.scene, this.camera);
    }

    /** What is under a point of the canvas (pixels of the page). */
    pick(x: number, y: number): Choice | null {
        const box = this.canvas.getBoundingClientRect(), ray = new Raycaster();
        ray.setFromCamera(new Vector2((2 * (x - box.left)) / box.width - 1, 1 - (2 * (y - box.top)) / box.height), this.camera);
        this.scene.updateMatrixWorld();
        for (const hit of ray.intersectObjects(this.mechanisms.map((m) => m.root), true))
            if (hit.object.userData.kind) return hit.object.userData as Choice;
        return null;
    }

    choose(choice: Choice | null): void {
        for (const mesh of this.chosen) (mesh.material as MeshStandardMaterial).emissive.setHex(0);
        this.chosen = [];
        const mesh = choice && this.mechanisms[choice.run]?.meshes.get(choice.kind + choice.index);
        if (mesh) {
            (mesh.material as MeshStandardMaterial).emissive.setHex(0x2f6fd0);
            this.chosen.push(mesh);
        }
        this.dirty = true;
    }

    /** A pose as it is drawn: what the test of the page compares. */
    drawnPose(run: number, body: number): number[] {
        const g = this.mechanisms[run].bodies[body];
        return [...g.position.toArray(), g.quaternion.w, g.quaternion.x, g.quaternion.y, g.quaternion.z];
    }

    /** A point of the page (pixels) where a body or joint is drawn. */
    pixelOf(choice: Choice): [number, number] | null {
        const mesh = this.mechanisms[choice.run]?.meshes.get(choice.kind + choice.index);
        if (!mesh) return null;
        mesh.geometry.computeBoundingBox();
        const at = mesh.geometry.boundingBox!.getCenter(new Vector3());
        this.scene.updateMatrixWorld();
        this.camera.updateMatrixWorld();
        at.applyMatrix4(mesh.matrixWorld).project(this.camera);
        const box = this.canvas.getBoundingClientRect();
        return [box.left + ((at.x + 1) / 2) * box.width, box.top + ((1 - at.y) / 2) * box.height];
    }

    png(): string {
        this.dirty = true;
        this.draw();
        return this.canvas.toDataURL("image/png");
    }
}
