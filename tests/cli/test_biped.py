#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The example `biped`: it falls on its feet and stands.  Numbers of the landing that formulations agree on, its weight on
the soles, its loops, and the same fall with rigid contacts of many bodies.

Use: test_biped.py PROGRAM [unittest options]"""
import csv
import json
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM = "cleave"
# at 1 s; hdca, dca and massmatrix at rtol 1e-9 agree in these digits
NUMBERS = {"head.position.x [m]": 0.109576436, "head.position.z [m]": 1.39904205, "torso.position.x [m]": 0.103389378,
           "torso.position.z [m]": 1.14911862, "front_top1.q [rad]": 0.000439736316, "hip1.q [rad]": -0.00319534497,
           "ankle1.q [rad]": -0.0210903283, "contacts.sole1.normal_force [N]": 239.300582,
           "contacts.sole1.force.x [N]": -13.8144512}
WEIGHT = 48.8 * 9.81


class Biped(unittest.TestCase):
    def setUp(self):
        kept = tempfile.TemporaryDirectory()
        self.addCleanup(kept.cleanup)
        self.folder = Path(kept.name)

    def run_it(self, model, columns, *words):
        done = subprocess.run([PROGRAM, "run", model, *words, "--columns", columns, "--out", "b.csv", "--force", "--json"],
                              capture_output=True, text=True, timeout=250, cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
        rows = [{key: float(x) if x else None for key, x in row.items()}
                for row in csv.DictReader((self.folder / "b.csv").read_text().splitlines())]
        return json.loads(done.stdout), rows

    def test_formulations_agree_on_the_landing(self):
        names = sorted({re.sub(r"(\.[xyz])? \[.*", "", key) for key in NUMBERS})
        for formulation in ("hdca", "massmatrix"):
            with self.subTest(formulation):
                report, rows = self.run_it("biped", ",".join(names), "--formulation", formulation, "--rtol", "1e-8",
                                           "--time", "1", "--every", "1")
                for key, number in NUMBERS.items():
                    self.assertAlmostEqual(rows[-1][key], number, delta=3e-6 * abs(number) + 3e-8, msg=key)
                self.assertLess(report["max_energy_drift"], 1e-5)
                self.assertLess(report["max_position_violation"], 1e-12)

    def rigid(self):
        subprocess.run([PROGRAM, "new", "own", "example=biped"], capture_output=True, check=True, cwd=self.folder)
        text = (self.folder / "own.yaml").read_text(encoding="utf-8")
        law = '  sole: {kind: contacts, among: ["foot*"], normal: [0, 0, 1], point: [0, 0, -drop], restitution: 0, ' \
              'dynamic_friction: 0.7}'
        (self.folder / "rigid.yaml").write_text(re.sub(r"  sole\{i\}:.*", law, text), encoding="utf-8")
        return "rigid.yaml"

    def test_it_stands_on_rigid_soles(self):
        report, rows = self.run_it(self.rigid(), "torso.position,foot*.position,contacts.sole.*", "--time", "3", "--every", "0.5")
        last = rows[-1]
        self.assertAlmostEqual(last["contacts.sole.normal_force [N]"], WEIGHT, delta=0.002 * WEIGHT)
        self.assertGreater(last["torso.position.z [m]"], 1.14)
        self.assertEqual(last["contacts.sole.pairs [-]"], 2)
        for name in ("foot1", "foot2"):  # they do not slip any more
            self.assertAlmostEqual(last[f"{name}.position.x [m]"], rows[-2][f"{name}.position.x [m]"], delta=1e-8)
        self.assertLess(report["max_position_violation"], 1e-12)
        self.assertEqual(report["contact_limited"], 0)
        self.assertLess(report["contact_iterations"] / report["contact_steps"], 20)


if __name__ == "__main__":
    PROGRAM = str(Path(sys.argv.pop(1)).resolve())
    unittest.main()
