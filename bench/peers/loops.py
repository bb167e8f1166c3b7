#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times one evaluation of robots with loops by cleave and by Pinocchio, in one run.

    bench/peers/loops.py --rates build/bench_rates [--derivatives build/bench_derivatives] [--loops PROGRAM] [--rounds 3] ROBOT.urdf ...

Each robot has its side file beside it: ROBOT.yaml with `closed_loop` (pairs of frames) and `type` (6d or 3d).  Needs Pinocchio
and PyYAML (`pip install pin pyyaml`).  PROGRAM is bench/peers/loops.cpp; without it the Python module is timed, with what its calls cost
(1 to 2 us).  Velocities and efforts are zero on both sides; cleave starts at the nearest configuration that closes all loops, and Pinocchio
at the neutral one.  Programs run in turn; the best of the rounds counts.  With --derivatives
a second table has all first derivatives, of both with the evaluation they need.  bench/peers/loop_robots.py writes robots.  The table is Markdown: microseconds an evaluation."""
import argparse
import re
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pinocchio as pin
import yaml

FORMULATIONS = ("hdca", "dca", "massmatrix")


def numbers(*arrays) -> str:
    return " ".join(repr(float(x)) for a in arrays for x in np.ravel(a))


def joint_text(m, i: int) -> str:
    name = m.joints[i].shortname()
    kind = "F" if "FreeFlyer" in name else "P" if name.startswith("JointModelP") else "R" if name.startswith("JointModelR") else None
    if kind is None or "UnboundedR" in name or m.joints[i].nv not in (1, 6):
        sys.exit(f"loops: joints of kind {name} are not supported")
    data = m.joints[i].createData()
    m.joints[i].calc(data, pin.neutral(m)[m.joints[i].idx_q:][:m.joints[i].nq])
    axis = np.zeros(3) if kind == "F" else np.ravel(data.S)[:3] if kind == "P" else np.ravel(data.S)[3:]
    P, Y = m.jointPlacements[i], m.inertias[i]
    return f"joint {m.parents[i]} {kind} {numbers(axis, P.rotation, P.translation, Y.mass, Y.lever, Y.inertia)}"


def read(path: Path):
    m = pin.buildModelFromUrdf(str(path))
    side = yaml.safe_load(path.with_suffix(".yaml").read_text(encoding="utf-8"))
    loops = []
    for names, kind in zip(side["closed_loop"], side["type"]):
        a, b = (m.frames[m.getFrameId(n)] for n in names)
        loops.append((kind.lower(), a.parentJoint, a.placement, b.parentJoint, b.placement))
    return m, loops


def text_of(m, loops) -> str:
    lines = [joint_text(m, i) for i in range(1, m.njoints)]
    for kind, a, A, b, B in loops:
        lines.append(f"loop {kind} {a} {numbers(A.rotation, A.translation)} {b} {numbers(B.rotation, B.translation)}")
    return "\n".join(lines) + "\n"


def best_of_nine(call) -> float:
    best = np.inf
    for _ in range(9):
        began = time.perf_counter()
        for _ in range(300):
            call()
        best = min(best, (time.perf_counter() - began) / 300)
    return 1e6 * best


def by_python(m, loops) -> dict:
    models = pin.StdVec_RigidConstraintModel()
    for kind, a, A, b, B in loops:
        type_ = pin.ContactType.CONTACT_6D if kind == "6d" else pin.ContactType.CONTACT_3D
        models.append(pin.RigidConstraintModel(type_, m, a, A, b, B, pin.ReferenceFrame.LOCAL))
    datas = pin.StdVec_RigidConstraintData()
    for x in models:
        datas.append(x.createData())
    q, v, tau = pin.neutral(m), np.zeros(m.nv), np.zeros(m.nv)
    settings, found = pin.ProximalSettings(1e-10, 1e-10, 20), {}
    d = m.createData()
    pin.initConstraintDynamics(m, d, models, datas)
    found["constraintDynamics"] = best_of_nine(lambda: pin.constraintDynamics(m, d, q, v, tau, models, datas, settings))
    def derivatives():
        pin.constraintDynamics(m, d, q, v, tau, models, datas, settings)
        pin.computeConstraintDynamicsDerivatives(m, d, models, datas, settings)
    found["derivatives"] = best_of_nine(derivatives)
    d = m.createData()
    pin.computeJointMinimalOrdering(m, d, models)
    found["lcaba"] = best_of_nine(lambda: pin.lcaba(m, d, q, v, tau, models, datas, settings))
    return found


def output(words, text=None) -> str:
    done = subprocess.run(words, input=text, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"loops: {words[0]}: {done.stderr.strip()}")
    return done.stdout


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--rates", required=True)
    parser.add_argument("--derivatives")
    parser.add_argument("--loops")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("robot", nargs="+", type=Path)
    args = parser.parse_args()
    peers = ("constraintDynamics", "lcaba")
    print("| robot | degrees of freedom, rows | " + " | ".join(FORMULATIONS + peers) + " | best of cleave / best of Pinocchio |")
    print("|---" * (len(FORMULATIONS) + 5) + "|")
    slopes = []
    for path in args.robot:
        m, loops = read(path)
        text, best, own = text_of(m, loops), {}, np.inf
        for _ in range(args.rounds):
            for name in FORMULATIONS:
                line = output([args.rates, name, str(path)])
                best[name] = min(best.get(name, np.inf), float(re.search(r"([\d.]+) us", line)[1]))
            found = by_python(m, loops) if not args.loops else {
                x.split()[0]: float(re.search(r"([\d.]+) us", x)[1]) for x in output([args.loops], text).splitlines()}
            if args.derivatives:
                own = min(own, float(re.search(r"([\d.]+) us", output([args.derivatives, str(path)]))[1]))
            for name in (*peers, "derivatives"):
                best[name] = min(best.get(name, np.inf), found.get(name, np.inf))
        rows = sum(6 if x[0] == "6d" else 3 for x in loops)
        slopes.append(f"| {path.stem} | {m.nv}, {rows} | {own:.1f} | {best['derivatives']:.1f} | {own / best['derivatives']:.2f} |")
        ratio = min(best[n] for n in FORMULATIONS) / min(best[n] for n in peers)
        print(f"| {path.stem} | {m.nv}, {rows} | " + " | ".join(f"{best[n]:.1f}" for n in FORMULATIONS + peers) + f" | {ratio:.2f} |", flush=True)
    if args.derivatives:
        print("\n| robot | rates, rows | derivatives, cleave | constraintDynamics and its derivatives, Pinocchio | ratio |\n|---|---|---|---|---|")
        print("\n".join(slopes))


if __name__ == "__main__":
    main()
