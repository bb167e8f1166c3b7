#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the program does to files: nothing is overwritten unasked, results land in the file that is named and nowhere
else, and a run file is what one run wrote, or is refused.

Use: test_files.py PROGRAM [unittest options]"""
import itertools
import os
import subprocess
import sys
import tempfile
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
        (self.folder / "export.csv").unlink(missing_ok=True)
        self.good("export", run, "export.csv")
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


if __name__ == "__main__":
    if len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
        PROGRAM = str(Path(sys.argv.pop(1)).resolve())
    unittest.main()
