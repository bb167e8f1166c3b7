#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Parameters of a model file on the command line: other values, what is refused, what a run file keeps.

Use: test_parameters.py PROGRAM [unittest options]"""
import json
import sqlite3
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM = "cleave"
ARM = """cleave: 1
parameters:
  l: 400 mm
  mass: {value: 3, unit: kg, range: [0.1, 10]}
  spare: 1
bodies:
  arm: {mass: mass, com: [l/2, 0, 0], inertia: [0.01, mass*l^2/12, mass*l^2/12]}
joints:
  a: {kind: revolute, between: [ground, arm], at: [0, 0, 0], axis: [0, 1, 0]}
"""


class Parameters(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)
        (self.folder / "arm.yaml").write_text(ARM)

    def cleave(self, *words, code=0):
        done = subprocess.run([PROGRAM, *words], capture_output=True, text=True, timeout=60, cwd=self.folder)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def test_check_lists_them(self):
        told = self.cleave("check", "arm.yaml", "mass=5").stdout
        self.assertIn("l = 400 mm\n", told)
        self.assertIn("mass = 5 kg  (0.1 to 10), from the command line\n", told)
        self.assertIn("spare = 1, not used\n", told)
        found = json.loads(self.cleave("check", "arm.yaml", "l=0.5m", "--json").stdout)["parameters"]
        self.assertEqual(found["l"]["value"], 0.5)
        self.assertEqual(found["l"]["shown"], 500)
        self.assertEqual(found["l"]["unit"], "mm")
        self.assertTrue(found["l"]["given"] and not found["mass"]["given"])
        self.assertEqual(found["mass"]["most"], 10)

    def test_every_command_takes_them(self):
        # com' = 3/4 g at rest; the acceleration at the start grows with nothing, the energy with the mass
        for command in (["eval", "--json"], ["run", "--time", "0.1", "--json"], ["check", "--json"]):
            told = json.loads(self.cleave(command[0], "arm.yaml", "mass=6", *command[1:]).stdout)
            self.assertEqual(told["status"], "ok")
        self.cleave("verify", "arm.yaml", "mass=6", "--time", "0.2")
        energy = [json.loads(self.cleave("run", "arm.yaml", f"mass={m}", "--time", "0.3", "--json").stdout) for m in (2, 4)]
        speed = [e["final"]["arm"]["velocity"] for e in energy]
        for a, b in zip(*speed):
            self.assertAlmostEqual(a, b, delta=0.02)  # the 0.01 of the inertia does not scale

    def test_wrong_values_are_refused(self):
        for word, why in (("mass=50", "outside its range, 0.1 to 10 kg"), ("mas=5", "did you mean 'mass'?"),
                          ("mass=abc", "expected a number"), ("mass=3m", "does not fit its unit"),
                          ("5", "not of the form name=value")):
            for command in ("run", "check", "eval", "verify"):
                told = self.cleave(command, "arm.yaml", word, code=1).stderr
                self.assertIn(why, told)
                self.assertIn("parameters: l in mm, mass in kg (0.1 to 10), spare", told)

    def test_a_run_file_keeps_them(self):
        self.cleave("run", "arm.yaml", "mass=5", "l=500", "--time", "1", "--every", "0.1", "--out", "a.cleave")
        with sqlite3.connect(f"file:{self.folder}/a.cleave?mode=ro", uri=True) as run:
            text, = run.execute("SELECT text FROM model").fetchone()
            given, = run.execute("SELECT value FROM settings WHERE name = 'parameters'").fetchone()
        self.assertEqual(text, ARM)
        self.assertEqual(given, "mass=5\nl=500")
        self.cleave("resume", "a.cleave", "--time", "2")
        self.cleave("run", "arm.yaml", "mass=5", "l=500", "--time", "2", "--every", "0.1", "--out", "b.cleave")
        for name in "ab":
            self.cleave("export", f"{name}.cleave", f"{name}.csv")
        self.assertEqual((self.folder / "a.csv").read_text(), (self.folder / "b.csv").read_text())


if __name__ == "__main__":
    PROGRAM = str(Path(sys.argv.pop(1)).resolve())
    unittest.main()
