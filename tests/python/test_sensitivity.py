# SPDX-License-Identifier: Apache-2.0
"""Sensitivities of runs in Python, and the examples that optimise with them."""
import importlib.util
import sys

import numpy as np
import pytest

import cleave
from conftest import ROOT

SLIDER = """
cleave: 1
gravity: [0, 0, 0]
bodies: {{b: {{mass: {mass:.17g}, inertia: [1, 1, 1]}}}}
joints: {{j: {{kind: prismatic, a: {{body: ground}}, b: {{body: b}}}}}}
forces: {{s: {{kind: joint-load, joint: j, stiffness: 18}}}}
inputs: {{f: {{joint: j}}}}
start: {{joints: {{j: {{q: 0.5, u: 0.4}}}}}}
"""


def oscillator(mass=2.0):
    return cleave.Sim(cleave.loads(SLIDER.format(mass=mass)), formulation="dca")


def test_an_oscillator():
    s = oscillator()
    x = s.sensitivity(["j.q", "j.u"], [0.5, 1.0], ["b.mass", "s.stiffness"], integrator="dop853", rtol=1e-12)
    w, t = 3.0, x.time
    assert np.allclose(x.y[:, 0], 0.5 * np.cos(w * t) + 0.4 / w * np.sin(w * t), atol=1e-10)
    g, all_ = x.gradient([[0, 0], [1, 0]]), x.slopes()
    assert np.allclose(g.q, np.cos(w)) and np.allclose(g.u, np.sin(w) / w)
    assert np.allclose(g.numbers[1] / g.numbers[0], -2 / 18)
    assert all_.numbers.shape == (2, 2, 2) and np.allclose(all_.numbers[1, 0], g.numbers, rtol=1e-11)
    assert all_.inputs.shape == (2, 2, 1) and np.allclose(all_.inputs[1, 0, 0], g.inputs.sum(), rtol=1e-11)
    assert x.rates == ("j.u",) and x.independent.all() and s.time == 0


def test_a_function_and_inputs():
    def at_end(time, y):
        return y[-1, 0] ** 2, [[0.0], [2 * y[-1, 0]]]
    s = oscillator()
    value, g = cleave.gradient(s, at_end, ["j.q"], [0.5, 1.0], inputs=[[1.0], [-2.0]], integrator="dop853", rtol=1e-12)
    h = 1e-3
    for k in range(2):
        up, down = (cleave.gradient(s, at_end, ["j.q"], [0.5, 1.0], inputs=np.array([[1.0], [-2.0]]) +
                                    sign * h * (np.arange(2) == k)[:, None], integrator="dop853", rtol=1e-12)[0]
                    for sign in (1, -1))
        assert abs((up - down) / (2 * h) - g.inputs[k, 0]) < 1e-8
    assert value > 0


def test_steps_of_another_run():
    s = oscillator()
    x = s.sensitivity(["j.q"], [1.0])
    again = s.sensitivity(["j.q"], [1.0], like=x)
    assert again.steps == x.steps and again.y == x.y
    other = oscillator(2.01)
    h, like = 1e-4, s.sensitivity(["j.q"], [1.0], ["b.mass"])
    up, down = (oscillator(2 + sign * h).sensitivity(["j.q"], [1.0], like=like).y[0, 0] for sign in (1, -1))
    assert abs((up - down) / (2 * h) - like.gradient([[1.0]]).numbers[0]) < 1e-7
    assert other.sensitivity(["j.q"], [1.0], like=like).steps == like.steps


def test_mistakes():
    s = oscillator()
    for words, arguments in (("no output 'j.w'", (["j.w"], [1.0])), ("no number 'b.size'", (["j.q"], [1.0], ["b.size"])),
                             ("not one name", ("j.q", [1.0])), ("ascend", (["j.q"], [1.0, 0.5]))):
        with pytest.raises(cleave.UsageError, match=words):
            s.sensitivity(*arguments)
    with pytest.raises(cleave.UsageError, match="shape"):
        s.sensitivity(["j.q"], [1.0], inputs=[1.0])
    with pytest.raises(cleave.UsageError, match="shape"):
        s.sensitivity(["j.q"], [1.0]).gradient([1.0])
    with pytest.raises(cleave.UnsupportedError, match="restricts velocities"):
        cleave.Sim(cleave.example("bicycle"), formulation="dca").sensitivity(["head.q"], [1.0])


# ---------------------------------------------------------------- examples

def program(name):
    pytest.importorskip("scipy", reason="PyPI `scipy` is not installed")
    spec = importlib.util.spec_from_file_location(name, ROOT / f"examples/programs/{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def slope(function, x, k, h):
    """Derivative by differences of sixth order."""
    y = [function(x + i * h * (np.arange(len(x)) == k)) for i in (1, -1, 2, -2, 3, -3)]
    return (45 * (y[0] - y[1]) - 9 * (y[2] - y[3]) + (y[4] - y[5])) / (60 * h)


def test_a_coupler_curve():
    p = program("four_bar_curve")
    target = p.curve(p.KNOWN)
    _, exact = p.misfit(p.GUESS, target)
    for k in range(len(exact)):
        by = slope(lambda x: p.misfit(x, target)[0], p.GUESS, k, 1e-4)
        assert abs(by - exact[k]) < 1e-8 * np.abs(exact).max()
    found = p.fit(target)
    assert p.misfit(found.x, target)[0] < 1e-9
    assert np.abs(p.curve(found.x) - target).max() < 2e-5


def test_a_damper():
    p = program("settling_damper")
    value, exact = p.cost(p.GUESS)
    like = cleave.Sim(p.model(p.GUESS), formulation="dca", rtol=1e-6).sensitivity(["lift.q"], p.TIME)
    for k, h in enumerate((10.0, 3.0)):
        by = slope(lambda x: p.cost(x, like=like)[0], p.GUESS, k, h)
        assert abs(by - exact[k]) < 1e-8 * abs(exact[k])
    best, _ = p.fit()
    assert p.cost(best)[0] < 0.2 * value
    assert p.settling(best) < 0.6 * p.settling(p.GUESS)
