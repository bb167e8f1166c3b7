# SPDX-License-Identifier: Apache-2.0
"""What the commands check, eval, verify and equilibrium find, as dictionaries."""
from __future__ import annotations

import json
import math
import os
import tempfile
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from . import _kinds, _process
from .errors import CleaveError, UsageError, _make
from .model import Model, _source
from .results import _inputs
from .sim import Options, Sim

if TYPE_CHECKING:
    from typing_extensions import Unpack

_MOBILITY = ("rests", "follows", "pauses", "moves")


def check(model: "Model | str | os.PathLike[str]", **options: "Unpack[Options]") -> dict[str, Any]:
    """Degrees of freedom, redundant constraints and start of a model.

    `mobility_found`, `mobility_counted`: degrees of freedom by rank and by counting; `mobility_beside`: by rank a small
    step beside the start, less than `mobility_found` where the start is singular; `redundant_constraints`;
    `redundant_joints`: names, each with the components of force and torque (6 booleans) that are not unique;
    `joints`: how each can move from the start (rests, follows, pauses, moves); `start_moved` m or rad.

    >>> found = check("bricard")
    >>> found["mobility_found"], found["mobility_counted"]
    (1, 0)
    """
    sim = Sim(_source(model), **options)
    report = sim.report()
    found = {name: report[name] for name in ("bodies", "loops", "mobility_found", "mobility_counted",
                                             "mobility_beside", "redundant_constraints", "contradiction", "start_moved",
                                             "start_velocity_moved", "rank")}
    names = sim.model.joints
    starts = [sim._start(i) for i in range(len(names))]
    found["redundant_joints"] = {name: [not unique for unique in sim.joint(name).unique]
                                 for name, start in zip(names, starts) if start[0]}
    found["joints"] = {name: _MOBILITY[start[1]] for name, start in zip(names, starts)}
    return found


def evaluate(model: "Model | str | os.PathLike[str]", time: float = 0.0,
             **options: "Unpack[Options]") -> dict[str, Any]:
    """Accelerations, reactions and energy at one time (s), with the names of ``cleave eval --json``.

    ``["bodies"][name]`` has acceleration (3,) m/s^2 and angular_acceleration (3,) rad/s^2, global;
    ``["joints"][name]`` is a :class:`Joint`.

    >>> round(float(evaluate("pendulum")["energy"]), 6) is not None
    True
    """
    if not 0 <= _kinds.number(time, "time") < math.inf:
        raise UsageError(f"time is {time:g} s; it must be at least 0")
    sim = Sim(_source(model), **options)
    if time > 0:
        sim.advance(time)
    acceleration = sim.acceleration
    bodies = {name: {"acceleration": acceleration[i, :3].copy(), "angular_acceleration": acceleration[i, 3:].copy()}
              for i, name in enumerate(sim.model.bodies)}
    return {"time": sim.time, "energy": sim.energy, "momentum": sim.momentum, "bodies": bodies,
            "joints": {name: sim.joint(name) for name in sim.model.joints}}


def verify(model: "Model | str | os.PathLike[str]", time: float | None = None, *,
           rtol: float | None = None) -> dict[str, Any]:
    """Run every formulation on a model and compare the motions; the JSON of ``cleave verify`` (docs/commands.md).

    ``["status"]`` is "ok" if all agree.  It runs the command in a process of its own.
    """
    words = ["--time", repr(_kinds.number(time, "time"))] if time is not None else []
    words += ["--rtol", repr(_kinds.number(rtol, "rtol"))] if rtol is not None else []
    return _command("verify", model, words)


def equilibrium(model: "Model | str | os.PathLike[str]", *, leave: bool = False, modes: bool = False,
                inputs: "dict[str, float] | None" = None,
                out: "str | os.PathLike[str] | None" = None) -> dict[str, Any]:
    """The static equilibrium near the start; the JSON of ``cleave equilibrium`` (docs/commands.md).

    ``["stability"]`` is "stable", "neutral" or "unstable"; ``["joints"][name]["q"]`` the position of rest.  With
    `leave` an unstable equilibrium is left for a stable one.  With `modes`, ``["modes"]`` lists natural frequencies
    (Hz).  `out`: a new model file that starts there.  It runs the command in a process of its own.  Raises
    `ConvergenceError` if nothing holds the mechanism, with the joint.

    >>> found = equilibrium("pendulum")
    >>> found["stability"], round(found["joints"]["J1"]["q"][0], 6)
    ('stable', 1.570796)
    """
    words = (["--leave"] if leave else []) + (["--modes"] if modes else [])
    words += _input_words(inputs)
    words += ["--out", os.fsdecode(out)] if out is not None else []
    found = _command("equilibrium", model, words)
    if "error" in found:
        record = found["error"]
        raise _make([(record.pop("code", ""), record)])
    return found


def _input_words(inputs: "Mapping[str, float] | None") -> list[str]:
    return [word for name, value in _inputs(inputs).items()
            for word in ("--input", f"{name}={_kinds.number(value, f'input {name}')!r}")]


def _command(name: str, model: "Model | str | os.PathLike[str]", words: list[str]) -> dict[str, Any]:
    """The JSON of a command, run in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.yaml")
        _source(model).save(path)
        done = _process.run([name, path, "--json", *words])
    try:
        found: dict[str, Any] = json.loads(done.stdout)
    except ValueError:
        kind = UsageError if done.returncode == 1 else CleaveError
        raise kind(done.stderr.strip() or f"cleave {name} ended with code {done.returncode}") from None
    return found
