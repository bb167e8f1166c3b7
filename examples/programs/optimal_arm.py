# SPDX-License-Identifier: Apache-2.0
"""Open-loop control of a closed-loop arm: a five-bar of two motors moves its tool in 0.4 s, with least torque.

Direct collocation by the trapezoidal rule: states at the nodes and torques are the unknowns, the equations of motion
between the nodes are constraints.  Their Jacobian is exact: `Sim.derivatives` gives it with the loop closed, and
`reduced` turns it into that of the two motor angles.  SciPy's SLSQP does the rest.

    python optimal_arm.py [NODES]
"""
import sys

import numpy as np
from scipy.optimize import minimize

import cleave

MODEL = """
cleave: 1
name: five-bar-arm
gravity: [0, -9.81, 0]
bodies:
  left: {mass: 0.8, com: [0.15, 0, 0], inertia: [0.001, 0.008, 0.008]}
  right: {mass: 0.8, com: [0.15, 0, 0], inertia: [0.001, 0.008, 0.008]}
  rod: {mass: 0.5, com: [0.2, 0, 0], inertia: [0.001, 0.009, 0.009]}
  tool: {mass: 0.7, com: [0.2, 0, 0], inertia: [0.001, 0.01, 0.01]}
joints:
  a: {kind: revolute, a: {body: ground, position: [-0.1, 0, 0]}, b: {body: left}}
  b: {kind: revolute, a: {body: ground, position: [0.1, 0, 0]}, b: {body: right}}
  c: {kind: revolute, a: {body: left, position: [0.3, 0, 0]}, b: {body: rod}}
  d: {kind: revolute, a: {body: right, position: [0.3, 0, 0]}, b: {body: tool}}
  e: {kind: revolute, a: {body: rod, position: [0.4, 0, 0]}, b: {body: tool, position: [0.4, 0, 0]}, cut: true}
inputs: {one: {joint: a}, two: {joint: b}}
start: {joints: {a: {q: -2.3}, b: {q: -0.84}, c: {q: 1.0}, d: {q: -1.0}}}
"""
MOTORS = ("a", "b")


def reduced(found, motors=MOTORS):
    """Accelerations of the motors, and their derivatives on motor angles, rates and inputs: (2,), (2, 2) three times.

    Columns of follow_q are displacements that keep the loop closed; N are those of one motor angle each.
    """
    at = [found.rates.index(joint + ".u") for joint in motors]
    N = found.follow_q[:, at] @ np.linalg.inv(found.follow_q[np.ix_(at, at)])
    rates = found.follow_u @ N          # that follow a displacement ...
    rates = rates - N @ rates[at]       # ... while the rates of the motors stay
    return (found.udot[at], (found.dq @ N + found.du @ rates)[at], (found.du @ N)[at], found.dinput[at])


class Arm:
    """Right-hand side x' = f(x, torque) of x = (angles, rates) of the motors, with its Jacobians."""

    def __init__(self):
        self.sim = cleave.Sim(cleave.loads(MODEL), formulation="dca")

    def __call__(self, x, torque):
        self.sim.set_joints({joint: (x[i], x[2 + i]) for i, joint in enumerate(MOTORS)})
        self.sim.input["one"], self.sim.input["two"] = torque
        udot, dq, du, dinput = reduced(self.sim.derivatives())
        A = np.block([[np.zeros((2, 2)), np.eye(2)], [dq, du]])
        return np.concatenate([x[2:], udot]), A, np.vstack([np.zeros((2, 2)), dinput])


class Problem:
    """Unknowns z: nodes x (n + 1, 4), torques (n + 1, 2)."""

    def __init__(self, start, end, time=0.4, nodes=12):
        self.arm, self.n, self.h = Arm(), nodes, time / nodes
        self.start, self.end = (np.concatenate([np.asarray(q, float), np.zeros(2)]) for q in (start, end))
        self.seen = None

    def split(self, z):
        return z[:4 * (self.n + 1)].reshape(-1, 4), z[4 * (self.n + 1):].reshape(-1, 2)

    def sides(self, z):
        if self.seen is None or not np.array_equal(self.seen[0], z):
            self.seen = z.copy(), [self.arm(x, torque) for x, torque in zip(*self.split(z), strict=True)]
        return self.seen[1]

    def defects(self, z):
        x, f = self.split(z)[0], np.array([side[0] for side in self.sides(z)])
        between = x[1:] - x[:-1] - self.h / 2 * (f[1:] + f[:-1])
        return np.concatenate([between.ravel(), x[0] - self.start, x[-1] - self.end])

    def jacobian(self, z):
        n, sides = self.n, self.sides(z)
        J = np.zeros((4 * n + 8, 6 * (n + 1)))
        for k in range(n):
            rows = slice(4 * k, 4 * k + 4)
            for side, sign in ((k, -1), (k + 1, 1)):
                _, A, B = sides[side]
                J[rows, 4 * side:4 * side + 4] = sign * np.eye(4) - self.h / 2 * A
                J[rows, 4 * (n + 1) + 2 * side:4 * (n + 1) + 2 * side + 2] = -self.h / 2 * B
        J[4 * n:4 * n + 4, :4] = np.eye(4)
        J[4 * n + 4:, 4 * n:4 * n + 4] = np.eye(4)
        return J

    def cost(self, z):
        """Integral of the squared torques, N^2 m^2 s, and its gradient."""
        torque, weight = self.split(z)[1], np.full((self.n + 1, 1), self.h)
        weight[[0, -1]] /= 2
        return (weight * torque**2).sum(), np.concatenate([np.zeros(4 * (self.n + 1)), (2 * weight * torque).ravel()])

    def solve(self):
        part = np.linspace(0, 1, self.n + 1)[:, None]
        z = np.concatenate([((1 - part) * self.start + part * self.end).ravel(), np.zeros(2 * (self.n + 1))])
        return minimize(self.cost, z, jac=True, method="SLSQP", options={"maxiter": 200, "ftol": 1e-9},
                        constraints={"type": "eq", "fun": self.defects, "jac": self.jacobian})


def main():
    problem = Problem(start=(-2.3, -0.84), end=(-1.9, -0.5), nodes=int(sys.argv[1]) if len(sys.argv) > 1 else 12)
    found = problem.solve()
    print(f"{found.message}: {found.nit} iterations, {found.fun:.4f} N^2 m^2 s, "
          f"defects {np.abs(problem.defects(found.x)).max():.1e}")
    for k, torque in enumerate(problem.split(found.x)[1]):
        print(f"{k * problem.h:6.3f} s  {torque[0]:8.3f} {torque[1]:8.3f} N m")


if __name__ == "__main__":
    main()
