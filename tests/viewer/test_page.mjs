// SPDX-License-Identifier: Apache-2.0
// The page of `cleave report` in Chromium: no error, no request, the poses drawn are those of the run, and time,
// choice, pages, plots and keys do what they say.
// Use: node test_page.mjs PROGRAM NODE_MODULES [PATTERN of the names of tests to run]; exit code 77 where there is no Chromium (Debian: chromium).
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const program = resolve(process.argv[2]),
    modules = resolve(process.argv[3]);
const chromium = ["/usr/bin/chromium", "/usr/bin/chromium-browser"].find(existsSync);
if (!chromium || !existsSync(join(modules, "playwright-core"))) {
    console.log(
        `skipped: ${chromium ? "playwright-core is not installed" : "there is no Chromium (Debian: chromium)"}`,
    );
    process.exit(77);
}
const require = createRequire(join(modules, "any.js"));
const playwright = require("playwright-core");
const folder = mkdtempSync(join(tmpdir(), "cleave-page-"));
const cleave = (...words) =>
    execFileSync(program, words, { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
const browser = await playwright.chromium.launch({
    executablePath: chromium,
    args: ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"],
});
let passed = 0,
    failed = 0;

async function open(name, options = {}) {
    const page = await browser.newPage({ viewport: { width: 1100, height: 700 }, ...options });
    page.setDefaultTimeout(180e3); // of every wait; half a minute is not enough on a machine with other work
    page.faults = [];
    page.on("console", (m) => {
        if (m.type() === "error") page.faults.push(m.text());
    });
    page.on("pageerror", (e) => page.faults.push(e.message));
    page.on("request", (r) => {
        if (!/^(file|data|blob):/.test(r.url())) page.faults.push(`request ${r.url()}`);
    });
    await page.goto(pathToFileURL(join(folder, name)).href + (options.hash ?? ""));
    await page.waitForFunction(() => globalThis.cleave);
    return page;
}
/** What `look` gives once it is right; looks ten times a second, for three minutes. */
async function until(look, right, fault) {
    let before;
    for (let tries = 0; tries < 1800; tries++) {
        const now = await look();
        if (tries > 0 && right(now, before)) return now;
        before = now;
        await new Promise((wake) => setTimeout(wake, 100));
    }
    assert.fail(fault); // pictures are too long to print
}
const state = (page) => page.evaluate(() => globalThis.cleave.state());

async function test(name, run) {
    if (process.argv[4] && !new RegExp(process.argv[4]).test(name)) return;
    try {
        await run();
        passed++;
        console.log(`ok ${name}`);
    } catch (error) {
        failed++;
        console.log(`not ok ${name}\n${error.stack}`);
    }
}

/** The rows of an export, by name of the column. */
function table(run) {
    cleave("export", run, "all.csv", "--force");
    const [heading, ...lines] = readFileSync(join(folder, "all.csv"), "utf8").trim().split("\n");
    const names = heading.split(",").map((x) => x.split(" [")[0]);
    return lines.map((line) => Object.fromEntries(line.split(",").map((x, i) => [names[i], x === "" ? NaN : Number(x)])));
}

const examples = Object.keys(JSON.parse(cleave("examples", "--json")).examples);
for (const example of examples)
    await test(`${example}: poses of the scene are those of the run`, async () => {
        cleave("report", example, "--time", "1", "--every", "0.02");
        const page = await open(`${example}.html`),
            rows = table(`${example}.cleave`);
        for (const k of [0, 7, rows.length - 1]) {
            const drawn = await page.evaluate((t) => {
                const { bodies } = JSON.parse(document.getElementById("run0").textContent);
                globalThis.cleave.seek(t);
                return bodies.map((b, i) => ({ name: b.name, pose: globalThis.cleave.pose(0, i) }));
            }, rows[k].time);
            assert.ok(drawn.length > 0);
            for (const { name, pose } of drawn) {
                const expected = [..."xyz"]
                    .map((x) => rows[k][`${name}.position.${x}`])
                    .concat([..."wxyz"].map((x) => rows[k][`${name}.quaternion.${x}`]));
                pose.forEach((x, n) => {
                    const near = 1e-5 * Math.max(1, Math.abs(expected[n]));
                    assert.ok(
                        Math.abs(x - expected[n]) < near,
                        `${name} at ${rows[k].time} s: ${pose} is not ${expected}`,
                    );
                });
            }
        }
        assert.deepEqual(page.faults, []);
        await page.close();
    });

/** A tube in mm as a binary STL: radii 1 and 0.5 m, 2 m along z; n sides, walls of m bands: 4 n (m + 1) triangles. */
function tube(n, m) {
    const bytes = Buffer.alloc(84 + 50 * 4 * n * (m + 1));
    bytes.writeUInt32LE(4 * n * (m + 1), 80);
    let to = 84;
    const put = (r, i, z) => {
        const a = (2 * Math.PI * (i % n)) / n;
        for (const x of [r * Math.cos(a), r * Math.sin(a), z]) to = bytes.writeFloatLE(1000 * x, to);
    };
    const square = (i, r, z, s, w) => {
        for (const corners of [[[r, i, z], [r, i + 1, z], [s, i + 1, w]], [[r, i, z], [s, i + 1, w], [s, i, w]]]) {
            to += 12;
            for (const c of corners) put(...c);
            to += 2;
        }
    };
    for (let i = 0; i < n; ++i) {
        for (let k = 0; k < m; ++k) {
            square(i, 1, (2 * k) / m, 1, (2 * k + 2) / m);
            square(i, 0.5, (2 * k + 2) / m, 0.5, (2 * k) / m);
        }
        square(i, 1, 2, 0.5, 2);
        square(i, 0.5, 0, 1, 0);
    }
    return bytes;
}

await test("meshes are drawn where they are, and a page of large ones is simplified", async () => {
    const model = (scale) => `cleave: 1
bodies:
  a: {mass: 1, com: [0, 0, 1], inertia: [1, 1, 1]}
joints:
  j: {kind: revolute, between: [ground, a], at: [0, 0, 1], axis: [0, 1, 0]}
visuals:
  skin: {body: a, mesh: tube.stl, scale: ${scale}, colour: [0.8, 0.2, 0.1], at: [0, 0, 0]}
  base: {body: ground, box: [4, 4, 0.2], at: [0, 0, -1]}
`;
    for (const [n, m, scale, finest] of [
        [24, 1, "0.001", true],
        [360, 300, "[0.001, 0.001, -0.001]", false],
    ]) {
        writeFileSync(join(folder, "tube.stl"), tube(n, m));
        writeFileSync(join(folder, "tube.yaml"), model(scale));
        const said = cleave("report", "tube.yaml", "--time", "0.1", "--force");
        assert.equal(said.includes("simplified"), !finest, said);
        rmSync(join(folder, "tube.stl"));
        cleave("report", "tube.cleave", "--force"); // the run file is enough
        const size = readFileSync(join(folder, "tube.html")).length;
        assert.ok(size < 7.9e6, `${size} bytes`);
        const page = await open("tube.html"),
            { low, high, triangles } = await page.evaluate(() => globalThis.cleave.box(0, 0));
        const z = finest ? [0, 2] : [-2, 0];
        [-1, -1, z[0]].forEach((x, k) => assert.ok(Math.abs(low[k] - x) < 0.01, `${low}`));
        [1, 1, z[1]].forEach((x, k) => assert.ok(Math.abs(high[k] - x) < 0.01, `${high}`));
        const all = 4 * n * (m + 1);
        assert.ok(finest ? triangles === all : triangles > 1000 && triangles < all, `${triangles} triangles`);
        assert.equal(await page.evaluate(() => globalThis.cleave.colour(0)), "cc331a");
        assert.deepEqual(page.faults, []);
        await page.close();
    }
});

await test("planes of contact are drawn, steps are plotted", async () => {
    writeFileSync(
        join(folder, "ball.yaml"),
        `cleave: 1
bodies: {ball: {mass: 1, inertia: from shape, shape: {sphere: 0.1}}}
forces:
  low: {kind: contact, between: [ground, ball], point: [0, 0, -0.05], normal: [0, 0, 1], stiffness: 1e5}
  wall: {kind: contact, between: [ground, ball], point: [1, 0, 0], normal: [-1, 0, 0.2], stiffness: 1e5}
start: {bodies: {ball: {position: [0, 0, 0.4], velocity: [2, 0, 0]}}}
`,
    );
    cleave("report", "ball.yaml", "--time", "0.5", "--force");
    const page = await open("ball.html"),
        { floor, plates } = await page.evaluate(() => globalThis.cleave.planes());
    assert.ok(Math.abs(floor + 0.05) < 1e-9, `${floor}`);
    assert.equal(plates, 1);
    await page.keyboard.press("2");
    const titles = await page.$$eval(".plot .head span:first-child", (all) => all.map((e) => e.textContent));
    assert.ok(titles.includes("Step size") && titles.includes("Evaluations so far"), titles.join(", "));
    assert.deepEqual(page.faults, []);
    await page.close();
});

await test("contacts of bodies: points, forces and the shapes that touch", async () => {
    writeFileSync(
        join(folder, "stack.yaml"),
        `cleave: 1
gravity: [0, 0, -9.81]
bodies:
  low: {mass: 4, inertia: from shape, shape: {box: [0.6, 0.4, 0.2]}}
  high: {mass: 2, inertia: from shape, shape: {box: [0.3, 0.3, 0.3]}}
forces:
  floor: {kind: contact, between: [ground, low], point: [0, 0, 0], normal: [0, 0, 1], restitution: 0, dynamic_friction: 0.5}
  stack: {kind: contact, between: [low, high], restitution: 0, dynamic_friction: 0.5}
visuals: {cover: {body: high, box: [0.2, 0.2, 0.26]}}
start: {bodies: {low: {position: [0, 0, 0.0999]}, high: {position: [0.05, 0, 0.4]}}}
`,
    );
    cleave("report", "stack.yaml", "--time", "0.6", "--every", "0.02", "--force");
    const rows = table("stack.cleave"),
        page = await open("stack.html");
    const at = async (k) => {
        await page.evaluate((t) => globalThis.cleave.seek(t), rows[k].time);
        return page.evaluate(() => globalThis.cleave.contacts());
    };
    const touching = (k) => ["floor", "stack"].filter((c) => !Number.isNaN(rows[k][`contacts.${c}.point.x`]));
    assert.deepEqual(touching(0), ["floor"]);
    assert.deepEqual(touching(rows.length - 1), ["floor", "stack"]);
    for (const k of [0, 5, rows.length - 1]) {
        const drawn = await at(k);
        assert.equal(drawn.length, touching(k).length);
        touching(k).forEach((c, i) => {
            for (const [n, x] of [..."xyz"].entries())
                assert.ok(Math.abs(drawn[i][n] - rows[k][`contacts.${c}.point.${x}`]) < 1e-6);
        });
    }
    await page.check("#arrows");
    const [floor, stack] = await page.evaluate(() => globalThis.cleave.arrows());
    assert.ok(Math.abs(floor / stack - 3) < 1e-3, `${floor} / ${stack}: 6 kg rest on the floor, 2 kg on the lower box`);
    const box = await page.evaluate(() => globalThis.cleave.pixel("body", 1));
    await page.mouse.click(...box);
    assert.match(await page.locator("#picked").innerText(), /touches low\s+19\.62 N/);
    await page.uncheck("#contacts");
    assert.ok(!(await page.locator("#legend").innerText()).split("\n").includes("contact"));
    await page.keyboard.press("2");
    const titles = await page.$$eval(".plot .head span:first-child", (all) => all.map((e) => e.textContent));
    assert.ok(titles.includes("Normal forces of contacts") && titles.includes("contacts.stack"), titles.join(", "));
    assert.deepEqual(page.faults, []);
    await page.close();
});

await test("the scene is drawn: the picture has many colours, and another one later", async () => {
    const page = await open("loader.html");
    const colours = async () =>
        page.evaluate(() => {
            const canvas = document.getElementById("scene"),
                copy = document.createElement("canvas");
            ((copy.width = 200), (copy.height = 150));
            const g = copy.getContext("2d");
            g.drawImage(canvas, 0, 0, 200, 150);
            return Array.from(new Uint32Array(g.getImageData(0, 0, 200, 150).data.buffer));
        });
    const first = await until(colours, (now) => new Set(now).size > 200, "the picture has few colours");
    await page.evaluate(() => globalThis.cleave.seek(0.9));
    await until(colours, (now) => first.filter((x, i) => x !== now[i]).length > 200, "the picture stays as it was");
    const programs = await page.evaluate(() => globalThis.cleave.programs());
    assert.ok(programs > 0 && programs <= 4, `${programs} programs: each takes long to start without a graphics card`);
    await page.close();
});

await test("the grid is seen through the floor, also where the camera goes along", async () => {
    const page = await open("tree-robot.html");
    for (const time of [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]) {
        await page.evaluate((t) => globalThis.cleave.seek(t), time);
        const lines = await page.evaluate(async () => {
            await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
            const canvas = document.getElementById("scene"),
                copy = document.createElement("canvas");
            ((copy.width = canvas.width), (copy.height = canvas.height));
            const g = copy.getContext("2d");
            g.drawImage(canvas, 0, 0);
            const low = Math.floor(0.93 * canvas.height), // below the shadows
                { data } = g.getImageData(0, low, canvas.width, canvas.height - low);
            let n = 0;
            for (let i = 0; i < data.length; i += 4) n += data[i] < 0xf3 - 12 ? 1 : 0;
            return n;
        });
        assert.ok(lines > 100, `${lines} pixels at ${time} s`);
    }
    await page.close();
});

await test("play, pause, steps, scrub and speed move the time", async () => {
    const page = await open("loader.html");
    await page.click("#play");
    await page.waitForFunction(() => globalThis.cleave.state().time > 0.05);
    await page.keyboard.press("Space"); // the focused button
    assert.equal((await state(page)).playing, false);
    await page.keyboard.press("Home");
    assert.equal((await state(page)).time, 0);
    await page.keyboard.press("ArrowRight");
    assert.ok(Math.abs((await state(page)).time - 0.02) < 1e-9);
    await page.keyboard.press("ArrowLeft");
    assert.equal((await state(page)).time, 0);
    await page.keyboard.press("End");
    assert.equal((await state(page)).time, 1);
    const bar = await page.locator("#scrub").boundingBox();
    await page.mouse.click(bar.x + bar.width / 2, bar.y + bar.height / 2);
    assert.ok(Math.abs((await state(page)).time - 0.5) < 0.03);
    await page.selectOption("#speed", "0.25");
    assert.equal((await state(page)).speed, 0.25);
    assert.deepEqual(page.faults, []);
    await page.close();
});

await test("pages: tabs by mouse and keys, and the numbers of the run", async () => {
    const page = await open("loader.html");
    const result = JSON.parse(cleave("run", "loader", "--time", "1", "--json"));
    const text = await page.locator("#panel").innerText();
    assert.match(text, new RegExp(`loader: ${result.bodies} bodies, ${result.joints} joints, ${result.loops} loops`));
    assert.ok(text.includes(String(result.steps)));
    for (const [i, word] of [
        [1, "Energy drift"],
        [2, "Bodies"],
        [3, "Model file"],
        [4, "Tree of parts"],
        [5, "Computed by"],
        [0, "Result"],
    ]) {
        await page.click(`#tabs button:nth-child(${i + 1})`);
        assert.ok((await page.locator("#panel").innerText()).includes(word), word);
    }
    await page.keyboard.press("2");
    assert.equal((await state(page)).page, 1);
    assert.equal(await page.locator("#tabs button[aria-selected=true]").innerText(), "Plots");
    assert.deepEqual(page.faults, []);
    await page.close();
});

await test("a body is chosen by a click, a joint from the list with search", async () => {
    const page = await open("loader.html");
    const index = await page.evaluate(() =>
        JSON.parse(document.getElementById("run0").textContent).bodies.findIndex((b) => b.name === "bucket"),
    );
    const [x, y] = await page.evaluate((i) => globalThis.cleave.pixel("body", i), index);
    await page.mouse.click(x, y);
    assert.deepEqual((await state(page)).choice, { kind: "body", run: 0, index });
    assert.match(await page.locator("#picked").innerText(), /^bucket/);
    await page.keyboard.press("Escape");
    assert.equal((await state(page)).choice, null);
    await page.keyboard.press("/");
    await page.keyboard.type("L1");
    assert.equal(await page.locator("ul.items button").count(), 1);
    await page.click("ul.items button");
    assert.match(await page.locator("#picked").innerText(), /^L1/);
    assert.deepEqual(page.faults, []);
    await page.close();
});

await test("plots: values at the time of the view, a click moves the time, a drag zooms", async () => {
    const page = await open("loader.html"),
        rows = table("loader.cleave");
    await page.click("#tabs button:nth-child(2)");
    const plot = page.locator(".plot", { hasText: "Efforts" });
    const canvas = plot.locator("canvas");
    await canvas.scrollIntoViewIfNeeded();
    const box = await canvas.boundingBox();
    await page.mouse.click(box.x + 58 + (box.width - 66) / 2, box.y + 60);
    const time = (await state(page)).time;
    assert.ok(Math.abs(time - 0.5) < 0.02, `${time}`);
    await page.mouse.move(5, 5);
    const near = rows.reduce((a, b) => (Math.abs(b.time - time) < Math.abs(a.time - time) ? b : a));
    const shown = Number((await plot.locator(".keys").innerText()).match(/L\.effort\s+([-\d.e]+)/)[1]);
    assert.ok(Math.abs(shown / near["L.effort"] - 1) < 6e-4, `${shown} is not ${near["L.effort"]}`);
    const before = await canvas.evaluate((c) => c.toDataURL());
    const other = page.locator(".plot", { hasText: "Energy drift" }).locator("canvas"),
        wide = await other.evaluate((c) => c.toDataURL());
    await page.mouse.move(box.x + 100, box.y + 60);
    await page.mouse.down();
    await page.mouse.move(box.x + 180, box.y + 60, { steps: 4 });
    await page.mouse.up();
    assert.notEqual(await canvas.evaluate((c) => c.toDataURL()), before);
    assert.notEqual(await other.evaluate((c) => c.toDataURL()), wide, "plots show different times");
    await other.dblclick();
    await page.mouse.move(5, 5);
    await page.evaluate((t) => globalThis.cleave.seek(t), time);
    assert.equal(await canvas.evaluate((c) => c.toDataURL()), before);
    assert.equal((await state(page)).time, time);
    assert.deepEqual(page.faults, []);
    await page.close();
});

await test("the address keeps time, camera and choice; dark, picture and phone width work", async () => {
    const page = await open("loader.html", { viewport: { width: 390, height: 780 }, hash: "#t=0.4&s=body.0.1" });
    assert.equal((await state(page)).time, 0.4);
    assert.deepEqual((await state(page)).choice, { kind: "body", run: 0, index: 1 });
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "wider than the screen");
    const theme = await page.evaluate(() => document.documentElement.dataset.theme);
    await page.click("#theme");
    assert.notEqual(await page.evaluate(() => document.documentElement.dataset.theme), theme);
    const [download] = await Promise.all([page.waitForEvent("download"), page.click("#png")]);
    assert.match(download.suggestedFilename(), /^loader-0\.400s\.png$/);
    assert.ok(
        readFileSync(await download.path())
            .subarray(1, 4)
            .toString() === "PNG",
    );
    assert.match(await page.evaluate(() => location.hash), /^#t=0\.4&c=[-\d.,e]+&s=body\.0\.1$/);
    assert.deepEqual(page.faults, []);
    await page.close();
});

await test("hostile names are text", async () => {
    writeFileSync(
        join(folder, "h.yaml"),
        `cleave: 1
name: "</script><script>document.title='broken'</script>"
bodies:
  "<img src=x onerror=alert(1)>": {mass: 1, com: [0.5, 0, 0], inertia: [0.01, 0.1, 0.1]}
joints:
  "--></script><b>": {kind: revolute, between: [ground, "<img src=x onerror=alert(1)>"], at: [0, 0, 0], axis: [0, 0, 1]}
`,
    );
    cleave("report", "h.yaml", "--time", "0.2");
    const page = await open("h.html");
    assert.equal(await page.locator("#title").innerText(), "</script><script>document.title='broken'</script>");
    for (const key of "123456") {
        await page.keyboard.press(key);
        assert.equal(await page.locator("#panel img, #panel b b, #panel script").count(), 0);
    }
    assert.notEqual(await page.title(), "broken");
    assert.deepEqual(page.faults, []);
    await page.close();
});

await test("division: the tree has all strands and nodes, and a click shows their bodies", async () => {
    const page = await open("loader.html");
    await page.keyboard.press("5");
    const { division, bodies } = await page.evaluate(() => JSON.parse(document.getElementById("run0").textContent));
    const nodes = division.parts.filter((p) => p.children.length > 0).length;
    assert.equal(await page.locator("svg.tree circle").count(), nodes);
    assert.equal(await page.locator("svg.tree rect").count(), division.folds.length);
    await page
        .locator("svg.tree g", { has: page.locator("circle") })
        .last()
        .click();
    assert.equal(await page.evaluate(() => globalThis.cleave.marked()), bodies.length); // the root comes last
    await page
        .locator("svg.tree g", { has: page.locator("rect") })
        .first()
        .focus();
    await page.keyboard.press("Enter");
    const first = await page.evaluate(() => globalThis.cleave.marked());
    const sizes = division.folds.map((_, s) => division.strand_of.filter((x) => x === s).length);
    assert.ok(sizes.includes(first), `${first} is no length of a strand`);
    await page.selectOption("#colour", "strand");
    const colours = await page.evaluate(
        (n) => Array.from({ length: n }, (_, b) => globalThis.cleave.colour(b)),
        bodies.length,
    );
    assert.equal(new Set(colours).size, division.folds.length);
    division.strand_of.forEach((s, b) => assert.equal(colours[b], colours[division.strand_of.indexOf(s)]));
    assert.deepEqual(page.faults, []);
    await page.close();
});

await test("arrows: lengths are in proportion to the forces of the run", async () => {
    cleave("report", "loader", "--time", "1", "--every", "0.02", "--reactions", "--out", "forces.html");
    const page = await open("forces.html"),
        rows = table("forces.cleave");
    const { joints, curves } = await page.evaluate(() => JSON.parse(document.getElementById("run0").textContent));
    const named = joints.map((j) => j.name).filter((n) => curves.some((c) => c.name === `${n}.force`));
    assert.ok(named.length > 3);
    const size = (row, n) => Math.hypot(...[..."xyz"].map((x) => row[`${n}.force.${x}`]));
    const most = Math.max(...rows.flatMap((row) => named.map((n) => size(row, n))));
    await page.check("#arrows");
    await page.evaluate((t) => globalThis.cleave.seek(t), rows[7].time);
    const lengths = await page.evaluate(() => globalThis.cleave.arrows());
    const k = named.reduce((a, n, i) => (size(rows[7], n) > size(rows[7], named[a]) ? i : a), 0);
    const full = (lengths[k] * most) / size(rows[7], named[k]);
    named.forEach((n, i) => {
        const expected = (full * size(rows[7], n)) / most;
        assert.ok(Math.abs(lengths[i] - expected) < 1e-4 * full + (expected <= 0.0101 * full ? expected : 0), n);
    });
    assert.ok((await page.locator("#legend").innerText()).includes("actuator effort"));
    await page.selectOption("#colour", "force");
    const before = await page.evaluate(() => [0, 1, 2, 3].map((b) => globalThis.cleave.colour(b)));
    await page.evaluate(() => globalThis.cleave.seek(1));
    assert.notDeepEqual(await page.evaluate(() => [0, 1, 2, 3].map((b) => globalThis.cleave.colour(b))), before);
    assert.match(await page.locator("#legend").innerText(), /largest joint force/);
    assert.deepEqual(page.faults, []);
    await page.close();
});

await test("reactions that redundant constraints share are in brackets", async () => {
    const page = await open("forces.html", { hash: "#t=0.4&s=joint.0.0" });
    const { joints } = await page.evaluate(() => JSON.parse(document.getElementById("run0").textContent));
    const known = joints[0].unique;
    assert.ok(known.includes(false) && known.includes(true));
    const text = await page.locator("#picked").innerText();
    const force = text
        .match(/force, N\s+(.*)/)[1]
        .trim()
        .split(/\s+/);
    assert.deepEqual(
        force.map((x) => !x.startsWith("[")),
        known.slice(0, 3),
    );
    assert.match(text, /one of many values/);
    assert.deepEqual(page.faults, []);
    await page.close();
});

await test("a tendon runs over its points", async () => {
    writeFileSync(
        join(folder, "hoist.yaml"),
        `cleave: 1
bodies: {arm: {mass: 1, com: [1, 0, 0], inertia: [1, 1, 1]}}
joints: {a: {kind: revolute, between: [ground, arm], at: [0, 0, 0], axis: [0, 1, 0]}}
forces: {rope: {kind: tendon, path: [[ground, [0, 0, 2]], [ground, [1, 0, 2]], [arm, [2, 0, 0]]], stiffness: 9, length: 2}}
`,
    );
    cleave("report", "hoist.yaml", "--time", "1");
    const page = await open("hoist.html"),
        [last] = table("hoist.cleave").slice(-1);
    const pieces = await page.evaluate((t) => {
        globalThis.cleave.seek(t);
        return globalThis.cleave.ropes();
    }, last.time);
    const tip = [2 * Math.cos(last["a.q"]), 0, -2 * Math.sin(last["a.q"])],
        ends = [[0, 0, 2], [1, 0, 2], tip];
    assert.equal(pieces.length, 2);
    pieces.forEach((piece, i) =>
        piece.forEach((x, k) => assert.ok(Math.abs(x - ends[i + Math.floor(k / 3)][k % 3]) < 1e-5, `${piece}`)),
    );
    assert.deepEqual(page.faults, []);
    await page.close();
});

await test("a hull has its faces, and a curve is drawn in its frame", async () => {
    writeFileSync(
        join(folder, "slot.yaml"),
        `cleave: 1
gravity: [0, 0, 0]
bodies:
  wedge: {mass: 1, inertia: from shape, shape: {points: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0], [0, 0, 0.3], [0, 1, 0.3]], at: [0, 0, 2]}}
  cam: {mass: 1, inertia: [1, 1, 1]}
  pin: {mass: 1, inertia: [1, 1, 1]}
joints:
  turn: {kind: revolute, between: [ground, cam], at: [0, 0, 0], axis: [0, 1, 0]}
  slide: {kind: prismatic, between: [ground, pin], at: [0, 0, 0], axis: [1, 0, 0]}
  slot: {kind: point-on-curve, a: {body: cam, position: [0, 0.1, 0], orientation: {axis: [1, 0, 0], angle: 90 deg}}, b: {body: pin, position: [0.5, 0.1, 0]}, closed: true, curve: [[0.5, 0, 0], [0, 0.4, 0], [-0.5, 0, 0], [0, -0.4, 0]]}
  off: {kind: free, between: [ground, wedge]}
`,
    );
    cleave("report", "slot.yaml", "--time", "0.2");
    const page = await open("slot.html");
    const { wedge, tracks } = await page.evaluate(() => {
        const { bodies } = JSON.parse(document.getElementById("run0").textContent);
        globalThis.cleave.seek(0);
        const wedge = globalThis.cleave.box(0, bodies.findIndex((b) => b.name === "wedge"));
        return { wedge, tracks: globalThis.cleave.tracks() };
    });
    assert.equal(wedge.triangles, 8); // a box has 12
    [0, 0, 2].forEach((x, k) => assert.ok(Math.abs(wedge.low[k] - x) < 1e-6, `${wedge.low}`));
    [1, 1, 2.3].forEach((x, k) => assert.ok(Math.abs(wedge.high[k] - x) < 1e-6, `${wedge.high}`));
    assert.equal(tracks.length, 1);
    const near = (x, y) => assert.ok(Math.abs(x - y) < 0.05, `${JSON.stringify(tracks)}`); // half a tube
    [-0.5, 0.1, -0.4].forEach((x, k) => near(tracks[0].low[k], x));
    [0.5, 0.1, 0.4].forEach((x, k) => near(tracks[0].high[k], x));
    assert.deepEqual(page.faults, []);
    await page.close();
});

await test("a cut takes away what is near, a body is followed, a video is recorded", async () => {
    const page = await open("loader.html");
    const shot = () => page.evaluate(() => document.getElementById("scene").toDataURL());
    const settled = () => until(shot, (now, before) => now === before, "the picture does not come to rest");
    const whole = await settled();
    const cut = async (share) => {
        await page.locator("#cut").fill(share);
        await until(shot, (now) => now !== whole, `a cut of ${share} takes nothing away`);
    };
    await cut("0.5");
    await page.selectOption("#along", "-y");
    await cut("0.7");
    await page.locator("#cut").fill("0");
    await until(shot, (now) => now === whole, "the cut leaves something behind");
    const index = await page.evaluate(() =>
        JSON.parse(document.getElementById("run0").textContent).bodies.findIndex((b) => b.name === "bucket"),
    );
    const pixel = () => page.evaluate((i) => globalThis.cleave.pixel("body", i), index);
    await page.mouse.click(...(await pixel()));
    await page.check("#follow");
    const [x] = await pixel();
    await page.evaluate(() => globalThis.cleave.seek(1));
    assert.ok(Math.abs((await pixel())[0] - x) < 30, "the body left its place in the picture");
    await page.selectOption("#speed", "10");
    const [download] = await Promise.all([page.waitForEvent("download"), page.click("#video")]);
    assert.equal(download.suggestedFilename(), "loader.webm");
    assert.equal(
        readFileSync(await download.path())
            .subarray(0, 4)
            .toString("hex"),
        "1a45dfa3",
    );
    assert.deepEqual(page.faults, []);
    await page.close();
});

await test("deformations of flexible bodies are exaggerated about the rigid body", async () => {
    const page = await open("flex-arm.html"),
        rows = table("flex-arm.cleave");
    const { bodies } = await page.evaluate(() => JSON.parse(document.getElementById("run0").textContent));
    const boom = bodies.findIndex((b) => b.flexible),
        tip = bodies.find((b) => b.node_of === boom);
    const ends = () => page.evaluate((b) => globalThis.cleave.ends(b), boom);
    let largest = 0;
    for (const row of [rows[0], rows[9], rows[30]]) {
        const read = (name, part, axes) => [...axes].map((x) => row[`${name}.${part}.${x}`]);
        const p = read(tip.name, "position", "xyz");
        const [w, x, y, z] = read(bodies[boom].name, "quaternion", "wxyz");
        const turn = (v) => {
            const t = [y * v[2] - z * v[1], z * v[0] - x * v[2], x * v[1] - y * v[0]].map((c) => 2 * c);
            return [
                v[0] + w * t[0] + y * t[2] - z * t[1],
                v[1] + w * t[1] + z * t[0] - x * t[2],
                v[2] + w * t[2] + x * t[1] - y * t[0],
            ];
        };
        const arm = turn(tip.rest.map((c, i) => c - bodies[boom].com[i]));
        const rigid = read(bodies[boom].name, "position", "xyz").map((c, i) => c + arm[i]);
        largest = Math.max(largest, Math.hypot(...p.map((c, i) => c - rigid[i])));
        await page.evaluate((t) => globalThis.cleave.seek(t), row.time);
        for (const factor of ["1", "20"]) {
            await page.selectOption("#factor", factor);
            const expected = rigid.map((c, i) => c + Number(factor) * (p[i] - c));
            const off = (await ends()).map((e) => Math.hypot(...e.map((c, i) => c - expected[i])));
            assert.ok(Math.min(...off) < 2e-5, `x${factor} at ${row.time} s: ${off} m from the tip`);
        }
    }
    assert.ok(largest > 1e-3, `the tip moves by ${largest} m only`);
    assert.equal(await (await open("loader.html")).locator("#bend").isVisible(), false);
    assert.deepEqual(page.faults, []);
    await page.close();
});

await test("a peak shows its time, redundant joints are shown, events are on the bar", async () => {
    const page = await open("loader.html");
    const { peaks, joints } = await page.evaluate(() => JSON.parse(document.getElementById("run0").textContent));
    await page.locator("tr", { hasText: "largest speed" }).locator("button").click();
    assert.equal((await state(page)).time, peaks.largest_speed.time);
    await page.click("text=Show them");
    assert.equal(await page.evaluate(() => globalThis.cleave.marked()), joints.filter((j) => j.redundant).length);
    writeFileSync(
        join(folder, "toggle.yaml"),
        `cleave: 1
bodies:
  slide: {mass: 1, inertia: [1, 1, 1]}
  rod: {mass: 1, inertia: [1, 1, 1], com: [0.5, 0, 0]}
joints:
  s: {kind: prismatic, between: [ground, slide], at: [0, 0, 0], axis: [1, 0, 0]}
  p: {kind: revolute, between: [slide, rod], at: [0, 0, 0], axis: [0, 0, 1]}
  d: {kind: distance, between: [ground, rod], at: [1, 1, 0], at_b: [1, 0, 0]}
motions: {push: {joint: s, rate: 1}}
`,
    );
    assert.throws(() => cleave("report", "toggle.yaml", "--time", "5")); // the motion ends at a dead point
    const other = await open("toggle.html");
    const events = await other.evaluate(() => JSON.parse(document.getElementById("run0").textContent).events);
    assert.ok(events.length > 0);
    assert.equal(await other.locator("#marks i").count(), events.length);
    assert.deepEqual([...page.faults, ...other.faults], []);
    await page.close();
    await other.close();
});

await test("a mechanism of thousands of bodies is thinned, and the page says so", async () => {
    const words = "--formulation dca --integrator rk4 --step 0.01 --time 0.05 --every 0.01".split(" ");
    cleave("run", "chain", "links=5000", ...words, "--report", "many.html");
    const page = await open("many.html");
    const { stride, bodies } = await page.evaluate(() => JSON.parse(document.getElementById("run0").textContent));
    assert.ok(stride > 1 && bodies.length < 3000);
    assert.ok((await page.locator("#note").innerText()).includes(`one body in ${stride} of 5000`));
    assert.deepEqual(page.faults, []);
    await page.close();
});

await test("accessibility: axe finds nothing, on every page, light and dark", async () => {
    const axe = readFileSync(join(modules, "axe-core/axe.min.js"), "utf8");
    for (const colorScheme of ["light", "dark"]) {
        const page = await open("forces.html", { colorScheme });
        await page.evaluate(axe);
        for (const key of "123456") {
            await page.keyboard.press(key);
            if (key === "3") await page.click("ul.items button");
            const found = await page.evaluate(async () => (await globalThis.axe.run()).violations);
            const words = found.map((v) => `${v.id}: ${v.nodes.map((n) => n.html.slice(0, 120)).join(" | ")}`);
            assert.deepEqual(words, [], `${colorScheme}, page ${key}`);
        }
        assert.deepEqual(page.faults, []);
        await page.close();
    }
});

await test("two runs lie over each other", async () => {
    cleave("run", "loader", "--time", "1", "--every", "0.1", "--formulation", "dca", "--out", "second.cleave");
    cleave("report", "loader.cleave", "second.cleave", "--out", "both.html");
    const page = await open("both.html");
    const poses = await page.evaluate(() => {
        globalThis.cleave.seek(0.5);
        return [0, 1].map((run) => globalThis.cleave.pose(run, 1));
    });
    poses[0].forEach((x, i) => assert.ok(Math.abs(x - poses[1][i]) < 1e-4));
    await page.keyboard.press("2");
    assert.ok((await page.locator("#panel").innerText()).includes("energy.drift (2)"));
    assert.deepEqual(page.faults, []);
    await page.close();
});

await test("without WebGL the page says so, and has its numbers and plots", async () => {
    const plain = await playwright.chromium.launch({
        executablePath: chromium,
        args: ["--no-sandbox", "--disable-gpu", "--disable-software-rasterizer", "--disable-3d-apis"],
    });
    const page = await plain.newPage();
    const faults = [];
    page.on("pageerror", (e) => faults.push(e.message));
    await page.goto(pathToFileURL(join(folder, "loader.html")).href);
    await page.waitForFunction(() => globalThis.cleave);
    assert.match(await page.locator("#note").innerText(), /no 3D view \(WebGL is off\)/);
    assert.equal(await page.locator("#tools").isVisible(), false);
    await page.keyboard.press("2");
    await page.keyboard.press("End");
    assert.equal((await state(page)).time, 1);
    assert.match(await page.locator("#panel").innerText(), /Energy drift/);
    assert.deepEqual(faults, []);
    await plain.close();
});

await browser.close();
rmSync(folder, { recursive: true });
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
