#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""MJCF models read by cleave against MuJoCo: accelerations of random states, and the table of docs/robots.md.

Use: mjcf.py PROGRAM FILE.xml ... [--states N] [--bound B] [--installed]
Needs MuJoCo, NumPy and PyYAML (pip install mujoco numpy pyyaml). Exit code 77 without them; 1 if a model differs by more than --bound.

Of every file a model is written by `cleave import`. Random coordinates, rates and controls are put into it. The
accelerations of `cleave eval --json` are compared with those of M a = f with M and f of MuJoCo, for the coordinates that
cleave reports. Contact, limits and dry friction are off. Equality constraints are rows J a = -Jdot v of a hard system:
MuJoCo itself holds them by springs. What the list of `cleave import` names as lost is switched off in MuJoCo, too."""
import argparse
import importlib.util
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

try:
    import mujoco
    import numpy as np
    import yaml
except ImportError as absent:
    print(f"mjcf.py: skipped, there is no {absent.name} (pip install mujoco numpy pyyaml)")
    sys.exit(77)

FREE, BALL, SLIDE, HINGE = (int(x) for x in (mujoco.mjtJoint.mjJNT_FREE, mujoco.mjtJoint.mjJNT_BALL, mujoco.mjtJoint.mjJNT_SLIDE,
                                             mujoco.mjtJoint.mjJNT_HINGE))
WIDTH = {FREE: (7, 6), BALL: (4, 3), SLIDE: (1, 1), HINGE: (1, 1)}
CONNECT, WELD, COUPLING, TENDON = range(4)  # equality constraints
SITE = int(mujoco.mjtObj.mjOBJ_SITE)
ON_TENDON = int(mujoco.mjtTrn.mjTRN_TENDON)
ON_JOINT = {int(mujoco.mjtTrn.mjTRN_JOINT), int(mujoco.mjtTrn.mjTRN_JOINTINPARENT)}
LOST = {"actuator": "actuator", "tendon": "tendon", "position limits": "limits", "dry friction": "friction", "contact": "contact",
        "force limits": "force limit", "limits of all": "force limit", "mesh": "mesh", "shape": "shape", "keyframe": "keyframe",
        "equality": "equality", "stiffness of": "ball stiffness", "springdamper": "springdamper",
        "polynomial": "polynomial", "damping of actuator": "dampratio", "mocap": "mocap", "element": "element", "attribute": "attribute",
        "medium": "medium"}


class Unlike(Exception):
    """The model cannot be compared."""


def cleave(*words):
    done = subprocess.run([ARGS.program, *map(str, words)], capture_output=True, text=True, timeout=300)
    if done.returncode:
        lines = [line for line in done.stderr.strip().splitlines() if "not carried over" not in line]
        raise RuntimeError(lines[0] if lines else "failed")
    return done


def load(text):
    class Loader(yaml.SafeLoader):
        pass
    Loader.yaml_implicit_resolvers = {}
    Loader.add_implicit_resolver("tag:yaml.org,2002:float", re.compile(
        r"^[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?$"), list("-+0123456789."))
    Loader.add_implicit_resolver("!deg", re.compile(r"^[-+]?[\d.]+ deg$"), list("-+0123456789."))
    Loader.add_constructor("!deg", lambda loader, node: float(node.value.split()[0]) * np.pi / 180)
    model = yaml.load(text, Loader)
    model["cleave"] = 1
    return model


def kind_of(note):
    for word, kind in LOST.items():
        if word in note:
            return kind
    return "other"


class Pair:
    """A file as cleave and as MuJoCo read it."""

    def __init__(self, path):
        self.m = mujoco.MjModel.from_xml_path(str(path))
        if "align" in path.read_text(errors="replace"):  # frames as they are written
            spec = mujoco.MjSpec.from_file(str(path))
            spec.compiler.alignfree = False
            for joint in spec.joints:
                joint.align = 0
            self.m = spec.compile()
        self.d = mujoco.MjData(self.m)
        done = cleave("import", path, "--contacts", "none")
        self.notes = [line.split("not carried over: ")[1] for line in done.stderr.splitlines() if "not carried over: " in line]
        self.model = load(done.stdout)
        self.names = list(self.model.get("joints", {}))[:self.m.njnt]
        if len(self.names) < self.m.njnt or not all(isinstance(name, str) for name in self.names):
            raise Unlike("names of joints, or their number")
        for i, name in enumerate(self.names):
            given = mujoco.mj_id2name(self.m, mujoco.mjtObj.mjOBJ_JOINT, i)
            if given and given != name and not name.startswith(given):
                raise Unlike(f"joint {i} is '{given}' in MuJoCo and '{name}' here")
        self.switch_off()

    def has(self, word):
        return [note for note in self.notes if word in note]

    def switch_off(self):
        m, bit = self.m, mujoco.mjtDisableBit
        for flag in (bit.mjDSBL_CONTACT, bit.mjDSBL_LIMIT, bit.mjDSBL_FRICTIONLOSS, bit.mjDSBL_EQUALITY):
            m.opt.disableflags |= int(flag)
        m.opt.density = m.opt.viscosity = 0
        m.jnt_actfrclimited[:] = 0
        m.actuator_forcelimited[m.actuator_biastype != 0] = 0
        for i in range(m.ntendon):
            name = mujoco.mj_id2name(m, mujoco.mjtObj.mjOBJ_TENDON, i) or "tendon"
            lost, slack = self.has(f"tendon '{name}': it "), self.has(f"spring of tendon '{name}'")
            for field in ("stiffness", "stiffnesspoly") if slack and not lost else ("stiffness", "stiffnesspoly", "damping", "dampingpoly"):
                if (lost or slack) and hasattr(m, "tendon_" + field):
                    getattr(m, "tendon_" + field)[i] = 0
        if hasattr(m, "tendon_armature"):
            m.tendon_armature[:] = 0
        for i in range(m.njnt):
            if m.jnt_type[i] in (BALL, FREE):
                m.jnt_stiffness[i] = 0
        if m.nplugin:
            raise Unlike("plugins")
        for note in self.notes:
            if "element <hfield>" in note:  # contact, which is off
                continue
            if "springdamper" in note or "terms of higher order" in note or ("element <" in note or "attribute" in note) and "can change" in note:
                raise Unlike(note)
        self.drives = [self.drive(i) for i in range(m.nu)]

    def drive(self, i):
        """Name and factor of the input of an actuator; None: it is lost, and does nothing in MuJoCo either."""
        m = self.m
        name = mujoco.mj_id2name(m, mujoco.mjtObj.mjOBJ_ACTUATOR, i)
        joint = m.actuator_trnid[i][0]
        on_joint, on_tendon = int(m.actuator_trntype[i]) in ON_JOINT, int(m.actuator_trntype[i]) == ON_TENDON
        name = name or (self.names[joint] if on_joint else mujoco.mj_id2name(m, mujoco.mjtObj.mjOBJ_TENDON, joint) if on_tendon else "")
        if name not in self.model.get("inputs", {}) or any(f"'{name}': " in note and "actuator <" in note for note in self.notes):
            m.actuator_gainprm[i], m.actuator_biasprm[i] = 0, 0
            m.actuator_gaintype[i] = m.actuator_biastype[i] = m.actuator_dyntype[i] = 0
            return None
        if self.has(f"damping of actuator '{name}'"):
            m.actuator_biasprm[i][2] = 0
        gear = [x for x in m.actuator_gear[i][:1 if on_tendon else WIDTH[int(m.jnt_type[joint])][1]] if x != 0]
        return name, gear[0] * m.actuator_gainprm[i][0]

    # ------------------------------------------------------------ states

    def loops(self):
        """Equality constraints that cleave has, too."""
        m = self.m
        lost = [note for note in self.notes if kind_of(note) in ("equality", "polynomial") and "not active" not in note]
        kept = [i for i in range(m.neq) if m.eq_active0[i] and m.eq_type[i] in (CONNECT, WELD, COUPLING, TENDON)]
        if lost and any(m.eq_active0[i] and m.eq_type[i] > TENDON for i in range(m.neq)):
            raise Unlike(lost[0])
        return kept

    def random_state(self, rng):
        m, spread = self.m, 0.05 if self.loops() else 1.0
        model = json.loads(json.dumps(self.model))
        start = model.get("start", {}).get("joints", {})
        for i, name in enumerate(self.names):
            nq, nu = WIDTH[int(m.jnt_type[i])]
            if any(motion["joint"] == name for motion in model.get("motions", {}).values()):
                continue
            old = start.get(name, {}).get("q", [0] * (nq - 4) + [1, 0, 0, 0] if nq > 1 else 0)
            q = np.atleast_1d(np.array(old, float)) + spread * rng.uniform(-1, 1, nq)
            if nq > 1:
                q[-4:] /= np.linalg.norm(q[-4:])
            u = spread * rng.uniform(-1, 1, nu)
            start[name] = {"q": q.tolist() if nq > 1 else q[0], "u": u.tolist() if nu > 1 else u[0]}
        model["start"] = {"joints": start}
        self.d.ctrl[:] = rng.uniform(-1, 1, m.nu)
        for i, drive in enumerate(self.drives):
            if drive is None:
                continue
            if m.actuator_ctrllimited[i]:
                low, high = m.actuator_ctrlrange[i]
                self.d.ctrl[i] = np.clip(self.d.ctrl[i], low, high)
            entry = model["inputs"][drive[0]]
            entry["value"] = drive[1] * self.d.ctrl[i]
            if entry.get("limit") and m.actuator_forcelimited[i]:
                low, high = entry["limit"] if isinstance(entry["limit"], list) else (-entry["limit"], entry["limit"])
                entry["value"] = float(np.clip(entry["value"], low, high))
        return model

    def evaluate(self, model):
        with tempfile.NamedTemporaryFile("w", suffix=".yaml", delete=False) as file:
            json.dump(model, file)
        try:
            return json.loads(cleave("eval", file.name, "--json").stdout)["joints"]
        finally:
            Path(file.name).unlink()

    # ------------------------------------------------------------ MuJoCo

    def fixed_tendon(self, t):
        """Its length beyond that of the reference position, and the factors of the joints."""
        m, row, length = self.m, np.zeros(self.m.nv), 0.0
        for k in range(m.tendon_adr[t], m.tendon_adr[t] + m.tendon_num[t]):
            joint, at = m.wrap_objid[k], m.jnt_qposadr[m.wrap_objid[k]]
            row[m.jnt_dofadr[joint]] += m.wrap_prm[k]
            length += m.wrap_prm[k] * (self.d.qpos[at] - m.qpos0[at])
        return length, row

    def rows(self):
        """J, Jdot v and the violation of the equality constraints."""
        m, d, J, drift, gap = self.m, self.d, [], [], []
        for i in self.loops():
            kind, one, two, data = m.eq_type[i], m.eq_obj1id[i], m.eq_obj2id[i], m.eq_data[i]
            if kind == COUPLING:
                row, curve, bend = np.zeros(m.nv), np.polynomial.Polynomial(data[:5]), 0.0
                row[m.jnt_dofadr[one]] = 1
                a = d.qpos[m.jnt_qposadr[one]] - m.qpos0[m.jnt_qposadr[one]]
                x = d.qpos[m.jnt_qposadr[two]] - m.qpos0[m.jnt_qposadr[two]] if two >= 0 else 0.0
                if two >= 0:
                    row[m.jnt_dofadr[two]] -= curve.deriv()(x)
                    bend = -curve.deriv(2)(x) * d.qvel[m.jnt_dofadr[two]]**2
                J.append(row[None]), drift.append([bend]), gap.append([a - curve(x)])
                continue
            if kind == TENDON:
                sides = [self.fixed_tendon(t) for t in (one, two) if t >= 0]
                J.append((sides[0][1] - (data[1] * sides[1][1] if two >= 0 else 0))[None]), drift.append([0.0])
                gap.append([sides[0][0] - data[0] - (data[1] * sides[1][0] if two >= 0 else 0)])
                continue
            site = int(m.eq_objtype[i]) == SITE
            side = []
            for k, index in enumerate((one, two)):
                body = m.site_bodyid[index] if site else index
                local = data[3 * k:3 * k + 3] if kind == CONNECT else data[3 * (1 - k):3 * (1 - k) + 3]
                point = d.site_xpos[index] if site else d.xpos[body] + d.xmat[body].reshape(3, 3) @ local
                R = (d.site_xmat[index] if site else d.xmat[body]).reshape(3, 3).copy()
                if kind == WELD and not site and k == 0:
                    turn = np.zeros(9)
                    mujoco.mju_quat2Mat(turn, data[6:10])
                    R = R @ turn.reshape(3, 3)
                parts = [np.zeros((3, m.nv)) for _ in range(4)]
                mujoco.mj_jac(m, d, parts[0], parts[1], point, body)
                mujoco.mj_jacDot(m, d, parts[2], parts[3], point, body)
                side.append((point, R, parts))
            (p, R, a), (q, S, b) = side
            n = 1 if kind == CONNECT else 2
            J += [a[k] - b[k] for k in range(n)]
            drift += [(a[2 + k] - b[2 + k]) @ d.qvel for k in range(n)]
            gap.append(p - q)
            if n == 2:
                gap.append((R.T @ S - np.eye(3)).ravel())
        if not J:
            return np.zeros((0, m.nv)), np.zeros(0), 0.0
        return np.vstack(J), np.concatenate(drift), float(np.max(np.abs(np.concatenate(gap))))

    def accelerations(self):
        m, d = self.m, self.d
        mujoco.mj_forward(m, d)
        M = np.zeros((m.nv, m.nv))
        mujoco.mj_fullM(m, d, M)
        f = d.qfrc_passive - d.qfrc_bias + d.qfrc_actuator + d.qfrc_applied
        J, drift, gap = self.rows()
        self.free = np.linalg.solve(M, f)
        if len(J) == 0:
            return self.free, gap, np.linalg.cond(M)
        u, s, vt = np.linalg.svd(J)
        rank = int((s > 1e-8 * s[0]).sum())
        N = vt[rank:].T
        particular = -np.linalg.lstsq(J, drift, rcond=1e-8)[0]
        a = particular
        if N.shape[1]:
            a = particular + N @ np.linalg.solve(N.T @ M @ N, N.T @ (f - M @ particular))
        return a, gap, np.linalg.cond(M)

    def compare(self, rng):
        """Largest relative difference, violation of the constraints, condition of M."""
        m, d = self.m, self.d
        got = self.evaluate(self.random_state(rng))
        for i, name in enumerate(self.names):
            nq, nu = WIDTH[int(m.jnt_type[i])]
            d.qpos[m.jnt_qposadr[i]:m.jnt_qposadr[i] + nq] = got[name]["q"]
            d.qvel[m.jnt_dofadr[i]:m.jnt_dofadr[i] + nu] = got[name]["u"]
        here = np.concatenate([np.atleast_1d(got[name]["udot"]) for name in self.names])
        there, gap, condition = self.accelerations()
        scale = max(np.max(np.abs(there)), np.max(np.abs(self.free)), np.max(d.qvel**2))  # also where all is held
        return np.max(np.abs(here - there)) / max(scale, 1e-300), gap, condition


def row(path, rng):
    try:
        pair = Pair(path)
    except ValueError as problem:
        return "MuJoCo", f"MuJoCo cannot read it: {str(problem).splitlines()[0][:80]}", None, None
    except Unlike as problem:
        return "unlike", f"read, not compared: {problem}", None, None
    except RuntimeError as problem:
        return "refused", f"refused: {str(problem).split(': ', 2)[-1][:140]}", None, None
    except Exception as problem:  # MuJoCo's own errors
        return "MuJoCo", f"MuJoCo cannot read it: {str(problem).splitlines()[0][:80]}", None, None
    count = {}
    for note in pair.notes:
        if "its input is the effort" not in note:
            count[kind_of(note)] = count.get(kind_of(note), 0) + 1
    lost = ", ".join(f"{n} {word}" for word, n in count.items()) or "-"
    try:
        found = [pair.compare(rng) for _ in range(ARGS.states)]
    except Unlike as problem:
        return "unlike", f"read, not compared: {problem}", None, lost
    except Exception as problem:
        return "start", f"read; {str(problem).split(': ', 2)[-1].splitlines()[0][:140]}", None, lost
    error, gap, condition = (max(x[k] for x in found) for k in range(3))
    text = f"{error:.1e}" + (f", violation {gap:.0e}" if gap > 0 else "") + (f", condition {condition:.0e}" if error > ARGS.bound else "")
    return "compared", text, error, lost


def installed():
    """Models of packages that are here: the suite of dm_control, the robots of gymnasium."""
    found = []
    for package, folder in (("dm_control", "suite"), ("gymnasium", "envs/mujoco/assets")):
        spec = importlib.util.find_spec(package)
        for root in spec.submodule_search_locations if spec else []:
            found += sorted(path for path in (Path(root) / folder).glob("*.xml") if path.stem not in ("dog", "lqr"))
    return found


def main():
    rng = np.random.default_rng(1)
    good = count = 0
    print("| MJCF | not carried over | largest relative difference |\n|---|---|---|")
    for path in map(Path, ARGS.model + (installed() if ARGS.installed else [])):
        kind, text, error, lost = row(path, rng)
        print(f"| {path.stem if not ARGS.long else path} | {lost or '-'} | {text} |", flush=True)
        count += kind != "MuJoCo"
        good += error is not None and error <= ARGS.bound
    print(f"\n{good} of {count} agree within {ARGS.bound:g}")
    return 0 if good == count else 1


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("program")
parser.add_argument("model", nargs="*")
parser.add_argument("--states", type=int, default=2)
parser.add_argument("--bound", type=float, default=1e-10)
parser.add_argument("--installed", action="store_true", help="also models of dm_control and gymnasium, where they are")
parser.add_argument("--long", action="store_true", help="whole paths in the table")
if __name__ == "__main__":
    ARGS = parser.parse_intermixed_args()
    sys.exit(main())
