# SPDX-License-Identifier: Apache-2.0
"""Jacobians of markers and bodies, by unit rates of joints."""
from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from . import _kinds
from .errors import InconsistentError, UsageError

if TYPE_CHECKING:
    from .sim import Sim


def _rates(sim: Sim, joints: Iterable[str] | None) -> list[tuple[str, int]]:
    """Joints and their numbers of rates; as many rates as the mechanism has degrees of freedom."""
    model = sim.model
    width = {joint: nu for joint, _, _, nu, _, _ in model._described()["joints"]}
    for joint in (chosen := tuple(width if joints is None else _kinds.names(joints, "joints"))):
        model._number("joints", joint)
    rows = [(joint, width[joint]) for joint in chosen if width[joint] > 0]
    count, freedoms = sum(nu for _, nu in rows), sim.report()["mobility_found"]
    if count != freedoms:
        raise UsageError(f"the joints have {count} rates, and the mechanism {freedoms} degrees of freedom",
                         hint="name independent joints: jacobian(point, joints); `cleave check` lists free ones")
    return rows


def jacobian(sim: Sim, point: str, joints: Iterable[str] | None) -> NDArray[np.float64]:
    """See Sim.jacobian.  Velocities are affine in the rates: a column is the change by a rate of 1."""
    model = sim.model
    numbers = model._described()["number of markers"]
    marker = numbers.get(_kinds.text(point, "the name of a marker or body"))
    body = model._described()["markers"][marker][1] if marker is not None else model._number("bodies", point)
    rows, copy = _rates(sim, joints), sim.copy()

    def velocity(rates: NDArray[np.float64]) -> NDArray[np.float64]:
        settings, at = {}, 0
        for joint, nu in rows:
            settings[joint] = (None, rates[at] if nu == 1 else rates[at:at + nu])
            at += nu
        try:
            copy.set_joints(settings)
        except InconsistentError as error:
            raise UsageError(f"the named joints do not move independently here: {error.message}",
                             hint="name independent joints") from None
        whole = copy.velocity[body].copy() if body >= 0 else np.zeros(6)
        if marker is not None:
            whole[:3] = copy.marker(point).velocity
        return whole

    count = sum(nu for _, nu in rows)
    rest = velocity(np.zeros(count))
    return np.array([velocity(unit) - rest for unit in np.eye(count)]).reshape(count, 6).T
