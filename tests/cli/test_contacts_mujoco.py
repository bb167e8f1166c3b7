#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Contacts of MJCF beside MuJoCo's: where bodies rest, what the floor carries, how far a box slides.

Use: test_contacts_mujoco.py PROGRAM.  Exit code 77 without MuJoCo (pip install mujoco).  Contacts are rigid here and
soft there: places agree to the depth of MuJoCo's contacts, forces of bodies at rest to its settling."""
import csv
import subprocess
import sys
import tempfile
from pathlib import Path

try:
    import mujoco
except ImportError as absent:
    print(f"test_contacts_mujoco.py: skipped, there is no {absent.name} (pip install mujoco)")
    sys.exit(77)

PROGRAM = sys.argv[1]
OPTION = '<option timestep="0.001" cone="elliptic"/>'
FLOOR = '<geom type="plane" size="9 9 1" friction=".3"/>'
CUBE = "-.1 -.1 -.1 .1 -.1 -.1 -.1 .1 -.1 .1 .1 -.1 -.1 -.1 .1 .1 -.1 .1 -.1 .1 .1 .1 .1 .1"


def body(name, at, geom):
    return f'<body name="{name}" pos="{at}"><freejoint/><geom friction=".3" mass="2" {geom}/></body>'


# name, bodies, start rates of the first one, tolerance of places (m)
CASES = [
    ("box", body("a", "0 0 .3", 'type="box" size=".1 .15 .2"'), None, 1e-3),
    ("capsule", body("a", "0 0 .3", 'type="capsule" size=".1 .2" euler="0 90 0"'), None, 2e-3),
    ("cylinder", body("a", "0 0 .3", 'type="cylinder" size=".1 .2"'), None, 2e-3),
    ("hulls", "".join(body(n, f"0 0 {.1 + .201 * i}", 'type="mesh" mesh="c"') for i, n in enumerate("abc")), None, 3e-3),
    ("slide", body("a", "0 0 .1", 'type="box" size=".1 .15 .1"'), "1.5 0 0 0 0 0", 2e-3),
    ("two shapes", '<body name="a" pos="0 0 .2"><freejoint/><geom size=".1" pos="-.2 0 0" mass="1"/>'
     '<geom type="box" size=".1 .1 .1" pos=".2 0 0" mass="1"/></body>', None, 2e-3),
]


def theirs(path, time):
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    if model.nkey:
        mujoco.mj_resetDataKeyframe(model, data, 0)
    while data.time < time - 1e-9:
        mujoco.mj_step(model, data)
    return data.body("a").xpos.copy(), -model.opt.gravity[2] * model.body_mass.sum()


def ours(path, time):
    out = path.with_suffix(".csv")
    subprocess.run([PROGRAM, "run", str(path), "--time", str(time), "--every", str(time), "--out", str(out), "--columns",
                    "a.position,contacts.contact.normal_force"], check=True, capture_output=True, timeout=120)
    with open(out, newline="") as file:
        rows = list(csv.reader(file))
    last = dict(zip((name.split(" ")[0] for name in rows[0]), map(float, rows[-1])))
    return [last[f"a.position.{axis}"] for axis in "xyz"], last["contacts.contact.normal_force"]


LEG = ('<body pos="0 0 2"><joint name="hip" axis="0 1 0" range="-40 30" damping=".5"/>'
       '<geom type="capsule" fromto="0 0 0 .5 0 0" size=".05"/>'
       '<body pos=".5 0 0"><joint name="knee" axis="0 1 0" range="20 50" damping=".5"/>'
       '<geom type="capsule" fromto="0 0 0 .4 0 0" size=".04"/></body></body>')


def limits(folder):
    """A leg falls onto the limits of its joints; the knee starts beyond its own.  Coordinates and torques at rest."""
    path = Path(folder) / "leg.xml"
    path.write_text(f"<mujoco>{OPTION}<worldbody>{FLOOR}{LEG}</worldbody></mujoco>")
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    while data.time < 4 - 1e-9:
        mujoco.mj_step(model, data)
    out = path.with_suffix(".csv")
    subprocess.run([PROGRAM, "run", str(path), "--time", "4", "--every", "4", "--out", str(out), "--columns",
                    "hip.q,knee.q,hip.effort,knee.effort"], check=True, capture_output=True, timeout=120)
    with open(out, newline="") as file:
        rows = list(csv.reader(file))
    own = dict(zip((name.split(" ")[0] for name in rows[0]), map(float, rows[-1])))
    bad = 0
    for i, name in enumerate(("hip", "knee")):
        q, effort, torque = own[name + ".q"], own[name + ".effort"], data.qfrc_constraint[i]
        print(f"{name}: {q:.6f} and {data.qpos[i]:.6f} rad, {effort:.5f} and {torque:.5f} N m")
        bad += abs(q - data.qpos[i]) > 0.01 or abs(effort - torque) > 0.03
    return bad


STANDS = ('<body name="base" pos="0 0 .6"><joint name="slide" type="slide" axis="0 0 1"/>'
          '<geom type="box" size=".1 .1 .05" mass="5"/>'
          '<body pos="0 0 -.05"><joint name="hip" axis="0 1 0" frictionloss="8" damping=".1"/>'
          '<geom type="capsule" fromto="0 0 0 .05 0 -.25" size=".02" mass=".5"/>'
          '<body pos=".05 0 -.25"><joint name="knee" axis="0 1 0" frictionloss="8"/>'
          '<geom type="capsule" fromto="0 0 0 -.05 0 -.25" size=".02" mass=".3"/></body></body></body>')


def friction(folder):
    """A leg lands, gives way in hip and knee, and stands by their friction.  MuJoCo's constraints are as stiff as they
    can be; with its own numbers the joints creep."""
    path = Path(folder) / "stands.xml"
    path.write_text(f"<mujoco>{OPTION}<worldbody>{FLOOR.replace('.3', '1')}{STANDS}</worldbody></mujoco>")
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    model.opt.timestep, model.opt.iterations, model.opt.tolerance = 2e-5, 500, 1e-14
    model.dof_solref[:], model.dof_solimp[:] = [4e-5, 1], [.9999, .9999, .001, .5, 2]
    model.geom_solref[:], model.geom_solimp[:] = [2e-3, 1], [.999, .9999, .001, .5, 2]
    while data.time < 0.5 - 1e-9:
        mujoco.mj_step(model, data)
    out = path.with_suffix(".csv")
    subprocess.run([PROGRAM, "run", str(path), "--time", "0.5", "--every", "0.25", "--step", "1e-4", "--out", str(out),
                    "--columns", "slide.q,hip.q,knee.q,hip.u,knee.u"], check=True, capture_output=True, timeout=120)
    with open(out, newline="") as file:
        rows = list(csv.reader(file))
    own = dict(zip((name.split(" ")[0] for name in rows[0]), map(float, rows[-1])))
    bad = 0
    for i, name in enumerate(("slide", "hip", "knee")):
        q = own[name + ".q"]
        print(f"{name}: {q:.6f} and {data.qpos[i]:.6f}")
        bad += abs(q - data.qpos[i]) > 2e-3 or abs(own.get(name + ".u", 0)) > 1e-12
    return bad


def main():
    with tempfile.TemporaryDirectory() as folder:
        bad = limits(folder) + friction(folder)
        for name, bodies, rates, tolerance in CASES:
            start = bodies.split('pos="')[1].split('"')[0]
            key = f'<keyframe><key name="home" qpos="{start} 1 0 0 0" qvel="{rates}"/></keyframe>' if rates else ""
            path = Path(folder) / (name.replace(" ", "_") + ".xml")
            path.write_text(f'<mujoco>{OPTION}<asset><mesh name="c" vertex="{CUBE}"/></asset><worldbody>{FLOOR}{bodies}'
                            f'</worldbody>{key}</mujoco>')
            place, weight = theirs(path, 2)
            own, force = ours(path, 2)
            error = max(abs(a - b) for a, b in zip(place, own))
            carried = force if name != "hulls" else force / 2  # three on the floor, two and one on each other
            print(f"{name}: places differ by {error:.2g} m, the floor carries {carried:.6f} of {weight:.6f} N")
            bad += error > tolerance or abs(carried - weight) > 1e-6 * weight
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
