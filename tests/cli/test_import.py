#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Robots (URDF, MJCF, SDF) by the program: `cleave import`, and every command that takes a model.

Use: test_import.py PROGRAM [unittest options]"""
import json
import resource
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM = "cleave"
ROBOTS = Path(__file__).resolve().parents[1] / "models/robots"
ARM = ROBOTS / "arm.urdf"


def cleave(*words, folder=None):
    return subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, timeout=300, cwd=folder)


def has_expat():
    return json.loads(cleave("doctor", "--json").stdout)["parts"]["expat"] != "none"


class Import(unittest.TestCase):
    def setUp(self):
        if not has_expat():
            self.skipTest("built without expat")
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)

    def good(self, *words):
        done = cleave(*words, folder=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
        return done

    def refused(self, code, text, *words):
        done = cleave(*words, folder=self.folder)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertIn(text, done.stderr)

    def udot(self, model):
        return {name: x["udot"] for name, x in json.loads(self.good("eval", model, "--json").stdout)["joints"].items()}

    def test_a_model_file_is_written(self):
        done = self.good("import", ARM, "arm.yaml")
        self.assertIn("arm.yaml is written: 4 bodies, 4 joints; 7 items not carried over, 3 of them can change", done.stdout)
        self.assertIn(f"{ARM}:46:5: not carried over: position limits of joint 'shoulder': -1 to 1 (can change the motion)\n",
                      done.stderr)
        self.assertEqual(done.stderr.count(": not carried over: "), 7)
        text = (self.folder / "arm.yaml").read_text()
        self.assertIn("# Not carried over (line 47): dry friction of joint 'shoulder': 0.1\n", text)
        self.assertIn("  shoulder: {joint: shoulder, limit: [-10, 10]}\n", text)
        self.assertEqual(self.udot("arm.yaml"), self.udot(ARM))
        self.assertEqual(self.good("import", ARM).stdout, text)

    def test_numbers_have_no_rounding(self):
        """Turns by pi/2 that cancel, lumped links, a centre of mass at 0.1 + 0.2: written as a person would."""
        quarter = "1.5707963267948966"
        (self.folder / "x.urdf").write_text(f"""<robot name="x"><link name="w"/>
  <link name="a"><inertial><origin xyz="0 0 0.1"/><mass value="2"/>
    <inertia ixx="0.1" iyy="0.1" izz="0.2" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="b"><inertial><origin xyz="0.2 0 0.1"/><mass value="2"/>
    <inertia ixx="0.1" iyy="0.3" izz="0.3" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="c"><inertial><origin xyz="0 0.7 0"/><mass value="1"/>
    <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="j" type="continuous"><parent link="w"/><child link="a"/><axis xyz="1 0 0"/></joint>
  <joint name="f" type="fixed"><parent link="a"/><child link="b"/><origin xyz="0 0.1 0.2" rpy="0 0 {quarter}"/></joint>
  <joint name="k" type="continuous"><parent link="b"/><child link="c"/><origin xyz="0.3 0 0.1" rpy="{quarter} 0 -{quarter}"/>
    <axis xyz="0 1 0"/></joint></robot>""")
        text = self.good("import", "x.urdf").stdout
        for line in ("  a: {mass: 4, com: [0, 0.15, 0.2], inertia: [0.53, 0.24, 0.59, 0, 0, -0.06]}\n",
                     "  c: {mass: 1, com: [0, 0.7, 0], inertia: [0.1, 0.1, 0.1]}\n",
                     "k: {kind: revolute, a: {body: a, position: [0, 0.4, 0.3]}, b: {body: c, "
                     "orientation: {axis: [1, 0, 0], angle: -90 deg}}}\n"):
            self.assertIn(line, text)
        self.assertNotRegex(text, r"e-\d\d|0000|9999")
        (self.folder / "x.yaml").write_text(text)
        self.assertEqual(self.udot("x.yaml"), self.udot("x.urdf"))

    def test_files_are_kept(self):
        (self.folder / "arm.yaml").write_text("mine")
        self.refused(1, "exists", "import", ARM, "arm.yaml")
        self.good("import", ARM, "arm.yaml", "--force")
        copy = self.folder / "copy.urdf"
        copy.write_bytes(ARM.read_bytes())
        self.refused(1, "copy.urdf", "import", "copy.urdf", "copy.urdf", "--force")
        for name in ("five_bar.urdf", "five_bar.yaml"):
            (self.folder / name).write_bytes((ROBOTS / name).read_bytes())
        self.refused(1, "five_bar.yaml", "import", "five_bar.urdf", "five_bar.yaml", "--force")  # its loops stand there

    def test_strict(self):
        self.refused(2, "--strict: 3 items can change the motion", "import", ARM, "arm.yaml", "--strict")
        self.assertFalse((self.folder / "arm.yaml").exists())
        self.good("import", ROBOTS / "five_bar.urdf", "--strict")

    def test_options_that_carry_more_are_named(self):
        self.assertIn("--stops K makes soft stops of the limits of joints, --stops rigid rigid ones, "
                      "--friction keeps their dry friction\n",
                      self.good("import", ARM, "arm.yaml").stderr)
        self.assertNotIn("cleave import: --", self.good("import", ARM, "b.yaml", "--stops", 5, "--friction").stderr)

    def test_limits_and_friction_when_wanted(self):
        done = self.good("import", ARM, "arm.yaml", "--stops", 50, "--friction")
        self.assertIn("1 of them can change the motion", done.stdout)
        for text in "position limits", "dry friction":
            self.assertNotIn(text, done.stderr)
        text = (self.folder / "arm.yaml").read_text()
        for key in "damping: 0.3", "lower: -1, upper: 1, stop_stiffness: 50", "friction: 0.1":
            self.assertIn(key, text)
        self.good("import", ROBOTS / "creature.xml", "creature.yaml", "--stops", 50)
        self.assertIn("stop_stiffness: 50", (self.folder / "creature.yaml").read_text())
        self.good("import", ARM, "arm.yaml", "--stops", 5000, "--force")
        self.good("run", "arm.yaml", "--time", 2, "--out", "a.csv", "--columns", "shoulder.q")
        angles = [float(line.split(",")[1]) for line in (self.folder / "a.csv").read_text().splitlines()[1:]]
        self.assertLess(max(map(abs, angles)), 1.2)  # held by the stops
        self.refused(1, "--stops", "import", ARM, "b.yaml", "--stops", -1)

    def test_limits_are_rigid_where_contacts_are(self):
        """Of an MJCF whose geoms touch, unless the options say otherwise; a leg falls onto its limit and the floor."""
        (self.folder / "leg.xml").write_text("""<mujoco><worldbody><geom type="plane" size="1 1 1"/>
            <body pos="0 0 1"><joint name="hip" axis="0 1 0" range="-40 40"/>
            <geom type="capsule" fromto="0 0 0 0.5 0 0" size="0.05"/></body></worldbody></mujoco>""")
        for words, text in (((), "lower: -0.6981317007977318, upper: 0.6981317007977318, stop_restitution: 0"),
                            (("--stops", 50), "stop_stiffness: 50"),
                            (("--contacts", "1e6", "--stops", "rigid"), "stop_restitution: 0"),
                            (("--stops", "none"), None), (("--contacts", "none"), None), (("--contacts", "1e6"), None)):
            done = self.good("import", "leg.xml", "leg.yaml", *words, "--force")
            made = (self.folder / "leg.yaml").read_text()
            self.assertEqual("position limits of joint 'hip'" in done.stderr, text is None, words)
            self.assertIn(text or "hip:", made)
            self.assertEqual("stop_" in made, text is not None, words)
        self.good("run", "leg.xml", "--time", 1, "--out", "a.csv", "--columns", "hip.q")
        angles = [float(line.split(",")[1]) for line in (self.folder / "a.csv").read_text().splitlines()[1:]]
        self.assertGreater(max(angles), 0.698)
        self.assertLess(max(angles), 0.71)
        self.assertLess(abs(angles[-1] - 0.698), 0.01)

    def test_a_start_beyond_rigid_limits_moves_to_them(self):
        (self.folder / "knee.xml").write_text("""<mujoco><worldbody><geom type="plane" size="1 1 1"/>
            <body pos="0 0 1"><joint name="knee" axis="0 1 0" range="-160 -30"/>
            <geom type="capsule" fromto="0 0 0 0.5 0 0" size="0.05"/></body></worldbody></mujoco>""")
        done = self.good("import", "knee.xml", "knee.yaml")
        self.assertIn("start of joint 'knee' at 0, beyond its limits: it starts at -0.523599", done.stderr)
        self.good("run", "knee.yaml", "--time", 0.1, "--out", "a.csv", "--columns", "knee.q")
        for line in (self.folder / "a.csv").read_text().splitlines()[1:]:
            self.assertAlmostEqual(float(line.split(",")[1]), -0.5235987755982988, 9)  # its weight presses
        self.assertNotIn("it starts at", self.good("import", "knee.xml", "k.yaml", "--stops", 50).stderr)

    def test_rigid_limits(self):
        self.good("import", ARM, "arm.yaml", "--stops", "rigid")
        self.assertIn("lower: -1, upper: 1, stop_restitution: 0", (self.folder / "arm.yaml").read_text())
        self.good("run", "arm.yaml", "--time", 2, "--out", "a.csv", "--columns", "shoulder.q")
        angles = [float(line.split(",")[1]) for line in (self.folder / "a.csv").read_text().splitlines()[1:]]
        self.assertGreater(max(map(abs, angles)), 0.99)
        self.assertLess(max(map(abs, angles)), 1.02)
        self.refused(1, "--stops hard", "import", ARM, "b.yaml", "--stops", "hard")

    def test_a_root_may_float(self):
        text = self.good("import", ROBOTS / "five_bar.urdf", "--floating").stdout
        self.assertIn("base.free: {kind: free", text)

    def test_meshes_of_packages_are_found(self):
        robot, out = self.folder / "robots/arm/urdf", self.folder / "out"
        for folder in robot, out, self.folder / "robots/arm/meshes":
            folder.mkdir(parents=True)
        mesh = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
        (self.folder / "robots/arm/meshes/a.obj").write_text(mesh)
        (robot / "r.urdf").write_text("""<robot name="r"><link name="base">
            <visual><geometry><box size="1 1 1"/></geometry></visual></link>
            <link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>
              <visual><origin xyz="0 0 1"/><geometry><mesh filename="package://arm/meshes/a.obj" scale="2 2 2"/></geometry></visual>
              <visual><geometry><mesh filename="../meshes/a.obj"/></geometry></visual>
              <visual><geometry><mesh filename="package://other/a.obj"/></geometry></visual>
              <visual><geometry><mesh filename="r.dae"/></geometry></visual>
              <collision><geometry><sphere radius="0.1"/></geometry></collision></link>
            <joint name="j" type="continuous"><parent link="base"/><child link="a"/></joint></robot>""")
        (robot / "r.dae").write_text("x")
        done = self.good("import", "robots/arm/urdf/r.urdf", "out/r.yaml")
        self.assertIn("mesh 'package://other/a.obj' (visual of link 'a'): the file does not exist", done.stderr)
        self.assertIn("mesh 'r.dae' (visual of link 'a'): COLLADA: it is not well-formed XML", done.stderr)
        text = (out / "r.yaml").read_text()
        for line in ("base: {body: ground, box: [1, 1, 1]}", 'a: {body: a, mesh: "../robots/arm/meshes/a.obj", scale: 2, at: [0, 0, 1]}',
                     'a.2: {body: a, mesh: "../robots/arm/meshes/a.obj"}', "shape: {sphere: 0.1}"):
            self.assertIn(line, text)
        self.good("run", "out/r.yaml", "--time", 0.1, "--out", "r.cleave")
        (self.folder / "robots/arm/meshes/a.obj").unlink()
        self.refused(2, "out/r.yaml:18:3: visuals.a.mesh: visual 'a': out/../robots/arm/meshes/a.obj cannot be opened", "check", "out/r.yaml")
        self.good("resume", "r.cleave", "--time", 0.2)  # it has its meshes

    def test_wrong_use(self):
        self.refused(1, "is a model already", "import", ROBOTS / "arm.yaml")
        self.refused(2, "there is no readable file none.urdf", "import", "none.urdf")
        self.refused(1, "has no parameters", "run", ARM, "mass=2")
        self.refused(2, "`--floor 0` without contacts has no effect", "import", ARM, "--floor", "0")
        self.refused(2, "contacts of SDF are not read", "import", ROBOTS / "rig.sdf", "--contacts", "rigid", "--floor", "0")
        self.good("import", ROBOTS / "rig.sdf", "--contacts", "none")
        (self.folder / "x.urdf").write_text("<robot>\n  <link name='a'/>\n  <link name='a'/></robot>")
        self.refused(2, "x.urdf:3:3: the name 'a' is given to two links", "import", "x.urdf")

    def test_every_command_takes_a_robot(self):
        lost = "not carried over: 3 items that can change the motion, 4 that cannot (`cleave import"
        for words in (("check",), ("eval",), ("run", "--time", 0.1), ("verify", "--time", 0.01), ("plot", "--out", "arm.svg")):
            self.assertIn(lost, self.good(words[0], ARM, *words[1:]).stderr, words[0])

    def test_mjcf_is_taken_like_urdf(self):
        done = self.good("import", ROBOTS / "creature.xml", "creature.yaml")
        self.assertIn("creature.yaml is written: 5 bodies, 5 joints; 11 items not carried over, 3 of them can change", done.stdout)
        self.assertEqual(self.udot("creature.yaml"), self.udot(ROBOTS / "creature.xml"))
        self.refused(2, "--strict: 3 items can change the motion", "import", ROBOTS / "creature.xml", "--strict")
        self.refused(2, "is for URDF, not for MJCF", "import", ROBOTS / "creature.xml", "--floating")
        for words in (("check",), ("run", "--time", 0.1), ("verify", "--time", 0.01), ("plot", "--out", "linkage.svg")):
            self.good(words[0], ROBOTS / "linkage.xml", *words[1:])
        (self.folder / "x.xml").write_text("<mujoco>\n  <worldbody>\n    <body quat='0 0 0 0'/></worldbody></mujoco>")
        self.refused(2, "x.xml:3:5: quat has no direction", "run", "x.xml")

    def test_every_command_takes_mjcf(self):
        done = self.good("import", ROBOTS / "creature.xml", "c.yaml")
        lost = [line for line in done.stderr.splitlines() if "not carried over: " in line]
        self.assertEqual(len(lost), 11)
        for line in lost:
            self.assertRegex(line, r"\.xml:\d+:\d+: not carried over: ")
        count = "not carried over: 3 items that can change the motion, 8 that cannot (`cleave import"
        for words in (("check",), ("eval",), ("run", "--time", 0.1), ("plot", "--out", "c.svg")):
            self.assertIn(count, self.good(words[0], ROBOTS / "creature.xml", *words[1:]).stderr, words[0])

    def test_reports_of_robots(self):
        if cleave("report", "pendulum", "--time", 0.1, "--out", self.folder / "p.html").returncode:
            self.skipTest("built without the viewer")
        for robot in (ARM, ROBOTS / "linkage.xml"):
            self.good("report", robot, "--time", 0.1, "--out", "r.html", "--force")
            self.assertIn("<html", (self.folder / "r.html").read_text()[:2000])

    def test_bad_meshes_are_refused(self):
        """With the line of the mesh and the reason: no file, cut off, 2^31 triangles, not a number, text, no volume."""
        (self.folder / "x.xml").write_text('<mujoco><asset>\n<mesh name="m" file="m.stl"/></asset>\n'
                                           '<worldbody><body><joint/><geom type="mesh" mesh="m"/></body></worldbody></mujoco>')
        self.refused(2, "x.xml:2:1: ", "run", "x.xml")
        triangle = struct.pack("<12fH", 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0)
        nan = struct.pack("<12fH", 0, 0, 0, float("nan"), 0, 0, 0, 1, 0, 0, 0, 1, 0)
        for data, reason in ((b"", "not an STL file"), (bytes(80) + b"\0\0\0\x80" + triangle, "not an STL file"),
                             (bytes(80) + struct.pack("<I", 9) + triangle, "not an STL file"),
                             (bytes(80) + struct.pack("<I", 1) + nan, "a coordinate is not a number"),
                             (bytes(80) + struct.pack("<I", 0), "it has no faces"),
                             (b"solid m\n facet normal 0 0 1\n" * 9, "it has no faces"),
                             (bytes(80) + struct.pack("<I", 1) + struct.pack("<12fH", *[0] * 12, 0), "no volume")):
            (self.folder / "m.stl").write_bytes(data)
            self.refused(2, "x.xml:2:1: ", "run", "x.xml")
            self.refused(2, reason, "run", "x.xml")

    def test_a_run_file_holds_the_model(self):
        robot = self.folder / "arm.urdf"
        robot.write_bytes(ARM.read_bytes())
        self.good("run", "arm.urdf", "--time", 0.2, "--out", "a.cleave", "--formulation", "hdca")
        robot.unlink()
        self.good("resume", "a.cleave", "--time", 0.4)
        self.good("run", ARM, "--time", 0.4, "--out", "b.cleave")
        for name in "ab":
            self.good("export", f"{name}.cleave", f"{name}.csv")
        last = [(self.folder / f"{name}.csv").read_text().splitlines()[-1] for name in "ab"]
        self.assertEqual(last[0].split(",")[0], last[1].split(",")[0])

    def test_sdf_runs_and_is_written(self):
        rig = ROBOTS / "rig.sdf"
        self.good("import", rig, "rig.yaml")
        runs = [json.loads(self.good("run", name, "--time", "0.2", "--json").stdout)["final"] for name in (rig, "rig.yaml")]
        self.assertEqual(*runs)
        self.refused(2, "is for URDF, not for SDF", "import", rig, "--floating")

    def test_long_files_take_their_share_of_time(self):
        """Four times the links take four times as long: materials, shapes that touch, meshes, many shapes of a body."""
        mass = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
        box, seen = '<box size="1 1 1"/>', '<geom type="box" size="1 1 1" mass="1"'

        def materials(n):
            links = "".join(f'<link name="l{i}">{mass}<visual><geometry>{box}</geometry><material name="m{i}"/></visual></link>'
                            for i in range(n))
            joints = "".join(f'<joint name="j{i}" type="continuous"><parent link="l{i - 1}"/><child link="l{i}"/></joint>'
                             for i in range(1, n))
            colours = "".join(f'<material name="m{i}"><color rgba="1 0 0 1"/></material>' for i in range(n))
            return f'<robot name="r">{colours}{links}{joints}</robot>'

        def shapes(n):
            bodies = "".join(f'<body pos="{i} 0 0"><joint type="hinge"/>{seen} material="m{i}"/></body>' for i in range(n))
            return ("<mujoco><asset>" + "".join(f'<material name="m{i}" rgba="1 0 0 1"/>' for i in range(n)) +
                    f"</asset><worldbody>{bodies}</worldbody></mujoco>")

        def one_body(n):
            return ('<mujoco><worldbody><body><joint type="hinge"/>' +
                    "".join(f'{seen} pos="{i} 0 0"/>' for i in range(n)) + "</body></worldbody></mujoco>")

        def seconds(name, text):
            (self.folder / name).write_text(text)
            before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
            self.good("import", name, "out.yaml", "--force")
            return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before

        for name, make in (("a.urdf", materials), ("a.xml", shapes), ("b.xml", one_body)):
            few, many = make(4000), make(16000)
            shares = [seconds(name, many) / max(seconds(name, few), 0.01) for _ in range(2)]
            self.assertLess(min(shares), 8, name)

    def test_what_is_no_xml_is_named(self):
        robot = "a URDF is XML and begins with <robot>"
        for name, text, place, *says in (
                ("a.urdf", b"", "1:1", "the file is empty", robot),
                ("a.sdf", b"\n \n", "3:1", "the file is empty", "an SDF is XML and begins with <sdf>"),
                ("a.mjcf", b"\x7fELF\x02\x01\x00", "1:1", "this is a binary file", "begins with <mujoco>"),
                ("a.urdf", b"  {\"a\": 1}", "1:3", "this is JSON or YAML, not XML", robot),
                ("a.xml", b"a: 1\nb: 2\n", "1:1", "this is text, not XML", "an MJCF with <mujoco>"),
                ("A.URDF", b"404: Not Found", "1:1", "this is text, not XML", "is the download complete"),
                ("a.urdf", b"\xff\xfe<\x00", "1:1", "UTF-16", "save the file as UTF-8"),
                ("a.world", b"version https://git-lfs.github.com/spec/v1\n", "1:1", "pointer of Git LFS", "git lfs pull"),
                ("a.urdf", b"\n<!DOCTYPE html><html><br></html>", "2:1", "a page of the web (HTML)", "download"),
                ("a.xml", b"<HTML><br></HTML>", "1:1", "a page of the web (HTML)", "MJCF with <mujoco>")):
            (self.folder / name).write_bytes(text)
            for command in ("check", "import"):
                done = cleave(command, name, folder=self.folder)
                self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
                self.assertTrue(done.stderr.startswith(f"{name}:{place}: "), done.stderr)
                for words in says:
                    self.assertIn(words, done.stderr)
                self.assertNotIn("bodies: {crank", done.stderr)

    def test_entities_do_not_grow(self):
        text = "<!DOCTYPE r [<!ENTITY a0 'ha'>" + "".join(
            f"<!ENTITY a{i} '{f'&a{i - 1};' * 10}'>" for i in range(1, 12)) + "]>\n<robot name='&a11;'/>"
        (self.folder / "x.urdf").write_text(text)
        self.refused(2, "XML entities", "run", "x.urdf")


class Refuse(unittest.TestCase):
    def test_without_expat(self):
        if has_expat():
            self.skipTest("built with expat")
        done = cleave("run", ARM)
        self.assertEqual(done.returncode, 2)
        self.assertIn("built without expat", done.stderr)
        self.assertIn("libexpat1-dev", done.stderr)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
