# SPDX-License-Identifier: Apache-2.0
"""Sensitivities of a run: gradients of functions of its outputs, and all derivatives of the outputs."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core, _kinds
from .errors import UsageError

if TYPE_CHECKING:
    from .sim import Sim

Numbers = NDArray[np.float64]


class Gradient(NamedTuple):
    """Derivatives of one function, or of all outputs (then with the shapes (frames, outputs) in front)."""

    numbers: Numbers  #: by the numbers of the model, as they were named
    inputs: Numbers   #: (frames, inputs) by the value up to each frame; of all outputs: by a constant (..., inputs)
    q: Numbers        #: by coordinates of the start, counted as rates are; 0 where they follow others
    u: Numbers        #: by rates of the start; 0 where they follow others


class Sensitivity:
    """A run beside a simulation (`Sim.sensitivity`): outputs at its frames, and their derivatives, exact for its steps."""

    def __init__(self, sim: Sim, outputs: Sequence[str], numbers: Sequence[str], time: Numbers, found: dict[str, Any]):
        self._sim, self._run, self._inputs = sim, found["run"], found["inputs"]
        self.outputs, self.numbers = tuple(outputs), tuple(numbers)  #: names
        self.time = time                                             #: (frames,) s
        self.y: Numbers = np.frombuffer(found["y"]).reshape(len(time), len(self.outputs)).copy()  #: (frames, outputs)
        self.rates: tuple[str, ...] = tuple(found["rates"])          #: names, as "crank.u"
        self.independent: NDArray[np.bool_] = np.frombuffer(found["independent"], bool).copy()    #: (rates,)
        self.steps: int = found["steps"]                             #: steps of the run

    def gradient(self, weights: ArrayLike) -> Gradient:
        """Gradient of the sum of `weights` (frames, outputs) times `y`: with the derivatives of a function of `y` that
        of the function.  Its cost hardly grows with the number of parameters."""
        w = np.ascontiguousarray(_kinds.numbers(weights, "weights", "(frames, outputs)"))
        if w.shape != self.y.shape:
            raise UsageError(f"weights have the shape {w.shape}, the outputs {self.y.shape}")
        found = self._sim._adjoint(self._run, w)
        numbers, inputs, q, u = (np.frombuffer(x).copy() for x in found)
        return Gradient(numbers, inputs.reshape(len(self.time), self._inputs), q, u)

    def slopes(self) -> Gradient:
        """Derivatives of all outputs: (frames, outputs, parameters) each."""
        found = self._sim._slopes(self._run)
        return Gradient(*(np.frombuffer(x).reshape(*self.y.shape, count).copy() for x, count in zip(
            found, (len(self.numbers), self._inputs, len(self.rates), len(self.rates)), strict=True)))


def sensitivity(sim: Sim, outputs: Sequence[str], time: ArrayLike, numbers: Sequence[str], *, inputs: ArrayLike | None,
                first: Sequence[str], integrator: str | None, rtol: float | None, atol: float | None, step: float,
                memory: float, like: Sensitivity | None) -> Sensitivity:
    """See Sim.sensitivity."""
    for what, names in (("outputs", outputs), ("numbers", numbers), ("first", first)):
        if isinstance(names, str):
            raise UsageError(f"`{what}` is a list of names, not one name", hint=f"{what}=[{names!r}]")
        _kinds.names(names, what)
    if like is not None and not isinstance(like, Sensitivity):
        raise _kinds.wrong("like", "a Sensitivity", like)
    if integrator is not None:
        _kinds.text(integrator, "integrator")
    t = np.atleast_1d(np.ascontiguousarray(_kinds.numbers(time, "time", "(frames,)")))
    given = None
    if inputs is not None:
        given = np.ascontiguousarray(_kinds.numbers(inputs, "inputs", "(frames, inputs)"))
        if given.shape != (len(t), len(sim.model.inputs)):
            raise UsageError(f"inputs have the shape {given.shape}, not {(len(t), len(sim.model.inputs))}: frames, inputs")
    options = (integrator, np.nan if rtol is None else _kinds.number(rtol, "rtol"),
               np.nan if atol is None else _kinds.number(atol, "atol"), _kinds.number(step, "step"),
               _kinds.number(memory, "memory"))
    found = sim._sensitivity(list(outputs), t, list(numbers), given, list(first), options, like._run if like else None)
    return Sensitivity(sim, outputs, numbers, t, found)


def gradient(sim: Sim, objective: Callable[[Numbers, Numbers], tuple[float, ArrayLike]], outputs: Sequence[str],
             time: ArrayLike, numbers: Sequence[str] = (), **options: Any) -> tuple[float, Gradient]:
    """Value and gradient of a function of a run's outputs, by one run and one adjoint.

    `objective(time, y)` gives the value and its derivatives by `y` (frames, outputs).  Other arguments and options:
    `Sim.sensitivity`.

    >>> import cleave
    >>> s = cleave.Sim(cleave.example("pendulum"))
    >>> at_end = lambda time, y: (y[-1, 0] ** 2, [[2 * y[-1, 0]]])
    >>> value, slope = cleave.gradient(s, at_end, ["J1.q"], [0.5], ["gravity.y"])
    >>> slope.numbers.shape
    (1,)
    """
    if not isinstance(sim, _core.Sim):
        raise _kinds.wrong("sim", "a Sim", sim)
    _kinds.function(objective, "objective")
    x = sim.sensitivity(outputs, time, numbers, **options)
    value, weights = _kinds.pair(objective(x.time, x.y), "what objective returns", "a value and its derivatives")
    return _kinds.number(value, "the value of objective"), x.gradient(weights)
