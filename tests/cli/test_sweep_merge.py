#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Parts of a sweep: `cleave sweep merge`, the scripts for Slurm arrays under a stand-in for Slurm, and the bookkeeping of
many short runs whose processes are killed at random.

Use: test_sweep_merge.py PROGRAM [unittest options]
     test_sweep_merge.py PROGRAM --count 1000000      the bookkeeping alone, with so many runs"""
import json
import os
import random
import shlex
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

PROGRAM = "cleave"
RUNS = 10000
ROOT = Path(__file__).resolve().parent.parent.parent
MODEL = """cleave: 1
time: 0.001
bodies:
  arm: {mass: 1, com: [0.2, 0, 0], inertia: [0.01, 0.02, 0.02]}
joints:
  a: {kind: revolute, between: [ground, arm], at: [0, 0, 0], axis: [0, 1, 0]}
forces:
  d1: {kind: joint-load, joint: a, damping: 0.5, stiffness: 1}
"""
WORDS = ["arm.yaml", "--vary", "d1.damping=1..2", "--vary", "bodies.arm.mass=500..900 g", "--columns", "a.q"]


class Parts(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)
        (self.folder / "arm.yaml").write_text(MODEL)

    def cleave(self, *words, code=0, says=""):
        done = subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, timeout=600, cwd=self.folder)
        self.assertEqual(done.returncode, code, done.stderr + done.stdout)
        self.assertIn(says, done.stderr + done.stdout)
        return done

    def merge(self, out, *files, **more):
        return self.cleave("sweep", "merge", out, *files, **more)

    def make(self, shards, runs, name="part%02d.sweep", more=()):
        files = [name % i for i in range(1, shards + 1)]
        for i, file in enumerate(files, 1):
            self.cleave("sweep", *WORDS, "--runs", runs, "--shard", f"{i}/{shards}", "--out", file, *more)
        return files

    def read(self, file, what="* FROM runs ORDER BY instance"):
        with sqlite3.connect(self.folder / file) as db:
            return db.execute("SELECT " + what).fetchall()

    def change(self, file, what):
        with sqlite3.connect(self.folder / file) as db:
            db.execute(what)
        db.close()

    def run_again(self, command):
        words = shlex.split(command)
        self.assertEqual(words[:2], ["cleave", "sweep"])
        return self.cleave(*words[1:])


class Merge(Parts):
    def test_one_file_of_all(self):
        self.cleave("sweep", *WORDS, "--runs", 103, "--out", "whole.sweep")
        files = self.make(40, 103)  # more than the words that other commands take
        told = json.loads(self.merge("all.sweep", *files, "--json").stdout)
        self.assertEqual([told[key] for key in ("status", "runs", "rows", "missing", "shards", "parts")],
                         ["ok", 103, 103, 0, 40, []])
        for table in ("runs ORDER BY instance", "settings", "columns", "statistics", "model", "sweep"):
            self.assertEqual(self.read("all.sweep", "* FROM " + table), self.read("whole.sweep", "* FROM " + table))
        self.merge("twice.sweep", *files, files[3], "whole.sweep", says="103 of 103")
        self.assertEqual(self.read("twice.sweep"), self.read("whole.sweep"))
        self.merge("all.sweep", *files, code=1, says="--resume adds rows to it")
        self.merge("all.sweep", *files, "--resume", says="103 of 103, 103 of them from before")
        self.merge("all.sweep", *files, "--force", says="103 of 103")

    def test_lost_parts_have_a_command(self):
        self.cleave("sweep", *WORDS, "--runs", 50, "--out", "whole.sweep")
        files = self.make(5, 50)
        (self.folder / files[1]).unlink()
        whole = (self.folder / files[2]).read_bytes()
        (self.folder / files[2]).write_bytes(whole[:3000])
        self.change(files[4], "DELETE FROM runs WHERE instance > 20")
        told = json.loads(self.merge("all.sweep", *files, "--json", code=3).stdout)
        self.assertEqual((told["status"], told["rows"], told["missing"]), ("incomplete", 24, 26))
        self.assertEqual([(p["shard"], p["file"], p["state"], p["missing"], p["runs"]) for p in told["parts"]],
                         [(2, files[1], "lost", 10, 10), (3, files[2], "damaged", 10, 10),
                          (5, files[4], "incomplete", 6, 10)])
        rest = [file for file in files if (self.folder / file).exists()]
        by_name = json.loads(self.merge("named.sweep", *rest, "--json", code=3).stdout)  # of a file nobody named
        self.assertEqual([(p["file"], p["state"], p["command"]) for p in by_name["parts"]],
                         [(p["file"], p["state"], p["command"]) for p in told["parts"]])
        text = self.merge("text.sweep", *files, code=3, says="26 runs, of 3 of 5 parts").stdout
        for part in told["parts"]:
            self.assertIn(part["command"], text)
            self.run_again(part["command"])
        self.merge("all.sweep", "--resume", *[p["file"] for p in told["parts"]], says="50 of 50, 24 of them from before")
        self.assertEqual(self.read("all.sweep"), self.read("whole.sweep"))

    def test_words_come_back_as_they_were(self):
        (self.folder / "it's $HOME.yaml").write_text(MODEL)
        words = ["--runs=6", "--vary", "d1.damping=1..2 ", "--force", "--json", "--columns=a.*", "--", "it's $HOME.yaml"]
        for i in (1, 2):
            self.cleave("sweep", "--shard", f"{i}/2", f"--out=p {i}.sweep", *words)
        self.change("p 2.sweep", "DELETE FROM runs WHERE instance = 3")
        (part,) = json.loads(self.merge("all.sweep", "p 1.sweep", "p 2.sweep", "--json", code=3).stdout)["parts"]
        self.assertEqual(shlex.split(part["command"]),
                         ["cleave", "sweep", "--shard", "2/2", "--out", "p 2.sweep", "--resume",
                          *[w for w in words if w not in ("--force", "--json")]])
        self.run_again(part["command"])
        self.assertEqual(len(self.read("p 2.sweep")), 3)

    def test_other_sweeps_are_refused(self):
        files = self.make(2, 10)
        for more, says in [(["--rtol", "1e-7"], "rtol is '1e-07' there"), (["--seed", "2"], "values is"),
                           (["--time", "0.002"], "time is '0.002' there and '0.001' here")]:
            (other,) = self.make(1, 10, "other%d.sweep", [*more, "--force"])
            self.merge("all.sweep", *files, other, code=1, says=says)
            self.assertFalse((self.folder / "all.sweep").exists())
            self.merge(other, *files, "--resume", code=1, says="holds another sweep")
        (self.folder / "arm.yaml").write_text(MODEL.replace("0.02]}", "0.021]}"))
        (other,) = self.make(1, 10, "other%d.sweep", ["--force"])
        self.merge("all.sweep", *files, other, code=1, says="model is")
        self.assertFalse((self.folder / "all.sweep").exists())

    def test_what_is_refused(self):
        files = self.make(2, 10)
        before = [(self.folder / file).read_bytes() for file in files]
        for words, code, says in [
            ([], 1, "use: cleave sweep merge OUT"), (["all.sweep"], 1, "use: cleave sweep merge OUT"),
            (["all.db", *files], 1, "must end in .sweep"), (["all.sweep", *files, "--runs"], 1, "--runs"),
            (["all.sweep", *files, "--force", "--resume"], 1, "exclude each other"),
            (["all.sweep", "none.sweep", "arm.yaml"], 2, "no part can be read: there is no readable file none.sweep"),
            ([files[0], *files, "--force"], 1, files[0]), ([files[0], *files, "--resume"], 1, files[0]),
            (["nowhere/all.sweep", *files], 4, "nowhere"),
        ]:
            self.merge(*words, code=code, says=says) if words else self.cleave("sweep", "merge", code=code, says=says)
        self.assertEqual([(self.folder / file).read_bytes() for file in files], before)
        self.cleave("sweep", "merge", "--help", says="one file of all parts")
        self.merge("all.sweep", *files, "arm.yaml", says="arm.yaml is not a sweep file")  # but nothing is missing

    def test_files_of_older_programs(self):
        files = self.make(2, 10)
        for file in files:
            self.change(file, "DROP TABLE job")
        self.change(files[1], "DELETE FROM runs WHERE instance = 7")
        told = json.loads(self.merge("all.sweep", *files, "--json", code=3).stdout)
        self.assertEqual((told["shards"], [(p["shard"], p["file"], p["missing"], p["command"]) for p in told["parts"]]),
                         (0, [(0, "all.sweep", 1, "")]))
        self.merge("all.sweep", *files, "--force", code=3, says="made by an older program")
        self.cleave("sweep", *WORDS, "--runs", 10, "--out", files[1], "--shard", "2/2", "--resume")
        self.assertEqual(self.read(files[1], "shard, shards FROM job"), [(2, 2)])
        self.merge("all.sweep", *files, "--resume", says="10 of 10")
        for wrong in ("shards = 0", "shard = 3", "shard = 'x'", "shards = 1000000000"):
            self.make(1, 4, "c%d.sweep", ["--force"])
            self.change("c1.sweep", "UPDATE job SET " + wrong)
            self.cleave("export", "c1.sweep", "c.csv", "--force", code=2, says="damaged")


class Slurm(Parts):
    """examples/programs/slurm under a stand-in that starts the tasks of an array, kills some and requeues them."""

    SCRIPTS = ROOT / "examples/programs/slurm"

    def task(self, script, *words, **variables):
        environment = {**os.environ, "CLEAVE": str(PROGRAM), **variables}
        return subprocess.Popen(["sh", str(self.SCRIPTS / script), *words], cwd=self.folder, env=environment, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def array(self, tasks, kill=()):
        for i in tasks:
            variables = {"PARTS": "6", "SLURM_ARRAY_TASK_ID": str(i), "SLURM_ARRAY_TASK_COUNT": str(len(tasks)),
                         "SLURM_CPUS_PER_TASK": "2"}
            for again in range(5):
                with self.task("parts.sh", "sweep.txt", **variables) as task:
                    if i in kill and again < 2:  # preempted; Slurm puts it into the queue again
                        time.sleep(0.15)
                        task.send_signal([signal.SIGTERM, signal.SIGKILL][again])
                    text = task.communicate()[0]
                if task.returncode >= 0:
                    break
            self.assertEqual(task.returncode, 0, text)

    def merge_job(self, code):
        with self.task("merge.sh", "all.sweep", PARTS="6") as task:
            text = task.communicate()[0]
        self.assertEqual(task.returncode, code, text)
        return text

    def test_arrays(self):
        runs = ["--runs", "600", "--time", "0.2"]
        self.cleave("sweep", *WORDS, *runs, "--out", "whole.sweep")
        (self.folder / "sweep.txt").write_text("\n".join([*WORDS, *runs]) + "\n")
        self.array([1, 2, 4, 6], kill=[2, 4])
        text = self.merge_job(3)
        for i in (3, 5):
            self.assertIn(f"part {i}/6, part{i}.sweep: lost, 100 of 100 runs missing", text)
        self.array([3, 5])  # lost tasks alone: the parts are those of the whole array
        self.assertIn("600 of 600", self.merge_job(0))
        self.assertEqual(self.read("all.sweep"), self.read("whole.sweep"))
        with self.task("parts.sh", "sweep.txt", SLURM_ARRAY_TASK_ID="1") as task:
            self.assertIn("PARTS", task.communicate()[0])
        self.assertNotEqual(task.returncode, 0)


class Bookkeeping(Parts):
    def test_many_short_runs_with_kills(self):
        """Parts that run two at a time, processes that are killed at random: every row once, and that of a run alone."""
        dice, shards, kills = random.Random(11), 4, 10
        began = time.monotonic()
        words = [*WORDS, "--runs", str(RUNS), "--threads", "1"]
        pace = RUNS / shards * 0.0003 / 4  # s: about four kills in the time of a part
        waiting, running, killed, ends = list(range(1, shards + 1)), {}, 0, {}
        while waiting or running:
            while waiting and len(running) < 2:
                i = waiting.pop(0)
                running[i] = subprocess.Popen([PROGRAM, "sweep", *words, "--shard", f"{i}/{shards}", "--out", f"p{i}.sweep",
                                               "--resume", "--json"], cwd=self.folder, stdout=subprocess.DEVNULL)
                ends[i] = time.monotonic() + dice.uniform(0.2, 2) * pace if killed < kills else float("inf")
            time.sleep(0.01)
            for i, process in list(running.items()):
                if process.poll() is None and time.monotonic() > ends[i] and killed < kills:
                    process.kill()
                    killed += 1
                if process.poll() is None:
                    continue
                process.wait()
                self.assertIn(process.returncode, (0, -signal.SIGKILL))
                del running[i]
                if process.returncode != 0:
                    waiting.append(i)
        done = time.monotonic()
        told = json.loads(self.merge("all.sweep", *[f"p{i}.sweep" for i in range(1, shards + 1)], "--json").stdout)
        merged = time.monotonic()
        self.assertGreater(killed, 0)
        self.assertEqual((told["rows"], told["missing"], told["failed"]), (RUNS, 0, 0))
        self.assertEqual(self.read("all.sweep", "count(*), count(DISTINCT instance), min(instance), max(instance) FROM runs"),
                         [(RUNS, RUNS, 0, RUNS - 1)])
        if RUNS > 20000:
            print(f"{RUNS} runs, {killed} kills: {done - began:.0f} s; merge {merged - done:.0f} s")
        else:
            self.cleave("sweep", *words, "--out", "whole.sweep")
            self.assertEqual(self.read("all.sweep"), self.read("whole.sweep"))


if __name__ == "__main__":
    if len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
        PROGRAM = str(Path(sys.argv.pop(1)).resolve())
    if "--count" in sys.argv:
        at = sys.argv.index("--count")
        RUNS = int(sys.argv[at + 1])
        sys.argv[at:at + 2] = ["Bookkeeping"]
    unittest.main()
