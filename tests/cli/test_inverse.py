#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`cleave inverse`: efforts for motions of a model and of a file; a run with these efforts follows the motion.

Use: test_inverse.py PROGRAM [unittest options]"""
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

LINKS = """cleave: 1
gravity: [0, -9.81, 0]
bodies:
  crank:   {mass: 1, com: [0, 0.5, 0],   inertia: [0.08, 0.01, 0.08]}
  coupler: {mass: 2, com: [1, 0.25, 0],  inertia: [0.05, 0.70, 0.71]}
  rocker:  {mass: 1, com: [0, -0.75, 0], inertia: [0.19, 0.01, 0.19]}
joints:
  a: {kind: revolute, between: [ground, crank],   at: [0, 0, 0],   axis: [0, 0, 1]}
  b: {kind: revolute, between: [crank, coupler],  at: [0, 1, 0],   axis: [0, 0, 1]}
  c: {kind: revolute, between: [coupler, rocker], at: [2, 1.5, 0], axis: [0, 0, 1]}
  d: {kind: revolute, between: [rocker, ground],  at: [2, 0, 0],   axis: [0, 0, 1]}
start:
  bodies: {coupler: {position: [0, 1, 0]}, rocker: {position: [2, 1.5, 0]}}
"""
ARM = """cleave: 1
gravity: [0, -9.81, 0]
bodies:
  upper: {mass: 3, com: [0.25, 0, 0], inertia: [0.01, 0.07, 0.07]}
  fore: {mass: 2, com: [0.2, 0, 0], inertia: [0.01, 0.03, 0.03]}
joints:
  s: {kind: revolute, a: {body: ground}, b: {body: upper}}
  e: {kind: revolute, a: {body: upper, position: [0.5, 0, 0]}, b: {body: fore}}
start: {joints: {s: {q: 0, u: 0.6}, e: {q: 0.5, u: 0}}}
"""
URDF = """<robot name="arm">
  <link name="base"/>
  <link name="one"><inertial><origin xyz="0.1 0.02 0.2"/><mass value="2"/>
    <inertia ixx="0.05" iyy="0.06" izz="0.02" ixy="0.001" ixz="0.002" iyz="0.003"/></inertial></link>
  <link name="two"><inertial><origin xyz="0.2 0 -0.05"/><mass value="1"/>
    <inertia ixx="0.01" iyy="0.03" izz="0.03" ixy="0" ixz="0" iyz="0.001"/></inertial></link>
  <joint name="j1" type="revolute"><parent link="base"/><child link="one"/><axis xyz="0 0 1"/>
    <limit lower="-3" upper="3" effort="0" velocity="0"/></joint>
  <joint name="j2" type="revolute"><parent link="one"/><child link="two"/><origin xyz="0 0.1 0.4" rpy="0.3 0.2 0.1"/>
    <axis xyz="0 1 0"/><limit lower="-3" upper="3" effort="0" velocity="0"/></joint>
</robot>
"""


def motion(t):
    """Coordinates, rates and accelerations of the two joints."""
    return ((0.3 * math.sin(2 * t), 0.6 * math.cos(2 * t), -1.2 * math.sin(2 * t)),
            (0.5 * math.cos(3 * t), -1.5 * math.sin(3 * t), -4.5 * math.cos(3 * t)))


def arm_efforts(t):
    """tau = M a + C + g of the arm, closed form."""
    (q1, u1, a1), (q2, u2, a2) = motion(t)
    c, h = math.cos(q2), 2 * 0.5 * 0.2 * math.sin(q2)
    m11 = 3 * 0.0625 + 0.07 + 2 * (0.25 + 0.04 + 0.2 * c) + 0.03
    m12, m22 = 2 * (0.04 + 0.1 * c) + 0.03, 2 * 0.04 + 0.03
    fore = 0.4 * 9.81 * math.cos(q1 + q2)
    return (m11 * a1 + m12 * a2 - h * (2 * u1 * u2 + u2 * u2) + 1.75 * 9.81 * math.cos(q1) + fore,
            m12 * a1 + m22 * a2 + h * u1 * u1 + fore)


class Inverse(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.write("arm.yaml", ARM)

    def write(self, name, text):
        (self.folder / name).write_text(text)

    def cleave(self, *words, code=0):
        ran = subprocess.run([PROGRAM, *map(str, words)], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(ran.returncode, code, ran.stdout + ran.stderr)
        return ran

    def rows(self, name):
        with open(self.folder / name, newline="") as file:
            return [{k.split(" [")[0]: float(x) for k, x in row.items()} for row in csv.DictReader(file)]

    def write_motion(self, name, n, columns):
        """Rows of the motion; columns: "q", "qu" or "qua"; the first coordinate in degrees."""
        head = ["time"] + [f"{j}.{what}{' [deg]' if j + what == 'sq' else ''}" for j in "se"
                           for what in [{"q": "q", "u": "u", "a": "udot"}[c] for c in columns]]
        lines = [",".join(head)]
        for i in range(n):
            t = i / (n - 1)
            x = [m["qua".index(c)] * (180 / math.pi if j == 0 and c == "q" else 1)
                 for j, m in enumerate(motion(t)) for c in columns]
            lines.append(",".join(map(repr, [t, *x])))
        self.write(name, "\n".join(lines) + "\n")

    def test_arm(self):
        """Against the closed form: given accelerations to rounding, those of splines to their order."""
        worst = {}
        for columns, n in (("qua", 11), ("qu", 101), ("q", 101), ("q", 401)):
            self.write_motion("m.csv", n, columns)
            self.cleave("inverse", "arm.yaml", "--motion", "m.csv", "--out", "tau.csv", "--force")
            worst[columns, n] = max(abs(row[f"{j}.effort"] - tau) for row in self.rows("tau.csv")
                                    for j, tau in zip("se", arm_efforts(row["time"])))
        self.assertLess(worst["qua", 11], 2e-13)
        self.assertLess(worst["qu", 101], 1e-4)
        self.assertLess(worst["q", 101], 1e-2)
        self.assertLess(worst["q", 401], worst["q", 101] / 14)

    def test_round_trip(self):
        """A run with the efforts as tables follows the motion; tables are linear between their rows: order 2."""
        off = {}
        for n in (501, 1001):
            self.write_motion("m.csv", n, "qua")
            self.cleave("inverse", "arm.yaml", "--motion", "m.csv", "--out", "tau.csv", "--force")
            forces = "forces:\n"
            for j in "se":
                table = ", ".join(f"[{r['time']!r}, {r[j + '.effort']!r}]" for r in self.rows("tau.csv"))
                forces += f"  {j}m: {{kind: joint-load, joint: {j}, drive: [{table}]}}\n"
            self.write("driven.yaml", ARM + forces)
            self.cleave("run", "driven.yaml", "--time", 1, "--rtol", 1e-9, "--out", "back.csv", "--columns", "*.q",
                        "--force")
            off[n] = max(abs(row[f"{j}.q"] - m[0]) for row in self.rows("back.csv")
                         for j, m in zip("se", motion(row["time"])))
        self.assertLess(off[1001], 3e-5)
        self.assertTrue(3.5 < off[501] / off[1001] < 4.5, off)

    def test_free_motion_needs_nothing(self):
        self.cleave("run", "arm.yaml", "--time", 1, "--rtol", 1e-10, "--out", "free.csv", "--columns",
                    "*.q,*.u,*.udot")
        self.cleave("inverse", "arm.yaml", "--motion", "free.csv", "--out", "tau.csv", "--columns", "e.force")
        rows = self.rows("tau.csv")
        self.assertLess(max(abs(r[f"{j}.effort"]) for r in rows for j in "se"), 1e-12)
        self.assertIn("e.force.y", rows[0])

    def test_loader(self):
        """Loops, motions of the model: the efforts that eval finds; other actuators give the same motion."""
        for t in (0.5, 1.5, 6.7):
            at = json.loads(self.cleave("inverse", "loader", "--at", t, "--json").stdout)
            there = json.loads(self.cleave("eval", "loader", "--time", t, "--columns", "*.effort", "--json").stdout)
            for name in "LT":
                found = at["actuators"][name]["largest"]
                self.assertLess(abs(found - there[f"{name}.effort"]), 1e-6 * abs(found))
            self.assertTrue(at["met"])
        many = json.loads(self.cleave("inverse", "loader", "--at", 1.5, "--actuators", "A,L,T,C", "--weights",
                                      "A=1e14,C=1e14", "--json").stdout)
        two = json.loads(self.cleave("inverse", "loader", "--at", 1.5, "--json").stdout)
        self.assertEqual((many["degrees_of_freedom"], many["independent_actuators"]), (2, 2))
        for name in "LT":
            found = two["actuators"][name]["largest"]
            self.assertLess(abs(many["actuators"][name]["largest"] - found), 1e-6 * abs(found))
        few = json.loads(self.cleave("inverse", "loader", "--at", 1.5, "--actuators", "L", "--json", code=3).stdout)
        self.assertFalse(few["met"])
        self.assertEqual(few["status"], "numerical_failure")

    def test_refusals(self):
        self.write_motion("m.csv", 11, "q")
        self.write("one.csv", "time,s.q\n0,0\n1,1\n2,0\n")
        for words, told in ((["--motion", "one.csv"], "left, such as that of 'e'"),
                            (["--motion", "m.csv", "--actuators", "z"], "no joint with a degree of freedom named 'z'"),
                            (["--motion", "m.csv", "--weights", "s=0"], "positive"),
                            (["--motion", "m.csv", "--weights", "q=1"], "not an actuator"),
                            (["--motion", "m.csv", "--weights", "s=1,s=2"], "names 's' twice"),
                            (["--motion", "m.csv", "--at", "1"], "has its own times"),
                            (["--motion", "m.csv", "--out", "x.npz"], "must end in .csv"),
                            ([], "no motions")):
            self.assertIn(told, self.cleave("inverse", "arm.yaml", *words, code=1).stderr)
        self.assertIn("is flexible", self.cleave("inverse", "flex-arm", "--motion", "m.csv", code=2).stderr)
        self.assertFalse((self.folder / "x.npz").exists())

    def test_files_that_are_wrong(self):
        """Named with their line, exit code 2."""
        for text, told in (("", "x.csv is empty"), ("time,x.q\n0,0\n", "x.csv has no coordinate of a free joint"),
                           ("s.q,e.q\n0,0\n1,1\n2,0\n", "x.csv has no column 'time'"),
                           ("time,s.q,e.q\n", "x.csv: rates from a spline need 3 rows"),
                           ("time,s.q,e.q\n0,0,0\n1,0,0\n1,0,0\n", "x.csv, line 4: times must rise"),
                           ("time,s.q [kg],e.q\n0,0,0\n1,0,0\n2,0,0\n", "x.csv, line 1: column 's.q' is in 'kg'"),
                           ("time,s.q,e.q\n0,0,0\n1,,0\n2,0,0\n", "x.csv, line 3 has no number in column 's.q'"),
                           ("time,s.q,e.q\n0,0,0\n1,0\n2,0,0\n", "x.csv, line 3 has 2 numbers"),
                           ("time,s.q,e.q\n0,0,0\n1,x,0\n2,0,0\n", "x.csv, line 3: 'x' is not a number"),
                           ("time,s.q,e.q\n0,0,0\n1,0x10,0\n2,0,0\n", "x.csv, line 3: '0x10' is not a number"),
                           ("time,s.q,s.q,e.q\n0,0,0,0\n1,1,1,0\n2,0,0,0\n", "x.csv, line 1: column 's.q' is there twice")):
            self.write("x.csv", text)
            self.assertIn(told, self.cleave("inverse", "arm.yaml", "--motion", "x.csv", code=2).stderr)
        self.cleave("inverse", "arm.yaml", "--motion", "missing.csv", code=2)
        self.write("x.csv", "time,s.q,e.q\n0,0,0\n1,1e300,0\n2,0,0\n")
        self.assertIn("x.csv, line 2 (t = 0 s): the effort of 's' is not finite",
                      self.cleave("inverse", "arm.yaml", "--motion", "x.csv", code=3).stderr)

    def test_what_loops_do_not_allow_is_named_with_its_line(self):
        self.write("links.yaml", LINKS)
        self.write("far.csv", "time,d.q\n0,0\n1,0.1\n2,0.2\n3,1.57\n")
        said = self.cleave("inverse", "links.yaml", "--motion", "far.csv", code=3).stderr
        self.assertRegex(said, r"far.csv, line 5 \(t = 3 s\): .*stays open by [0-9.]+ \(m or rad\)")
        self.write("both.csv", "time,a.q,a.u,a.udot,d.q,d.u,d.udot\n0,0,1,0,0,1,0\n")
        said = self.cleave("inverse", "links.yaml", "--motion", "both.csv", code=3).stderr
        self.assertRegex(said, r"both.csv, line 2 \(t = 0 s\): .*stays open by [0-9.]+ \(m/s or rad/s\)")
        self.assertIn("give as few as there are degrees of freedom", said)

    def test_pinocchio(self):
        """rnea of Pinocchio on a spatial robot; skipped where it is not installed."""
        try:
            import numpy
            import pinocchio
        except ImportError:
            self.skipTest("Pinocchio is not installed")
        if json.loads(self.cleave("doctor", "--json").stdout)["parts"]["expat"] == "none":
            self.skipTest("built without expat")
        self.write("arm.urdf", URDF)
        self.write_motion("m.csv", 11, "qua")
        head, rest = (self.folder / "m.csv").read_text().split("\n", 1)
        self.write("m.csv", head.replace("s.", "j1.").replace("e.", "j2.") + "\n" + rest)
        self.cleave("inverse", "arm.urdf", "--motion", "m.csv", "--out", "tau.csv")
        model = pinocchio.buildModelFromUrdf(str(self.folder / "arm.urdf"))
        data = model.createData()
        for row in self.rows("tau.csv"):
            q, u, a = (numpy.array(x) for x in zip(*motion(row["time"])))
            tau = pinocchio.rnea(model, data, q, u, a)
            for i in (0, 1):
                self.assertLess(abs(row[f"j{i + 1}.effort"] - tau[i]), 1e-12)


if __name__ == "__main__":
    if len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
        PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main()
