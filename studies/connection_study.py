#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Figure and tables of docs/connection.md, from `cleave bench branches`.

    studies/connection_study.py build/cleave --figure docs/figures/connection-loops.svg    time of a cycle by method over loops
    studies/connection_study.py build/cleave --tables mmsev-rigid mmsev-flexible            tables I, III, IV beside the paper's
    studies/connection_study.py --net 5                                                    prints the model of a net of 5 x 5

Times are the best of several samples, one thread.  Standard library only."""
import argparse
import json
import math
import pathlib
import subprocess
import tempfile

from figure import COLORS, Panel, write_svg
from jsc_tables import BRANCH, CYCLE, LOOP, METHOD_2, MASS_MATRIX, STEP4

CURVES = [("method_1", "connection, method 1"), ("method_2", "connection, method 2"), ("dca", "dca"), ("massmatrix", "massmatrix")]
WINDOWS = [1, 2, 4, 8, 16, 32, 64, 128]
NETS = [2, 3, 4, 5, 6, 7, 8]


def bench(program, *words):
    done = subprocess.run([program, "bench", "branches", *map(str, words), "--json"], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(done.stderr)
    return json.loads(done.stdout)


def net(n):
    """n x n bodies joined to their neighbours by balls, hung up at two corners, a branch for every row; YAML."""

    def place(i, j):
        height = 0.5 * math.sin(0.9 * i + 0.3) * math.cos(0.7 * j) + 0.1 * math.sin(7 * i * j + i)
        return (i + 0.1 * math.sin(3 * i + 2 * j), j + 0.1 * math.cos(5 * i - j), height)

    def put(x):
        return "[" + ", ".join(f"{c:.6f}" for c in x) + "]"

    def between(a, b):
        return put([(x + y) / 2 for x, y in zip(place(*a), place(*b))])

    cells = [(i, j) for i in range(n) for j in range(n)]
    lines = ["cleave: 1", f"name: net{n}x{n}", "gravity: [0, 0, -9.81]", "bodies:"]
    lines += [f"  k{i}_{j}: {{mass: 0.2, inertia: [0.01, 0.01, 0.02], branch: row{i}}}" for i, j in cells]
    lines += ["joints:"]
    for i, j in cells:
        for a, b in ((i, j + 1), (i + 1, j)):
            if a < n and b < n:
                lines.append(f"  j{i}_{j}_{a}_{b}: {{kind: spherical, between: [k{i}_{j}, k{a}_{b}], at: {between((i, j), (a, b))}}}")
    lines += ["  c0: {kind: spherical, between: [ground, k0_0], at: [-0.5, 0, 0]}"]
    lines += [f"  c1: {{kind: spherical, between: [ground, k{n - 1}_{n - 1}], at: [{n - 0.5}, {n - 1}, 0]}}"]
    lines += ["start:", "  bodies:"]
    lines += [f"    k{i}_{j}: {{position: {put(place(i, j))}}}" for i, j in cells]
    return "\n".join(lines) + "\n"


def figure(program, path):
    panels = []
    ladder = [(n, bench(program, "four-bar-ladder", f"windows={n}")) for n in WINDOWS]
    grid = []
    with tempfile.TemporaryDirectory() as folder:
        for n in NETS:
            file = pathlib.Path(folder) / f"net{n}.yaml"
            file.write_text(net(n), encoding="utf-8")
            grid.append((2 * n * (n - 1) + 2 - n * n, bench(program, file)))
    for title, runs in (("ladder of four-bars", ladder), ("net, a branch a row", grid)):
        panel = Panel(title, "loops", "one cycle (us)", xlog=True)
        for color, (key, name) in zip((COLORS[0], COLORS[1], COLORS[5], COLORS[3]), CURVES):
            panel.add(name, color, [n for n, _ in runs], [1e6 * r["cycle"][key] for _, r in runs], marks=True)
        panels.append(panel)
    write_svg(path, panels)
    print("| loops of the net | branches | step 4, method 1 | method 2 | cycle, method 1 | method 2 | dca | massmatrix |")
    print("|---" * 8 + "|")
    for n, r in grid:
        numbers = [r["method_1_seconds"], r["method_2_seconds"], *(r["cycle"][key] for key, _ in CURVES)]
        print(f"| {n} | {len(r['branches'])} | " + " | ".join(f"{1e6 * x:.3g} us" for x in numbers) + " |")


def rows_of(kind, r):
    """(row, theirs, ours) in us."""
    theirs = {f"branch{k}": 10 * x for k, x in enumerate(BRANCH[kind])}
    for branch in sorted(r["branches"], key=lambda b: b["name"]):
        yield f"I: {branch['name']}, {branch['bodies']} bodies", theirs.get(branch["name"]), branch["seconds"]
    yield "I: loops", 10 * sum(LOOP[kind]), None
    yield "I: poses, velocities, loads of all", None, r["motion_seconds"]
    yield "III: method 1, 4a", 10 * STEP4[kind][0], r["matrix_seconds"]
    yield "III: method 1, 4b", 10 * STEP4[kind][1], r["solve_seconds"]
    yield "III: method 1", 10 * STEP4[kind][2], r["method_1_seconds"]
    yield "III: method 2", 10 * METHOD_2[kind], r["method_2_seconds"]
    yield "IV: mass matrix", 10 * MASS_MATRIX[kind], r["cycle"]["massmatrix"]
    yield "IV: method 1", 10 * CYCLE[kind][0], r["cycle"]["method_1"]
    yield "IV: method 2", None, r["cycle"]["method_2"]


def tables(program, models):
    for kind, model in zip(("rigid", "flex"), models):
        print(f"| {model} | paper (us) | cleave (us) |\n|---|---|---|")
        for name, theirs, ours in rows_of(kind, bench(program, model)):
            cells = ["-" if theirs is None else f"{theirs:.4g}", "-" if ours is None else f"{1e6 * ours:.3g}"]
            print(f"| {name} | " + " | ".join(cells) + " |")
        print()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", nargs="?", default="build/cleave")
    parser.add_argument("--figure", type=pathlib.Path)
    parser.add_argument("--tables", nargs=2, metavar=("RIGID", "FLEXIBLE"))
    parser.add_argument("--net", type=int)
    given = parser.parse_args()
    if given.net:
        print(net(given.net), end="")
    if given.figure:
        figure(given.program, given.figure)
    if given.tables:
        tables(given.program, given.tables)


if __name__ == "__main__":
    main()
