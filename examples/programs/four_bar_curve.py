#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A four-bar whose coupler point follows a given curve: link lengths and coupler point by least squares.

The crank turns once; the curve has a point for every fifteen degrees.  Numbers of the model are places of joints on
their bodies: `cleave.Sim.sensitivity` runs the mechanism, and `gradient` carries the misfit back to all of them, with
the loop closed.  SciPy's BFGS does the rest.

    python four_bar_curve.py
"""
import numpy as np
from scipy.optimize import minimize

import cleave

#: places of joints: on the crank, on the coupler from its point of interest, on the rocker, on the ground
NUMBERS = ("b.point_a.x", "b.point_b.x", "b.point_b.y", "c.point_a.x", "c.point_a.y", "c.point_b.x", "d.point_a.x")
#: lengths (m) of the four-bar that has drawn the curve, and a first guess
KNOWN = np.array([0.10, -0.18, -0.12, 0.14, -0.07, 0.26, 0.30])
GUESS = np.array([0.12, -0.16, -0.09, 0.17, -0.10, 0.23, 0.33])
TIME = np.arange(1, 25) / 24  # s: one turn

MODEL = """
cleave: 1
name: four-bar
gravity: [0, 0, 0]
bodies:
  crank: {{mass: 0.1, com: [0.05, 0, 0], inertia: [1e-4, 1e-4, 1e-4]}}
  coupler: {{mass: 0.3, inertia: [1e-3, 1e-3, 1e-3]}}
  rocker: {{mass: 0.2, com: [0.1, 0, 0], inertia: [1e-3, 1e-3, 1e-3]}}
joints:
  a: {{kind: revolute, a: {{body: ground}}, b: {{body: crank}}}}
  b: {{kind: revolute, a: {{body: crank, position: [{0:.17g}, 0, 0]}}, b: {{body: coupler, position: [{1:.17g}, {2:.17g}, 0]}}}}
  d: {{kind: revolute, a: {{body: ground, position: [{6:.17g}, 0, 0]}}, b: {{body: rocker}}}}
  c: {{kind: revolute, a: {{body: coupler, position: [{3:.17g}, {4:.17g}, 0]}}, b: {{body: rocker, position: [{5:.17g}, 0, 0]}}, cut: true}}
motions: {{turn: {{joint: a, offset: 0.3, rate: {rate:.17g}}}}}
markers: {{tip: {{body: coupler}}}}
start: {{joints: {{b: {{q: 0.9}}, d: {{q: 1.9}}}}}}
"""


def sim(lengths):
    return cleave.Sim(cleave.loads(MODEL.format(*lengths, rate=2 * np.pi)), formulation="dca", rtol=1e-8)


def curve(lengths):
    """Places of the coupler point, (24, 2) m."""
    return sim(lengths).sensitivity(["tip.position.x", "tip.position.y"], TIME).y


def misfit(lengths, target):
    """Sum of squared distances from the curve, m^2, and its gradient."""
    def squares(time, y):
        return ((y - target) ** 2).sum(), 2 * (y - target)
    value, slope = cleave.gradient(sim(lengths), squares, ["tip.position.x", "tip.position.y"], TIME, NUMBERS)
    return value, slope.numbers


def fit(target, guess=GUESS):
    first = 0.02 / np.linalg.norm(misfit(guess, target)[1])  # a first step of 2 cm

    def scaled(lengths):
        try:
            value, slope = misfit(lengths, target)
        except cleave.CleaveError:  # the crank cannot turn
            return 1.0, np.zeros(len(lengths))
        return first * value, first * slope
    return minimize(scaled, guess, jac=True, method="BFGS", options={"gtol": 1e-12, "maxiter": 300})


def main():
    target = curve(KNOWN)
    found = fit(target)
    print(f"misfit {misfit(GUESS, target)[0]:.3e} -> {misfit(found.x, target)[0]:.3e} m^2 in {found.nit} iterations")
    for name, known, value in zip(NUMBERS, KNOWN, found.x, strict=True):
        print(f"{name:12}  {value:9.6f} m  (drawn with {known:9.6f})")


if __name__ == "__main__":
    main()
