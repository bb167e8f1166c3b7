#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Events of models on the command line: the example `capture` with its numbers, what verify, sweep and check do with
events, and what is refused.

Use: test_events.py PROGRAM [unittest options]"""
import csv
import json
import math
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM = "cleave"
# capture: s, N m s (locks) or N s, J; by dca, massmatrix and hdca at rtol 1e-11, which agree in all these digits
CAPTURE = {"latch root1": (0.920919344, 3.73909514, 2.20063665), "latch root2": (0.920276423, 3.97460430, 2.50885198),
           "latch inner1": (4.10033025, -11.0663946, 1.21430719), "latch inner2": (4.04603103, -15.7956121, 3.14410360),
           "latch outer1": (3.35040386, 4.35904884, 4.64329840), "latch outer2": (3.33075603, 4.38677337, 4.70362615),
           "grasp": (27.0263901, 2.50605748, 0.0500738178)}
FALL = """cleave: 1
gravity: [0, 0, -9.81]
parameters: {h: 0.5}
bodies: {block: {mass: 2, inertia: [0.1, 0.1, 0.1]}}
joints: {slide: {kind: prismatic, between: [ground, block], at: [0, 0, 0], axis: [0, 0, 1]}}
events: {floor: {when: {joint: slide, below: -h}, stop: true}}
"""


class Events(unittest.TestCase):
    def setUp(self):
        kept = tempfile.TemporaryDirectory()
        self.addCleanup(kept.cleanup)
        self.folder = Path(kept.name)
        (self.folder / "fall.yaml").write_text(FALL, encoding="utf-8")

    def cleave(self, *words, code=0):
        done = subprocess.run([PROGRAM, *words], capture_output=True, text=True, timeout=250, cwd=self.folder)
        self.assertEqual(done.returncode, code, done.stderr + done.stdout)
        return done

    def test_capture_has_its_numbers(self):
        for formulation in ("hdca", "dca", "connection", "massmatrix", "aldca"):
            with self.subTest(formulation):
                run = json.loads(self.cleave("run", "capture", "--formulation", formulation, "--rtol", "1e-10", "--json").stdout)
                found = run["model_events"]
                for name, (time, impulse, lost) in CAPTURE.items():
                    self.assertTrue(math.isclose(found[name]["time"], time, rel_tol=1e-8), (name, found[name]))
                    self.assertTrue(math.isclose(found[name]["impulse"], impulse, rel_tol=1e-7), (name, found[name]))
                    self.assertTrue(math.isclose(found[name]["energy_lost"], lost, rel_tol=1e-6), (name, found[name]))
                self.assertEqual(found["release"]["time"], 50)
                self.assertLess(run["momentum_drift"], 1e-8)
                self.assertLess(run["angular_momentum_drift"], 1e-8)
                self.assertLess(run["max_energy_drift"], 1e-7)

    def test_a_run_ends_at_its_event(self):
        end = math.sqrt(2 * 0.5 / 9.81)
        run = json.loads(self.cleave("run", "fall.yaml", "--time", "3", "--every", "0.1", "--out", "a.csv", "--json").stdout)
        self.assertTrue(math.isclose(run["time"], end, rel_tol=1e-12))
        self.assertEqual(run["status"], "ok")
        rows = list(csv.reader((self.folder / "a.csv").read_text().splitlines()))[1:]
        self.assertEqual(len(rows), 5)
        self.assertTrue(math.isclose(float(rows[-1][0]), end, rel_tol=1e-12))
        self.assertIn("floor: the run ended at 0.319", self.cleave("run", "fall.yaml", "--time", "3").stdout)
        self.assertIn("event 'floor' has ended the run", self.cleave("eval", "fall.yaml", "--time", "3", code=1).stderr)

    def test_verify_and_sweep_take_ends(self):
        self.assertIn("They agree", self.cleave("verify", "fall.yaml", "--time", "1").stdout)
        self.cleave("sweep", "fall.yaml", "--vary", "h=0.1..0.9/5", "--sample", "grid", "--time", "2", "--out", "a.sweep",
                    "--columns", "block.position")
        self.cleave("export", "a.sweep", "a.csv")
        rows = list(csv.DictReader((self.folder / "a.csv").read_text().splitlines()))
        self.assertEqual(len(rows), 5)
        for row in rows:
            h, time = float(row["h []"]), float(row["time [s]"])
            self.assertTrue(math.isclose(time, math.sqrt(2 * h / 9.81), rel_tol=1e-10), row)
            self.assertTrue(math.isclose(float(row["block.position.z [m]"]), -h, rel_tol=1e-12), row)

    def test_attachments_are_no_joints_of_the_start(self):
        (self.folder / "grip.yaml").write_text(FALL.replace("events: {", "events: {grip: {at: 1, attach: [ground, block], "
                                               "joint: revolute, position: [3, 0, 0]}, "), encoding="utf-8")
        text = self.cleave("check", "grip.yaml").stdout
        self.assertIn("1 body, 1 joint", text)
        self.assertNotIn("grip", text.split("start")[1])
        self.assertNotIn("rests", text)
        self.cleave("plot", "grip.yaml", "--out", "grip.svg")
        self.assertNotIn("loop joint", (self.folder / "grip.svg").read_text(encoding="utf-8"))

    def test_what_is_refused(self):
        real = ("run", "capture", "--real-time", "--time", "1", "--integrator", "rk4", "--step", "0.001")
        self.assertIn("events", self.cleave(*real, code=1).stderr)
        self.cleave("run", "capture", "--time", "2", "--out", "a.cleave")
        self.assertIn("the model has events", self.cleave("snapshot", "a.cleave", "b.yaml", "--time", "1", code=2).stderr)


if __name__ == "__main__":
    PROGRAM = str(Path(sys.argv.pop(1)).resolve())
    unittest.main()
