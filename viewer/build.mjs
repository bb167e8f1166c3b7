// SPDX-License-Identifier: Apache-2.0
// Bundles the viewer into a C file: node build.mjs NODE_MODULES FILE.c [FILE.html]
// The page is cut where `cleave report` puts the data of the runs.  Its policy names its one program and its one style
// by their sums, so that nothing else in it can run, and forbids every request.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const [modules, to] = process.argv.slice(2).map((path) => resolve(path));
const here = dirname(fileURLToPath(import.meta.url));
const require = createRequire(join(modules, "any.js"));
const esbuild = require("esbuild");

const built = await esbuild.build({
    entryPoints: [join(here, "src/page.ts")],
    bundle: true,
    write: false,
    minify: true,
    format: "iife",
    target: ["es2021"],
    charset: "ascii",
    legalComments: "none",
    nodePaths: [modules],
    logLevel: "warning",
});
const three = JSON.parse(readFileSync(join(modules, "three/package.json"), "utf8")).version;
const notice = `/* cleave viewer, Apache-2.0. Contains three.js ${three}, (c) three.js authors, MIT licence. */\n`;
const program = notice + built.outputFiles[0].text.replace(/<\/(script)/gi, "<\\/$1").replace(/<!--/g, "<\\!--");
const style = readFileSync(join(here, "src/style.css"), "utf8");
const sum = (text) => `'sha256-${createHash("sha256").update(text, "utf8").digest("base64")}'`;

const policy =
    `default-src 'none'; script-src ${sum(program)}; style-src ${sum(style)}; img-src data: blob:; ` +
    "base-uri 'none'; form-action 'none'";
const page = readFileSync(join(here, "src/page.html"), "utf8");
const filled = page
    .replace("POLICY", () => policy)
    .replace("STYLE", () => style)
    .replace("PROGRAM", () => program);
const cut = filled.indexOf("<!--DATA-->");
const parts = [filled.slice(0, cut), filled.slice(cut + "<!--DATA-->".length)];

function array(name, text) {
    const bytes = Buffer.from(text, "utf8");
    let lines = "";
    for (let i = 0; i < bytes.length; i += 32) lines += Array.from(bytes.subarray(i, i + 32)).join(",") + ",\n";
    return `static const unsigned char ${name}[] = {\n${lines}};\n`;
}
writeFileSync(
    to,
    `/* The page of cleave report, by viewer/build.mjs. */\n#include "cli/report.h"\n\n` +
        array("begin", parts[0]) +
        array("end", parts[1]) +
        `\nconst clv_viewer_page clv_viewer_page_built = {\n    begin, end, sizeof begin, sizeof end, "three.js ${three}",\n};\n`,
);
