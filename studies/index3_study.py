#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Figures and tables of docs/index3.md from `bench_index3`.

    build/bench_index3 > index3.json
    studies/index3_study.py index3.json --figures docs/figures     writes the SVG files
    studies/index3_study.py index3.json --tables                   prints Markdown

Standard library only.
"""

import argparse
import json
import pathlib

from figure import COLORS, Panel, write_svg


def figures(data, folder):
    rows = data["figure4"]
    t = [row[0] for row in rows]
    names = ["position (m, rad)", "velocity (m/s, rad/s)", "acceleration (m/s^2, rad/s^2)"]
    def most(k):  # of five steps
        return [max(row[k] for row in rows[i : i + 5]) for i in range(0, len(rows), 5)]

    errors = Panel("largest constraint errors", "t (s)", "")
    for k, name in enumerate(names):
        errors.add(name, COLORS[k], t[::5], [max(x, 1e-17) for x in most(1 + k)], False)
    iterations = Panel("iterations of a step", "t (s)", "", log=False)
    iterations.add("iterations", COLORS[3], t[::5], most(4), False)
    write_svg(folder / "index3-paper.svg", [errors, iterations], "figure4")
    seconds, drift = Panel("10 s of motion", "links", "s", xlog=True), Panel("energy drift", "links", "J", xlog=True)
    for k, (key, name) in enumerate(
        [("penalty", "index3, alpha 1e6, 4 iterations"), ("exact", "index3, exact joints"),
         ("equal", data["rival"] + ", rk4, equal eps and limit"), ("rk4", data["rival"] + ", rk4")]
    ):
        some = [row for row in data["figure5"] if row[key] is not None]
        color = COLORS[(0, 3, 4, 5)[k]]
        seconds.add(name, color, [r["links"] for r in some], [r[key] for r in some], True)
        at = {"penalty": "drift", "exact": "exact_drift", "equal": "equal_drift", "rk4": "rk4_drift"}[key]
        drift.add(name, color, [r["links"] for r in some], [r[at] or 1e-17 for r in some], True)
    write_svg(folder / "index3-paper.svg", [seconds, drift], "figure5")


def cell(x, form="{:.1e}"):
    return "fails" if x is None else form.format(x)


def tables(data):
    print("| alpha | iterations, mean | most | position | velocity | acceleration |\n|---|---|---|---|---|---|")
    for r in data["penalties"]:
        name = "none (exact)" if r["alpha"] == 0 else f"{r['alpha']:.0e}" + (", warm" if r["warm"] else "")
        print(
            f"| {name} | {r['mean']:.2f} | {r['most']} | {r['position']:.1e} | {r['velocity']:.1e} "
            f"| {r['acceleration']:.1e} |"
        )
    worst = [max(row[k] for row in data["figure4"]) for k in (1, 2, 3, 4)]
    print(
        f"\nFigure 4, 20 s: errors at most {worst[0]:.1e}, {worst[1]:.1e}, {worst[2]:.1e}; "
        f"{data['figure4_mean']:.2f} iterations in the mean, {worst[3]} at most\n"
    )
    rival = data["rival"]
    print(
        f"| links | penalty (s) | missed steps | drift (J) | exact (s) | iterations | drift (J) "
        f"| {rival}, equal (s) | {rival}, its own (s) | drift (J) |\n|---|---|---|---|---|---|---|---|---|---|"
    )
    for r in data["figure5"]:
        print(
            f"| {r['links']} | {cell(r['penalty'], '{:.3f}')} | {r['missed']} of {r['steps']} | {cell(r['drift'])} "
            f"| {cell(r['exact'], '{:.4f}')} | {r['exact_iterations']:.2f} | {cell(r['exact_drift'])} "
            f"| {cell(r['equal'], '{:.3f}')} | {cell(r['rk4'], '{:.3f}')} | {cell(r['rk4_drift'])} |"
        )
    print("\n| links | position | velocity | acceleration | exact: position | velocity | acceleration |")
    print("|---|---|---|---|---|---|---|")
    for r in data["figure5"]:
        print(f"| {r['links']} | " + " | ".join(cell(x) for x in r["violation"] + r["exact_violation"]) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("--figures", type=pathlib.Path)
    parser.add_argument("--tables", action="store_true")
    arguments = parser.parse_args()
    data = json.loads(arguments.data.read_text(encoding="utf-8"))
    if arguments.figures:
        figures(data, arguments.figures)
    if arguments.tables:
        tables(data)


if __name__ == "__main__":
    main()
