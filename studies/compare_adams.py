#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sets the counts of cleave's integrators beside SciPy's, as a Markdown table.

    compare_adams.py PATH_TO_BENCH_INTEGRATOR

needs SciPy.  Tolerances are SciPy's rtol and atol and ours alike; the norms differ (SciPy: root mean square of
atol + rtol |y|; cleave and MATLAB: maximum of max(atol, rtol |y|)), so compare evaluations at equal error.
LSODA chooses Adams for these problems; its counts come from solve_ivp.
"""
import csv
import subprocess
import sys

import numpy as np
from scipy.integrate import solve_ivp

MU, NU = 0.012277471, 1 - 0.012277471


def arenstorf(t, y):
    d1 = ((y[0] + MU) ** 2 + y[1] ** 2) ** 1.5
    d2 = ((y[0] - NU) ** 2 + y[1] ** 2) ** 1.5
    return [y[2], y[3], y[0] + 2 * y[3] - NU * (y[0] + MU) / d1 - MU * (y[0] - NU) / d2,
            y[1] - 2 * y[2] - NU * y[1] / d1 - MU * y[1] / d2]


def kepler(t, y):
    r3 = (y[0] ** 2 + y[1] ** 2) ** 1.5
    return [y[2], y[3], -y[0] / r3, -y[1] / r3]


def pendulum(t, y):
    return [y[1], -np.sin(y[0])]


PROBLEMS = {
    "arenstorf": (arenstorf, 17.0652165601579625588917206249, [0.994, 0, 0, -2.00158510637908252240537862224]),
    "kepler": (kepler, 62.831853071795864769, [0.5, 0, 0, 1.7320508075688772935]),
    "pendulum": (pendulum, 100.0, [2.0, 0.0]),
}


def scipy_rows():
    for name, (rates, end, start) in PROBLEMS.items():
        truth = start
        if name == "pendulum":
            truth = solve_ivp(rates, (0, end), start, method="DOP853", rtol=3e-14, atol=1e-14).y[:, -1]
        for method in ("RK23", "RK45", "DOP853", "LSODA"):
            for digits in (3, 6, 9, 12):
                tolerance = 10.0 ** -digits
                r = solve_ivp(rates, (0, end), start, method=method, rtol=tolerance, atol=tolerance)
                yield dict(problem=name, method="SciPy " + method, tolerance=f"{tolerance:.0e}", steps=len(r.t) - 1,
                           evaluations=r.nfev, error=f"{np.max(np.abs(r.y[:, -1] - truth)):.1e}")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    text = subprocess.run([sys.argv[1]], check=True, capture_output=True, text=True).stdout
    rows = list(csv.DictReader(text.splitlines())) + list(scipy_rows())
    methods = ["bs23", "SciPy RK23", "dopri5", "SciPy RK45", "dop853", "SciPy DOP853", "adams", "SciPy LSODA"]
    for problem in PROBLEMS:
        print(f"\n{problem}: evaluations (error at the end)\n")
        print("| method | 1e-3 | 1e-6 | 1e-9 | 1e-12 |\n|---|---|---|---|---|")
        for method in methods:
            cells = [f"{r['evaluations']} ({r['error']})" for r in rows
                     if r["problem"] == problem and r["method"] == method]
            print(f"| {method} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
