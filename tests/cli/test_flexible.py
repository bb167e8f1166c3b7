#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Flexible bodies by the command line: the pendulum of the reference folder, written out as modes, by the formulations; how far a
cantilever sags, and how fast it swings, against closed forms.

Use: test_flexible.py PROGRAM [unittest options]; CLEAVE_REFERENCE names the folder, without it the pendulum is skipped."""
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
NAME = "flexible/flex_pendulum_2modes.json"


def model(data):
    """Hub and beam as one body with a frame at the pivot, from the integrals of the reference: a line of mass, for the
    motion in a plane needs none about x."""
    beam, hub = data["beam"], data["hub"]
    i = data["integrals"]
    mass = hub["mass"] + i["m"]
    com = i["S1"] / mass
    about_com = i["J"] - mass * com**2
    rows = range(len(i["c"]))
    products = [[0, 0, 0, 0, i["Mff"][k][l], 0, 0, 0, 0] for k in rows for l in rows]
    arm = {
        "mass": mass, "com": [com, 0, 0], "inertia": [0, about_com, about_com, 0, 0, 0],
        "modal_mass": i["Mff"], "stiffness": i["K"],
        "momentum": [[0, x, 0] for x in i["c"]],
        "moments": [[0, x, 0, 0, 0, 0, 0, 0, 0] for x in i["d"]],
        "products": products,
        "nodes": {"tip": {"position": [hub["radius"] + beam["L"], 0, 0],
                          "shapes": [[0, x, 0, 0, 0, 0] for x in i["phi_tip"]]}},
    }
    return {"cleave": 1, "name": data["name"], "gravity": data["gravity"],
            "bodies": {"arm": {"flexible": {"spin_limit": 0, "modal": arm}}},
            "joints": {"pivot": {"kind": "revolute", "between": ["ground", "arm"], "at": [0, 0, 0], "axis": [0, 0, 1]}}}


def tip_of(data, k):
    """Place of the tip at the k-th time of the reference."""
    theta, eta = data["reference"]["theta"][k], data["reference"]["eta"][k]
    x = data["model"]["hub"]["radius"] + data["model"]["beam"]["L"]
    y = sum(phi * e for phi, e in zip(data["model"]["integrals"]["phi_tip"], eta))
    return math.cos(theta) * x - math.sin(theta) * y, math.sin(theta) * x + math.cos(theta) * y


class FlexiblePendulum(unittest.TestCase):
    def run_by(self, formulation, data):
        with tempfile.TemporaryDirectory() as folder:
            path, out = Path(folder) / "arm.yaml", Path(folder) / "arm.csv"
            path.write_text(json.dumps(model(data["model"])), encoding="utf-8")  # JSON is YAML
            times = data["reference"]["t"]
            words = ["run", path, "--formulation", formulation, "--integrator", "dop853", "--rtol", "1e-13",
                     "--time", times[-1], "--every", times[1], "--out", out]
            done = subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, timeout=250)
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(out, encoding="utf-8", newline="") as f:
                return list(csv.DictReader(f))

    def test_the_tip_moves_as_in_the_reference(self):
        path = Path(os.environ.get("CLEAVE_REFERENCE", "")) / NAME
        if "CLEAVE_REFERENCE" not in os.environ or not path.exists():
            self.skipTest(f"skipped: {NAME} (no CLEAVE_REFERENCE folder, or no such file)")
        data = json.loads(path.read_text(encoding="utf-8"))
        reach = data["model"]["hub"]["radius"] + data["model"]["beam"]["L"]
        bound = reach * max(data["reference"]["est_error"])  # 1.06e-12 m: what its own two runs differ by
        for formulation in ("hdca", "dca", "connection", "massmatrix", "aldca"):
            with self.subTest(formulation=formulation):
                rows = self.run_by(formulation, data)
                self.assertEqual(len(rows), len(data["reference"]["t"]))
                worst = 0
                for k, row in enumerate(rows):
                    self.assertAlmostEqual(float(row["time [s]"]), data["reference"]["t"][k], 12)
                    x, y = tip_of(data, k)
                    gap = math.hypot(float(row["arm.tip.position.x [m]"]) - x, float(row["arm.tip.position.y [m]"]) - y)
                    worst = max(worst, gap)
                print(f"{formulation:12} tip within {worst:.1e} m of the reference over {data['reference']['t'][-1]:g} s")
                self.assertLess(worst, bound)


class Cantilever(unittest.TestCase):
    """A beam of 2 m, 0.5 kg/m and EI = 90 N m^2, clamped at one end, after Euler and Bernoulli."""
    LENGTH, LINE, EI = 2.0, 0.5, 90.0

    def run_beam(self, modes, load, time, ratio, *more):
        beam = (f"beam: {{length: {self.LENGTH}, density: {self.LINE / 1e-3}, young: {self.EI / 1.8e-7!r}, area: 1e-3, "
                f"I_y: 1.8e-7, I_z: 1.8e-7, modes: {{bend_z: {modes}}}}}")
        text = f"cleave: 1\nbodies:\n  b: {{flexible: {{{beam}, damping_ratio: {ratio}}}}}\n"
        joints = "  j: {kind: fixed, between: [ground, b], at: [0, 0, 0]}\n"
        if load:
            text += f"  load: {{mass: {load}, inertia: [1e-9, 1e-9, 1e-9]}}\n"
            joints += "  k: {kind: fixed, a: {body: b.tip}, b: {body: load}}\n"
        with tempfile.TemporaryDirectory() as folder:
            path, out = Path(folder) / "beam.yaml", Path(folder) / "beam.csv"
            path.write_text(text + "joints:\n" + joints, encoding="utf-8")
            words = ["run", path, "--integrator", "dop853", "--rtol", "1e-10", "--time", time, "--out", out, *more]
            done = subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, timeout=250)
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(out, encoding="utf-8", newline="") as f:
                rows = list(csv.DictReader(f))
        return [(float(r["time [s]"]), float(r["b.tip.position.z [m]"])) for r in rows]

    def test_sag(self):
        """Own weight and a load at the tip: w L^4 / (8 EI) + F L^3 / (3 EI).  The statics of the tip are in the modes: two are enough."""
        for modes in (2, 4):
            for load in (0, 0.4):
                want = -9.81 * (self.LINE * self.LENGTH**4 / 8 + load * self.LENGTH**3 / 3) / self.EI
                self.assertAlmostEqual(self.run_beam(modes, load, 8, 1)[-1][1] / want, 1, delta=1e-7)

    def test_swing(self):
        """Let go from straight, the tip crosses its middle once in a period of the first mode; higher modes shift single crossings only."""
        for load in (0, 0.8):
            x = self.loaded_root(load)
            period = 2 * math.pi * math.sqrt(self.LINE / self.EI) * (self.LENGTH / x) ** 2
            rows = self.run_beam(4, load, 20.2 * period, 0, "--every", period / 400)
            level = self.sag_of_first(rows)
            cross = [a[0] + (b[0] - a[0]) * (level - a[1]) / (b[1] - a[1]) for a, b in zip(rows, rows[1:]) if a[1] > level >= b[1]]
            self.assertAlmostEqual((cross[-1] - cross[0]) / (len(cross) - 1) / period, 1, delta=1e-3)

    @staticmethod
    def sag_of_first(rows):
        return sum(z for _, z in rows) / len(rows)

    def loaded_root(self, load):
        """1 + cos cosh = r x (sin cosh - cos sinh), r: load over mass of the beam."""
        r, low, high = load / (self.LINE * self.LENGTH), 0.1, 1.9

        def f(x):
            return 1 + math.cos(x) * math.cosh(x) - r * x * (math.sin(x) * math.cosh(x) - math.cos(x) * math.sinh(x))
        for _ in range(80):
            middle = (low + high) / 2
            low, high = (middle, high) if f(middle) > 0 else (low, middle)
        return low


class SliderCrank(unittest.TestCase):
    """A crank on a motion with a flexible rod.  No rate is given: rod and slider start as with a rigid rod, modes at rest."""
    TEXT = """
cleave: 1
gravity: [0, 0, 0]
bodies:
  crank: {mass: 0.2, inertia: [1e-4, 1e-4, 1e-4]}
  rod: {flexible: {beam: {length: 0.3, density: 7870, young: 2e11, tube: [0.003, 0], modes: {bend_y: 3}}, spin_limit: 0}}
  slider: {mass: 0.03, inertia: [1e-5, 1e-5, 1e-5]}
joints:
  a: {kind: revolute, a: {body: ground}, b: {body: crank}}
  b: {kind: revolute, a: {body: crank, position: [0.15, 0, 0]}, b: {body: rod}}
  c: {kind: revolute, a: {body: rod.tip}, b: {body: slider}}
  d: {kind: prismatic, a: {body: ground, orientation: {x: [0, 1, 0], z: [1, 0, 0]}}, b: {body: slider, orientation: {x: [0, 1, 0], z: [1, 0, 0]}}}
motions: {m: {joint: a, offset: ANGLE, rate: 150}}
start: {MODESjoints: {b: {q: -0.1}, d: {q: 0.44}}}
"""

    def start(self, angle, modes="", formulation="hdca"):
        with tempfile.TemporaryDirectory() as folder:
            path, out = Path(folder) / "rod.yaml", Path(folder) / "rod.csv"
            path.write_text(self.TEXT.replace("ANGLE", str(angle)).replace("MODES", modes), encoding="utf-8")
            words = ["run", path, "--formulation", formulation, "--time", "1e-5", "--every", "1e-5", "--out", out]
            done = subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, timeout=250)
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(out, encoding="utf-8", newline="") as f:
                return {k.split(" [")[0]: float(x) for k, x in next(csv.DictReader(f)).items()}

    def test_start_as_with_a_rigid_rod(self):
        for formulation in ("hdca", "massmatrix", "aldca"):
            for angle in (0, 0.4, 1):
                row = self.start(angle, formulation=formulation)
                lean = -math.asin(0.15 / 0.3 * math.sin(angle))
                turn = -150 * 0.15 * math.cos(angle) / (0.3 * math.cos(lean))
                slide = -150 * 0.15 * math.sin(angle) - turn * 0.3 * math.sin(lean)
                with self.subTest(formulation=formulation, angle=angle):
                    for k in (1, 2, 3):
                        self.assertAlmostEqual(row[f"rod.mode.{k}.rate"], 0, 9)
                    self.assertAlmostEqual(row["b.u"], turn - 150, 7)
                    self.assertAlmostEqual(row["d.u"], slide, 7)

    def test_given_rates_of_modes_are_kept(self):
        row = self.start(0.4, "modes: {rod: {u: [0.3, -0.1, 0.02]}}, ")
        for k, rate in ((1, 0.3), (2, -0.1), (3, 0.02)):
            self.assertAlmostEqual(row[f"rod.mode.{k}.rate"], rate, 9)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main(verbosity=2)
