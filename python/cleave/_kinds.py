# SPDX-License-Identifier: Apache-2.0
"""Kinds of arguments: a wrong kind is a TypeError that names the argument and what is expected."""
from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray


def wrong(what: str, expected: str, value: object) -> TypeError:
    """The error of an argument `what` of another kind."""
    return TypeError(f"{what} must be {expected}, not {type(value).__name__}")


def mapping(value: Any, what: str, expected: str) -> Mapping[str, Any]:
    """A mapping whose keys are texts."""
    if not isinstance(value, Mapping):
        raise wrong(what, expected, value)
    for key in value:
        if not isinstance(key, str):
            raise wrong(f"a key of {what}", "text", key)
    return value


def function(value: Any, what: str) -> Any:
    """Something that can be called."""
    if not callable(value):
        raise wrong(what, "a function", value)
    return value


def text(value: Any, what: str) -> str:
    """A text."""
    if not isinstance(value, str):
        raise wrong(what, "text", value)
    return value


def number(value: Any, what: str) -> float:
    """A number; arrays of one number are taken."""
    try:
        if isinstance(value, (str, bytes)):
            raise TypeError
        return float(value.item() if isinstance(value, np.ndarray) and value.size == 1 else value)
    except (TypeError, ValueError):
        raise wrong(what, "a number", value) from None


def numbers(value: Any, what: str, shape: str = "") -> NDArray[np.float64]:
    """An array of numbers; `shape` is what the message adds, as "(n, 3)"."""
    try:
        if isinstance(value, (str, bytes)):
            raise TypeError
        return np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        kind = f"an array of numbers {shape}".rstrip()
        raise TypeError(f"{what} must be {kind}, not {value!r:.60}") from None


def wrench(value: Any, bodies: int | None = None) -> NDArray[np.float64] | None:
    """What a function returns for a body, (6,), or for all bodies, (bodies, 6); None: nothing."""
    if value is None:
        return None
    shape = (6,) if bodies is None else (bodies, 6)
    found = numbers(value, "the wrench", str(shape))
    if found.shape != shape and not (bodies == 1 and found.shape == (6,)):
        raise ValueError(f"the wrench must have the shape {shape}, not {found.shape}")
    return np.ascontiguousarray(found)


def names(value: Any, what: str) -> list[str]:
    """Several names: a list or another collection of texts, not one text."""
    if isinstance(value, (str, bytes)) or not isinstance(value, Iterable):
        raise wrong(what, "a list of names", value)
    return [text(name, f"each of {what}") for name in value]


def pair(value: Any, what: str, expected: str) -> tuple[Any, Any]:
    """Two things."""
    try:
        if isinstance(value, (str, bytes)):
            raise TypeError
        first, second = value
    except (TypeError, ValueError):
        raise TypeError(f"{what} must be {expected}, not {value!r:.60}") from None
    return first, second
