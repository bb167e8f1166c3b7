#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Damper and spring of a wheel suspension on two arms, for the shortest settling after a bump.

The carrier of the wheel is the coupler of a four-bar (two arms), so the loop is part of the problem.  The function is
the integral of time times squared distance from rest, over 1.6 s: it punishes what lasts.  `cleave.gradient`
gives it with its derivatives by stiffness and damping; SciPy's L-BFGS-B does the rest.

    python settling_damper.py
"""
import numpy as np
from scipy.optimize import minimize

import cleave

NUMBERS = ("strut.stiffness", "strut.damping")
GUESS = np.array([18e3, 300.0])     # N/m, N s/m
LEAST, MOST = (10e3, 100.0), (40e3, 30e3)
TIME = np.linspace(0.02, 1.6, 80)    # s

MODEL = """
cleave: 1
name: suspension
gravity: [0, -9.81, 0]
bodies:
  chassis: {{mass: 280, inertia: [10, 10, 10]}}
  low: {{mass: 8, com: [0.2, 0, 0], inertia: [0.02, 0.2, 0.2]}}
  high: {{mass: 6, com: [0.15, 0, 0], inertia: [0.02, 0.1, 0.1]}}
  carrier: {{mass: 25, com: [0.05, 0.15, 0], inertia: [0.8, 0.8, 0.8]}}
joints:
  lift: {{kind: prismatic, a: {{body: ground, orientation: {{z: [0, 1, 0], x: [1, 0, 0]}}}}, b: {{body: chassis, orientation: {{z: [0, 1, 0], x: [1, 0, 0]}}}}}}
  a: {{kind: revolute, a: {{body: chassis}}, b: {{body: low}}}}
  b: {{kind: revolute, a: {{body: chassis, position: [0.08, 0.3, 0]}}, b: {{body: high}}}}
  c: {{kind: revolute, a: {{body: low, position: [0.4, 0, 0]}}, b: {{body: carrier}}}}
  d: {{kind: revolute, a: {{body: high, position: [0.3, 0, 0]}}, b: {{body: carrier, position: [0, 0.3, 0]}}, cut: true}}
forces:
  strut: {{kind: spring-damper, between: [chassis, low], points: [[0.15, 0.45, 0], [0.3, 0, 0]], stiffness: {0:.17g}, damping: {1:.17g}, length: 0.6}}
  tyre: {{kind: spring-damper, between: [ground, carrier], points: [[0.45, -0.3, 0], [0.05, 0.15, 0]], stiffness: 2e5, damping: 100, length: 0.45}}
markers: {{body: {{body: chassis}}}}
start: {{joints: {{lift: {{q: 0.06, u: 0.3}}}}}}
"""


def model(numbers):
    return cleave.loads(MODEL.format(*numbers))


def cost(numbers, **options):
    """Integral of t (z - z at the end)^2, m^2 s^2, and its derivatives; the end is that of the run."""
    weight = TIME * (TIME[1] - TIME[0])

    def late(time, y):
        z = y[:, 0] - y[-1, 0]
        slope = 2 * weight * z
        slope[-1] -= slope.sum()
        return float(weight @ z**2), slope[:, None]

    s = cleave.Sim(model(numbers), formulation="dca", rtol=1e-6)
    value, slope = cleave.gradient(s, late, ["lift.q"], TIME, NUMBERS, **options)
    return value, slope.numbers


def settling(numbers, band=0.02):
    """s: after it the chassis stays within a part of its largest excursion."""
    s = cleave.Sim(model(numbers), formulation="dca", rtol=1e-6)
    z = s.sensitivity(["lift.q"], TIME).y[:, 0]
    z = np.abs(z - z[-1])
    return TIME[np.flatnonzero(z > band * z.max())[-1]]


def fit(guess=GUESS):
    unit = np.array([1e4, 1e3])

    def scaled(x):
        value, slope = cost(x * unit)
        return 1e3 * value, 1e3 * slope * unit
    bounds = [(low / u, high / u) for low, high, u in zip(LEAST, MOST, unit, strict=True)]
    found = minimize(scaled, guess / unit, jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": 60})
    return found.x * unit, found


def main():
    best, found = fit()
    for name, x in (("before", GUESS), ("after", best)):
        print(f"{name:6}  stiffness {x[0]:8.0f} N/m  damping {x[1]:7.1f} N s/m  settles in {settling(x):.2f} s")
    print(f"{found.nit} iterations, {found.nfev} runs")


if __name__ == "__main__":
    main()
