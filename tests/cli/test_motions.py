#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What check and run say of prescribed motions: jumps in velocity, overshoot, strokes that cannot be reached.

Use: test_motions.py PROGRAM [unittest options]"""
import json
import math
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM = "cleave"

CART = """cleave: 1
bodies: {c: {mass: 1, inertia: [1, 1, 1]}}
joints: {c: {kind: prismatic, between: [ground, c], at: [0, 0, 0], axis: [1, 0, 0]}}
motions: {mc: {joint: c, table: %s}}
"""

# A four-bar whose crank is driven beyond where coupler and rocker are in line.
TOGGLE = """cleave: 1
gravity: [0, -9.81, 0]
bodies:
  crank:   {mass: 1, inertia: [0.1, 0.1, 0.1]}
  coupler: {mass: 2, inertia: [0.1, 0.7, 0.7]}
  rocker:  {mass: 1, inertia: [0.1, 0.1, 0.1]}
joints:
  a: {kind: revolute, between: [ground, crank],   at: [0, 0, 0],     axis: [0, 0, 1]}
  b: {kind: revolute, between: [crank, coupler],  at: [0, 1, 0],     axis: [0, 0, 1]}
  c: {kind: revolute, between: [coupler, rocker], at: [2, 1, 0],     axis: [0, 0, 1]}
  d: {kind: revolute, between: [rocker, ground],  at: [2.5, 0.4, 0], axis: [0, 0, 1]}
motions: {turn: {joint: a, rate: 0.5}}
"""


class Motions(unittest.TestCase):
    def cleave(self, text, *words, code=0):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "m.yaml").write_text(text, encoding="utf-8")
            done = subprocess.run([PROGRAM, words[0], "m.yaml", *words[1:]], capture_output=True, text=True,
                                  timeout=200, cwd=folder)
        self.assertEqual(done.returncode, code, done.stderr + done.stdout)
        return done

    def test_check_names_jumps_in_velocity(self):
        text = self.cleave(CART % "[[0, 0], [1, 0.5], [2, 0]]", "check").stdout
        self.assertIn("motion 'mc' jumps in velocity by 0.75 m/s at t = 2 s\n", text)
        self.assertIn("initial velocities adjusted", self.cleave(TOGGLE, "check").stdout)
        found = json.loads(self.cleave(CART % "[[0.5, 0], [1, 0.5], [2, 0]]", "check", "--json").stdout)
        self.assertEqual([j["time"] for j in found["motions"]["mc"]["velocity_jumps"]], [0.5, 2])
        smooth = CART % "[[0, 0], [1, 0.5], [2, 0]], profile: smooth"
        self.assertNotIn("jumps", self.cleave(smooth, "check").stdout)

    def test_check_names_overshoot(self):
        dwell = "[[0, 0], [1, 0], [2, 0.08], [3, 0.08]]"
        self.assertIn("motion 'mc' overshoots its table by 0.01 m between t = 0 and 1 s", self.cleave(CART % dwell, "check").stdout)
        self.assertNotIn("overshoots", self.cleave(CART % (dwell + ", profile: monotone"), "check").stdout)

    def test_poses_that_a_motion_overrides_are_named(self):
        """A motion starts 0.3 rad from where its body is placed, a whole turn from there, there, or it is not placed."""
        model = ("cleave: 1\nname: g\nbodies:\n  p: {mass: 1, com: [0, -1, 0], inertia: [1, 1, 1]}\njoints:\n"
                 "  a: {kind: revolute, between: [ground, p], at: [0, 0, 0], axis: [0, 0, 1]}\n"
                 "motions:\n  m: {joint: a, offset: %s, rate: 1}\n")
        placed = model + "start:\n  bodies:\n    p: {orientation: {axis: [0, 0, 1], angle: 0.2}}\n"
        says = "motion 'm' starts 0.3 rad away from the poses given for the bodies of joint 'a'; the motion has priority"
        self.assertIn(says, self.cleave(placed % 0.3, "check").stdout)
        self.assertIn(says, self.cleave(placed % 0.3, "run", "--time", "0.1").stdout)
        found = json.loads(self.cleave(placed % 0.3, "check", "--json").stdout)
        self.assertAlmostEqual(found["motions"]["m"]["poses_overridden_by"], 0.3, 12)
        for text in (placed % 0, placed % (2 * math.pi), model % 0.3):
            self.assertNotIn("away from the poses", self.cleave(text, "check").stdout)

    def test_check_lists_inputs(self):
        model = ("cleave: 1\nname: g\nbodies:\n  p: {mass: 1, com: [0, -1, 0], inertia: [1, 1, 1]}\njoints:\n"
                 "  a: {kind: prismatic, between: [ground, p], at: [0, 0, 0], axis: [0, 0, 1]}\n"
                 "inputs:\n  push: {joint: a, limit: 20, value: 3}\n  twist: {body: p, torque: [0, 0, 1]}\n")
        text = self.cleave(model, "check").stdout
        self.assertIn("inputs                push: joint a, from -20 to 20, 3 N at the start\n", text)
        self.assertIn("                      twist: torque on body p, 0 at the start\n", text)
        found = json.loads(self.cleave(model, "check", "--json").stdout)["inputs"]
        self.assertEqual(found["push"], {"kind": "joint", "target": "a", "coordinate": 0, "unit": "N", "lowest": -20, "highest": 20,
                                         "value": 3})
        self.assertEqual((found["twist"]["kind"], found["twist"]["target"], found["twist"]["lowest"]), ("torque", "p", None))

    def test_run_counts_jumps(self):
        found = json.loads(self.cleave(CART % "[[0.5, 0], [1, 0.5], [2, 0]]", "run", "--time", "3", "--json").stdout)
        self.assertEqual((found["events"], found["velocity_jumps"]), (3, 2))
        self.assertLess(found["max_energy_drift"], 1e-5)

    def test_an_unreachable_stroke_ends_the_run(self):
        done = self.cleave(TOGGLE, "run", "--time", "5", code=3)
        self.assertIn("the prescribed stroke of 'turn' is unreachable at t = 0.44540", done.stderr)
        self.assertIn("'coupler' and 'rocker' are in line at joint 'c' (toggle)", done.stderr)
        self.assertIn("last good state at 0.4454", done.stdout)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
