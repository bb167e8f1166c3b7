// SPDX-License-Identifier: Apache-2.0
// What bodies, joints and signs are made of.  Materials of equal looks are one, and all that are opaque have one program:
// programs and materials are what costs time at the start of a page.
import { Color, DoubleSide, LineBasicMaterial, Material, Mesh, MeshBasicMaterial, MeshPhongMaterial, Plane, ShadowMaterial } from "three";

const GLOW = 0x2f6fd0; // of what is chosen

export interface Look {
    ghost?: number; // how much covers what lies behind: 1 all of it
    emissive?: number;
    whole?: boolean; // cuts leave it
}

const made = new Map<string, MeshPhongMaterial>();
const looks = new WeakMap<Mesh, Look>(); // of meshes that have glowed: their own
let cut: Plane[] | null = null;
const sectioned = { value: 0 }; // 1: back faces are those of a section

/** Back faces, seen where a body is cut open, have one flat colour: the section looks solid. */
function flatInside(shader: { uniforms: Record<string, unknown>; fragmentShader: string }): void {
    shader.uniforms.sectioned = sectioned;
    shader.fragmentShader = `uniform float sectioned;\n${shader.fragmentShader}`.replace(
        "#include <dithering_fragment>",
        `#include <dithering_fragment>
        if (sectioned > 0.5 && !gl_FrontFacing) gl_FragColor = linearToOutputTexel(vec4(0.55 * diffuse, opacity));`,
    );
}

/** A surface of a colour.  Physically based materials look alike here, and their programs are longer. */
export function surface(color: Color | number, { ghost, emissive, whole }: Look = {}): MeshPhongMaterial {
    const hex = typeof color === "number" ? color : color.getHex(),
        key = `${hex} ${ghost} ${emissive} ${whole}`;
    let material = made.get(key);
    if (!material) {
        material = new MeshPhongMaterial({
            color: hex,
            specular: 0x1d1d1d,
            shininess: 24,
            side: DoubleSide,
            transparent: ghost !== undefined,
            opacity: ghost ?? 1,
            depthWrite: ghost === undefined,
            emissive: emissive ?? 0,
        });
        material.clippingPlanes = whole ? null : cut;
        material.onBeforeCompile = flatInside;
        material.userData = { ghost, emissive, whole };
        made.set(key, material);
    }
    return material;
}

/** The colour of a mesh, whether it glows or not. */
export function paint(mesh: Mesh, color: Color | number): void {
    mesh.material = surface(color, (mesh.material as Material).userData as Look);
}

/** Lets a mesh glow, or not. */
export function glow(mesh: Mesh, on: boolean): void {
    const now = mesh.material as MeshPhongMaterial,
        own = looks.get(mesh) ?? (now.userData as Look);
    looks.set(mesh, own);
    mesh.material = surface(now.color, on ? { ...own, emissive: GLOW } : own);
}

/** What lies before these planes is not drawn. */
export function cutAway(planes: Plane[] | null): void {
    cut = planes;
    sectioned.value = planes ? 1 : 0;
    for (const m of made.values()) m.clippingPlanes = (m.userData as Look).whole ? null : planes;
}

/** Signs that are seen through bodies. */
export function signMaterial(color: number): MeshBasicMaterial {
    return new MeshBasicMaterial({ color, depthTest: false, transparent: true, opacity: 0.9, toneMapped: false });
}

/** Grid and traces; their points have colours. */
export function lineMaterial(opacity = 1): LineBasicMaterial {
    return new LineBasicMaterial({ vertexColors: true, toneMapped: false, transparent: true, opacity });
}

/** The floor, of which shadows are seen and nothing else. */
export function floorMaterial(): ShadowMaterial {
    return new ShadowMaterial({ opacity: 0.22 });
}
