# SPDX-License-Identifier: Apache-2.0
"""Runs and their results by name; run files."""
from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import _core, _kinds, _process
from .errors import CleaveError, Stopped, UsageError
from .model import Model, _source, loads
from .sim import Event, Options, Sim

if TYPE_CHECKING:
    from typing_extensions import Unpack

Numbers = NDArray[np.float64]


class Column(NamedTuple):
    """A column of results: a number or a small vector of one owner."""

    kind: str   #: run, body, marker, mode, joint
    owner: str  #: name of the body, joint, ...; "" of the run
    name: str   #: "crank.position"
    unit: str   #: "m"
    axes: str   #: "x y z"; "" for one number
    first: int  #: place in a frame
    width: int  #: numbers


class Picture:
    """An SVG picture; notebooks show it."""

    def __init__(self, svg: str) -> None:
        #: text of the SVG file
        self.svg = svg

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a new .svg file; FileExistsError if there is one of that name."""
        name = os.fsdecode(path)
        if os.path.splitext(name)[1].lower() != ".svg":
            raise UsageError(f"{name}: this picture is SVG, its name must end in .svg; the command "
                             "`cleave plot RUN.cleave NAME --out FILE.png` writes PNG and PDF")
        with open(name, "x", encoding="utf-8") as out:
            out.write(self.svg)

    def _repr_svg_(self) -> str:
        return self.svg


def _picture(words: Sequence[str]) -> Picture:
    """What ``cleave plot`` draws, in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "picture.svg")
        done = _process.run(["plot", *words, "--out", path])
        if done.returncode != 0:
            raise UsageError(done.stderr.strip().removeprefix("cleave plot: "))
        with open(path, encoding="utf-8") as source:
            return Picture(source.read())


def plot(model: "Model | str | os.PathLike[str]") -> Picture:
    """A picture of a mechanism at its start, loop joints marked.

    >>> plot("loader").svg.startswith("<svg")
    True
    """
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.yaml")
        _source(model).save(path)
        return _picture([path])


class Results(Mapping[str, Numbers]):
    """Numbers over time, by the column names of the command line.

    ``r["crank.position"]`` has the shape (times, 3), ``r["crank.position.x"]`` and ``r["L.effort"]`` (times,);
    ``r.time`` s.  They are views of `r.frames`, (times, width).
    """

    def __init__(self, columns: Sequence[Column], frames: Numbers, report: dict[str, Any]) -> None:
        self.columns = tuple(columns)
        self.frames = frames
        #: account of the run, as of :meth:`Sim.report`
        self.report = report
        #: what the events of the model have done; of :func:`run`
        self.model_events: dict[str, Event] = {}
        self._at: dict[str, tuple[int, int]] = {}
        for column in self.columns:
            self._at[column.name] = (column.first, column.width)

    def __getitem__(self, name: str) -> Numbers:
        first, count = self._place(name)
        return self.frames[:, first] if count == 1 else self.frames[:, first:first + count]

    def _place(self, name: str) -> tuple[int, int]:
        if _kinds.text(name, "the name of a column") in self._at:
            return self._at[name]
        owner, _, axis = name.rpartition(".")
        for column in self.columns:
            if column.name == owner and axis in column.axes.split():
                return column.first + column.axes.split().index(axis), 1
        some = ", ".join(column.name for column in self.columns[:12])
        raise KeyError(f"there is no column {name!r}; columns: {some}{', ...' if len(self.columns) > 12 else ''}")

    def __contains__(self, name: object) -> bool:
        try:
            self._place(str(name))
        except KeyError:
            return False
        return isinstance(name, str)

    def __iter__(self) -> Iterator[str]:
        return iter(self._at)

    def __len__(self) -> int:
        return len(self._at)

    @property
    def time(self) -> Numbers:
        """(times,) s."""
        return self["time"]

    def unit(self, name: str) -> str:
        """Unit of a column, as "m/s"."""
        first, _ = self._place(name)
        return next(c.unit for c in self.columns if c.first <= first < c.first + c.width)

    def _flat(self) -> list[tuple[str, int]]:
        """One name for every number of a frame."""
        flat = []
        for c in self.columns:
            axes = c.axes.split() or [""]
            flat += [(f"{c.name}.{axis}" if c.width > 1 else c.name, c.first + k)
                     for k, axis in zip(range(c.width), axes)]
        return flat

    def to_pandas(self) -> Any:
        """A pandas DataFrame, one column a number, with the time as its index; needs pandas."""
        import pandas
        names, places = zip(*self._flat())
        return pandas.DataFrame(self.frames[:, list(places)], columns=list(names)).set_index("time")

    def to_xarray(self) -> Any:
        """An xarray Dataset with the dimension time and one for the axes, units as attributes; needs xarray."""
        import xarray
        variables: dict[str, Any] = {}
        coordinates: dict[str, Any] = {"time": ("time", self.time, {"units": "s"})}
        for c in self.columns:
            if c.name == "time":
                continue
            if c.width == 1:
                variables[c.name] = ("time", self[c.name], {"units": c.unit})
            else:
                axis = "".join(c.axes.split())
                coordinates[axis] = (axis, c.axes.split())
                variables[c.name] = (("time", axis), self[c.name], {"units": c.unit})
        return xarray.Dataset(variables, coordinates)

    def to_csv(self, path: str | os.PathLike[str]) -> None:
        """Write a new CSV file as ``cleave run --out FILE.csv`` does; FileExistsError if the name is taken."""
        flat = self._flat()
        places = [place for _, place in flat]
        with open(os.fsdecode(path), "x", encoding="utf-8") as out:
            out.write(",".join(f"{name} [{self.unit(name)}]" for name, _ in flat) + "\n")
            for row in self.frames[:, places].tolist():
                out.write(",".join("" if x != x else repr(x) for x in row) + "\n")

    def plot(self, *names: str, x: str | None = None) -> "Picture":
        """Curves of columns (at most 8, two units) over the time or column `x`; shown by notebooks as it is."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "results.csv")
            self.to_csv(path)
            return _picture([path, *names, *([] if x is None else ["--x", x])])

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {len(self.columns)} columns, {len(self.frames)} times>"


_LARGEST = 20e9  # bytes of results in memory, as of --max-output


def _times(time: float, every: float) -> Iterator[float]:
    """Output times as those of ``cleave run``: 0, every, 2 every, ... and the end."""
    i, t = 1, 0.0
    yield t
    while t < time:
        t = time if i * every > time - 1e-9 * every else i * every
        i += 1
        yield t


def _inputs(inputs: Mapping[str, float] | None) -> Mapping[str, float]:
    return {} if inputs is None else _kinds.mapping(inputs, "inputs", "a mapping of names to values, as {'motor': 2.5}")


def _selection(columns: str | Sequence[str] | None) -> str | None:
    """The text of ``--columns``."""
    return columns if columns is None or isinstance(columns, str) else ",".join(_kinds.names(columns, "columns"))


def run(model: "Model | str | os.PathLike[str]", time: float | None = None, every: float | None = None, *,
        columns: str | Sequence[str] | None = None, reactions: bool = False,
        inputs: Mapping[str, float] | None = None, max_steps: float | None = None,
        **options: "Unpack[Options]") -> Results:
    """Simulate a model from its start; the numbers have the bits of ``cleave run``.

    `time` s: by default that of the model, else 10; `every` s: output interval, by default a hundredth.  `columns`:
    names and patterns as of ``--columns`` ("L.effort", "tip.*"), by default those of bodies, markers and energies,
    with `reactions` the forces of joints.  `inputs`: values from the start on.  `max_steps`: the run fails with
    `StepSizeError` after so many steps, rejected ones included, and after a million if there would be more at their pace.

    If the numbers fail on the way, the error has the results up to there as ``error.results``.  A run that an event
    ends has its last frame there.  Results have what the events of the model have done as ``r.model_events``.

    >>> r = run("pendulum", time=1, every=0.5)
    >>> r.time
    array([0. , 0.5, 1. ])
    >>> r["P.position"].shape
    (3, 3)
    """
    sim = Sim(_source(model), **options)
    duration = _kinds.number(time, "time") if time is not None else sim.model.time or 10.0
    interval = _kinds.number(every, "every") if every is not None else duration / 100
    if not (0 < duration < np.inf and 0 < interval < np.inf):
        raise UsageError(f"time is {duration:g} s and every {interval:g} s; both must be above 0")
    for name, value in _inputs(inputs).items():
        sim.input[name] = value
    if max_steps is not None:
        sim.set_max_steps(max_steps, duration)
    selection = _selection(columns)
    table, listed, width = _core.columns(sim.model._handle, selection, reactions)
    named = [Column(*row) for row in listed]
    size = duration / interval * (8 * width + 32)  # bytes: the numbers, and the list of times
    if size > _LARGEST:
        raise UsageError(f"an output every {interval:g} s is too often for {duration:g} s: {size / 1e9:.3g} GB of results; "
                         f"at most {_LARGEST / 1e9:g} GB are kept in memory, and a run file takes more")
    times = list(_times(duration, interval))
    frames = np.empty((len(times), width))
    for i, t in enumerate(times):
        try:
            sim.advance(t)
        except Stopped:
            if not sim.time > times[i - 1]:
                frames = frames[:i]
                break
            frames = frames[:i + 1]
        except CleaveError as error:
            error.results = Results(named, frames[:i], sim.report())
            raise
        _core.fill(table, sim, frames, i)
        if sim.stopped:
            break
    results = Results(named, frames, sim.report())
    results.model_events = {name: sim.event(name) for name in sim.model.events}
    return results


class Run(Results):
    """A run file, as ``cleave run --out FILE.cleave`` writes it.

    A run that is not finished is read up to its last committed frame.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        handle = _core.open_run(os.fsdecode(path))
        about = _core.run_about(handle)
        frames = np.empty((about["frames"], about["width"]))
        _core.run_read(handle, frames)
        known = Sim("pendulum").report()
        summary = {name: _core.run_summary(handle, name) for name in known}
        super().__init__([Column(*row) for row in about["columns"]], frames,
                         {name: value for name, value in summary.items() if value is not None})
        #: "ok", or why it ended; "unfinished"
        self.status: str = about["status"]
        #: file or example it was run from
        self.source: str = about["source"]
        #: s: end and output interval that were requested
        self.end: float = about["end"]
        self.every: float = about["every"]
        self.formulation: str = about["formulation"]
        #: (time s, kind, text)
        self.events: list[tuple[float, str, str]] = about["events"]
        self._text: str = about["text"]

    @property
    def model(self) -> Model:
        """The model of the run, read from the text in the file."""
        return loads(self._text)
