# SPDX-License-Identifier: Apache-2.0
"""Linear systems about a state, as NumPy matrices."""
from __future__ import annotations

import os
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import _kinds
from .errors import _make
from .model import Model
from .tools import _command, _input_words

Numbers = NDArray[np.float64]


class Linear(NamedTuple):
    """dx' = A dx + B du, dy = C dx + D du for differences from the point (x, u, y).

    n states, m inputs, p outputs; units are SI and rad.  States of quaternions are rotations about body axes.
    """

    A: Numbers  #: (n, n)
    B: Numbers  #: (n, m)
    C: Numbers  #: (p, n)
    D: Numbers  #: (p, m)
    x: Numbers  #: (n,) states of the point; rotations of quaternions 0
    u: Numbers  #: (m,)
    y: Numbers  #: (p,)
    states: tuple[str, ...]   #: "low.q", ..., "low.u", ...
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    error: float              #: estimated error of differences, beside the largest of its kind; 0 without any
    differences: str          #: why A and B are differences; "" where they are exact


def linearize(model: "Model | str | os.PathLike[str]", *, outputs: str | None = None, equilibrium: bool = False,
              time: float = 0.0, inputs: "Mapping[str, float] | None" = None) -> Linear:
    """The linear system about the start, the state at `time` (s) or the static equilibrium near the start (T64).

    `outputs`: columns as of ``cleave run --columns``, names with commas.  `inputs`: values of inputs of the model.
    Loops stay closed, and motions run as at that time.  It runs the command in a process of its own.  Raises
    `UsageError`, `ModelError` and those of a simulation.

    >>> found = linearize("pendulum", equilibrium=True)
    >>> found.states, [round(float(x), 6) for x in np.linalg.eigvals(found.A).imag]
    (('J1.q', 'J1.u'), [4.429447, -4.429447])
    """
    at = _kinds.number(time, "time")
    words = ["--equilibrium"] if equilibrium else ["--time", repr(at)] if at else []
    words += ["--outputs", _kinds.text(outputs, "outputs")] if outputs is not None else []
    words += _input_words(inputs)
    found = _command("linearize", model, words)
    record = found.get("error")
    if isinstance(record, dict):
        raise _make([(record.pop("code", ""), record)])
    states, inward, outward = (tuple(map(str, found[key])) for key in ("states", "inputs", "outputs"))

    def matrix(key: str, rows: tuple[str, ...], columns: tuple[str, ...]) -> Numbers:
        return np.array(found[key], dtype=np.float64).reshape(len(rows), len(columns))

    x, u, y = (np.array(found[key], dtype=np.float64) for key in "xuy")
    return Linear(matrix("A", states, states), matrix("B", states, inward), matrix("C", outward, states),
                  matrix("D", outward, inward), x, u, y, states, inward, outward, float(found["error"]),
                  str(found["differences"]))
