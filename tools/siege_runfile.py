#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lays siege to one run file: runs that are killed (kill -9), files and logs that are removed, moved, swapped and cut
between them, and three processes at once on one name.  Whatever ends with exit code 0 must be right.

    wrong  a run, resume or export ended with 0, and the frames are not the first ones of a run with the settings in the
           file (all of them after a run or resume)
    lost   a run or resume ended with 0, nobody replaced the file since, and its frames cannot be read

Refusals are right, too: they are counted by exit code.

Use: siege_runfile.py PROGRAM [--rounds N] [--seed S] [--keep FOLDER]"""
import argparse
import collections
import os
import random
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

NAME = "x.cleave"
SIDE = ("-wal", "-shm", "-journal")
# Runs that are told apart by their settings; the fourth has another model.  They go to a short end or to a long one.
VARIANTS = [["pendulum", "--every", "0.01", "--checkpoint", "1", "--rtol", rtol] for rtol in ("1e-3", "1e-6", "1e-10")]
VARIANTS.append(["double-pendulum", "--every", "0.01", "--checkpoint", "1", "--rtol", "1e-5"])
SHORT, LONG = "12", "60"  # s


class Siege:
    def __init__(self, program, folder, seed):
        self.program, self.folder, self.chance = program, folder, random.Random(seed)
        self.file = folder / NAME
        self.tally = collections.Counter()
        self.faults = []
        self.events = []
        self.reference, self.usual = [], 0.0
        for words in VARIANTS:
            began = time.monotonic()
            self.must(["run", *words, "--time", LONG, "--out", "reference.cleave"])
            self.usual = max(self.usual, time.monotonic() - began)
            self.must(["export", "reference.cleave", "reference.csv"])
            self.reference.append((folder / "reference.csv").read_bytes().splitlines(keepends=True))
            for name in ("reference.cleave", "reference.csv"):
                (folder / name).unlink()

    def start(self, words):
        self.tally["processes"] += 1
        return subprocess.Popen([self.program, *words], cwd=self.folder, stdin=subprocess.DEVNULL,
                                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

    def kill(self, process):
        """At any time; most often while frames are written."""
        try:
            if self.chance.random() < 0.7:
                for _ in range(400):
                    if Path(f"{self.file.resolve()}-wal").exists() or process.poll() is not None:
                        break
                    time.sleep(0.005)
                process.wait(timeout=self.chance.uniform(0, self.chance.choice([0.02, 0.5 * self.usual])))
            else:
                process.wait(timeout=self.chance.uniform(0, self.chance.choice([0.02, 0.1, self.usual])))
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)

    def end(self, process, words, kill=False):
        """The exit code; None if it was killed."""
        if kill:
            self.kill(process)
        try:
            said = process.communicate(timeout=120)[1]
        except subprocess.TimeoutExpired:
            process.kill()
            said = process.communicate()[1]
            self.fault("lost", f"{words} hangs")
        code = process.returncode
        self.events.append(f"{' '.join(words)} -> {code} {said.strip()[:160]}")
        if code == -signal.SIGKILL:
            self.tally["killed"] += 1
            return None
        if code < 0:
            self.fault("wrong", f"{words} ended by signal {-code}")
        self.tally[f"{words[0]} exit {code}"] += 1
        return code

    def call(self, words, kill=False):
        return self.end(self.start(words), words, kill)

    def must(self, words):
        if self.call(words) != 0:
            sys.exit(f"siege: {self.events[-1]}")

    def fault(self, kind, what):
        self.tally[kind] += 1
        self.faults.append(f"{kind}: {what}\n    " + "\n    ".join(self.events))

    # ------------------------------------------------------------------ what is right

    def variant_of_file(self):
        """Which run the file says it is, and to what end; None if that cannot be told."""
        try:
            base = sqlite3.connect(f"file:{self.file}?mode=ro", uri=True)
            rtol, = base.execute("SELECT value FROM settings WHERE name = 'rtol'").fetchone()
            end, = base.execute("SELECT value FROM settings WHERE name = 'end'").fetchone()
            source, = base.execute("SELECT source FROM model").fetchone()
            base.close()
        except (sqlite3.Error, TypeError):
            return None, None
        for i, words in enumerate(VARIANTS):
            if words[0] == source and float(words[-1]) == rtol:
                return i, end
        return None, None

    def judge(self, csv, variant, end, what):
        """Frames that a command ended with 0 for: all to this end, or the first ones (None)."""
        lines = csv.read_bytes().splitlines(keepends=True)
        right = any(self.reference[v][:len(lines)] == lines for v in
                    (range(len(VARIANTS)) if variant is None else [variant]))
        if not right or (end is not None and len(lines) != round(100 * float(end)) + 2):
            self.fault("wrong", f"{what}: {len(lines) - 1} frames are not those of variant {variant} to {end} s")

    def check_done(self, what, variant=None):
        """After a run or resume with exit code 0: all frames are there, and right."""
        csv = self.folder / "check.csv"
        csv.unlink(missing_ok=True)
        if self.call(["export", NAME, "check.csv"]) != 0:
            self.fault("lost", f"{what}: its frames cannot be exported")
            return
        found, end = self.variant_of_file()
        self.judge(csv, found if variant is None else variant, end, what)
        if found is None or end is None:
            self.fault("wrong", f"{what}: the file does not say what it is")

    def check_left(self, what):
        """After a kill: readable or refused, and resumed to the whole."""
        csv = self.folder / "check.csv"
        csv.unlink(missing_ok=True)
        if self.call(["export", NAME, "check.csv"]) == 0:
            self.judge(csv, self.variant_of_file()[0], None, what)
        if self.chance.random() < 0.5 and self.call(["resume", NAME]) == 0:
            self.check_done(f"resume after {what}")

    # ------------------------------------------------------------------ what is done to it

    def disturb(self):
        """Between two runs somebody tidies up, by halves."""
        deed = self.chance.choice(["main", "main", "main", "all", "nothing", "logs", "other", "empty", "linked"])
        self.events.append(f"disturbed: {deed}")
        if deed in ("main", "all", "linked"):
            self.file.unlink(missing_ok=True)
        if deed in ("all", "logs"):
            for side in SIDE:
                Path(f"{self.file}{side}").unlink(missing_ok=True)
        if deed == "other" and (self.folder / "other.cleave").exists():
            shutil.copy(self.folder / "other.cleave", self.folder / "moved.cleave")
            os.replace(self.folder / "moved.cleave", self.file)  # beside the log of another, maybe
        if deed == "empty":
            self.file.write_bytes(b"")
        if deed == "linked":
            shutil.rmtree(self.folder / "aim", ignore_errors=True)
            (self.folder / "aim").mkdir()
            (self.folder / "aim" / "y.cleave").write_bytes(b"")
            self.file.symlink_to("aim/y.cleave")
        return deed

    def clear(self):
        for path in self.folder.iterdir():
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink()
        self.events = []

    def run_words(self, variant, force, end=SHORT):
        return ["run", *VARIANTS[variant], "--time", end, "--out", NAME, *(["--force"] if force else [])]

    def kill_remove_rerun(self):
        """A run killed, the file disturbed, another run in its place."""
        first, second = self.chance.randrange(len(VARIANTS)), self.chance.randrange(len(VARIANTS))
        if self.chance.random() < 0.3:
            self.must(["run", *VARIANTS[self.chance.randrange(len(VARIANTS))], "--time", SHORT, "--out",
                       "other.cleave"])
        if self.call(self.run_words(first, False, LONG), kill=True) is None and self.chance.random() < 0.5:
            self.check_left("a killed run")
        self.disturb()
        if self.chance.random() < 0.3 and self.call(self.run_words(second, True, LONG), kill=True) is None:
            self.check_left("a killed second run")
            self.disturb()
        words = self.run_words(second, self.chance.random() < 0.5)
        if self.call(words) == 0:
            self.check_done("the second run", second)
        elif self.call(["resume", NAME]) == 0:
            self.check_done("resume in the end")

    def three_at_once(self):
        """Processes on one name at the same time, some of them killed."""
        if self.chance.random() < 0.6:
            self.call(self.run_words(self.chance.randrange(len(VARIANTS)), False, LONG), kill=True)
            if self.chance.random() < 0.3:
                self.disturb()
        jobs = []
        for i in range(3):
            kind = self.chance.choice(["run", "run", "force", "force", "resume", "resume", "export"])
            variant = self.chance.randrange(len(VARIANTS))
            words = (["resume", NAME] if kind == "resume" else ["export", NAME, f"export{i}.csv"] if kind == "export"
                     else self.run_words(variant, kind == "force", self.chance.choice([SHORT, LONG])))
            jobs.append((kind, variant, words, self.start(words)))
            time.sleep(self.chance.choice([0, 0, 0.001, 0.005, 0.3 * self.usual]))
        codes = [self.end(process, words, self.chance.random() < 0.3)
                 for _, _, words, process in jobs]
        for i, ((kind, _, _, _), code) in enumerate(zip(jobs, codes)):
            if kind == "export" and code == 0:
                self.judge(self.folder / f"export{i}.csv", None, None, "export beside two others")
        done = [variant for (kind, variant, _, _), code in zip(jobs, codes) if code == 0 and kind in ("run", "force")]
        replaced = [kind for (kind, _, _, _), code in zip(jobs, codes) if code is None and kind in ("run", "force")]
        if done and not replaced:  # the last of them that ended with 0 is in the file
            self.check_done("three at once")
            if self.variant_of_file()[0] not in done:
                self.fault("lost", f"none of the runs {done} that ended with 0 is in the file")
        else:
            self.check_left("three at once")
            if self.call(["resume", NAME]) == 0:
                self.check_done("resume after three at once")

    def lay(self, rounds):
        for i in range(rounds):
            self.clear()
            self.kill_remove_rerun() if i % 2 == 0 else self.three_at_once()
            if self.tally["wrong"] + self.tally["lost"] > 20:
                break


def main():
    reader = argparse.ArgumentParser()
    reader.add_argument("program")
    reader.add_argument("--rounds", type=int, default=12)
    reader.add_argument("--seed", type=int, default=1)
    options = reader.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        siege = Siege(str(Path(options.program).resolve()), Path(folder), options.seed)
        began = time.monotonic()
        siege.lay(options.rounds)
        seconds = time.monotonic() - began
    print("\n".join(siege.faults))
    tally = siege.tally
    print(f"{options.rounds} rounds in {seconds:.0f} s, {tally['processes']} processes, {tally['killed']} killed; "
          f"{tally['wrong']} wrong, {tally['lost']} lost")
    print(", ".join(f"{name}: {n}" for name, n in sorted(tally.items()) if re.search("exit", name)))
    return 1 if tally["wrong"] or tally["lost"] else 0


if __name__ == "__main__":
    sys.exit(main())
