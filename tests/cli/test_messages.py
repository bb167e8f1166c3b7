#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a person reads where a model or a command is not as meant: the cause is named, and what to try.

Use: test_messages.py PROGRAM [unittest options]"""
import csv
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM = "cleave"

# a marker has the name of its body; a motor and a strong damper
ARM = """cleave: 1
parameters: {l: {value: 400, unit: mm}}
bodies:
  arm: {mass: 1, com: [l/2, 0, 0], inertia: [0.01, 0.02, 0.02]}
joints:
  a: {kind: revolute, a: {body: ground}, b: {body: arm}}
forces:
  d: {kind: joint-load, joint: a, damping: 0}
inputs:
  motor: {joint: a, value: 2}
markers:
  arm: {body: arm, position: [l, 0, 0]}
start: {joints: {a: {q: 0.5, u: 1}}}
"""

# a ball whose velocity does not fit the turning table; velocities of the ball have fewer freedoms than its positions
TABLE = """cleave: 1
bodies:
  table: {mass: 3, inertia: [1, 1, 2]}
  ball: {mass: 1, inertia: [0.004, 0.004, 0.004]}
joints:
  axle: {kind: revolute, a: {body: ground}, b: {body: table}}
  roll: {kind: rolling-sphere, a: {body: table}, b: {body: ball}, radius: 0.1}
motions: {m: {joint: axle, rate: 7}}
start: {bodies: {ball: {position: [1, 0, 0.1], velocity: [0.5, 0.2, 0]}}}
"""

# two legs on feet that hardly slide: rigid contacts have no solution in some steps
LEGS = """cleave: 1
bodies:
  carriage: {mass: 0.01, inertia: [1e-6, 1e-6, 1e-6]}
  lift: {mass: 0.01, inertia: [1e-6, 1e-6, 1e-6]}
  torso: {mass: 3, com: [0, 0, 0.6], inertia: [0.1, 0.1, 0.1], shape: {capsule: [0.05, 0.4], at: [0, 0, 0.6]}}
  leg: {mass: 4, com: [0, 0, 0.2], inertia: [0.1, 0.1, 0.01], shape: {capsule: [0.05, 0.4], at: [0, 0, 0.2]}}
  foot: {mass: 1, com: [0.1, 0, 0], inertia: [0.01, 0.01, 0.01], shape: {capsule: [0.06, 0.2], at: [0.1, 0, 0], orientation: {axis: [0, 1, 0], angle: 90 deg}}}
  leg2: {mass: 4, com: [0, 0, 0.2], inertia: [0.1, 0.1, 0.01], shape: {capsule: [0.05, 0.4], at: [0, 0, 0.2]}}
  foot2: {mass: 1, com: [0.1, 0, 0], inertia: [0.01, 0.01, 0.01], shape: {capsule: [0.06, 0.2], at: [0.1, 0, 0], orientation: {axis: [0, 1, 0], angle: 90 deg}}}
joints:
  x: {kind: prismatic, between: [ground, carriage], at: [0, 0, 0], axis: [1, 0, 0]}
  z: {kind: prismatic, between: [carriage, lift], at: [0, 0, 0], axis: [0, 0, 1]}
  y: {kind: revolute, between: [lift, torso], at: [0, 0, 0.8], axis: [0, 1, 0]}
  hip: {kind: revolute, between: [torso, leg], at: [0, 0, 0.4], axis: [0, 1, 0]}
  ankle: {kind: revolute, between: [leg, foot], at: [0, 0, 0], axis: [0, 1, 0]}
  hip2: {kind: revolute, between: [torso, leg2], at: [0, 0, 0.4], axis: [0, 1, 0]}
  ankle2: {kind: revolute, between: [leg2, foot2], at: [0, 0, 0], axis: [0, 1, 0]}
forces:
  floor: {kind: contacts, normal: [0, 0, 1], point: [0, 0, -0.07], restitution: 0, dynamic_friction: 1.9}
start: {joints: {y: {u: 0.5}, hip: {q: 0.1}, x: {u: 0.3}}}
"""

# a plate on two pairs of folded legs, all in one plane
SARRUS = """cleave: 1
gravity: [0, 0, -9.81]
bodies:
  plate: {mass: 3, inertia: [0.0012, 0.2512, 0.2512]}
  x1: {mass: 1, com: [1, 0, 0], inertia: [0.0004, 0.0837, 0.0837]}
  x2: {mass: 1, com: [1, 0, 0], inertia: [0.0004, 0.0837, 0.0837]}
  y1: {mass: 1, com: [0, 1, 0], inertia: [0.0837, 0.0004, 0.0837]}
  y2: {mass: 1, com: [0, 1, 0], inertia: [0.0837, 0.0004, 0.0837]}
joints:
  a1: {kind: revolute, between: [ground, x1], at: [0.5, 0, 0], axis: [0, 1, 0]}
  a2: {kind: revolute, between: [x1, x2], at: [1.5, 0, 0], axis: [0, 1, 0]}
  a3: {kind: revolute, between: [x2, plate], at: [0.5, 0, 0], axis: [0, 1, 0]}
  b1: {kind: revolute, between: [ground, y1], at: [0, 0.5, 0], axis: [1, 0, 0]}
  b2: {kind: revolute, between: [y1, y2], at: [0, 1.5, 0], axis: [1, 0, 0]}
  b3: {kind: revolute, between: [y2, plate], at: [0, 0.5, 0], axis: [1, 0, 0]}
"""

# two bars in one line between pins: they may move for an instant only
LINE = """cleave: 1
gravity: [0, -9.81, 0]
bodies:
  left: {mass: 1, com: [0.5, 0, 0], inertia: [0.01, 0.1, 0.1]}
  right: {mass: 1, com: [0.5, 0, 0], inertia: [0.01, 0.1, 0.1]}
joints:
  a: {kind: revolute, a: {body: ground}, b: {body: left}}
  b: {kind: revolute, a: {body: left, position: [1, 0, 0]}, b: {body: right}}
  c: {kind: revolute, a: {body: right, position: [1, 0, 0]}, b: {body: ground, position: [%s, 0, 0]}}
"""


class Messages(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)
        self.file("arm.yaml", ARM)

    def file(self, name, text):
        (self.folder / name).write_text(text, encoding="utf-8")

    def cleave(self, *words, code=0):
        done = subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, timeout=100, cwd=self.folder)
        self.assertEqual(done.returncode, code, done.stderr + done.stdout)
        return done

    def says(self, code, words, *texts):
        told = " ".join(self.cleave(*words, code=code).stderr.split())
        for text in texts:
            self.assertIn(text, told)

    def test_a_marker_with_the_name_of_a_body_has_columns_of_its_own(self):
        self.cleave("run", "arm.yaml", "--time", 0.1, "--out", "a.csv")
        with open(self.folder / "a.csv", encoding="utf-8", newline="") as file:
            rows = list(csv.reader(file))
        self.assertEqual(len(set(rows[0])), len(rows[0]))
        row = dict(zip(rows[0], map(float, rows[-1])))
        body, marker = row["arm.position.x [m]"], row["markers.arm.position.x [m]"]
        self.assertAlmostEqual(marker, 2 * body, 12)
        self.assertEqual(json.loads(self.cleave("eval", "arm.yaml", "--json").stdout)["markers"]["arm"]["position"][0],
                         float(rows[1][rows[0].index("markers.arm.position.x [m]")]))
        self.cleave("run", "arm.yaml", "--time", 0.1, "--out", "a.cleave")
        self.cleave("resume", "a.cleave", "--time", 0.2)
        self.cleave("export", "a.cleave", "b.csv", "--columns", "markers.arm")
        self.assertIn("markers.arm.velocity.y [m/s]", (self.folder / "b.csv").read_text(encoding="utf-8"))

    def test_too_long_a_step_is_named_as_the_cause(self):
        self.says(3, ("run", "arm.yaml", "d.damping=1e3", "--integrator", "rk4", "--step", 1e-3, "--time", 1),
                  "the fixed step of 0.001 s may be too long for a stiff spring or strong damper (try a tenth)")

    def test_given_velocities_of_bodies_that_change_are_named(self):
        (self.folder / "table.yaml").write_text(TABLE, encoding="utf-8")
        for command in (("check", "table.yaml"), ("run", "table.yaml", "--time", 0.1), ("eval", "table.yaml")):
            text = self.cleave(*command).stdout
            self.assertIn("given velocities changed (m/s or rad/s): ball by 49\n", text)
        self.assertIn("positions have 5 free: 2 constraints restrict velocities only", self.cleave("check", "table.yaml").stdout)
        moved = json.loads(self.cleave("check", "table.yaml", "--json").stdout)["given_velocities_moved"]
        self.assertAlmostEqual(moved["ball"], 48.5714285714, 9)

    def test_verify_takes_integrators_that_choose_their_steps(self):
        (self.folder / "bar.yaml").write_text(ARM, encoding="utf-8")
        text = self.cleave("verify", "bar.yaml", "--time", 0.2, "--integrator", "adams").stdout
        self.assertTrue(text.startswith("They agree, 6 of 6"), text)

    def test_a_step_that_opens_loops_is_named_as_the_cause(self):
        """Not the motions: there are none."""
        self.says(3, ("run", "hdca-case1", "--integrator", "rk4", "--step", 3, "--time", 30),
                  "stays open by", "the step was too long for this motion: take shorter steps, or a smaller `rtol`")

    def test_legs_whose_shapes_meet_on_the_axis_of_both_hips_fall(self):
        """No impulse moves that point; much friction in one plane was not solved for."""
        self.file("legs.yaml", LEGS)
        said = self.cleave("run", "legs.yaml", "--time", 1, "--out", "x.csv").stdout
        self.assertNotIn("did not converge", said)
        self.assertIn("energy drift", said)

    def test_a_step_is_asked_for_with_an_example(self):
        self.says(1, ("run", "arm.yaml", "--integrator", "rk4"), "give a step size, as a `step` of 0.001")

    def test_options_that_exclude_each_other_are_a_usage_error(self):
        """Exit code 1 whatever the model is; 2 where another model could be run so."""
        step = ("--step", 1e-3)
        for words, text in (
            (("run", "arm.yaml", "--integrator", "moreau", "--formulation", "hdca"), "use formulation dca"),
            (("run", "arm.yaml", "--integrator", "gauss4", "--formulation", "dca", *step), "use hdca with it"),
            (("run", "arm.yaml", "--integrator", "dopri5", "--formulation", "index3"), "built-in time step"),
            (("run", "arm.yaml", "--integrator", "trapezoidal"), "formulation 'hdca' needs an integrator"),
            (("eval", "arm.yaml", "--integrator", "trapezoidal"), "formulation 'hdca' needs an integrator"),
            (("linearize", "arm.yaml", "--formulation", "aldca"), "use formulation dca"),
            (("fmu", "arm.yaml", "--formulation", "index3", "--kind", "me"), "no state for model exchange"),
            (("sweep", "arm.yaml", "--vary", "l=300..400 mm", "--runs", 2, "--out", "a.sweep", "--integrator", "rk4"),
             "give a step size"),
            (("sweep", "arm.yaml", "--vary", "l=300..400 mm", "--runs", 2, "--out", "a.sweep", "--integrator", "moreau",
              "--formulation", "hdca"), "use formulation dca"),
        ):
            self.says(1, words, text)
        self.assertFalse((self.folder / "a.sweep").exists())
        absent = json.loads(self.cleave("doctor", "--json").stdout)["parts"]["bdf"].startswith("none")
        self.says(1 if absent else 2, ("run", "chain", "links=200", "--integrator", "bdf"), "bdf")
        self.says(2, ("equilibrium", "chain", "links=500"), "at most 400")
        self.says(2, ("equilibrium", "bicycle"), "statics cannot take a rolling-disc joint")
        self.says(2, ("gradient", "flex-arm", "--of", "J1.q", "--by", "gravity.z"), "body 'boom' is flexible")

    def test_bars_in_one_line_are_named_as_the_cause(self):
        self.file("line.yaml", LINE % 2)
        self.says(3, ("run", "line.yaml", "--time", 1), "ends in a singular position", "for an instant only",
                  "a mechanism that is rigid (bars in one line)")

    def test_a_start_beyond_rigid_stops_is_named(self):
        text = """cleave: 1
bodies: {a: {mass: 1, inertia: [1, 1, 1]}}
joints: {s: {kind: prismatic, a: {body: ground}, b: {body: a}}}
forces: {x: {kind: joint-load, joint: s, lower: 0.1, stop_restitution: 0}}
start: {joints: {s: {q: %g}}}
"""
        self.file("beyond.yaml", text % -0.2)
        self.file("inside.yaml", text % 0.1)
        self.assertIn("1 joint starts beyond rigid stops, most of all 's' by 0.3 m",
                      self.cleave("check", "beyond.yaml").stdout)
        self.assertNotIn("beyond", self.cleave("check", "inside.yaml").stdout)

    def test_a_time_that_stands_still_ends_the_run(self):
        """Legs of a flat Sarrus linkage swing, and come to rest where they meet the plate's own motion."""
        self.file("flat.yaml", SARRUS)
        self.says(3, ("run", "flat.yaml", "--time", 2, "--formulation", "dca", "--rtol", 1e-8, "--every", 2),
                  "step size became too small", ", joint ", "t = 1.24")

    def test_what_sets_the_steps_is_named_by_all_methods(self):
        bdf = [] if "integrator bdf is refused" in self.cleave("doctor").stdout else ["bdf"]
        for method in ("dopri5", "adams", *bdf):
            self.says(3, ("run", "double-pendulum", "--time", 10, "--max-steps", 10, "--integrator", method),
                      "more than 10 steps at t = ", "; joint 'J", " % of them")

    def test_motions_that_hold_a_loop_open_are_named(self):
        self.file("line.yaml", LINE % 1.5 + "motions: {turn: {joint: a, offset: 2}, bend: {joint: b, offset: 2}}\n")
        self.says(2, ("run", "line.yaml"), "motion 'turn' holds joint 'a', as others hold theirs, at its value at t = 0")

    def test_inputs(self):
        self.says(1, ("run", "arm.yaml", "--input", "motr=1"), "did you mean motor?")
        self.says(1, ("run", "arm.yaml", "--input", "x=1"), "`cleave check` lists them, as motor")
        self.says(1, ("run", "arm.yaml", "--input", "motor=3 kN"), "must be NAME=VALUE, a number in SI units")

    def test_lists_end_at_a_whole_word(self):
        self.file("key.yaml", ARM.replace("damping: 0}", "damping: 0, xyz: 1}"))
        self.says(2, ("check", "key.yaml"), "unknown key 'xyz'")
        last = self.cleave("check", "key.yaml", code=2).stderr.rstrip().split()
        self.assertEqual(last[-1], "...")
        self.assertIn(f'"{last[-2]}"', self.cleave("schema").stdout)

    def test_what_a_robot_lacks_is_a_sentence(self):
        self.file("r.urdf", "<robot name='r'><link name='base'/><link name='l'><inertial><mass value='1'/><inertia ixx='1' "
                            "iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link><joint name='j' type='continuous'>"
                            "<parent link='base'/><child link='l'/></joint><gazebo reference='l'/></robot>")
        done = subprocess.run([PROGRAM, "check", "r.urdf"], capture_output=True, text=True, timeout=100, cwd=self.folder)
        if "without expat" in done.stderr:
            self.skipTest("this build reads no XML")
        self.assertIn("r.urdf: not carried over: 1 item that cannot change the motion (`cleave import", done.stderr)

    def test_a_key_that_is_too_long_has_a_hint_of_its_own(self):
        """The parser takes no key longer than 1024 characters, and is surprised by the colon after it."""
        hint = "hint: a key has at most 1024 characters, and a name at most 200"
        for text in ("{}: {{mass: 1}}", "bodies:\n  {}: {{mass: 1}}", "bodies: {{a: {{mass: 1}}, {}: {{mass: 1}}}}",
                     'bodies: {{"{}": {{mass: 1}}}}', "bodies:\n  '{}' : {{mass: 1}}"):
            for letter in ("a", "\u00e4"):
                self.file("long.yaml", "cleave: 1\n" + text.format(1025 * letter) + "\n")
                self.says(2, ("check", "long.yaml"), hint)
            self.file("long.yaml", "cleave: 1\n" + text.format(1022 * "a") + "\n")
            self.assertNotIn(hint, self.cleave("check", "long.yaml", code=2).stderr)
        self.file("long.yaml", "cleave: 1\nname: " + "b " * 1000 + ": 2\n")
        self.assertNotIn(hint, self.cleave("check", "long.yaml", code=2).stderr)

    def test_a_constant_effort_is_one_number(self):
        self.assertRegex(self.cleave("run", "arm.yaml", "--time", 1).stdout, r"actuator effort +motor .*2 N m, constant\n")

    def test_nothing_is_said_of_the_stability_of_no_states(self):
        self.file("driven.yaml", ARM + "motions: {m: {joint: a, rate: 1}}\n")
        text = self.cleave("linearize", "driven.yaml").stdout
        self.assertIn("none: nothing can move", text)
        self.assertNotIn("stable", text)

    def test_start_values_are_places(self):
        for word in ("a.q=90 deg", "start.joints.a.q=90 deg"):
            found = json.loads(self.cleave("eval", "arm.yaml", word, "--json").stdout)
            self.assertAlmostEqual(found["joints"]["a"]["q"][0], 1.5707963267948966, 15)
        self.says(1, ("eval", "arm.yaml", "a.qq=1"), "the model file has no number at 'a.qq'")

    def test_a_sweep_tells_the_units_of_parameters(self):
        self.cleave("sweep", "arm.yaml", "--vary", "l=300..500", "--runs", 2, "--time", 0.1, "--out", "a.sweep")
        self.cleave("export", "a.sweep", "a.csv")
        self.assertTrue((self.folder / "a.csv").read_text(encoding="utf-8").startswith("run [-],l [mm],"))

    def test_gradients_list_the_names(self):
        self.says(1, ("gradient", "arm.yaml", "--of", "a.q", "--by", "arm.masss"), "numbers are BODY.mass, .com.x")
        self.says(1, ("gradient", "arm.yaml", "--of", "a.qq", "--by", "arm.mass"), "outputs are JOINT.q")


if __name__ == "__main__":
    if len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
        PROGRAM = str(Path(sys.argv.pop(1)).resolve())
    unittest.main()
