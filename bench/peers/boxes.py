#!/usr/bin/env python3
"""A hundred boxes in ten columns of ten at rest: largest drift and processor time of a step, by cleave and MuJoCo.

Usage: bench/peers/boxes.py [build/cleave] [--time 10] [--step 1e-3]
Needs PyPI mujoco.  Both run on one thread; times are of the process, without set-up (cleave: a run of one step less).
"""
import argparse
import csv
import resource
import subprocess
import tempfile
import time
from pathlib import Path

import mujoco

COLUMNS, HIGH, SIDE = 10, 10, 0.2
BOXES = [(c, i) for c in range(COLUMNS) for i in range(HIGH)]


def place(c, i):
    return 0.5 * c, 0.0, SIDE * (i + 0.5)


def cleave_model():
    lines = ["cleave: 1", "bodies:"]
    lines += [f"  b{c}_{i}: {{mass: 1, inertia: from shape, shape: {{box: [{SIDE}, {SIDE}, {SIDE}]}}}}" for c, i in BOXES]
    lines += ["joints:"] + [f"  j{c}_{i}: {{kind: free, a: {{body: ground}}, b: {{body: b{c}_{i}}}}}" for c, i in BOXES]
    lines += ["forces:"]
    for c, i in BOXES:
        below, plane = (f"b{c}_{i - 1}", "") if i else ("ground", "normal: [0, 0, 1], ")
        lines.append(f"  c{c}_{i}: {{kind: contact, between: [{below}, b{c}_{i}], {plane}restitution: 0, "
                     "dynamic_friction: 0.5}")
    lines += ["start:", "  bodies:"]
    lines += [f"    b{c}_{i}: {{position: [{x:.17g}, {y:.17g}, {z:.17g}]}}"
              for c, i in BOXES for x, y, z in [place(c, i)]]
    return "\n".join(lines) + "\n"


def processor(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def run_cleave(program, end, step):
    with tempfile.TemporaryDirectory() as folder:
        model, out = Path(folder, "boxes.yaml"), Path(folder, "boxes.csv")
        model.write_text(cleave_model())
        names = ",".join(f"b{c}_{i}.position" for c, i in BOXES)
        base = [program, "run", model, "--step", str(step), "--every", "0.1", "--columns", names, "--force", "--out", out]
        first = processor(base + ["--time", str(step)])
        spent = processor(base + ["--time", str(end)])
        with open(out, newline="") as file:
            rows = list(csv.DictReader(file))
    drift = max(abs(float(row[f"b{c}_{i}.position.{axis} [m]"]) - want) for row in rows for c, i in BOXES
                for axis, want in zip("xyz", place(c, i)))
    return (spent - first) / (end / step), drift


def run_mujoco(end, step, solver, cone):
    bodies = "".join(f'<body pos="{x} {y} {z}"><freejoint/><geom type="box" size="{SIDE / 2} {SIDE / 2} {SIDE / 2}" '
                     'mass="1"/></body>' for c, i in BOXES for x, y, z in [place(c, i)])
    model = mujoco.MjModel.from_xml_string(
        f'<mujoco><option timestep="{step}" solver="{solver}" cone="{cone}"/><default><geom friction="0.5 0 0"/>'
        f'</default><worldbody><geom type="plane" size="20 20 1"/>{bodies}</worldbody></mujoco>')
    data, drift = mujoco.MjData(model), 0.0
    begin = time.process_time()
    for k in range(round(end / step)):
        mujoco.mj_step(model, data)
        if k % 100 == 99:
            drift = max(drift, max(abs(data.qpos[7 * b + a] - place(*box)[a])
                                   for b, box in enumerate(BOXES) for a in range(3)))
    return (time.process_time() - begin) / round(end / step), drift


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", nargs="?", default="build/cleave")
    parser.add_argument("--time", type=float, default=10)
    parser.add_argument("--step", type=float, default=1e-3)
    a = parser.parse_args()
    print("| program | processor time of a step (ms) | largest drift (mm) |\n|---|---|---|")
    rows = [("cleave, moreau", *run_cleave(a.program, a.time, a.step))]
    for solver, cone in [("Newton", "pyramidal"), ("Newton", "elliptic"), ("CG", "elliptic"), ("PGS", "elliptic")]:
        rows.append((f"MuJoCo {mujoco.__version__}, {solver}, {cone} cone", *run_mujoco(a.time, a.step, solver, cone)))
    for name, spent, drift in rows:
        print(f"| {name} | {1e3 * spent:.2f} | {1e3 * drift:.3g} |")


if __name__ == "__main__":
    main()
