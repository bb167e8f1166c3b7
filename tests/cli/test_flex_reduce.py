#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""cleave flex reduce: a clamped beam of 20 Hermite elements against closed forms, and inputs that no body has.

Use: test_flex_reduce.py PROGRAM [unittest options]"""
import math
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM = "cleave"
N, L, LINE, EI, EA, GI, POLAR = 20, 2.0, 0.5, (90.0, 40.0), 5e5, 3.0, 1e-4  # EI for z and y deflections


def beam():
    """Stiffness and mass, {(i, k): value}, of the beam along x."""
    K, M = {}, {}
    h = L / N
    k4 = [[12, 6 * h, -12, 6 * h], [6 * h, 4 * h * h, -6 * h, 2 * h * h],
          [-12, -6 * h, 12, -6 * h], [6 * h, 2 * h * h, -6 * h, 4 * h * h]]
    m4 = [[156, 22 * h, 54, -13 * h], [22 * h, 4 * h * h, 13 * h, -3 * h * h],
          [54, 13 * h, 156, -22 * h], [-13 * h, -3 * h * h, -22 * h, 4 * h * h]]
    for e in range(N):
        a = 6 * e
        for dofs, sign, stiff in (((1, 5, 7, 11), 1, EI[1]), ((2, 4, 8, 10), -1, EI[0])):
            for i in range(4):
                for j in range(4):
                    s, key = sign ** (i % 2 + j % 2), (a + dofs[i], a + dofs[j])
                    K[key] = K.get(key, 0) + s * stiff / h ** 3 * k4[i][j]
                    M[key] = M.get(key, 0) + s * LINE * h / 420 * m4[i][j]
        for d, stiff, mass in ((0, EA, LINE), (3, GI, POLAR)):
            for i in range(2):
                for j in range(2):
                    key = (a + d + 6 * i, a + d + 6 * j)
                    K[key] = K.get(key, 0) + stiff / h * (1 if i == j else -1)
                    M[key] = M.get(key, 0) + mass * h / 6 * (2 if i == j else 1)
    return K, M


def market(entries, n=6 * (N + 1), kind="symmetric"):
    low = {k: v for k, v in entries.items() if kind == "general" or k[0] >= k[1]}
    return (f"%%MatrixMarket matrix coordinate real {kind}\n{n} {n} {len(low)}\n"
            + "".join(f"{i + 1} {k + 1} {v!r}\n" for (i, k), v in low.items()))


class Reduce(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)
        self.K, self.M = beam()
        nodes = ", ".join(f"n{i}: [{L * i / N!r}, 0, 0]" for i in range(N + 1))
        self.fe = (f"fe: 1\nnodes: {{{nodes}}}\nstiffness: K.mtx\nmass: M.mtx\n"
                   f"interfaces: {{root: {{node: n0}}, tip: {{node: n{N}}}}}\nframe: root\nmodes: 60\n")

    def reduce(self, fe=None, K=None, M=None):
        (self.folder / "K.mtx").write_text(K or market(self.K), encoding="utf-8")
        (self.folder / "M.mtx").write_text(M or market(self.M), encoding="utf-8")
        (self.folder / "in.yaml").write_text(fe or self.fe, encoding="utf-8")
        return subprocess.run([PROGRAM, "flex", "reduce", "in.yaml", "out.flex", "--force"], capture_output=True,
                              text=True, timeout=100, cwd=self.folder)

    def numbers(self, key):
        text = (self.folder / "out.flex").read_text(encoding="utf-8")
        value = re.search(rf"^{key}: ((?:.|\n  )*)", text, flags=re.M)[1]
        return [float(x) for x in re.findall(r"[-+.\deE]+", value)]

    def test_beam(self):
        done = self.reduce()
        self.assertEqual(done.returncode, 0, done.stderr)
        mass, com, J, K = (self.numbers(k) for k in ("mass", "com", "inertia", "stiffness"))
        self.assertAlmostEqual(mass[0], LINE * L, delta=1e-9)
        self.assertAlmostEqual(com[0], L / 2, delta=1e-9)
        for got, want in zip(J, (POLAR * L, LINE * L ** 3 / 12, LINE * L ** 3 / 12, 0, 0, 0)):
            self.assertAlmostEqual(got, want, delta=1e-9)
        S, h, B, E = (self.numbers(k) for k in ("momentum", "angular_momentum", "products", "moments"))
        n = len(K)
        self.assertEqual(n, 66)
        for axis, stiff in ((1, EI[1]), (2, EI[0])):
            for b in (1.8751040687119611, 4.6940911329741746):
                want = b ** 4 * stiff / LINE / L ** 4
                k = min(range(n), key=lambda i: abs(K[i] - want))
                self.assertAlmostEqual(K[k] / want, 1, delta=2e-5)
                s = (math.cosh(b) + math.cos(b)) / (math.sinh(b) - math.sin(b))  # integrals of phi, x phi
                self.assertAlmostEqual(abs(S[3 * k + axis]), 2 * math.sqrt(LINE * L) / (b * s), delta=1e-4)
                self.assertAlmostEqual(abs(h[3 * k + 3 - axis]), 2 * L * math.sqrt(LINE * L) / b ** 2, delta=1e-4)
                self.assertAlmostEqual(B[9 * (k * n + k) + 4 * axis], 1, delta=2e-6)
                self.assertAlmostEqual(abs(E[9 * k + axis]), abs(h[3 * k + 3 - axis]), delta=1e-9)
                self.assertAlmostEqual(E[9 * k + 3 * axis], 0, delta=1e-9)
        (self.folder / "m.yaml").write_text("cleave: 1\nbodies: {b: {flexible: {file: out.flex}}}\njoints: {j: {kind: revolute, "
                                            "between: [ground, b], at: [0, 0, 0], axis: [0, 1, 0]}}\n", encoding="utf-8")
        check = subprocess.run([PROGRAM, "check", "m.yaml"], capture_output=True, text=True, cwd=self.folder, timeout=100)
        self.assertNotIn("out.flex:", check.stderr)

    def refused(self, words, **change):
        done = self.reduce(**change)
        self.assertEqual(done.returncode, 2, done.stderr + done.stdout)
        self.assertIn(words, done.stderr)

    def test_bad_inputs(self):
        skew = dict(self.K)
        skew[(7, 13)] = 1.0
        self.refused("K.mtx:1:1: ", K=market(skew, kind="general"))
        self.refused("not symmetric: entry 14 8", K=market(skew, kind="general"))
        self.refused("M.mtx:2:1: ", M=market({}, n=12))
        self.refused("the nodes need 126 x 126", M=market({}, n=12))
        self.refused("in.yaml:5:", fe=self.fe.replace("tip: {node: n20}", "tip: {node: n99}"))
        self.refused("there is no node 'n99'", fe=self.fe.replace("tip: {node: n20}", "tip: {node: n99}"))
        self.refused("the frame is not clamped", fe=self.fe.replace("frame: root", "frame: base"))
        self.refused("'frame' is missing", fe=self.fe.replace("frame: root\n", ""))
        self.refused("not positive definite", K=market({k: v for k, v in self.K.items() if k[0] % 6 != 3}))
        self.refused("resists a shift", K=market({**self.K, (0, 0): 9e9}))
        self.refused("negative kinetic energy", M=market({**self.M, (63, 63): -1.0}))


if __name__ == "__main__":
    PROGRAM = str(Path(sys.argv.pop(1)).resolve())
    unittest.main()
