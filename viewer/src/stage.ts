// SPDX-License-Identifier: Apache-2.0
// Graphics context, lights and programs of the view.  They take longest where no graphics card helps, and need no data:
// the page makes them while the browser still reads the data behind.
import {
    ACESFilmicToneMapping,
    BoxGeometry,
    BufferGeometry,
    DirectionalLight,
    Float32BufferAttribute,
    HemisphereLight,
    LineSegments,
    Mesh,
    PCFShadowMap,
    PerspectiveCamera,
    PlaneGeometry,
    Scene,
    WebGLRenderer,
} from "three";
import { floorMaterial, lineMaterial, surface } from "./surfaces";

export class Stage {
    readonly scene = new Scene();
    readonly camera = new PerspectiveCamera(32, 1, 0.01, 1000);
    readonly sun = new DirectionalLight(0xffffff, 2.2);
    readonly sky = new HemisphereLight(0xffffff, 0xb0b6c0, 1.5);
    readonly renderer: WebGLRenderer;

    constructor(readonly canvas: HTMLCanvasElement) {
        this.size();
        this.renderer = new WebGLRenderer({ canvas, antialias: true, preserveDrawingBuffer: true });
        this.renderer.debug.checkShaderErrors = false; // waits for the compiler
        this.renderer.localClippingEnabled = true;
        this.renderer.shadowMap.enabled = true;
        this.renderer.shadowMap.type = PCFShadowMap;
        this.renderer.toneMapping = ACESFilmicToneMapping;
        this.sun.castShadow = true;
        const fill = new DirectionalLight(0xffffff, 0.9); // from the eye: no face is black
        fill.position.set(0.3, 0.2, 1);
        this.camera.add(fill);
        this.scene.add(this.sun, this.sun.target, this.sky, this.camera);
        this.compile();
    }

    /** Starts the compiler, which works beside the page; nothing waits for it here. */
    private compile(): void {
        const first = new Scene(),
            box = new Mesh(new BoxGeometry(), surface(0)),
            floor = new Mesh(new PlaneGeometry(), floorMaterial()),
            line = new BufferGeometry();
        for (const name of ["position", "color"])
            line.setAttribute(name, new Float32BufferAttribute([0, 0, 0, 0, 0, 0], 3));
        box.receiveShadow = floor.receiveShadow = true;
        first.add(box, floor, new LineSegments(line, lineMaterial()));
        this.renderer.compile(first, this.camera, this.scene);
        this.renderer.getContext().flush();
    }

    /** The picture gets the size of its place on the page, in pixels of the screen; false: it has it. */
    private size(): boolean {
        const { canvas } = this,
            fine = Math.min(window.devicePixelRatio || 1, 2),
            wide = Math.floor(canvas.clientWidth * fine),
            high = Math.floor(canvas.clientHeight * fine);
        if (wide === 0 || high === 0 || (canvas.width === wide && canvas.height === high)) return false;
        if (this.renderer) this.renderer.setSize(wide, high, false);
        else (canvas.width = wide), (canvas.height = high);
        return true;
    }

    resize(): void {
        const { clientWidth: wide, clientHeight: high } = this.canvas;
        if (wide === 0 || high === 0) return;
        this.size();
        this.camera.aspect = wide / high;
        this.camera.updateProjectionMatrix();
    }
}
