#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Many arms at once: cleave's sweep in lanes and alone, MuJoCo's rollout, Pinocchio's parallel ABA, in one run.

    python3 bench/peers/batches.py [--runs 64] [--rounds 3] [--threads 1] PROGRAM

The arm is tests/models/arm_7_joints.yaml: seven revolute joints with springs and dampers.  The numbers are nanoseconds
of processor time for one evaluation of one arm, the least of the rounds, with everything between the evaluations.

  cleave      dopri5 for 20 s and for 0.01 s, the difference over that of the evaluations (`rate_evaluations` of the
              rows), so that reading and starts are left out
  MuJoCo      rollout with RK4 at 0.5 ms, four evaluations a step, without constraints, sensors and actuators
  Pinocchio   abaInParallel: accelerations alone, no integrator, springs and dampers

Needs MuJoCo and Pinocchio (`pip install mujoco pin`); a peer that is absent is left out by name."""
import argparse
import os
import sqlite3
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np

try:
    import mujoco
    import mujoco.rollout
except ImportError:
    mujoco = None
try:
    import pinocchio as pin
except ImportError:
    pin = None

MODEL = Path(__file__).resolve().parents[2] / "tests/models/arm_7_joints.yaml"
LINKS = [  # kg, m, kg m^2, turn of the joint frame about x (degrees), offset on the link before; of the model file
    (4, 0.15, (0.032, 0.032, 0.003), 0, 0), (4, 0.15, (0.032, 0.032, 0.003), -90, 0.3),
    (3, 0.125, (0.01763, 0.01763, 0.003), 0, 0.3), (2.5, 0.125, (0.01502, 0.01502, 0.003), -90, 0.25),
    (2, 0.1, (0.008667, 0.008667, 0.003), 0, 0.25), (1.5, 0.075, (0.004813, 0.004813, 0.003), -90, 0.2),
    (0.8, 0.05, (0.002667, 0.002667, 0.003), 0, 0.15)]
STIFF = [(20, 4), (60, 8), (20, 3), (40, 4), (8, 1), (8, 1), (2, 0.2)]


def mjcf() -> str:
    """The arm for MuJoCo; axes of the links are those of the joints, as good as the file's for the time."""
    text, ends = "", ""
    for i, ((mass, com, inertia, turn, offset), (k, c)) in enumerate(zip(LINKS, STIFF, strict=True)):
        text += (f'<body pos="0 0 {offset}" euler="{turn} 0 0"><inertial mass="{mass}" pos="0 0 {com}" diaginertia="'
                 f'{inertia[0]} {inertia[1]} {inertia[2]}"/><joint name="j{i}" axis="0 0 1" stiffness="{k}" '
                 f'damping="{c}" springref="10"/>')
        ends += "</body>"
    return (f'<mujoco><option timestep="0.0005" integrator="RK4"><flag contact="disable" constraint="disable" '
            f'sensor="disable"/></option><worldbody>{text}{ends}</worldbody></mujoco>')


def used(words) -> tuple[float, float]:
    """Processor time and evaluations of a sweep."""
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "arms.sweep")
        process = subprocess.Popen([*words, "--out", out], stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        assert status == 0, words
        count, = sqlite3.connect(out).execute("SELECT sum(rate_evaluations) FROM runs").fetchone()
    return usage.ru_utime + usage.ru_stime, count


def cleave(program, runs, threads, *options) -> float:
    """Seconds an evaluation."""
    def one(end):
        return used([program, "sweep", str(MODEL), "--vary", "d1.damping=1..6", "--runs", str(runs), "--time", str(end),
                     "--every", str(end), "--columns", "j1.q", "--threads", str(threads), *options])
    (short, few), (long, many) = one(0.01), one(20)
    return (long - short) / (many - few)


def rollout(runs, threads) -> float:
    """Seconds an evaluation of MuJoCo."""
    model = mujoco.MjModel.from_xml_string(mjcf())
    data = [mujoco.MjData(model) for _ in range(threads)]
    size = mujoco.mj_stateSize(model, mujoco.mjtState.mjSTATE_FULLPHYSICS)
    start = np.zeros((runs, size))
    start[:, 1:8] = np.random.default_rng(1).uniform(-1, 1, (runs, 7))
    steps = 200
    before = time.process_time()
    mujoco.rollout.rollout(model, data if threads > 1 else data[0], start, nstep=steps)
    return (time.process_time() - before) / (runs * steps * 4)


def pinocchio(runs, threads) -> float:
    """Seconds an evaluation of Pinocchio."""
    model = pin.Model()
    parent = 0
    for i, (mass, com, inertia, turn, offset) in enumerate(LINKS):
        angle = np.radians(turn)
        place = pin.SE3(pin.utils.rotate("x", angle), np.array([0, 0, offset], dtype=float))
        parent = model.addJoint(parent, pin.JointModelRZ(), place, f"j{i}")
        model.appendBodyToJoint(parent, pin.Inertia(mass, np.array([0, 0, com]), np.diag(inertia)), pin.SE3.Identity())
    pool = pin.ModelPool(model, threads)
    many = 64 * runs
    q, v, tau, a = (np.asfortranarray(np.random.default_rng(k).uniform(-1, 1, (7, many))) for k in range(4))
    before = time.process_time()
    for _ in range(20):
        pin.abaInParallel(threads, pool, q, v, tau, a)
    return (time.process_time() - before) / (20 * many)


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("program"), words.add_argument("--runs", type=int, default=64)
    words.add_argument("--rounds", type=int, default=3), words.add_argument("--threads", type=int, default=1)
    o = words.parse_args()
    table = {"cleave, in lanes": lambda: cleave(o.program, o.runs, o.threads),
             "cleave, dca, in lanes": lambda: cleave(o.program, o.runs, o.threads, "--formulation", "dca")}
    if mujoco:
        table[f"MuJoCo {mujoco.__version__} rollout"] = lambda: rollout(o.runs, o.threads)
    if pin:
        table[f"Pinocchio {pin.__version__} abaInParallel"] = lambda: pinocchio(o.runs, o.threads)
    for name, there in (("MuJoCo", mujoco), ("Pinocchio", pin)):
        if not there:
            print(f"{name} is absent")
    least = {name: float("inf") for name in table}
    for _ in range(o.rounds):
        for name, call in table.items():
            least[name] = min(least[name], call())
    for name, seconds in least.items():
        print(f"| {name} | {1e9 * seconds:.0f} |")


if __name__ == "__main__":
    main()
