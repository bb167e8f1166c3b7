#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Time of one evaluation of forward dynamics beside MuJoCo: robot_times.py PROGRAM FILE.xml ...

Ours: the fastest formulation of `cleave bench branches`, best of 31 samples.  MuJoCo: mj_step over many steps in one
call, best of 31; contact, limits, dry friction and equality constraints are switched off, and the update of its Euler
step counts in.  Both on one thread, one after the other.  Needs mujoco (pip install mujoco)."""
import argparse
import json
import subprocess
import sys
import time
from pathlib import Path

try:
    import mujoco
except ImportError:
    print("robot_times.py: skipped, there is no mujoco (pip install mujoco)")
    sys.exit(77)


def ours(program, path):
    done = subprocess.run([program, "bench", "branches", str(path), "--json"], capture_output=True, text=True, timeout=300)
    if done.returncode:
        raise RuntimeError("refused")
    cycle = json.loads(done.stdout)["cycle"]
    name = min(cycle, key=cycle.get)
    return cycle[name], name.replace("method_1", "connection").replace("method_2", "connection")


def theirs(path):
    m = mujoco.MjModel.from_xml_path(str(path))
    bit = mujoco.mjtDisableBit
    for flag in (bit.mjDSBL_CONTACT, bit.mjDSBL_LIMIT, bit.mjDSBL_FRICTIONLOSS, bit.mjDSBL_EQUALITY, bit.mjDSBL_SENSOR):
        m.opt.disableflags |= int(flag)
    m.opt.integrator = mujoco.mjtIntegrator.mjINT_EULER
    m.opt.timestep = 1e-6
    d = mujoco.MjData(m)
    best, n = float("inf"), 100
    for _ in range(31):
        mujoco.mj_resetData(m, d)
        start = time.perf_counter()
        mujoco.mj_step(m, d, n)
        best = min(best, (time.perf_counter() - start) / n)
    return best, m.nv


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("files", nargs="+", type=Path)
    args = parser.parse_args()
    print("| MJCF | degrees of freedom | cleave, us | by | MuJoCo, us | MuJoCo over cleave |\n|---|---|---|---|---|---|")
    for path in args.files:
        try:
            mine, name = ours(args.program, path)
            other, nv = theirs(path)
            mine = min(mine, ours(args.program, path)[0])
            other = min(other, theirs(path)[0])
            print(f"| {path.stem} | {nv} | {mine * 1e6:.2f} | {name} | {other * 1e6:.2f} | {other / mine:.1f} |", flush=True)
        except (RuntimeError, ValueError, KeyError, subprocess.TimeoutExpired) as error:
            print(f"| {path.stem} | - | {str(error)[:60]} | | | |", flush=True)


main()
