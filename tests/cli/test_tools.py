#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the command line says in words: check, verify, help, completion, doctor, bdf, progress on a terminal.

Use: test_tools.py PROGRAM [unittest options]"""
import contextlib
import json
import os
import pty
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM = "cleave"
MODELS = Path(__file__).resolve().parents[1] / "models"

HEAD = """\
cleave: 1
name: head
bodies:
  head: {{mass: 1, com: [0, 0, 0.2], inertia: [{inertia}, {inertia}, {inertia}]}}
joints:
  yaw: {{kind: revolute, between: [ground, head], at: [0, 0, 0], axis: [0, 0, 1]}}
forces:
  motor: {{kind: joint-load, joint: yaw, drive: 1}}
"""

# The coupler hangs on a ball joint, so only one direction is held twice; the coupler starts 5 mm too low.
LOOP = """\
cleave: 1
name: loop
gravity: [0, -9.81, 0]
bodies:
  crank:   {mass: 1, com: [0, 0.5, 0],   inertia: [0.08, 0.01, 0.08]}
  coupler: {mass: 2, com: [1, 0.25, 0],  inertia: [0.05, 0.70, 0.71]}
  rocker:  {mass: 1, com: [0, -0.75, 0], inertia: [0.19, 0.01, 0.19]}
joints:
  a: {kind: revolute, a: {body: ground}, b: {body: crank}}
  b: {kind: revolute, a: {body: crank, position: [0, 1, 0]}, b: {body: coupler}}
  c: {kind: spherical, a: {body: coupler, position: [2, 0.5, 0]}, b: {body: rocker}}
  d: {kind: revolute, a: {body: rocker, position: [0, -1.5, 0]}, b: {body: ground, position: [2, 0, 0]}}
start:
  bodies:
    crank:   {position: [0, 0, 0]}
    coupler: {position: [0, 1, 0]}
    rocker:  {position: [2, 1.505, 0]}
"""

# A pendulum on a link without mass.
LIGHT = """\
cleave: 1
name: light
bodies:
  link: {mass: 0, inertia: [0, 0, 0]}
  bob:  {mass: 1, com: [0.3, 0, 0], inertia: [0.04, 0.1, 0.1]}
joints:
  hinge: {kind: revolute, between: [ground, link], at: [0, 0, 0], axis: [0, 1, 0]}
  ball:  {kind: spherical, between: [link, bob], at: [1, 0, 0]}
"""

# Two links, the first of them driven.
ARM = """cleave: 1
bodies:
  arm: {mass: 1, inertia: [1, 1, 1]}
  hand: {mass: 1, inertia: [1, 1, 1]}
joints:
  shoulder: {kind: revolute, between: [ground, arm], at: [0, 0, 0], axis: [0, 0, 1]}
  elbow: {kind: revolute, between: [arm, hand], at: [1, 0, 0], axis: [0, 0, 1]}
motions:
  turn: {joint: shoulder, rate: 1}
"""

# A triangle of three bars, and a link that hangs on it.
FRAME = """cleave: 1
bodies:
  left: {mass: 1, inertia: [1, 1, 1], com: [0.5, 0.5, 0]}
  right: {mass: 1, inertia: [1, 1, 1], com: [1.5, 0.5, 0]}
  link: {mass: 1, inertia: [1, 1, 1], com: [1, 2, 0]}
joints:
  a: {kind: revolute, between: [ground, left], at: [0, 0, 0], axis: [0, 0, 1]}
  b: {kind: revolute, between: [ground, right], at: [2, 0, 0], axis: [0, 0, 1]}
  c: {kind: revolute, between: [left, right], at: [1, 1, 0], axis: [0, 0, 1]}
  tail: {kind: revolute, between: [left, link], at: [1, 1, 0], axis: [0, 0, 1]}
"""

BOOM = """\
cleave: 1
bodies:
  boom: {flexible: {beam: {length: 2, density: 2700, young: 7e10, tube: [0.012, 0.010], basis: clamped-free, modes: 4}}}
joints:
  pin: {kind: revolute, between: [ground, boom], at: [0, 0, 0], axis: [0, 0, 1]}
"""


def cleave(*words, folder=None):
    return subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, timeout=200, cwd=folder)


class Tools(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)

    def text(self, *words, code=0):
        done = cleave(*words, folder=self.folder)
        self.assertEqual(done.returncode, code, done.stderr + done.stdout)
        return done.stdout

    def json(self, *words, code=0):
        return json.loads(self.text(*words, "--json", code=code), object_pairs_hook=self.once)

    def once(self, pairs):
        """An object of JSON; no name is in it twice."""
        names = [name for name, _ in pairs]
        self.assertEqual(len(names), len(set(names)), sorted(names))
        return dict(pairs)

    # ------------------------------------------------------------ check

    def test_floating_bases_are_named(self):
        self.assertIn("                      free: floating base bus (six degrees of freedom)\n", cleave("check", "satellite").stdout)
        self.assertEqual(json.loads(cleave("check", "satellite", "--json").stdout)["floating_bases"], ["bus"])
        for held in ("loader", "flex-arm"):  # nodes of a boom are held with it
            self.assertEqual(json.loads(cleave("check", held, "--json").stdout)["floating_bases"], [])
        self.assertNotIn("floating", cleave("check", "flex-arm").stdout)
        self.assertEqual(json.loads(cleave("check", "mmsev-flexible", "--json").stdout)["floating_bases"], ["planet"])

    def test_check_names_joints_and_directions(self):
        (self.folder / "loop.yaml").write_text(LOOP, encoding="utf-8")
        text = self.text("check", "loop.yaml")
        for words in ("the force along z and the moments about x and y: joints a and b\n",
                      "the force along z: joint c\n", "the motion is unaffected, these components of reactions are not unique",
                      "had the largest constraint violation: 0.005 m"):
            self.assertIn(words, text)
        result = self.json("check", "loop.yaml")
        self.assertEqual(result["not_unique"]["c"], [False, False, True, False, False, False])
        self.assertAlmostEqual(result["widest_violation"], 0.005, 12)

    def test_check_tells_what_nothing_drives(self):
        self.assertIn("degrees of freedom    1 (Gruebler count 0; 1 redundant constraint)\n"
                      "                      free: joints J1, J2, J3, J4, J5 and J6 (coupled by the loops)\n",
                      self.text("check", "bricard"))
        self.assertIn("J11, J12 and 8 more\n", self.text("check", "chain", "links=20"))
        (self.folder / "arm.yaml").write_text(ARM, encoding="utf-8")
        self.assertRegex(self.text("check", "arm.yaml"), r"degrees of freedom    \d: 1 free, \d driven by motions?\n"
                                                         r" +free: joint elbow\n")
        (self.folder / "arm.yaml").write_text(ARM + "  bent: {joint: elbow, rate: 1}\n", encoding="utf-8")
        text = self.text("check", "arm.yaml")
        self.assertRegex(text, r"degrees of freedom    2, both driven by motions\n")
        self.assertNotIn("free:", text)
        (self.folder / "frame.yaml").write_text(FRAME, encoding="utf-8")
        self.assertIn("free: joint tail\n                      joints a, b and c rest\n",
                      self.text("check", "frame.yaml"))
        self.assertEqual(self.json("check", "frame.yaml")["resting_joints"], ["a", "b", "c"])
        self.assertIn("joints J3, J4, J5, J6 and J7 are at rest at the start (a dead point) and move beside it\n",
                      self.text("check", "andrews"))
        result = self.json("check", "andrews")
        self.assertEqual((result["pausing_joints"], result["resting_joints"]), (["J3", "J4", "J5", "J6", "J7"], []))

    def test_check_refuses_a_massless_tip(self):
        (self.folder / "arm.yaml").write_text(ARM.replace("hand: {mass: 1, inertia: [1, 1, 1]}", "hand: {mass: 0, inertia: [0, 0, 0]}"))
        for command in ("check", "run", "eval"):
            done = cleave(command, "arm.yaml", "--json", folder=self.folder)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn("hand", done.stderr)
            self.assertEqual(json.loads(done.stdout)["status"], "bad_model")

    def test_lenient_clips_inertias_and_lists_them(self):
        text = ARM.replace("hand: {mass: 1, inertia: [1, 1, 1]}", "hand: {mass: 1, inertia: [1, 1, 2.3]}")
        self.assertNotEqual(text, ARM)
        (self.folder / "clip.yaml").write_text(text, encoding="utf-8")
        done = cleave("check", "clip.yaml", folder=self.folder)
        self.assertEqual(done.returncode, 2)
        self.assertIn("`lenient`", done.stderr)
        for command in ("check", "eval"):
            done = cleave(command, "clip.yaml", "--lenient", folder=self.folder)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("'hand' clipped: principal moments 1, 1, 2.3 kg m^2 become 1.1, 1.1, 2.2\n", done.stderr)
        (self.folder / "clip.yaml").write_text(text + "lenient: true\n", encoding="utf-8")
        self.assertEqual(cleave("check", "clip.yaml", folder=self.folder).returncode, 0)
        (self.folder / "clip.yaml").write_text(text, encoding="utf-8")
        run = ("run", "clip.yaml", "--time", "0.1", "--lenient", "--out", "clip.cleave")
        self.assertEqual(cleave(*run, folder=self.folder).returncode, 0)  # the run file holds the clipped model
        self.assertEqual(cleave("resume", "clip.cleave", "--time", "0.2", folder=self.folder).returncode, 0)

    def test_check_says_that_nothing_is_redundant(self):
        self.assertIn("none: every joint reaction is unique", self.text("check", "governor"))
        self.assertEqual(self.json("check", "chain")["not_unique"], {})

    def test_check_tells_modes_and_the_limit_of_spin(self):
        # clamped-free tube: (1.8751, 4.6941)^2 sqrt(E I / (rho A L^4)), E I / (rho A) = 7e10 / 2700 (R^2 + r^2) / 4
        (self.folder / "boom.yaml").write_text(BOOM, encoding="utf-8")
        result = self.json("check", "boom.yaml")["flexible"]["boom"]
        root = (7e10 / 2700 * (0.012**2 + 0.010**2) / 4) ** 0.5 / 4 / (2 * 3.141592653589793)
        for hz, beta in zip(result["frequencies"], (1.87510406871, 1.87510406871, 4.69409113297, 4.69409113297)):
            self.assertAlmostEqual(hz / (beta**2 * root), 1, 5)
        self.assertAlmostEqual(result["spin_limit"] / (0.3 * 2 * 3.141592653589793 * result["frequencies"][0]), 1, 12)
        self.assertRegex(self.text("check", "boom.yaml"),
                         r"\nflexible +boom: 4 modes of 5\.563 5\.563 34\.87 34\.87 Hz, spin rate at most 10\.49 rad/s\n")
        (self.folder / "free.yaml").write_text(BOOM.replace("{flexible: {", "{flexible: {spin_limit: 0, "), encoding="utf-8")
        self.assertIn("Hz, no spin-rate limit", self.text("check", "free.yaml"))
        self.assertEqual(self.json("check", "free.yaml")["flexible"]["boom"]["spin_limit"], 0)
        self.assertEqual(self.json("check", "chain")["flexible"], {})

    def test_check_tells_weak_directions(self):
        self.assertEqual(self.json("check", "hdca-case1")["rank_threshold"], 1e-8)

    def test_check_warns_of_a_joint_that_turns_no_inertia(self):
        text = HEAD.format(inertia=1e-9)
        (self.folder / "head.yaml").write_text(text, encoding="utf-8")
        self.assertIn("warning               joint yaw starts with 1e+09 rad/s^2", self.text("check", "head.yaml"))
        self.assertEqual(self.json("check", "head.yaml")["fastest_joint"], "yaw")
        (self.folder / "head.yaml").write_text(HEAD.format(inertia=1e-2), encoding="utf-8")
        self.assertNotIn("warning", self.text("check", "head.yaml"))
        self.assertAlmostEqual(self.json("check", "head.yaml")["fastest_acceleration"], 100, delta=1e-6)

    # ------------------------------------------------------------ verify

    def test_verify_agrees(self):
        for model in ("hdca-case3", "bricard", "satellite"):
            with self.subTest(model=model):
                result = self.json("verify", model, "--time", "0.5")
                rows = result["formulations"]
                self.assertTrue(result["agree"])
                self.assertLessEqual({"hdca", "dca", "massmatrix", "aldca"}, set(rows))
                self.assertEqual(result["horizon"], 0.5)
                self.assertLess(result["worst"]["difference"], result["worst"]["allowed"])
                for row in rows.values():
                    self.assertGreater(row["estimated_error"], 0)
                    self.assertLess(row["estimated_error"], 1e-5)
        self.assertIn("They agree", self.text("verify", "pendulum", "--time", "1"))

    def test_verify_shortens_the_horizon_before_chaos(self):
        result = self.json("verify", "double-pendulum", "--time", "20", "--rtol", "1e-6")
        self.assertTrue(0 < result["horizon"] < 20)
        self.assertIn("the horizon is", self.text("verify", "double-pendulum", "--time", "20", "--rtol", "1e-6"))

    def test_verify_fails_where_nothing_can_be_compared(self):
        text = self.text("verify", "double-pendulum", "--time", "1000", "--rtol", "1e-2", code=3)
        self.assertIn("smaller --rtol", text)
        self.assertEqual(cleave("verify", "pendulum", "--integrator", "euler").returncode, 1)

    def test_verify_tells_the_verdict_first(self):
        self.assertRegex(self.text("verify", "pendulum", "--time", "0.056"), r"\AThey agree, 6 of 6 formulations: \w+ and ")
        self.assertEqual(list(self.json("verify", "pendulum", "--time", "0.112"))[:3], ["status", "verdict", "agree"])
        self.assertRegex(self.text("verify", "double-pendulum", "--time", "1000", "--rtol", "1e-2", "--limit", "1", code=3),
                         r"\ANOT VERIFIED: ")

    def test_verify_leaves_out_what_is_too_large(self):
        """`--limit` is processor time: index3 and aldca are slow on a long chain, and the machine may be."""
        rows = self.json("verify", "chain", "links=4100", "--time", "0.0001", "--limit", "0.5")["formulations"]
        self.assertEqual(rows["massmatrix"]["status"], "left_out")
        self.assertIn(rows["hdca"]["status"], ("ok", "not_finished"))

    def test_verify_ends_what_takes_too_long(self):
        words = ("verify", "hdca-case1", "--integrator", "rk4", "--step", "1e-4", "--limit", "1")
        told = self.json(*words)
        self.assertEqual(told["verdict"], "agree")
        rows = told["formulations"]
        self.assertEqual(rows["hdca"]["status"], "not_finished")
        self.assertTrue(0 < rows["hdca"]["horizon"] <= rows["hdca"]["reached"] < 10, rows["hdca"])

    def test_verify_takes_a_massless_link_by_every_formulation(self):
        (self.folder / "light.yaml").write_text(LIGHT, encoding="utf-8")
        self.assertRegex(self.text("verify", "light.yaml", "--time", "1"), r"\AThey agree, 6 of 6 formulations: ")

    def test_verify_allows_for_contradicting_data(self):
        self.assertRegex(self.text("verify", str(MODELS / "four_cranks_6_digits.yaml"), "--time", "0.3", "--rtol", "1e-10"),
                         r"\AThey agree, 6 of 6 formulations: ")
        drawn = ("verify", str(MODELS / "bricard_4_digits.yaml"), "--time", "0.2")
        self.assertIn("more than the limit of 1e-06: joints 'j0'", cleave(*drawn).stderr)
        self.assertRegex(self.text(*drawn, "--contradiction", "1e-3"), r"\AThey agree, 6 of 6 formulations: ")

    def test_verify_tells_singular_positions(self):
        text = self.text("verify", "four-bar-ladder", "windows=2", "--time", "1")
        self.assertIn("The mechanism passes a singular position before 0.71 s ", text)
        self.assertEqual(self.json("verify", "four-bar-ladder", "windows=2", "--time", "1")["singular_before"], 0.71)
        self.assertIsNone(self.json("verify", "pendulum", "--time", "1")["singular_before"])

    # ------------------------------------------------------------ help, completion, doctor

    def commands(self):
        return re.findall(r"^  ([a-z]+) +\w", self.text("help"), flags=re.M)

    def test_help_begins_with_examples(self):
        names = self.commands()
        self.assertIn("verify", names)
        for name in names:
            with self.subTest(command=name):
                text = self.text("help", name)
                self.assertEqual(text, self.text(name, "--help"))
                self.assertRegex(text.split("\n\n")[2], rf"^  (source <\()?cleave {name}")
                self.assertLessEqual(max(map(len, text.splitlines())), 120)
        done = cleave("help", "rnu")
        self.assertEqual(done.returncode, 1)
        self.assertIn("did you mean 'run'?", done.stderr)

    def test_help_names_every_formulation_and_integrator(self):
        """from their tables, as the refusal of an unknown one does"""
        done = cleave("run", "pendulum", "--formulation", "newton")
        known = re.search(r"known: (.*)", done.stderr)[1]
        self.assertIn("massmatrix", known)
        for name in ("run", "eval", "bench"):
            line = re.search(r"--formulation NAME +(.*)", self.text("help", name))[1]
            self.assertEqual(line.replace(" (default)", ""), known)
        self.assertRegex(" ".join(self.text("help", "run").split()), r"--integrator NAME dopri5 \(default\), bs23, .*, trapezoidal, .*, bdf \(stiff\)")

    def test_schema(self):
        text = self.text("schema")
        kept = Path(__file__).resolve().parents[2] / "docs" / "model-schema.json"
        self.assertEqual(text, kept.read_text())
        self.assertIn("draft-07", json.loads(text)["$schema"])
        self.assertEqual(cleave("schema", "mine.yaml").returncode, 1)
        if Path("/dev/full").exists():
            with open("/dev/full", "w") as full:
                self.assertEqual(subprocess.run([PROGRAM, "schema"], stdout=full, stderr=subprocess.PIPE).returncode, 4)

    def complete(self, *words):
        script = ('source <("$0" completion bash); COMP_WORDS=("${@}"); COMP_CWORD=$(($# - 1)); _cleave; '
                  'printf "%s\\n" "${COMPREPLY[@]}"')
        done = subprocess.run(["bash", "-c", script, PROGRAM, *words], capture_output=True, text=True, cwd=self.folder)
        self.assertEqual(done.stderr, "")
        return done.stdout.split()

    def test_bash_completes(self):
        (self.folder / "mine.yaml").touch()
        (self.folder / "mine.cleave").touch()
        self.assertEqual(self.complete("cleave", "veri"), ["verify"])
        self.assertEqual(self.complete("cleave", "run", "hdca-"), ["hdca-case1", "hdca-case2", "hdca-case3"])
        self.assertEqual(self.complete("cleave", "run", "mi"), ["mine.yaml"])
        self.assertEqual(self.complete("cleave", "resume", "mi"), ["mine.cleave"])
        self.assertEqual(self.complete("cleave", "run", "pendulum", "--ru"), [])
        self.assertEqual(self.complete("cleave", "run", "pendulum", "--integrator", "dop"), ["dopri5", "dop853"])
        self.assertEqual(self.complete("cleave", "bench", "la"), ["ladder"])
        self.assertEqual(self.complete("cleave", "help", "doc"), ["doctor"])

    def test_zsh_script_is_well_formed(self):
        text = self.text("completion", "zsh")
        self.assertTrue(text.startswith("#compdef cleave\n"))
        for name in self.commands():
            self.assertIn(f"    {name})\n", text)
        if shutil.which("zsh"):
            self.assertEqual(subprocess.run(["zsh", "-n"], input=text, text=True).returncode, 0)
        self.assertEqual(cleave("completion", "fish").returncode, 1)

    def test_doctor_tells_parts_and_bits(self):
        result = self.json("doctor")
        self.assertEqual(set(result["self_test"].values()), {True})
        self.assertIn("build", result)
        self.assertIn("bdf", result["parts"])
        self.assertRegex(result["parts"]["yaml"], r"^0\.\d+\.\d+$")
        self.assertRegex(result["parts"]["sqlite"], r"^3\.\d+\.\d+$")
        self.assertIn("SQLite " + result["parts"]["sqlite"], self.text("doctor"))
        self.assertIn("bits", self.text("doctor"))

    def test_lane_width_is_told_chosen_and_refused(self):
        result = self.json("doctor")
        self.assertIn(result["lanes"], result["lane_widths"])
        self.assertEqual(result["lane_widths"][:2], [1, 2])
        self.assertIn(f"{result['lanes']} doubles at a time ({result['lane_instructions']})", self.text("doctor"))
        self.assertEqual(self.json("check", "bricard")["lanes"], result["lanes"])
        self.assertNotIn("\nlanes ", self.text("check", "bricard"))
        for width in result["lane_widths"]:
            with self.lanes(str(width)):
                self.assertRegex(self.text("check", "bricard", "--verbose"),
                                 rf"\nlanes +{width} double{'s' * (width > 1)} at a time \(")
                self.assertEqual(self.json("doctor")["lanes"], width)
        for text in ["3", "x", *({"4", "8"} - {str(width) for width in result["lane_widths"]})]:
            with self.lanes(text):
                done = cleave("check", "bricard", "--json")
            self.assertEqual(done.returncode, 1)
            self.assertIn("environment variable CLV_LANES is", done.stderr)
            self.assertIn("  unset it", done.stderr)

    @contextlib.contextmanager
    def lanes(self, text):
        os.environ["CLV_LANES"] = text
        try:
            yield
        finally:
            del os.environ["CLV_LANES"]

    # ------------------------------------------------------------ bdf

    def test_bdf_runs_or_is_refused_by_name(self):
        if self.json("doctor")["parts"]["bdf"].startswith("none"):
            done = cleave("run", "governor", "--integrator", "bdf")
            self.assertEqual(done.returncode, 1)
            self.assertIn("integrator 'bdf' is not part of this build", done.stderr)
            self.assertIn("libsundials-dev", done.stderr)
            return
        self.assertLess(self.json("run", "governor", "--integrator", "bdf", "--time", "10")["rate_evaluations"], 20000)
        self.text("run", "governor", "--integrator", "bdf", "--time", "0.1", "--out", "a.cleave")
        self.assertEqual(self.json("resume", "a.cleave", "--time", "0.2")["time"], 0.2) # from the beginning

    # ------------------------------------------------------------ progress

    def on_a_terminal(self, *words):
        """Standard error as a terminal sees it."""
        try:
            ours, theirs = pty.openpty()
        except OSError:
            self.skipTest("there is no terminal to be had here")
        process = subprocess.Popen([PROGRAM, *words], stdout=subprocess.DEVNULL, stderr=theirs)
        os.close(theirs)
        seen = b""
        while True:
            try:
                part = os.read(ours, 4096)
            except OSError:
                break
            if not part:
                break
            seen += part
        os.close(ours)
        self.assertEqual(process.wait(), 0)
        return seen.decode()

    def test_progress_line_each_second_on_a_terminal(self):
        seen = self.on_a_terminal("run", "governor", "--time", "1.5", "--rtol", "1e-8", "--max-step", "1e-5")
        lines = [part for part in seen.split("\r") if "left" in part]
        self.assertGreaterEqual(len(lines), 1)
        for line in lines:
            self.assertRegex(line, r"[\d.]+ of 1\.5 s  .* x real time  energy drift .* J  violation .*  \d+ s left")
        self.assertTrue(seen.endswith("\r\x1b[K")) # and is wiped

    def test_no_progress_line_for_short_runs_or_pipes(self):
        self.assertEqual(self.on_a_terminal("run", "pendulum", "--time", "1"), "")
        self.assertEqual(cleave("run", "hdca-case1").stderr, "")


if __name__ == "__main__":
    if len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
        PROGRAM = str(Path(sys.argv.pop(1)).resolve())
    unittest.main()
