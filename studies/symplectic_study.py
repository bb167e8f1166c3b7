#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs everything behind docs/symplectic.md and writes its figures and tables.

    cmake -S . -B build -DBUILD_BENCH=ON && cmake --build build
    studies/symplectic_study.py build/bench_symplectic --time 1000 --figures docs/figures > tables.md

Symplectic rules take fixed steps; dopri5 and dop853 get the tolerance at which they need as many evaluations as gauss6
needs (found on 20 s), so that all runs cost about the same.  Slope: least squares through the means of 20 blocks; its
standard error is that of the fit, widened by the correlation of neighbouring residuals where that is positive (a random
walk would else pass for a well-known slope).  A run has no trend if the slope is within two standard errors of zero.
Standard library only.
"""

import argparse
import concurrent.futures
import json
import math
import pathlib
import subprocess

from figure import stack

CASES = [  # example, parameter, step of midpoint (and projected), gauss4, gauss6
    ("pendulum", "-", 0.01, 0.02, 0.04),
    ("double-pendulum", "-", 0.0025, 0.005, 0.005),
    ("hdca-case1", "-", 0.01, 0.02, 0.04),
    ("hdca-case2", "-", 0.01, 0.02, 0.02),
    ("hdca-case3", "-", 0.01, 0.02, 0.02),
]
TOO_LONG = ("hdca-case2", "gauss6", [0.05, 0.04, 0.03, 0.02])  # where the trend begins
LADDERS = ["windows=1", "windows=2"]
COLORS = {"midpoint": "#1b7837", "gauss4": "#2166ac", "gauss6": "#053061", "projected": "#b35806", "dopri5": "#b2182b",
          "dop853": "#762a83"}
BLOCKS = 20


def bench(program, example, parameter, method, size, time, samples):
    words = [program, example, parameter, method, repr(size), repr(time), str(samples)]
    run = json.loads(subprocess.run(words, capture_output=True, text=True, check=True).stdout)
    return {**run, "size": size, "method": method, "example": example}


def equal_tolerance(program, case, method, wanted):
    """rtol at which `method` needs `wanted` evaluations a second of motion"""
    low, high = -14.0, -3.0  # log10: dear, cheap
    for _ in range(12):
        middle = 0.5 * (low + high)
        run = bench(program, case[0], case[1], method, 10**middle, 20.0, 1)
        if run["evaluations"] / 20 > wanted:
            low = middle
        else:
            high = middle
    return float(f"{10**high:.2e}")


def trend(times, errors):
    """(slope in J/s, its standard error) of the energy error"""
    n = len(times) // BLOCKS
    t = [sum(times[b * n : b * n + n]) / n for b in range(BLOCKS)]
    e = [sum(errors[b * n : b * n + n]) / n for b in range(BLOCKS)]
    tm, em = sum(t) / BLOCKS, sum(e) / BLOCKS
    xx = sum((x - tm) ** 2 for x in t)
    slope = sum((x - tm) * (y - em) for x, y in zip(t, e)) / xx
    rest = [y - em - slope * (x - tm) for x, y in zip(t, e)]
    left = sum(r * r for r in rest)
    echo = sum(a * b for a, b in zip(rest, rest[1:])) / left if left > 0 else 0.0
    widened = (1 + echo) / (1 - echo) if echo > 0 else 1.0
    return slope, math.sqrt(left / (BLOCKS - 2) / xx * widened)


def verdict(slope, sigma):
    return "no" if abs(slope) <= 2 * sigma else "yes"


def one_case(program, case, time):
    samples = int(2 * time)
    runs = [bench(program, *case[:2], m, h, time, samples)
            for m, h in zip(["midpoint", "gauss4", "gauss6", "projected"], [case[2], case[3], case[4], case[2]])]
    for method in ("dopri5", "dop853"):
        rtol = equal_tolerance(program, case, method, runs[2]["evaluations"] / time)
        runs.append(bench(program, *case[:2], method, rtol, time, samples))
    return runs


def table(runs, out):
    out.append(f"| {runs[0]['example']} | step or rtol | evaluations | s | per step | largest error (J) | at the end (J) | "
               "slope (J/s) | trend | violation, its rate |")
    out.append("|---" * 10 + "|")
    for r in runs:
        slope, sigma = trend(r["t"], r["error"])
        out.append(f"| `{r['method']}` | {r['size']:g} | {r['evaluations']:.0f} | {r['seconds']:.1f} | "
                   f"{r['evaluations'] / r['steps']:.1f} | {max(map(abs, r['error'])):.1e} | {r['error'][-1]:.1e} | "
                   f"{slope:.1e} +- {sigma:.0e} | {verdict(slope, sigma)} | {r['gap']:.0e}, {r['gap_speed']:.0e} |")
    out.append("")


def figure(runs, path):
    """largest error so far over time, both logarithmic"""
    left, top, width, height = 70, 30, 560, 330
    t0, t1 = 0.0, math.log10(runs[0]["t"][-1])
    low, high = -13.0, 0.0

    def place(t, e):
        x = left + width * (math.log10(t) - t0) / (t1 - t0)
        y = top + height * (high - min(max(math.log10(max(e, 1e-300)), low), high)) / (high - low)
        return f"{x:.1f},{y:.1f}"

    svg = [f'<text x="{left}" y="18">{runs[0]["example"]}: largest energy error so far (J)</text>']
    for k in range(int(low), int(high) + 1, 2):
        x, y = place(10**t0, 10.0**k).split(",")
        svg.append(f'<line x1="{left}" x2="{left + width}" y1="{y}" y2="{y}" stroke="#ddd"/>'
                   f'<text x="{left - 8}" y="{float(y) + 4:.1f}" text-anchor="end">1e{k}</text>')
    for k in range(0, int(t1) + 1):
        x, y = place(10.0**k, 10.0**low).split(",")
        svg.append(f'<text x="{x}" y="{float(y) + 18:.1f}" text-anchor="middle">{10**k} s</text>')
    for i, r in enumerate(runs):
        points, largest, shown = [], 0.0, -1.0
        for t, e in zip(r["t"], r["error"]):
            largest = max(largest, abs(e))
            if t >= 1 and math.log10(t) - shown > 0.01 or t == r["t"][-1]:
                points.append(place(t, largest))
                shown = math.log10(t)
        color = COLORS[r["method"]]
        dash = ' stroke-dasharray="6 3"' if r["method"] in ("dopri5", "dop853", "projected") else ""
        svg.append(f'<polyline points="{" ".join(points)}" fill="none" stroke="{color}" stroke-width="1.6"{dash}/>')
        x, y = left + width + 10, top + 12 + 18 * i
        svg.append(f'<line x1="{x}" x2="{x + 20}" y1="{y}" y2="{y}" stroke="{color}" stroke-width="1.6"{dash}/>'
                   f'<text x="{x + 25}" y="{y + 4}">{r["method"]}</text>')
    stack(path, runs[0]["example"], left + width + 110, top + height + 50, svg)


def too_long(program, time, out):
    example, method, steps = TOO_LONG
    out.append(f"| {example}, {method}: step | largest error (J) | first half | second half | slope (J/s) | trend |")
    out.append("|---" * 6 + "|")
    for step in steps:
        r = bench(program, example, "-", method, step, time, int(2 * time))
        if r["why"]:
            out.append(f"| {step:g} | ends at {r['reached']:.4g} s | | | | |")
            continue
        slope, sigma = trend(r["t"], r["error"])
        sizes = [abs(e) for e in r["error"]]
        half = len(sizes) // 2
        out.append(f"| {step:g} | {max(sizes):.1e} | {max(sizes[:half]):.1e} | {max(sizes[half:]):.1e} | "
                   f"{slope:.1e} +- {sigma:.0e} | {verdict(slope, sigma)} |")
    out.append("")


def ladders(program, out):
    out.append("| ladder | method | step or rtol | reaches | evaluations | largest error (J) | truncated evaluations |")
    out.append("|---|---|---|---|---|---|---|")
    for parameter in LADDERS:
        for method, size in [("midpoint", 0.005), ("midpoint", 0.0025), ("gauss4", 0.01), ("gauss4", 0.005),
                             ("gauss6", 0.02), ("gauss6", 0.01), ("dopri5", 1e-6), ("dopri5", 1e-9)]:
            r = bench(program, "four-bar-ladder", parameter, method, size, 10.0, 1000)
            worst = max(map(abs, r["error"])) if r["error"] else math.nan
            out.append(f"| {parameter} | `{method}` | {size:g} | {r['reached']:.2f} s | {r['evaluations']:.0f} | "
                       f"{worst:.1e} | {r['truncated']:.0f} |")
    out.append("")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--time", type=float, default=1000.0)
    parser.add_argument("--figures", type=pathlib.Path)
    parser.add_argument("--jobs", type=int, default=2)
    given = parser.parse_args()
    out = []
    with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        for runs in pool.map(lambda case: one_case(given.program, case, given.time), CASES):
            table(runs, out)
            if given.figures and runs[0]["example"].startswith("hdca"):
                figure(runs, given.figures / "symplectic.svg")
    too_long(given.program, given.time, out)
    ladders(given.program, out)
    print("\n".join(out))


if __name__ == "__main__":
    main()
