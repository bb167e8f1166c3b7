#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Columns of results and what run, check, eval and verify print first: on a front loader and smaller mechanisms.

Use: test_outputs.py PROGRAM [unittest options]"""
import csv
import json
import os
import pty
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM = "cleave"
LOADER = Path(__file__).resolve().parent.parent.parent / "examples" / "loader.yaml"

FREE = """cleave: 1
name: pair
gravity: [0, 0, 0]
bodies:
  a: {mass: 2, inertia: [1, 1, 1]}
  b: {mass: 1, com: [0.5, 0, 0], inertia: [0.1, 0.2, 0.2]}
joints:
  pin: {kind: revolute, between: [a, b], at: [0, 0, 0], axis: [0, 0, 1]}
forces:
  spring: {kind: joint-load, joint: pin, stiffness: 3, rest: 0.5}
start:
  bodies: {a: {position: [0, 0, 0], velocity: [1, 0, 0]}, b: {position: [0, 0, 0], velocity: [1, 0, 0]}}
"""

# a pendulum of any mass, and a free body
HEAVY = """cleave: 1
gravity: [0, -9.81, 0]
bodies:
  P: {{mass: {mass}, inertia: [{inertia}, {inertia}, {inertia}]}}
joints:
  J1: {{kind: revolute, between: [ground, P], at: [0, 0, 0], axis: [0, 0, 1]}}
start:
  bodies:
    P: {{position: [-0.5, 0, 0]}}
"""

THROWN = """cleave: 1
gravity: [0, 0, 0]
bodies:
  P: {{mass: {mass}, inertia: [{inertia}, {inertia}, {inertia}]}}
start:
  bodies:
    P: {{velocity: [1, 2, 3], angular_velocity: [1, 2, 0.3]}}
"""

IDLE = """cleave: 1
name: idle
bodies:
  upper: {mass: 3, com: [0.4, 0.1, 0.3], inertia: [0.1, 0.2, 0.2]}
  lower: {mass: 2, com: [0.9, -0.1, 0.2], inertia: [0.1, 0.2, 0.15]}
joints:
  shoulder: {kind: revolute, between: [ground, upper], at: [0, 0, 0], axis: [0.3, 1, 0.2]}
  elbow: {kind: revolute, between: [upper, lower], at: [0.7, 0.1, 0.2], axis: [1, 0.7, -0.4]}
inputs: {motor: {joint: elbow, value: 0}}
time: 1
"""

# a motor of 2 N m on a wheel of 2 kg m^2: every number is known
WHEEL = """cleave: 1
name: wheel
gravity: [0, 0, 0]
bodies: {wheel: {mass: 1, inertia: [1, 1, 2]}}
joints: {axle: {kind: revolute, between: [ground, wheel], at: [0, 0, 0], axis: [0, 0, 1]}}
inputs: {torque: {joint: axle, value: 2}}
markers: {rim: {body: wheel, position: [1, 0, 0]}}
"""

# the same revolute driven twice: one of the motions repeats the other
TWICE = """cleave: 1
gravity: [0, -9.81, 0]
bodies:
  crank:   {mass: 1, com: [0, 0.5, 0],   inertia: [0.08, 0.01, 0.08]}
  coupler: {mass: 2, com: [1, 0, 0],     inertia: [0.05, 0.70, 0.71]}
  rocker:  {mass: 1, com: [0, -0.5, 0],  inertia: [0.08, 0.01, 0.08]}
joints:
  a: {kind: revolute, between: [ground, crank],   at: [0, 0, 0], axis: [0, 0, 1]}
  b: {kind: revolute, between: [crank, coupler],  at: [0, 1, 0], axis: [0, 0, 1]}
  c: {kind: revolute, between: [coupler, rocker], at: [2, 1, 0], axis: [0, 0, 1]}
  d: {kind: revolute, between: [ground, rocker],  at: [2, 0, 0], axis: [0, 0, 1]}
motions: {first: {joint: a, rate: 1}, second: {joint: d, rate: 1}}
start:
  bodies: {crank: {position: [0, 0, 0]}, coupler: {position: [0, 1, 0]}, rocker: {position: [2, 1, 0]}}
"""

# the same in a plane that no axis is normal to, with the motions named
TILTED = """cleave: 1
gravity: [0, -9.81, 0]
bodies:
  crank:   {{mass: 1, com: [0, 0.4, 0.3],   inertia: [0.08, 0.01, 0.08]}}
  coupler: {{mass: 2, com: [1, 0.8, 0.6],   inertia: [0.05, 0.70, 0.71]}}
  rocker:  {{mass: 1, com: [2, 0.4, 0.3],   inertia: [0.08, 0.01, 0.08]}}
joints:
  a: {{kind: revolute, between: [ground, crank],   at: [0, 0, 0], axis: [0, -0.6, 0.8]}}
  b: {{kind: revolute, between: [crank, coupler],  at: [0, 0.8, 0.6], axis: [0, -0.6, 0.8]}}
  c: {{kind: revolute, between: [coupler, rocker], at: [2, 0.8, 0.6], axis: [0, -0.6, 0.8]}}
  d: {{kind: revolute, between: [ground, rocker],  at: [2, 0, 0], axis: [0, -0.6, 0.8]}}
motions: {{{}}}
"""


class Outputs(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)

    def file(self, name, text):
        (self.folder / name).write_text(text, encoding="utf-8")
        return name

    def cleave(self, *words, code=0):
        done = subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, timeout=120, cwd=self.folder)
        self.assertEqual(done.returncode, code, done.stderr + done.stdout)
        return done

    def text(self, *words):
        return self.cleave(*words).stdout

    def json(self, *words):
        return json.loads(self.text(*words, "--json"))

    def table(self, name):
        rows = list(csv.reader((self.folder / name).read_text(encoding="utf-8").splitlines()))
        return rows[0], [[float(x or "nan") for x in row] for row in rows[1:]]

    # ------------------------------------------------------------ columns

    def test_a_chosen_force_over_time(self):
        text = self.text("run", LOADER, "--out", "lift.csv", "--columns", "L.q,L.effort", "--time", "2", "--every", "0.05")
        names, rows = self.table("lift.csv")
        self.assertEqual(names, ["time [s]", "L.q [m]", "L.effort [N]"])
        peak = max(rows, key=lambda row: row[2])
        self.assertAlmostEqual(peak[2] / 147627, 1, 4)
        self.assertAlmostEqual(peak[0], 1, 9)
        self.assertRegex(text, r"actuator effort +lift \(L.effort\) .* to 147.6 kN at 1 s\n")

    def test_an_idle_actuator_has_no_effort(self):
        """Its effort is found from reactions; what rounding leaves of it is 0 in the summary."""
        (self.folder / "idle.yaml").write_text(IDLE, encoding="utf-8")
        found = self.json("run", "idle.yaml")["efforts"]["elbow.effort"]
        self.assertTrue(0 < max(abs(found["lowest"]), abs(found["highest"])) < 1e-12)
        self.assertRegex(self.text("run", "idle.yaml"), r"actuator effort +motor \(elbow.effort\) +0 N m, constant\n")

    def test_sizes_do_not_overflow_before_their_components(self):
        """The largest force grows with the mass where its square is beyond the range of numbers, too."""
        words = ("--time", "1", "--every", "0.1")
        force = {}
        for mass in (1.0, 2.0 ** 997, 2.0 ** -597):
            model = self.file("heavy.yaml", HEAVY.format(mass=repr(mass), inertia=repr(mass / 4)))
            for out in ((), ("--out", "heavy.cleave", "--reactions", "--force")):
                force[mass, out] = self.json("run", model, *words, *out)["largest_force"]["value"] / mass
                self.assertAlmostEqual(force[mass, out], force[1.0, out], 6)
        free = self.file("free.yaml", THROWN.format(mass="1e300", inertia="1e300"))
        drift = self.json("run", free, *words)["momentum_drift"]
        self.assertTrue(0 <= drift < 1e286, drift)

    def test_efforts_are_the_power_of_the_drives(self):
        """The work of all drives is the integral of effort times rate."""
        self.cleave("run", LOADER, "--out", "l.csv", "--time", "0.9", "--every", "0.01", "--rtol", "1e-9",
                    "--columns", "L.u,L.effort,T.u,T.effort,energy.work")
        names, rows = self.table("l.csv")
        at = {name.split(" ")[0]: i for i, name in enumerate(names)}
        power = [row[at["L.u"]] * row[at["L.effort"]] + row[at["T.u"]] * row[at["T.effort"]] for row in rows]
        work = sum((power[i] + 4 * power[i + 1] + power[i + 2]) * 0.01 / 3 for i in range(0, len(power) - 1, 2))
        self.assertAlmostEqual(work, rows[-1][at["energy.work"]] - rows[0][at["energy.work"]], 4)

    def test_known_numbers(self):
        self.cleave("run", self.file("w.yaml", WHEEL), "--time", "1", "--every", "0.25", "--out", "w.csv", "--reactions")
        names, rows = self.table("w.csv")
        at = {name.split(" ")[0]: i for i, name in enumerate(names)}
        for row in rows:
            t = row[0]
            self.assertAlmostEqual(row[at["axle.q"]], t * t / 2, 6)
            self.assertAlmostEqual(row[at["axle.u"]], t, 6)
            self.assertAlmostEqual(row[at["axle.effort"]], 2, 9)
            self.assertAlmostEqual(row[at["axle.drive_torque.z"]], 2, 9)
        last = rows[-1]
        import math
        self.assertAlmostEqual(last[at["rim.acceleration.x"]], -math.sin(0.5) - math.cos(0.5), 5)
        self.assertAlmostEqual(last[at["rim.acceleration.y"]], math.cos(0.5) - math.sin(0.5), 5)
        self.assertIn("torque (axle.effort)  2 N m, constant", self.text("run", "w.yaml", "--time", "1"))
        effort = self.json("run", "w.yaml", "--time", "1")["efforts"]["axle.effort"]
        self.assertEqual((effort["by"], effort["unit"], effort["lowest"], effort["highest"]), ("torque", "N m", 2, 2))

    def test_patterns_components_and_owners(self):
        for chosen, names in (("*.effort", ["L.effort [N]", "T.effort [N]"]),
                              ("tip.position.y", ["tip.position.y [m]"]),
                              ("T.?", ["T.q [m]", "T.u [m/s]"]),
                              ("energy.kinetic, C.udot", ["energy.kinetic [J]", "C.udot [rad/s^2]"]),
                              ("time", []), ("A.effort", ["A.effort [N m]"])):
            with self.subTest(columns=chosen):
                for form in ("csv", "cleave"):
                    self.cleave("run", LOADER, "--time", "0.02", "--every", "0.01", "--out", f"a.{form}", "--force",
                                "--columns", chosen)
                self.assertEqual(self.table("a.csv")[0], ["time [s]"] + names)
                self.cleave("export", "a.cleave", "b.csv", "--force")
                self.assertEqual((self.folder / "a.csv").read_text(), (self.folder / "b.csv").read_text())
        owner = set(name.split(" ")[0] for name in self.columns("L"))
        self.assertTrue({"L.q", "L.u", "L.udot", "L.effort", "L.force.x", "L.drive_torque.z"} <= owner)
        self.assertFalse([name for name in owner if not name.startswith(("L.", "time"))])

    def test_columns_are_added_to_the_usual_ones(self):
        usual = self.columns("+time")
        self.cleave("run", LOADER, "--time", "0.01", "--every", "0.01", "--out", "b.csv", "--force")
        self.assertEqual(usual, (self.folder / "b.csv").read_text().splitlines()[0].split(","))
        both = self.columns("+integrator.*,C.udot")
        self.assertEqual(set(both) - set(usual), {"integrator.step [s]", "integrator.evaluations [-]", "C.udot [rad/s^2]"})

    def test_forces_of_rigid_contacts_are_in_run_files(self):
        (self.folder / "rest.yaml").write_text("""cleave: 1
gravity: [0, 0, -9.81]
bodies: {brick: {mass: 2, inertia: from shape, shape: {box: [0.2, 0.2, 0.1]}}}
forces: {floor: {kind: contact, between: [ground, brick], point: [0, 0, 0], normal: [0, 0, 1], restitution: 0, dynamic_friction: 0.5}}
start: {bodies: {brick: {position: [0, 0, 0.06]}}}
time: 0.4
""", encoding="utf-8")
        words = ("rest.yaml", "--every", "0.05", "--columns", "contacts.*")
        self.cleave("run", *words, "--out", "a.csv")
        self.cleave("run", *words, "--out", "a.cleave")
        self.cleave("export", "a.cleave", "b.csv")
        self.assertEqual(*((self.folder / name).read_text(encoding="utf-8") for name in ("a.csv", "b.csv")))
        names, rows = self.table("b.csv")
        self.assertAlmostEqual(rows[-1][names.index("contacts.floor.normal_force [N]")], 2 * 9.81, delta=1e-9)

    def test_steps_are_columns(self):
        words = ("run", LOADER, "--time", "1", "--every", "0.01", "--columns", "integrator.*", "--force")
        self.cleave(*words, "--out", "a.csv")
        self.cleave(*words, "--out", "a.cleave")
        self.cleave("export", "a.cleave", "b.csv", "--force")
        text = (self.folder / "a.csv").read_text()
        self.assertEqual(text, (self.folder / "b.csv").read_text())
        rows = [[float(x) for x in line.split(",")] for line in text.splitlines()[1:]]
        self.assertEqual(rows[0][1], 0)
        self.assertTrue(all(step > 0 for _, step, _ in rows[1:]))
        self.assertEqual([r[2] for r in rows], sorted(r[2] for r in rows))
        self.assertLess(sum({r[1] for r in rows}), 1.3)  # of steps to 1 s

    def columns(self, chosen):
        self.cleave("run", LOADER, "--time", "0.01", "--every", "0.01", "--out", "a.csv", "--force", "--columns", chosen)
        return self.table("a.csv")[0]

    def test_every_kind_of_joint_names_its_coordinates(self):
        joint = "cleave: 1\nbodies: {b: {mass: 1, inertia: [1, 1, 1]}}\njoints: {j: {kind: %s, b: {body: b}, a: {body: ground}}}\n"
        for kind, names in (("revolute", "q u"), ("prismatic", "q u"), ("cylindrical", "q.z q.rz u.z u.rz"),
                            ("universal", "q.rx q.ry u.rx u.ry"), ("planar", "q.x q.y q.rz u.x u.y u.rz"),
                            ("spherical", "q.qw q.qx q.qy q.qz u.rx u.ry u.rz"), ("fixed", ""),
                            ("free", "q.x q.y q.z q.qw q.qx q.qy q.qz u.x u.y u.z u.rx u.ry u.rz")):
            with self.subTest(kind=kind):
                self.cleave("run", self.file("j.yaml", joint % kind), "--time", "0.1", "--every", "0.1", "--out", "j.csv", "--force")
                got = [name.split(" ")[0][2:] for name in self.table("j.csv")[0] if name.startswith("j.")]
                self.assertEqual(got, names.split())

    def test_unknown_names_are_refused(self):
        for chosen, says in (("L.efort", "there is no column 'L.efort'; did you mean 'L.effort'?"),
                             ("lift.effort", "did you mean 'L.effort'?"), ("nothing.*", "there is no column 'nothing.*'"),
                             ("L.q,,L.u", "an empty name")):
            done = self.cleave("run", LOADER, "--out", "a.csv", "--columns", chosen, code=1)
            self.assertIn(says, done.stderr)
            self.assertFalse((self.folder / "a.csv").exists())
        self.assertIn("--columns needs --out", self.cleave("run", LOADER, "--columns", "L.q", code=1).stderr)
        self.cleave("run", LOADER, "--time", "0.01", "--every", "0.01", "--out", "a.cleave")
        self.assertIn("did you mean 'L.effort'?", self.cleave("export", "a.cleave", "a.csv", "--columns", "L.efort", code=1).stderr)
        self.assertIn("did you mean 'L.q'?", self.cleave("eval", LOADER, "--columns", "L.qq", code=1).stderr)

    def test_exports_choose_columns(self):
        self.cleave("run", LOADER, "--time", "0.1", "--every", "0.05", "--out", "a.cleave", "--reactions")
        self.cleave("export", "a.cleave", "a.csv"), self.cleave("export", "a.cleave", "b.csv", "--columns", "A.force.y,L.effort")
        names, rows = self.table("a.csv")
        some, part = self.table("b.csv")
        self.assertEqual(some, ["time [s]", "L.effort [N]", "A.force.y [N]"] if "L.effort" in some[1] else
                         ["time [s]", "A.force.y [N]", "L.effort [N]"])
        self.assertEqual(part, [[row[names.index(name)] for name in some] for row in rows])

    def test_a_resumed_run_has_the_chosen_columns(self):
        words = ["run", LOADER, "--every", "0.05", "--checkpoint", "0.1", "--columns", "L.effort,A.force.x"]
        self.cleave(*words, "--time", "0.5", "--out", "short.cleave"), self.cleave(*words, "--time", "1", "--out", "long.cleave")
        first = self.json("resume", "short.cleave", "--time", "1")
        self.cleave("export", "short.cleave", "a.csv"), self.cleave("export", "long.cleave", "b.csv")
        self.assertEqual((self.folder / "a.csv").read_text(), (self.folder / "b.csv").read_text())
        self.assertEqual(first["efforts"]["L.effort"]["lowest_time"], 0)
        self.assertEqual(first["efforts"]["L.effort"]["highest_time"], 1)

    def test_outputs_with_evaluations_do_not_change_the_run(self):
        """A CSV evaluates in the simulation that runs, a run file in another one."""
        for name in ("hdca", "dca", "aldca", "massmatrix", "index3", "connection"):
            with self.subTest(formulation=name):
                words = ["run", "hdca-case1", "--time", "1", "--formulation", name]
                self.cleave(*words, "--every", "0.02", "--reactions", "--out", "a.csv", "--force")
                self.cleave(*words, "--every", "0.5", "--columns", "B1", "--out", "b.cleave", "--force")
                self.cleave("export", "b.cleave", "b.csv", "--force")
                names, rows = self.table("a.csv")
                some, part = self.table("b.csv")
                at = [i for i, column in enumerate(some) if "position" in column or "velocity" in column]
                self.assertGreater(len(at), 5)
                self.assertEqual([part[-1][i] for i in at], [rows[-1][names.index(some[i])] for i in at])

    def test_a_full_disk_is_refused_before(self):
        about = os.statvfs(self.folder)
        free = about.f_bavail * about.f_frsize
        outputs = min(4e9, free / 1000)  # of about 3 kB: three times what is free
        done = self.cleave("run", LOADER, "--every", f"{10 / outputs:.3g}", "--out", "a.csv", code=1)
        self.assertRegex(done.stderr, "GB are free for a.csv|--max-output allow more")
        self.assertFalse((self.folder / "a.csv").exists())

    # ------------------------------------------------------------ eval

    def test_eval_at_a_time(self):
        now = self.json("eval", LOADER, "--time", "1")
        self.assertEqual(now["time"], 1)
        self.assertAlmostEqual(now["joints"]["L"]["effort"][0] / 147627, 1, 4)
        self.assertEqual(sorted(now["markers"]["tip"]), ["acceleration", "position", "velocity"])
        one = self.text("eval", LOADER, "--time", "1", "--columns", "L.effort").splitlines()
        self.assertRegex(one[-1], r"^L.effort +1476\d\d\.\d+ N$")
        text = self.text("eval", LOADER)
        self.assertRegex(text, r"actuators: .*\n.*effort\n +L +0 m .* N\n")
        self.assertRegex(text, r"Fx \[N\] +Fy \[N\] +Fz \[N\] +Mx \[N m\]")
        self.assertRegex(text, r"\n  A +-170171 +\S+ +\(0\) +\(0\) +\(0\) +0 *\n")  # planar: out of plane only
        self.assertNotRegex(text, "e-1[5-9]|e-[23]")

    # ------------------------------------------------------------ summaries

    def test_run_begins_with_physics(self):
        text = self.text("run", LOADER, "--time", "2")
        order = [text.index(word) for word in ("degrees of freedom    2, both driven by motions (Gruebler count -7; 9 redundant",
                                               "actuator effort", "largest joint force", "largest speed", "energy drift",
                                               "constraint violation", "steps")]
        self.assertEqual(order, sorted(order))
        self.assertRegex(text, r"largest joint force   194.9 kN in joint A at 1 s\n")
        for word in ("pivot", "thread", "truncated", "freedoms", "gap"):
            self.assertNotIn(word, text)

    def test_free_systems_report_their_momentum(self):
        text = self.text("run", self.file("f.yaml", FREE), "--time", "1")
        drift, angular = map(float, re.search(r"momentum drift +(\S+) kg m/s, angular (\S+) kg m\^2/s", text).groups())
        self.assertLess(drift, 1e-6)
        self.assertLess(angular, 1e-6)
        self.assertLess(self.json("run", "f.yaml", "--time", "1")["momentum_drift"], 1e-6)
        self.assertNotIn("momentum drift", self.text("run", "pendulum", "--time", "1"))

    def test_a_run_without_a_step_says_so(self):
        done = self.cleave("run", "hdca-case1", "--integrator", "gauss4", "--step", "5", "--time", "10", code=3)
        self.assertIn("steps                 none: there is no result beyond the start", done.stdout)
        self.assertIn("FAILED", done.stdout)
        self.assertNotIn("energy drift", done.stdout)

    def test_check_keeps_the_plan_for_verbose(self):
        self.assertNotIn("plan", self.text("check", LOADER))
        self.assertIn("plan  ", self.text("check", LOADER, "--verbose"))
        self.assertIn("the force along z and the moments about x and y: joints A, L0, L,", self.text("check", LOADER))

    def test_repeated_motions_are_not_counted_as_degrees_of_freedom(self):
        text = self.text("check", self.file("t.yaml", TWICE))
        self.assertIn("0 free beside 2 motions, some of which repeat others", text)

    def test_the_effort_of_a_motion_is_unique_about_any_axis(self):
        for formulation in "hdca", "dca", "massmatrix":
            for joint in "abcd":
                name = self.file("t.yaml", TILTED.format(f"first: {{joint: {joint}, rate: 1}}"))
                text = self.text("check", name, "--formulation", formulation)
                self.assertIn("1, driven by motion 'first' (Gruebler count -2; 3 redundant constraints)", text)
                self.assertIn("moments about x, y and z", text)
                self.assertNotIn("the effort", text)
        name = self.file("t.yaml", TILTED.format("first: {joint: a, rate: 1}, second: {joint: d, rate: 1}"))
        self.assertIn("0 free beside 2 motions, some of which repeat others", self.text("check", name))
        for joint, result in self.json("eval", name)["joints"].items():
            self.assertEqual(result["effort_unique"], joint in "bc")

    def test_verify_begins_with_the_verdict(self):
        self.assertTrue(self.text("verify", "pendulum", "--time", "0.2").startswith("They agree, 6 of 6 formulations: "))

    # ------------------------------------------------------------ colour

    def test_a_terminal_shows_how_the_drift_grew(self):
        line = next(x for x in self.on_a_terminal("run", "double-pendulum").splitlines() if x.startswith("drift over time"))
        blocks = re.search("[\u2581-\u2588]+", line)[0]
        self.assertEqual((len(blocks), blocks[-1]), (40, "\u2588"))
        self.assertEqual(list(blocks), sorted(blocks))
        self.assertGreater(len(set(blocks)), 3)
        drift = self.json("run", "double-pendulum")["max_energy_drift"]
        self.assertIn(f"{drift:.2g} J, largest so far", line)
        self.assertNotIn("drift over time", self.text("run", "double-pendulum"))
        self.assertNotIn("drift over time", self.on_a_terminal("run", "double-pendulum", "--time", "0"))

    def on_a_terminal(self, *words, **environment):
        master, slave = pty.openpty()
        process = subprocess.Popen([PROGRAM, *map(str, words)], cwd=self.folder, stdout=slave, stderr=subprocess.DEVNULL,
                                   env={**{k: v for k, v in os.environ.items() if k != "NO_COLOR"}, "TERM": "xterm", **environment})
        os.close(slave)
        text = b""
        while True:
            try:
                part = os.read(master, 65536)
            except OSError:
                break
            if not part:
                break
            text += part
        os.close(master)
        self.assertEqual(process.wait(), 0)
        return text.decode()

    def test_colour_on_a_terminal_only(self):
        words = ("eval", "hdca-case1")
        self.assertIn("\x1b[1m", self.on_a_terminal(*words))
        self.assertNotIn("\x1b", self.on_a_terminal(*words, NO_COLOR="1"))
        self.assertNotIn("\x1b", self.on_a_terminal(*words, TERM="dumb"))
        self.assertNotIn("\x1b", self.text(*words))


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
