#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the program does to files: nothing is overwritten unasked, results land in the file that is named and nowhere
else, and a run file is what one run wrote, or is refused.

Use: test_files.py PROGRAM [unittest options]"""
import itertools
import os
import resource
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

PROGRAM = "cleave"

PENDULUM = """\
cleave: 1
bodies:
  rod: {mass: 1, com: [0.5, 0, 0], inertia: [0.01, 0.1, 0.1]}
joints:
  pin: {kind: revolute, between: [ground, rod], at: [0, 0, 0], axis: [0, 0, 1]}
markers:
  tip: {body: rod, position: [1, 0, 0]}
"""

BOOM = """\
flex: 1
mass: 1
inertia: [0, 0.34, 0.34, 0, 0, 0]
com: [1, 0, 0]
modal_mass: [1, 1]
spin_limit: 100
stiffness: [60, 2400]
damping: [0.1, 0.2]
momentum: [[0, 0.78, 0], [0, 0.43, 0]]
angular_momentum: [[0, 0, 1.1], [0, 0, 0.2]]
moments: [[0, 1.1, 0, 0, 0, 0, 0, 0, 0], [0, 0.2, 0, 0, 0, 0, 0, 0, 0]]
products: [[0, 0, 0, 0, 1, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0, 0],
           [0, 0, 0, 0, 1, 0, 0, 0, 0]]
"""
MODEL = """\
cleave: 1
gravity: [0, -9.81, 0]
bodies:
  boom: {flexible: {file: boom.flex}}
joints:
  pin: {kind: revolute, between: [ground, boom], at: [0, 0, 0], axis: [0, 0, 1]}
start:
  modes:
    boom: {q: [0.01, 0]}
"""


def cleave(*words, folder=None, **more):
    return subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, timeout=300, cwd=folder, **more)


class InFolder(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)

    def file(self, name, content):
        path = self.folder / name
        path.write_text(content)
        return path

    def good(self, *words, **more):
        done = cleave(*words, folder=self.folder, **more)
        self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
        return done

    def wrong(self, code, *words, says, **more):
        done = cleave(*words, folder=self.folder, **more)
        self.assertEqual(done.returncode, code, done.stderr + done.stdout)
        self.assertIn(says, done.stderr)
        return done

    def export(self, run):
        self.good("export", run, "export.csv", "--force")
        return (self.folder / "export.csv").read_bytes()


class Descriptors(InFolder):
    """Results go to no file by accident, whichever standard descriptors are closed."""
    def test_closed(self):
        self.file("tip.yaml", PENDULUM)
        words = ["run", "tip.yaml", "--time", "1", "--every", "0.001", "--table", "tip", "--out"]
        for name in ("good.cleave", "good.csv"):
            self.good(*words, name)
        expected = self.export("good.cleave")
        table = (self.folder / "good.csv").read_bytes()
        for n in (1, 2, 3):
            for closed in itertools.combinations((0, 1, 2), n):
                name = "".join(map(str, closed))
                code = 4 if 1 in closed else 0  # the table could not be printed
                for out in (f"{name}.cleave", f"{name}.csv"):
                    done = subprocess.run([PROGRAM, *words, out], cwd=self.folder, timeout=300,
                                          stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                          stderr=subprocess.DEVNULL,
                                          preexec_fn=lambda closed=closed: [os.close(i) for i in closed])
                    self.assertEqual(done.returncode, code, out)
                self.assertEqual(self.export(f"{name}.cleave"), expected, name)
                self.assertEqual((self.folder / f"{name}.csv").read_bytes(), table, name)


class Overwriting(InFolder):
    """An existing file is kept, and named, unless --force is given; what is read is never replaced."""
    def setUp(self):
        super().setUp()
        self.file("tip.yaml", PENDULUM)
        self.good("run", "tip.yaml", "--time", "1", "--out", "r.cleave")

    def test_every_output(self):
        commands = {
            "a.csv": ["run", "tip.yaml", "--time", "1", "--out", "a.csv"],
            "a.cleave": ["run", "tip.yaml", "--time", "1", "--out", "a.cleave"],
            "b.csv": ["export", "r.cleave", "b.csv"],
            "b.npz": ["export", "r.cleave", "b.npz"],
            "mine.yaml": ["new", "mine"],
        }
        for name, words in commands.items():
            for kept in (b"somebody's\n", self.folder.joinpath("r.cleave").read_bytes()):
                (self.folder / name).write_bytes(kept)
                done = self.wrong(1, *words, says=name)
                self.assertIn("--force", done.stderr)
                self.assertEqual((self.folder / name).read_bytes(), kept, name)
                self.good(*words, "--force")
                self.assertNotEqual((self.folder / name).read_bytes(), kept, name)
        self.assertEqual(sorted(p.name for p in self.folder.iterdir()), sorted([*commands, "r.cleave", "tip.yaml"]))

    def test_json_tells(self):
        self.file("a.csv", "kept")
        done = self.wrong(1, "run", "tip.yaml", "--out", "a.csv", "--json", says="a.csv exists; --force replaces it")
        self.assertIn('"wrong_use"', done.stdout)

    def test_what_is_read_is_no_output(self):
        (self.folder / "model.csv").write_text(PENDULUM)
        (self.folder / "model.cleave").write_text(PENDULUM)
        os.link(self.folder / "tip.yaml", self.folder / "hard.csv")
        (self.folder / "soft.cleave").symlink_to("tip.yaml")
        for model, out in (("./model.csv", "model.csv"), ("./model.cleave", "model.cleave"), ("tip.yaml", "hard.csv"),
                           ("tip.yaml", "soft.cleave")):
            for force in ([], ["--force"]):
                self.wrong(1, "run", model, "--time", "1", "--out", out, *force, says=out)
                self.assertEqual((self.folder / out).read_text(), PENDULUM)
        run = (self.folder / "r.cleave").read_bytes()
        os.rename(self.folder / "r.cleave", self.folder / "r.csv")
        os.link(self.folder / "r.csv", self.folder / "l.npz")
        for out in ("r.csv", "l.npz"):
            self.wrong(1, "export", "r.csv", out, "--force", says="which is read")
        self.assertEqual((self.folder / "r.csv").read_bytes(), run)

    def test_unfinished_run(self):
        slow = subprocess.Popen([PROGRAM, "run", "four-bar-ladder", "windows=3", "--time", "1000", "--every", "0.01",
                                 "--out", "l.cleave"], cwd=self.folder, stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL)
        while not (self.folder / "l.cleave-wal").exists():
            time.sleep(0.02)
        while self.export("l.cleave").count(b"\n") <= 10:  # frames are committed after a second
            time.sleep(0.1)
        self.wrong(4, "run", "tip.yaml", "--out", "l.cleave", says="l.cleave is in use by another process")
        self.wrong(4, "run", "tip.yaml", "--out", "l.cleave", "--force", says="l.cleave is in use by another process")
        slow.kill()
        slow.wait()
        done = self.wrong(1, "run", "tip.yaml", "--out", "l.cleave", says="l.cleave holds an unfinished run to ")
        self.assertRegex(done.stderr, r"to [0-9.]+ of 1000 s: `cleave resume l.cleave` continues it, `--force` "
                                      "replaces it")
        self.assertNotIn(" to 0 of", done.stderr)
        before = self.export("l.cleave")
        self.assertGreater(before.count(b"\n"), 10)
        self.good("run", "tip.yaml", "--time", "1", "--out", "l.cleave", "--force")
        self.assertEqual(self.export("l.cleave"), self.export("r.cleave"))
        self.wrong(1, "run", "tip.yaml", "--out", "l.cleave", says="l.cleave holds a run to 1 of 1 s (ok)")

    def test_flex_reduce(self):
        beam = Path(__file__).resolve().parent.parent / "flexible" / "beam.fe"
        if not beam.exists() or "not part of this build" in cleave("flex", "reduce", beam, self.folder / "b").stderr:
            self.skipTest("no LAPACK")
        self.file("out.flex", "kept")
        self.wrong(1, "flex", "reduce", beam, "out.flex", says="out.flex exists; --force replaces it")
        self.file("in.fe", beam.read_text())
        self.wrong(1, "flex", "reduce", "in.fe", "in.fe", "--force", says="which is read")
        self.assertEqual((self.folder / "in.fe").read_text(), beam.read_text())


class FullDisk(InFolder):
    """Files that cannot be written to their end: exit code 4 with the reason, and no file of that name."""
    def test_each(self):
        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (300, 300))
        self.file("tip.yaml", PENDULUM.replace("[0, 0, 1]}", "[0, 1, 0]}"))
        self.good("run", "tip.yaml", "--time", "1", "--out", "r.cleave")
        commands = {
            "a.npz": ["linearize", "four-bar-ladder", "windows=4", "--out", "a.npz"],
            "a.mat": ["linearize", "four-bar-ladder", "windows=4", "--out", "a.mat"],
            "a.yaml": ["equilibrium", "chain", "links=60", "--out", "a.yaml"],
            "a.csv": ["export", "r.cleave", "a.csv"],
            "b.npz": ["export", "r.cleave", "b.npz"],
            "b.h5": ["export", "r.cleave", "b.h5"],
            "b.glb": ["export", "r.cleave", "b.glb"],
            "b.usda": ["export", "r.cleave", "b.usda"],
            "b.svg": ["plot", "r.cleave", "pin.q", "--out", "b.svg"],
        }
        for name, words in commands.items():
            done = cleave(*words, folder=self.folder, preexec_fn=limit)
            self.assertEqual(done.returncode, 4, f"{name}: {done.stdout}")
            self.assertIn(f"{name} could not be written to its end: File too large", done.stderr)
            self.assertNotIn(f"{name} is written", done.stdout)
        self.assertEqual(sorted(p.name for p in self.folder.iterdir()), ["r.cleave", "tip.yaml"])


class Names(InFolder):
    """Temporary names of others are neither written nor followed."""
    def test_new_names_of_others(self):
        self.file("tip.yaml", PENDULUM)
        self.file("aim", "kept")
        for lay in (lambda p: p.write_text("kept"), lambda p: p.symlink_to("aim"), lambda p: p.mkdir()):
            new = self.folder / "x.cleave-new"
            lay(new)
            self.good("run", "tip.yaml", "--time", "1", "--out", "x.cleave", "--force")
            if new.is_dir():
                new.rmdir()
            else:
                self.assertEqual(new.read_text(), "kept")
                new.unlink()
            self.assertEqual((self.folder / "aim").read_text(), "kept")

    def test_links(self):
        self.file("tip.yaml", PENDULUM)
        (self.folder / "data").mkdir()
        link = self.folder / "x.cleave"
        link.symlink_to("data/run.cleave")
        self.wrong(1, "run", "tip.yaml", "--time", "1", "--out", "x.cleave", says="symbolic link whose target")
        self.good("run", "tip.yaml", "--time", "1", "--out", "data/run.cleave")
        self.wrong(1, "run", "tip.yaml", "--time", "1", "--out", "x.cleave", says="holds a run")
        self.good("run", "tip.yaml", "--time", "2", "--out", "x.cleave", "--force")
        self.assertTrue(link.is_symlink())
        self.good("resume", "x.cleave", "--time", "3")
        self.assertEqual(self.export("x.cleave"), self.export("data/run.cleave"))
        self.assertEqual(sorted(p.name for p in (self.folder / "data").iterdir()), ["run.cleave"])


class TakenAway(InFolder):
    """A run file that is removed, replaced or cut while the run goes on ends the run with 4."""
    def start(self):
        run = subprocess.Popen([PROGRAM, "run", "four-bar-ladder", "windows=3", "--time", "1000", "--every", "0.01",
                                "--out", "d.cleave"], cwd=self.folder, stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE, text=True)
        while not (self.folder / "d.cleave-wal").exists():
            time.sleep(0.02)
        time.sleep(0.3)
        return run

    def test_each(self):
        self.file("tip.yaml", PENDULUM)
        self.good("run", "tip.yaml", "--time", "1", "--out", "other.cleave")
        file = self.folder / "d.cleave"
        deeds = {
            "d.cleave was removed": file.unlink,
            "moved away or replaced by": lambda: os.replace(self.folder / "other.cleave", file),
            "moved away or": lambda: os.rename(file, self.folder / "moved.cleave"),
            # a checkpoint between the cut and the next look at the size makes the file long again: "changed"
            "d.cleave was c(ut|hanged) by another": lambda: os.truncate(file, 1000),
            "d.cleave-wal was removed": (self.folder / "d.cleave-wal").unlink,
        }
        for says, deed in deeds.items():
            run = self.start()
            try:
                deed()
                said = run.communicate(timeout=250)[1]
            finally:
                run.kill()
            self.assertEqual(run.returncode, 4, says)
            self.assertRegex(said, says)
            if says == "moved away or":
                self.good("export", "moved.cleave", "moved.csv")  # what was committed went with it
            if says == "d.cleave-wal was removed":
                self.good("export", "d.cleave", "saved.csv")
            for left in self.folder.glob("d.cleave*"):
                left.unlink()

    def test_csv(self):
        self.file("tip.yaml", PENDULUM)
        slow = subprocess.Popen([PROGRAM, "run", "four-bar-ladder", "windows=3", "--time", "30", "--every", "0.01",
                                 "--out", "d.csv"], cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                text=True)
        while not (self.folder / "d.csv").exists():
            time.sleep(0.005)
        (self.folder / "d.csv").unlink()
        said = slow.communicate(timeout=250)[1]
        self.assertEqual(slow.returncode, 4)
        self.assertIn("d.csv was removed or replaced while it was written", said)


class Whole(InFolder):
    """A run file holds the whole model, also where parts of it were read from other files."""
    def test_modes(self):
        self.file("boom.flex", BOOM)
        self.file("model.yaml", MODEL)
        self.good("run", "model.yaml", "--time", "2", "--out", "long.cleave", "--integrator", "dop853",
                  "--checkpoint", "0.1", "--every", "0.02")
        self.good("run", "model.yaml", "--time", "1", "--out", "short.cleave", "--integrator", "dop853",
                  "--checkpoint", "0.1", "--every", "0.02")
        self.file("boom.flex", BOOM.replace("stiffness: [60", "stiffness: [600"))
        (self.folder / "elsewhere").mkdir()
        os.rename(self.folder / "short.cleave", self.folder / "elsewhere" / "short.cleave")
        done = cleave("resume", "short.cleave", "--time", "2", folder=self.folder / "elsewhere")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.export("elsewhere/short.cleave"), self.export("long.cleave"))
        base = sqlite3.connect(self.folder / "long.cleave")
        text, = base.execute("SELECT text FROM model").fetchone()
        base.close()
        self.assertIn("modal", text)
        self.assertNotIn("boom.flex", text)

    def test_a_run_file_that_names_other_files_is_refused(self):
        self.file("tip.yaml", PENDULUM)
        self.good("run", "tip.yaml", "--time", "1", "--out", "a.cleave")
        base = sqlite3.connect(self.folder / "a.cleave")
        base.execute("UPDATE model SET text = 'cleave: 1\nbodies: {b: {flexible: {file: /etc/passwd}}}'")
        base.commit()
        base.close()
        done = self.wrong(2, "resume", "a.cleave", says="damaged")
        self.assertNotIn("root:", done.stderr)

    def test_the_model_may_change_while_it_runs(self):
        """What is kept is the text that was read, not what lies there later."""
        self.file("tip.yaml", PENDULUM)
        fifo = self.folder / "fifo.yaml"
        os.mkfifo(fifo)
        run = subprocess.Popen([PROGRAM, "run", "fifo.yaml", "--time", "1", "--out", "a.cleave"], cwd=self.folder,
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        fifo.write_text(PENDULUM)
        said = run.communicate(timeout=250)[1]
        self.assertEqual(run.returncode, 0, said)
        base = sqlite3.connect(self.folder / "a.cleave")
        self.assertEqual(base.execute("SELECT text FROM model").fetchone(), (PENDULUM,))
        base.close()

    def test_files_of_others_are_not_shown(self):
        self.file("secret", "root:x:0:0:secret\nmore: [\n")
        for text in ("cleave: 1\nbodies: {b: {flexible: {file: secret}}}\n", ):
            done = self.wrong(2, "check", self.file("m.yaml", text), says="not a file of modes")
            self.assertNotIn("root", done.stderr + done.stdout)


class Damaged(InFolder):
    def test_export(self):
        self.file("tip.yaml", PENDULUM)
        self.good("run", "tip.yaml", "--time", "10", "--every", "0.01", "--out", "a.cleave")
        whole = self.export("a.cleave").splitlines()
        base = sqlite3.connect(self.folder / "a.cleave")
        base.execute("UPDATE frames SET data = zeroblob(length(data)) WHERE first = 256")
        base.commit()
        base.close()
        done = self.wrong(2, "export", "a.cleave", "a.csv", says="frames 256 to 511 have changed")
        self.assertIn("--damaged", done.stderr)
        self.assertFalse((self.folder / "a.csv").exists())
        self.wrong(2, "resume", "a.cleave", "--time", "12", says="frames 256 to 511 have changed")
        for name in ("a.csv", "a.npz"):
            done = self.good("export", "a.cleave", name, "--damaged")
            self.assertIn("frames 256 to 511 are damaged or missing, and left out", done.stderr)
            self.assertIn("745 frames", done.stdout)
        saved = (self.folder / "a.csv").read_bytes().splitlines()
        self.assertEqual(saved, whole[:257] + whole[513:])


if __name__ == "__main__":
    if len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
        PROGRAM = str(Path(sys.argv.pop(1)).resolve())
    unittest.main()
