#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every built-in example by every formulation: `cleave verify` finds no two that differ by more than their errors allow.

Use: test_verify_examples.py PROGRAM [unittest options]"""
import json
import subprocess
import sys
import unittest

PROGRAM = "cleave"
TIME = 2.0  # s, at most
# the mechanisms of the papers, whatever else there is
OF_THE_PAPERS = {"hdca-case1", "hdca-case2", "hdca-case3", "five-bar", "aldca-coupled", "sine-chain-16", "jsc-18", "mmsev-rigid",
                 "mmsev-flexible", "flex-arm", "four-bar-ladder", "bricard", "governor"}
REFUSED = {("bicycle", "index3")}  # it restricts velocities
# driven fast; stiff, explicit steps of 5e-5 s; 1e-3 s; many bodies (laws/test_mmsev goes on for longer)
SHORTER = {"andrews": 0.03, "biped": 0.16, "capture": 1.2, "cradle": 0.35, "governor": 0.1, "loader-work": 0.1, "mmsev-flexible": 0.03, "mmsev-rigid": 0.5,
           "slider-crank": 0.001, "tree-robot": 1}


def cleave(*words):
    return subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, timeout=280)


def examples():
    lines = cleave("examples").stdout.split("\n\n")[0].splitlines()
    return [line.split()[0] for line in lines]


def formulations():
    """The table of the build, as the help tells it."""
    line = next(x for x in cleave("help", "run").stdout.splitlines() if "--formulation NAME" in x)
    return line.split("NAME")[1].replace("(default)", "").replace(" ", "").split(",")


class Examples(unittest.TestCase):
    def test_every_formulation_agrees_on_every_example(self):
        names = examples()
        self.assertLessEqual(OF_THE_PAPERS, set(names))
        for name in names:
            with self.subTest(example=name):
                done = cleave("verify", name, "--time", SHORTER.get(name, TIME), "--json")
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                self.judge(json.loads(done.stdout), name)

    def judge(self, result, name):
        rows = result["formulations"]
        ran = [row for row in rows.values() if row["status"] == "ok"]
        print(f"{name:16} {len(ran)} of {len(rows)} formulations up to {result['horizon']:g} s, "
              f"difference {result['worst']['difference']:.1e} of {result['worst']['allowed']:.1e} allowed; left out: "
              f"{[key for key, row in rows.items() if row['status'] != 'ok']}")
        self.assertTrue(result["agree"])
        self.assertGreater(result["horizon"], 0)
        self.assertEqual(sorted(rows), sorted(formulations()))
        for key, row in rows.items():  # every formulation takes every example
            if (name, key) in REFUSED:
                self.assertEqual(row["status"], "left_out")
                continue
            self.assertEqual(row["status"], "ok", f"{key}: {row.get('error')}")
            self.assertGreaterEqual(row["horizon"], result["horizon"])


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main(verbosity=2)
