# SPDX-License-Identifier: Apache-2.0
"""One exception class for every status of the C interface."""
from __future__ import annotations

import math
from typing import Any


class CleaveError(Exception):
    """Base class of all errors of the library.

    ``str(error)`` has place, reason and hint.  Attributes that do not apply are ``None``.
    """

    #: name of the status in ``cleave.h``
    status: str = ""
    #: message alone, and what to try
    message: str
    hint: str | None
    #: model file, line and column from 1, path inside the file as ``joints.a.axis``
    file: str | None
    line: int | None
    column: int | None
    path: str | None
    #: body, joint (also force, motion, coupling) concerned
    body: str | None
    joint: str | None
    #: simulated time (s), and the number that failed
    time: float | None
    value: float | None
    #: all errors of a model, in file order; this one is the first
    errors: tuple["CleaveError", ...]
    #: results up to the failure, of :func:`cleave.run`
    results: Any

    def __init__(self, message: str, **place: Any) -> None:
        super().__init__(message)
        self.message = message
        for name in ("hint", "file", "line", "column", "path", "body", "joint", "time", "value"):
            value = place.get(name)
            missing = value in ("", 0) and name not in ("time", "value")
            setattr(self, name, None if missing or (isinstance(value, float) and math.isnan(value)) else value)
        self.errors = (self,)
        self.results = None

    def __str__(self) -> str:
        place = ":".join(_printable(str(part)) for part in (self.file, self.line, self.column) if part is not None)
        text = ": ".join(part for part in (place, self.path, self.message) if part)
        if self.hint:
            text += f"\n  hint: {self.hint}"
        if len(self.errors) > 1:
            text += "".join(f"\n{error}" for error in self.errors[1:])
        return text

    def __reduce__(self) -> Any:
        return _restore, (type(self), self.message, {k: v for k, v in self.__dict__.items() if k != "errors"},
                          self.errors[1:])


def _printable(name: str) -> str:
    """The name of a file; bytes of it that are no UTF-8 cannot be printed."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _restore(kind: type[CleaveError], message: str, state: dict[str, Any],
             others: tuple[CleaveError, ...]) -> CleaveError:
    error = kind(message)
    error.__dict__.update(state)
    error.errors = (error, *others)
    return error


class UsageError(CleaveError, ValueError):
    """A call or an option is not valid."""

    status = "CLV_ERR_USAGE"


class UnknownNameError(UsageError, KeyError):
    """The model has nothing of that name.  As it is a ``KeyError``, too, ``name in sim.q`` and ``sim.q.get`` work."""


class ModelError(CleaveError):
    """The model is not valid."""

    status = "CLV_ERR_MODEL"


class UnsupportedError(CleaveError):
    """This case is not supported."""

    status = "CLV_ERR_UNSUPPORTED"


class FileSyntaxError(CleaveError):
    """A file is not well formed."""

    status = "CLV_ERR_SYNTAX"


class SingularError(CleaveError, ArithmeticError):
    """The equations of motion are singular."""

    status = "CLV_ERR_SINGULAR"


class NotFiniteError(CleaveError, ArithmeticError):
    """A number is not finite."""

    status = "CLV_ERR_NOT_FINITE"


class StepSizeError(CleaveError, ArithmeticError):
    """The step size became too small."""

    status = "CLV_ERR_STEP_SIZE"


class ConvergenceError(CleaveError, ArithmeticError):
    """An iteration did not converge."""

    status = "CLV_ERR_NO_CONVERGENCE"


class InconsistentError(CleaveError):
    """Constraints or start values contradict each other."""

    status = "CLV_ERR_INCONSISTENT"


class FileError(CleaveError, OSError):
    """A file could not be read or written."""

    status = "CLV_ERR_IO"


class Stopped(CleaveError):
    """An event of the model has ended the run: no failure, but time does not go on.  Views show the last state."""

    status = "CLV_STOPPED"


_CLASSES: dict[str, type[CleaveError]] = {
    kind.status: kind
    for kind in (UsageError, ModelError, UnsupportedError, FileSyntaxError, SingularError, NotFiniteError,
                 StepSizeError, ConvergenceError, InconsistentError, FileError, Stopped)
}  # CLV_ERR_MEMORY is MemoryError


def _make(records: list[tuple[str, dict[str, Any]]]) -> CleaveError:
    """The exception of error records of the extension; the first one carries the others."""
    errors = []
    for status, record in records:
        message = record.pop("message")
        errors.append(_CLASSES.get(status, CleaveError)(message, **record))
    errors[0].errors = tuple(errors)
    return errors[0]
