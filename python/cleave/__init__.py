# SPDX-License-Identifier: Apache-2.0
"""cleave: motion, forces and efforts of mechanisms with closed loops.

>>> import cleave
>>> s = cleave.Sim(cleave.example("pendulum"), rtol=1e-9)
>>> s.advance(1.0)
>>> s.time
1.0

Units are SI and radians; vectors have global axes; quaternions are w, x, y, z.  Numbers of a simulation are numpy
arrays that are live: they show the present state after every call that changes it.  Guide: docs/python.md.
"""
from ._core import version as __version__
from .derivatives import Derivatives
from .errors import (CleaveError, ConvergenceError, FileError, FileSyntaxError, InconsistentError, ModelError,
                     NotFiniteError, SingularError, StepSizeError, Stopped, UnknownNameError, UnsupportedError,
                     UsageError)
from .linear import Linear, linearize
from .model import GROUND, Dropped, LoadView, Model, Parameter, example, examples, load, load_robot, loads
from .page import Page, report
from .results import Column, Picture, Results, Run, plot, run
from .sensitivities import Gradient, Sensitivity, gradient
from .sim import Body, BodyView, Contact, ContactPair, Event, Joint, Marker, Momentum, Sim, formulations, integrators, options
from .sweeps import Executor, Statistics, Sweep, sweep
from .tools import check, equilibrium, evaluate, verify

eval = evaluate  # noqa: A001 - the name of the command

__all__ = [
    "GROUND", "Body", "BodyView", "CleaveError", "Column", "Contact", "ContactPair", "ConvergenceError", "Derivatives", "Dropped", "Event", "Executor", "FileError", "FileSyntaxError",
    "Gradient", "InconsistentError", "Joint", "Linear", "LoadView", "Marker", "Model", "ModelError", "Momentum", "NotFiniteError",
    "Page", "Parameter", "Picture", "Results", "Run", "Sensitivity", "Sim", "SingularError", "Statistics", "StepSizeError", "Stopped", "Sweep",
    "UnknownNameError", "UnsupportedError", "UsageError", "__version__", "check", "equilibrium", "eval", "evaluate", "example", "examples",
    "formulations", "gradient", "integrators", "linearize", "load", "load_robot", "loads", "options", "plot", "report", "run", "sweep", "verify",
]
