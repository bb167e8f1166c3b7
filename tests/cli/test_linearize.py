#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""cleave linearize: matrices and eigenvalues of known systems, files for NumPy and MATLAB, refusals.

Use: test_linearize.py PROGRAM [unittest options]"""
import json
import math
import struct
import subprocess
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path

PROGRAM = "cleave"
# m = 2, c = 0.3, k = 50: x'' = -25 x - 0.15 x' + 0.5 f
MASS = """cleave: 1
name: mass on a spring
bodies: {m: {mass: 2, inertia: [1, 1, 1]}}
joints: {slide: {kind: prismatic, between: [ground, m], at: [0, 0, 0], axis: [1, 0, 0]}}
forces: {k: {kind: joint-load, joint: slide, stiffness: 50, damping: 0.3}}
inputs: {f: {joint: slide}}
"""


class Linearize(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)
        (self.folder / "mass.yaml").write_text(MASS, encoding="utf-8")

    def run_it(self, *words):
        return subprocess.run([PROGRAM, "linearize", *words], cwd=self.folder, capture_output=True, text=True, timeout=300)

    def good(self, *words):
        done = self.run_it(*words)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def wrong(self, code, *words, says):
        done = self.run_it(*words)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        self.assertIn(says, done.stderr)

    def near(self, got, wanted, tolerance=1e-11):
        self.assertEqual(len(got), len(wanted))
        for a, b in zip(got, wanted):
            self.assertAlmostEqual(a, b, delta=tolerance)

    def test_a_mass_on_a_spring(self):
        got = json.loads(self.good("mass.yaml", "--outputs", "slide.q,m.velocity.x", "--json"))
        self.assertEqual((got["states"], got["inputs"]), (["slide.q", "slide.u"], ["f"]))
        self.assertEqual(got["outputs"], ["m.velocity.x", "slide.q"])
        self.near(got["A"][0] + got["A"][1], [0, 1, -25, -0.15])
        self.near([row[0] for row in got["B"]], [0, 0.5])
        self.near(got["C"][0] + got["C"][1], [0, 1, 1, 0])
        self.near([row[0] for row in got["D"]], [0, 0])
        self.assertLess(got["error"], 1e-9)
        if "eigenvalues" in got:  # LAPACK is there
            (pair,) = got["eigenvalues"]
            self.near([pair["real"], pair["imaginary"]], [-0.075, math.sqrt(25 - 0.075 ** 2)], 1e-10)
            text = self.good("mass.yaml")
            self.assertIn(f"{5 / (2 * math.pi):.6g} Hz, damping ratio 0.015", text)
            self.assertIn("asymptotically stable", text)
        else:
            self.assertIn("they need LAPACK", self.good("mass.yaml"))

    def test_stability_is_that_of_a_steady_motion(self):
        swing = MASS.replace("prismatic", "revolute").replace("inertia", "com: [0, 0.5, 0], inertia") + "start: {joints: {slide: {q: 0.7, u: %g}}}\n"
        (self.folder / "swing.yaml").write_text(swing % 2, encoding="utf-8")
        if "they need LAPACK" in self.good("swing.yaml"):
            self.skipTest("no LAPACK")
        self.assertRegex(self.good("swing.yaml"), r"stability +not known: A changes along the motion, by [0-9.]+ of")
        self.assertGreater(json.loads(self.good("swing.yaml", "--json"))["change"], 1e-3)
        self.assertIsNone(json.loads(self.good("swing.yaml", "--equilibrium", "--json"))["change"])
        # a disc that rolls straight on: stable above v = sqrt(g r / 3), by a joint for its spin
        disc = "cleave: 1\nbodies:\n" \
            "  hub: {mass: 0.001, inertia: [1e-9, 1e-9, 1e-9]}\n  disc: {mass: 2, inertia: [0.045, 0.045, 0.09]}\n" \
            "joints:\n  spin: {kind: revolute, a: {body: hub}, b: {body: disc}}\n" \
            "  roll: {kind: rolling-disc, a: {body: ground}, b: {body: disc}, radius: 0.3}\n" \
            "start: {bodies: {hub: {position: [0, 0, 0.3], orientation: {axis: [1, 0, 0], angle: -90 deg}," \
            " velocity: [%(v)g, 0, 0]}, disc: {position: [0, 0, 0.3], orientation: {axis: [1, 0, 0], angle: -90 deg}," \
            " velocity: [%(v)g, 0, 0], angular_velocity: [0, %(w)g, 0]}}}\n"
        for v, grows in ((0.8, True), (1.2, False)):
            (self.folder / "disc.yaml").write_text(disc % {"v": v, "w": v / 0.3}, encoding="utf-8")
            got = json.loads(self.good("disc.yaml", "--json"))
            self.assertLess(got["change"], 1e-4)
            self.assertEqual(max(e["real"] for e in got["eigenvalues"]) > 1e-3, grows)
            frequency = 0.8 * (3 * (v / 0.3) ** 2 - 9.81 / 0.3)  # its square, 1/s^2
            lean = max(got["eigenvalues"], key=lambda e: abs(complex(e["real"], e["imaginary"])))
            self.assertAlmostEqual(lean["imaginary"] ** 2 - lean["real"] ** 2, frequency, delta=0.02)

    def test_loops_about_an_equilibrium(self):
        got = json.loads(self.good("suspension", "--equilibrium", "--json", "--outputs", "seat.position.z"))
        self.assertEqual(len(got["states"]), 6)
        self.near([got["y"][0]], [0.85], 0.02)
        found = sorted(abs(complex(e["real"], e["imaginary"])) / (2 * math.pi) for e in got.get("eigenvalues", []))
        if found:  # the frequencies with damping differ a little from those without
            modes = json.loads(subprocess.run([PROGRAM, "equilibrium", "suspension", "--modes", "--json"], check=True,
                                              capture_output=True, text=True).stdout)["modes"]
            for one, mode in zip(found[-2:], modes[-2:]):
                self.assertAlmostEqual(one / mode["frequency"], 1, delta=0.02)
            # a wheel that turns freely: zero twice, which rounding makes +- 3e-7
            free = [e for e in got["eigenvalues"] if math.hypot(e["real"], e["imaginary"]) < 1e-5]
            self.assertEqual(len(free), 2)
            self.assertTrue(all(math.hypot(e["real"], e["imaginary"]) <= e["error"] < 1e-3 for e in free))
            self.assertTrue(all(e["error"] < 1e-6 for e in got["eigenvalues"] if e not in free))
            text = self.good("suspension", "--equilibrium")
            self.assertRegex(text, r"stability +not asymptotically stable: 2 of 4 eigenvalues")
            self.assertRegex(text, r"eigenvalues +0 1/s: 'hub.q' 1\n")

    def test_rolling_wheels(self):
        """Whipple's bicycle: eigenvalues of Meijaard et al., Proc. R. Soc. A 463 (2007), Table 2; the others are those of
        coordinates and of the speed, which nothing restores.  Fewer rates than coordinates are states."""
        published = {0: [(-5.530943717653, 0), (-3.131643247906, 0), (3.131643247906, 0), (5.530943717653, 0)],
                     2: [(-8.673879848317, 0), (-3.071586456415, 0), (2.682345175127, 1.680662965906)],
                     5: [(-14.078389692798, 0), (-0.775341882195, 4.464867713788), (-0.322866429004, 0)],
                     8: [(-20.279408943945, 0), (-2.693486835581, 8.460379713969), (0.143278797657, 0)],
                     10: [(-24.624596350174, 0), (-3.720168404372, 10.906811394762), (0.161053386531, 0)]}
        for speed, wanted in published.items():
            for formulation in ("dca", "hdca") if speed == 5 else ("dca",):
                got = json.loads(self.good("bicycle", "lean=0", f"speed={speed}", "--formulation", formulation, "--json"))
                self.assertEqual((len(got["states"]), sum(".u" in name for name in got["states"])), (10, 3))
                if "eigenvalues" not in got:  # they need LAPACK
                    continue
                found = [(e["real"], e["imaginary"]) for e in got["eigenvalues"]]
                moving = sorted(e for e in found if math.hypot(*e) > 1e-4)
                self.assertEqual(len(moving), len(wanted), found)
                for (a, b), (c, d) in zip(moving, wanted):
                    self.assertAlmostEqual(a, c, delta=1e-10 * math.hypot(c, d))
                    self.assertAlmostEqual(b, d, delta=1e-10 * math.hypot(c, d))
        self.assertIn("rates                 ", self.good("bicycle", "lean=0"))
        if "eigenvalues" not in got:
            self.skipTest("eigenvalues need LAPACK")

    def test_files(self):
        self.assertIn("written", self.good("mass.yaml", "--outputs", "slide.q", "--out", "a.npz"))
        with zipfile.ZipFile(self.folder / "a.npz") as archive:
            self.assertIsNone(archive.testzip())
            self.assertEqual(sorted(archive.namelist()),
                             sorted(f"{x}.npy" for x in "A B C D x u y states inputs outputs".split()))
            data = archive.read("A.npy")
        self.assertIn(b"(2, 2)", data[:128])
        self.near(struct.unpack("<4d", data[-32:]), [0, 1, -25, -0.15])
        self.good("mass.yaml", "--outputs", "slide.q", "--out", "a.mat")
        mat = (self.folder / "a.mat").read_bytes()
        self.assertEqual((mat[124:128], len(mat) % 8), (b"\x00\x01IM", 0))
        at, names = 128, {}
        while at < len(mat):
            kind, size = struct.unpack_from("<2I", mat, at)
            self.assertEqual(kind, 14)
            length = struct.unpack_from("<I", mat, at + 8 + 36)[0]
            names[mat[at + 48:at + 48 + length].decode()] = mat[at:at + 8 + size]
            at += 8 + size
        self.assertEqual(at, len(mat))
        self.assertEqual(list(names), "A B C D x u y states inputs outputs".split())
        self.near(struct.unpack("<4d", names["A"][-32:]), [0, -25, 1, -0.15])  # by columns
        self.assertIn(b"slide.u", names["states"])
        self.wrong(1, "mass.yaml", "--out", "a.mat", says="exists")

    def test_files_as_others_read_them(self):
        try:
            import numpy
            from scipy.io import loadmat
        except ImportError:
            self.skipTest("needs NumPy and SciPy")
        for name in ("a.npz", "a.mat"):
            self.good("mass.yaml", "--outputs", "slide.q,m.velocity", "--out", name)
        npz, mat = numpy.load(self.folder / "a.npz"), loadmat(self.folder / "a.mat")
        for x in "ABCD":
            self.assertTrue((npz[x] == mat[x]).all())
        self.assertEqual(list(npz["states"]), ["slide.q", "slide.u"])
        self.assertEqual([str(x[0][0]) for x in mat["states"]], ["slide.q", "slide.u"])

    def test_what_is_wrong_is_named(self):
        self.wrong(1, "mass.yaml", "--out", "a.csv", says="must end in .npz or .mat")
        self.wrong(1, "mass.yaml", "--outputs", "slied.q", says="slied.q")
        self.wrong(1, "mass.yaml", "--equilibrium", "--time", "1", says="exclude each other")
        self.wrong(1, "mass.yaml", "--formulation", "aldca", says="use formulation dca")
        self.assertIn("0 states", self.good("loader"))


if __name__ == "__main__":
    PROGRAM = str(Path(sys.argv.pop(1)).resolve())
    unittest.main()
