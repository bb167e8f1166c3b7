#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`cleave snapshot`: a model file that starts with the state of a run goes on as the run does.

Use: test_snapshot.py PROGRAM [unittest options]"""
import csv
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM = "cleave"

# Crank, coupler and rocker, several turns of the crank, springs in a joint of the tree and in one that closes the loop.
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
  s: {kind: joint-load, joint: a, stiffness: 0.2, rest: 1, damping: 0.05}
  t: {kind: joint-load, joint: d, stiffness: 0.5}
  push: {kind: torque, body: crank, vector: [0, 0, 6], table: [[0, 1], [1, 2], [3, 0.5]]}
start:
  bodies: {coupler: {position: [0.2, 0, 0]}, rocker: {position: [0.7, 0, 0], orientation: {axis: [0, 0, 1], angle: 80 deg}}}
  joints: {a: {u: 20}}
"""
# Two gears, one driven by a formula, one slide by a table.
DRIVEN = """cleave: 1
bodies:
  small: {mass: 1, inertia: from shape, shape: {cylinder: [0.1, 0.02]}}
  large: {mass: 4, com: [0.01, 0, 0], inertia: [0.1, 0.1, 0.1]}
  slide: {mass: 1, inertia: [1, 1, 1]}
  arm: {mass: 1, com: [0.2, 0, 0], inertia: [0.01, 0.02, 0.02]}
joints:
  s: {kind: revolute, a: {body: ground}, b: {body: small}}
  l: {kind: revolute, a: {body: ground, position: [0.3, 0, 0]}, b: {body: large}}
  p: {kind: prismatic, a: {body: ground, position: [0, 1, 0]}, b: {body: slide}}
  u: {kind: spherical, a: {body: slide}, b: {body: arm}}
couplings: {mesh: {first: s, second: l, ratio: -0.5}}
motions:
  turn: {joint: s, rate: 9, amplitude: 0.5, frequency: 3, phase: 0.2}
  lift: {joint: p, table: [[0, 0], [1, 0.3], [2, -0.1], [5, 0.4]]}
start: {joints: {u: {u: [1, 2, 3]}}}
"""
# Two flexible beams on a body that floats, tips joined: a loop of flexible bodies without a joint to the ground.
FLEXIBLE = """cleave: 1
gravity: [0, 0, 0]
bodies:
  hub: {mass: 5, com: [0.1, 0.02, 0], inertia: [1, 1.2, 1.3]}
  left: {flexible: {beam: {length: 1, density: 2700, young: 7e9, rectangle: [0.02, 0.01], modes: {bend_y: 2, bend_z: 2}}, damping_ratio: 0.02}}
  right: {flexible: {beam: {length: 1, density: 2700, young: 7e9, rectangle: [0.02, 0.01], modes: {bend_y: 2, bend_z: 2}}, damping_ratio: 0.02}}
  bar: {mass: 0.5, inertia: [0.02, 0.02, 0.02]}
  loose: {flexible: {beam: {length: 1, density: 2700, young: 7e9, rectangle: [0.02, 0.01], modes: {bend_y: 1, bend_z: 1}}}}
joints:
  l: {kind: revolute, a: {body: hub, position: [0, 0.2, 0]}, b: {body: left}}
  r: {kind: revolute, a: {body: hub, position: [0, -0.2, 0]}, b: {body: right}}
  lt: {kind: revolute, a: {body: left.tip}, b: {body: bar, position: [0, 0.2, 0]}}
  rt: {kind: spherical, a: {body: right.tip}, b: {body: bar, position: [0, -0.2, 0]}}
forces:
  tie: {kind: spring-damper, between: [loose.tip, hub], stiffness: 0.05, damping: 0.01, length: 0.5}
  spin: {kind: torque, body: hub, vector: [1, 0.5, 3], frame: body, table: [[0, 1], [0.5, 0]]}
start:
  bodies: {hub: {angular_velocity: [0.1, 0.2, 0.5], velocity: [0.3, 0, 0]}, loose: {position: [0, 2, 0], angular_velocity: [0, 0, 1]}}
  joints: {l: {q: 0.2, u: 1}}
  modes: {left: {q: [0.002, 0, 0, 0]}, loose: {u: [0.001, 0]}}
"""


class Snapshot(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)

    def cleave(self, *words, code=0):
        done = subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, timeout=120, cwd=self.folder)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def last_row(self, name):
        with open(self.folder / name, newline="", encoding="utf-8") as f:
            rows = list(csv.reader(f))
        return dict(zip(rows[0], rows[-1]))

    def goes_on(self, text, at, end, *options, words=(), bound=1e-7):
        """The run to `end`, and the run from the snapshot at `at` over the rest: the largest difference of the ends."""
        (self.folder / "whole.yaml").write_text(text)
        options = [*options, "--rtol", "1e-10"] if "--step" not in options else list(options)
        self.cleave("run", "whole.yaml", *words, "--time", end, "--out", "whole.cleave", "--every", end / 20, *options)
        told = json.loads(self.cleave("snapshot", "whole.cleave", "part.yaml", "--time", at, "--force", "--json").stdout)
        self.assertLess(told["difference"], 1e-9)
        self.cleave("run", "part.yaml", "--time", end - at, "--out", "part.csv", "--every", end - at, "--force", *options)
        self.cleave("export", "whole.cleave", "whole.csv", "--force")
        whole, part = self.last_row("whole.csv"), self.last_row("part.csv")
        keys = [k for k in part if not k.startswith("time") and ".quaternion" not in k and k in whole and "energy" not in k]
        self.assertGreater(len(keys), 8)
        worst = max(abs(float(whole[k]) - float(part[k])) / max(1, abs(float(whole[k]))) for k in keys)
        self.assertLess(worst, bound, (at, options))
        (self.folder / "whole.cleave").unlink()
        return worst

    def test_a_loop_of_many_turns(self):
        for at in (0, 1.234, 2.5):
            self.goes_on(FOUR_BAR, at, 3)
        text = (self.folder / "part.yaml").read_text()
        self.assertRegex(text, r"a: \{q: \d\d")  # whole turns are kept

    def test_other_formulations(self):
        for formulation in ("dca", "aldca"):
            self.goes_on(FOUR_BAR, 0.8, 1.5, "--formulation", formulation, bound=1e-5)
        self.goes_on(FOUR_BAR, 0.5, 1, "--formulation", "index3", "--step", "0.0005", bound=1e-3)

    def test_motions_and_gears(self):
        for at in (0.7, 2.2):
            self.goes_on(DRIVEN, at, 3)

    def test_flexible_bodies_that_float(self):
        for at in (0.3, 0.8):
            self.goes_on(FLEXIBLE, at, 1, bound=1e-5)

    def test_examples(self):
        for name, end in (("bricard", 2), ("hdca-case3", 2), ("flex-arm", 0.5)):
            self.cleave("run", name, "--time", end, "--out", "e.cleave", "--rtol", "1e-10")
            told = json.loads(self.cleave("snapshot", "e.cleave", "e.yaml", "--time", 0.7 * end, "--json").stdout)
            self.assertLess(told["difference"], 1e-9)
            (self.folder / "e.cleave").unlink(), (self.folder / "e.yaml").unlink()

    def test_parameters_are_written_out(self):
        text = FOUR_BAR.replace("cleave: 1\n", "cleave: 1\nparameters: {m: {value: 1, unit: kg}}\n").replace(
            "crank:   {mass: 1,", "crank:   {mass: m,")
        self.goes_on(text, 1, 2, words=("m=3",))
        self.assertIn("# parameter m: 3 kg\n", (self.folder / "part.yaml").read_text())

    def test_a_run_that_ended_early_gives_its_last_frame(self):
        (self.folder / "m.yaml").write_text(FOUR_BAR)
        self.cleave("run", "m.yaml", "--time", 100, "--every", 0.5, "--max-steps", 300, "--out", "early.cleave", code=3)
        self.cleave("export", "early.cleave", "early.csv")
        last = float(self.last_row("early.csv")["time [s]"])
        told = json.loads(self.cleave("snapshot", "early.cleave", "last.yaml", "--json").stdout)
        self.assertEqual(told["time"], last)
        self.assertLess(last, 50)
        told = json.loads(self.cleave("snapshot", "early.cleave", "later.yaml", "--time", last + 0.5, "--json").stdout)
        self.assertEqual(told["time"], last + 0.5)

    def test_what_is_refused(self):
        (self.folder / "m.yaml").write_text(DRIVEN)
        self.cleave("run", "m.yaml", "--time", 1, "--out", "m.cleave")
        self.assertIn("the run ends at 1 s", self.cleave("snapshot", "m.cleave", "n.yaml", "--time", 2, code=1).stderr)
        self.cleave("snapshot", "m.cleave", "n.yaml")
        before = (self.folder / "n.yaml").read_text()
        self.cleave("snapshot", "m.cleave", "n.yaml", "--time", 0.5, code=1)
        self.assertEqual((self.folder / "n.yaml").read_text(), before)
        self.cleave("snapshot", "m.cleave", "n.yaml", "--time", 0.5, "--force")
        self.assertNotEqual((self.folder / "n.yaml").read_text(), before)
        self.cleave("snapshot", "m.cleave", "m.cleave", "--force", code=1)
        self.cleave("snapshot", "m.yaml", "o.yaml", code=2)
        self.cleave("snapshot", "absent.cleave", "o.yaml", code=2)
        self.assertFalse((self.folder / "o.yaml").exists())


if __name__ == "__main__":
    PROGRAM = str(Path(sys.argv.pop(1)).resolve())
    unittest.main()
