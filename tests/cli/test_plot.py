#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""cleave plot: curves of CSV and run files as SVG and in the terminal, drawings of mechanisms, refusals.

Use: test_plot.py PROGRAM [unittest options]"""
import math
import os
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ET
from pathlib import Path

PROGRAM = "cleave"
ROOT = Path(__file__).resolve().parent.parent.parent
SVG = "{http://www.w3.org/2000/svg}"


class Plot(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)

    def run_it(self, *words):
        return subprocess.run([PROGRAM, *words], cwd=self.folder, capture_output=True, text=True, timeout=120)

    def good(self, *words):
        done = self.run_it(*words)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def wrong(self, code, *words, says):
        done = self.run_it(*words)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        for text in [says] if isinstance(says, str) else says:
            self.assertIn(text, done.stderr)

    def csv(self, name, heading, rows):
        lines = [heading] + [",".join("" if x is None else repr(x) for x in row) for row in rows]
        (self.folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")

    def svg(self, *words):
        self.good("plot", *words, "--out", "a.svg", "--force")
        root = ET.parse(self.folder / "a.svg").getroot()
        return root, [t.text for t in root.iter(f"{SVG}text")]

    @staticmethod
    def points(path):
        return [(float(x), float(y)) for x, y in re.findall(r"[ML]([-\d.]+) ([-\d.]+)", path.get("d"))]

    # ------------------------------------------------------------ charts

    def test_a_line_is_where_its_numbers_say(self):
        self.csv("a.csv", "time [s],L.effort [N]", [(0.0, 110000.0), (2.0, 150000.0), (10.0, 130000.0)])
        root, texts = self.svg("a.csv", "L.effort")
        self.assertIn("L.effort [kN]", texts)
        self.assertIn("time [s]", texts)
        for label in ("0", "10", "110", "150"):
            self.assertIn(label, texts)
        box = [r for r in root.iter(f"{SVG}rect") if r.get("stroke")][0]
        left, top, wide, high = (float(box.get(k)) for k in ("x", "y", "width", "height"))
        (path,) = root.iter(f"{SVG}path")
        expected = [(left, top + high), (left + 0.2 * wide, top), (left + wide, top + high / 2)]
        for (x, y), (ex, ey) in zip(self.points(path), expected, strict=True):
            self.assertAlmostEqual(x, ex, delta=0.02)
            self.assertAlmostEqual(y, ey, delta=0.02)

    def test_units_have_their_own_scale_and_a_legend(self):
        self.csv("a.csv", "time [s],L.q [m],L.effort [N],T.effort [N]", [(t, t / 1e4, 1.0 + t, 2.0) for t in (0.0, 1.0, 2.0)])
        root, texts = self.svg("a.csv", "L", "T.effort")
        self.assertIn("q [µm]", texts)
        self.assertIn("effort [N]", texts)
        self.assertTrue({"L.q", "L.effort (right)", "T.effort (right)"} <= set(texts))
        dashed = [p.get("stroke-dasharray") is not None for p in root.iter(f"{SVG}path")]
        self.assertEqual(dashed, [False, True, True])

    def test_other_units_have_powers_of_ten(self):
        self.csv("a.csv", "time [s],violation [m/s^2],count", [(0.0, 2e-7, 5e6), (1.0, 8e-7, 6e6)])
        self.assertIn("violation [10⁻⁹ m/s²]", self.svg("a.csv", "violation")[1])
        self.assertIn("count [10⁶]", self.svg("a.csv", "count")[1])

    def test_long_curves_keep_their_peaks_and_stay_small(self):
        n = 200000
        self.csv("a.csv", "time [s],y [1]", [(k / n, 9.0 if k == 77777 else math.sin(300 * k / n)) for k in range(n)])
        root, texts = self.svg("a.csv", "y")
        (path,) = root.iter(f"{SVG}path")
        points = self.points(path)
        self.assertLess(len(points), 6000)
        self.assertIn("10", texts)
        self.assertLess(min(y for _, y in points), sorted(y for _, y in points)[3] - 100)

    def test_values_that_are_missing_interrupt_a_curve(self):
        self.csv("a.csv", "time [s],y [N],z [N]", [(0.0, 1.0, 0.0), (1.0, None, 1.0), (2.0, 3.0, None), (3.0, 4.0, None)])
        root, _ = self.svg("a.csv", "y")
        (path,) = root.iter(f"{SVG}path")
        self.assertEqual(path.get("d").count("M"), 2)
        root, _ = self.svg("a.csv", "z")
        self.assertEqual(len(self.points(next(root.iter(f"{SVG}path")))), 2)

    def test_constant_and_empty_curves_have_a_scale(self):
        self.csv("a.csv", "time [s],y [N],z [N]", [(0.0, 0.0, None), (1.0, 0.0, None)])
        for name in "y", "z":
            self.assertNotIn("nan", ET.tostring(self.svg("a.csv", name)[0], encoding="unicode"))

    def test_another_abscissa(self):
        self.good("run", "pendulum", "--time", "1", "--out", "a.csv", "--columns", "mass")
        root, texts = self.svg("a.csv", "mass.position.y", "--x", "mass.position.x")
        self.assertIn("mass.position.x [m]", texts)
        self.wrong(1, "plot", "a.csv", "mass.position.y", "--x", "mass.position", "--out", "b.svg", says="--x must name one number")

    def test_run_files_and_csv_give_the_same_picture(self):
        self.good("run", "loader", "--out", "a.cleave", "--every", "0.5")
        self.good("export", "a.cleave", "a.csv")
        pictures = []
        for name in "a.cleave", "a.csv":
            self.good("plot", name, "*.effort", "tip.position", "--out", "a.svg", "--force")
            text = (self.folder / "a.svg").read_text(encoding="utf-8")
            pictures.append(text.replace(name, "FILE"))
        self.assertEqual(pictures[0], pictures[1])
        self.assertIn("tip.position.z", pictures[0])

    def test_names_with_quotes_and_markup(self):
        (self.folder / "a.csv").write_text('time [s],"a,<b>&""c"".q [rad]"\r\n0,1\r\n1,2\r\n', encoding="utf-8")
        self.assertIn('a,<b>&"c".q [rad]', self.svg("a.csv", "*q")[1])

    # ------------------------------------------------------------ the terminal

    def test_terminal(self):
        self.csv("a.csv", "time [s],y [N],z [m]", [(0.0, 0.0, 1.0), (4.0, 8.0, 1.0)])
        text = self.good("plot", "a.csv", "y", "z")
        self.assertNotIn("\x1b", text)
        panels = text.split("z [m]")
        self.assertEqual(len(panels), 2)
        lines = panels[0].splitlines()
        self.assertEqual(lines[0], "y [N]")
        self.assertTrue(lines[1].strip().startswith("8 │"), lines[1])
        dots = [line.split("│")[1] for line in lines if "│" in line]
        self.assertEqual([len(d) for d in dots], sorted((len(d) for d in dots), reverse=True))  # it rises
        self.assertTrue(all(0x2800 <= ord(c) < 0x2900 for d in dots for c in d))
        self.assertTrue(all(len(line) <= 80 for line in text.splitlines()))

    # ------------------------------------------------------------ mechanisms

    def test_mechanism(self):
        root, texts = self.svg("loader")
        for name in ("boom", "bucket", "L", "tip", "loop joint"):
            self.assertIn(name, texts)
        rings = [c for c in root.iter(f"{SVG}circle") if c.get("stroke") == "#d55e00" and float(c.get("r")) > 9]
        self.assertEqual(len(rings), 3)
        self.assertNotIn("loop joint", self.svg("chain", "links=3")[1])
        for name in ("bricard", "satellite", "mmsev-rigid", "jsc-18", "tree-robot", "pendulum", "flex-arm"):
            with self.subTest(name):
                self.assertNotIn("nan", ET.tostring(self.svg(name)[0], encoding="unicode"))

    def test_lengths_of_a_drawing_are_true(self):
        root, _ = self.svg("hdca-case1")
        circles = [(float(c.get("cx")), float(c.get("cy"))) for c in root.iter(f"{SVG}circle") if c.get("r") == "5.00"]
        self.assertEqual(len(circles), 5)
        a, b, c = circles[:3]
        self.assertAlmostEqual(math.dist(a, b), math.dist(b, c), delta=0.05)
        self.assertAlmostEqual(a[0], b[0], delta=0.02)
        self.assertGreater(b[1], a[1])  # gravity points down

    def test_the_curve_of_the_readme_is_made_by_its_commands(self):
        lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
        commands = [re.split(r"\s{2,}", line.strip())[0] for line in lines if re.match(r"    cleave (plot|run) (lift|loader)", line)]
        self.assertEqual(len(commands), 2)
        for command in commands:
            self.good(*command.split()[1:])
        number = re.compile(r"-?\d+\.\d+")
        kept, made = ((folder / "lift.svg").read_text(encoding="utf-8") for folder in (ROOT / "docs/figures", self.folder))
        self.assertEqual(number.sub("", kept), number.sub("", made))
        for a, b in zip(map(float, number.findall(kept)), map(float, number.findall(made)), strict=True):
            self.assertAlmostEqual(a, b, delta=0.02)

    # ------------------------------------------------------------ refusals

    def test_what_is_wrong_is_named(self):
        self.csv("a.csv", "time [s],L.effort [N],L.q [m],L.u [m/s]", [(0.0, 1.0, 2.0, 3.0), (1.0, 1.0, 2.0, 3.0)])
        self.wrong(1, "plot", "a.csv", "L.efort", says="did you mean 'L.effort'?")
        self.wrong(1, "plot", "a.csv", says=["name the columns", "columns: time L.effort L.q L.u"])
        self.wrong(1, "plot", "a.csv", "time", says="other than time")
        self.wrong(1, "plot", "a.csv", "L", "--out", "a.svg", says="at most two scales")
        self.wrong(1, "plot", "a.csv", "L.q", "--out", "a.gif", says="must end in .svg, .png or .pdf")
        self.wrong(1, "plot", "a.npz", "L.q", says="NumPy archives are not read")
        self.wrong(2, "plot", "none.csv", "L.q", says="cannot open none.csv")
        self.wrong(1, "plot", "pendulum", says="needs --out FILE: .svg, .png or .pdf")
        self.wrong(1, "plot", "pendulum", "mass.position", "--out", "a.svg", says="cleave run pendulum --out run.cleave")
        self.wrong(2, "plot", "pendulun", "--out", "a.svg", says="did you mean pendulum?")
        self.csv("b.csv", "t [s],y [N]", [(0.0, 1.0), (1.0, 2.0)])
        self.wrong(1, "plot", "b.csv", "y", says=["no column 'time'", "--x NAME"])
        self.good("plot", "b.csv", "y", "--x", "t")
        self.assertFalse((self.folder / "a.svg").exists())

    def test_png_and_pdf(self):
        self.csv("a.csv", "time [s],L.effort [N]", [(0.0, 1.0), (1.0, 3.0)])
        for words in (["a.csv", "L.effort"], ["loader"]):
            done = self.run_it("plot", *words, "--out", "a.png")
            if "need librsvg" in done.stderr:  # refused by name, and nothing is written
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn("apt install librsvg2-2", done.stderr)
                self.assertFalse((self.folder / "a.png").exists())
                self.skipTest("librsvg is not installed")
            self.assertEqual(done.returncode, 0, done.stderr)
            root, _ = self.svg(*words)
            png = (self.folder / "a.png").read_bytes()
            self.assertEqual(png[:8], b"\x89PNG\r\n\x1a\n")
            wide, high = (int.from_bytes(png[k:k + 4], "big") for k in (16, 20))
            self.assertEqual([wide, high], [2 * int(root.get("width")), 2 * int(root.get("height"))])
            self.assertGreater(len(png), 10000)  # not an empty page
            self.good("plot", *words, "--out", "a.pdf")
            pdf = (self.folder / "a.pdf").read_bytes()
            self.assertEqual((pdf[:5], pdf.rstrip()[-5:]), (b"%PDF-", b"%%EOF"))
            self.assertGreater(len(pdf), 3000)
            self.wrong(1, "plot", *words, "--out", "a.pdf", says="exists")
            (self.folder / "a.png").unlink(), (self.folder / "a.pdf").unlink()
        self.wrong(4, "plot", "loader", "--out", "none/a.png", says="none/a.png")

    def test_more_than_eight_curves(self):
        self.csv("a.csv", "time [s]," + ",".join(f"y{k} [N]" for k in range(9)), [(0.0, *range(9)), (1.0, *range(9))])
        self.wrong(1, "plot", "a.csv", "y*", says="more than 8 curves")
        self.good("plot", "a.csv", *[f"y{k}" for k in range(8)])

    def test_files_that_are_not_csv(self):
        for name, text, says in (("a.csv", "", "is empty"), ("b.csv", "time [s],y [N]\n0,1\n1,x\n", "line 3: 'x' is not a number"),
                                 ("c.csv", "time [s],y [N]\n0,1\n1\n", "line 3 has 1 number;"), ("d.csv", "time [s],y [N]\n0,1\n", "a curve needs two"),
                                 ("e.csv", "time [s],y [N]\n0,1\n1,2\0", "zero bytes")):
            (self.folder / name).write_text(text, encoding="utf-8")
            done = self.run_it("plot", name, "y")
            self.assertIn(done.returncode, (1, 2), done.stderr)
            self.assertIn(says, done.stderr)

    def test_an_existing_picture_and_the_source_are_kept(self):
        self.csv("a.csv", "time [s],y [N]", [(0.0, 1.0), (1.0, 2.0)])
        self.good("plot", "a.csv", "y", "--out", "a.svg")
        self.wrong(1, "plot", "a.csv", "y", "--out", "a.svg", says="exists")
        os.symlink(self.folder / "a.csv", self.folder / "b.svg")
        self.wrong(1, "plot", "a.csv", "y", "--out", "b.svg", "--force", says="b.svg")


if __name__ == "__main__":
    if len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
        PROGRAM = str(Path(sys.argv.pop(1)).resolve())
    unittest.main()
