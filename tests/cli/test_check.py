# SPDX-License-Identifier: Apache-2.0
"""`cleave check` names what moves freely and is no coordinate of a joint, and what is not unique beside the reactions of
joints: efforts of couplings in a loop of gears, and of motions that repeat each other.  argv[1]: the program."""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM = "cleave"

GEARS = """\
cleave: 1
gravity: [0, 0, 0]
bodies: {a: {mass: 1, inertia: [1, 1, 0.3]}, b: {mass: 1, inertia: [1, 1, 0.5]}, c: {mass: 1, inertia: [1, 1, 0.2]}}
joints:
  a: {kind: revolute, a: {body: ground}, b: {body: a}}
  b: {kind: revolute, a: {body: ground, position: [1, 0, 0]}, b: {body: b}}
  c: {kind: revolute, a: {body: ground, position: [2, 0, 0]}, b: {body: c}}
couplings:
  ab: {first: a, second: b, ratio: -2}
  bc: {first: b, second: c, ratio: -0.5}
  ca: {first: c, second: a, ratio: RATIO}
start: {joints: {a: {u: 4}}}
"""

# A differential screw: the nut moves by the difference of the pitches.  One motion is enough.
SCREWS = """\
cleave: 1
gravity: [0, 0, -10]
bodies: {spindle: {mass: 1, inertia: [0.1, 0.1, 0.02]}, nut: {mass: 50, inertia: [1, 1, 1]}}
joints:
  a: {kind: helical, pitch: 0.01, a: {body: ground}, b: {body: spindle}}
  b: {kind: helical, pitch: -0.008, a: {body: spindle, position: [0, 0, 0.3]}, b: {body: nut}}
  g: {kind: prismatic, a: {body: ground, position: [0.5, 0, 0]}, b: {body: nut, position: [0.5, 0, -0.3]}}
motions: {turn: {joint: a, rate: 3}LIFT}
"""

HELD = """\
cleave: 1
bodies: {b: {mass: 1, com: [0.5, 0, 0], inertia: [0.1, 0.1, 0.1]}, c: {mass: 1, inertia: [0.1, 0.1, 0.1]}}
joints:
  p: {kind: point, between: [ground, b], at: [0, 0, 0]}
  d: {kind: distance, between: [b, c], at: [1, 0, 0], at_b: [2, 0, 0]}
start: {bodies: {c: {position: [2, 0, 0]}}}
"""

BEAM = """\
cleave: 1
bodies:
  beam: {flexible: {beam: {length: 1, density: 2700, young: 7e10, rectangle: [0.02, 0.01], modes: {bend_z: 3}}}}
joints: {clamp: {kind: fixed, a: {body: ground}, b: {body: beam}}}
"""


class Check(unittest.TestCase):
    def setUp(self):
        self.room = tempfile.TemporaryDirectory()
        self.addCleanup(self.room.cleanup)

    def cleave(self, command, text, *words):
        (Path(self.room.name) / "m.yaml").write_text(text, encoding="utf-8")
        done = subprocess.run([PROGRAM, command, "m.yaml", *words], cwd=self.room.name, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_a_loop_of_gears_is_named(self):
        text = self.cleave("check", GEARS.replace("RATIO", "1"))
        self.assertIn("degrees of freedom    1 (Gruebler count 0; 1 redundant constraint)\n"
                      "                      free: joints a, b and c (coupled by couplings)\n", text)
        self.assertIn("not unique:\n                      the efforts: couplings ab, bc and ca\n", text)
        found = json.loads(self.cleave("check", GEARS.replace("RATIO", "1"), "--json"))
        self.assertEqual((found["redundant_couplings"], found["repeated_motions"]), (["ab", "bc", "ca"], []))

    def test_inputs_of_tendons_have_the_unit_of_their_joints(self):
        body = "{mass: 1, inertia: [1, 1, 1]}"
        text = f"""\
cleave: 1
bodies: {{a: {body}, b: {body}, c: {body}}}
joints:
  turn: {{kind: revolute, between: [ground, a], at: [0, 0, 0], axis: [0, 0, 1]}}
  other: {{kind: revolute, between: [ground, b], at: [0, 0, 0], axis: [0, 0, 1]}}
  slide: {{kind: prismatic, between: [ground, c], at: [0, 0, 0], axis: [0, 0, 1]}}
forces:
  turns: {{kind: tendon, of: {{turn: 2, other: 1}}}}
  slides: {{kind: tendon, of: {{slide: 2}}}}
  both: {{kind: tendon, of: {{turn: 2, slide: 1}}}}
inputs: {{x: {{tendon: turns}}, y: {{tendon: slides}}, z: {{tendon: both}}}}
start: {{bodies: {{a: {{position: [0, 0, 0]}}, b: {{position: [0, 0, 0]}}, c: {{position: [0, 0, 0]}}}}}}
"""
        shown = self.cleave("check", text)
        for line in ("x: tendon turns, 0 N m at the start\n", "y: tendon slides, 0 N at the start\n",
                     "z: tendon both, 0 at the start\n"):
            self.assertIn(line, shown)
        inputs = json.loads(self.cleave("check", text, "--json"))["inputs"]
        self.assertEqual([inputs[name]["unit"] for name in "xyz"], ["N m", "N", "1"])

    def test_couplings_are_named_beside_joints_of_several_rates(self):
        """A ball, a floating base and two joints of one rate each that a coupling ties to each other."""
        body = "{mass: 1, inertia: [1, 1, 1]}"
        text = self.cleave("check", f"""\
cleave: 1
bodies: {{base: {body}, a: {body}, b: {body}, c: {body}}}
joints:
  p: {{kind: revolute, a: {{body: base, position: [1, 0, 0]}}, b: {{body: a}}}}
  q: {{kind: revolute, a: {{body: base, position: [-1, 0, 0]}}, b: {{body: b}}}}
  s: {{kind: spherical, a: {{body: base, position: [0, 1, 0]}}, b: {{body: c}}}}
couplings: {{pq: {{first: p, second: q, ratio: 2}}}}
""")
        self.assertIn("degrees of freedom    10\n"
                      "                      free: floating base base (six degrees of freedom)\n"
                      "                      free: joints p, q and s (coupled by couplings)\n", text)

    def test_a_locked_loop_of_gears_rests(self):
        """What is left of the given rates is rounding of rounding: no energy, and nothing to warn of."""
        text = self.cleave("run", GEARS.replace("RATIO", "1.1"), "--time", "1")
        self.assertIn("degrees of freedom    0\n", text)
        self.assertNotIn("the energy drift is", text)
        self.assertRegex(text, r"\nenergy drift          [0-9.e-]+ J: nothing moves")

    def test_motions_that_repeat_each_other_share_efforts(self):
        twice = SCREWS.replace("LIFT", ", lift: {joint: g, rate: 0.054}")
        self.assertIn("                      the efforts: motions turn and lift\n", self.cleave("check", twice))
        self.assertEqual(json.loads(self.cleave("check", twice, "--json"))["repeated_motions"], ["turn", "lift"])
        self.assertIn("lift (g.effort)  500 N, constant (not unique: motions repeat each other)\n",
                      self.cleave("run", twice, "--time", "1"))
        self.assertRegex(self.cleave("eval", twice), r"\n  g  .* \(500\) N\n")
        # alone, by the work: 10 N (0.01 + 50 x 0.018) m/rad
        once = SCREWS.replace("LIFT", "")
        self.assertNotIn("the effort", self.cleave("check", once))
        self.assertIn("turn (a.effort)  9.1 N m, constant\n", self.cleave("run", once, "--time", "1"))

    def test_a_singular_start_is_told_apart(self):
        """Windows that lie flat move apart for an instant; beside it the ladder has one degree of freedom."""
        flat = (Path(__file__).parent.parent / "models" / "ladder_flat.yaml").read_text(encoding="utf-8")
        line = "of the start, a singular position; a small step beside it there is 1\n"
        for speed in "-6", "0":
            for command in ("check",), ("run", "--time", "0.01"):
                self.assertIn("degrees of freedom    3 (Gruebler count -5; 8 redundant constraints)\n"
                              "                      " + line, self.cleave(command[0], flat, "speed=" + speed, *command[1:]))
            found = json.loads(self.cleave("check", flat, "--json", "speed=" + speed))
            self.assertEqual((found["mobility_found"], found["mobility_beside"]), (3, 1))
        for text in GEARS.replace("RATIO", "1"), SCREWS.replace("LIFT", ""):
            found = json.loads(self.cleave("check", text, "--json"))
            self.assertEqual(found["mobility_found"], found["mobility_beside"])

    def test_a_driven_singular_start_is_told_apart(self):
        """A parallelogram that lies flat with a driven crank.  Rates that nobody gives are those of least energy, which no
        motion has: it turns over with an error, unless the other crank has the rate of the first one."""
        crank = "{mass: 1, com: [0.5, 0, 0], inertia: [0.01, 0.1, 0.1]}"
        flat = "cleave: 1\ngravity: [0, -9.81, 0]\nbodies:\n" \
            f"  a: {crank}\n  b: {{mass: 1, com: [1, 0, 0], inertia: [0.01, 0.4, 0.4]}}\n  c: {crank}\njoints:\n" \
            "  j1: {kind: revolute, a: {body: ground}, b: {body: a}}\n" \
            "  j2: {kind: revolute, a: {body: a, position: [1, 0, 0]}, b: {body: b}}\n" \
            "  j4: {kind: revolute, a: {body: ground, position: [2, 0, 0]}, b: {body: c}}\n" \
            "  j3: {kind: revolute, a: {body: b, position: [2, 0, 0]}, b: {body: c, position: [1, 0, 0]}}\n" \
            "motions: {m: {joint: j1, rate: 2}}\n"
        self.assertIn("degrees of freedom    2: 1 free, 1 driven by motion (Gruebler count -2; 4 redundant constraints)\n"
                      "                      of the start, a singular position; a small step beside it there is none free\n",
                      self.cleave("check", flat))
        advice = "give rates under `start` that a motion from its singular position has"
        self.assertIn(advice, self.cleave("run", flat, "--time", "1"))
        rates = flat + "start: {joints: {j4: {u: 2}}}\n"
        self.assertNotIn(advice, self.cleave("run", rates, "--time", "1"))
        found = json.loads(self.cleave("run", rates, "--json", "--time", "1"))
        self.assertEqual((found["mobility_found"], found["mobility_beside"]), (1, 0))
        self.assertLess(found["max_energy_drift_relative"], 1e-3)
        # away from the singular position nothing of this is said
        self.assertNotIn("singular", self.cleave("check", flat + "start: {joints: {j1: {q: 0.3}, j4: {q: 0.3}}}\n"))

    def test_what_is_no_coordinate_of_a_joint_is_named(self):
        for text, line in ((HELD, "bodies b and c, held by joints without coordinates"), (BEAM, "modes of beam")):
            self.assertIn("                      free: %s\n" % line, self.cleave("check", text))

    def test_what_an_event_attaches_later_floats(self):
        done = subprocess.run([PROGRAM, "check", "capture"], capture_output=True, text=True, check=True)
        self.assertIn("free: floating bases bus and payload (six degrees of freedom each)\n", done.stdout)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
