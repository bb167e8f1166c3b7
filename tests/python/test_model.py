# SPDX-License-Identifier: Apache-2.0
"""Models: read, built in code, refused."""
import copy
import os
import pathlib
import pickle
import re
import shutil
import subprocess
import sys

import numpy as np
import pytest

import cleave
from conftest import ARM, ROOT, needs_expat


def built_arm() -> cleave.Model:
    m = cleave.Model("arm", gravity=(0, -9.81, 0))
    m.body("upper", mass=1, com=(0.5, 0, 0), inertia=(0.001, 0.0833, 0.0833), position=(0, 0, 0))
    m.body("lower", mass=0.5, com=(0.25, 0, 0), inertia=(0.001, 0.01, 0.01, 0, 0, 0), position=(1, 0, 0))
    m.joint("shoulder", "revolute", "ground", "upper", at=(0, 0, 0), axis=(0, 0, 1))
    m.joint("elbow", "revolute", "upper", "lower", at=(1, 0, 0), axis=(0, 0, 1))
    m.input("motor", joint="shoulder", limit=20)
    m.marker("tip", "lower", (0.5, 0, 0))
    return m


def test_model_in_code_has_the_bits_of_the_file(arm):
    built = cleave.run(built_arm(), time=2, every=0.1)
    assert np.array_equal(built.frames, cleave.run(arm, time=2, every=0.1).frames)


@needs_expat
def test_robot_with_options(tmp_path):
    path = tmp_path / "box.urdf"
    path.write_text('''<robot name="box"><link name="a"><inertial><mass value="2"/>
        <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>
        <collision><geometry><box size="1 1 1"/></geometry></collision></link></robot>''')
    with pytest.raises(cleave.ModelError, match="no body that moves"):
        cleave.load_robot(path)
    free = cleave.load_robot(path, floating=True)
    assert len(cleave.Sim(free).u[free.joints[0]]) == 6
    resting = cleave.load_robot(path, floating=True, contacts="rigid", floor=-1.0)
    s = cleave.Sim(resting)
    s.advance(2)
    assert abs(s.body("a").position[2] + 0.5) < 1e-3
    soft = cleave.Sim(cleave.load_robot(path, floating=True, contacts=1e6, floor=-1))
    soft.advance(2)
    assert -0.51 < soft.body("a").position[2] < -0.5
    for wrong in ({"contacts": "soft"}, {"stops": "-1"}, {"floor": float("nan")}):
        with pytest.raises(cleave.UsageError, match="give"):
            cleave.load_robot(path, floating=True, **wrong)
    with pytest.raises(cleave.UsageError, match="model already"):
        (tmp_path / "arm.yaml").write_text(ARM)
        cleave.load_robot(tmp_path / "arm.yaml")
    with pytest.raises(cleave.FileError):
        cleave.load_robot(tmp_path / "none.urdf")


def test_stops_and_friction_have_the_bits_of_the_file():
    text = '''cleave: 1
bodies: {leg: {mass: 1, com: [0.5, 0, 0], inertia: [0.01, 0.1, 0.1]}}
joints: {hip: {kind: revolute, between: [ground, leg], at: [0, 0, 0], axis: [0, 1, 0]}}
forces:
  cap: {kind: joint-load, joint: hip, lower: -0.1, upper: 0.5, stop_stiffness: 300, stop_dissipation: 0.3,
        stop_exponent: 1.5, friction: 0.2, breakaway: 0.3, stribeck_speed: 0.2, stiction_speed: 0.02}
'''
    m = cleave.Model("leg")
    m.body("leg", mass=1, com=(0.5, 0, 0), inertia=(0.01, 0.1, 0.1))
    m.joint("hip", "revolute", "ground", "leg", at=(0, 0, 0), axis=(0, 1, 0))
    m.joint_load("cap", "hip", lower=-0.1, upper=0.5, stop_stiffness=300, stop_dissipation=0.3, stop_exponent=1.5,
                 friction=0.2, breakaway=0.3, stribeck_speed=0.2, stiction_speed=0.02)
    run = cleave.run(m, time=1, every=0.1)
    assert np.array_equal(run.frames, cleave.run(cleave.loads(text), time=1, every=0.1).frames)
    assert run["hip.q"].max() < 0.7  # free of stops it would fall by more than a radian


def test_inertia_is_a_row_or_a_matrix():
    moments, products = np.array([2.0, 3.0, 4.0]), np.array([0.1, 0.2, 0.3])
    matrix = np.array([[2, 0.1, 0.2], [0.1, 3, 0.3], [0.2, 0.3, 4]])
    texts = []
    for inertia in ([*moments, *products], matrix, np.asfortranarray(matrix), np.pad(matrix, 1)[1:-1, 1:-1]):
        m = cleave.Model("m")
        m.body("a", mass=np.float32(1), inertia=inertia)
        texts.append(m.text())
    assert "[2, 3, 4, 0.1, 0.2, 0.3]" in texts[0] and len(set(texts)) == 1
    for wrong, message in [((1, 1), "its shape is (2,)"), (np.ones((2, 3)), "its shape is (2, 3)"), (1, "its shape is ()"),
                           (np.arange(9.0).reshape(3, 3), "symmetric")]:
        with pytest.raises(ValueError, match=re.escape(message)):
            cleave.Model("m").body("a", mass=1, inertia=wrong)


def test_a_rotor_has_the_bits_of_the_file():
    text = """
cleave: 1
name: arm
bodies: {arm: {mass: 1, com: [0.5, 0, 0], inertia: [0.2, 0.2, 0.2]}}
joints: {j: {kind: universal, between: [ground, arm], at: [0, 0, 0], axis: [0, 0, 1], armature: [0.3, 0.1]}}
"""
    m = cleave.Model("arm")
    m.body("arm", mass=1, com=(0.5, 0, 0), inertia=(0.2, 0.2, 0.2))
    m.joint("j", "universal", "ground", "arm", at=(0, 0, 0), axis=(0, 0, 1), armature=(0.3, 0.1))
    run = cleave.run(m, time=1, every=0.1)
    assert np.array_equal(run.frames, cleave.run(cleave.loads(text), time=1, every=0.1).frames)


def test_tendons_and_drags_have_the_bits_of_the_file():
    text = '''cleave: 1
bodies: {arm: {mass: 1, com: [0.5, 0, 0], inertia: [0.01, 0.1, 0.1]}}
joints: {hip: {kind: revolute, between: [ground, arm], at: [0, 0, 0], axis: [0, 1, 0]}}
forces:
  rope: {kind: tendon, path: [[ground, [0, 0, 1]], [arm, [0.5, 0, 0]]], stiffness: 30, damping: 0.1, length: 0.4,
         upper: 1.2, stop_stiffness: 500}
  sum: {kind: tendon, of: {hip: 2}, drive: -0.3}
  air: {kind: drag, body: arm, point: [0.5, 0, 0], frame: body, linear: [0.1, 0.2, 0.3], quadratic: 0.5, fluid: [1, 0, 0]}
inputs:
  winch: {tendon: rope, value: -2}
  wind: {drag: air, fluid: [0, 0, 1], value: 3}
'''
    m = cleave.Model("arm")
    m.body("arm", mass=1, com=(0.5, 0, 0), inertia=(0.01, 0.1, 0.1))
    m.joint("hip", "revolute", "ground", "arm", at=(0, 0, 0), axis=(0, 1, 0))
    m.tendon("rope", path=[("ground", (0, 0, 1)), ("arm", (0.5, 0, 0))], stiffness=30, damping=0.1, length=0.4,
             upper=1.2, stop_stiffness=500)
    m.tendon("sum", of={"hip": 2}, drive=-0.3)
    m.drag("air", "arm", point=(0.5, 0, 0), frame="body", linear=(0.1, 0.2, 0.3), quadratic=0.5, fluid=(1, 0, 0))
    m.input("winch", tendon="rope", value=-2)
    m.input("wind", drag="air", vector=(0, 0, 1), value=3)
    run = cleave.run(m, time=1, every=0.1)
    assert np.array_equal(run.frames, cleave.run(cleave.loads(text), time=1, every=0.1).frames)


def test_a_bushing_has_the_bits_of_the_file():
    text = '''cleave: 1
bodies: {cab: {mass: 1, com: [0.5, 0, 0], inertia: [0.01, 0.1, 0.1]}}
joints: {free: {kind: free, a: {body: ground}, b: {body: cab}}}
forces:
  mount: {kind: bushing, between: [ground, cab], points: [[0, 0, 0], [0.1, 0, 0]], orientation_a: [0.6, 0, 0, 0.8],
          stiffness: [300, 400, 500], rotational_stiffness: 20, damping: 3, rotational_damping: [1, 2, 3],
          preload: [0, 0, 9]}
'''
    m = cleave.Model("cab")
    m.body("cab", mass=1, com=(0.5, 0, 0), inertia=(0.01, 0.1, 0.1))
    m.joint("free", "free", "ground", "cab")
    m.bushing("mount", "ground", "cab", point_b=(0.1, 0, 0), orientation_a=(0.6, 0, 0, 0.8),
              stiffness=(300, 400, 500, 20, 20, 20), damping=(3, 3, 3, 1, 2, 3), preload=(0, 0, 9, 0, 0, 0))
    run = cleave.run(m, time=1, every=0.1)
    assert np.array_equal(run.frames, cleave.run(cleave.loads(text), time=1, every=0.1).frames)


def test_a_rope_has_the_bits_of_the_file():
    text = '''cleave: 1
bodies: {load: {mass: 2, inertia: [0.1, 0.1, 0.1]}}
forces: {rope: {kind: spring-damper, between: [ground, load], upper: 1, lower: 0.05, stop_stiffness: 800,
                stop_dissipation: 0.2, stop_exponent: 1.5}}
start: {bodies: {load: {position: [0, 0, -0.1]}}}
'''
    m = cleave.Model("load")
    m.body("load", mass=2, inertia=(0.1, 0.1, 0.1), position=(0, 0, -0.1))
    m.spring("rope", "ground", "load", upper=1, lower=0.05, stop_stiffness=800, stop_dissipation=0.2,
             stop_exponent=1.5)
    run = cleave.run(m, time=1, every=0.1)
    assert np.array_equal(run.frames, cleave.run(cleave.loads(text), time=1, every=0.1).frames)


def test_contacts_of_many_have_the_bits_of_the_file():
    text = '''cleave: 1
bodies:
  a: {mass: 2, inertia: from shape, shape: {sphere: 0.1}}
  b: {mass: 1, inertia: from shape, shape: {box: [0.2, 0.2, 0.2]}}
  c: {mass: 1, inertia: from shape, shape: {sphere: 0.2}}
start: {bodies: {a: {position: [0, 0, 0.4]}, b: {position: [0, 0, 0.09]}, c: {position: [0.05, 0, 0.8]}}}
forces:
  all: {kind: contacts, among: [a, c], with: [b, c], except: [[a, c]], normal: [0, 0, 1], stiffness: 1e4, most: 90}
'''
    m = cleave.Model("many")
    for name, mass, shape, x, z in (("a", 2, {"sphere": 0.1}, 0, 0.4), ("b", 1, {"box": (0.2, 0.2, 0.2)}, 0, 0.09),
                                    ("c", 1, {"sphere": 0.2}, 0.05, 0.8)):
        inertia = mass * 0.2 ** 2 / 6 if name == "b" else 0.4 * mass * shape["sphere"] ** 2
        m.body(name, mass=mass, inertia=(inertia,) * 3, shape=shape, position=(x, 0, z))
    m.contacts("all", ["a", "c"], ["b", "c"], without=[("a", "c")], normal=(0, 0, 1), stiffness=1e4, most=90)
    with pytest.raises(cleave.UsageError):
        m.contacts("more", ["nobody"], stiffness=1)
    sims = [cleave.Sim(m), cleave.Sim(cleave.loads(text))]
    for s in sims:
        s.advance(0.3)
    assert np.allclose(sims[0].position, sims[1].position, atol=1e-9)
    pairs = sims[0].contacts()
    assert pairs and all(p.contact == "all" and p.points > 0 and p.normal_force >= 0 for p in pairs)
    assert [p[:4] for p in pairs] == [p[:4] for p in sims[1].contacts()]


def test_a_contact_has_the_bits_of_the_file():
    text = '''cleave: 1
bodies: {ball: {mass: 1, inertia: [0.004, 0.004, 0.004], shape: {sphere: 0.1}}}
joints: {free: {kind: free, a: {body: ground}, b: {body: ball}}}
forces:
  floor: {kind: contact, between: [ground, ball], point: [0, 0, -0.3], normal: [0, 1, 3], stiffness: 1e4,
          dissipation: 0.2, static_friction: 0.6, dynamic_friction: 0.5}
'''
    m = cleave.Model("ball")
    m.body("ball", mass=1, inertia=(0.004, 0.004, 0.004), shape={"sphere": 0.1})
    m.joint("free", "free", "ground", "ball")
    m.contact("floor", "ground", "ball", point=(0, 0, -0.3), normal=(0, 1, 3), stiffness=1e4, dissipation=0.2,
              static_friction=0.6, dynamic_friction=0.5)
    run, free = cleave.run(m, time=1, every=0.1), cleave.run(cleave.loads(text[:text.index("forces")]), time=1, every=0.1)
    assert np.array_equal(run.frames, cleave.run(cleave.loads(text), time=1, every=0.1).frames)
    assert abs(run.frames - free.frames).max() > 1  # it bounces


def test_every_kind_of_item():
    m = cleave.Model("all")
    for name in "abcdef":
        m.body(name, mass=1, inertia=(1, 1, 1), shape={"box": (1, 0.1, 0.1)})
    m.joint("j1", "revolute", "ground", "a", axis=(0, 1, 0), q=0.1, u=0.2)
    m.joint("j2", "spherical", "a", "b", position_a=(1, 0, 0), q=(1, 0, 0, 0), u=(0, 0, 0.1))
    m.joint("j3", "prismatic", "b", "c", position_a=(1, 0, 0))
    m.joint("j4", "revolute", "ground", "d", axis=(0, 1, 0))
    m.joint("j5", "revolute", "d", "e", axis=(0, 1, 0))
    m.joint("j6", "revolute", "e", "f", axis=(0, 1, 0))
    m.spring("k", "ground", "c", stiffness=10, damping=1, rest=0.5)
    m.angular_damper("c1", "a", "b", damping=0.1)
    m.joint_load("k1", "j1", stiffness=1, damping=0.1, rest=0.2)
    m.force("f", "b", (0, 0, 1), point=(0.1, 0, 0), table=([0, 1], [0, 1]))
    m.torque("t", "c", (0, 1, 0), in_body=True)
    m.motion("drive", "j4", rate=1.0)
    m.motion("table", "j5", table=([0, 1, 2], [0, 1, 1]), profile="smooth")
    m.coupling("gear", "j4", "j6", ratio=-2)
    with pytest.raises(cleave.UsageError):
        m.coupling("none", "j4", "j6")
    m.marker("tip", "c", (0, 0, 1))
    m.visual("skin", "c", mesh="c.stl", scale=0.001, at=(0, 0, 1), orientation=(0, 1, 0, 0), colour=(1, 0, 0))
    m.visual("floor", shape={"box": (1, 1, 0.1), "at": (0, 0, -0.05), "colour": (0.5, 0.5, 0.5)})
    m.input("effort", joint="j3", limit=(-1, 2))
    m.input("push", force_on="b", vector=(1, 0, 0), point=(0, 0, 1))
    m.input("twist", torque_on="b", vector=(1, 0, 0))
    m.input("jerk", motion="drive")
    m.input("number", value=3)
    m.input("motor", joint="j3", value=-1, rate_limit=20, stall_effort=3, no_load_speed=8)
    s = cleave.Sim(m)
    s.input["effort"] = 5
    s.advance(0.2)
    assert s.input["effort"] == 2 and s.input["number"] == 3
    assert s.q["j4"] == pytest.approx(0.2, abs=1e-9) and s.q["j6"] == pytest.approx(-0.4, abs=1e-9)
    assert m.limit("effort") == (-1, 2) and m.motions == ("drive", "table")
    again = cleave.loads(m.text())
    assert again.joints == m.joints and again.inputs == m.inputs
    assert "rate_limit: 20, stall_effort: 3, no_load_speed: 8" in m.text()


def test_parameters(tmp_path):
    assert cleave.loads(ARM, mass="2 kg").parameters[0].value == 2
    path = tmp_path / "arm.yaml"
    path.write_text(ARM)
    changed = cleave.load(path, mass=2.5).parameters[0]
    assert (changed.name, changed.value, changed.given) == ("mass", 2.5, True)
    with pytest.raises(cleave.UsageError, match="mas"):
        cleave.load(path, mas=2)


def test_names_and_numbers(arm):
    assert arm.bodies == ("upper", "lower") and arm.joints == ("shoulder", "elbow")
    assert arm.markers == ("tip",) and arm.inputs == ("motor",) and arm.limit("motor") == (-20, 20)
    assert repr(arm) == "<cleave.Model 'arm': 2 bodies, 2 joints>"
    assert set(cleave.examples()) >= {"pendulum", "loader", "hdca-case3"}
    assert cleave.GROUND == "ground" and cleave.__version__.count(".") == 2


def test_errors_of_files_have_their_place(tmp_path):
    path = tmp_path / "bad.yaml"
    path.write_text("cleave: 1\nbodies:\n  a: {mass: -1, inertia: [1, 1, 1]}\n  b: {mass: x, inertia: [1, 1, 1]}\n")
    with pytest.raises(cleave.ModelError) as caught:
        cleave.load(path)
    error = caught.value
    assert error.file == str(path) and error.line == 3 and error.path.startswith("bodies.a")
    assert len(error.errors) == 2 and error.errors[1].line == 4
    assert f"{path}:3:" in str(error)
    with pytest.raises(cleave.FileSyntaxError):
        cleave.loads("cleave: [1")
    with pytest.raises(cleave.FileError) as missing:
        cleave.load(tmp_path / "none.yaml")
    assert isinstance(missing.value, OSError) and missing.value.file == str(tmp_path / "none.yaml")


def test_a_journal_in_a_bore_is_that_of_a_file():
    text = """cleave: 1
bodies:
  ring: {mass: 1, inertia: [1, 1, 1], shape: {bore: [0.1, 0.2, 0.3], closed: lower, at: [0, 0, 1]}}
  pin: {mass: 1, inertia: [1, 1, 1], shape: {cylinder: [0.09, 0.2], at: [0, 0, 1]}}
joints:
  hold: {kind: fixed, a: {body: ground}, b: {body: ring}}
  move: {kind: free, a: {body: ground}, b: {body: pin}}
forces: {c: {kind: contact, between: [ring, pin], stiffness: 1e5}}
"""
    m = cleave.Model("")
    m.body("ring", mass=1, inertia=(1, 1, 1), shape={"bore": (0.1, 0.2, 0.3), "closed": "lower", "at": (0, 0, 1)})
    m.body("pin", mass=1, inertia=(1, 1, 1), shape={"cylinder": (0.09, 0.2), "at": (0, 0, 1)})
    m.joint("hold", "fixed", "ground", "ring")
    m.joint("move", "free", "ground", "pin")
    m.contact("c", "ring", "pin", stiffness=1e5)
    a, b = cleave.Sim(m), cleave.Sim(cleave.loads(text))
    a.advance(0.2)
    b.advance(0.2)
    assert (a.position == b.position).all() and -0.1 < a.position[1, 2] < 0  # on the bottom


@pytest.mark.parametrize("build, words", [
    (lambda m: (m.body("a", mass=-1), m.finish()), "mass"),
    (lambda m: m.body("ground", mass=1), "ground"),
    (lambda m: m.joint("j", "hinge", "ground", "b"), "hinge"),
    (lambda m: m.joint("j", "revolute", "ground", "x"), "no body 'x'"),
    (lambda m: m.joint_load("k", "x"), "no joint 'x'"),
    (lambda m: m.body("b", mass=1), "b"),
    (lambda m: m.body("a", mass=1, shape={"ball": 1}), "shape"),
    (lambda m: m.body("a", mass=1, shape={"box": 1}), "3 sizes"),
    (lambda m: m.body("a", mass=1, shape={"bore": (1, 2)}), "3 sizes"),
    (lambda m: m.body("a", mass=1, shape={"sphere": 1, "closed": "both"}), "a bore with closed"),
    (lambda m: m.body("a", mass=1, shape={"bore": (1, 2, 3), "closed": "left"}), "ends of a bore"),
    (lambda m: m.motion("m", "j0", profile="soft"), "soft"),
    (lambda m: m.input("i", joint="j0", motion="m"), "one thing"),
])
def test_wrong_items_are_refused_by_name(build, words):
    m = cleave.Model("m")
    m.body("b", mass=1, inertia=(1, 1, 1))
    m.joint("j0", "revolute", "ground", "b")
    with pytest.raises(cleave.CleaveError, match=words):
        build(m)


@pytest.mark.parametrize("build, kind", [
    (lambda m: m.body("a", mass="heavy"), TypeError),
    (lambda m: m.body("a", mass=1, com=(1, 2)), ValueError),
    (lambda m: m.body("a\0b", mass=1), ValueError),
    (lambda m: m.joint("j", "revolute", "ground", "b", q=(1, 2)), ValueError),
    (lambda m: m.motion("m", "j0", table=([0, 1], [0])), ValueError),
])
def test_wrong_types_are_refused(build, kind):
    m = cleave.Model("m")
    m.body("b", mass=1, inertia=(1, 1, 1))
    m.joint("j0", "revolute", "ground", "b")
    with pytest.raises(kind):
        build(m)


def test_a_finished_model_cannot_be_changed(arm):
    with pytest.raises(cleave.UsageError, match="finished"):
        arm.body("more", mass=1)


def test_a_model_that_does_not_close_is_refused():
    m = cleave.Model("empty")
    with pytest.raises(cleave.CleaveError):
        cleave.Sim(m)


def test_pickle_and_copies_keep_the_bits(arm, tmp_path):
    expected = cleave.run(arm, time=0.5, every=0.1).frames
    for other in (pickle.loads(pickle.dumps(arm)), copy.deepcopy(arm), cleave.loads(arm.text())):
        assert np.array_equal(cleave.run(other, time=0.5, every=0.1).frames, expected)
    arm.save(tmp_path / "out.yaml")
    assert np.array_equal(cleave.run(tmp_path / "out.yaml", time=0.5, every=0.1).frames, expected)
    with pytest.raises(FileExistsError):
        arm.save(tmp_path / "out.yaml")


def test_examples_of_the_repository_are_read():
    for path in sorted((ROOT / "examples").glob("*.yaml")):
        assert cleave.load(path).bodies


def test_couplings_of_many_joints_and_cams():
    m = cleave.Model("couplings", gravity=(0, 0, 0))
    for k in range(5):
        m.body(f"b{k}", mass=1, inertia=(1, 1, 1))
        m.joint(f"j{k}", "revolute", "ground", f"b{k}", q=0.0, u=1.0 if k < 2 else None)
    m.sum("differential", {"j0": 1, "j1": 1, "j2": -2}, offset=0)
    m.coupling("bent", "j0", "j3", polynomial=(0, 0.5, 0.25))
    m.coupling("cam", "j1", "j4", table=([0, 2, 4, 6], [0, 1, 1.5, 0]), periodic=True)
    s = cleave.Sim(m, rtol=1e-9)
    s.advance(0.5)
    a, b = s.q["j0"], s.q["j1"]
    assert s.q["j2"] == pytest.approx((a + b) / 2, abs=1e-9)
    assert s.q["j3"] == pytest.approx(0.5 * a + 0.25 * a * a, abs=1e-9)
    assert 0 < s.q["j4"] < 0.5


def test_what_a_robot_loses_is_listed(tmp_path):
    inertial = ("<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>")
    path = tmp_path / "hip.urdf"
    path.write_text(f"<robot name='r'><link name='base'/><link name='leg'>{inertial}</link>\n"
                    "<joint name='hip' type='revolute'><parent link='base'/><child link='leg'/>"
                    "<limit lower='-1' upper='1' effort='5' velocity='2'/></joint></robot>")
    try:
        model = cleave.load(path)
    except cleave.UnsupportedError as error:  # built without expat
        pytest.skip(str(error))
    harmful, harmless = model.dropped
    assert harmful[1:2] + harmful[3:] == (2, True, "position limit", "position limits of joint 'hip': -1 to 1")
    assert harmful.file == str(path) and not harmless.harmful and "velocity limit" in harmless.text
    assert built_arm().dropped == ()


@needs_expat
def test_names_of_files_are_bytes(tmp_path):
    """Names of files that are no UTF-8 have surrogates in Python."""
    folder = os.fsdecode(os.fsencode(tmp_path) + b"/a\xff b")
    os.mkdir(folder)
    path, robot, bad = (os.path.join(folder, name) for name in ("m.yaml", "r.urdf", "bad.yaml"))
    cleave.example("pendulum").save(path)
    shutil.copy(ROOT / "examples" / "robots" / "arm7.urdf", robot)
    with open(bad, "w", encoding="utf-8") as out:
        out.write("cleave: 1\nbody: 3\n")
    assert cleave.load(path).bodies == cleave.load(os.fsencode(path)).bodies == cleave.load(pathlib.Path(path)).bodies
    assert cleave.load(robot).joints == cleave.load_robot(robot, floating=True).joints[1:]
    assert cleave.load(robot).dropped[0].file == robot
    with pytest.raises(cleave.CleaveError) as error:
        cleave.load(bad)
    assert error.value.file == bad and "a\ufffd b" in str(error.value) and str(error.value).encode()
    with pytest.raises(cleave.FileError) as error:
        cleave.load(path + "2")
    assert str(error.value).encode()
    results = cleave.run(path, time=0.1, every=0.1)
    results.to_csv(os.path.join(folder, "r.csv"))
    results.plot("J1.q").save(os.fsencode(folder) + b"/r.svg")
    assert cleave.check(path)["mobility_found"] == 1 and cleave.equilibrium(path)["stability"] == "stable"
    assert cleave.equilibrium(path, out=os.path.join(folder, "rest.yaml"))["stability"] == "stable"
    sweep = os.path.join(folder, "s.sweep")
    assert cleave.sweep(path, {"P.mass": (1, 2)}, runs=2, time=0.1, out=sweep).failed == 0
    assert cleave.Sweep(sweep).runs == 2
    with pytest.raises(cleave.FileError) as error:
        cleave.Sweep(path)
    assert str(error.value).encode()
    run = os.path.join(folder, "r.cleave")
    done = subprocess.run([sys.executable, "-m", "cleave", "run", path, "--time", "0.1", "--out", run],
                          capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    assert cleave.Run(run).source == path and cleave.Run(os.fsencode(run)).status == "ok"
