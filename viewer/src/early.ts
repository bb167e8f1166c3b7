// SPDX-License-Identifier: Apache-2.0
// The stage of the view, or null where the browser has no WebGL.
import { Stage } from "./stage";

function begin(): Stage | null {
    try {
        return new Stage(document.getElementById("scene") as HTMLCanvasElement);
    } catch {
        return null;
    }
}

export const stage = begin();
