#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`cleave sweep`: rows are those of the runs alone, whatever stops, shares out or repeats a sweep; what is refused.

Use: test_sweep.py PROGRAM [unittest options]"""
import json
import random
import resource
import signal
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

PROGRAM = "cleave"
ARM = """cleave: 1
time: 2
parameters:
  l: 400 mm
  mass: {value: 3, unit: kg, range: [0.1, 10]}
bodies:
  arm: {mass: mass, com: [l/2, 0, 0], inertia: [0.01, mass*l^2/12, mass*l^2/12]}
joints:
  a: {kind: revolute, between: [ground, arm], at: [0, 0, 0], axis: [0, 1, 0]}
forces:
  d1: {kind: joint-load, joint: a, damping: 0.5, stiffness: 1}
markers:
  tip: {body: arm, position: [l, 0, 0]}
"""
VARY = ["--vary", "d1.damping=0..0.5", "--vary", "l=400..600 mm"]


class InFolder(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)
        (self.folder / "arm.yaml").write_text(ARM)

    def cleave(self, *words, code=0, says=""):
        done = subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, timeout=300, cwd=self.folder)
        self.assertEqual(done.returncode, code, done.stderr + done.stdout)
        self.assertIn(says, done.stderr + done.stdout)
        return done

    def sweep(self, out, *words, **more):
        return self.cleave("sweep", "arm.yaml", "--columns", "tip.position,a.q", "--out", out, *words, **more)

    def read(self, file, what="* FROM runs ORDER BY instance"):
        with sqlite3.connect(self.folder / file) as db:
            return db.execute("SELECT " + what).fetchall()


class Rows(InFolder):
    def test_a_row_is_the_run(self):
        self.sweep("s.sweep", *VARY, "--runs", 6)
        rows = self.read("s.sweep", '"d1.damping", l, "a.q", "tip.position.x", steps, "a.q.min", "a.q.max" FROM runs')
        for damping, length, q, x, steps, least, most in rows:
            given = [f"d1.damping={damping!r}", f"l={length!r}"]
            self.cleave("run", "arm.yaml", *given, "--out", "one.csv", "--force", "--columns", "a.q,tip.position")
            names, *lines = (self.folder / "one.csv").read_text().splitlines()
            angles = [float(line.split(",")[names.split(",").index("a.q [rad]")]) for line in lines]
            self.assertEqual(angles[-1], q)
            self.assertEqual((min(angles), max(angles)), (least, most))
            self.assertEqual(float(lines[-1].split(",")[names.split(",").index("tip.position.x [m]")]), x)
            told = json.loads(self.cleave("run", "arm.yaml", *given, "--json").stdout)
            self.assertEqual(told["steps"], steps)

    def test_bits_depend_on_neither_threads_nor_shards(self):
        words = [*VARY, "--runs", 23]
        self.sweep("one.sweep", *words, "--threads", 1)
        rows = self.read("one.sweep")
        self.assertEqual([row[0] for row in rows], list(range(23)))
        for threads in (2, 3, 8):
            self.sweep("more.sweep", *words, "--threads", threads, "--force")
            self.assertEqual(self.read("more.sweep"), rows)
        together = []
        for i in range(1, 6):
            self.sweep(f"part{i}.sweep", *words, "--shard", f"{i}/5")
            part = self.read(f"part{i}.sweep")
            self.assertEqual([row[0] % 5 for row in part], [i - 1] * len(part))
            together += part
        self.assertEqual(sorted(together), sorted(rows))
        merge = [word for i in range(1, 6) for word in ("--merge", f"part{i}.sweep")]
        told = json.loads(self.sweep("all.sweep", *words, *merge, "--json").stdout)
        self.assertEqual((told["rows"], told["rows_before"]), (23, 23))
        self.assertEqual(self.read("all.sweep"), rows)
        self.assertEqual(self.read("all.sweep", "* FROM statistics"), self.read("one.sweep", "* FROM statistics"))
        self.sweep("some.sweep", *words, "--merge", "part2.sweep")  # the others are run
        self.assertEqual(self.read("some.sweep"), rows)

    def test_killed_and_resumed(self):
        words = [*VARY, "--runs", 240, "--time", 120, "--rtol", "1e-9", "--threads", 2]
        began = time.monotonic()
        self.sweep("whole.sweep", *words)
        part = (time.monotonic() - began) / 5  # s, so that machines of every speed are interrupted
        rows, steps = self.read("whole.sweep"), random.Random(1)
        command = [PROGRAM, "sweep", "arm.yaml", "--columns", "tip.position,a.q", "--out", "s.sweep", "--resume", *map(str, words)]
        kills, counts = 0, [0]
        while kills < 6:
            with subprocess.Popen(command, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as run:
                try:
                    _, told = run.communicate(timeout=part * (0.3 + steps.random()))
                    self.assertEqual(run.returncode, 0, told)
                    break
                except subprocess.TimeoutExpired:
                    run.send_signal(signal.SIGKILL)
                    run.communicate()
                    kills += 1
            if (self.folder / "s.sweep").exists():
                counts.append(len(self.read("s.sweep")))
        self.assertGreater(kills, 0)
        self.assertEqual(counts, sorted(counts))  # no row that was there is lost
        self.sweep("s.sweep", *words, "--resume")
        self.assertEqual(self.read("s.sweep"), rows)
        for table in ("settings", "columns", "statistics", "model"):
            self.assertEqual(self.read("s.sweep", f"* FROM {table}"), self.read("whole.sweep", f"* FROM {table}"))

    def test_statistics(self):
        told = json.loads(self.sweep("s.sweep", *VARY, "--runs", 30, "--json").stdout)
        self.assertEqual(told["status"], "ok")
        for name in ("l", "a.q", "a.q.rms", "steps"):
            numbers = [row[0] for row in self.read("s.sweep", f'"{name}" FROM runs')]
            found = told["statistics"][name]
            self.assertEqual((found["runs"], found["least"], found["largest"]), (30, min(numbers), max(numbers)))
            self.assertAlmostEqual(found["mean"], statistics.fmean(numbers), delta=1e-12 * max(map(abs, numbers)))
            self.assertAlmostEqual(found["deviation"], statistics.stdev(numbers), delta=1e-10 * max(map(abs, numbers)))
            self.assertAlmostEqual(found["median"], statistics.median(numbers), delta=1e-12 * max(map(abs, numbers)))
            cut = statistics.quantiles(numbers, n=20, method="inclusive")
            self.assertAlmostEqual(found["percent_5"], cut[0], delta=1e-12 * max(map(abs, numbers)))
            self.assertAlmostEqual(found["percent_95"], cut[-1], delta=1e-12 * max(map(abs, numbers)))
            (row,) = self.read("s.sweep", f"* FROM statistics WHERE name = '{name}'")
            self.assertEqual(row[1:], (found["unit"], *(found[key] for key in ("runs", "mean", "deviation", "least", "percent_5",
                                                                               "median", "percent_95", "largest")),
                                       found["varies_with"] or None, found["correlation"]))
            if name.startswith("a.q") or name == "steps":
                expected = {of: self.rank_correlation(of, name) for of in ("d1.damping", "l")}
                most = max(expected, key=lambda of: abs(expected[of]))
                self.assertEqual(found["varies_with"], most)
                self.assertAlmostEqual(found["correlation"], expected[most], delta=1e-12)

    def rank_correlation(self, *names):
        ranks = []
        for name in names:
            numbers = [row[0] for row in self.read("s.sweep", f'"{name}" FROM runs ORDER BY instance')]
            ranks.append([sum(x < y for x in numbers) + (numbers.count(y) - 1) / 2 for y in numbers])
        return statistics.correlation(*ranks)

    def test_grid_and_table(self):
        self.sweep("g.sweep", "--vary", "d1.damping=0.1..0.5/3", "--vary", "l=400,600 mm", "--sample", "grid")
        rows = self.read("g.sweep", '"d1.damping", l, "a.q" FROM runs ORDER BY instance')
        self.assertEqual([row[:2] for row in rows], [(d, l) for d in (0.1, 0.3, 0.5) for l in (400, 600)])
        (self.folder / "v.csv").write_text("d1.damping,l [m]\n" + "".join(f"{d!r},{l / 1000!r}\n" for d, l, _ in rows))
        self.sweep("c.sweep", "--sample", "csv", "--values", "v.csv")
        self.assertEqual(self.read("c.sweep", '"a.q" FROM runs ORDER BY instance'), [row[2:] for row in rows])
        self.cleave("sweep", "hdca-case1", "--vary", "gravity[1]=-10..-9", "--runs", 3, "--time", 1, "--out", "e.sweep")
        self.cleave("sweep", "chain", "links=5", "--vary", "gravity[1]=-10..-9", "--runs", 3, "--time", 1, "--out", "h.sweep")
        self.assertEqual(len(self.read("h.sweep")), 3)

    def test_export(self):
        self.sweep("s.sweep", *VARY, "--runs", 5, "--shard", "1/2")
        self.cleave("export", "s.sweep", "all.csv", says="3 of 5 runs")
        names, *lines = (self.folder / "all.csv").read_text().splitlines()
        self.assertTrue(names.startswith("run [-],d1.damping [],l [mm],time [s],steps []"), names)
        rows = self.read("s.sweep")
        self.assertEqual([[float(x) for x in line.split(",")] for line in lines], [[row[0], *row[4:]] for row in rows])
        self.cleave("export", "s.sweep", "some.csv", "--columns", "a.q.*,l")
        names, *lines = (self.folder / "some.csv").read_text().splitlines()
        self.assertEqual(names, "run [-],l [mm],time [s],a.q.min [rad],a.q.max [rad],a.q.rms [rad]")
        self.assertEqual([line.split(",")[0] for line in lines], ["0", "2", "4"])
        self.cleave("export", "s.sweep", "some.csv", code=1, says="--force replaces it")
        self.cleave("export", "s.sweep", "all.npz", code=1, says="is exported as .csv")
        self.cleave("export", "s.sweep", "x.csv", "--columns", "nothing", code=1, says="nothing")
        self.assertFalse((self.folder / "x.csv").exists())

    def test_a_failure_stays_alone(self):
        words = ["--vary", "d1.stiffness=1..20000", "--runs", 8, "--max-steps", 600]
        told = json.loads(self.sweep("s.sweep", *words, "--json").stdout)
        rows = self.read("s.sweep", 'status, error, "a.q", steps + rejected_steps FROM runs')
        failed = [row for row in rows if row[0] != "CLV_OK"]
        self.assertEqual(told["failed"], len(failed))
        self.assertTrue(0 < len(failed) < 8, rows)
        for status, error, q, steps in failed:
            self.assertEqual((status, q), ("CLV_ERR_STEP_SIZE", None))
            self.assertIn("more than 600 steps", error)
            self.assertGreater(steps, 600)
        self.assertEqual(told["statistics"]["a.q"]["runs"], 8 - len(failed))
        self.assertEqual(len(told["failures"]), len(failed))
        self.sweep("t.sweep", *words, "--max-steps", 10, code=3, says="statistics are those of the others")


class Refused(InFolder):
    def test_texts(self):
        for text, code, says in [
            ("d1.damping=1..x", 1, "character 15: expected a number, found 'x'"),
            ("d1.damping=6..1", 1, "not below the first"),
            ("d1.dampin=1..2", 1, "no number at 'd1.dampin'"),
            ("nothing=1..2", 1, "nothing"),
            ("mass=1..20", 1, "20 is outside its range"),
            ("mass=1..2 m", 1, "does not fit its unit"),
            ("arm.inertia[0]=-1..2", 2, "arm.yaml:7:48: bodies.arm.inertia"),
            ("arm.com=1..2", 1, "is a list"),
            ("\x1b[31m=1..2", 1, "\\x1b[31m"),
            ("a" * 5000 + "=1..2", 1, "at most 200"),
            ("d1.damping=1..2" + "m" * 5000, 1, "a unit or the end"),
        ]:
            self.sweep("s.sweep", "--vary", text, "--runs", 5, code=code, says=says)
            self.assertFalse((self.folder / "s.sweep").exists())

    def test_options(self):
        for words, says in [
            ([], "nothing is varied"), (VARY, "number of runs is missing"), ([*VARY, "--runs", 0], "--runs is '0'"),
            ([*VARY, "--runs", 2, "--shard", "0/2"], "--shard is '0/2'"), ([*VARY, "--runs", 2, "--shard", "3/2"], "--shard"),
            ([*VARY, "--runs", 2, "--shard", "1/2x"], "--shard"), ([*VARY, "--runs", 2, "--sample", "sobol"], "lhs, grid or csv"),
            ([*VARY, "--sample", "grid"], "points of the grid are missing"), ([*VARY, "--sample", "csv"], "needs --values"),
            ([*VARY, "--runs", 2, "--values", "v.csv"], "--sample csv"), ([*VARY, "--runs", 2, "--columns", "tipp"], "'tipp'"),
            ([*VARY, "--runs", 2, "--force", "--resume"], "exclude each other"),
            ([*VARY, "--runs", 2, "--formulation", "gardening"], "gardening"), ([*VARY, *VARY, "--runs", 2], "varied twice"),
            ([*VARY, "--runs", 2, "--every", "1e-15"], "samples"), ([*VARY, "--runs", 2, "mass=50"], "outside its range"),
        ]:
            self.sweep("s.sweep", *words, code=1, says=says)
        self.sweep("s.db", *VARY, "--runs", 2, code=1, says="must end in .sweep")
        self.cleave("sweep", "arm.yaml", *VARY, "--runs", 2, code=1, says="add --out FILE.sweep")
        (self.folder / "v.csv").write_text("l\n1\nx\n")
        self.sweep("s.sweep", "--sample", "csv", "--values", "v.csv", code=2, says="v.csv, line 3, field 1: 'x' is not a number")
        self.sweep("s.sweep", "--sample", "csv", "--values", "w.csv", code=2, says="cannot open w.csv")

    def test_files(self):
        self.sweep("s.sweep", *VARY, "--runs", 4)
        before = (self.folder / "s.sweep").read_bytes()
        self.sweep("s.sweep", *VARY, "--runs", 4, code=1, says="--resume continues it")
        for words, says in [(["--runs", 5], "runs is '4' there and '5' here"), (["--runs", 4, "--rtol", "1e-7"], "rtol"),
                            (["--runs", 4, "--seed", 2], "values"), (["--runs", 4, "mass=4"], "model"),
                            (["--runs", 4, "--time", 3], "time is '2' there and '3' here"),
                            (["--runs", 4, "--columns", "tip.*"], "columns")]:
            self.sweep("s.sweep", *VARY, *words, "--resume", code=1, says=says)
            self.sweep("t.sweep", *VARY, *words, "--merge", "s.sweep", "--force", code=1, says=says)
        self.assertEqual((self.folder / "s.sweep").read_bytes(), before)
        self.sweep("s.sweep", *VARY, "--runs", 5, "--force")
        self.assertEqual(len(self.read("s.sweep")), 5)
        (self.folder / "x.sweep").write_text("something else")
        self.sweep("x.sweep", *VARY, "--runs", 4, "--resume", code=2, says="not a sweep file")
        self.sweep("y.sweep", *VARY, "--runs", 4, "--merge", "none.sweep", code=2, says="no readable file none.sweep")
        self.sweep("nowhere/y.sweep", *VARY, "--runs", 4, code=4, says="nowhere")
        (self.folder / "arm.sweep").write_text(ARM)
        self.cleave("sweep", "./arm.sweep", *VARY, "--runs", 4, "--out", "arm.sweep", "--force", code=1, says="arm.sweep")
        self.assertEqual((self.folder / "arm.sweep").read_text(), ARM)

    def test_damage(self):
        for change, says in [('UPDATE runs SET "a.q" = 7 WHERE instance = 2', "run 2 was changed"),
                             ("UPDATE settings SET value = '1e-3' WHERE name = 'rtol'", "settings or columns were changed"),
                             ("UPDATE runs SET status = 'fine' WHERE instance = 1", "run 1 does not belong to this sweep"),
                             ("UPDATE runs SET instance = 99 WHERE instance = 1", "run 99 does not belong to this sweep"),
                             ("PRAGMA user_version = 2", "format 2"), ("PRAGMA application_id = 1", "not a sweep file"),
                             ("UPDATE sweep SET instances = 1000000000", "out of range"), ("DELETE FROM sweep", "missing"),
                             ("DROP TABLE runs", "runs"), ("ALTER TABLE runs ADD more REAL", "other columns"),
                             ("DELETE FROM model", "model is missing")]:
            self.sweep("s.sweep", *VARY, "--runs", 4, "--force")
            with sqlite3.connect(self.folder / "s.sweep") as db:
                db.execute(change)
            db.close()
            self.sweep("s.sweep", *VARY, "--runs", 4, "--resume", code=2, says=says)
        self.sweep("s.sweep", *VARY, "--runs", 4, "--force")
        whole = (self.folder / "s.sweep").read_bytes()
        rows, dice = self.read("s.sweep"), random.Random(5)
        for _ in range(60):  # any byte: refused, or nothing that is read has changed
            data = bytearray(whole)
            data[dice.randrange(len(data))] ^= 1 << dice.randrange(8)
            (self.folder / "s.sweep").write_bytes(data)
            done = subprocess.run([PROGRAM, "sweep", "arm.yaml", "--columns", "tip.position,a.q", "--out", "s.sweep", "--resume",
                                   *VARY, "--runs", "4"], capture_output=True, text=True, timeout=60, cwd=self.folder)
            self.assertIn(done.returncode, (0, 1, 2, 4), done.stderr)
            if done.returncode == 0:
                self.assertEqual(self.read("s.sweep"), rows)

    def test_a_full_disk(self):
        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (150000, 150000))
        words = [*VARY, "--runs", "3000", "--out", "s.sweep", "--json"]
        done = subprocess.run([PROGRAM, "sweep", "arm.yaml", *words], capture_output=True, text=True, timeout=300,
                              cwd=self.folder, preexec_fn=limit)
        self.assertEqual(done.returncode, 4, done.stderr + done.stdout)
        self.assertEqual(json.loads(done.stdout)["status"], "out_of_resources")
        rows = self.read("s.sweep")
        self.assertLess(len(rows), 3000)
        told = json.loads(self.cleave("sweep", "arm.yaml", *words, "--resume").stdout)
        self.assertEqual((told["rows_before"], told["rows"]), (len(rows), 3000))
        self.assertEqual([row for row in self.read("s.sweep") if row[0] in {row[0] for row in rows}], rows)

    def test_one_writer(self):
        words = [PROGRAM, "sweep", "arm.yaml", *VARY, "--runs", "100000", "--out", "s.sweep"]
        with subprocess.Popen(words, cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as first:
            for _ in range(200):
                if (self.folder / "s.sweep").exists():
                    break
                time.sleep(0.05)
            time.sleep(0.2)
            self.cleave(*words[1:], "--resume", code=4, says="in use by another process")
            self.cleave(*words[1:], "--force", code=4, says="in use by another process")
            first.kill()
            first.communicate()


if __name__ == "__main__":
    if len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
        PROGRAM = str(Path(sys.argv.pop(1)).resolve())
    unittest.main()
