// SPDX-License-Identifier: Apache-2.0
// What a body looks like: its shape, or rods and plates between its joints and markers.  In body axes from the centre
// of mass.
import {
    BoxGeometry,
    BufferGeometry,
    CapsuleGeometry,
    Color,
    CylinderGeometry,
    Float32BufferAttribute,
    Matrix4,
    Quaternion,
    SphereGeometry,
    Vector3,
} from "three";
import { mergeGeometries } from "three/examples/jsm/utils/BufferGeometryUtils.js";
import { creased } from "./creases";
import type { Body, Shape } from "./data";

const Y = new Vector3(0, 1, 0),
    Z = new Vector3(0, 0, 1);
const palette = ["#4c8bf5", "#e8a33d", "#45b08c", "#d4607c", "#8f7bd9", "#5fb3ce", "#b5964f", "#7fa650"];

export function bodyColour(i: number, shape?: Shape): Color {
    if (shape?.colour) return new Color().setRGB(shape.colour[0], shape.colour[1], shape.colour[2], "srgb");
    return new Color(palette[i % palette.length]);
}

export function rod(from: Vector3, to: Vector3, radius: number, sides = 14): BufferGeometry {
    const d = to.clone().sub(from),
        length = d.length();
    if (length < 1e-9 * radius) return new SphereGeometry(radius, sides, 8).translate(from.x, from.y, from.z);
    const g = new CapsuleGeometry(radius, length, 4, sides);
    const turn = new Quaternion().setFromUnitVectors(Y, d.normalize());
    return g.applyMatrix4(
        new Matrix4().compose(from.clone().add(to).multiplyScalar(0.5), turn, new Vector3(1, 1, 1)),
    );
}

export function shapeGeometry(s: Shape, com: Vector3): BufferGeometry {
    const [a, b, c] = s.size;
    const g =
        s.points && s.corners
            ? creased(Float32Array.from(s.points), Uint32Array.from(s.corners))
            : s.kind === "box"
            ? new BoxGeometry(a, b, c)
            : s.kind === "sphere"
              ? new SphereGeometry(a, 64, 40)
              : s.kind === "cylinder"
                ? new CylinderGeometry(a, a, b, 36)
                : new CapsuleGeometry(a, b, 10, 28);
    if (s.kind === "cylinder" || s.kind === "capsule") g.rotateX(Math.PI / 2); // along z
    const [w, x, y, z] = s.orientation;
    const at = new Vector3().fromArray(s.at).sub(com);
    return g.applyMatrix4(new Matrix4().compose(at, new Quaternion(x, y, z, w), new Vector3(1, 1, 1)));
}

/** Joint points and markers without repetitions. */
export function corners(body: Body): Vector3[] {
    const com = new Vector3().fromArray(body.com),
        found: Vector3[] = [];
    for (let i = 0; i + 2 < body.points.length; i += 3) {
        const p = new Vector3().fromArray(body.points, i).sub(com);
        if (!found.some((q) => q.distanceTo(p) < 1e-6 * (1 + p.length()))) found.push(p);
    }
    return found;
}

/** The corners in the order of their angle about their middle, if they lie in a plane; else null. */
function polygon(points: Vector3[]): Vector3[] | null {
    const middle = points.reduce((s, p) => s.add(p), new Vector3()).divideScalar(points.length);
    const normal = new Vector3(),
        size = Math.max(...points.map((p) => p.distanceTo(middle)));
    for (const p of points)
        for (const q of points) {
            const n = p.clone().sub(middle).cross(q.clone().sub(middle));
            if (n.length() > normal.length()) normal.copy(n);
        }
    if (normal.length() < 1e-3 * size * size) return null;
    normal.normalize();
    if (points.some((p) => Math.abs(p.clone().sub(middle).dot(normal)) > 0.02 * size)) return null;
    const x = points[0].clone().sub(middle).projectOnPlane(normal).normalize();
    if (x.length() < 0.5) return null;
    const y = normal.clone().cross(x);
    const angle = (p: Vector3) => Math.atan2(p.clone().sub(middle).dot(y), p.clone().sub(middle).dot(x));
    return points.slice().sort((p, q) => angle(p) - angle(q));
}

function plate(points: Vector3[], thickness: number): BufferGeometry {
    const ring = points,
        n = ring.length;
    const normal = ring[1]
        .clone()
        .sub(ring[0])
        .cross(ring[2].clone().sub(ring[0]))
        .normalize()
        .multiplyScalar(thickness / 2);
    const middle = ring.reduce((s, p) => s.add(p), new Vector3()).divideScalar(n);
    const position: number[] = [];
    for (let side = -1; side <= 1; side += 2)
        for (let i = 0; i < n; ++i) {
            const p = ring[i].clone().addScaledVector(normal, side),
                q = ring[(i + 1) % n].clone().addScaledVector(normal, side);
            const m = middle.clone().addScaledVector(normal, side);
            for (const v of side > 0 ? [m, p, q] : [m, q, p]) position.push(v.x, v.y, v.z);
        }
    const g = new BufferGeometry().setAttribute("position", new Float32BufferAttribute(position, 3));
    g.computeVertexNormals();
    return g;
}

/** A straight body with its centre of mass at an end has a ball there; where it lies beyond, also a rod to it. */
function beyond(ends: Vector3[], r: number, plain: boolean): BufferGeometry[] {
    const [p, q] = ends,
        d = q.clone().sub(p),
        f = -p.dot(d) / d.lengthSq();
    if (f > 0.02 && f < 0.98) return [];
    const parts: BufferGeometry[] = [new SphereGeometry(2 * r, plain ? 10 : 24, 12)];
    if (f < -0.02 || f > 1.02) parts.push(rod(f < 0 ? p : q, new Vector3(), 0.6 * r, plain ? 6 : 16));
    return parts;
}

/** A body that nothing holds: a ball with three axes, so that it is seen to turn. */
function alone(r: number, plain: boolean): BufferGeometry[] {
    const sides = plain ? 6 : 16,
        axes = [new Vector3(1, 0, 0), Y, Z].map((axis, i) => {
            const end = axis.clone().multiplyScalar((3.4 - 0.5 * i) * r);
            return rod(end.clone().negate(), end, 0.35 * r, sides);
        });
    return [new SphereGeometry(1.6 * r, plain ? 10 : 48, plain ? 6 : 32), ...axes];
}

/** Geometries that bodies and joints alike share: a chain of thousands has a few. */
const made = new Map<string, BufferGeometry | null>();
function once(key: string, make: () => BufferGeometry | null): BufferGeometry | null {
    if (!made.has(key)) made.set(key, make());
    return made.get(key)!;
}

/** Rods of radius r; `plain`: few triangles, for large models. */
export function bodyGeometry(body: Body, r: number, plain: boolean): BufferGeometry | null {
    const { shape, com, points, flexible, node_of } = body;
    return once(JSON.stringify([shape, com, points, flexible, node_of !== undefined, r, plain]), () =>
        makeBody(body, r, plain),
    );
}

function makeBody(body: Body, r: number, plain: boolean): BufferGeometry | null {
    const com = new Vector3().fromArray(body.com),
        sides = plain ? 6 : 16;
    if (body.shape) return shapeGeometry(body.shape, com);
    if (body.flexible || body.node_of !== undefined) return null; // a line through the nodes: scene.ts
    const points = corners(body),
        origin = new Vector3();
    const parts: BufferGeometry[] = [];
    if (points.length === 0) parts.push(...alone(r, plain));
    else if (points.length === 1) {
        const far = points[0].length() > 0.5 * r;
        if (far) parts.push(rod(points[0], origin, 0.6 * r, sides));
        parts.push(new SphereGeometry(far ? 2 * r : 2.2 * r, plain ? 10 : 24, plain ? 6 : 16));
    } else if (points.length === 2) parts.push(rod(points[0], points[1], r, sides), ...beyond(points, r, plain));
    else {
        const ring = polygon(points);
        if (ring) {
            ring.forEach((p, i) => parts.push(rod(p, ring[(i + 1) % ring.length], 0.8 * r, sides)));
            parts.push(plate(ring, 0.7 * r));
        } else {
            const line = points.slice().sort((p, q) => q.distanceTo(points[0]) - p.distanceTo(points[0]))[0];
            const dir = line.clone().sub(points[0]).normalize();
            const straight = points.every(
                (p) => p.clone().sub(points[0]).cross(dir).length() < 0.02 * line.distanceTo(points[0]),
            );
            if (straight) {
                const along = points.slice().sort((p, q) => p.dot(dir) - q.dot(dir));
                const ends = [along[0], along[along.length - 1]];
                parts.push(rod(ends[0], ends[1], r, sides), ...beyond(ends, r, plain));
            } else {
                const middle = points.reduce((s, p) => s.add(p), new Vector3()).divideScalar(points.length);
                points.forEach((p) => parts.push(rod(middle, p, 0.8 * r, sides)));
                parts.push(new SphereGeometry(1.3 * r, 16, 10).translate(middle.x, middle.y, middle.z));
            }
        }
    }
    const flat = parts.map((g) => {
        const h = g.index ? g.toNonIndexed() : g;
        h.deleteAttribute("uv");
        return h;
    });
    return mergeGeometries(flat);
}

/** A line of small parts that mark a joint of a kind, along z; in joint axes. */
export function jointGeometry(kind: string, r: number, plain: boolean): BufferGeometry | null {
    return once(`${kind} ${r} ${plain}`, () => makeJoint(kind, r, plain));
}

function makeJoint(kind: string, r: number, plain: boolean): BufferGeometry | null {
    const n = plain ? 8 : 20,
        cylinder = (radius: number, length: number, axis = Z) => {
            const g = new CylinderGeometry(radius, radius, length, n);
            return g.applyQuaternion(new Quaternion().setFromUnitVectors(Y, axis));
        };
    const parts: BufferGeometry[] =
        kind === "revolute"
            ? [cylinder(1.35 * r, 3 * r)]
            : kind === "prismatic"
              ? [new BoxGeometry(2.6 * r, 2.6 * r, 5 * r)]
              : kind === "helical"
                ? [
                      cylinder(1.2 * r, 4 * r),
                      cylinder(1.7 * r, 0.6 * r),
                      cylinder(1.7 * r, 0.6 * r).translate(0, 0, 1.2 * r),
                      cylinder(1.7 * r, 0.6 * r).translate(0, 0, -1.2 * r),
                  ]
                : kind === "cylindrical"
                  ? [cylinder(1.4 * r, 5 * r), cylinder(1.9 * r, 0.9 * r)]
                  : kind === "universal"
                    ? [cylinder(0.8 * r, 4 * r, new Vector3(1, 0, 0)), cylinder(0.8 * r, 4 * r, Y)]
                    : kind === "planar"
                      ? [new BoxGeometry(5 * r, 5 * r, 0.5 * r)]
                      : kind === "spherical" || kind === "point"
                        ? [new SphereGeometry(1.7 * r, n, n / 2)]
                        : kind === "fixed"
                          ? [new BoxGeometry(2.2 * r, 2.2 * r, 2.2 * r)]
                          : [];
    if (parts.length === 0) return null;
    return mergeGeometries(
        parts.map((g) => {
            const h = g.index ? g.toNonIndexed() : g;
            h.deleteAttribute("uv");
            return h;
        }),
    );
}
