#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The flexible pendulum of the reference folder, written out as modes, by every formulation of the command line.

Use: test_flexible.py PROGRAM [unittest options]; CLEAVE_REFERENCE names the folder, without it the test is skipped."""
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
    """Hub and beam as one body with a frame at the pivot, from the integrals of the reference, which has none about x:
    the hub's stands there, for a flexible body needs inertia about all axes; the motion, in a plane, has no part in it."""
    beam, hub = data["beam"], data["hub"]
    i = data["integrals"]
    mass = hub["mass"] + i["m"]
    com = i["S1"] / mass
    about_com = i["J"] - mass * com**2
    rows = range(len(i["c"]))
    products = [[0, 0, 0, 0, i["Mff"][k][l], 0, 0, 0, 0] for k in rows for l in rows]
    arm = {
        "mass": mass, "com": [com, 0, 0], "inertia": [hub["Jz"], about_com, about_com, 0, 0, 0],
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
        for formulation in ("hdca", "dca", "massmatrix"):
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


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main(verbosity=2)
