#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""cleave gradient: an oscillator in closed form, names of numbers and outputs, refusals.

Use: test_gradient.py PROGRAM [unittest options]"""
import json
import math
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM = "cleave"

SLIDER = """cleave: 1
name: slider
time: 1.3
gravity: [0, 0, 0]
bodies: {b: {mass: 2, inertia: [1, 1, 1]}}
joints: {j: {kind: prismatic, a: {body: ground}, b: {body: b}}}
forces: {s.1: {kind: joint-load, joint: j, stiffness: 18, rest: 0.3}}
inputs: {f: {joint: j}}
markers: {p: {body: b}}
start: {joints: {j: {q: 0.5, u: 0.4}}}
"""


class Gradient(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / "slider.yaml").write_text(SLIDER)

    def run_it(self, *words):
        return subprocess.run([PROGRAM, "gradient", *words], cwd=self.folder, capture_output=True, text=True, timeout=300)

    def json(self, *words):
        done = self.run_it(*words, "--json", "--rtol", "1e-12")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_end(self):
        found = self.json("slider.yaml", "--of", "j.q", "--by", "b.mass,s.1.stiffness,s.1.rest,gravity.z")
        w, T, a, v = 3.0, 1.3, 0.2, 0.4
        on_w = -a * T * math.sin(w * T) + v * (T * math.cos(w * T) / w - math.sin(w * T) / w**2)
        self.assertAlmostEqual(found["value"], 0.3 + a * math.cos(w * T) + v / w * math.sin(w * T), 9)
        by = found["derivatives"]
        self.assertAlmostEqual(by["b.mass"], -on_w * w / 4, 9)
        self.assertAlmostEqual(by["s.1.stiffness"], on_w / (2 * w * 2), 9)
        self.assertAlmostEqual(by["s.1.rest"], 1 - math.cos(w * T), 9)
        self.assertAlmostEqual(by["gravity.z"], 2 * (1 - math.cos(w * T)) / 18, 9)

    def test_integral(self):
        found = self.json("slider.yaml", "--of", "p.velocity.z", "--by", "s.1.rest", "--integral", "--time", "2")
        self.assertAlmostEqual(found["value"], 0.2 * math.cos(6) + 0.4 / 3 * math.sin(6) - 0.2, 7)
        self.assertAlmostEqual(found["derivatives"]["s.1.rest"], 1 - math.cos(6), 7)

    def test_text(self):
        done = self.run_it("slider.yaml", "--of", "p.position.z", "--by", "b.mass,j.point_a.z")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("gradient of p.position.z at the end", done.stdout)
        self.assertIn("j.point_a.z                           1", done.stdout)
        self.assertIn("if it grows by 1 % from 2", done.stdout)

    def test_mistakes(self):
        for words, part in ((("--by", "b.mass"), "--of"), (("--of", "j.q"), "--by"), (("--of", "j.x", "--by", "b.mass"), "'j.x'"),
                            (("--of", "j.q", "--by", "b.size"), "'b.size'"), (("--of", "j.q", "--by", "b.mass,"), "''")):
            done = self.run_it("slider.yaml", *words)
            self.assertEqual(done.returncode, 1, words)
            self.assertIn(part, done.stderr)
        done = self.run_it("flex-arm", "--of", "joint.q", "--by", "gravity.z")
        self.assertEqual(done.returncode, 1)


if __name__ == "__main__":
    PROGRAM = str(Path(sys.argv.pop(1)).resolve())
    unittest.main()
