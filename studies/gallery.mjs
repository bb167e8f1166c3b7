// SPDX-License-Identifier: Apache-2.0
// Pictures of the examples for docs/gallery.md: the page of each in Chromium, without its panel, as a small PNG.
// Use: node gallery.mjs PROGRAM NODE_MODULES FOLDER [EXAMPLE ...]; FOLDER gets gallery-EXAMPLE.png.
// With "pages" in place of examples: the whole pages of the README, report-EXAMPLE.png.
// With "all": every built-in example at its start and in the middle, as the whole page, to look at.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { crc32, deflateSync } from "node:zlib";

// time in s; colour, camera (position, target) or arrows where the first picture is not the best one
const shown = {
    loader: { time: 4, arrows: true },
    bricard: { time: 1.4 },
    "mmsev-flexible": { time: 2, camera: [18, -20, 14, 1.5, 0, 4] },
    "tree-robot": { time: 3, colour: "strand" },
    andrews: { time: 0.012 },
    "chain-closed": { time: 3.2 },
    "jsc-18": { time: 0.6, colour: "strand" },
    satellite: { time: 4 },
    governor: { time: 1.2 },
    suspension: { time: 1.08 },
    cradle: { time: 0 },
    bicycle: { time: 0.6 },
    capture: { time: 40 },
    biped: { time: 0.35 },
    "loader-work": { time: 6, arrows: true },
    "slider-crank": { time: 0.0017, camera: [0.13, -0.05, 0.4, 0.06, 0.005, 0] },
    "flex-arm": { time: 1.1 },
    pendulum: { time: 0.7 },
    "double-pendulum": { time: 1.2 },
    chain: { time: 1.3 },
    "sine-chain-16": { time: 1.4 },
    "hdca-case1": { time: 1.2 },
    "hdca-case2": { time: 1 },
    "hdca-case3": { time: 5 },
    "aldca-coupled": { time: 5 },
    "five-bar": { time: 2 },
    "four-bar-ladder": { time: 1.4 },
    "loop-7r": { time: 3 },
    "mmsev-rigid": { time: 2, camera: [18, -20, 14, 1.5, 0, 4], colour: "strand" },
};

/** Pages of the README: time, tab (0: summary), colour, arrows, theme. */
const pages = {
    loader: { time: 4, tab: 0, arrows: true },
    "mmsev-rigid": { time: 2, tab: 4, colour: "strand" },
    suspension: { time: 1.08, tab: 1, scheme: "dark" },
};

const [program, modules, out, ...names] = process.argv.slice(2).map((word, i) => (i < 3 ? resolve(word) : word));
const playwright = createRequire(join(modules, "any.js"))("playwright-core");
const folder = mkdtempSync(join(tmpdir(), "cleave-gallery-"));
const cleave = (...words) => execFileSync(program, words, { cwd: folder, encoding: "utf8" });
const browser = await playwright.chromium.launch({
    executablePath: "/usr/bin/chromium",
    args: ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"],
});

async function open(name, viewport, hash = "", colorScheme = "light") {
    cleave("report", name, "--force", "--reactions");
    const page = await browser.newPage({ viewport, colorScheme });
    page.on("pageerror", (e) => {
        throw e;
    });
    await page.goto(pathToFileURL(join(folder, `${name}.html`)).href + hash);
    await page.waitForFunction(() => globalThis.cleave);
    return page;
}

/** RGBA pixels as a PNG with a palette: the 256 most frequent colours, others by the nearest of them. */
function png(pixels, wide, high) {
    const frequent = new Map();
    const at = (i) => (((pixels[i] & 0xf8) << 16) | ((pixels[i + 1] & 0xf8) << 8) | (pixels[i + 2] & 0xf8)) >>> 0;
    for (let i = 0; i < pixels.length; i += 4) frequent.set(at(i), (frequent.get(at(i)) ?? 0) + 1);
    const colours = [...frequent].sort((p, q) => q[1] - p[1]).slice(0, 256).map(([c]) => c);
    const part = (c, k) => (c >> (8 * k)) & 255,
        far = (c, d) => [0, 1, 2].reduce((sum, k) => sum + (part(c, k) - part(d, k)) ** 2, 0);
    const nearest = new Map(colours.map((c, i) => [c, i]));
    const rows = Buffer.alloc(high * (wide + 1));
    for (let y = 0; y < high; ++y)
        for (let x = 0; x < wide; ++x) {
            const c = at(4 * (y * wide + x));
            if (!nearest.has(c))
                nearest.set(
                    c,
                    colours.reduce((best, d, i) => (far(c, d) < far(c, colours[best]) ? i : best), 0),
                );
            rows[y * (wide + 1) + 1 + x] = nearest.get(c);
        }
    const chunk = (kind, data) => {
        const body = Buffer.concat([Buffer.from(kind), data]),
            ends = [Buffer.alloc(4), Buffer.alloc(4)];
        ends[0].writeUInt32BE(data.length);
        ends[1].writeUInt32BE(crc32(body));
        return Buffer.concat([ends[0], body, ends[1]]);
    };
    const head = Buffer.alloc(13);
    head.writeUInt32BE(wide, 0);
    head.writeUInt32BE(high, 4);
    head.set([8, 3, 0, 0, 0], 8);
    return Buffer.concat([
        Buffer.from("89504e470d0a1a0a", "hex"),
        chunk("IHDR", head),
        chunk("PLTE", Buffer.from(colours.flatMap((c) => [part(c, 2), part(c, 1), part(c, 0)]))),
        chunk("IDAT", deflateSync(rows, { level: 9 })),
        chunk("IEND", Buffer.alloc(0)),
    ]);
}

/** The view alone, without the panel. */
async function picture(name, { time, camera, colour, arrows }) {
    const hash = `#t=${time}${camera ? `&c=${camera.join(",")}` : ""}`;
    const page = await open(name, { width: 1000, height: 560 }, hash);
    if (colour) await page.selectOption("#colour", colour);
    if (arrows) await page.check("#arrows");
    await page.waitForTimeout(500);
    const { pixels, wide, high } = await page.evaluate(() => {
        const from = document.getElementById("scene"),
            to = document.createElement("canvas"),
            wide = 420,
            high = Math.round((wide * from.height) / from.width);
        ((to.width = wide), (to.height = high));
        const g = to.getContext("2d");
        g.imageSmoothingQuality = "high";
        g.drawImage(from, 0, 0, wide, high);
        return { pixels: Array.from(g.getImageData(0, 0, wide, high).data), wide, high };
    });
    const file = join(out, `gallery-${name}.png`);
    writeFileSync(file, png(pixels, wide, high));
    console.log(`${file} ${statSync(file).size} bytes`);
    await page.close();
}

/** RGBA pixels of a PNG, by the browser. */
async function pixelsOf(page, bytes) {
    return page.evaluate(async (url) => {
        const image = new Image();
        image.src = url;
        await image.decode();
        const to = document.createElement("canvas"),
            [wide, high] = [(to.width = image.width), (to.height = image.height)],
            g = to.getContext("2d");
        g.drawImage(image, 0, 0);
        return { pixels: Array.from(g.getImageData(0, 0, wide, high).data), wide, high };
    }, `data:image/png;base64,${bytes.toString("base64")}`);
}

async function readme(name, { time, tab, colour, arrows, scheme }) {
    const page = await open(name, { width: 1200, height: 680 }, `#t=${time}`, scheme);
    if (colour) await page.selectOption("#colour", colour);
    if (arrows) await page.check("#arrows");
    await page.locator("#tabs button").nth(tab).click();
    await page.evaluate(() => document.activeElement?.blur());
    await page.waitForTimeout(500);
    const { pixels, wide, high } = await pixelsOf(page, await page.screenshot());
    const file = join(out, `report-${name}.png`);
    writeFileSync(file, png(pixels, wide, high));
    console.log(`${file} ${statSync(file).size} bytes`);
    await page.close();
}

async function whole(name) {
    const page = await open(name, { width: 1000, height: 620 });
    for (const part of [0, 0.5]) {
        await page.evaluate((p) => globalThis.cleave.seek(p * globalThis.cleave.state().end), part);
        await page.waitForTimeout(400);
        await page.screenshot({ path: join(out, `${name}-${part ? "middle" : "start"}.png`) });
    }
    await page.close();
}

if (names[0] === "pages") for (const name of Object.keys(pages)) await readme(name, pages[name]);
else if (names[0] === "all") for (const name of Object.keys(JSON.parse(cleave("examples", "--json")).examples)) await whole(name);
else for (const name of names.length ? names : Object.keys(shown)) await picture(name, shown[name]);
await browser.close();
rmSync(folder, { recursive: true });
