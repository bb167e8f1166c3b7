#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`cleave run --real-time`: the numbers are those of a run without the clock; deadlines and jitter are reported.

Use: test_realtime.py PROGRAM [unittest options]"""
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM = "cleave"
RK4 = ["hdca-case1", "--time", "0.4", "--integrator", "rk4", "--step", "0.001"]
INDEX3 = ["four-bar-ladder", "windows=6", "--time", "0.4", "--formulation", "index3", "--step", "0.004"]


class RealTime(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)

    def cleave(self, *words, code=0, says=""):
        done = subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, timeout=120, cwd=self.folder)
        self.assertEqual(done.returncode, code, done.stderr + done.stdout)
        self.assertIn(says, done.stderr + done.stdout)
        return done.stdout

    def test_numbers_are_those_of_the_run(self):
        for words in (RK4, INDEX3, ["flex-arm", "--time", "0.05", "--integrator", "rk4", "--step", "0.0001"]):
            for every in ("0.01", "0.0073"):  # on the grid of steps, and between
                plain = json.loads(self.cleave("run", *words, "--every", every, "--out", "p.csv", "--force", "--json"))
                real = json.loads(self.cleave("run", *words, "--every", every, "--out", "r.csv", "--force", "--json",
                                              "--real-time"))
                found = real.pop("real_time")
                self.assertEqual(found["outputs_dropped"], 0)
                self.assertEqual((self.folder / "r.csv").read_bytes(), (self.folder / "p.csv").read_bytes())
                for key in ("final", "steps", "max_energy_drift", "rate_evaluations", "momentum"):
                    self.assertEqual(real[key], plain[key])
                self.cleave("run", *words, "--every", every, "--out", "r.cleave", "--force", "--real-time")
                self.cleave("export", "r.cleave", "e.csv", "--force")
                self.assertEqual((self.folder / "e.csv").read_bytes(), (self.folder / "p.csv").read_bytes())

    def test_the_report(self):
        told = json.loads(self.cleave("run", *RK4, "--real-time", "--json"))
        found = told["real_time"]
        self.assertEqual(found["period"], 0.001)
        self.assertEqual(found["steps"], told["steps"])
        self.assertGreater(told["wall_seconds"], 0.39)
        self.assertLess(found["missed"], found["steps"])
        for of in ("step", "clock"):
            self.assertTrue(0 < found[f"{of}_median"] <= found[f"{of}_999"] <= found[f"{of}_worst"], found)
        self.assertTrue(0 < found["processor_median"] <= found["processor_worst"], found)
        text = self.cleave("run", *RK4, "--real-time")
        for line in ("real time             400 steps of 1 ms;", "step                  median", "woke late by: median"):
            self.assertIn(line, text.replace("401 steps", "400 steps"))

    def test_too_slow_for_the_clock(self):
        words = ["chain", "links=300", "--time", "0.002", "--integrator", "rk4", "--step", "1e-5"]
        self.cleave("run", *words, "--every", "1e-4", "--out", "p.csv")
        told = json.loads(self.cleave("run", *words, "--every", "1e-4", "--out", "r.csv", "--real-time", "--json"))
        self.assertGreater(told["real_time"]["missed"], 150)
        self.assertGreater(told["real_time"]["behind"], 1e-5)
        self.assertEqual((self.folder / "r.csv").read_bytes(), (self.folder / "p.csv").read_bytes())

    def test_a_failure_ends_the_run(self):
        (self.folder / "m.yaml").write_text("cleave: 1\nbodies: {a: {mass: 1, inertia: [1, 1, 1]}}\n"
                                            "forces: {f: {kind: spring-damper, between: [ground, a], points: [[0, 0, 0], "
                                            "[2, 0, 0]], stiffness: 1e14, length: 1}}\n"
                                            "start: {bodies: {a: {position: [2, 0, 0]}}}\n")
        words = ["m.yaml", "--time", "1", "--integrator", "rk4", "--step", "0.001"]
        plain = self.cleave("run", *words, code=3, says="FAILED")
        real = self.cleave("run", *words, "--real-time", code=3, says="FAILED")
        self.assertEqual([line for line in plain.splitlines() if "FAILED" in line],
                         [line for line in real.splitlines() if "FAILED" in line])
        self.cleave("run", *words, "--real-time", "--out", "f.cleave", code=3)

    def test_what_is_refused(self):
        for words in (["hdca-case1"], ["hdca-case1", "--integrator", "gauss4", "--step", "0.01"],
                      ["hdca-case1", "--formulation", "aldca", "--integrator", "rk4", "--step", "0.001"]):
            self.cleave("run", *words, "--real-time", "--time", "1", code=1, says="steps of bounded work")
        self.cleave("run", *RK4, "--real-time", "--table", "x", code=1)
        self.cleave("run", "hdca-case1", "--integrator", "rk4", "--real-time", code=1)  # the step is missing


if __name__ == "__main__":
    if len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
        PROGRAM = str(Path(sys.argv.pop(1)).resolve())
    unittest.main()
