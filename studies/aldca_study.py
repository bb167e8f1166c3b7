#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ALDCA on the examples of its paper and on others: iterations by stage over alpha, violations with and without projections.

    python3 studies/aldca_study.py PROGRAM

writes docs/figures/aldca-study.svg and the tables between the marks in
docs/aldca.md."""
import json
import pathlib
import re
import subprocess
import sys

from figure import COLORS, Panel, thin, write_svg
from plot_formulations import columns

ROOT = pathlib.Path(__file__).resolve().parent.parent
MODELS = [["five-bar"], ["aldca-coupled"], ["hdca-case1"], ["hdca-case3"], ["loop-7r"], ["chain", "links=16"],
          ["chain-closed"], ["four-bar-ladder"], ["bricard"], ["flex-arm"]]
PAPER = ["five-bar", "aldca-coupled"]
STAGES = ["position", "velocity", "acceleration"]
VARIANTS = [("projections", COLORS[0], []),
            ("none, omega 0", COLORS[3], ["--no-project", "--omega", "0"]),
            ("none, omega 1 (paper)", COLORS[4], ["--no-project"]),
            ("none, omega 20", COLORS[5], ["--no-project", "--omega", "20"])]
RANGE = (1e5, 1e7)  # the paper: "good convergence", "at most 4 iterations"
MOST = 4


def run(program, model, *words):
    """The summary of one run over the model's own time."""
    done = subprocess.run([program, "run", *model, "--formulation", "aldca", "--json", *words], capture_output=True,
                          text=True, check=True)
    return json.loads(done.stdout)


def violation_figure(program):
    panels = []
    for model in PAPER:
        shown = [columns(program, [model], "aldca", "violation.position [m or rad]", "violation.velocity [m/s or rad/s]",
                         words=["--every", "0.02", *words]) for _, _, words in VARIANTS]
        for k, (title, unit) in enumerate((("constraint violation", "m or rad"), ("violation rate", "m/s or rad/s"))):
            panel = Panel(f"{model}: {title}", "t (s)", f"{unit}, largest so far")
            for (name, color, _), series in zip(VARIANTS, shown):
                panel.add(name, color, *thin(series[0], series[1 + k]))
            panels.append(panel)
    write_svg(ROOT / "docs/figures/aldca-study.svg", panels, "violations")


def iteration_figure(program):
    alphas = [10.0**k for k in range(3, 11)]
    panels = []
    for model in PAPER + ["bricard"]:
        panel = Panel(model, "alpha", "mean iterations of a stage", log=False, xlog=True)
        data = [run(program, [model], "--alpha", f"{a:g}")["iterations"] for a in alphas]
        for stage, color in zip(STAGES, (COLORS[0], COLORS[5], COLORS[3])):
            panel.add(stage, color, alphas, [d[stage]["mean"] for d in data], marks=True)
        panel.add("paper: 4 at most for 1e5 to 1e7", "#555", list(RANGE), [MOST, MOST], dash="5 3")
        panel.add("", "none", alphas[:1], [0])
        panels.append(panel)
    write_svg(ROOT / "docs/figures/aldca-study.svg", panels, "iterations")


def as_paper(it):
    """What the paper says: held by every stage, by their means, or not."""
    return "yes" if max(it[s]["most"] for s in STAGES) <= MOST else \
        "in the mean" if max(it[s]["mean"] for s in STAGES) <= MOST else "no"


def alpha_table(program):
    lines = ["| model | alpha | position | velocity | acceleration | 4 at most | limited, stalled | violation | its rate "
             "| drift |",
             "|---|---|---|---|---|---|---|---|---|---|"]
    for model in MODELS:
        for alpha in ("1e5", "1e6", "1e7"):
            r = run(program, model, "--alpha", alpha)
            it = r["iterations"]
            ended = [sum(it[s][k] for s in STAGES) for k in ("limited", "stalled")]
            lines.append(f"| {' '.join(model)} | {alpha} | "
                         + " | ".join(f"{it[s]['mean']:.2f}, {it[s]['most']}" for s in STAGES)
                         + f" | {as_paper(it)} | {ended[0]}, {ended[1]} | {r['max_position_violation']:.0e} | "
                         f"{r['max_velocity_violation']:.0e} | {r['max_energy_drift']:.1e} J |")
    return "\n".join(lines)


def work_table(program):
    lines = ["| mechanism | dopri5 | adams | dop853 | dopri5: drift | adams | dop853 | dca, dopri5 |",
             "|---|---|---|---|---|---|---|---|"]
    for model in (["pendulum"], ["bricard"], ["loop-7r"], ["hdca-case1"], ["chain", "links=16", "spatial=1"]):
        words = ["--time", "10"]
        runs = [run(program, model, *words, "--integrator", i) for i in ("dopri5", "adams", "dop853")]
        other = run(program, model, *words, "--formulation", "dca")
        lines.append(f"| {' '.join(model)} | " + " | ".join(str(r["rate_evaluations"]) for r in runs) + " | "
                     + " | ".join(f"{r['max_energy_drift']:.1e} J" for r in runs) + f" | {other['rate_evaluations']}, "
                     f"{other['max_energy_drift']:.1e} J |")
    return "\n".join(lines)


def main():
    program = sys.argv[1]
    violation_figure(program)
    iteration_figure(program)
    page = ROOT / "docs/aldca.md"
    text = page.read_text(encoding="utf-8")
    for mark, body in (("alpha", alpha_table(program)), ("work", work_table(program))):
        text = re.sub(rf"(<!-- {mark} -->\n).*?(<!-- end -->)", lambda m: m[1] + body + "\n" + m[2], text, flags=re.S)
    page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
