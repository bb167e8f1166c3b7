# SPDX-License-Identifier: Apache-2.0
"""A vector environment of gymnasium: arms that shall bring their tools to targets.

    pip install . gymnasium && python examples/programs/gym_arm.py

Every arm is a simulation of its own; all share one model.  They step in threads, because a step releases the lock of the
interpreter.  Actions are fractions of the effort limits of the URDF.
"""
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import gymnasium
import numpy as np
from gymnasium.spaces import Box
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

import cleave

ROBOT = Path(__file__).resolve().parent.parent / "robots" / "arm7.urdf"


class ReachArms(VectorEnv):
    """Observation: coordinates (rad), rates (rad/s), way from the tool to the target (m)."""

    metadata = {"autoreset_mode": AutoresetMode.NEXT_STEP}

    def __init__(self, num_envs: int = 4, threads: int = 2, tick: float = 0.02, ticks: int = 100) -> None:
        self.model = cleave.load(ROBOT)
        self.joints = self.model.inputs
        self.limits = np.array([self.model.limit(j)[1] for j in self.joints])  # N m
        self.tick, self.ticks, self.num_envs = tick, ticks, num_envs
        n = len(self.joints)
        self.single_action_space = Box(-1, 1, (n,), np.float64)
        self.single_observation_space = Box(-np.inf, np.inf, (2 * n + 3,), np.float64)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.pool = ThreadPoolExecutor(threads)
        self.sims: list[cleave.Sim] = []
        self.target = np.zeros((num_envs, 3))
        self.count = np.zeros(num_envs, int)

    def _start(self) -> cleave.Sim:
        sim = cleave.Sim(self.model)
        sim.set_joints({j: q for j, q in zip(self.joints, self.np_random.uniform(-0.5, 0.5, len(self.joints)))})
        return sim

    def _aim(self, i: int) -> None:
        self.target[i] = self.np_random.uniform((0.3, -0.4, 0.5), (0.7, 0.4, 1.1))
        self.count[i] = 0

    def _way(self) -> np.ndarray:
        return self.target - np.array([sim.marker("tool").position for sim in self.sims])

    def _observe(self) -> np.ndarray:
        q = [[sim.q[j] for j in self.joints] for sim in self.sims]
        u = [[sim.u[j] for j in self.joints] for sim in self.sims]
        return np.concatenate([q, u, self._way()], axis=1)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.sims = [self._start() for _ in range(self.num_envs)]
        for i in range(self.num_envs):
            self._aim(i)
        return self._observe(), {}

    def _advance(self, i: int, action: np.ndarray) -> None:
        sim = self.sims[i]
        for joint, effort in zip(self.joints, np.clip(action, -1, 1) * self.limits):
            sim.input[joint] = effort
        sim.step(self.tick)

    def step(self, actions):
        over = self.count >= self.ticks                          # these begin anew instead of this step
        moving = np.flatnonzero(~over)
        for i in np.flatnonzero(over):
            self.sims[i] = self._start()
            self._aim(i)
        list(self.pool.map(lambda i: self._advance(i, actions[i]), moving))
        self.count[moving] += 1
        reward = np.where(over, 0.0, -np.linalg.norm(self._way(), axis=1))
        return self._observe(), reward, np.zeros(self.num_envs, bool), self.count >= self.ticks, {}

    def close_extras(self, **kwargs) -> None:
        self.pool.shutdown()


if __name__ == "__main__":
    arms = ReachArms(num_envs=4, ticks=50)
    arms.action_space.seed(1)
    arms.reset(seed=1)
    total = np.zeros(arms.num_envs)
    for _ in range(120):
        _, reward, _, truncated, _ = arms.step(0.1 * arms.action_space.sample())
        total += reward
    arms.close()
    print("gymnasium", gymnasium.__version__, "sums of rewards", np.round(total, 2))
