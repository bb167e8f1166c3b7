#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ALDCA on the examples of its paper: iterations by stage over alpha, violations with and without projections.

    python3 tools/aldca_study.py PROGRAM

writes docs/figures/aldca-drift.svg, docs/figures/aldca-iterations.svg and the tables between the marks in docs/aldca.md."""
import json
import pathlib
import re
import subprocess
import sys

from figure import COLORS, Panel, write_svg

ROOT = pathlib.Path(__file__).resolve().parent.parent
MODELS = ["five-bar", "aldca-coupled", "hdca-case1", "bricard", "four-bar-ladder", "chain-closed"]
PAPER = ["five-bar", "aldca-coupled"]
STAGES = ["position", "velocity", "acceleration"]


def run(program, model, *words):
    """The summary of one run over 10 s unless told otherwise."""
    done = subprocess.run([program, "run", model, "--formulation", "aldca", "--json", *words], capture_output=True,
                          text=True, check=True)
    return json.loads(done.stdout)


def drift_figure(program):
    panels = []
    times = [0.5 * k for k in range(1, 21)]
    for model in PAPER:
        for what, title, unit in (("max_position_violation", "gap", "m"), ("max_velocity_violation", "speed", "m/s")):
            panel = Panel(f"{model}: {title}", "time [s]", unit)
            for name, color, words in (("no projection, omega 0", COLORS[3], ["--no-project", "--omega", "0"]),
                                       ("no projection, omega 1", COLORS[4], ["--no-project"]),
                                       ("no projection, omega 20", COLORS[5], ["--no-project", "--omega", "20"]),
                                       ("projections", COLORS[0], [])):
                values = [run(program, model, "--time", str(t), *words)[what] for t in times]
                panel.add(name, color, times, [max(v, 1e-18) for v in values])
            panels.append(panel)
    write_svg(ROOT / "docs/figures/aldca-drift.svg", panels)


def iteration_figure(program):
    exponents = list(range(3, 11))
    panels = []
    for model in PAPER + ["bricard"]:
        panel = Panel(f"{model}", "log10 of alpha", "mean iterations", log=False)
        data = [run(program, model, "--alpha", f"1e{k}")["iterations"] for k in exponents]
        for stage, color in zip(STAGES, (COLORS[0], COLORS[5], COLORS[3])):
            panel.add(stage, color, exponents, [d[stage]["mean"] for d in data], marks=True)
        panel.add("", "none", [0], [0])
        panels.append(panel)
    write_svg(ROOT / "docs/figures/aldca-iterations.svg", panels)


def table(program):
    lines = ["| model | alpha | position | velocity | acceleration | limited, stalled | gap, m | speed, m/s | drift, J |",
             "|---|---|---|---|---|---|---|---|---|"]
    for model in MODELS:
        for alpha in ("1e5", "1e6", "1e7"):
            r = run(program, model, "--alpha", alpha)
            it = r["iterations"]
            ended = [sum(it[s][k] for s in STAGES) for k in ("limited", "stalled")]
            lines.append(f"| {model} | {alpha} | " + " | ".join(f"{it[s]['mean']:.2f}, {it[s]['most']}" for s in STAGES)
                         + f" | {ended[0]}, {ended[1]} | {r['max_position_violation']:.1e} | "
                         f"{r['max_velocity_violation']:.1e} | {r['max_energy_drift']:.1e} |")
    return "\n".join(lines)


def cost_table(program):
    lines = ["| model | formulation | evaluations | seconds per evaluation | gap, m | drift, J |", "|---|---|---|---|---|---|"]
    for model in ("five-bar", "aldca-coupled", "chain-closed", "bricard"):
        for formulation in ("aldca", "dca", "hdca"):
            r = run(program, model, "--formulation", formulation)
            lines.append(f"| {model} | {formulation} | {r['rate_evaluations']} | {r['seconds_per_evaluation']:.1e} | "
                         f"{r['max_position_violation']:.1e} | {r['max_energy_drift']:.1e} |")
    return "\n".join(lines)


def main():
    program = sys.argv[1]
    drift_figure(program)
    iteration_figure(program)
    page = ROOT / "docs/aldca.md"
    text = page.read_text(encoding="utf-8")
    for mark, body in (("alpha", table(program)), ("cost", cost_table(program))):
        text = re.sub(rf"(<!-- {mark} -->\n).*?(<!-- end -->)", lambda m: m[1] + body + "\n" + m[2], text, flags=re.S)
    page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
