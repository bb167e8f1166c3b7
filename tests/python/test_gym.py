# SPDX-License-Identifier: Apache-2.0
"""The vector environment of examples/programs/gym_arm.py; skipped by name without gymnasium."""
import importlib.util

import numpy as np
import pytest

from conftest import ROOT, needs_expat

pytest.importorskip("gymnasium", reason="gymnasium is not installed")


@pytest.fixture
def arms():
    spec = importlib.util.spec_from_file_location("gym_arm", ROOT / "examples/programs/gym_arm.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    made = []

    def make(**options):
        made.append(module.ReachArms(**options))
        return made[-1]
    yield make
    for one in made:
        one.close()


@needs_expat
def test_a_vector_environment(arms):
    """Spaces, restarts after the last tick, and the same bits for any number of threads."""
    seen = []
    for threads in (1, 3):
        env = arms(num_envs=3, threads=threads, ticks=4)
        first, _ = env.reset(seed=7)
        assert env.observation_space.contains(first) and first.shape == (3, 17)
        env.action_space.seed(7)
        rows = [first]
        for tick in range(1, 7):
            found, reward, terminated, truncated, _ = env.step(env.action_space.sample())
            assert env.observation_space.contains(found) and reward.shape == (3,)
            assert not terminated.any() and truncated.all() == (tick == 4) and (reward == 0).all() == (tick == 5)
            rows.append(found)
        seen.append(np.array(rows))
    assert np.array_equal(*seen)
    assert (seen[0][5, :, 7:14] == 0).all() and not np.array_equal(seen[0][5], seen[0][0])
    assert abs(seen[0][4, :, 7:14]).max() > 0.1


@needs_expat
def test_a_fall_is_that_of_a_simulation(arms):
    import cleave
    env = arms(num_envs=1)
    start, _ = env.reset(seed=3)
    for _ in range(10):
        found, *_ = env.step(np.zeros((1, 7)))
    s = cleave.Sim(env.model, rtol=1e-10)
    s.set_joints(dict(zip(env.joints, start[0, :7])))
    s.advance(0.2)
    assert np.allclose(found[0, :7], [s.q[j] for j in env.joints], rtol=0, atol=1e-5)
