#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs that are killed, disks that are full, files in use: what was committed stays, and `cleave resume` ends with the
same bits.

Use: test_resume.py PROGRAM [unittest options]
CLEAVE_KILLS=200 in the environment: so many kills for each integrator instead of 3."""
import contextlib
import csv
import fcntl
import json
import os
import random
import re
import resource
import shutil
import signal
import sqlite3
import struct
import subprocess
import sys
import tempfile
import time
import unittest
import zipfile
from pathlib import Path

PROGRAM = "cleave"
KILLS = int(os.environ.get("CLEAVE_KILLS", "3" if "CLEAVE_THOROUGH" in os.environ else "1"))
# What the time of evaluations decides: not the same from run to run.
WALL = {"wall_seconds", "seconds_per_evaluation", "threads", "threads_why"}
# Redundant loops that run through singular positions, and enough output to be met in the middle.
LADDER = ["four-bar-ladder", "windows=2", "--time", "16", "--every", "0.02", "--checkpoint", "0.7", "--reactions"]
# Redundant loops that do not: variational rules end at a singular position.
CASE3 = ["hdca-case3", "--every", "0.01", "--checkpoint", "0.7", "--reactions"]
# Every integrator of the program: model and options.
INTEGRATORS = {
    "dopri5": LADDER, "bs23": [*LADDER, "--rtol", "1e-5"], "dop853": LADDER, "rk4": [*LADDER, "--step", "0.003"],
    "adams": LADDER, "moreau": [*LADDER, "--formulation", "dca", "--step", "0.003"],
    "midpoint": [*CASE3, "--time", "16", "--step", "0.01"],
    "gauss4": [*CASE3, "--time", "10", "--step", "0.01"], "gauss6": [*CASE3, "--time", "10", "--step", "0.02"],
    "trapezoidal": [*LADDER, "--formulation", "index3", "--step", "0.004"],
    "generalized-alpha": [*CASE3, "--time", "16", "--formulation", "index3", "--step", "0.004", "--rho", "0.7", "--alpha", "1e7",
                          "--warm"],
    "bdf": ["governor", "--time", "10", "--every", "0.005"],  # has no checkpoints: begins again
}

# Its rate was meant to be 10 rad/s.
SPINNING = """cleave: 1
bodies:
  A: {mass: 1, com: [0.5, 0, 0], inertia: [0.1, 0.1, 0.1]}
  B: {mass: 1, com: [0.5, 0, 0], inertia: [0.1, 0.1, 0.1]}
joints:
  a: {kind: revolute, between: [ground, A], at: [0, 0, 0], axis: [0, 0, 1]}
  b: {kind: revolute, between: [A, B], at: [1, 0, 0], axis: [0, 0, 1]}
start:
  bodies: {B: {position: [1, 0, 0]}}
  joints: {a: {u: 1e8}}
"""


def cleave(*words, folder=None, program=None, **more):
    return subprocess.run([program or PROGRAM, *map(str, words)], capture_output=True, text=True, timeout=300, cwd=folder, **more)


def without_wall(text):
    return {key: value for key, value in json.loads(text).items() if key not in WALL}


class InFolder(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)

    def good(self, *words, **more):
        done = cleave(*words, folder=self.folder, **more)
        self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
        return done

    def export(self, run):
        self.good("export", run, "export.csv", "--force")
        return (self.folder / "export.csv").read_bytes()

    def wrong(self, code, *words, says, **more):
        done = cleave(*words, folder=self.folder, **more)
        self.assertEqual(done.returncode, code, done.stderr + done.stdout)
        self.assertIn(says, done.stderr)
        self.assertNotIn("Traceback", done.stderr)
        return done


class Killed(InFolder):
    def check(self, integrator):
        words = ["run", *INTEGRATORS[integrator], "--integrator", integrator, "--json"]
        if "not part of this build" in cleave(*words, "--time", "0.1").stderr:
            self.skipTest(f"a build without {integrator}")
        began = time.monotonic()
        whole = without_wall(self.good(*words, "--out", "whole.cleave").stdout)
        usual = time.monotonic() - began
        expected = self.export("whole.cleave")
        chance = random.Random(integrator)
        resumed_from = []
        for kill in range(KILLS):
            for old in self.folder.glob("run.cleave*"):
                old.unlink()
            commands = [[*words, "--out", "run.cleave"]]
            for _ in range(chance.choice([1, 1, 2])):  # sometimes the resumed run is killed as well
                if commands[-1][0] == "run" or (self.folder / "run.cleave").exists():
                    self.kill(commands[-1], chance.uniform(0, 1.05 * usual))
                commands.append(["resume", "run.cleave", "--json"])
            if not (self.folder / "run.cleave").exists():
                resumed_from.append(0)  # killed before there was a file
                continue
            # never unreadable; what is there is the beginning of the whole
            part = self.export("run.cleave")
            self.assertEqual(part, expected[:len(part)], f"kill {kill}: the frames kept are not the first ones")
            resumed_from.append(part.count(b"\n") - 1)
            result = without_wall(self.good("resume", "run.cleave", "--json").stdout)
            self.assertEqual(result, whole, f"kill {kill}")
            self.assertEqual(self.export("run.cleave"), expected, f"kill {kill}")
            self.assertEqual(self.tables("run.cleave"), self.tables("whole.cleave"), f"kill {kill}")
        print(f"{integrator}: {KILLS} kills, resumed with {min(resumed_from)} to {max(resumed_from)} frames of "
              f"{expected.count(bytes([10])) - 1} committed", file=sys.stderr)

    def kill(self, words, seconds):
        process = subprocess.Popen([PROGRAM, *words], cwd=self.folder, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        time.sleep(seconds)
        process.send_signal(signal.SIGKILL)
        process.wait()

    def tables(self, run):
        """All that must be equal, bit by bit."""
        base = sqlite3.connect(self.folder / run)
        rows = [base.execute(f"SELECT * FROM {table}").fetchall()
                for table in ("frames", "checkpoints", "events", "columns")]
        rows.append(base.execute("SELECT * FROM summary WHERE name != 'wall_seconds'").fetchall())
        base.close()
        return rows


for name in INTEGRATORS:
    setattr(Killed, "test_" + name, lambda self, name=name: self.check(name))


class Events(InFolder):
    """Runs through events: their simulations are built anew at each, also by those that load a checkpoint behind it."""
    MODEL = """cleave: 1
gravity: [0, -9.81, 0]
bodies:
  arm: {mass: 1, com: [0.5, 0, 0], inertia: [0.1, 0.1, 0.1]}
  fore: {mass: 1, com: [0.5, 0, 0], inertia: [0.1, 0.1, 0.1]}
  ball: {mass: 0.3, inertia: [0.01, 0.01, 0.01]}
joints:
  a: {kind: revolute, a: {body: ground}, b: {body: arm}}
  b: {kind: revolute, a: {body: arm, position: [1, 0, 0]}, b: {body: fore}}
events:
  elbow: {when: {joint: b, above: 0.5}, lock: b}
  shoulder: {at: 1.3, lock: a}
  grasp: {at: 0.9, attach: [fore, ball], joint: spherical, position: [1, 0, 0]}
  drop: {at: 1.5, release: grasp}
  free: {at: 1.6, release: elbow}
start: {joints: {b: {u: 2}}, bodies: {ball: {position: [1, 2, 0], velocity: [0, 0, 1]}}}
"""
    TIMES = [0.1, 0.7, 1.3, 1.9]  # seconds; before, between, at and after the events

    def setUp(self):
        super().setUp()
        (self.folder / "m.yaml").write_text(self.MODEL)

    def run_words(self, end, integrator="dopri5", checkpoints=False):
        step = ["--step", "0.003"] if integrator == "rk4" else []
        return ["run", "m.yaml", "--time", end, "--every", "0.05", "--integrator", integrator, *step, "--json",
                *(["--checkpoint", "0.05"] if checkpoints else [])]

    def test_the_events_happen_between_these_ends(self):
        events = json.loads(self.good(*self.run_words("2"), "--out", "a.cleave").stdout)["model_events"]
        self.assertEqual([events["elbow"]["lock"], events["shoulder"]["lock"]], ["b", "a"])
        self.assertTrue(self.TIMES[0] < events["elbow"]["time"] < self.TIMES[1], events)
        self.assertEqual(events["shoulder"]["time"], self.TIMES[2])

    def test_frames_are_those_of_the_table(self):
        self.good(*self.run_words("2"), "--out", "a.cleave"), self.good(*self.run_words("2"), "--out", "a.csv")
        exported = list(csv.reader(self.export("a.cleave").decode().splitlines()))
        table = list(csv.reader((self.folder / "a.csv").read_text().splitlines()))
        self.assertEqual(len(table), 42)
        self.assertEqual([row[:len(table[0])] for row in exported], table)

    def test_a_later_end_is_the_longer_run(self):
        for integrator in ("dopri5", "rk4", "adams"):
            whole = without_wall(self.good(*self.run_words("2", integrator, True), "--force", "--out", "whole.cleave").stdout)
            expected = self.export("whole.cleave")
            for end in self.TIMES:
                with self.subTest(integrator=integrator, end=end):
                    self.good(*self.run_words(end, integrator, True), "--force", "--out", "short.cleave")
                    longer = without_wall(self.good("resume", "short.cleave", "--time", "2", "--json").stdout)
                    self.assertEqual(longer, whole)
                    self.assertEqual(self.export("short.cleave"), expected)

    def test_the_table_of_the_file_has_them(self):
        self.good(*self.run_words("2"), "--out", "a.cleave")
        with contextlib.closing(sqlite3.connect(self.folder / "a.cleave")) as file:
            rows = file.execute("SELECT time, kind, text FROM events ORDER BY number").fetchall()
        self.assertEqual([kind for _, kind, _ in rows], ["lock", "attach", "lock", "release", "release"])
        self.assertEqual([time for time, _, _ in rows][1:], [0.9, 1.3, 1.5, 1.6])
        self.assertIn("'fore' and 'ball' attached at 0.9 s", rows[1][2])

    def test_an_event_ends_the_run(self):
        (self.folder / "m.yaml").write_text(self.MODEL.replace("  free:", "  end: {at: 1.83, stop: true}\n  free:"))
        found = json.loads(self.good(*self.run_words("9"), "--out", "a.cleave").stdout)
        end = found["model_events"]["end"]["time"]
        self.assertEqual(end, 1.83)
        self.assertEqual(found["time"], end)
        exported = list(csv.reader(self.export("a.cleave").decode().splitlines()))
        self.assertAlmostEqual(float(exported[-1][0]), end, 12)
        before = self.export("a.cleave")
        self.good("resume", "a.cleave")
        self.assertEqual(self.export("a.cleave"), before)
        self.good(*self.run_words("9"), "--out", "a.csv")
        self.assertAlmostEqual(float((self.folder / "a.csv").read_text().splitlines()[-1].split(",")[0]), end, 12)
        self.wrong(1, "eval", "m.yaml", "--time", "9", says="event 'end' has ended the run")

    def test_reports_and_exports_read_them(self):
        self.good(*self.run_words("2"), "--reactions", "--out", "a.cleave")
        self.good("export", "a.cleave", "a.npz")
        if json.loads(self.good("doctor", "--json").stdout)["parts"]["viewer"].startswith("none"):
            self.skipTest("this build has no viewer")
        self.good("report", "a.cleave", "--out", "a.html")
        self.assertIn("a.html", os.listdir(self.folder))


class All(unittest.TestCase):
    def test_every_integrator_is_killed(self):
        told = re.search(r"--integrator NAME +(.*(?:\n {25}.*)*)", cleave("run", "--help").stdout)[1]
        names = [word.split()[0] for word in re.sub(r"\([^)]*\)", "", told).split(",")]
        self.assertEqual(sorted(names), sorted(INTEGRATORS), "each integrator wants its run to be killed")


class Longer(InFolder):
    def test_a_later_end_is_the_longer_run(self):
        for end in ("2", "1.05", "0.3"):  # outputs of the grid, between two of them, and 3 x 0.1 > 0.3
            with self.subTest(end):
                run = ["run", "hdca-case2", "--force", "--every", "0.1", "--checkpoint", "0.5", "--integrator", "dop853", "--json"]
                self.good(*run, "--time", end, "--out", "short.cleave")
                whole = without_wall(self.good(*run, "--time", "3", "--out", "whole.cleave").stdout)
                longer = without_wall(self.good("resume", "short.cleave", "--time", "3", "--json").stdout)
                self.assertEqual(longer, whole)
                self.assertEqual(self.export("short.cleave"), self.export("whole.cleave"))

    def test_an_earlier_end_is_refused(self):
        self.good("run", "pendulum", "--time", "2", "--out", "a.cleave")
        self.wrong(1, "resume", "a.cleave", "--time", "1", says="already goes to 2 s")

    def test_an_earlier_end_of_an_unfinished_run_says_what_it_has_reached(self):
        words = ["run", "four-bar-ladder", "windows=3", "--time", "4000", "--every", "0.01", "--out", "a.cleave"]
        slow = subprocess.Popen([PROGRAM, *words], cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while not (self.folder / "a.cleave").exists():
            time.sleep(0.02)
        time.sleep(1.5)
        slow.kill()
        slow.wait()
        before = self.export("a.cleave")
        last = float(before.decode().splitlines()[-1].split(",")[0])
        self.assertTrue(0 < last < 3000, last)
        self.wrong(1, "resume", "a.cleave", "--time", "3000",
                   says=f"a.cleave holds an unfinished run to {last:g} of 4000 s; --time 3000 is before its end. "
                        "`cleave resume a.cleave` continues it to 4000 s, a later --time beyond that")
        self.assertEqual(self.export("a.cleave"), before)

    def test_more_steps_than_allowed_end_a_run(self):
        words = ["run", "double-pendulum", "--rtol", "1e-10", "--every", "0.1", "--checkpoint", "0.5"]
        self.good(*words, "--time", "10", "--out", "whole.cleave")
        self.wrong(3, *words, "--time", "10", "--max-steps", "400", "--out", "a.cleave", says="more than 400 steps at t = ")
        last = float(self.export("a.cleave").decode().splitlines()[-1].split(",")[0])
        self.assertTrue(1 < last < 9, last)
        self.wrong(3, "resume", "a.cleave", "--max-steps", "600", says="more than 600 steps at t = ")
        self.good("resume", "a.cleave", "--max-steps", "1e5")
        self.assertEqual(self.export("a.cleave"), self.export("whole.cleave"))

    def test_a_run_that_would_not_end_is_refused_on_the_way(self):
        (self.folder / "m.yaml").write_text(SPINNING)
        error = self.wrong(3, "run", "m.yaml", "--time", "1000", "--json", says="joint 'b' sets 100 % of them").stderr
        self.assertRegex(error, r"1e\+06 steps have come to t = 0\.00\d+ s; to 1000 s there would be \d\.?\d*e\+1\d, more than "
                                r"max_steps \(1e\+10\);")
        self.assertIn("max_steps of 3e+12 lets it continue", error)

    def test_a_finished_run_stays_as_it_is(self):
        self.good("run", "hdca-case1", "--time", "2", "--out", "a.cleave")
        before = self.export("a.cleave")
        self.good("resume", "a.cleave")
        self.assertEqual(self.export("a.cleave"), before)

    def test_a_file_model_is_kept_as_text(self):
        self.good("new", "mine", "example=hdca-case1")
        text = (self.folder / "mine.yaml").read_bytes()
        self.good("run", "mine.yaml", "--time", "1", "--out", "a.cleave")
        base = sqlite3.connect(self.folder / "a.cleave")
        self.assertEqual(base.execute("SELECT source, text FROM model").fetchone(), ("mine.yaml", text.decode()))
        base.close()
        (self.folder / "mine.yaml").unlink()
        self.good("resume", "a.cleave", "--time", "2")


class Interrupted(InFolder):
    """Ctrl-C says how far a run has come, and the process ends by the signal."""
    WORDS = ["run", "four-bar-ladder", "windows=3", "--time", "4000", "--every", "0.01"]

    def interrupt(self, *words, reached, **more):
        job = subprocess.Popen([PROGRAM, *words], cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                               text=True, **more)
        while not reached():
            time.sleep(0.02)
        time.sleep(0.3)
        job.send_signal(signal.SIGINT)
        told = job.communicate(timeout=60)[1]
        self.assertEqual(job.returncode, -signal.SIGINT, told)
        return told

    def test_a_run_file_is_continued(self):
        for words in ([*self.WORDS, "--out", "a.cleave"], ["resume", "a.cleave", "--threads", "2"]):
            before = self.written()
            told = self.interrupt(*words, reached=lambda before=before: (self.folder / "a.cleave").exists() and self.written() != before)
            found = re.fullmatch(rf"cleave {words[0]}: interrupted at (\S+) of 4000 s; "
                                 r"`cleave resume a.cleave` continues it\n", told)
            self.assertTrue(found and 0 < float(found[1]) < 4000, told)
        self.export("a.cleave")

    def written(self):
        """When the run file and its log were last written."""
        return [(self.folder / name).stat().st_mtime_ns if (self.folder / name).exists() else 0
                for name in ("a.cleave", "a.cleave-wal")]

    def test_other_runs_say_the_time(self):
        for words in (["--out", "a.csv"], ["--threads", "2", "--out", "b.csv"]):
            told = self.interrupt(*self.WORDS, *words, reached=lambda words=words: (self.folder / words[-1]).exists())
            self.assertRegex(told, r"^cleave run: interrupted at \S+ of 4000 s\n$")

    def test_an_ignored_signal_stays_ignored(self):
        job = subprocess.Popen([PROGRAM, *self.WORDS[:3], "--time", "20", "--out", "a.csv"], cwd=self.folder, text=True,
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                               preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN))
        job.send_signal(signal.SIGINT)
        self.assertEqual((job.communicate(timeout=60)[1], job.returncode), ("", 0))


class Exports(InFolder):
    def test_columns_of_the_table_come_first(self):
        words = ["run", "hdca-case1", "--time", "1", "--out"]
        self.good(*words, "a.csv"), self.good(*words, "a.cleave")
        exported = list(csv.reader(self.export("a.cleave").decode().splitlines()))
        table = list(csv.reader((self.folder / "a.csv").read_text().splitlines()))
        self.assertEqual([row[:len(table[0])] for row in exported], table)
        self.assertIn("energy.kinetic [J]", exported[0])
        self.assertIn("violation.velocity [m/s or rad/s]", exported[0])

    def test_reactions(self):
        self.good("run", "pendulum", "--time", "1", "--out", "a.cleave", "--reactions")
        names = self.export("a.cleave").decode().splitlines()[0]
        self.assertIn(".force.x [N]", names)
        self.assertIn(".drive_torque.z [N m]", names)
        self.good("run", "pendulum", "--time", "1", "--out", "a.csv", "--reactions")
        self.assertEqual(self.export("a.cleave").decode(), (self.folder / "a.csv").read_text())
        self.wrong(1, "run", "pendulum", "--out", "b.csv", "--checkpoint", "1", says="needs a run file")

    def test_npz(self):
        self.good("run", "hdca-case1", "--time", "1", "--out", "a.cleave")
        rows = list(csv.reader(self.export("a.cleave").decode().splitlines()))
        self.good("export", "a.cleave", "a.npz")
        with zipfile.ZipFile(self.folder / "a.npz") as archive:
            self.assertIsNone(archive.testzip())
            self.assertEqual(archive.namelist(), ["names.npy", "units.npy", "frames.npy"])
            data = archive.read("frames.npy")
            names = archive.read("names.npy")
        self.assertEqual(data[:8], b"\x93NUMPY\x01\x00")
        size = struct.unpack("<H", data[8:10])[0]
        self.assertIn(f"'<f8', 'fortran_order': False, 'shape': ({len(rows) - 1}, {len(rows[0])})",
                      data[10:10 + size].decode())
        self.assertEqual((10 + size) % 64, 0)
        numbers = struct.unpack(f"<{(len(rows) - 1) * len(rows[0])}d", data[10 + size:])
        self.assertEqual([str(float(x)) for row in rows[1:] for x in row], [str(x) for x in numbers])
        self.assertIn("energy.kinetic".encode("utf-32-le"), names)

    def test_refused_by_name(self):
        self.good("run", "pendulum", "--time", "1", "--out", "a.cleave")
        self.wrong(1, "export", "a.cleave", "a.txt", says="must end in .csv, .npz, .h5, .glb or .usda")
        self.wrong(2, "export", "b.cleave", "a.csv", says="there is no readable file b.cleave")
        (self.folder / "text.cleave").write_text("no run, but long enough to be looked at " * 100)
        self.wrong(2, "export", "text.cleave", "a.csv", says="text.cleave is not a run file")
        self.wrong(1, "run", "pendulum", "--out", "text.cleave", says="text.cleave is not a run file")
        self.assertIn("no run", (self.folder / "text.cleave").read_text())


class Disk(InFolder):
    RUN = ["run", "four-bar-ladder", "windows=3", "--time", "20", "--every", "0.002", "--checkpoint", "1", "--json",
           "--out"]

    def full(self, done, run, *, resumed=None):
        self.assertEqual(done.returncode, 4, done.stderr + done.stdout)
        self.assertEqual(len(done.stderr.strip().splitlines()), 2, done.stderr)  # a sentence and a hint
        self.assertEqual(json.loads(done.stdout)["status"], "out_of_resources")
        whole = without_wall(self.good(*self.RUN, "whole.cleave").stdout)
        expected = self.export("whole.cleave")
        part = self.export(run)
        self.assertEqual(part, expected[:len(part)])
        self.assertGreater(part.count(b"\n"), 100)
        self.assertEqual(without_wall(self.good("resume", run, "--json").stdout), whole)
        self.assertEqual(self.export(run), expected)

    def test_limit_of_file_size(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (3000000, 3000000))
        self.full(cleave(*self.RUN, "run.cleave", folder=self.folder, preexec_fn=limit), "run.cleave")

    def test_full_disk(self):
        room = self.folder / "room"
        room.mkdir()
        run = f"{PROGRAM} {' '.join(self.RUN)}"
        script = f"mount -t tmpfs -o size=3m none {room} && cd {room} && " \
                 f"{{ {run} first.cleave 2>{self.folder}/first.err >{self.folder}/first.json; " \
                 f"{run} run.cleave --max-output 1; code=$?; " \
                 f"{PROGRAM} export run.cleave {self.folder}/full.csv >{self.folder}/export.txt 2>&1; " \
                 f"cp -a {room}/. {self.folder}/kept; exit $code; }}"
        done = subprocess.run(["unshare", "-rm", "sh", "-c", script], capture_output=True, text=True, timeout=300)
        if not (self.folder / "kept").exists():
            self.skipTest("no small file system can be mounted here")
        refused = (self.folder / "first.err").read_text()
        self.assertIn("GB are free for first.cleave", refused)  # refused before, unless it is tried nevertheless
        self.assertIn("disk is full", done.stderr)
        self.assertGreater((self.folder / "full.csv").read_text().count("\n"), 100)  # readable while it is full
        self.full(done, "kept/run.cleave")

    def test_read_only_folder(self):
        closed = self.folder / "closed"
        closed.mkdir()
        closed.chmod(0o555)
        who = {}
        if os.geteuid() == 0:  # to root every folder can be written
            program = self.folder / "cleave"
            shutil.copy(PROGRAM, program)
            self.folder.chmod(0o755)
            who = {"program": program, "user": 65534, "group": 65534, "extra_groups": []}
            if cleave("--version", **who).returncode != 0:
                self.skipTest("cannot act as another user")
        denied = "cannot be written: Permission denied"
        self.wrong(4, "run", "pendulum", "--out", closed / "run.cleave", says=denied, **who)
        self.wrong(4, "run", "pendulum", "--out", closed / "run.csv", says=denied, **who)
        self.wrong(4, "run", "pendulum", "--out", "no/such/run.cleave", says="No such file or directory")
        # a file that can be read can be exported from there, but not resumed
        closed.chmod(0o755)
        self.good("run", "pendulum", "--time", "1", "--out", closed / "run.cleave")
        closed.chmod(0o555)
        elsewhere = self.folder / "elsewhere"
        elsewhere.mkdir()
        elsewhere.chmod(0o777)
        self.good("export", closed / "run.cleave", elsewhere / "a.csv", **who)
        if os.geteuid() == 0:
            self.wrong(4, "resume", closed / "run.cleave", says=denied, **who)
        closed.chmod(0o755)

    def test_file_in_use(self):
        self.good("run", "hdca-case1", "--time", "1", "--out", "a.cleave")
        before = (self.folder / "a.cleave").read_bytes()
        with open(self.folder / "a.cleave", "rb") as held:  # as a run that goes on holds it
            fcntl.flock(held, fcntl.LOCK_EX)
            self.wrong(4, "resume", "a.cleave", says="a.cleave is in use by another process")
            self.wrong(4, "run", "hdca-case1", "--out", "a.cleave", says="a.cleave is in use by another process")
            self.export("a.cleave")
        self.assertEqual((self.folder / "a.cleave").read_bytes(), before)
        base = sqlite3.connect(self.folder / "a.cleave", isolation_level=None)
        base.execute("BEGIN EXCLUSIVE")
        self.wrong(4, "resume", "a.cleave", says="a.cleave is in use by another process")
        base.execute("ROLLBACK")
        base.close()
        self.good("resume", "a.cleave", "--time", "2")

    def test_two_runs_and_a_reader(self):
        slow = subprocess.Popen([PROGRAM, "run", "four-bar-ladder", "windows=3", "--time", "1000", "--max-step", "0.001",
                                 "--every", "0.01", "--checkpoint", "1", "--out", "a.cleave"], cwd=self.folder,
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            while not (self.folder / "a.cleave").exists():
                time.sleep(0.02)
            time.sleep(0.5)
            self.wrong(4, "run", "pendulum", "--out", "a.cleave", says="in use by another process")
            self.wrong(4, "resume", "a.cleave", says="in use by another process")
            first = self.export("a.cleave")  # readers see what is committed, and are not felt
            second = first
            while len(second) == len(first) and slow.poll() is None:  # a loaded machine may take long
                time.sleep(0.1)
                second = self.export("a.cleave")
            self.assertIsNone(slow.poll())
            self.assertEqual(second[:len(first)], first)
        finally:
            slow.kill()
            slow.wait()


if __name__ == "__main__":
    if len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
        PROGRAM = str(Path(sys.argv.pop(1)).resolve())
    unittest.main()
