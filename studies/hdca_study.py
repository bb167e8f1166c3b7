#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Figures and tables of docs/hdca-study.md from `bench_paper_hdca --json`.

    build/bench_paper_hdca --json > own.json
    build/bench_paper_hdca --json --cut last > last.json
    studies/hdca_study.py own.json last.json --figures docs/figures     writes the SVG files
    studies/hdca_study.py own.json last.json --tables                   prints Markdown

Settings: "paper" (last joint cut, as in the paper), "middle" (the same with cleave's own cut), "ours" (defaults).
Standard library only.  The paper's own numbers (tables 1 and 2: time of one evaluation, of 10 s) are data below.
"""

import argparse
import json
import pathlib

from figure import COLORS, Panel, thin, write_svg

CASES = ["hdca-case1", "hdca-case2", "hdca-case3"]
INTEGRATORS = ["dopri5", "adams", "bs23"]
TOLERANCES = [10.0**-k for k in range(3, 10)]

# ms per evaluation (HDCA, DCA), MATLAB
PAPER_EVALUATION = {"hdca-case1": (5.203, 7.394), "hdca-case2": (8.806, 13.388), "hdca-case3": (15.278, 15.501)}
# s for 10 s, tolerances 1e-3 ... 1e-9: pairs HDCA, DCA
PAPER_WALL = {
    ("hdca-case1", "dopri5"): [
        (2.72, 2.07),
        (2.91, 2.88),
        (4.51, 4.23),
        (6.83, 5.95),
        (10.06, 9.17),
        (15.49, 14.80),
        (24.46, 144.94),
    ],
    ("hdca-case1", "adams"): [
        (1.62, 1.97),
        (1.86, 3.00),
        (2.49, 3.66),
        (3.16, 4.68),
        (4.11, 5.41),
        (4.78, 7.05),
        (5.76, 34.34),
    ],
    ("hdca-case1", "bs23"): [
        (2.84, 3.22),
        (4.40, 6.24),
        (8.88, 13.18),
        (18.85, 28.54),
        (39.86, 61.85),
        (85.25, 152.04),
        (183.88, 498.54),
    ],
    ("hdca-case2", "dopri5"): [
        (9.70, 8.03),
        (13.06, 12.38),
        (20.23, 17.91),
        (31.49, 25.38),
        (49.30, 38.36),
        (77.72, 59.89),
        (124.01, 95.72),
    ],
    ("hdca-case2", "adams"): [
        (5.18, 8.98),
        (7.00, 12.42),
        (9.20, 16.45),
        (11.84, 19.43),
        (14.96, 23.96),
        (17.89, 30.98),
        (21.99, 63.60),
    ],
    ("hdca-case2", "bs23"): [
        (8.49, 13.30),
        (16.23, 26.31),
        (33.38, 56.68),
        (70.55, 122.22),
        (151.42, 263.58),
        (324.17, 571.81),
        (697.14, 1257.17),
    ],
    ("hdca-case3", "dopri5"): [
        (8.43, 4.84),
        (10.96, 6.80),
        (16.68, 9.89),
        (26.16, 14.73),
        (40.47, 23.10),
        (63.59, 36.41),
        (99.90, 115.96),
    ],
    ("hdca-case3", "adams"): [
        (5.23, 4.66),
        (6.50, 6.54),
        (8.30, 8.87),
        (10.96, 10.49),
        (13.20, 13.10),
        (16.08, 23.33),
        (18.39, 86.90),
    ],
    ("hdca-case3", "bs23"): [
        (9.55, 7.18),
        (18.38, 14.02),
        (38.02, 30.56),
        (80.01, 65.53),
        (172.23, 141.96),
        (371.33, 313.55),
        (799.48, 721.92),
    ],
}


def merged(own, last):
    """One set of data of the two runs: the paper's setting with its cut, the same with ours, and the defaults."""
    cut = [m for m in last["motion"] if "paper" in m["run"]]
    middle = [dict(m, run=m["run"] + ", own cut") for m in own["motion"] if m["run"] == "hdca, as in the paper"]
    ours = [m for m in own["motion"] if "paper" not in m["run"]]
    work = [dict(w, setting="middle") for w in own["work"] if w["setting"] == "paper"]
    work += [w for w in last["work"] if w["setting"] == "paper"] + [w for w in own["work"] if w["setting"] == "ours"]
    return dict(own, motion=ours + cut + middle, work=work)


def motion_figure(data, quantity, label):
    panels = []
    for case in CASES:
        p = Panel(case, "t (s)", label)
        for run, color in zip([m for m in data["motion"] if m["case"] == case], COLORS):
            p.add(run["run"], color, *thin(run["t"], run[quantity]))
        panels.append(p)
    return panels


def ratio_of(data, case, setting, integrator, tolerance, what):
    pair = {
        w["formulation"]: w
        for w in data["work"]
        if w["case"] == case
        and w["setting"] == setting
        and w["integrator"] == integrator
        and abs(w["tolerance"] / tolerance - 1) < 1e-6
    }
    if what == "seconds":
        return pair["hdca"]["seconds_ratio"]
    return pair["dca"][what] / pair["hdca"][what]


def paper_ratio(case, integrator, k, what):
    hdca, dca = PAPER_WALL[case, integrator][k]
    one = PAPER_EVALUATION[case]
    return dca / hdca * (one[0] / one[1] if what == "evaluations" else 1)


def ratio_figure(data, what, setting):
    panels = []
    for case in CASES:
        p = Panel(case, "tolerance", "DCA / HDCA", log=False, xlog=True, backwards=True)
        for i, color in zip(INTEGRATORS, COLORS[0::2]):
            p.add(i, color, TOLERANCES, [ratio_of(data, case, setting, i, t, what) for t in TOLERANCES], True)
        p.add("equal", "#999", [TOLERANCES[0], TOLERANCES[-1]], [1, 1])
        panels.append(p)
    return panels


def figures(data, folder):
    folder.mkdir(parents=True, exist_ok=True)
    write_svg(folder / "hdca-accuracy.svg", motion_figure(data, "energy", "energy error (J), largest so far"), "energy")
    write_svg(folder / "hdca-accuracy.svg", motion_figure(data, "velocity", "velocity violation (m/s, rad/s)"), "velocity")
    write_svg(folder / "hdca-accuracy.svg", motion_figure(data, "position", "position violation (m, rad)"), "position")
    write_svg(folder / "hdca-accuracy.svg", motion_figure(data, "asymmetry", "distance from mirror image (m, rad)"), "symmetry")
    t = [row[0] for row in data["K"]]
    height, speed = Panel("height of K", "t (s)", "m", log=False), Panel(
        "vertical speed of K", "t (s)", "m/s", log=False
    )
    height.add("hdca", COLORS[0], t, [row[1] for row in data["K"]], True)
    speed.add("hdca", COLORS[0], t, [row[2] for row in data["K"]], True)
    write_svg(folder / "hdca-K.svg", [height, speed])
    write_svg(folder / "hdca-ratios.svg", ratio_figure(data, "evaluations", "paper"), "evaluations")
    write_svg(folder / "hdca-ratios.svg", ratio_figure(data, "seconds", "paper"), "time")


# ------------------------------------------------------------------ Markdown


def motion_table(data, quantity):
    at = [1, 2, 5, 10]
    print(
        "| run | "
        + " | ".join(f"{case}: {at[0]} s | " + " | ".join(f"{t} s" for t in at[1:]) for case in CASES)
        + " |"
    )
    print("|---" * (1 + len(at) * len(CASES)) + "|")
    for name in [m["run"] for m in data["motion"] if m["case"] == CASES[0]]:
        cells = []
        for case in CASES:
            m = next(m for m in data["motion"] if m["case"] == case and m["run"] == name)
            cells += [f"{max(abs(y) for x, y in zip(m['t'], m[quantity]) if x <= t + 1e-9):.0e}" for t in at]
        print(f"| {name} | " + " | ".join(cells) + " |")
    print()


def ratio_tables(data, what):
    head = "| tolerance | " + " | ".join(f"{i}: paper | last cut | own cut | defaults" for i in INTEGRATORS) + " |"
    for case in CASES:
        print(f"{case}:\n\n{head}\n" + "|---" * 13 + "|")
        for k, t in enumerate(TOLERANCES):
            cells = []
            for i in INTEGRATORS:
                cells += [paper_ratio(case, i, k, what)] + [
                    ratio_of(data, case, s, i, t, what) for s in ("paper", "middle", "ours")
                ]
            print(f"| 1e-{k + 3} | " + " | ".join(f"{c:.2f}" for c in cells) + " |")
        print()


def work_table(data, setting):
    print(
        "| case | tolerance | "
        + " | ".join(f"{i}: evaluations HDCA | DCA | ms HDCA | DCA" for i in INTEGRATORS)
        + " |"
    )
    print("|---" * 14 + "|")
    for case in CASES:
        for k, t in enumerate(TOLERANCES):
            cells = []
            for i in INTEGRATORS:
                pair = [
                    next(
                        w
                        for w in data["work"]
                        if w["case"] == case
                        and w["setting"] == setting
                        and w["integrator"] == i
                        and w["formulation"] == f
                        and abs(w["tolerance"] / t - 1) < 1e-6
                    )
                    for f in ("hdca", "dca")
                ]
                cells += [str(p["evaluations"]) for p in pair] + [f"{1e3 * p['seconds']:.2f}" for p in pair]
            print(f"| {case} | 1e-{k + 3} | " + " | ".join(cells) + " |")
    print()


def loss_table(data):
    print(
        "| setting | runs | more evaluations | more time | larger energy drift | larger error at 10 s |\n"
        "|---|---|---|---|---|---|"
    )
    for setting in ("paper", "middle", "ours"):
        for i in INTEGRATORS:
            pairs = [
                (h, d)
                for h in data["work"]
                for d in data["work"]
                if h["formulation"] == "hdca"
                and d["formulation"] == "dca"
                and h["setting"] == d["setting"] == setting
                and h["integrator"] == d["integrator"] == i
                and h["case"] == d["case"]
                and h["tolerance"] == d["tolerance"]
            ]
            count = [sum(h[w] > d[w] for h, d in pairs) for w in ("evaluations", "max_energy_drift", "end_error")]
            time = sum(h["seconds_ratio"] < 1 for h, _ in pairs)
            name = {"paper": "the paper's, last cut", "middle": "the paper's, own cut", "ours": "defaults"}[setting]
            print(f"| {name}, {i} | {len(pairs)} | {count[0]} | {time} | {count[1]} | {count[2]} |")
    print()


def tables(data):
    for quantity in ("energy", "velocity", "position", "asymmetry"):
        print(f"#### {quantity}\n")
        motion_table(data, quantity)
    print("#### K\n\n| t (s) | height (m) | error | vertical speed (m/s) | error |\n|---|---|---|---|---|")
    for t, y, v, dy, dv in data["K"][::5]:
        print(f"| {t:g} | {y:.6f} | {dy:.0e} | {v:.6f} | {dv:.0e} |")
    print(
        "\n#### Table 1\n\n| case | paper: HDCA (ms) | DCA (ms) | ratio | cleave: HDCA (us) | DCA (us) | ratio |\n"
        "|---|---|---|---|---|---|---|"
    )
    for e in data["evaluation"]:
        h, d = PAPER_EVALUATION[e["case"]]
        print(
            f"| {e['case']} | {h} | {d} | {d / h:.2f} "
            f"| {1e6 * e['hdca']:.2f} | {1e6 * e['dca']:.2f} | {e['ratio']:.2f} |"
        )
    for what in ("evaluations", "seconds"):
        print(f"\n#### ratios DCA / HDCA of {what}\n")
        ratio_tables(data, what)
    for setting in ("paper", "middle", "ours"):
        print(f"#### work, setting {setting}\n")
        work_table(data, setting)
    print("#### losses\n")
    loss_table(data)


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("own", type=pathlib.Path)
    arguments.add_argument("last", type=pathlib.Path)
    arguments.add_argument("--figures", type=pathlib.Path)
    arguments.add_argument("--tables", action="store_true")
    chosen = arguments.parse_args()
    data = merged(*(json.loads(f.read_text(encoding="utf-8")) for f in (chosen.own, chosen.last)))
    if chosen.figures:
        figures(data, chosen.figures)
    if chosen.tables:
        tables(data)


if __name__ == "__main__":
    main()
