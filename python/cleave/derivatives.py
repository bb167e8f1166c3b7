# SPDX-License-Identifier: Apache-2.0
"""Derivatives of accelerations, mass matrix and what belongs to it, as NumPy matrices."""
from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import _kinds
from .errors import UsageError

if TYPE_CHECKING:
    from .sim import Sim

Numbers = NDArray[np.float64]

_AXES = ("x", "y", "z")
_SIX = (*_AXES, "rx", "ry", "rz")
#: kind and names of its components; in the order of clv_number_kind
_KINDS: dict[str, tuple[int, tuple[str, ...]]] = {
    "mass": (0, ()), "com": (1, _AXES), "inertia": (2, ("xx", "yy", "zz", "xy", "xz", "yz")), "stiffness": (3, _SIX),
    "damping": (4, _SIX), "rest": (5, ()), "drive": (6, ()), "preload": (6, _SIX)}


class Derivatives(NamedTuple):
    """Accelerations udot of the spanning tree change by dq x + du y + dinput e + dnumber p.

    x: displacements of coordinates, y: changes of rates, both such that loops stay closed; e, p: changes of inputs and
    of numbers of the model.  Displacements count as rates do (T77); rotations of quaternions are about body axes.
    n rates, m rows of closings.
    """

    rates: tuple[str, ...]    #: "low.u", "ball.u.rx", ...
    inputs: tuple[str, ...]
    numbers: tuple[str, ...]
    u: Numbers                #: (n,) rates
    udot: Numbers             #: (n,) accelerations
    dq: Numbers               #: (n, n)
    du: Numbers               #: (n, n)
    dinput: Numbers           #: (n, inputs)
    dnumber: Numbers          #: (n, numbers)
    follow_q: Numbers         #: (n, n) displacements that keep loops closed; column k: the nearest to coordinate k
    follow_u: Numbers         #: (n, n) rates that follow them
    follow_rate: Numbers      #: (n, n) rates that loops allow; column k: the nearest to rate k
    mass: Numbers             #: (n, n) mass matrix of the open tree
    bias: Numbers             #: (n,) mass udot + bias = closing^T lambda
    closing: Numbers          #: (m, n) velocities of the rows of closings, by rates
    delassus: Numbers         #: (m, m) closing mass^-1 closing^T; NaN where the mass matrix is singular


def _number(sim: Sim, name: str) -> tuple[int, int, int]:
    """(kind, item, component) of "item.field.component"."""
    model, words = sim.model, name.split(".")
    if words[0] == "gravity" and len(words) == 2 and words[1] in _AXES:
        return 7, 0, _AXES.index(words[1])
    for at in range(len(words) - 1, 0, -1):
        kind, parts = _KINDS.get(words[at], (-1, ()))
        if kind < 0:
            continue
        rest = words[at + 1:]
        if len(rest) > 1 or (rest and rest[0] not in parts):
            break
        item = model._number("bodies" if kind < 3 else "forces", ".".join(words[:at]))
        return kind, item, parts.index(rest[0]) if rest else 0
    raise UsageError(f"derivatives know no number {name!r}",
                     hint="numbers: BODY.mass, BODY.com.x, BODY.inertia.xx, FORCE.stiffness, FORCE.damping, FORCE.rest, "
                          "FORCE.drive, FORCE.preload.rx, gravity.x")


def derivatives(sim: Sim, numbers: Sequence[str]) -> Derivatives:
    """See Sim.derivatives."""
    if isinstance(numbers, str):
        raise UsageError("`numbers` is a list of names, not one name", hint=f"numbers=[{numbers!r}]")
    names = tuple(_kinds.names(numbers, "numbers"))
    found = sim._derivatives([_number(sim, name) for name in names])
    n, m = len(found["rate"]), found["rows"]
    shape = {"u": (n,), "udot": (n,), "bias": (n,), "dinput": (n, found["inputs"]), "dnumber": (n, len(names)),
             "closing": (m, n), "delassus": (m, m)}
    arrays = {key: np.frombuffer(found[key]).reshape(shape.get(key, (n, n))).copy()
              for key in Derivatives._fields[3:]}
    return Derivatives(tuple(found["rate"]), sim.model.inputs, names, **arrays)
