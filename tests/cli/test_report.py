#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""cleave report: the page holds the numbers of the run, no text can leave its element, large runs are thinned, and what
cannot be written is refused.  What the page shows in a browser: tests/viewer/test_page.mjs.

Use: test_report.py PROGRAM [unittest options]"""
import base64
import json
import math
import os
import re
import struct
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

PROGRAM = "cleave"

HOSTILE = """\
cleave: 1
name: "</script><script>document.title='broken'</script>"
bodies:
  "<img src=x onerror=alert(1)>": {mass: 1, com: [0.5, 0, 0], inertia: [0.01, 0.1, 0.1]}
joints:
  "--></script><b>&amp;": {kind: revolute, between: [ground, "<img src=x onerror=alert(1)>"], at: [0, 0, 0], axis: [0, 0, 1]}
"""


def cleave(*words, folder=None):
    return subprocess.run([PROGRAM, *map(str, words)], cwd=folder, capture_output=True, text=True, timeout=300)


def viewer():
    return json.loads(cleave("doctor", "--json").stdout)["parts"]["viewer"]


class Page:
    """The data of one run of a page."""

    def __init__(self, text, run=0):
        self.meta = json.loads(re.search(rf'<script type="application/json" id="run{run}">(.*?)</script>', text, re.S)[1])
        self.times = self.numbers(text, f"times{run}", "d")
        self.poses = self.numbers(text, f"poses{run}", "f")
        self.curves = self.numbers(text, f"curves{run}", "f")
        self.width = sum(c["count"] for c in self.meta["curves"])

    @staticmethod
    def numbers(text, name, kind):
        data = base64.b64decode(re.search(rf'<script type="text/plain" id="{name}">([A-Za-z0-9+/=]*)</script>', text)[1], validate=True)
        return struct.unpack(f"<{len(data) // struct.calcsize(kind)}{kind}", data)

    def pose(self, frame, body):
        at = 7 * (frame * len(self.meta["bodies"]) + body)
        return self.poses[at:at + 7]

    def curve(self, name, frame):
        at = frame * self.width
        for c in self.meta["curves"]:
            if c["name"] == name:
                return self.curves[at:at + c["count"]]
            at += c["count"]
        raise KeyError(name)


class Report(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)
        if viewer().startswith("none"):
            self.skipTest("this build has no viewer")

    def good(self, *words):
        done = cleave(*words, folder=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def wrong(self, code, *words, says):
        done = cleave(*words, folder=self.folder)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        self.assertIn(says, done.stderr)

    def text(self, name):
        return (self.folder / name).read_text(encoding="utf-8")

    def table(self, run):
        self.good("export", run, "all.csv", "--force")
        heading, *lines = self.text("all.csv").splitlines()
        names = [name.split(" [")[0] for name in heading.split(",")]
        return [dict(zip(names, (float(x) if x else math.nan for x in line.split(",")), strict=True)) for line in lines]

    def test_a_page_holds_the_numbers_of_the_run(self):
        self.good("run", "loader", "--time", "2", "--every", "0.05", "--out", "a.cleave")
        self.good("report", "a.cleave")
        page, rows = Page(self.text("a.html")), self.table("a.cleave")
        self.assertEqual(list(page.times), [row["time"] for row in rows])
        for k in (0, 17, len(rows) - 1):
            for i, body in enumerate(page.meta["bodies"]):
                expected = [rows[k][f"{body['name']}.position.{x}"] for x in "xyz"] + [rows[k][f"{body['name']}.quaternion.{x}"] for x in "wxyz"]
                for a, b in zip(page.pose(k, i), expected, strict=True):
                    self.assertAlmostEqual(a, b, delta=1e-6)
            energy = [rows[j]["energy.kinetic"] + rows[j]["energy.potential"] - rows[j]["energy.work"] for j in (0, k)]
            self.assertAlmostEqual(page.curve("energy.drift", k)[0], energy[1] - energy[0], delta=1e-9)
            self.assertAlmostEqual(page.curve("L.effort", k)[0], rows[k]["L.effort"], delta=0.01)
        self.assertEqual({j["name"] for j in page.meta["joints"] if j["loop"]}.__len__(), page.meta["size"]["loops"])

    def test_a_step_longer_than_the_run_is_refused(self):
        self.wrong(1, "report", "pendulum", "--integrator", "rk4", "--step", "2", "--time", "1", says="cleave report: a step of 2 s")

    def test_the_results_are_those_of_the_run(self):
        result = json.loads(self.good("run", "loader", "--time", "2", "--out", "a.cleave", "--json"))
        self.good("report", "a.cleave", "--out", "b.html")
        meta = Page(self.text("b.html")).meta
        for name in ("energy_initial", "max_energy_drift", "max_position_violation", "steps", "loops", "mobility_found"):
            self.assertEqual(meta["results"][name], result[name])
        self.assertEqual(meta["results"]["status"], "ok")
        self.assertEqual(meta["settings"]["formulation"], "hdca")
        self.assertEqual(meta["peaks"]["largest_speed"]["body"], result["largest_speed"]["body"])
        self.assertEqual(set(meta["peaks"]["efforts"]), {"L.effort", "T.effort"})
        self.assertEqual(meta["sessions"][0]["version"], json.loads(self.good("doctor", "--json"))["version"])
        self.assertIn("boom", meta["text"])

    def test_a_model_is_run_first(self):
        text = self.good("report", "pendulum", "--time", "1", "--out", "p.html")
        self.assertIn("p.html is written", text)
        self.assertEqual(Page(self.text("p.html")).meta["frames"], 501)
        self.assertTrue((self.folder / "p.cleave").exists())
        self.good("report", "chain", "links=3", "--time", "1", "--every", "0.1", "--integrator", "rk4", "--step", "0.001")
        meta = Page(self.text("chain.html")).meta
        self.assertEqual((meta["frames"], len(meta["bodies"]), meta["settings"]["integrator"]), (11, 3, "rk4"))

    def test_a_run_writes_its_page(self):
        result = json.loads(self.good("run", "pendulum", "--time", "1", "--report", "p.html", "--json"))
        self.assertEqual(result["status"], "ok")
        meta = Page(self.text("p.html")).meta
        self.assertEqual((meta["frames"], meta["results"]["steps"]), (501, result["steps"]))
        self.assertIn("p.html is written", self.good("run", "pendulum", "--time", "1", "--report", "p.html", "--out", "q.cleave", "--force"))
        self.assertTrue((self.folder / "q.cleave").exists())
        (self.folder / "x.cleave").unlink(missing_ok=True)
        self.wrong(1, "run", "pendulum", "--report", "p.html", "--out", "x.cleave", says="p.html exists")
        self.assertFalse((self.folder / "x.cleave").exists())
        self.wrong(1, "run", "pendulum", "--report", "x.html", "--out", "x.csv", says="--out FILE.cleave")
        self.wrong(1, "run", "pendulum", "--report", "x.html", "--columns", "energy.*", says="leave out --columns")
        self.wrong(1, "run", "pendulum", "--report", "x.pdf", says="must end in .html")
        self.assertIn("open d.html", self.good("demo", "--report", "d.html"))
        self.assertEqual(Page(self.text("d.html")).meta["name"], "hdca-case3")

    def test_the_division_has_every_body_once(self):
        legs = "".join(f"  b{i}: {{mass: 1, inertia: [0.1, 0.1, 0.1]}}\n  c{i}: {{mass: 1, inertia: [0.1, 0.1, 0.1]}}\n" for i in range(9))
        joints = "".join(f"  j{i}: {{kind: spherical, between: [hub, b{i}], at: [{i}, 0, 0]}}\n"
                         f"  k{i}: {{kind: revolute, between: [b{i}, c{i}], at: [{i}, 1, 0], axis: [0, 0, 1]}}\n"
                         f"  l{i}: {{kind: spherical, between: [hub, c{i}], at: [{i}, 1, 1]}}\n" for i in range(9))
        (self.folder / "hub.yaml").write_text(f"cleave: 1\nbodies:\n  hub: {{mass: 1, inertia: [1, 1, 1]}}\n{legs}joints:\n{joints}", encoding="utf-8")
        for words in (["loader"], ["satellite"], ["jsc-18"], ["jsc-18", "--formulation", "connection"], ["mmsev-flexible"], ["loader", "--formulation", "aldca"],
                      ["hdca-case3", "--formulation", "index3", "--step", "0.001"], ["hub.yaml"]):
            with self.subTest(words=words):
                self.good("run", *words, "--time", "0.01", "--report", "d.html", "--force")
                meta = Page(self.text("d.html")).meta
                d, names = meta["division"], {j["name"] for j in meta["joints"]} | {s["name"] for s in meta["springs"]}
                below = [k for part in d["parts"] for k in part["children"]]
                self.assertEqual(len(below), len(set(below)))
                for i, part in enumerate(d["parts"]):
                    self.assertTrue(all(k < i for k in part["children"]))
                    self.assertLessEqual(set(part["closes"]), names)
                    self.assertEqual(part["children"] == [], part["strand"] >= 0 or part["flexible"] >= 0)
                strands = [part["strand"] for part in d["parts"] if part["strand"] >= 0]
                folded = [k for k, into in enumerate(d["folds"]) if into >= 0]
                self.assertEqual(len(strands), len(set(strands)))
                self.assertFalse(set(strands) & set(folded))
                flexible = {part["flexible"] for part in d["parts"] if part["flexible"] >= 0}
                for strand, f in zip(d["strand_of"], d["flexible_of"], strict=True):
                    self.assertTrue(0 <= strand < len(d["folds"]) or (strand == -1 and f in flexible))
                self.assertEqual(set(d["strand_of"]) - {-1}, set(range(len(d["folds"]))))
                closed = {name for part in d["parts"] for name in part["closes"]}
                self.assertLessEqual({j["name"] for j in meta["joints"] if j["loop"]}, closed)

    def test_view_opens_the_page(self):
        opener, seen = self.folder / "open.sh", self.folder / "seen"
        opener.write_text(f"#!/bin/sh\nprintf '%s' \"$1\" >{seen}.new\nmv {seen}.new {seen}\n", encoding="utf-8")
        opener.chmod(0o755)
        env = {**os.environ, "BROWSER": f"{opener}:other", "TMPDIR": str(self.folder)}
        done = subprocess.run([PROGRAM, "view", "pendulum", "--time", "0.1"], cwd=self.folder, capture_output=True, text=True, timeout=60, env=env)
        self.assertEqual(done.returncode, 0, done.stderr)
        for _ in range(200):
            if seen.exists():
                break
            time.sleep(0.05)
        page = Path(seen.read_text(encoding="utf-8"))
        self.assertEqual((page.name, page.parent.parent), ("pendulum.html", self.folder.resolve()))
        self.assertEqual(Page(page.read_text(encoding="utf-8")).meta["name"], "pendulum")
        self.assertFalse((self.folder / "pendulum.html").exists())
        env["BROWSER"] = "/no/such/program"
        done = subprocess.run([PROGRAM, "view", "pendulum", "--time", "0.1", "--out", "p.html"], cwd=self.folder, capture_output=True, text=True, timeout=60,
                              env=env)
        self.assertEqual(done.returncode, 4)
        self.assertIn("/no/such/program cannot be started", done.stderr)
        self.assertIn(str(self.folder.resolve() / "p.html"), done.stderr)
        self.assertTrue((self.folder / "p.html").exists())

    def test_a_run_of_no_time_has_one_frame(self):
        self.good("run", "pendulum", "--time", "0", "--report", "z.html")
        page = Page(self.text("z.html"))
        self.assertEqual((page.times, page.meta["frames"]), ((0.0,), 1))
        self.assertEqual(len(self.table("z.cleave")), 1)

    def test_the_last_word_names_the_page(self):
        self.good("run", "hdca-case1", "--time", "0.1", "--out", "a.cleave")
        self.good("report", "a.cleave", "named.html")
        self.assertEqual(Page(self.text("named.html")).meta["freedoms"], "2 (Gruebler count -1; 3 redundant constraints)")
        self.good("report", "loader", "--time", "0.1", "both.html", "--force")
        self.assertEqual(Page(self.text("both.html")).meta["freedoms"],
                         "2, both driven by motions (Gruebler count -7; 9 redundant constraints)")
        self.wrong(1, "report", "named.html", says="name a run file or a model before the page")
        self.wrong(1, "report", "a.cleave", "b.html", "--out", "c.html", says="the page is named twice")

    def test_two_runs(self):
        self.good("run", "pendulum", "--time", "1", "--out", "a.cleave")
        self.good("run", "double-pendulum", "--time", "2", "--out", "b.cleave")
        self.good("report", "a.cleave", "b.cleave")
        text = self.text("a.html")
        self.assertEqual([Page(text, i).meta["name"] for i in (0, 1)], ["pendulum", "double-pendulum"])

    def test_names_cannot_leave_their_element(self):
        (self.folder / "h.yaml").write_text(HOSTILE, encoding="utf-8")
        self.good("report", "h.yaml", "--time", "0.1")
        text = self.text("h.html")
        page = Page(text)
        self.assertEqual(page.meta["bodies"][0]["name"], "<img src=x onerror=alert(1)>")
        self.assertTrue(page.meta["name"].startswith("</script>"))
        self.assertNotIn("<img src=x", text)
        self.assertNotIn("document.title='broken'</script>", text)
        plain = self.good("report", "pendulum", "--time", "0.1") and self.text("pendulum.html")
        self.assertEqual(text.count("</script>"), plain.count("</script>"))

    def test_a_page_asks_no_network(self):
        self.good("report", "pendulum", "--time", "0.1")
        text = self.text("pendulum.html")
        policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)[1]
        self.assertIn("default-src 'none'", policy)
        self.assertNotIn("unsafe", policy)
        self.assertNotIn("connect-src", policy)
        self.assertIsNone(re.search(r"<(link|iframe|img|base)\b", text.split("<script")[0]))

    def test_large_runs_are_thinned_and_the_page_says_so(self):
        self.good("run", "chain", "links=1000", "--formulation", "dca", "--integrator", "rk4", "--step", "0.01", "--time", "3", "--every", "0.01",
                  "--out", "big.cleave")
        text = self.good("report", "big.cleave")
        self.assertRegex(text, r"big.html is written, \d+ of 301 frames")
        size = (self.folder / "big.html").stat().st_size
        self.assertLess(size, 8e6)
        page = Page(self.text("big.html"))
        self.assertEqual((page.times[0], page.times[-1], len(page.meta["bodies"])), (0, 3, 1000))
        self.assertGreaterEqual(page.meta["frames"], 120)
        self.assertEqual(len(page.times), page.meta["frames"])
        self.assertIn("velocities of bodies", page.meta["left_out"])

    def test_more_bodies_than_a_page_holds_are_thinned(self):
        self.good("run", "chain", "links=6000", "--formulation", "dca", "--integrator", "rk4", "--step", "0.01", "--time", "0.05", "--every", "0.01",
                  "--out", "many.cleave")
        text = self.good("report", "many.cleave")
        page = Page(self.text("many.html"))
        stride = page.meta["stride"]
        self.assertGreater(stride, 1)
        self.assertIn(f"one body in {stride}", text)
        self.assertEqual([b["name"] for b in page.meta["bodies"]], [f"B{1 + i}" for i in range(0, 6000, stride)])
        self.assertLess((self.folder / "many.html").stat().st_size, 8e6)
        self.assertEqual(page.meta["model_bodies"], 6000)

    def test_what_cannot_be_written_is_refused(self):
        self.good("run", "pendulum", "--time", "1", "--out", "a.cleave")
        self.good("report", "a.cleave")
        self.wrong(1, "report", "a.cleave", says="a.html")
        self.good("report", "a.cleave", "--force")
        self.wrong(1, "report", "a.cleave", "--out", "a.pdf", says="must end in .html")
        self.wrong(1, "report", "a.cleave", "--time", "3", "--force", says="options of a run are for a model")
        self.wrong(1, "report", "a.cleave", "a.cleave", "a.cleave", "--force", says="one run file or two")
        self.wrong(2, "report", "none.cleave", "--out", "n.html", says="none.cleave")
        self.assertFalse((self.folder / "n.html").exists())
        self.wrong(2, "report", "pendulun", says="did you mean pendulum?")
        (self.folder / "bad.cleave").write_bytes(b"no run file" * 100)
        self.wrong(2, "report", "bad.cleave", says="not a run file")
        self.good("run", "pendulum", "--time", "1", "--out", "b.cleave", "--columns", "energy.kinetic")
        self.wrong(1, "report", "b.cleave", says="no poses of bodies")
        damaged = bytearray((self.folder / "a.cleave").read_bytes())
        at = damaged.find(struct.pack("<d", 0.5))
        damaged[at] ^= 1
        (self.folder / "d.cleave").write_bytes(damaged)
        self.wrong(2, "report", "d.cleave", says="damaged")
        self.assertFalse((self.folder / "d.html").exists())

    def test_errors_name_the_command(self):
        """A model is run first; errors of this run are those of the command that was given."""
        self.wrong(2, "report", "none.yaml", says="cleave report: there is no readable file none.yaml")
        self.wrong(1, "report", "pendulum", "--integrator", "none", says="cleave report: unknown integrator")
        self.wrong(2, "view", "none.yaml", says="cleave view: there is no readable file none.yaml")
        self.wrong(1, "demo", "--report", "a.txt", says="cleave demo: a.txt: the name of the page must end in .html")
        self.wrong(4, "demo", "--report", "no/a.html", says="cleave demo: no/a.cleave cannot be written")
        self.wrong(1, "run", "pendulum", "--report", "a.txt", says="cleave run: a.txt")

    def test_a_run_that_failed_has_its_page(self):
        (self.folder / "toggle.yaml").write_text("""\
cleave: 1
bodies:
  slide: {mass: 1, inertia: [1, 1, 1]}
  rod: {mass: 1, inertia: [1, 1, 1], com: [0.5, 0, 0]}
joints:
  s: {kind: prismatic, between: [ground, slide], at: [0, 0, 0], axis: [1, 0, 0]}
  p: {kind: revolute, between: [slide, rod], at: [0, 0, 0], axis: [0, 0, 1]}
  d: {kind: distance, between: [ground, rod], at: [1, 1, 0], at_b: [1, 0, 0]}
motions:
  push: {joint: s, rate: 1}
time: 5
""", encoding="utf-8")
        done = cleave("report", "toggle.yaml", folder=self.folder)
        self.assertEqual(done.returncode, 3, done.stderr)
        meta = Page(self.text("toggle.html")).meta
        self.assertNotEqual(meta["results"]["status"], "ok")
        self.assertIn("failure", [e["kind"] for e in meta["events"]])


class Absent(unittest.TestCase):
    def test_a_build_without_the_viewer_names_what_to_install(self):
        if not viewer().startswith("none"):
            self.skipTest("this build has the viewer")
        for words in (["report", "pendulum"], ["view", "pendulum"], ["run", "pendulum", "--report", "p.html"], ["demo", "--report", "p.html"]):
            done = cleave(*words)
            self.assertEqual(done.returncode, 1)
            self.assertIn("Node.js", done.stderr)
            self.assertIn("npm", done.stderr)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
