#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The figures and tables that the pages of the formulations have in common.

    studies/plot_formulations.py build/cleave --figures docs/figures [--only hdca dca ...]
        NAME-drift.svg: energy error and constraint violation over 100 s;  NAME-work.svg: evaluations over the tolerance, error over evaluations
    studies/plot_formulations.py build/cleave --cost            time of a rate evaluation, as Markdown
    studies/plot_formulations.py build/cleave --singular [--time 10]
        ladders and five-bar through singular positions, as Markdown; *away*: largest distance of a body from the motion of
        the one freedom that is left
    studies/plot_formulations.py build/cleave --near            a loop that passes close to a singular position, as Markdown
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


def columns(program, model, formulation, *names, words=()):
    """[times, one list for each name] of an exported run file."""
    with tempfile.TemporaryDirectory() as folder:
        run, out = pathlib.Path(folder) / "a.cleave", pathlib.Path(folder) / "a.csv"
        cleave(program, "run", *model, "--formulation", formulation, *words, "--out", run)
        cleave(program, "export", run, out)
        with open(out, encoding="utf-8", newline="") as f:
            rows = [{k: float(v) for k, v in row.items()} for row in csv.DictReader(f)]
    return [[r[name] for r in rows] for name in ("time [s]", *names)]


def frames(program, model, formulation, *words):
    """(times, energy errors, gaps) of an exported run file."""
    names = ["energy.kinetic [J]", "energy.potential [J]", "energy.work [J]", "violation.position [m or rad]"]
    t, kinetic, potential, work, gap = columns(program, model, formulation, *names, words=words)
    energy = [k + p - w for k, p, w in zip(kinetic, potential, work)]
    return t, [e - energy[0] for e in energy], gap


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
    gap = Panel(f"{model[0]}: constraint violation", "t (s)", "m or rad, largest so far")
    for (name, words), color in zip(drift_runs(formulation), [COLORS[1], COLORS[0], COLORS[2], COLORS[3], COLORS[5]]):
        t, e, g = frames(program, model, formulation, "--time", DRIFT_TIME, "--every", DRIFT_TIME / 500, *words)
        energy.add(name, color, *thin(t, e))
        gap.add(name, color, *thin(t, g))
    write_svg(path, [energy, gap], "drift")


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
    write_svg(path, panels, "work")


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


def swing(rate, angle, speed, times, step=1e-3):
    """[angle at every time] of angle'' = rate(angle, angle'), by rk4."""
    angles, t = [], 0.0
    for end in times:
        n = max(1, round((end - t) / step)) if end > t else 0
        h = (end - t) / n if n else 0
        for _ in range(n):
            k1 = rate(angle, speed)
            k2 = rate(angle + h / 2 * speed, speed + h / 2 * k1)
            k3 = rate(angle + h / 2 * speed + h * h / 4 * k1, speed + h / 2 * k2)
            k4 = rate(angle + h * speed + h * h / 2 * k2, speed + h * k3)
            angle += h * speed + h * h / 6 * (k1 + k2 + k3)
            speed += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        t = end
        angles.append(angle)
    return angles


def five_bar(times):
    """{body: [(x, y)]}: the rhombus stays symmetric; angle of its upper bars, a = 0.2 m, 1 kg, J = 0.25 kg m^2."""
    a, J, g = 0.2, 0.25, 9.81

    def rate(th, w):
        s, c = math.sin(th), math.cos(th)
        return (-2 * g * a * s - 2 * a * a * s * c * w * w) / (2 * J + a * a * (0.5 + 2 * s * s))

    at = swing(rate, math.pi / 4, 0, times)
    place = {"B1": (0.5, 0.5), "B2": (0.5, 1.5), "B3": (-0.5, 1.5), "B4": (-0.5, 0.5)}
    return {b: [(x * a * math.sin(th), -y * a * math.cos(th)) for th in at] for b, (x, y) in place.items()}


def ladder(windows, times):
    """{body: [(x, y)]}: all uprights turn alike, rods of 1 m and 1 kg."""
    weight, inertia = (windows + 1) / 2 + windows, (windows + 1) / 3 + windows
    at = swing(lambda th, w: -9.81 * weight * math.cos(th) / inertia, math.pi / 2, -1, times)
    uprights = {f"V{i}": [(i + math.cos(th) / 2, math.sin(th) / 2) for th in at] for i in range(windows + 1)}
    return uprights | {f"H{i + 1}": [(i + 0.5 + math.cos(th), math.sin(th)) for th in at] for i in range(windows)}


def away(program, model, formulation, exact, words):
    """m, largest distance of a body from the exact motion, at any output."""
    bodies = list(exact([0]))
    names = [f"{b}.position.{axis} [m]" for b in bodies for axis in "xyz"]
    times, *found = columns(program, model, formulation, *names, words=words)
    true = exact(times)
    return max(math.dist((x, y, z), (*p, 0)) for k, b in enumerate(bodies)
               for x, y, z, p in zip(*found[3 * k:3 * k + 3], true[b]))


def singular(program, chosen, seconds):
    print("| mechanism | formulation | rtol or step | away (m) | energy drift (J) | violation (m) | evaluations | dropped |")
    print("|---|---|---|---|---|---|---|---|")
    cases = [(["five-bar"], five_bar)]
    cases += [(["four-bar-ladder", f"windows={n}"], lambda t, n=n: ladder(n, t)) for n in (1, 2, 5)]
    for model, exact in cases:
        for f in chosen:
            for size in ("1e-6", "1e-9") if f not in OWN_STEP else ("0.01", "0.001"):
                start = f"| {' '.join(model)} | {f} | {size} | "
                words = ["--time", seconds, "--step" if f in OWN_STEP else "--rtol", size]
                try:
                    r = summary(program, model, f, *words)
                    off = away(program, model, f, exact, [*words, "--every", 0.02])
                    print(start + f"{off:.0e} | {r['max_energy_drift']:.1e} | {r['max_position_violation']:.0e} | "
                          f"{r['rate_evaluations']} | {r['truncated_evaluations']} |", flush=True)
                except Refused as why:
                    print(start + f"ends: {why} | | | | |", flush=True)


# tests/laws/four_link_loop.h, NEAR_MISS: a loop of two freedoms on its way past the in-line position
NEAR_ANGLES = [0.0462530754273261, -0.037977738082433765, -2.9240917231023298, 0.20904126608506417]
NEAR_RATES = [-0.4191904785997651, 0.38647990389437925, -3.1398413682939403, -3.1008291037391982]


def near_model():
    lines = ["cleave: 1", "name: near-miss", "gravity: [0, -9.81, 0]", "bodies:"]
    lines += [f"  B{i}: {{mass: 1, inertia: [1, 1, 1]}}" for i in range(1, 5)] + ["joints:"]
    ahead = [("ground", 0)] + [(f"B{i}", 0.5) for i in range(1, 5)]
    behind = [(f"B{i}", -0.5) for i in range(1, 5)] + [("ground", 2)]
    for i, ((a, x), (b, y)) in enumerate(zip(ahead, behind), 1):
        lines.append(f"  J{i}: {{kind: revolute, a: {{body: {a}, position: [{x}, 0, 0]}}, "
                     f"b: {{body: {b}, position: [{y}, 0, 0]}}}}")
    lines += ["start:", "  bodies:"]
    x = y = vx = vy = 0.0
    for i, (angle, w) in enumerate(zip(NEAR_ANGLES, NEAR_RATES), 1):
        lx, ly = math.cos(angle), math.sin(angle)
        lines.append(f"    B{i}: {{position: [{x + lx / 2!r}, {y + ly / 2!r}, 0], "
                     f"orientation: {{axis: [0, 0, 1], angle: {angle!r}}}, "
                     f"velocity: [{vx - w * ly / 2!r}, {vy + w * lx / 2!r}, 0], angular_velocity: [0, 0, {w!r}]}}")
        x, y, vx, vy = x + lx, y + ly, vx - w * ly, vy + w * lx
    return "\n".join(lines) + "\n"


def near(program, chosen):
    print("| formulation | option | away (m) | energy drift (J) | violation rate (m/s) | evaluations | reported by | passes |")
    print("|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        model = pathlib.Path(folder) / "near-miss.yaml"
        model.write_text(near_model(), encoding="utf-8")
        exact = summary(program, [model], "massmatrix", "--time", 0.3, "--rank", 1e-12, "--integrator", "dop853",
                        "--rtol", 1e-13)
        for f in chosen:
            option = ["--alpha", "1e12"] if f == "aldca" else ["--rank", "1e-10"]
            steps = [["--step", h] for h in ("1e-3", "1e-4", "1e-5")]
            for words in steps if f in OWN_STEP else ([], option):
                size = [] if f in OWN_STEP else ["--rtol", "1e-9"]
                start = f"| {f} | {' '.join(words) or 'defaults'} | "
                try:
                    r = summary(program, [model], f, "--time", 0.3, *size, *words)
                except Refused as why:
                    print(start + f"ends: {why} | | | | | no |", flush=True)
                    continue
                limited = sum(s["limited"] for s in r.get("iterations", {}).values())
                counts = ((r["truncated_evaluations"], "dropped"), (limited, "limited"))
                told = [f"{n} {what}" for n, what in counts if n]
                away = distance(r, exact)
                print(start + f"{away:.0e} | {r['max_energy_drift']:.1e} | {r['max_velocity_violation']:.0e} | "
                      f"{r['rate_evaluations']} | {', '.join(told) or '-'} | {'yes' if away < 1e-4 else 'no'} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--figures", type=pathlib.Path)
    parser.add_argument("--cost", action="store_true")
    parser.add_argument("--singular", action="store_true")
    parser.add_argument("--near", action="store_true")
    parser.add_argument("--time", type=float, default=10)
    parser.add_argument("--only", nargs="+", default=[])
    parser.add_argument("--model", nargs="+", default=["loop-7r"])
    given = parser.parse_args()
    chosen = given.only or names(given.program)
    for f in chosen if given.figures else []:
        drift_figure(given.program, given.model, f, given.figures / f"{f}.svg")
        work_figure(given.program, given.model, f, given.figures / f"{f}.svg")
    if given.cost:
        cost(given.program, chosen)
    if given.singular:
        singular(given.program, chosen, given.time)
    if given.near:
        near(given.program, chosen)


if __name__ == "__main__":
    main()
