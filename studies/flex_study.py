#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Figure and tables of docs/flexible.md, from runs of the example flex-arm.

    studies/flex_study.py build/cleave --figure docs/figures/flexible-energy.svg    writes the SVG file
    studies/flex_study.py build/cleave --cost                                       prints the table of costs
    studies/flex_study.py build/cleave --modes                                      prints the table of mode counts

Standard library only.
"""

import argparse
import csv
import json
import pathlib
import subprocess
import tempfile

from figure import Panel, thin, write_svg

FORMULATIONS = [("hdca", "#06c"), ("dca", "#c30"), ("massmatrix", "#393")]
COUNTS = [1, 2, 4, 8, 12, 20]


def cleave(program, *words):
    done = subprocess.run([program, *map(str, words)], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(done.stderr)
    return done.stdout


def rows_of(program, *words):
    """A run of flex-arm as rows of its exported run file."""
    with tempfile.TemporaryDirectory() as folder:
        run, out = pathlib.Path(folder) / "a.cleave", pathlib.Path(folder) / "a.csv"
        cleave(program, "run", "flex-arm", *words, "--out", run)
        cleave(program, "export", run, out)
        with open(out, encoding="utf-8", newline="") as f:
            return list(csv.DictReader(f))


def figure(program, path):
    panels = []
    for rtol in ("1e-6", "1e-8"):
        panel = Panel(f"rtol {rtol}", "t (s)", "energy error (J), largest so far")
        for name, color in FORMULATIONS:
            rows = rows_of(program, "--formulation", name, "--rtol", rtol, "--time", 10, "--every", 0.02)
            energy = [float(row["energy.kinetic [J]"]) + float(row["energy.potential [J]"]) for row in rows]
            panel.add(name, color, *thin([float(r["time [s]"]) for r in rows], [e - energy[0] for e in energy]))
        panels.append(panel)
    write_svg(path, panels)


def evaluation(program, formulation, *model):
    """Seconds of one rate evaluation, the best of five runs of 4000 (rk4, steps of 2e-5 s)."""
    words = ["run", *model, "--formulation", formulation, "--integrator", "rk4", "--step", 2e-5, "--time", 0.02, "--json"]
    return min(json.loads(cleave(program, *words))["seconds_per_evaluation"] for _ in range(5))


def cost(program):
    print("| arm | " + " | ".join(name for name, _ in FORMULATIONS) + " |")
    print("|---" * (1 + len(FORMULATIONS)) + "|")
    arms = [("three rigid links (`chain links=3`)", ("chain", "links=3"))]
    arms += [(f"{n} mode{'' if n == 1 else 's'}", ("flex-arm", f"modes={n}")) for n in COUNTS]
    for text, model in arms:
        times = [f"{1e6 * evaluation(program, name, *model):.3g} us" for name, _ in FORMULATIONS]
        print(f"| {text} | " + " | ".join(times) + " |")


def modes(program):
    """What more modes change: frequencies, evaluations, and the tip's path against 20 modes."""

    def tip(n):
        rows = rows_of(program, f"modes={n}", "--rtol", "1e-9", "--time", 2, "--every", 0.02)
        return [[float(row[f"payload.position.{axis} [m]"]) for axis in "xyz"] for row in rows]

    best = tip(COUNTS[-1])
    print("| modes | highest frequency | evaluations in 2 s at 1e-6 | payload away from that of 20 modes, 2 s |")
    print("|---|---|---|---|")
    for n in COUNTS:
        hz = json.loads(cleave(program, "check", "flex-arm", f"modes={n}", "--json"))["flexible"]["boom"]["frequencies"]
        run = json.loads(cleave(program, "run", "flex-arm", f"modes={n}", "--time", 2, "--json"))
        path = best if n == COUNTS[-1] else tip(n)
        far = max(sum((a - b) ** 2 for a, b in zip(p, q)) ** 0.5 for p, q in zip(path, best))
        print(f"| {n} | {hz[-1]:.4g} Hz | {run['rate_evaluations']} | {far:.1e} m |" if far else
              f"| {n} | {hz[-1]:.4g} Hz | {run['rate_evaluations']} | - |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--figure", type=pathlib.Path)
    parser.add_argument("--cost", action="store_true")
    parser.add_argument("--modes", action="store_true")
    options = parser.parse_args()
    if options.figure:
        figure(options.program, options.figure)
    if options.cost:
        cost(options.program)
    if options.modes:
        modes(options.program)


if __name__ == "__main__":
    main()
