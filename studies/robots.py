#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Robots read by cleave against Pinocchio: accelerations of random states, and the table of docs/robots.md.

Use: robots.py PROGRAM FILE.urdf ... [--states N]
Needs Pinocchio (pip install pin). Exit code 77 without it; 1 if a robot differs by more than --bound.

Of every URDF a model is written by `cleave import --lenient` (fixed and free base), random coordinates, rates and joint
torques are put into it, and the accelerations of `cleave eval --json` are compared with Pinocchio's of the URDF itself.
Joints that follow others (mimic) are eliminated: G^T M G. Loops of a side file (ROBOT.yaml) are held by multipliers, at
the start that cleave has closed. Damping and rotor inertia, which Pinocchio leaves to the caller, are added."""
import argparse
import json
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np

try:
    import pinocchio as pin
except ImportError:
    print("robots.py: skipped, there is no Pinocchio (pip install pin)")
    sys.exit(77)


def cleave(*words):
    done = subprocess.run([ARGS.program, *map(str, words)], capture_output=True, text=True, timeout=120)
    if done.returncode:
        lines = [line for line in done.stderr.strip().splitlines() if "not carried over" not in line and "clipped" not in line]
        raise RuntimeError(lines[0].replace(ARGS.program, "cleave") if lines else "failed")
    return done


def urdf_joints(path):
    """mimic (name -> first, ratio, offset) and damping of the URDF."""
    mimic, damping = {}, {}
    for joint in ET.parse(path).getroot().findall("joint"):
        follow, dynamics = joint.find("mimic"), joint.find("dynamics")
        if dynamics is None:
            dynamics = joint.find("joint_properties")
        if follow is not None:
            mimic[joint.get("name")] = (follow.get("joint"), float(follow.get("multiplier", 1)), float(follow.get("offset", 0)))
        if dynamics is not None:
            damping[joint.get("name")] = float(dynamics.get("damping", 0))
    known = {joint.get("name") for joint in ET.parse(path).getroot().findall("joint")}
    return {name: entry for name, entry in mimic.items() if entry[0] in known}, damping  # else the joint is free


def load(yaml_text):
    import yaml
    class Loader(yaml.SafeLoader):
        pass
    Loader.add_implicit_resolver("tag:yaml.org,2002:float", __import__("re").compile(
        r"^[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?$"), list("-+0123456789."))
    Loader.yaml_implicit_resolvers = {k: [x for x in v if x[0] not in ("tag:yaml.org,2002:bool", "tag:yaml.org,2002:int",
        "tag:yaml.org,2002:timestamp")] for k, v in Loader.yaml_implicit_resolvers.items()}
    Loader.add_implicit_resolver("!deg", __import__("re").compile(r"^[-+]?[\d.]+ deg$"), list("-+0123456789."))
    Loader.add_constructor("!deg", lambda loader, node: float(node.value.split()[0]) * np.pi / 180)
    model = yaml.load(yaml_text, Loader)
    model["cleave"] = 1
    return model


class Robot:
    def __init__(self, path, floating):
        self.path, self.floating = path, floating
        self.pin = pin.buildModelFromUrdf(str(path), pin.JointModelFreeFlyer()) if floating else pin.buildModelFromUrdf(str(path))
        self.data = self.pin.createData()
        self.mimic, self.damping = urdf_joints(path)
        done = cleave("import", path, "--lenient", *(["--floating"] if floating else []))
        self.notes = [line.split("not carried over: ")[1] for line in done.stderr.splitlines() if "not carried over: " in line]
        self.clipped = done.stderr.count("clipped")
        self.model = load(done.stdout)

    def root_of(self, name):
        """The joint that a chain of followers begins with: its name, ratio, offset; a ratio of 0 where it cannot move."""
        ratio, offset, seen = 1.0, 0.0, set()
        while name in self.mimic and name not in seen:
            seen.add(name)
            first, r, o = self.mimic[name]
            offset, ratio, name = offset + ratio * o, ratio * r, first
        return (name, ratio, offset) if self.pin.existJointName(name) else (None, 0.0, offset)

    def random_state(self, rng):
        m = self.pin
        q, v, tau = pin.neutral(m), np.zeros(m.nv), np.zeros(m.nv)
        value, rate, torque = {}, {}, {}
        for i in range(1, m.njoints):
            name, joint = m.names[i], m.joints[i]
            if joint.nv == 1 and name not in self.mimic:
                value[name], rate[name] = rng.uniform(-1, 1) * (1 if joint.nq == 2 else 0.7), rng.uniform(-1, 1)
                torque[name] = rng.uniform(-1, 1)
        G = np.zeros((m.nv, m.nv))
        for i in range(1, m.njoints):
            name, joint = m.names[i], m.joints[i]
            if joint.nv != 1:
                for k in range(joint.nv):
                    G[joint.idx_v + k, joint.idx_v + k] = 1
                continue
            first, ratio, offset = self.root_of(name)
            x = offset + ratio * value.get(first, 0.0)
            q[joint.idx_q:joint.idx_q + joint.nq] = [np.cos(x), np.sin(x)] if joint.nq == 2 else [x]
            if first is not None:
                v[joint.idx_v] = ratio * rate[first]
                G[joint.idx_v, m.joints[m.getJointId(first)].idx_v] = ratio
            tau[joint.idx_v] = -self.damping.get(name, 0.0) * v[joint.idx_v] + torque.get(name, 0.0)
        return q, v, tau, G, value, rate, torque

    def base_state(self, rng, q, v):
        """Random pose and velocity of a free base; as cleave has them, too."""
        quaternion = rng.normal(size=4)
        quaternion /= np.linalg.norm(quaternion)
        R = pin.Quaternion(*quaternion).toRotationMatrix()
        q[:3], q[3:7] = rng.normal(size=3), [*quaternion[1:], quaternion[0]]
        v[:6] = rng.normal(size=6)
        return R, [*q[:3], *quaternion], [*(R @ v[:3]), *v[3:6]]

    def compare(self, rng):
        m = self.pin
        q, v, tau, G, value, rate, torque = self.random_state(rng)
        model = json.loads(json.dumps(self.model))
        known = {name: {"q": value[name], "u": rate[name]} for name in value if name in model["joints"]}
        R = np.eye(3)
        free = [name for name, joint in model["joints"].items() if joint["kind"] == "free"]
        if self.floating:
            R, q0, u0 = self.base_state(rng, q, v)
            known[free[0]] = {"q": q0, "u": u0}
        for name in torque:
            entry = model.get("inputs", {}).get(name)
            if entry:
                entry["value"] = torque[name]
                if "limit" in entry:
                    entry["limit"] = [-1e9, 1e9]
            else:
                tau[m.joints[m.getJointId(name)].idx_v] -= torque[name]
        model["start"] = {"joints": known}
        got = self.evaluate(model)
        M = pin.crba(m, self.data, q)
        M = np.triu(M) + np.triu(M, 1).T
        b = pin.nonLinearEffects(m, self.data, q, v)
        keep = [i for i in range(m.nv) if G[i, i] != 0]
        H = G[:, keep]
        a = np.zeros(m.nv)
        a = H @ np.linalg.solve(H.T @ M @ H, H.T @ (tau - b))
        error = scale = 0.0
        for i in range(1, m.njoints):
            name, joint = m.names[i], m.joints[i]
            if joint.nv == 6 and self.floating:
                x = got[free[0]]["udot"]
                linear = R @ (a[:3] + np.cross(v[3:6], v[:3]))
                pairs = list(zip(x, [*linear, *a[3:6]]))
            elif joint.nv == 1 and name in got:
                pairs = [(got[name]["udot"][0], a[joint.idx_v])]
            else:
                continue
            error = max(error, *(abs(x - y) for x, y in pairs))
            scale = max(scale, *(abs(y) for _, y in pairs))
        return error / max(scale, 1e-300)

    def evaluate(self, model):
        with tempfile.NamedTemporaryFile("w", suffix=".yaml", delete=False) as file:
            json.dump(model, file)
        try:
            return json.loads(cleave("eval", file.name, "--json", "--lenient").stdout)["joints"]
        finally:
            Path(file.name).unlink()

    def compare_loops(self):
        """At the closed start and at rest: M a + b = tau + J^T f, J a + drift = 0."""
        import yaml
        m, data = self.pin, self.data
        side = yaml.safe_load(self.path.with_suffix(".yaml").read_text())
        got = self.evaluate(self.model)
        q, v = pin.neutral(m), np.zeros(m.nv)
        for i in range(1, m.njoints):
            joint, x = m.joints[i], got[m.names[i]]["q"]
            q[joint.idx_q:joint.idx_q + joint.nq] = [np.cos(x[0]), np.sin(x[0])] if joint.nq == 2 else x
        M = pin.crba(m, data, q)
        M = np.triu(M) + np.triu(M, 1).T
        b = pin.nonLinearEffects(m, data, q, v)
        pin.computeJointJacobians(m, data, q)
        pin.updateFramePlacements(m, data)
        rows = []
        for (one, other), kind in zip(side["closed_loop"], side["type"]):
            J = [pin.getFrameJacobian(m, data, m.getFrameId(name), pin.LOCAL_WORLD_ALIGNED) for name in (one, other)]
            rows.append((J[0] - J[1])[:6 if kind.lower() == "6d" else 3])
        J = np.vstack(rows)
        u, s, vt = np.linalg.svd(J)
        rank = int((s > 1e-7 * s[0]).sum())
        N = vt[rank:].T
        a = N @ np.linalg.solve(N.T @ M @ N, N.T @ -b) if N.shape[1] else np.zeros(m.nv)
        error = max(abs(got[m.names[i]]["udot"][0] - a[m.joints[i].idx_v]) for i in range(1, m.njoints))
        return error / max(abs(a).max(), 1e-300)


def kinds(notes):
    count = {}
    for note in notes:
        for word in ("position limit", "dry friction", "velocity limit", "effort limit", "mesh", "shape", "transmission", "gazebo",
                     "<gazebo>", "attribute", "element", "inertia of link", "visual", "collision", "follows"):
            if word in note:
                word = word.strip("<>")
                count[word] = count.get(word, 0) + 1
                break
        else:
            count["other"] = count.get("other", 0) + 1
    return ", ".join(f"{n} {word}" for word, n in count.items()) or "-"


def row(path, rng):
    robots, errors = [], []
    for floating in (False, True):
        try:
            robot = Robot(path, floating)
            robots.append(robot)
            if path.with_suffix(".yaml").exists() and "closed_loop" in path.with_suffix(".yaml").read_text():
                errors.append(robot.compare_loops())
                break
            errors += [robot.compare(rng) for _ in range(ARGS.states)]
        except Exception as problem:
            if "no body that moves" in str(problem):
                continue
            words = str(problem).split(": ", 2)[-1].splitlines()[0]
            return f"| {path.stem} | {'yes' if robots else 'no'} | - | - | {'free base: ' if floating else ''}{words} |", None
    robot = robots[-1]
    read = "yes" + (f", {robot.clipped} inertias clipped" if robot.clipped else "")
    return f"| {path.stem} | {read} | {len(robot.model['bodies'])} | {kinds(robot.notes)} | {max(errors):.1e} |", max(errors)


def main():
    rng = np.random.default_rng(1)
    worst, good, count = 0.0, 0, 0
    print("| URDF | read | bodies | not carried over | largest relative error |\n|---|---|---|---|---|")
    for path in ARGS.robot:
        text, error = row(Path(path), rng)
        print(text, flush=True)
        count += 1
        good += error is not None and error <= ARGS.bound
        worst = max(worst, error or 0)
    print(f"\n{good} of {count} agree within {ARGS.bound:g}; largest relative error {worst:.1e}")
    return 0 if good == count else 1


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("program")
parser.add_argument("robot", nargs="+")
parser.add_argument("--states", type=int, default=2)
parser.add_argument("--bound", type=float, default=1e-10)
if __name__ == "__main__":
    ARGS = parser.parse_args()
    sys.exit(main())
