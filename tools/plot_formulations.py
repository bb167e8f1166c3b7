#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The figures and tables that the pages of the formulations have in common.

    tools/plot_formulations.py build/cleave --figures docs/figures [--only hdca dca ...]
        NAME-drift.svg: energy error and gap over 100 s;  NAME-work.svg: evaluations over the tolerance, error over evaluations
    tools/plot_formulations.py build/cleave --cost            time of a rate evaluation, as Markdown
    tools/plot_formulations.py build/cleave --singular        ladders and five-bar through singular positions, as Markdown
    --model NAME [key=value ...]                              another mechanism than loop-7r in the figures

A formulation with a time step of its own is given steps in the place of tolerances, and its iterations a step are shown.  Errors are
distances from a run of massmatrix at a tolerance of 1e-13.  Standard library only."""
import argparse
import csv
import json
import math
import pathlib
import subprocess
import tempfile

from figure import COLORS, Panel, thin, write_svg

DRIFT_TIME, WORK_TIME = 100, 10
TOLERANCES = [10.0**-k for k in range(3, 11)]
STEPS = [0.02, 0.01, 0.005, 0.0025, 0.00125]
INTEGRATORS = ["dopri5", "adams", "dop853", "bs23"]
MIDDLE = "1e-6"  # the default tolerance, at which variants are shown
# what keeps or opens loops in each, at the default tolerance
VARIANTS = {
    "hdca": [("not projected", ["--no-project"])],
    "dca": [("not projected", ["--no-project"]), ("Baumgarte 100, 20", ["--no-project", "--baumgarte", "100,20"])],
    "connection": [("not projected", ["--no-project"]), ("Baumgarte 100, 20", ["--no-project", "--baumgarte", "100,20"])],
    "massmatrix": [("not projected", ["--no-project"])],
    "aldca": [("not projected", ["--no-project"]), ("not projected, omega 20", ["--no-project", "--omega", "20"])],
}
OWN_STEP = ["index3"]


class Refused(Exception):
    pass


def cleave(program, *words):
    done = subprocess.run([program, *map(str, words)], capture_output=True, text=True)
    if done.returncode:
        raise Refused(done.stderr.strip().splitlines()[0] if done.stderr else f"exit {done.returncode}")
    return done.stdout


def summary(program, model, formulation, *words):
    return json.loads(cleave(program, "run", *model, "--formulation", formulation, *words, "--json"))


def frames(program, model, formulation, *words):
    """(times, energy errors, gaps) of an exported run file."""
    with tempfile.TemporaryDirectory() as folder:
        run, out = pathlib.Path(folder) / "a.cleave", pathlib.Path(folder) / "a.csv"
        cleave(program, "run", *model, "--formulation", formulation, *words, "--out", run)
        cleave(program, "export", run, out)
        with open(out, encoding="utf-8", newline="") as f:
            rows = [{k: float(v) for k, v in row.items()} for row in csv.DictReader(f)]
    energy = [r["energy.kinetic [J]"] + r["energy.potential [J]"] - r["energy.work [J]"] for r in rows]
    return [r["time [s]"] for r in rows], [e - energy[0] for e in energy], [r["violation.position [m or rad]"] for r in rows]


def distance(a, b):
    """m, largest over the bodies"""
    return max(math.dist(a["final"][name]["position"], b["final"][name]["position"]) for name in a["final"])


# ------------------------------------------------------------------ drift


def drift_runs(formulation):
    """[(name in the legend, words)]"""
    if formulation in OWN_STEP:
        return [(f"step {h:g} s", ["--step", h]) for h in STEPS[:3]]
    runs = [(f"rtol {r}", ["--rtol", r]) for r in ("1e-4", MIDDLE, "1e-8")]
    return runs + [(f"rtol {MIDDLE}, {name}", ["--rtol", MIDDLE, *words]) for name, words in VARIANTS.get(formulation, [])]


def drift_figure(program, model, formulation, path):
    energy = Panel(f"{model[0]}: energy error", "t (s)", "J, largest so far")
    gap = Panel(f"{model[0]}: gap", "t (s)", "m or rad, largest so far")
    for (name, words), color in zip(drift_runs(formulation), [COLORS[1], COLORS[0], COLORS[2], COLORS[3], COLORS[5]]):
        t, e, g = frames(program, model, formulation, "--time", DRIFT_TIME, "--every", DRIFT_TIME / 500, *words)
        energy.add(name, color, *thin(t, e))
        gap.add(name, color, *thin(t, g))
    write_svg(path, [energy, gap])


# ------------------------------------------------------------------ work


def iterations(run):
    """Mean iterations of a step, where a run tells them."""
    return run.get("step_iterations", {}).get("mean")


def work_figure(program, model, formulation, path):
    exact = summary(program, model, "massmatrix", "--time", WORK_TIME, "--integrator", "dop853", "--rtol", "1e-13")
    own = formulation in OWN_STEP
    sizes, axis, option = (STEPS, "step (s)", "--step") if own else (TOLERANCES, "rtol", "--rtol")
    first = Panel(f"{model[0]}, {WORK_TIME} s", axis, "evaluations", xlog=True, backwards=True)
    error = Panel(f"{model[0]}: error at {WORK_TIME} s", "evaluations", "m", xlog=True)
    panels = [first, error]
    if own:
        panels.insert(1, Panel("iterations", axis, "mean of a step", log=False, xlog=True, backwards=True))
    for name, color in zip([formulation] if own else INTEGRATORS, [COLORS[0], COLORS[3], COLORS[2], COLORS[4]]):
        words = [] if own else ["--integrator", name]
        runs = [summary(program, model, formulation, "--time", WORK_TIME, option, s, *words) for s in sizes]
        count = [r["rate_evaluations"] for r in runs]
        first.add(name, color, sizes, count, True)
        error.add(name, color, count, [max(distance(r, exact), 1e-16) for r in runs], True)
        if own:
            panels[1].add(name, color, sizes, [iterations(r) for r in runs], True)
    write_svg(path, panels)


# ------------------------------------------------------------------ tables


def names(program):
    text = cleave(program, "help", "run")
    line = next(x for x in text.splitlines() if "--formulation NAME" in x)
    return line.split("NAME")[1].replace("(default)", "").replace(" ", "").split(",")


def microseconds(program, formulation, model):
    """us of a rate evaluation, the least over 60 runs of 40; one with a step of its own: of a step, 10 a run."""
    words = ["--time", 0.01, "--step", 1e-3] + ([] if formulation in OWN_STEP else ["--integrator", "rk4"])
    runs = [summary(program, model, formulation, *words) for _ in range(60)]
    return 1e6 * min(r["wall_seconds"] / r["steps" if formulation in OWN_STEP else "rate_evaluations"] for r in runs)


def cost(program, chosen):
    models = [["hdca-case1"], ["hdca-case2"], ["hdca-case3"], ["loop-7r"], ["chain", "links=16", "spatial=1"],
              ["chain", "links=128", "spatial=1"], ["chain-closed", "links=128"], ["four-bar-ladder", "windows=32"]]
    print("| us | " + " | ".join(chosen) + " |\n|---" + "|---" * len(chosen) + "|")
    for model in models:
        cells = []
        for f in chosen:
            try:
                cells.append(f"{microseconds(program, f, model):.3g}")
            except Refused:
                cells.append("refused")
        print(f"| `{' '.join(model)}` | " + " | ".join(cells) + " |", flush=True)


def singular(program, chosen):
    print("| mechanism | formulation | rtol or step | energy drift (J) | gap (m) | evaluations | dropped |")
    print("|---|---|---|---|---|---|---|")
    for model in [["five-bar"]] + [["four-bar-ladder", f"windows={n}"] for n in (1, 2, 5)]:
        for f in chosen:
            for size in ("1e-6", "1e-9") if f not in OWN_STEP else ("0.01", "0.001"):
                start = f"| {' '.join(model)} | {f} | {size} | "
                try:
                    r = summary(program, model, f, "--time", 10, "--step" if f in OWN_STEP else "--rtol", size)
                    print(start + f"{r['max_energy_drift']:.1e} | {r['max_position_violation']:.0e} | {r['rate_evaluations']} | "
                          f"{r['truncated_evaluations']} |", flush=True)
                except Refused as why:
                    print(start + f"ends: {why} | | | |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--figures", type=pathlib.Path)
    parser.add_argument("--cost", action="store_true")
    parser.add_argument("--singular", action="store_true")
    parser.add_argument("--only", nargs="+", default=[])
    parser.add_argument("--model", nargs="+", default=["loop-7r"])
    given = parser.parse_args()
    chosen = given.only or names(given.program)
    for f in chosen if given.figures else []:
        drift_figure(given.program, given.model, f, given.figures / f"{f}-drift.svg")
        work_figure(given.program, given.model, f, given.figures / f"{f}-work.svg")
    if given.cost:
        cost(given.program, chosen)
    if given.singular:
        singular(given.program, chosen)


if __name__ == "__main__":
    main()
