// SPDX-License-Identifier: Apache-2.0
// `cleave export RUN FILE.glb`: Khronos' validator finds no error, no warning and no hint.
// Use: node test_gltf.mjs PROGRAM NODE_MODULES; exit code 77 where gltf-validator is not installed.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const [program, modules] = process.argv.slice(2).map((word) => resolve(word));
if (!existsSync(join(modules, "gltf-validator"))) {
    console.log("skipped: gltf-validator is not installed");
    process.exit(77);
}
const validator = createRequire(join(modules, "any.js"))("gltf-validator");
const folder = mkdtempSync(join(tmpdir(), "cleave-gltf-"));
const cleave = (...words) => execFileSync(program, words, { cwd: folder, encoding: "utf8" });
writeFileSync(
    join(folder, "shapes.yaml"),
    `cleave: 1
gravity: [0, 9.81, 0]
bodies:
  "box \\"<1>\\"": {mass: 1, inertia: from shape, shape: {box: [1, 2, 3], colour: [1, 0.5, 0]}}
  ball: {mass: 1, inertia: from shape, shape: {sphere: 0.5}}
  drum: {mass: 1, inertia: from shape, shape: {cylinder: [0.2, 1], orientation: {axis: [0, 1, 0], angle: 90 deg}}}
  pill: {mass: 1, inertia: from shape, shape: {capsule: [0.2, 1], colour: [0, 0.2, 1]}}
joints:
  a: {kind: revolute, between: [ground, "box \\"<1>\\""], at: [1, 0, 0], axis: [0, 0, 1]}
  b: {kind: spherical, between: ["box \\"<1>\\"", ball], at: [2, 0, 0]}
  c: {kind: revolute, between: [ball, drum], at: [3, 0, 0], axis: [0, 1, 0]}
`,
);
let failed = 0;
for (const model of [...Object.keys(JSON.parse(cleave("examples", "--json")).examples), "shapes.yaml"]) {
    const name = model.replace(".yaml", "");
    cleave("run", model, "--time", "0.2", "--every", "0.02", "--out", `${name}.cleave`);
    cleave("export", `${name}.cleave`, `${name}.glb`);
    const { issues, info } = await validator.validateBytes(new Uint8Array(readFileSync(join(folder, `${name}.glb`))));
    const { numErrors, numWarnings, numHints, messages } = issues;
    const good = numErrors + numWarnings + numHints === 0 && info.animationCount === 1 && info.totalTriangleCount > 0;
    failed += !good;
    console.log(`${good ? "ok" : "not ok"} ${name}${good ? "" : JSON.stringify(messages.slice(0, 5), null, 1)}`);
}
rmSync(folder, { recursive: true });
assert.equal(failed, 0);
