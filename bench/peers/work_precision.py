#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Work and precision on robots with loops: cleave, Pinocchio with Baumgarte's terms, MuJoCo.

    PYTHONPATH=build/python bench/peers/work_precision.py [--time 1] [--rounds 3] ROBOT.urdf ...

Each robot has its side file beside it: ROBOT.yaml with `closed_loop` (pairs of frames) and `type` (6d or 3d).  All
programs start at rest at the configuration in which cleave has closed the loops, and move passively for --time
seconds.  The error is the largest difference of a joint coordinate at the end from a run of cleave at rtol 1e-12, in
rad or m; its own error is estimated by a second formulation.  The time is processor time, the best of the rounds.

  cleave      steps of dopri5 chosen by rtol, formulations hdca and massmatrix
  Pinocchio   RK4, fixed steps, accelerations by constraintDynamics with Baumgarte's terms, Kp = 1 / (4 h)^2,
              Kd = 2 / (4 h); called from Python, which adds a few microseconds to every call.  lcaba with these
              terms diverges in Pinocchio 4.1 on robots where constraintDynamics does not
  MuJoCo      RK4, fixed steps; loops are `weld` and `connect` with solref of two steps and solimp 0.9999

Needs Pinocchio, MuJoCo and PyYAML (`pip install pin mujoco pyyaml`); a peer that is absent is left out by name.  The
table is Markdown."""
import argparse
import sys
import time
import xml.etree.ElementTree as ET
from pathlib import Path

import cleave
import numpy as np
import yaml

try:
    import pinocchio as pin
except ImportError:
    pin = None
try:
    import mujoco
except ImportError:
    mujoco = None


def timed(call, rounds: int):
    """The result of a call and the least processor time of its rounds; what it makes is made before."""
    best = np.inf
    for _ in range(rounds):
        run = call()
        began = time.process_time()
        end = run()
        best = min(best, time.process_time() - began)
    return end, best


def of_cleave(path: Path, formulation: str, rtol: float, seconds: float):
    def make():
        sim = cleave.Sim(cleave.load(str(path)), formulation=formulation, rtol=rtol, atol=rtol)
        start = {name: sim.q[name].copy() for name in sim.q}
        def run():
            sim.step(seconds)
            return {name: sim.q[name].copy() for name in sim.q}, start
        return run
    return make


class Pinocchio:
    """RK4 on constraintDynamics with Baumgarte's terms."""
    def __init__(self, path: Path, side: dict, start: dict):
        self.m = m = pin.buildModelFromUrdf(str(path))
        self.start = pin.neutral(m)
        for i in range(1, m.njoints):
            joint, x = m.joints[i], np.ravel(start[m.names[i]])
            self.start[joint.idx_q:joint.idx_q + joint.nq] = [np.cos(x[0]), np.sin(x[0])] if joint.nq == 2 else x
        self.loops = []
        for (one, other), kind in zip(side["closed_loop"], side["type"]):
            a, b = (m.frames[m.getFrameId(name)] for name in (one, other))
            self.loops.append((kind.lower(), a.parentJoint, a.placement, b.parentJoint, b.placement))
        self.check_closed(path)

    def check_closed(self, path: Path):
        """The frames of the loops have to coincide at the start that cleave gives."""
        data = self.m.createData()
        pin.forwardKinematics(self.m, data, self.start)
        for kind, a, A, b, B in self.loops:
            gap = (data.oMi[a] * A).inverse() * (data.oMi[b] * B)
            open_by = np.abs(gap.translation).max() if kind != "6d" else np.abs(pin.log6(gap).vector).max()
            if open_by > 1e-9:
                sys.exit(f"work_precision: {path.name}: a loop is open by {open_by:.1e} at the start")

    def make(self, h: float, seconds: float):
        m, d = self.m, self.m.createData()
        models = pin.StdVec_RigidConstraintModel()
        for kind, a, A, b, B in self.loops:
            type_ = pin.ContactType.CONTACT_6D if kind == "6d" else pin.ContactType.CONTACT_3D
            one = pin.RigidConstraintModel(type_, m, a, A, b, B, pin.ReferenceFrame.LOCAL)
            one.setBaumgarteCorrectorParameters(pin.BaumgarteCorrectorParameters(1 / (4 * h)**2, 2 / (4 * h)))
            models.append(one)
        datas = pin.StdVec_RigidConstraintData()
        for x in models:
            datas.append(x.createData())
        pin.initConstraintDynamics(m, d, models, datas)
        settings, tau = pin.ProximalSettings(1e-12, 1e-8, 20), np.zeros(m.nv)
        def f(q, v):
            return pin.constraintDynamics(m, d, q, v, tau, models, datas, settings).copy()
        def run():
            q, v = self.start.copy(), np.zeros(m.nv)
            for _ in range(round(seconds / h)):
                a1 = f(q, v)
                v2 = v + h / 2 * a1
                a2 = f(pin.integrate(m, q, h / 2 * v), v2)
                v3 = v + h / 2 * a2
                a3 = f(pin.integrate(m, q, h / 2 * v2), v3)
                v4 = v + h * a3
                a4 = f(pin.integrate(m, q, h * v3), v4)
                q = pin.integrate(m, q, h / 6 * (v + 2 * v2 + 2 * v3 + v4))
                v = v + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
                if not np.isfinite(v).all():
                    return {}
            return self.coordinates(q)
        return lambda: run

    def coordinates(self, q):
        m, found = self.m, {}
        for i in range(1, m.njoints):
            joint = m.joints[i]
            x = q[joint.idx_q:joint.idx_q + joint.nq]
            found[m.names[i]] = np.array([np.arctan2(x[1], x[0])]) if joint.nq == 2 else x
        return found


class MuJoCo:
    """The URDF without pictures; loops are equality constraints between the links of their frames."""
    def site(self, m, name: str) -> str:
        """A site at a frame of Pinocchio's model of the same file: on the link that its joint moves."""
        frame = m.frames[m.getFrameId(name)]
        links = [f for f in m.frames if f.type == pin.FrameType.BODY and f.parentJoint == frame.parentJoint]
        link = next(f for f in links if self.spec.body(f.name))
        P = link.placement.inverse() * frame.placement
        quaternion = pin.Quaternion(P.rotation)
        self.spec.body(link.name).add_site(name="loop " + name, pos=P.translation,
            quat=[quaternion.w, quaternion.x, quaternion.y, quaternion.z])
        return "loop " + name

    def __init__(self, path: Path, side: dict, start: dict):
        root = ET.parse(path).getroot()
        for link in root.findall("link"):
            for tag in ("visual", "collision"):
                for x in link.findall(tag):
                    link.remove(x)
        extension = ET.SubElement(root, "mujoco")
        ET.SubElement(extension, "compiler", {"fusestatic": "false", "balanceinertia": "false", "boundmass": "0"})
        self.spec = mujoco.MjSpec.from_string(ET.tostring(root, encoding="unicode"))
        for joint in self.spec.joints:
            joint.limited = mujoco.mjtLimited.mjLIMITED_FALSE
            joint.frictionloss = 0
        self.spec.option.integrator = mujoco.mjtIntegrator.mjINT_RK4
        self.spec.option.tolerance, self.spec.option.iterations = 1e-14, 100
        m = pin.buildModelFromUrdf(str(path))
        for (one, other), kind in zip(side["closed_loop"], side["type"]):
            e = self.spec.add_equality()
            e.name1, e.name2, e.objtype = self.site(m, one), self.site(m, other), mujoco.mjtObj.mjOBJ_SITE
            e.type = mujoco.mjtEq.mjEQ_WELD if kind.lower() == "6d" else mujoco.mjtEq.mjEQ_CONNECT
            e.data[:] = 0
            if kind.lower() == "6d":
                e.data[10] = 1    # m: scale of the angles
            e.solimp[:] = [0.9999, 0.9999, 0.001, 0.5, 2]
        self.start = start

    def make(self, h: float, seconds: float):
        self.spec.option.timestep = h
        for e in self.spec.equalities:
            e.solref[:] = [2 * h, 1]
        m = self.spec.compile()
        def make():
            d = mujoco.MjData(m)
            for i in range(m.njnt):
                name = mujoco.mj_id2name(m, mujoco.mjtObj.mjOBJ_JOINT, i)
                d.qpos[m.jnt_qposadr[i]] = np.ravel(self.start[name])[0]
            def run():
                mujoco.mj_step(m, d, round(seconds / h))
                if d.warning[mujoco.mjtWarning.mjWARN_BADQACC].number + d.warning[mujoco.mjtWarning.mjWARN_BADQVEL].number + \
                        d.warning[mujoco.mjtWarning.mjWARN_BADQPOS].number:
                    return {}
                return {mujoco.mj_id2name(m, mujoco.mjtObj.mjOBJ_JOINT, i): d.qpos[m.jnt_qposadr[i]:][:1].copy()
                        for i in range(m.njnt)}
            return run
        return make


def error(found: dict, true: dict) -> float:
    """Largest difference of the coordinates that both have; angles are compared modulo 2 pi."""
    if not found:
        return np.inf
    worst = 0.0
    for name in found.keys() & true.keys():
        if np.size(true[name]) == 0:    # a fixed joint
            continue
        d = np.ravel(found[name]) - np.ravel(true[name])
        turned = np.abs((d + np.pi) % (2 * np.pi) - np.pi)
        worst = max(worst, np.max(np.minimum(np.abs(d), turned)))
    return worst


def row(path: Path, name: str, knob: str, found: float, work) -> None:
    what = "diverged" if not np.isfinite(found) else f"{found:.1e}"
    print(f"| {path.stem} | {name} | {knob} | {what} | {1e3 * work:.3g} |" if work else f"| {path.stem} | {name} | {knob} | {what} | |",
          flush=True)


def peers_at(path: Path, start: dict):
    side = yaml.safe_load(path.with_suffix(".yaml").read_text(encoding="utf-8"))
    if "spherical" in str(side.get("type_mot", side)).lower():
        print(f"| {path.stem} | peers left out: its side file makes spherical joints of revolute ones | | | |", flush=True)
        return
    if pin:
        yield "Pinocchio RK4", Pinocchio(path, side, start)
    if mujoco and pin:    # the frames of the loops come from Pinocchio's model
        yield "MuJoCo RK4", MuJoCo(path, side, start)


def study(path: Path, args) -> None:
    (true, start), _ = timed(of_cleave(path, "dca", 1e-12, args.time), 1)
    (second, _), _ = timed(of_cleave(path, "massmatrix", 1e-12, args.time), 1)
    row(path, "reference", "rtol 1e-12, its own error", error(second, true), None)
    for name in ("hdca", "massmatrix"):
        for rtol in (1e-3, 1e-4, 1e-6, 1e-8, 1e-10):
            (found, _), work = timed(of_cleave(path, name, rtol, args.time), args.rounds)
            row(path, "cleave " + name, f"rtol {rtol:.0e}", error(found, true), work)
    for name, peer in peers_at(path, start):
        for h in (4e-3, 2e-3, 1e-3, 5e-4, 2.5e-4):
            try:
                found, work = timed(peer.make(h, args.time), args.rounds)
            except ValueError as refusal:    # MuJoCo: a link without mass
                print(f"| {path.stem} | {name} | refused: {str(refusal).splitlines()[0]} | | |", flush=True)
                break
            row(path, name, f"step {h:g} s", error(found, true), work)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--time", type=float, default=1.0)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("robot", nargs="+", type=Path)
    args = parser.parse_args()
    for name, module in (("Pinocchio", pin), ("MuJoCo", mujoco)):
        print(f"{name} {module.__version__}" if module else f"{name}: left out, it is not installed", file=sys.stderr)
    print("| robot | program | accuracy | error [rad, m] | processor time [ms] |\n|---|---|---|---|---|")
    for path in args.robot:
        study(path, args)


if __name__ == "__main__":
    main()
