#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`cleave equilibrium`: the position of rest, and a model file that starts there and stays.

Use: test_equilibrium.py PROGRAM [unittest options]"""
import csv
import json
import math
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM = "cleave"

LINE = """cleave: 1
gravity: [0, -9.81, 0]
bodies:
  left: {mass: 1, com: [0.5, 0, 0], inertia: [0.01, 0.1, 0.1]}
  right: {mass: 1, com: [0.5, 0, 0], inertia: [0.01, 0.1, 0.1]}
joints:
  a: {kind: revolute, between: [ground, left], at: [0, 0, 0], axis: [0, 0, 1]}
  b: {kind: revolute, between: [left, right], at: [1, 0, 0], axis: [0, 0, 1]}
  c: {kind: revolute, between: [right, ground], at: [2, 0, 0], axis: [0, 0, 1]}
start: {bodies: {right: {position: [1, 0, 0]}}}
"""

# A four-bar on a spring between two points, with a damper and a drive; far from its rest.
FOUR_BAR = """cleave: 1
gravity: [0, -9.81, 0]
bodies:
  crank:   {mass: 1, com: [0.1, 0, 0], inertia: [0.001, 0.004, 0.004]}
  coupler: {mass: 2, com: [0.4, 0, 0], inertia: [0.01, 0.11, 0.11]}
  rocker:  {mass: 1, com: [0.3, 0, 0], inertia: [0.01, 0.03, 0.03]}
joints:
  a: {kind: revolute, between: [ground, crank], at: [0, 0, 0], axis: [0, 0, 1]}
  b: {kind: revolute, between: [crank, coupler], at: [0.2, 0, 0], axis: [0, 0, 1]}
  c: {kind: revolute, a: {body: coupler, position: [0.8, 0, 0]}, b: {body: rocker, position: [0.6, 0, 0]}}
  d: {kind: revolute, between: [ground, rocker], at: [0.7, 0, 0], axis: [0, 0, 1]}
forces:
  s: {kind: spring-damper, between: [ground, coupler], points: [[0.2, 1, 0], [0.4, 0, 0]], stiffness: 60, damping: 3, length: 0.3}
  t: {kind: joint-load, joint: d, damping: 0.8}
inputs: {m: {joint: a, value: 0.2}}
start:
  bodies: {coupler: {position: [0.2, 0, 0]}, rocker: {position: [0.7, 0, 0], orientation: {axis: [0, 0, 1], angle: 80 deg}}}
  joints: {a: {u: 20}}
"""


def potential(x):
    """J, of the four-bar at the crank angle x, without the library; the branch of the start."""
    b = (0.2 * math.cos(x), 0.2 * math.sin(x))
    to = (0.7 - b[0], -b[1])
    d = math.hypot(*to)
    beta = math.atan2(to[1], to[0]) + math.acos((0.64 + d * d - 0.36) / (1.6 * d))
    at = (b[0] + 0.4 * math.cos(beta), b[1] + 0.4 * math.sin(beta))
    c = (b[0] + 0.8 * math.cos(beta), b[1] + 0.8 * math.sin(beta))
    rocker = c[1] * 0.5
    long = math.hypot(at[0] - 0.2, at[1] - 1) - 0.3
    return 9.81 * (0.1 * math.sin(x) + 2 * at[1] + rocker) + 30 * long * long - 0.2 * x


class Equilibrium(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / "bar.yaml").write_text(FOUR_BAR)

    def cleave(self, *words, code=0):
        ran = subprocess.run([PROGRAM, *map(str, words)], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(ran.returncode, code, ran.stdout + ran.stderr)
        return ran

    def rows(self, name):
        with open(self.folder / name, newline="") as file:
            return [{k.split(" [")[0]: float(x) for k, x in row.items()} for row in csv.DictReader(file)]

    def test_four_bar(self):
        """The least of the potential; the derivative by differences is zero, and a damped run ends there."""
        found = json.loads(self.cleave("equilibrium", "bar.yaml", "--json", "--out", "rest.yaml").stdout)
        self.assertEqual((found["status"], found["stability"], found["degrees_of_freedom"]), ("ok", "stable", 1))
        x = found["joints"]["a"]["q"][0]
        slope = (potential(x + 1e-5) - potential(x - 1e-5)) / 2e-5
        self.assertLess(abs(slope), 1e-8)
        self.assertGreater(potential(x + 0.01), potential(x))
        self.assertGreater(potential(x - 0.01), potential(x))
        self.assertLess(found["residual"], 1e-12)
        self.assertLess(found["acceleration"], 1e-9)
        self.cleave("run", "rest.yaml", "--time", 2, "--out", "stay.csv", "--columns", "a.q,a.u")
        for row in self.rows("stay.csv"):
            self.assertLess(abs(row["a.q"] - x), 1e-9)
        self.cleave("run", "bar.yaml", "--time", 60, "--out", "settle.csv", "--columns", "a.q,a.u")
        end = self.rows("settle.csv")[-1]
        self.assertLess(abs(math.remainder(end["a.q"] - x, 2 * math.pi)), 1e-4)

    def test_modes(self):
        """A small oscillation of a run has the frequency, and decays by the damping ratio."""
        found = json.loads(self.cleave("equilibrium", "bar.yaml", "--modes", "--json", "--out", "rest.yaml").stdout)
        mode, = found["modes"]
        x, w, ratio = found["joints"]["a"]["q"][0], 2 * math.pi * mode["frequency"], mode["damping"]
        self.assertIn("natural modes", self.cleave("equilibrium", "bar.yaml", "--modes").stdout)
        text = (self.folder / "rest.yaml").read_text()
        (self.folder / "near.yaml").write_text(text.split("start:")[0] + "start:" + text.split("start:")[1].replace(
            "u: 0}", "u: 1e-3}", 1))
        self.cleave("run", "near.yaml", "--time", 4, "--every", 0.002, "--rtol", 1e-9, "--out", "near.csv",
                    "--columns", "a.q")
        rows = [(r["time"], r["a.q"] - x) for r in self.rows("near.csv")]
        zero = [t - y * (t - s) / (y - z) for (s, z), (t, y) in zip(rows, rows[1:]) if (y > 0) != (z > 0) and z != 0]
        period = 2 * (zero[-1] - zero[0]) / (len(zero) - 1)
        self.assertGreater(len(zero), 3)
        self.assertLess(abs(period * w * math.sqrt(1 - ratio * ratio) / (2 * math.pi) - 1), 1e-5)

    def test_kinds(self):
        self.assertIn("UNSTABLE in 1 of 1 degree of freedom", self.cleave("equilibrium", "four-bar-ladder").stdout)
        leave = json.loads(self.cleave("equilibrium", "four-bar-ladder", "--leave", "--json").stdout)
        self.assertEqual(leave["stability"], "stable")
        self.assertIn("neutral", self.cleave("equilibrium", "satellite").stdout)
        self.assertIn("nothing can move", self.cleave("equilibrium", "loader").stdout)

    def test_inputs(self):
        other = json.loads(self.cleave("equilibrium", "bar.yaml", "--input", "m=0.5", "--json").stdout)
        self.assertGreater(other["joints"]["a"]["q"][0],
                           json.loads(self.cleave("equilibrium", "bar.yaml", "--json").stdout)["joints"]["a"]["q"][0])

    def test_a_singular_start_is_not_called_loose(self):
        """Bars in one line between two pins: their common point may move for an instant only."""
        (self.folder / "line.yaml").write_text(LINE)
        said = self.cleave("equilibrium", "line.yaml", code=3).stderr
        self.assertIn("the loops undo every step, as in a singular position", said)
        self.assertIn("start where no links are in line", said)

    def test_refusals(self):
        self.assertIn("nothing holds the mechanism: 'base'", self.cleave("equilibrium", "tree-robot", code=3).stderr)
        failed = json.loads(self.cleave("equilibrium", "tree-robot", "--json", code=3).stdout)
        self.assertEqual(failed["error"]["code"], "CLV_ERR_NO_CONVERGENCE")
        (self.folder / "there.yaml").write_text("x")
        self.assertIn("there.yaml", self.cleave("equilibrium", "bar.yaml", "--out", "there.yaml", code=1).stderr)
        self.assertIn("bar.yaml", self.cleave("equilibrium", "bar.yaml", "--out", "bar.yaml", "--force", code=1).stderr)
        self.assertEqual((self.folder / "there.yaml").read_text(), "x")


if __name__ == "__main__":
    if len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
        PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main()
