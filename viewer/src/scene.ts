// SPDX-License-Identifier: Apache-2.0
// The view in three dimensions: camera, light, ground and what is chosen; the mechanisms in it are of mechanism.ts.
import {
    AxesHelper,
    Box3,
    Color,
    Group,
    LineSegments,
    Mesh,
    MeshPhongMaterial,
    Plane,
    PlaneGeometry,
    Quaternion,
    Raycaster,
    Vector2,
    Vector3,
} from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { Arrows } from "./arrows";
import { Colouring, Palette, palette } from "./colours";
import { Contacts } from "./contacts";
import type { Choice, Run } from "./data";
import { wanders } from "./data";
import { extent, middleOf } from "./extent";
import type { Extent } from "./extent";
import { gridOf } from "./ground";
import { Mechanism } from "./mechanism";
import { planesOf, plate } from "./planes";
import { Stage } from "./stage";
import { cutAway, floorMaterial, glow } from "./surfaces";

const SHADOWS = 2000; // bodies that cast shadows at most

export class View {
    readonly scene;
    readonly camera;
    readonly canvas: HTMLCanvasElement;
    readonly controls: OrbitControls;
    readonly mechanisms: Mechanism[] = [];
    private readonly axes = new AxesHelper(1); // of what is chosen: x red, y green, z blue
    private readonly up = new Vector3(0, 0, 1);
    private around: Extent;
    readonly forces: Arrows;
    readonly contacts: Contacts;
    readonly drifts: boolean; // nothing holds it to the ground: camera and ground go along
    private readonly moved = new Vector3(); // by how much the camera went along
    private follows = -1; // a body, or none
    private readonly seen = new Vector3(); // where that body was
    private readonly away = new Vector3();
    private readonly sun;
    private readonly sky;
    private readonly floor = new Group();
    private readonly plates = new Group();
    private grid: LineSegments | null = null;
    private chosen: Mesh[] = [];
    dirty = true;

    constructor(
        private readonly stage: Stage,
        runs: Run[],
    ) {
        ({ scene: this.scene, camera: this.camera, canvas: this.canvas, sun: this.sun, sky: this.sky } = stage);
        this.around = extent(runs, false);
        const held = (run: Run): boolean =>
            run.meta.planes.length > 0 || run.meta.joints.some((j) => j.a < 0 && !wanders(j));
        const grounded = runs.some(held);
        const near = grounded ? this.around : extent(runs, true);
        this.drifts = !grounded && this.around.size > 1.3 * near.size; // it flies away: the camera goes along
        if (this.drifts) this.around = near;
        const g = new Vector3().fromArray(runs[0].meta.gravity);
        if (g.length() > 0) this.up.copy(g).normalize().negate();
        runs.forEach((run, i) => {
            const m = new Mechanism(run, this.around.r, i > 0, run.meta.bodies.length <= SHADOWS);
            this.mechanisms.push(m);
            this.scene.add(m.root);
        });
        this.camera.up.copy(this.up);
        this.controls = new OrbitControls(this.camera, this.canvas);
        this.controls.addEventListener("change", () => {
            this.dirty = true;
        });
        const first = this.mechanisms[0];
        this.forces = new Arrows(
            runs[0],
            (b, p, t, to) => first.point(b, p, t, to),
            0.22 * this.around.size,
            0.8 * this.around.r,
        );
        this.contacts = new Contacts(runs[0], this.around.r);
        this.scene.add(this.forces.root, this.contacts.root);
        this.axes.setColors(0xe03131, 0x2f9e44, 0x1971c2).scale.setScalar(0.12 * this.around.size);
        this.light();
        this.fit();
        this.show(0);
        this.fit();
    }

    /** Sun, shadow and grid below the lowest point of the motion. */
    private light(): void {
        const { size, middle, low, high } = this.around;
        const side = this.sideways();
        this.sun.position
            .copy(middle)
            .addScaledVector(this.up, 1.6 * size)
            .addScaledVector(side, 0.7 * size)
            .addScaledVector(this.up.clone().cross(side), 0.5 * size);
        this.sun.target.position.copy(middle);
        this.sun.shadow.mapSize.set(2048, 2048);
        const c = this.sun.shadow.camera;
        c.left = c.bottom = -0.8 * size;
        c.right = c.top = 0.8 * size;
        c.near = 0.1 * size;
        c.far = 4 * size;
        this.sun.shadow.bias = -0.0004;
        this.sun.shadow.normalBias = 0.3 * this.around.r;
        this.sun.shadow.radius = 3;
        this.sky.position.copy(this.up);
        const heights = [low, high].map((v) => v.dot(this.up));
        const bottom = Math.min(
            ...heights,
            ...[0, 1, 2, 3, 4, 5, 6, 7].map((i) =>
                new Vector3(i & 1 ? low.x : high.x, i & 2 ? low.y : high.y, i & 4 ? low.z : high.z).dot(this.up),
            ),
        );
        let floor = bottom - 3 * this.around.r - 0.01 * size;
        for (const p of planesOf(this.mechanisms[0].run))
            if (p.normal.dot(this.up) > 1 - 1e-9 && p.point.dot(this.up) < bottom + 0.2 * size)
                floor = p.point.dot(this.up); // bodies touch it: it is the floor
            else this.plates.add(plate(p, middle, size));
        this.scene.add(this.plates);
        this.floor.position.copy(middle).addScaledVector(this.up, floor - middle.dot(this.up));
        this.floor.quaternion.setFromUnitVectors(new Vector3(0, 0, 1), this.up);
        const shadow = new Mesh(new PlaneGeometry(20 * size, 20 * size), floorMaterial());
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
        const run = this.mechanisms[0].run,
            q = new Quaternion(),
            p = new Vector3();
        let axis: Vector3 | null = null;
        for (const j of run.meta.joints) {
            if (["fixed", "prismatic", "distance", "point", "free"].includes(j.kind)) continue;
            if (!["revolute", "planar", "helical", "cylindrical"].includes(j.kind)) return null;
            const z = new Vector3(j.Ea[2], j.Ea[5], j.Ea[8]);
            if (j.a >= 0) (run.pose(j.a, 0, p, q), z.applyQuaternion(q));
            if (!axis) axis = z;
            else if (axis.clone().cross(z).length() > 1e-4) return null;
        }
        return axis;
    }

    /** The first camera: all of the motion, planar mechanisms nearly from the front, others from above at an angle. */
    fit(): void {
        const { middle, low, high } = this.around,
            side = this.sideways(),
            axis = this.planarAxis();
        const target = middle.clone().add(this.away);
        const direction = new Vector3();
        const front = this.up.clone().cross(side).negate(); // towards the viewer
        if (axis && Math.abs(axis.dot(this.up)) < 0.95) {
            if (axis.dot(front) + 0.5 * axis.dot(side) < 0) axis.negate();
            direction.copy(axis).addScaledVector(this.up, 0.3).addScaledVector(axis.clone().cross(this.up), -0.32);
        } else if (axis) direction.copy(this.up).addScaledVector(front, 0.75).addScaledVector(side, 0.2);
        else direction.copy(front).addScaledVector(side, 0.65).addScaledVector(this.up, 0.55);
        direction.normalize();
        const right = this.up.clone().cross(direction).normalize(),
            top = direction.clone().cross(right);
        const aspect = this.camera.aspect || 1.5,
            half = Math.tan((this.camera.fov * Math.PI) / 360),
            above = Math.min(52 / Math.max(this.canvas.clientHeight, 1), 0.25); // under the buttons
        let distance = 0;
        for (let i = 0; i < 8; ++i) {
            const v = new Vector3(i & 1 ? low.x : high.x, i & 2 ? low.y : high.y, i & 4 ? low.z : high.z).sub(middle);
            const wide = Math.abs(v.dot(right)) + 4 * this.around.r,
                tall = Math.abs(v.dot(top)) + 4 * this.around.r;
            distance = Math.max(distance, v.dot(direction) + Math.max(wide / (half * aspect), tall / (half * (1 - above))));
        }
        distance *= 1.08;
        target.addScaledVector(top, above * half * distance);
        this.camera.position.copy(target).addScaledVector(direction, distance);
        this.camera.near = distance / 500;
        this.camera.far = 100 * distance;
        this.camera.updateProjectionMatrix();
        this.controls.target.copy(target);
        this.controls.update();
        this.dirty = true;
    }

    /** Background, grid and light of a theme. */
    theme(dark: boolean): void {
        const back = new Color(dark ? 0x12161c : 0xf3f5f8);
        this.scene.background = back;
        if (this.grid) {
            this.floor.remove(this.grid);
            this.grid.geometry.dispose();
        }
        const made = gridOf(this.around.size, new Color(dark ? 0x3a4554 : 0xc3cad5), back);
        this.grid = made.lines;
        this.gridCell = made.cell;
        this.floor.add(this.grid);
        this.sky.intensity = dark ? 1.1 : 1.6;
        this.dirty = true;
    }
    gridCell = 1;

    show(time: number): void {
        for (const m of this.mechanisms) m.show(time);
        this.forces.show(time);
        this.contacts.show(time);
        this.moved.set(0, 0, 0);
        if (this.drifts) {
            const to = middleOf(this.mechanisms[0].run, time),
                by = to.clone().sub(this.away);
            for (const v of [
                this.camera.position,
                this.controls.target,
                this.sun.position,
                this.sun.target.position,
                this.floor.position,
            ])
                v.add(by);
            this.away.copy(to);
            this.moved.copy(by);
            if (this.grid) {
                // it stays where it is, in steps of its lines
                const shift = to.clone().applyQuaternion(this.floor.quaternion.clone().invert());
                this.grid.position.x = -(shift.x % this.gridCell);
                this.grid.position.y = -(shift.y % this.gridCell);
            }
            this.controls.update();
        }
        if (this.follows >= 0) {
            const to = new Vector3();
            this.mechanisms[0].run.pose(this.follows, time, to, new Quaternion());
            const by = to.clone().sub(this.seen).sub(this.moved);
            for (const v of [this.camera.position, this.controls.target]) v.add(by);
            this.seen.copy(to);
            this.controls.update();
        }
        this.dirty = true;
    }

    resize(): void {
        this.stage.resize();
        this.dirty = true;
    }

    draw(): void {
        if (!this.dirty) return;
        this.dirty = false;
        this.stage.renderer.render(this.scene, this.camera);
    }

    /** What is under a point of the canvas (pixels of the page). */
    pick(x: number, y: number): Choice | null {
        const box = this.canvas.getBoundingClientRect(),
            ray = new Raycaster();
        ray.setFromCamera(
            new Vector2((2 * (x - box.left)) / box.width - 1, 1 - (2 * (y - box.top)) / box.height),
            this.camera,
        );
        this.scene.updateMatrixWorld();
        for (const hit of ray.intersectObjects(
            this.mechanisms.map((m) => m.root),
            true,
        ))
            if (hit.object.userData.kind) return hit.object.userData as Choice;
        return null;
    }

    choose(choice: Choice | null): void {
        this.mark(choice ? [choice] : []);
        this.axes.removeFromParent();
        if (choice) this.mechanisms[choice.run]?.frameOf(choice)?.add(this.axes);
    }

    /** Lets bodies and joints shine. */
    mark(all: Choice[]): void {
        for (const mesh of this.chosen) glow(mesh, false);
        this.chosen = all.flatMap((c) => this.mechanisms[c.run]?.drawn(c) ?? []);
        for (const mesh of this.chosen) glow(mesh, true);
        this.dirty = true;
    }
    get marked(): number {
        return this.chosen.length;
    }

    /** Colours the bodies of all runs, each by its own numbers; the palette of the first one. */
    colour(by: Colouring, time: number): Palette {
        const all = this.mechanisms.map((m) => palette(m.run, by));
        this.mechanisms.forEach((m, i) => m.colour(all[i], time));
        this.dirty = true;
        return all[0];
    }

    arrows(on: boolean, time: number): void {
        this.forces.root.visible = on;
        this.forces.show(time);
        this.dirty = true;
    }

    /** Dots of contacts, and the shapes that touch. */
    touching(on: boolean): void {
        this.contacts.root.visible = on;
        for (const skin of this.mechanisms.flatMap((m) => m.skins)) skin.visible = on;
        this.dirty = true;
    }

    /** Deformations of flexible bodies times a factor. */
    exaggerate(factor: number, time: number): void {
        for (const m of this.mechanisms) m.exaggeration = factor;
        this.show(time);
    }

    /** The camera goes with a body from now on, or with none (-1). */
    follow(body: number, time: number): void {
        this.follows = body;
        if (body >= 0) this.mechanisms[0].run.pose(body, time, this.seen, new Quaternion());
    }

    /** Cuts away a part (0 to 1) of the scene; 0: nothing.  Along "near" what is nearest to the eye, along "x", "-x" and
     * so on what is at that end. */
    cut(part: number, along: string): void {
        if (along === "near") return this.cutNear(part);
        const sign = along.startsWith("-") ? -1 : 1,
            k = "xyz".indexOf(along.slice(-1)),
            normal = new Vector3().setComponent(k, sign),
            { low, high } = this.around,
            [far, near] = sign > 0 ? [low, high] : [high, low],
            at = near.clone().lerp(far, part).add(this.away).dot(normal);
        this.cutAt(part > 0 ? new Plane(normal.negate(), at + 1e-6 * this.around.size) : null);
    }

    private cutAt(plane: Plane | null): void {
        cutAway(plane ? [plane] : null);
        this.dirty = true;
    }

    private cutNear(part: number): void {
        const toEye = this.camera.position.clone().sub(this.controls.target).normalize();
        const middle = this.around.middle.clone().add(this.away).dot(toEye);
        const at = middle + (0.5 - part) * this.around.size * 1.2;
        this.cutAt(part > 0 ? new Plane(toEye.clone().negate(), at) : null);
    }

    /** Programs of the graphics card, for the test of the page. */
    get programs(): number {
        return this.stage.renderer.info.programs?.length ?? 0;
    }

    /** A pose as it is drawn: what the test of the page compares. */
    drawnPose(run: number, body: number): number[] {
        const g = this.mechanisms[run].bodies[body];
        return [...g.position.toArray(), g.quaternion.w, g.quaternion.x, g.quaternion.y, g.quaternion.z];
    }

    /** The colour of a body as it is drawn, for the test of the page. */
    drawnColour(run: number, body: number): string | null {
        const mesh = this.mechanisms[run].meshes.get(`body${body}`);
        return mesh ? (mesh.material as MeshPhongMaterial).color.getHexString() : null;
    }

    /** Ends of the pieces of tendons, for the test of the page. */
    drawnRopes(): number[][] {
        return this.mechanisms[0].ropes.map((m) => [
            ...m.position.toArray(),
            ...new Vector3(0, 0, m.scale.z).applyQuaternion(m.quaternion).add(m.position).toArray(),
        ]);
    }

    /** The boxes around curves on which joints keep points, for the test of the page. */
    drawnTracks(): { low: number[]; high: number[] }[] {
        this.scene.updateMatrixWorld();
        return this.mechanisms[0].tracks.map((mesh) => {
            const box = new Box3().expandByObject(mesh, true);
            return { low: box.min.toArray(), high: box.max.toArray() };
        });
    }

    /** Height of the floor, and plates of other planes, for the test of the page. */
    drawnPlanes(): { floor: number; plates: number } {
        return { floor: this.floor.position.dot(this.up), plates: this.plates.children.length };
    }

    /** The box around all that is drawn of a body, and its triangles, for the test of the page. */
    drawnBox(run: number, body: number): { low: number[]; high: number[]; triangles: number } {
        const box = new Box3(),
            all = this.mechanisms[run].drawn({ kind: "body", run, index: body });
        this.scene.updateMatrixWorld();
        for (const mesh of all) box.expandByObject(mesh, true);
        const triangles = all.reduce((n, m) => n + m.geometry.getAttribute("position").count / 3, 0);
        return { low: box.min.toArray(), high: box.max.toArray(), triangles };
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
