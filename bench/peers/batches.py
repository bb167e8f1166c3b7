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
  exudyn      one arm after the other by RK44 at 10 us, four evaluations a step (exudyn_tree.py)
  Simbody     accelerations alone (simbody.cpp, compiled; --simbody ITS-PROGRAM)

Needs MuJoCo, Pinocchio and exudyn (`pip install mujoco pin exudyn`); a peer that is absent is left out by name."""
import argparse
import os
import re
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

try:
    import exudyn
    import exudyn_tree
except ImportError:
    exudyn = None

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


def arm(q: float):
    """The links as exudyn_tree.read gives them, all at the angle q."""
    links = []
    for i, (mass, com, inertia, turn, offset) in enumerate(LINKS):
        c, s = np.cos(np.radians(turn)), np.sin(np.radians(turn))
        links.append((i - 1, np.array([[1, 0, 0], [0, c, -s], [0, s, c]]), np.array([0.0, 0.0, offset]), mass,
                      np.array([0.0, 0.0, com]), np.diag(inertia), q, 0.0))
    return links


def kinematic_tree() -> float:
    """Seconds an evaluation of exudyn."""
    container, system, _ = exudyn_tree.tree([0.0, 0.0, -9.81], arm(0.2), [k for k, _ in STIFF], [c for _, c in STIFF])
    took = exudyn_tree.evaluation(system, len(LINKS))
    del container
    return took


def simbody(program) -> tuple[str, float]:
    """Name with version, and seconds an evaluation of Simbody."""
    text = "gravity 0 0 -9.81\n"
    for parent, turn, offset, mass, com, inertia, q, u in arm(0.2):
        numbers = [*turn.flat, *offset, mass, *com, *np.diag(inertia), 0, 0, 0, q, u]
        text += f"{parent} R " + " ".join(f"{x:.17g}" for x in numbers) + "\n"
    line = subprocess.run([program, "--springs"], input=text, capture_output=True, text=True, check=True).stdout
    name, took = re.match(r"(Simbody \S+) n=7 (\S+) us", line).groups()
    return name, 1e-6 * float(took)


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("program"), words.add_argument("--runs", type=int, default=64)
    words.add_argument("--rounds", type=int, default=3), words.add_argument("--threads", type=int, default=1)
    words.add_argument("--simbody", help="the program of simbody.cpp")
    o = words.parse_args()
    table = {"cleave, in lanes": lambda: cleave(o.program, o.runs, o.threads),
             "cleave, dca, in lanes": lambda: cleave(o.program, o.runs, o.threads, "--formulation", "dca")}
    if mujoco:
        table[f"MuJoCo {mujoco.__version__} rollout"] = lambda: rollout(o.runs, o.threads)
    if pin:
        table[f"Pinocchio {pin.__version__} abaInParallel"] = lambda: pinocchio(o.runs, o.threads)
    if exudyn:
        table[f"exudyn {exudyn.__version__} RK44"] = kinematic_tree
    if o.simbody:
        table[f"{simbody(o.simbody)[0]} realize"] = lambda: simbody(o.simbody)[1]
    for name, there in (("MuJoCo", mujoco), ("Pinocchio", pin), ("exudyn", exudyn), ("Simbody", o.simbody)):
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
