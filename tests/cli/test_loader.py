#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The example `loader-work`: end stops, relief valves, friction of pins and a bucket in rubber.  Numbers that formulations
agree on, and its cylinders at their stops by steps of index3.

Use: test_loader.py PROGRAM [unittest options]"""
import csv
import json
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM = "cleave"
# at 1 s; dca and massmatrix at rtol 1e-9 agree in these digits
NUMBERS = {"tip.position.x [m]": 3.52016342, "tip.position.y [m]": 0.541833583, "L.q [m]": 0.0548209008, "T.q [m]": -0.0016441031,
           "L.effort [N]": 140795.189, "T.effort [N]": 34438.0598}


class Loader(unittest.TestCase):
    def setUp(self):
        kept = tempfile.TemporaryDirectory()
        self.addCleanup(kept.cleanup)
        self.folder = Path(kept.name)

    def run_it(self, columns, *words):
        done = subprocess.run([PROGRAM, "run", "loader-work", *words, "--columns", columns, "--out", "l.csv", "--force", "--json"],
                              capture_output=True, text=True, timeout=250, cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
        rows = [{key: float(x) for key, x in row.items()} for row in csv.DictReader((self.folder / "l.csv").read_text().splitlines())]
        return json.loads(done.stdout), rows

    def test_formulations_agree_on_its_numbers(self):
        names = sorted({re.sub(r"(\.[xyz])? \[.*", "", key) for key in NUMBERS})
        for formulation, words, part in (("dca", ("--rtol", "1e-7"), 1e-5), ("index3", ("--step", "0.001"), 1e-3)):
            with self.subTest(formulation):
                report, rows = self.run_it(",".join(names), "--formulation", formulation, *words, "--time", "1", "--every", "1")
                for key, number in NUMBERS.items():
                    self.assertAlmostEqual(rows[-1][key], number, delta=part * abs(number), msg=key)
                self.assertLess(report["max_energy_drift"], 1)
                self.assertLess(report["max_position_violation"], 1e-12)

    def test_cylinders_come_to_rest_at_their_stops(self):
        report, rows = self.run_it("L,T", "--formulation", "index3", "--step", "0.002", "--time", "10", "--every", "0.5")
        at = {row["time [s]"]: row for row in rows}
        # the valve is set to 0.44 m, the stop holds at 0.42 m; later -0.27 m and -0.25 m, then -0.02 m and 0
        self.assertAlmostEqual(at[6.0]["L.q [m]"], 0.42, delta=0.004)
        self.assertGreater(at[6.0]["L.q [m]"], 0.42)
        self.assertAlmostEqual(at[7.0]["T.q [m]"], -0.25, delta=0.004)
        self.assertLess(at[7.0]["T.q [m]"], -0.25)
        self.assertAlmostEqual(at[10.0]["L.q [m]"], 0, delta=0.004)
        self.assertLess(at[10.0]["L.q [m]"], 0)
        self.assertLess(report["max_energy_drift"], 20)


if __name__ == "__main__":
    PROGRAM = str(Path(sys.argv.pop(1)).resolve())
    unittest.main()
