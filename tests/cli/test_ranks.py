#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`mpirun -n P cleave run`: the same bytes for every number of processes, errors reported once with their rank, runs
whose processes are killed end soon and are resumed on other numbers of processes.

Use: test_ranks.py PROGRAM [unittest options]
Skipped by name where mpirun or the program cleave-mpi beside PROGRAM is missing.
CLEAVE_KILLS=100 in the environment: so many kills instead of 3."""
import contextlib
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

PROGRAM = "cleave"
KILLS = int(os.environ.get("CLEAVE_KILLS", "3"))
UNLIKE = {"wall_seconds", "seconds_per_evaluation", "ranks", "messages", "message_bytes"}
CHAIN = ["chain", "links=60", "spatial=2", "--time", "0.05"]
ALLOWED = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def command(ranks, *words):
    return ["mpirun", "--oversubscribe", "--mca", "mpi_yield_when_idle", "1", "-n", str(ranks), PROGRAM, *map(str, words)]


def run(ranks, *words, **more):
    """A job; again, at most twice, where mpirun itself crashed after its ranks had ended (docs/ranks.md)."""
    for _ in range(3):
        done = subprocess.run(command(ranks, *words), capture_output=True, text=True, timeout=300, env=ALLOWED, **more)
        if done.returncode != -signal.SIGSEGV or "PMIx_server_finalize" not in done.stderr:
            break
    return done


def numbers(path):
    rows = path.read_text().splitlines()
    return rows[0].split(","), [[float(x) for x in row.split(",")] for row in rows[1:]]


class InFolder(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)

    def good(self, ranks, *words):
        done = run(ranks, *words)
        self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
        return done.stdout

    def export(self, file):
        done = subprocess.run([PROGRAM, "export", file, f"{file}.csv", "--force"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return Path(f"{file}.csv").read_text()


class Runs(InFolder):
    def test_every_number_of_ranks_writes_the_same_bytes(self):
        for options in (["--formulation", "hdca"], ["--formulation", "dca", "--integrator", "rk4", "--step", "0.001"]):
            first = None
            for ranks in (1, 2, 3, 4, 8):
                out = self.folder / f"{ranks}.csv"
                result = json.loads(self.good(ranks, "run", *CHAIN, *options, "--out", out, "--every", "0.01", "--json",
                                              "--force"))
                self.assertEqual(result["ranks"], ranks)
                same = {key: value for key, value in result.items() if key not in UNLIKE}, out.read_text()
                first = first or same
                self.assertEqual(same, first, f"{ranks} ranks, {options}")

    def test_chain_closed_to_ground(self):
        first = None
        for ranks in (1, 3):
            out = self.folder / f"{ranks}.csv"
            result = json.loads(self.good(ranks, "run", "chain-closed", "links=60", "--time", "0.05", "--out", out,
                                          "--json", "--force"))
            self.assertLess(result["max_position_violation"], 1e-10)
            first = first or out.read_text()
            self.assertEqual(out.read_text(), first)
        names, rows = numbers(self.folder / "3.csv")
        at = [names.index(f"{joint}.q [rad]") for joint in ("J1", "end")]  # mirror images of each other
        self.assertNotEqual(rows[-1][at[0]], 0)
        self.assertLess(abs(rows[-1][at[0]] - rows[-1][at[1]]), 1e-7)

    def test_loops_are_those_of_one_process(self):
        words, first = ["four-bar-ladder", "windows=40", "--every", "0.05"], None
        for ranks in (1, 3, 4):
            file = self.folder / f"{ranks}.cleave"
            result = json.loads(self.good(ranks, "run", *words, "--time", "0.3", "--out", file, "--json",
                                          "--checkpoint", "0.1"))
            self.assertLess(result["max_position_violation"], 1e-9)
            self.good(5 - ranks, "resume", file, "--time", "0.5")
            same = {key: value for key, value in result.items() if key not in UNLIKE}, self.export(file)
            first = first or same
            self.assertEqual(same, first, f"{ranks} ranks")
        self.good(2, "run", *words, "--time", "0.5", "--out", self.folder / "two.csv", "--rtol", "1e-9")
        done = subprocess.run([PROGRAM, "run", *words, "--time", "0.5", "--rtol", "1e-9", "--formulation", "dca", "--out",
                               self.folder / "one.csv"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        names, two = numbers(self.folder / "two.csv")
        all_names, one = numbers(self.folder / "one.csv")
        at = [all_names.index(name) for name in names]
        worst = max(abs(row[k] - other[j]) / (1 + abs(other[j])) for row, other in zip(two, one) for k, j in enumerate(at))
        self.assertLess(worst, 1e-7)

    def test_text_says_how_accurate_the_run_is(self):
        text = self.good(2, "run", "four-bar-ladder", "windows=6", "--time", "0.1")
        self.assertRegex(text, r"energy drift +\S+ J, .* of the \S+ J that move")
        self.assertRegex(text, r"constraint violation +position \S+, velocity \S+ \(")

    def test_motion_is_that_of_one_process(self):
        words = [*CHAIN, "--every", "0.01", "--rtol", "1e-9"]
        self.good(2, "run", *words, "--out", self.folder / "two.csv")
        done = subprocess.run([PROGRAM, "run", *words, "--out", self.folder / "one.csv"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        names, two = numbers(self.folder / "two.csv")
        all_names, one = numbers(self.folder / "one.csv")
        at = [all_names.index(name) for name in names]
        self.assertEqual(len(one), len(two))
        worst = max(abs(row[k] - other[j]) / (1 + abs(other[j])) for row, other in zip(two, one) for k, j in enumerate(at))
        self.assertLess(worst, 1e-6)

    def test_run_file_is_exported_and_extended(self):
        file, longer = self.folder / "run.cleave", self.folder / "longer.cleave"
        self.good(3, "run", *CHAIN, "--out", file, "--every", "0.005", "--checkpoint", "0.01")
        self.good(2, "resume", file, "--time", "0.08")
        self.good(4, "run", *CHAIN[:3], "--time", "0.08", "--out", longer, "--every", "0.005", "--checkpoint", "0.01")
        self.assertEqual(self.export(file), self.export(longer))

    def chain(self, name, more):
        """The file of a chain of 40 links on ground, with one more section."""
        file = self.folder / f"{name}.yaml"
        text = ["cleave: 1", f"name: {name}", "gravity: [0, -9.81, 0]", "bodies:"]
        text += [f"  b{i}: {{mass: 1, com: [0.5, 0, 0], inertia: [0.1, 0.1, 0.1]}}" for i in range(40)]
        text += ["joints:"]
        text += [f"  j{i}: {{kind: revolute, a: {{body: {'ground' if i == 0 else f'b{i - 1}'}, "
                 f"position: [{0 if i == 0 else 1}, 0, 0]}}, b: {{body: b{i}}}}}" for i in range(40)]
        file.write_text("\n".join([*text, more]) + "\n")
        return file

    def test_inputs_have_the_values_given(self):
        model, first = self.chain("driven", "inputs: {near: {joint: j3}, far: {joint: j36, limit: 50}}"), None
        words = ["--time", "0.05", "--every", "0.01", "--checkpoint", "0.02", "--input", "far=20", "--input", "near=-3"]
        for ranks in (1, 2, 3, 4):
            file = self.folder / f"{ranks}.cleave"
            self.good(ranks, "run", model, *words, "--out", file, "--columns", "*.q,*.u")
            self.good(5 - ranks, "resume", file, "--time", "0.1")
            first = first or self.export(file)
            self.assertEqual(self.export(file), first)
        self.good(2, "run", model, *words[:4], *words[6:], "--out", self.folder / "two.csv", "--rtol", "1e-9")
        words = [*words[:4], *words[6:], "--rtol", "1e-9", "--out", self.folder / "one.csv", "--columns", "j36.q,j3.q"]
        done = subprocess.run([PROGRAM, "run", model, *words], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        names, two = numbers(self.folder / "two.csv")
        one_names, one = numbers(self.folder / "one.csv")
        for name in ("j36.q [rad]", "j3.q [rad]"):
            for row, other in zip(two, one):
                self.assertAlmostEqual(row[names.index(name)], other[one_names.index(name)], delta=1e-7)
            self.assertGreater(abs(one[-1][one_names.index(name)]), 1e-3)
        for bad, says in (("far=60", "the limits of 'far' are"), ("fra=1", "did you mean far?")):
            done = run(2, "run", model, "--input", bad)
            self.assertEqual((done.returncode, done.stderr.count(says)), (1, 1), done.stderr)

    def test_event_ends_the_run_and_its_file(self):
        model, first = self.chain("halt", "events: {down: {when: {joint: j0, below: -0.3}, stop: true}, late: {at: 0.9, stop: true}}"), None
        for ranks in (1, 3):
            file = self.folder / f"{ranks}.cleave"
            words = ["--time", "1", "--every", "0.02", "--checkpoint", "0.04", "--columns", "*.q", "--json"]
            result = json.loads(self.good(ranks, "run", model, *words, "--out", file))
            self.assertEqual(result["status"], "ok")
            self.assertEqual([event["count"] for event in result["model_events"].values()], [1, 0])
            time_ended, csv = result["model_events"]["down"]["time"], self.export(file)
            self.good(4 - ranks, "resume", file)
            self.assertEqual(self.export(file), csv)
            first = first or csv
            self.assertEqual(csv, first)
        last = numbers(self.folder / "3.cleave.csv")[1][-1]
        self.assertEqual((last[0], round(last[1], 6)), (time_ended, -0.3))
        alone = subprocess.run([PROGRAM, "run", model, "--time", "1", "--json"], capture_output=True, text=True)
        self.assertLess(abs(json.loads(alone.stdout)["model_events"]["down"]["time"] - time_ended), 1e-5)

    def test_run_file_of_ranks_needs_ranks(self):
        file = self.folder / "run.cleave"
        self.good(2, "run", *CHAIN, "--out", file, "--checkpoint", "0.01")
        alone = subprocess.run([PROGRAM, "resume", file, "--time", "1"], capture_output=True, text=True)
        self.assertNotEqual(alone.returncode, 0)
        self.assertIn("not a saved state", alone.stderr)
        other = self.folder / "one.cleave"
        subprocess.run([PROGRAM, "run", *CHAIN, "--out", other], check=True, capture_output=True)
        done = run(2, "resume", other, "--time", "1")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(done.stderr.count("not one of this mechanism on ranks"), 1, done.stderr)


class Errors(InFolder):
    def once(self, ranks, code, text, *words):
        done = run(ranks, *words)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertEqual(done.stderr.count(text), 1, done.stderr)
        return done

    def test_what_all_ranks_find_is_reported_once(self):
        self.once(3, 2, "motions whose rate jumps", "run", "loader")
        self.once(3, 2, "with hdca", "run", "four-bar-ladder", "windows=20", "--formulation", "hdca")
        self.once(5, 2, "5 ranks are more than", "run", "chain")
        self.once(2, 1, "--real-time is for one process", "run", "chain", "--real-time")
        self.once(2, 1, "--report is for one process", "run", "chain", "--report", self.folder / "x.html")
        self.once(2, 3, "more than 5 steps at t = ", "run", *CHAIN, "--max-steps", "5")
        self.once(2, 1, "a step of 2 s is longer than the run of 1 s", "run", "chain", "--integrator", "rk4", "--step", "2", "--time", "1")
        self.once(2, 1, "--columns needs --out", "run", "chain", "--columns", "*.q")
        self.once(2, 2, "no file and no example", "run", "chian")
        self.once(2, 1, "on ranks there is no column 'J5.force'", "run", *CHAIN, "--out", self.folder / "x.csv", "--columns", "J5.force")

    def test_options_that_ranks_refuse_are_reported_once(self):
        for formulation in ("aldca", "connection", "massmatrix", "index3"):
            done = self.once(3, 1, "cannot have formulation", "run", *CHAIN, "--formulation", formulation)
            self.assertNotIn("rank ", done.stderr)
        self.once(3, 1, "cannot have integrator 'adams'", "run", *CHAIN, "--integrator", "adams")
        self.once(3, 1, "unknown integrator", "run", *CHAIN, "--integrator", "newmark")

    def test_what_several_ranks_find_is_reported_once(self):
        model, links = self.folder / "light.yaml", 60
        text = ["cleave: 1", "name: light", "gravity: [0, -9.81, 0]", "bodies:"]
        text += [f"  b{i}: {{mass: 1, com: [0.5, 0, 0], inertia: [{0 if i in (25, 58) else 0.1}, 0.1, 0.1]}}"
                 for i in range(links)]
        text += ["joints:"]
        text += [f"  j{i}: {{kind: revolute, a: {{body: {'ground' if i == 0 else f'b{i - 1}'}, "
                 f"position: [{0 if i == 0 else 1}, 0, 0]}}, b: {{body: b{i}}}}}" for i in range(links)]
        model.write_text("\n".join(text) + "\n")
        done = self.once(4, 2, "a body that lacks inertia", "run", model)
        self.assertRegex(done.stderr, "rank [1-3]: .*'b25'")
        self.assertNotIn("MPI_ABORT", done.stderr)

    def test_file_that_exists_is_kept(self):
        file = self.folder / "x.csv"
        file.write_text("mine")
        self.once(3, 1, "x.csv", "run", *CHAIN, "--out", file)
        self.assertEqual(file.read_text(), "mine")

    def test_failure_in_the_numbers_has_its_rank(self):
        model, file = self.folder / "stiff.yaml", self.folder / "stiff.cleave"
        links = 40
        text = ["cleave: 1", "name: stiff", "gravity: [0, -9.81, 0]", "bodies:"]
        text += [f"  b{i}: {{mass: 1, com: [0.5, 0, 0], inertia: [0.1, 0.1, 0.1]}}" for i in range(links)]
        text += ["joints:"]
        text += [f"  j{i}: {{kind: revolute, a: {{body: {'ground' if i == 0 else f'b{i - 1}'}, "
                 f"position: [{0 if i == 0 else 1}, 0, 0]}}, b: {{body: b{i}}}}}" for i in range(links)]
        text += ["forces:", "  k: {kind: joint-load, joint: j38, stiffness: 1e12}"]
        model.write_text("\n".join(text) + "\n")
        for _ in range(3):  # mpirun of Open MPI 5 lost the first bytes of the message once: it forwards text in pieces
            file.unlink(missing_ok=True)
            done = run(4, "run", model, "--integrator", "rk4", "--step", "0.01", "--time", "20", "--out", file)
            if "rank " in done.stderr:
                break
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertEqual(len(re.findall("rank [0-3]: ", done.stderr)), 1, done.stderr)
        self.assertRegex(done.stderr, "body b[0-9]")
        self.assertIn("0", self.export(file))

    def test_without_mpi_the_message_says_so(self):
        alone = self.folder / "cleave"
        shutil.copy(PROGRAM, alone)
        done = subprocess.run([alone, "run", "chain"], capture_output=True, text=True,
                              env={**os.environ, "OMPI_COMM_WORLD_SIZE": "2"})
        self.assertEqual(done.returncode, 1)
        self.assertIn("libopenmpi-dev", done.stderr)


class Kills(InFolder):
    WORDS = ["chain", "links=60", "spatial=2", "--time", "0.2", "--every", "0.01", "--checkpoint", "0.02",
             "--integrator", "rk4", "--step", "0.0005"]

    def ranks_of(self, job):
        """Processes of the ranks below mpirun that have not ended: numbers and states."""
        table = subprocess.run(["ps", "-eo", "pid=,ppid=,stat=,comm="], capture_output=True, text=True).stdout
        rows = [line.split(None, 3) for line in table.split("\n") if line.strip()]
        return {int(pid): state for pid, ppid, state, name in rows
                if int(ppid) == job.pid and name.startswith("cleave") and "Z" not in state}

    def start_and_kill(self, file, longest):
        """A job, and whether one of its ranks was killed, at any time of the run, before it ended."""
        job = subprocess.Popen(command(3, "run", *self.WORDS, "--out", file), env=ALLOWED, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
        while job.poll() is None and not self.ranks_of(job):
            time.sleep(0.01)
        time.sleep(random.uniform(0, longest))
        ranks = list(self.ranks_of(job))
        if job.poll() is None and ranks:
            with contextlib.suppress(ProcessLookupError):  # it may have ended meanwhile
                os.kill(random.choice(ranks), signal.SIGKILL)
                return job, True
        return job, False

    def where(self, job):
        """Where processes are that have not ended, if there is a debugger."""
        stacks = [f"{self.ranks_of(job)} of {job.pid}"]
        for pid in [job.pid, *self.ranks_of(job)] if shutil.which("gdb") else []:
            stacks.append(subprocess.run(["gdb", "-p", str(pid), "-batch", "-ex", "thread apply all bt"], timeout=60,
                                         capture_output=True, text=True).stdout)
        return "\n".join(stacks)

    def wait(self, job):
        """Seconds until every rank has ended, and whether mpirun ended as well.  That of Open MPI 4.1.4 with PMIx
        4.2.2 can lock up in PMIx_server_finalize after its last rank has ended (docs/ranks.md); it is ended here."""
        began = time.monotonic()
        while job.poll() is None and self.ranks_of(job) and time.monotonic() - began < 20:
            time.sleep(0.05)
        seconds = time.monotonic() - began
        try:
            job.wait(timeout=20)
            return seconds, True
        except subprocess.TimeoutExpired:
            text = self.where(job)
            left = self.ranks_of(job)
            for pid in left:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            job.kill()
            job.wait()
            self.assertFalse(left, text)
            return seconds, False

    def test_killed_ranks_end_the_job_and_lose_nothing(self):
        whole = self.folder / "whole.cleave"
        began = time.monotonic()
        self.good(3, "run", *self.WORDS, "--out", whole)
        longest = time.monotonic() - began
        expected, ends, stuck, killed, before, attempt = self.export(whole), [0], 0, 0, 0, 0
        while killed < KILLS:
            attempt += 1
            file = self.folder / f"killed{attempt}.cleave"
            began = time.monotonic()
            job, hit = self.start_and_kill(file, longest)
            if not hit:
                job.wait(timeout=300)
                longest = min(longest, time.monotonic() - began)
                continue
            seconds, ended = self.wait(job)
            self.assertLess(seconds, 20)
            killed, stuck, ends = killed + 1, stuck + (not ended), [*ends, seconds]
            if not file.exists():
                before += 1
                continue
            self.good(1 + attempt % 4, "resume", file)
            self.assertEqual(self.export(file), expected, f"kill {attempt}")
            file.unlink()
        print(f"{killed} kills, {before} before the run file was there, 0 runs lost; ranks ended within {max(ends):.2f} "
              f"s; mpirun locked up {stuck} times", file=sys.stderr)


if __name__ == "__main__":
    PROGRAM = str(Path(sys.argv.pop(1)).resolve())
    if not shutil.which("mpirun") or not Path(PROGRAM).with_name("cleave-mpi").exists():
        print("skipped: mpirun or cleave-mpi is missing (libopenmpi-dev)")
        sys.exit(77)
    unittest.main()
