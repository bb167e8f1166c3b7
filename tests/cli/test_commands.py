#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The command line as a person or a script meets it: names in JSON, exit codes, what is said about mistakes.

Use: test_commands.py PROGRAM [unittest options]"""
import csv
import json
import sqlite3
import shutil
import contextlib
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM = "cleave"

PENDULUM = """\
cleave: 1
name: swing
gravity: [0, -9.81, 0]
bodies:
  bob: {mass: 2, com: [0.5, 0, 0], inertia: [0.1, 0.2, 0.2]}
joints:
  pin: {kind: revolute, between: [ground, bob], at: [0, 0, 0], axis: [0, 0, 1]}
markers:
  tip: {body: bob, position: [1, 0, 0]}
start:
  bodies: {bob: {position: [0, 0, 0]}}
"""

BEAM = """\
cleave: 1
name: beam
bodies:
  boom: {flexible: {beam: {length: 1, density: 2700, young: 7e10, tube: [0.02, 0.018], modes: {bend_z: 2}}}}
joints:
  pivot: {kind: revolute, between: [ground, boom], at: [0, 0, 0], axis: [0, 1, 0]}
"""


def cleave(*words, folder=None):
    return subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, timeout=120, cwd=folder)


MOTOR = """\
cleave: 1
name: motor
gravity: [0, 0, 0]
bodies:
  wheel: {mass: 1, inertia: [1, 1, 2]}
joints:
  axle: {kind: revolute, between: [ground, wheel], at: [0, 0, 0], axis: [0, 0, 1]}
inputs:
  torque: {joint: axle, limit: 20, value: 1}
  "set=point": {value: 3}
"""


class Commands(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)

    def file(self, name, text):
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return path

    def good(self, *words):
        done = cleave(*words, folder=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
        return done

    def test_inputs(self):
        self.file("m.yaml", MOTOR)
        spin = lambda *words: self.json("run", "m.yaml", "--time", 2, *words)["final"]["wheel"]["angular_velocity"][2]
        self.assertAlmostEqual(spin(), 1, 12)
        self.assertAlmostEqual(spin("--input", "torque=-6"), -6, 12)
        self.assertAlmostEqual(spin("--input=torque=4", "--input", "set=point=1e3"), 4, 12)
        eval_ = self.json("eval", "m.yaml", "--input", "torque=8")
        self.assertAlmostEqual(eval_["bodies"]["wheel"]["angular_acceleration"][2], 4, 12)
        self.good("run", "m.yaml", "--time", 2, "--input", "torque=5", "--out", "r.cleave")
        self.good("resume", "r.cleave", "--time", 3)
        self.good("export", "r.cleave", "r.csv")
        with open(self.folder / "r.csv", encoding="utf-8", newline="") as file:
            last = list(csv.DictReader(file))[-1]
        self.assertAlmostEqual(float(last["wheel.angular_velocity.z [rad/s]"]), 7.5, 12)
        for value, says in (("torque=21", "the limits of 'torque' are -20 and 20"), ("torque=x", "must be NAME=VALUE"),
                            ("torque", "must be NAME=VALUE"), ("=3", "must be NAME=VALUE"), ("torque=nan", "limits"),
                            ("torqe=3", "did you mean torque?")):
            done = cleave("run", "m.yaml", "--input", value, folder=self.folder)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn(says, done.stderr)
        self.file("p.yaml", PENDULUM)
        done = cleave("run", "p.yaml", "--input", "torque=1", folder=self.folder)
        self.assertEqual(done.returncode, 1)
        self.assertIn("inputs are defined in the model file", done.stderr)

    def json(self, *words, code=0):
        done = cleave(*words, "--json", folder=self.folder)
        self.assertEqual(done.returncode, code, done.stderr + done.stdout)
        return json.loads(done.stdout, parse_constant=lambda word: self.fail(f"{word} is not JSON"),
                          object_pairs_hook=self.once)

    def once(self, pairs):
        """An object of JSON; no name is in it twice."""
        names = [name for name, _ in pairs]
        self.assertEqual(len(names), len(set(names)), sorted(names))
        return dict(pairs)

    def wrong(self, code, *words, says):
        done = cleave(*words, folder=self.folder)
        self.assertEqual(done.returncode, code, done.stderr + done.stdout)
        self.assertIn(says, done.stderr)

    # ------------------------------------------------------------ run

    def test_threads(self):
        run = ["run", "chain", "links=2500", "--time", "2e-3", "--every", "2e-3", "--integrator", "rk4", "--step", "1e-3"]
        alone, shared = (self.json(*run, "--threads", n) for n in (1, 3))
        self.assertEqual((alone["threads"], shared["threads"]), (1, 3))
        self.assertEqual(shared["threads_why"], "as requested")
        self.assertEqual(alone["final"], shared["final"])
        self.assertRegex(self.good(*run, "--threads", "2").stdout, r"threads +2: as requested")
        small = self.json("run", "pendulum", "--time", "0.1", "--threads", "4")
        self.assertEqual(small["threads"], 1)
        self.assertIn("size", small["threads_why"])
        self.assertEqual(self.json("run", "pendulum", "--time", "0.1", "--threads=auto")["threads"], 1)
        other = self.json("run", "chain", "links=600", "--time", "1e-3", "--formulation", "aldca", "--threads", "2")
        self.assertIn("aldca runs on one thread", other["threads_why"])
        self.assertGreaterEqual(self.json("bench", "chain", "--links", "2500", "--threads", "2")["speedup"], 0)

    def test_resume_with_other_threads(self):
        run = ["run", "chain", "links=2500", "--integrator", "rk4", "--step", "1e-3", "--every", "2e-3", "--checkpoint", "2e-3"]
        self.good(*run, "--time", "4e-3", "--out", "a.cleave", "--threads", "2")
        self.good(*run, "--time", "2e-3", "--out", "b.cleave", "--threads", "1")
        self.good("resume", "b.cleave", "--time", "4e-3", "--threads", "3")
        for name in ("a", "b"):
            self.good("export", name + ".cleave", name + ".csv")
        self.assertEqual(*((self.folder / f"{name}.csv").read_text() for name in ("a", "b")))

    def test_run_json_names(self):
        result = self.json("run", "hdca-case1", "--time", "1")
        names = """status model formulation integrator threads bodies joints loops mobility_counted mobility_found
            redundant_constraints redundant_joints time steps rejected_steps rate_evaluations wall_seconds
            seconds_per_evaluation energy_initial max_energy_drift max_position_violation max_velocity_violation
            truncated_evaluations min_pivot final energy_moved max_energy_drift_relative momentum_error""".split()
        self.assertEqual([name for name in names if name not in result], [])
        self.assertEqual((result["status"], result["model"], result["bodies"], result["joints"]), ("ok", "hdca-case1", 4, 5))
        self.assertEqual((result["formulation"], result["integrator"], result["loops"]), ("hdca", "dopri5", 1))
        self.assertEqual(result["time"], 1)
        self.assertEqual(len(result["final"]), 4)
        for body in result["final"].values():
            self.assertEqual({key: len(value) for key, value in body.items()},
                             {"position": 3, "velocity": 3, "quaternion": 4, "angular_velocity": 3})
        self.assertLess(result["max_energy_drift"], 1e-4)
        self.assertLess(result["max_position_violation"], 1e-9)

    def test_bodies_at_rest_do_not_warn(self):
        (self.folder / "rest.yaml").write_text(
            "cleave: 1\nbodies:\n  b: {mass: 1e3, inertia: from shape, shape: {box: [2, 2, 2]}}\nforces:\n"
            "  c: {kind: contact, between: [ground, b], normal: [0, 0, 1], restitution: 0, dynamic_friction: 0.3}\n"
            "start: {bodies: {b: {position: [0, 0, 1]}}}\n")
        text = self.good("run", "rest.yaml", "--time", "0.5").stdout
        self.assertRegex(text, "energy drift +[-0-9.e]+ J, rounding")
        self.assertNotIn("warning", text)

    def test_nothing_that_moves_is_no_scale_of_a_drift(self):
        """At rest only rounding and the tolerance move; a structure has no freedom; the potential may be zero."""
        spring = ("cleave: 1\nbodies: {{b: {{mass: 1, inertia: [1, 1, 1]}}}}\njoints:\n"
                  "  j: {{kind: prismatic, between: [ground, b], at: [0, 0, 0], axis: [0, 0, 1]}}\nforces:\n"
                  "  s: {{kind: joint-load, joint: j, stiffness: 1000, damping: 10, rest: 0.00981}}\n{}")
        floor = ("cleave: 1\nbodies:\n  b: {mass: 1e3, inertia: from shape, shape: {box: [2, 2, 2]}}\nforces:\n"
                 "  c: {kind: contact, between: [ground, b], normal: [0, 0, 1], point: [0, 0, -1], restitution: 0, "
                 "dynamic_friction: 0.3}\n")
        bars = ("cleave: 1\nbodies:\n  a: {mass: 1, com: [0.5, 0, 0], inertia: [1, 1, 1]}\n"
                "  b: {mass: 1, com: [-0.5, 0, 0], inertia: [1, 1, 1]}\njoints:\n"
                "  ja: {kind: revolute, between: [ground, a], at: [0, 0, 0], axis: [0, 1, 0]}\n"
                "  jb: {kind: revolute, between: [ground, b], at: [1, 0, 0], axis: [0, 1, 0]}\n"
                "  jc: {kind: revolute, between: [a, b], at: [0.5, 0, 1.1], axis: [0, 1, 0]}\n"
                "start: {bodies: {b: {position: [1, 0, 0]}}}\n")
        cases = (("floor", floor, "--time", 0.5), ("bars", bars, "--time", 1), ("spring", spring.format(""), "--time", 20),
                 ("spring", spring.format(""), "--time", 200, "--integrator", "adams"))
        for name, text, *words in cases:
            (self.folder / "m.yaml").write_text(text)
            said = self.good("run", "m.yaml", *words).stdout
            self.assertRegex(said, "energy drift +[-0-9.e]+ J.*: nothing moves", name)
            self.assertNotIn("warning", said, name)
            result = self.json("run", "m.yaml", *words)
            self.assertIsNone(result["max_energy_drift_relative"], name)
            self.assertGreater(result["energy_still"], 0)
        (self.folder / "m.yaml").write_text(spring.format("start: {joints: {j: {q: 1e-4}}}\n"))
        result = self.json("run", "m.yaml", "--time", 20)
        self.assertEqual(result["max_energy_drift_relative"], result["max_energy_drift"] / result["energy_moved"])

    def test_poor_runs_warn(self):
        text = self.good("run", "double-pendulum", "--integrator", "rk4", "--step", "0.05").stdout
        self.assertRegex(text, "warning +the energy drift is 0.[12] of the energy that moves")
        result = self.json("run", "double-pendulum")
        self.assertAlmostEqual(result["max_energy_drift_relative"],
                               result["max_energy_drift"] / result["energy_moved"], 15)
        self.assertLess(result["max_energy_drift_relative"], 1e-3)
        self.assertNotIn("warning", self.good("run", "double-pendulum").stdout)

    def test_long_chains_run_by_dca(self):
        chain = ("chain", "links=1024", "spatial=1")
        self.assertIn("dca, as hdca would lose", self.good("check", *chain).stdout)
        self.assertIn("dca, as hdca would lose", self.good("run", *chain, "--time", "1e-4").stdout)
        self.assertIn("use --formulation dca", self.good("run", *chain, "--time", "1e-4", "--formulation", "hdca").stdout)
        text = self.good("run", *chain, "--time", "1e-4", "--rtol", "1e-3").stdout
        self.assertIn("by hdca", text)
        self.assertNotIn("would lose", text)
        self.assertNotIn("warning", self.good("run", *chain, "--time", "1e-4", "--formulation", "dca").stdout)
        self.assertGreater(self.json("check", *chain)["momentum_error"], 1e-6)

    def test_run_says_what_happened(self):
        text = self.good("run", "hdca-case1", "--time", "1").stdout
        for word in "degrees freedom redundant simulated steps energy drift violation".split():
            self.assertIn(word, text)
        self.assertNotIn("evaluations", text)
        text = self.good("run", "hdca-case1", "--time", "1", "--verbose").stdout
        for word in "evaluations rank pivot".split():
            self.assertIn(word, text)

    def test_run_is_silent_on_a_pipe(self):
        self.assertEqual(self.good("run", "hdca-case1", "--time", "1").stderr, "")

    def test_run_time_zero_is_the_start(self):
        result = self.json("run", self.file("swing.yaml", PENDULUM), "--time=0")
        self.assertEqual((result["steps"], result["time"]), (0, 0))
        self.assertEqual(result["final"]["bob"]["position"], [0.5, 0, 0])

    def test_run_with_parameters(self):
        self.assertEqual(self.json("run", "chain", "links=5", "--time", "0.1")["bodies"], 5)

    def test_run_twice_is_the_same(self):
        one, two = (self.json("run", "hdca-case3", "--time", "2")["final"] for _ in range(2))
        self.assertEqual(one, two)

    def test_output_times_do_not_change_the_run(self):
        self.good("run", "hdca-case1", "--time", "1", "--out", "a.csv", "--every", "0.5")
        self.good("run", "hdca-case1", "--time", "1", "--out", "b.csv", "--every", "0.01")
        coarse, fine = ((self.folder / name).read_text().splitlines() for name in ("a.csv", "b.csv"))
        self.assertEqual(coarse, [fine[0], fine[1], fine[51], fine[101]])

    def test_csv_columns(self):
        self.good("run", self.file("swing.yaml", PENDULUM), "--time", "1", "--out", "swing.csv", "--every", "0.3")
        rows = list(csv.reader((self.folder / "swing.csv").read_text().splitlines()))
        self.assertEqual(rows[0][:2], ["time [s]", "bob.position.x [m]"])
        self.assertEqual(rows[0][-2:], ["pin.q [rad]", "pin.u [rad/s]"])
        self.assertIn("tip.acceleration.z [m/s^2]", rows[0])
        self.assertIn("bob.angular_velocity.z [rad/s]", rows[0])
        self.assertEqual([float(row[0]) for row in rows[1:]], [0, 0.3, 0.6, 3 * 0.3, 1])
        self.assertEqual({len(row) for row in rows}, {1 + 13 + 9 + 9 + 5 + 2})

    def test_modes_of_a_flexible_body(self):
        model = self.file("beam.yaml", BEAM)
        run = self.json("run", model, "--time", "0.2")
        self.assertEqual(run["bodies"], 1)
        modes = run["final"]["boom"]["modes"]
        self.assertEqual(sorted(modes), ["q", "u"])
        self.assertGreater(max(map(abs, modes["q"])), 1e-6)
        self.assertNotIn("modes", run["final"]["boom.tip"])
        self.assertEqual(len(self.json("eval", model)["bodies"]["boom"]["modes"]["udot"]), 2)
        self.good("run", model, "--time", "0.2", "--every", "0.1", "--out", "beam.csv")
        self.good("run", model, "--time", "0.2", "--every", "0.1", "--out", "beam.cleave")
        self.good("export", "beam.cleave", "again.csv")
        direct, again = (list(csv.reader((self.folder / name).read_text().splitlines())) for name in ("beam.csv", "again.csv"))
        for rows in (direct, again):
            self.assertEqual({len(row) for row in rows}, {len(rows[0])})
            at = rows[0].index("boom.mode.1 [1]")
            self.assertEqual(rows[0][at + 1], "boom.mode.1.rate [1/s]")
            self.assertEqual([float(rows[-1][at]), float(rows[-1][at + 1])], [modes["q"][0], modes["u"][0]])

    def test_spin_beyond_the_modes_is_told(self):
        model = self.file("fast.yaml", BEAM.replace("{beam:", "{spin_limit: 1, beam:"))
        self.wrong(3, "run", model, "--time", "2", says="valid up to 1 rad/s")

    def test_table_of_a_marker(self):
        lines = self.good("run", self.file("swing.yaml", PENDULUM), "--table", "tip", "--every", "0.5", "--time", "1").stdout.splitlines()
        self.assertIn("x [m]", lines[0])
        self.assertEqual([line.split()[0] for line in lines[1:4]], ["0", "0.5", "1"])
        self.assertEqual([float(x) for x in lines[1].split()], [0, 1, 0, 0, 0, 0, 0])

    def test_every_formulation_and_integrator_option(self):
        for words in (["--formulation", "dca"], ["--integrator", "bs23"], ["--integrator", "dop853"], ["--integrator", "adams"],
                      ["--integrator", "rk4", "--step", "0.01"], ["--no-project"], ["--no-regauge"], ["--plain-tolerance"],
                      ["--formulation", "dca", "--baumgarte", "10,5"], ["--threads", "1"], ["--rank=1e-7"], ["--max-step=0.1"]):
            with self.subTest(words=words):
                self.assertEqual(self.json("run", "hdca-case1", "--time", "0.2", *words)["status"], "ok")

    def test_numerical_failure_keeps_the_last_good_state(self):
        words = ["run", "double-pendulum", "--integrator", "rk4", "--step", "1000", "--time", "1e5"]
        result = self.json(*words, code=3)
        self.assertEqual(result["status"], "numerical_failure")
        self.assertEqual([name for name in "code message body joint time hint".split() if name not in result["error"]], [])
        self.assertEqual(len(result["final"]), 2)
        done = cleave(*words, "--out", "kept.csv", folder=self.folder)
        self.assertEqual(done.returncode, 3)
        self.assertIn("last good state", done.stdout)
        self.assertGreaterEqual(len((self.folder / "kept.csv").read_text().splitlines()), 2)

    # ------------------------------------------------------------ check, eval

    def test_check(self):
        result = self.json("check", "bricard")
        self.assertEqual((result["mobility_counted"], result["mobility_found"], result["loops"]), (0, 1, 1))
        self.assertEqual((result["redundant_constraints"], result["constraints"], result["rank"]), (1, 30, 29))
        self.assertEqual(len(result["redundant_joints"]), 6)
        self.assertIn("branches", result["plan"])
        self.assertIn("start_moved", result)
        self.assertIn("degrees of freedom    1 (Gruebler count 0; 1 redundant constraint)", self.good("check", "bricard").stdout)

    def test_eval_of_a_pendulum(self):
        path = self.file("swing.yaml", PENDULUM)
        result = self.json("eval", path)
        angular = -2 * 9.81 * 0.5 / (0.2 + 2 * 0.25)
        body, joint = result["bodies"]["bob"], result["joints"]["pin"]
        self.assertAlmostEqual(body["angular_acceleration"][2], angular, 10)
        self.assertAlmostEqual(body["acceleration"][1], 0.5 * angular, 10)
        self.assertAlmostEqual(joint["udot"][0], angular, 10)
        self.assertAlmostEqual(joint["force"][1], 2 * (9.81 + 0.5 * angular), 10)
        self.assertEqual([name for name in "q u udot p pdot force torque unique".split() if name not in joint], [])
        self.assertEqual(joint["unique"], [True] * 6)
        self.assertIn("energy", result)
        self.assertIn("angular acceleration", self.good("eval", path).stdout)

    def test_eval_marks_what_is_not_unique(self):
        result = self.json("eval", "hdca-case1")
        self.assertFalse(all(all(joint["unique"]) for joint in result["joints"].values()))

    # ------------------------------------------------------------ the others

    def test_new_writes_a_model_that_checks(self):
        self.good("new", "mine", "example=chain", "links=3")
        self.assertEqual(self.json("check", "mine.yaml")["bodies"], 3)
        self.wrong(1, "new", "mine", says="exists")
        self.wrong(1, "new", "loader", "mine.yaml", says="one name, that of the new file")
        self.good("new", "mine", "--force")
        self.assertEqual(self.json("check", "mine.yaml")["bodies"], 4)

    def test_every_example_survives_writing(self):
        for name in self.json("examples")["examples"]:
            with self.subTest(example=name):
                self.good("new", name, f"example={name}")
                there, back = self.json("eval", name), self.json("eval", f"{name}.yaml")
                self.assertEqual(there["bodies"], back["bodies"])

    def test_demo(self):
        text = self.good("demo").stdout
        for word in ("speed", "energy", "loops"):
            self.assertEqual(text.count(f"  {word} "), 2)

    def test_doctor(self):
        result = self.json("doctor")
        self.assertEqual(set(result["self_test"].values()), {True})
        self.assertIn("All is well", self.good("doctor").stdout)

    def test_bench(self):
        result = self.json("bench", "chain", "--links", "16")
        self.assertEqual(result["bodies"], 16)
        self.assertGreater(result["ns_per_body"], 0)
        self.assertIn("exponent", result)
        self.assertIsNone(result["speedup"])

    def test_bench_branches(self):
        result = self.json("bench", "branches", "hdca-case3")
        self.assertEqual(sum(b["bodies"] for b in result["branches"]), 8)
        self.assertEqual(set(result["cycle"]), {"massmatrix", "method_1", "method_2", "dca", "hdca"})
        for number in [*result["cycle"].values(), result["method_1_seconds"], result["method_2_seconds"]]:
            self.assertGreater(number, 0)
        self.assertIn("table III", self.good("bench", "branches", "chain", "links=3").stdout)
        self.assertEqual(self.json("bench", "tree-robot")["bodies"], 37)
        skew = self.json("bench", "chain", "--spatial", "--links", "5", "--formulation", "dca")
        self.assertEqual((skew["bodies"], skew["formulation"]), (5, "dca"))
        self.wrong(1, "bench", "ladder", "--spatial", says="--spatial belongs to chain")
        self.wrong(1, "bench", "branches", says="needs a model")
        self.wrong(1, "bench", "chain", "links=3", says="only branches and span take a model")

    def test_bench_span(self):
        result = self.json("bench", "span", "chain", "links=4096", "--hand-over", "2e-7")
        workers = result["workers"]
        self.assertEqual([w["workers"] for w in workers], [2**k for k in range(11)])
        self.assertEqual((result["bodies"], result["of"], result["hand_over_seconds"]), (4096, "evaluation", 2e-7))
        self.assertGreater(result["tasks"], result["calls"])
        self.assertAlmostEqual(workers[0]["seconds"] / result["work_seconds"], 1, places=12)
        for w in workers:
            self.assertGreaterEqual(w["seconds"], result["span_seconds"] * (1 - 1e-12))
            self.assertLessEqual(w["speedup"], result["amdahl"] * (1 + 1e-12))
        text = self.good("bench", "span", "chain", "links=8", "--hand-over", "0", "--formulation", "index3").stdout
        self.assertIn("one step of chain by index3: 8 bodies", text)
        self.assertIn("critical path", text)
        tree = self.json("bench", "span", "chain", "links=16", "--hand-over", "0", "--formulation", "aldca")["tree"]
        self.assertEqual((tree["parts"], tree["depth"], len(tree["by_subtree_seconds"])), (32, 5, 11))
        self.assertLessEqual(tree["span_seconds"], min(tree["by_depth_seconds"]) * (1 + 1e-12))
        self.wrong(1, "bench", "span", says="needs a model")
        network = ["--ranks", "64", "--latency", "2e-6", "--bandwidth", "1e10", "--hand-over", "0"]
        result = self.json("bench", "span", "chain", "links=4096", *network)
        ranks = result["ranks"]
        self.assertEqual([f["ranks"] for f in ranks], [1, 2, 4, 8, 16, 32, 64])
        self.assertEqual((ranks[0]["messages"], ranks[1]["messages"], ranks[1]["busiest"]), (0, 2, 2))
        self.assertAlmostEqual(ranks[0]["seconds"] / result["work_seconds"], 1, places=12)
        more = result["doubling_seconds"]
        self.assertAlmostEqual(ranks[1]["faster_from_bodies"] * result["work_seconds"] / 4096 / 2 / more, 1, places=12)
        self.assertAlmostEqual(ranks[4]["half_from_bodies"] * result["work_seconds"] / 4096 / 64 / more, 1, places=12)
        self.assertLessEqual(max(f["largest"] for f in ranks), 1200)
        self.assertIn("      64 ", self.good("bench", "span", "chain", "links=4096", *network).stdout.splitlines()[-2])
        self.wrong(2, "bench", "span", "tree-robot", *network, says="is not binary")
        self.wrong(1, "bench", "span", "chain", "--ranks", "4", says="--ranks needs --latency and --bandwidth")
        self.wrong(1, "bench", "span", "chain", "--latency", "1e-6", says="belong to --ranks")
        self.wrong(1, "bench", "chain", "--ranks", "4", says="--ranks belongs to span")
        self.wrong(1, "bench", "chain", "--hand-over", "0", says="--hand-over belongs to span")
        self.wrong(1, "bench", "chain", "--alpha", "1e6", says="--alpha belongs to span")
        self.wrong(2, "bench", "span", "no-such-model", says="no example named")

    def test_rigid_contacts_need_no_options(self):
        """A box on a plane slides with 2 - 0.1 * 9 m/s^2, by dca with moreau."""
        (self.folder / "box.yaml").write_text(
            "cleave: 1\ntime: 0.2\ngravity: [2, 0, -9]\n"
            "bodies:\n  box: {mass: 2, inertia: [0.1, 0.1, 0.1], shape: {box: [0.2, 0.2, 0.2]}}\n"
            "joints:\n  f: {kind: free, between: [ground, box], at: [0, 0, 0.1]}\n"
            "forces:\n  floor: {kind: contact, between: [ground, box], normal: [0, 0, 1], restitution: 0, dynamic_friction: 0.1}\n",
            encoding="utf-8")
        self.good("check", "box.yaml")
        self.good("eval", "box.yaml")
        done = json.loads(self.good("run", "box.yaml", "--out", "box.cleave", "--json").stdout)
        self.assertEqual((done["formulation"], done["integrator"], done["steps"]), ("dca", "moreau", 200))
        self.good("export", "box.cleave", "box.csv")
        with open(self.folder / "box.csv", newline="", encoding="utf-8") as file:
            last = list(csv.DictReader(file))[-1]
        speed = next(float(x) for name, x in last.items() if name.startswith("box.velocity.x"))
        self.assertAlmostEqual(speed, 0.2 * (2 - 0.1 * 9), delta=1e-12)
        about = json.loads(self.good("resume", "box.cleave", "--time", "0.3", "--json").stdout)
        self.assertEqual((about["formulation"], about["integrator"]), ("dca", "moreau"))
        done = self.good("run", "box.yaml", "--step", "1e-4", "--json").stdout
        self.assertAlmostEqual(json.loads(done)["steps"], 2000, delta=1)
        self.good("sweep", "box.yaml", "--vary", "box.mass=1..3", "--runs", "2", "--out", "box.sweep")
        self.wrong(2, "run", "box.yaml", "--formulation", "hdca", says="leave formulation and integrator out")
        self.wrong(2, "run", "box.yaml", "--integrator", "dopri5", says="'floor' is rigid")

    def test_help_everywhere(self):
        self.assertIn("cleave run", self.good("run", "--help").stdout)
        self.assertIn("bench", self.good("--help").stdout)
        self.assertTrue(self.good("--version").stdout.startswith("cleave "))

    # ------------------------------------------------------------ mistakes

    def test_nothing_of_a_file_acts_on_the_terminal(self):
        """Names, texts and source lines of a model, texts of a run file, words: escape sequences are spelt out."""
        def inert(*words):
            done = cleave(*words, folder=self.folder)
            self.assertNotRegex(done.stdout + done.stderr, "[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
            return done
        evil = "\x1b]0;x\x07\u009b31m\u202e"
        model = "cleave: 1\nname: %s\nbodies:\n  %s: {mass: 1, inertia: [1, 1, 1]%s}\n"
        for name, body, rest in (('"\\e[31m"', "a", ""), ("b", '"\\u202e"', ""), ("b", "a", ', "\\x9b": 1'), ("b", "a", f", # {evil}"),
                                 ("b", "a", ", branch: \u2066"), ("\x1b", "a", "")):
            (self.folder / "evil.yaml").write_text(model % (name, body, rest), encoding="utf-8")
            self.assertEqual(inert("check", "evil.yaml").returncode, 2)
            json.loads(inert("check", "evil.yaml", "--json").stdout)
        for words in (["run", "pendulum", "--time", evil], ["run", evil], [evil], ["run", "pendulum", "--" + evil], ["run", "pendulum", "-" + evil],
                      ["run", "pendulum", "--table", evil], ["run", "pendulum", evil], ["check", "pendulum", "--formulation", evil]):
            self.assertIn(inert(*words).returncode, (1, 2))
            inert(*words, "--json")
        self.good("run", "pendulum", "--time", "1", "--out", "evil.cleave")
        for change in ("update settings set value = ?1 where name = 'formulation'", "update model set source = ?1", "update columns set name = ?1"):
            shutil.copy(self.folder / "evil.cleave", self.folder / "changed.cleave")
            with contextlib.closing(sqlite3.connect(self.folder / "changed.cleave")) as file, file, contextlib.suppress(sqlite3.OperationalError):
                file.execute(change, (evil,))
            inert("resume", "changed.cleave", "--time", "2")
            inert("resume", "changed.cleave", "--time", "2", "--json")
            inert("export", "changed.cleave", "changed.csv")
        done = inert("export", "changed.cleave", "changed.csv", "--damaged", "--force")
        if done.returncode == 0: # names of columns come from the file
            heading = (self.folder / "changed.csv").read_text(encoding="utf-8").splitlines()[0]
            self.assertIn(r"\x1b]0;x\x07\u009b31m\u202e", heading)
            self.assertNotRegex(heading, "[\x00-\x1f\x7f-\x9f\u2028-\u202e]")

    def test_wrong_use(self):
        self.wrong(1, says="Use: cleave")
        self.wrong(1, "rnu", says="did you mean 'run'?")
        self.wrong(1, "run", says="an argument is missing")
        self.wrong(1, "run", "pendulum", "--tmie", "3", says="did you mean --time?")
        self.wrong(1, "run", "pendulum", "--time", says="needs a value")
        self.wrong(1, "run", "pendulum", "--time", "ten", says="must be a number")
        self.wrong(1, "run", "pendulum", "--time", "nan", says="must be a number")
        self.wrong(1, "run", "pendulum", "--rtol", "0", says="--rtol")
        self.wrong(1, "run", "pendulum", "--baumgarte", "1", says="two numbers")
        self.wrong(1, "run", "hdca-case1", "--baumgarte", "1,1", says="baumgarte has no effect")
        self.wrong(1, "run", "pendulum", "--threads", "1.5", says="whole number")
        for command in (["run", "pendulum"], ["eval", "pendulum"], ["bench", "chain"], ["demo"]):
            for number in ("0", "-1", "abc", "", "1e99", "nan"):
                self.wrong(1, *command, f"--threads={number}", says="it must be a whole number of at least 1 and at most 4096")
        for option, number, says in (("rtol", "1e-15", "at least 1e-14 and at most 0.5"), ("rtol", "1", "at most 0.5"),
                                     ("step", "1e-300", "at least 1e-12"), ("max-step", "1e-300", "at least 1e-12"),
                                     ("atol", "1e-320", "at least 1e-30"), ("every", "0", "above 0"),
                                     ("every", "1e-12", "makes 1e+13 outputs in 10 s; a larger --every makes fewer"),
                                     ("step", "1e-12", "make 1e+13 of them in 10 s; --max-steps 1e+13 allows that"),
                                     ("max-step", "1e-11", "--max-steps")):
            self.wrong(1, "run", "pendulum", f"--{option}={number}", says=says)
        for words in (["--integrator", "rk4"], ["--formulation", "index3"], ["--formulation", "dca", "--integrator", "moreau"]):
            for time in ("10", "19.9"):
                self.wrong(1, "run", "double-pendulum", *words, "--step", "20", "--time", time,
                           says=f"cleave run: a step of 20 s is longer than the run of {time} s")
            self.good("run", "pendulum", *words, "--step", "0.1", "--time", "0.1")
            self.good("run", "pendulum", *words, "--step", "0.1", "--time", "0")
        self.wrong(1, "run", "pendulum", "--out", "a.csv", "--every", "1e-8", says="GB; --max-steps and --max-output")
        self.wrong(1, "run", "pendulum", "--out", "a.cleave", "--every", "1e-8", says="GB; --max-steps and --max-output")
        self.good("run", "pendulum", "--time", "1e-7", "--every", "1e-11", "--max-steps", "1e4")
        self.wrong(1, "run", "pendulum", "--json=1", says="takes no value")
        self.wrong(1, "run", "pendulum", "-x", says="two dashes")
        self.wrong(1, "run", "pendulum", "--formulation", "newton", says="newton")
        self.wrong(1, "run", "pendulum", "--integrator", "euler", says="euler")
        self.wrong(1, "run", "pendulum", "--table", "none", says="no marker 'none'")
        for option in (["--columns", "*.q"], ["--reactions"]):
            self.wrong(1, "run", "pendulum", *option, says=f"{option[0]} needs --out FILE.csv or --out FILE.cleave")
        self.wrong(1, "run", "pendulum", "--checkpoint", "1", says="--checkpoint needs a run file: --out FILE.cleave")
        self.wrong(1, "run", "chain", "links=x", says="links")
        self.wrong(1, "examples", "more", says="unexpected word")
        self.wrong(1, "bench", "chian", says="did you mean chain?")
        for name in ("a.yaml", "a.zip", "a", ".fmu"):
            self.wrong(1, "fmu", "pendulum", "--out", name, says=f"{name}: the name of the unit must end in .fmu")
            self.assertFalse((self.folder / name).exists())
        for name in ("a.h5", "a.npz"):
            self.wrong(1, "run", "pendulum", "--out", name, says="cannot be written by a run")

    def test_bad_models(self):
        self.wrong(2, "run", "hdca-cas1", says="did you mean hdca-case1?")
        self.wrong(2, "check", "missing.yaml", says="no readable file")
        path = self.file("bad.yaml", PENDULUM.replace("mass: 2", "mas: 2"))
        self.wrong(2, "check", path, says="did you mean 'mass'?")
        result = self.json("check", path, code=2)
        self.assertEqual((result["status"], result["error"]["line"]), ("bad_model", 5))
        self.assertGreaterEqual(len(result["errors"]), 1)
        self.wrong(2, "run", self.file("open.yaml", "cleave: 1\nbodies: {a: {mass: 1"), says="open.yaml")

    def test_no_place_to_write(self):
        self.wrong(4, "run", "pendulum", "--out", "missing/folder/a.csv", says="cannot be written")
        if Path("/dev/full").exists():
            with open("/dev/full", "w") as full:
                self.assertEqual(subprocess.run([PROGRAM, "examples"], stdout=full, stderr=subprocess.DEVNULL).returncode, 4)


if __name__ == "__main__":
    if len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
        PROGRAM = str(Path(sys.argv.pop(1)).resolve())
    unittest.main()
