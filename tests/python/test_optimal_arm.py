# SPDX-License-Identifier: Apache-2.0
"""The open-loop control of examples/programs/optimal_arm.py: its Jacobian beside differences, and its torques in a run."""
import importlib.util
import sys

import numpy as np
import pytest

import cleave
from conftest import ROOT

pytest.importorskip("scipy", reason="PyPI `scipy` is not installed")


@pytest.fixture(scope="module")
def program():
    spec = importlib.util.spec_from_file_location("optimal_arm", ROOT / "examples/programs/optimal_arm.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules["optimal_arm"] = module
    spec.loader.exec_module(module)
    return module


def test_the_jacobian_beside_differences(program):
    rng, h = np.random.default_rng(1), 1e-3
    problem = program.Problem((-2.3, -0.84), (-1.9, -0.5), nodes=2)
    x = np.tile([-2.1, -0.7, 0.0, 0.0], (3, 1)) + rng.uniform(-0.2, 0.2, (3, 4)) * [1, 1, 5, 5]
    z = np.concatenate([x.ravel(), rng.uniform(-3, 3, 6)])
    exact = problem.jacobian(z)
    for k, unit in enumerate(np.eye(z.size)):
        one, two, three = (problem.defects(z + i * h * unit) - problem.defects(z - i * h * unit) for i in (1, 2, 3))
        assert np.allclose((45 * one - 9 * two + three) / (60 * h), exact[:, k], rtol=0, atol=1e-9 * np.abs(exact).max())


def missed(program, problem, z, steps=40):
    """Largest error of angles at the end of an interval, by runs with these torques from node to node."""
    s = cleave.Sim(cleave.loads(program.MODEL), formulation="dca", rtol=1e-9)
    x, torque = problem.split(z)
    worst = 0.0
    for k in range(problem.n):
        s.set_joints({joint: (x[k, i], x[k, 2 + i]) for i, joint in enumerate(program.MOTORS)})
        begin = s.time
        for step in range(1, steps + 1):
            part = (step - 0.5) / steps
            s.input["one"], s.input["two"] = (1 - part) * torque[k] + part * torque[k + 1]
            s.advance(begin + step * problem.h / steps)
        worst = max(worst, *(abs(float(s.q[joint]) - x[k + 1, i]) for i, joint in enumerate(program.MOTORS)))
    return worst


def test_the_torques_move_the_arm(program):
    """From node to node a run misses the next one by the error of the trapezoidal rule, of third order."""
    error = []
    for nodes in (6, 12):
        problem = program.Problem((-2.3, -0.84), (-1.9, -0.5), nodes=nodes)
        found = problem.solve()
        assert found.success and np.abs(problem.defects(found.x)).max() < 1e-7
        error.append(missed(program, problem, found.x))
    assert error[1] < 0.01 and error[0] / error[1] > 4
