#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""cleave flex reduce: a clamped beam of 20 Hermite elements against closed forms, and inputs that no body has.

Use: test_flex_reduce.py PROGRAM Reduce|Refuse [unittest options]"""
import json
import math
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM = "cleave"
N, L, LINE, EI, EA, GI, POLAR = 20, 2.0, 0.5, (90.0, 40.0), 5e5, 3.0, 1e-4  # EI for z and y deflections


def beam(stiff_end=1.0):
    """Stiffness and mass, {(i, k): value}, of the beam along x; its last element stiffer."""
    K, M = {}, {}
    h = L / N
    k4 = [[12, 6 * h, -12, 6 * h], [6 * h, 4 * h * h, -6 * h, 2 * h * h],
          [-12, -6 * h, 12, -6 * h], [6 * h, 2 * h * h, -6 * h, 4 * h * h]]
    m4 = [[156, 22 * h, 54, -13 * h], [22 * h, 4 * h * h, 13 * h, -3 * h * h],
          [54, 13 * h, 156, -22 * h], [-13 * h, -3 * h * h, -22 * h, 4 * h * h]]
    for e in range(N):
        a, more = 6 * e, stiff_end if e == N - 1 else 1.0
        for dofs, sign, stiff in (((1, 5, 7, 11), 1, more * EI[1]), ((2, 4, 8, 10), -1, more * EI[0])):
            for i in range(4):
                for j in range(4):
                    s, key = sign ** (i % 2 + j % 2), (a + dofs[i], a + dofs[j])
                    K[key] = K.get(key, 0) + s * stiff / h ** 3 * k4[i][j]
                    M[key] = M.get(key, 0) + s * LINE * h / 420 * m4[i][j]
        for d, stiff, mass in ((0, more * EA, LINE), (3, more * GI, POLAR)):
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


class Case(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)
        self.K, self.M = beam()
        nodes = ", ".join(f"n{i}: [{L * i / N!r}, 0, 0]" for i in range(N + 1))
        self.fe = (f"fe: 1\nnodes: {{{nodes}}}\nstiffness: K.mtx\nmass: M.mtx\n"
                   f"interfaces: {{root: {{node: n0}}, tip: {{node: n{N}}}}}\nframe: root\nmodes: 60\n")

    def reduce(self, fe=None, K=None, M=None, D=None):
        (self.folder / "K.mtx").write_text(K or market(self.K), encoding="utf-8")
        (self.folder / "M.mtx").write_text(M or market(self.M), encoding="utf-8")
        if D:
            (self.folder / "D.mtx").write_text(D, encoding="utf-8")
        (self.folder / "in.yaml").write_text(fe or self.fe, encoding="utf-8")
        return subprocess.run([PROGRAM, "flex", "reduce", "in.yaml", "out.flex", "--force"], capture_output=True,
                              text=True, timeout=100, cwd=self.folder)


class Refuse(Case):
    """Where there is no LAPACK."""

    def test_by_name(self):
        done = self.reduce()
        self.assertEqual(done.returncode, 2)
        self.assertIn("in.yaml: flex reduce: there is no LAPACK (liblapack.so.3)", done.stderr)
        self.assertIn("hint: install liblapack3", done.stderr)
        self.assertFalse((self.folder / "out.flex").exists())


class Reduce(Case):
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

    def swing(self, boom):
        """A boom that falls from the horizontal with a payload at its tip: its place after 0.5 s."""
        (self.folder / "m.yaml").write_text(
            f"cleave: 1\nbodies:\n  boom: {{flexible: {{{boom}, spin_limit: 0}}}}\n"
            "  load: {mass: 0.4, com: [0.1, 0.05, 0], inertia: [0.01, 0.02, 0.02]}\n"
            "joints:\n  j: {kind: universal, between: [ground, boom], at: [0, 0, 0], axis: [1, 0, 0], x_axis: [0, 0, 1]}\n"
            "  k: {kind: fixed, a: {body: boom.tip}, b: {body: load}}\n"
            "start: {joints: {j: {u: [1, 0]}}}\n", encoding="utf-8")
        done = subprocess.run([PROGRAM, "run", "m.yaml", "--integrator", "dop853", "--rtol", "1e-8", "--time", "0.5", "--json"],
                              capture_output=True, text=True, cwd=self.folder, timeout=250)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)["final"]["load"]["position"]

    def test_motion(self):
        """What is written reads, and moves like the built-in beam of the same section (a stiff one: 3e-3 m away)."""
        self.assertEqual(self.reduce(fe=self.fe.replace("modes: 60", "modes: 8")).returncode, 0)
        reduced = self.swing("file: out.flex")
        beam = ("beam: {length: 2, density: 500, young: 5e8, area: 1e-3, I_y: 1.8e-7, I_z: 8e-8, shear: 1.5e7, I_t: 2e-7, "
                "modes: {bend_y: 4, bend_z: 4, twist: 1, stretch: 1}}")
        built_in = self.swing(beam)
        self.assertLess(math.dist(reduced, built_in), 3e-5)
        self.assertGreater(math.dist(built_in, self.swing(beam.replace("1.8e-7", "1.8e-5").replace("8e-8", "8e-6"))), 3e-3)

    def test_damping(self):
        """D = a M + b K damps every mode by a + b omega^2."""
        D = {key: 0.3 * self.M[key] + 2e-5 * self.K[key] for key in self.K}
        fe = self.fe.replace("modes: 60", "modes: 4\ndamping: D.mtx")
        self.assertEqual(self.reduce(fe=fe, D=market(D)).returncode, 0)
        K, C = self.numbers("stiffness"), self.numbers("damping")
        n = len(K)
        self.assertEqual(n, 10)
        for i in range(n):
            for k in range(n):
                want = 0.3 + 2e-5 * K[i] if i == k else 0
                self.assertAlmostEqual(C[n * i + k] / (0.3 + 2e-5 * math.sqrt(K[i] * K[k])), want and 1, delta=1e-7)

    def test_up_to(self):
        """The modes with both ends held up to a frequency: clamped-clamped bending, twist and stretch."""
        held = [b ** 2 * math.sqrt(stiff / LINE) / L ** 2 for stiff in EI
                for b in [4.730040744862704, 7.853204624095838, 10.99560783800167] + [(k + 0.5) * math.pi for k in range(4, 12)]]
        held += [k * math.pi / L * math.sqrt(stiff / mass) for k in range(1, 12) for stiff, mass in ((EA, LINE), (GI, POLAR))]
        for most in (150, 400, 900):
            self.assertEqual(self.reduce(fe=self.fe.replace("modes: 60", f"up_to: {most}")).returncode, 0)
            self.assertEqual(len(self.numbers("stiffness")), 6 + sum(x <= most for x in held))

    def test_turned(self):
        """Interfaces with axes of their own turn what is written, and nothing else."""
        keys = ("momentum", "angular_momentum", "moments", "products", "stiffness", "inertia", "com")
        fe = self.fe.replace("modes: 60", "modes: 3")
        self.assertEqual(self.reduce(fe=fe).returncode, 0)
        plain = {key: self.numbers(key) for key in keys}
        shapes = self.node_rows()
        turn = "orientation: {axis: [0, 0, 1], angle: 90 deg}"
        self.assertEqual(self.reduce(fe=fe.replace("{node: n0}", f"{{node: n0, {turn}}}")).returncode, 0)
        turned = {key: self.numbers(key) for key in keys}

        def back(x):  # from axes of the body, x along y of the file, to those of the file
            return [-x[1], x[0], x[2]]

        for a, b in zip(plain["stiffness"], turned["stiffness"]):
            self.assertAlmostEqual(a / b, 1, delta=1e-9)
        for key in ("momentum", "angular_momentum", "com"):
            for i in range(0, len(plain[key]), 3):
                for a, b in zip(plain[key][i:i + 3], back(turned[key][i:i + 3])):
                    self.assertAlmostEqual(a, b, delta=1e-8)
        for key in ("moments", "products"):
            for i in range(0, len(plain[key]), 9):
                rows = [back(turned[key][i + 3 * r:i + 3 * r + 3]) for r in range(3)]
                columns = [back([rows[r][c] for r in range(3)]) for c in range(3)]
                for r in range(3):
                    for c in range(3):
                        self.assertAlmostEqual(plain[key][i + 3 * r + c], columns[c][r], delta=1e-8)
        for a, b in zip(shapes, self.node_rows()):
            for x, y in zip(a, back(b[:3]) + back(b[3:])):
                self.assertAlmostEqual(x, y, delta=1e-8)
        xx, yy, zz, xy, xz, yz = turned["inertia"]
        for a, b in zip(plain["inertia"], (yy, xx, zz, -xy, -yz, xz)):
            self.assertAlmostEqual(a, b, delta=1e-9)
        self.assertAlmostEqual(self.tip()[0][1], -L, delta=1e-12)

    def tip(self):
        """Position, and w x y z, of the written node."""
        text = (self.folder / "out.flex").read_text(encoding="utf-8")
        line = text[text.index("tip: {"):]
        quaternion = re.search(r"quaternion: \[([^\]]*)\]", line)
        return ([float(x) for x in re.search(r"position: \[([^\]]*)\]", line)[1].split(",")],
                [float(x) for x in quaternion[1].split(",")] if quaternion else [1, 0, 0, 0])

    def node_rows(self):
        text = (self.folder / "out.flex").read_text(encoding="utf-8")
        text = text[text.index("shapes: ["):].removeprefix("shapes: [")
        return [[float(x) for x in row.split(",")] for row in re.findall(r"\[([^\[\]]*)\]", text)]

    def test_several_nodes(self):
        """Two nodes as one interface are a rigid last element; its origin may lie anywhere."""
        fe = self.fe.replace("modes: 60", "modes: 6").replace("{node: n20}", "{nodes: [n19, n20], at: [2, 0, 0.3]}")
        done = self.reduce(fe=fe)
        self.assertEqual(done.returncode, 0, done.stderr)
        rigid, there = self.numbers("stiffness"), self.node_rows()
        self.assertEqual(self.tip()[0], [2, 0, 0.3])
        self.assertEqual(self.reduce(fe=fe.replace(", at: [2, 0, 0.3]", "")).returncode, 0)
        middle = self.node_rows()
        self.assertAlmostEqual(self.tip()[0][0], 1.95, delta=1e-12)
        for a, b in zip(middle, there):
            v, w, arm = a[:3], a[3:], (0.05, 0, 0.3)
            moved = [v[0] + w[1] * arm[2] - w[2] * arm[1], v[1] + w[2] * arm[0] - w[0] * arm[2], v[2] + w[0] * arm[1] - w[1] * arm[0]]
            for x, y in zip(moved + w, b):
                self.assertAlmostEqual(x, y, delta=1e-8)  # 1.7e-9 by one LAPACK
        self.assertEqual(self.reduce(fe=self.fe.replace("modes: 60", "modes: 6"), K=market(beam(1e5)[0])).returncode, 0)
        for a, b in zip(rigid[:6], self.numbers("stiffness")):
            self.assertAlmostEqual(a / b, 1, delta=1e-4)

    def refused(self, words, **change):
        done = self.reduce(**change)
        self.assertEqual(done.returncode, 2, done.stderr + done.stdout)
        self.assertIn(words, done.stderr)

    def test_what_is_read_is_no_output(self):
        self.assertEqual(self.reduce().returncode, 0)
        for out in ("in.yaml", "K.mtx", "M.mtx"):
            before = (self.folder / out).read_bytes()
            done = subprocess.run([PROGRAM, "flex", "reduce", "in.yaml", out, "--force"], capture_output=True,
                                  text=True, timeout=100, cwd=self.folder)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn("which is read", done.stderr)
            self.assertEqual((self.folder / out).read_bytes(), before)

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
        self.refused("resists a translation", K=market({**self.K, (0, 0): 9e9}))
        hollow = {**self.M, **{(d, d): self.M[(d, d)] - 0.5 for d in range(3)}}
        self.refused("in.yaml: no model would accept the result: no body has these integrals", M=market(hollow))
        self.assertFalse((self.folder / "out.flex").exists())
        done = self.reduce(K="root:x:0:0:secret\n")
        self.assertIn("not a real symmetric matrix", done.stderr)
        self.assertIn("in.yaml:3", done.stderr)
        self.assertNotIn("secret", done.stderr)  # a file that is no matrix is not shown
        self.refused("negative kinetic energy", M=market({**self.M, (63, 63): -1.0}))


if __name__ == "__main__":
    PROGRAM = str(Path(sys.argv.pop(1)).resolve())
    unittest.main()
