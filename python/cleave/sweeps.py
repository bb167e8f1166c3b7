# SPDX-License-Identifier: Apache-2.0
"""Many runs of one model with other numbers; sweep files."""
from __future__ import annotations

import csv
import json
import os
import sqlite3
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol
from urllib.parse import quote

import numpy as np
from numpy.typing import NDArray

from . import _kinds, _process
from .errors import CleaveError, FileError, UsageError, _make, _printable
from .model import Model
from .results import Numbers, _selection
from .sim import options as _options

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .sim import Options

#: a text as of ``--vary`` ("400..600 mm"), a range (low, high), or values one by one
Vary = str | tuple[float, float] | Sequence[float] | NDArray[np.float64]


class Executor(Protocol):
    """What :func:`sweep` needs of an executor: those of concurrent.futures and of Dask have it."""

    def submit(self, fn: Any, /, *args: Any) -> Any:
        """Calls fn(*args) somewhere; returns a future, whose result() waits for the value."""


class Statistics(NamedTuple):
    """Of one column over the runs that came to their end."""

    unit: str
    runs: int
    mean: float
    deviation: float
    least: float
    percent_5: float
    median: float
    percent_95: float
    largest: float
    varies_with: str    #: the varied number with the largest rank correlation; "" of none
    correlation: float  #: 1: the output only rises with it, -1: only falls


class Sweep(Mapping[str, Numbers]):
    """A sweep file, as ``cleave sweep --out FILE.sweep`` writes it (docs/sweep.md).

    ``s["d1.damping"]`` are the values of a varied number, ``s["tip.position.x"]``, ``s["tip.position.x.max"]``,
    ``s["steps"]`` the outputs, each of the shape (runs,).  NaN: the run failed, or has no row yet.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        name = os.fsdecode(path)
        try:
            with closing(sqlite3.connect(f"file:{quote(os.fsencode(name))}?mode=ro", uri=True)) as db:
                self._read(db)
        except (sqlite3.Error, TypeError, ValueError) as error:
            raise FileError(f"{_printable(name)} is not a readable sweep file: {error}") from None

    def _read(self, db: sqlite3.Connection) -> None:
        listed = db.execute("SELECT kind, name, unit FROM columns ORDER BY number").fetchall()
        #: how many runs the sweep has
        self.runs = int(db.execute("SELECT instances FROM sweep").fetchone()[0])
        #: names of the numbers that are varied
        self.varied: tuple[str, ...] = tuple(name for kind, name, _ in listed if kind == "value")
        #: unit by name; of a varied number "" where none was given
        self.units: dict[str, str] = {name: unit for _, name, unit in listed}
        #: (runs,) "CLV_OK", the code of a failure, or "" where there is no row yet
        self.status: list[str] = [""] * self.runs
        #: text of the failure, by number of the run
        self.errors: dict[int, str] = {}
        self._data: Numbers = np.full((len(listed), self.runs), np.nan)
        for run, status, error, _, *numbers in db.execute("SELECT * FROM runs"):
            self.status[run] = status
            if error is not None:
                self.errors[run] = error
            self._data[:, run] = [np.nan if x is None else x for x in numbers]
        self._at = {name: k for k, (_, name, _) in enumerate(listed)}
        #: by name; of the last time that the command ended
        self.statistics: dict[str, Statistics] = {
            name: Statistics._make(("" if k == 9 else np.nan) if x is None else x for k, x in enumerate(row))
            for name, *row in db.execute("SELECT * FROM statistics")}

    def __getitem__(self, name: str) -> Numbers:
        if name not in self._at:
            some = ", ".join(list(self._at)[:12])
            raise KeyError(f"there is no column {name!r}; columns: {some}{', ...' if len(self._at) > 12 else ''}")
        row: Numbers = self._data[self._at[name]]
        return row

    def __iter__(self) -> Iterator[str]:
        return iter(self._at)

    def __len__(self) -> int:
        return len(self._at)

    @property
    def failed(self) -> int:
        """How many runs failed."""
        return len(self.errors)

    def to_pandas(self) -> Any:
        """A pandas DataFrame, a row a run, with the number of the run as its index; needs pandas."""
        import pandas
        return pandas.DataFrame({"status": self.status, **self})

    def __repr__(self) -> str:
        return f"<Sweep: {self.runs} runs, {len(self.varied)} varied numbers, {self.failed} failed>"


def _text(name: str, values: Vary, sample: str) -> str:
    """The text of ``--vary``."""
    if isinstance(values, str):
        return f"{name}={values}"
    numbers = _kinds.numbers(values, f"values of {name}", "(n,)").ravel().tolist()
    if sample == "lhs" or (isinstance(values, tuple) and len(numbers) == 2):
        if len(numbers) != 2:
            raise UsageError(f"{name} has {len(numbers)} values; sample 'lhs' takes (low, high), the others any number")
        return f"{name}={numbers[0]!r}..{numbers[1]!r}"
    if len(numbers) == 1:
        return f"{name}={numbers[0]!r}..{numbers[0]!r}/1"
    return f"{name}={','.join(map(repr, numbers))}"


def _write_values(path: str, vary: Mapping[str, Vary]) -> None:
    columns: list[list[float]] = []
    for name, values in vary.items():
        if isinstance(values, str):
            raise UsageError(f"{name}: sample 'csv' takes numbers, one a run, not {values!r}")
        columns.append(_kinds.numbers(values, f"values of {name}", "(n,)").ravel().tolist())
    if len({len(column) for column in columns}) > 1:
        raise UsageError("sample 'csv' takes as many values of each number, one a run")
    with open(path, "w", encoding="utf-8", newline="") as out:
        rows = csv.writer(out)
        rows.writerow(vary)
        rows.writerows([repr(x) for x in row] for row in zip(*columns))


def _words(options: Mapping[str, Any]) -> list[str]:
    """Options of a simulation as words of the command line."""
    words = []
    known = _options()
    given = {name: value for name, value in options.items() if value is not None}
    baumgarte = [float(given.pop(f"baumgarte_{of}", 0.0)) for of in ("position", "velocity")]
    if any(baumgarte):
        words.append(f"--baumgarte={baumgarte[0]!r},{baumgarte[1]!r}")
    for name, value in given.items():
        if name not in known or name == "start_tolerance":
            raise TypeError(f"a sweep has no option {name}")
        if name in ("project", "regauge"):
            words += [] if value else [f"--no-{name}"]
        elif known[name].type == "bool":
            words += [f"--{name.replace('_', '-')}"] if value else []
        else:
            words.append(f"--{name.replace('_', '-')}={value}")
    return words


def _raise(code: int, out: str, told: str) -> None:
    try:
        error = json.loads(out)["error"]
    except (ValueError, KeyError):
        text = told.strip().removeprefix("cleave sweep: ") or f"cleave sweep ended with code {code}"
        raise (UsageError if code == 1 else CleaveError)(text) from None
    raise _make([(error.pop("code"), error)])


def _call(words: list[str]) -> tuple[int, str, str]:
    """`cleave sweep` in a process of its own, on the machine of a worker: exit code, output, errors."""
    done = _process.run(["sweep", *words])
    return done.returncode, done.stdout, done.stderr


def _is_done(code: int, out: str) -> bool:
    return code == 0 or (code == 3 and '"statistics"' in out and '"incomplete"' not in out)


_TRIES = 3  # of a part whose process is killed, or whose worker is lost


def _make_parts(words: dict[int, list[str]], executor: Executor, resume: bool) -> str:
    """Parts on the workers, each again where it is lost; why the last one was lost, or ""."""
    lost = ""
    for attempt in range(_TRIES):
        again = ["--resume"] if resume or attempt > 0 else []
        try:
            futures = {i: executor.submit(_call, again + words[i]) for i in words}
        except Exception as error:  # an executor whose processes have died takes nothing more
            return lost or repr(error)
        for i, future in futures.items():
            try:
                code, out, text = future.result()
            except Exception as error:  # of the executor: the worker is lost
                lost = repr(error)
                continue
            if code < 0:
                lost = f"its process was ended by signal {-code}"
            elif _is_done(code, out):
                del words[i]
            else:
                _raise(code, out, text)
        if not words:
            return ""
    return lost


def _share_out(words: list[str], path: str, shards: int, executor: Executor, resume: bool) -> None:
    """The sweep in parts, with files beside `path`; then one file, and the parts are removed."""
    stem = path.removesuffix(".sweep")
    files = {i: f"{stem}-{i}.sweep" for i in range(1, shards + 1)}
    there = os.path.exists(path)
    if there and not resume:
        raise UsageError(f"{path} exists; resume=True continues it, if it is of this sweep")
    known = [f"--merge={path}"] if there else []
    lost = _make_parts({i: [f"--out={file}", f"--shard={i}/{shards}", *known, *words] for i, file in files.items()},
                       executor, resume)
    code, out, text = _call(["merge", "--json", *(["--resume"] if there else []), "--", path, *files.values()])
    if '"incomplete"' in out:
        parts = [f"{p['shard']}/{shards} ({p['missing']} of {p['runs']} runs)" for p in json.loads(out)["parts"]]
        raise CleaveError(f"{path} lacks runs of the parts {', '.join(parts)}: {lost or 'lost'}; resume=True makes them")
    if not _is_done(code, out):
        _raise(code, out, text)
    for file in files.values():
        os.remove(file)


def sweep(model: "Model | str | os.PathLike[str]", vary: Mapping[str, Vary], *, runs: int | None = None,
          sample: str = "lhs", seed: int = 1, time: float | None = None, every: float | None = None,
          columns: str | Sequence[str] | None = None, parameters: Mapping[str, Any] | None = None,
          out: str | os.PathLike[str] | None = None, resume: bool = False, executor: "Executor | None" = None,
          shards: int | None = None, **options: "Unpack[Options]") -> Sweep:
    """Many runs of a model with other numbers, on all cores; a run has the bits of ``cleave run`` (docs/sweep.md).

    `vary`: by parameter or place ("d1.damping", "gravity[2]") a range (low, high), values, or a text with a unit
    ("400..600 mm").  `sample`: "lhs" takes `runs` runs in the ranges, "grid" all combinations of the values, "csv" the
    values one by one.  `parameters`: the same in all runs.  `columns`, `time`, `every`: as of :func:`run`.  `threads`:
    by default all cores.

    The results stay in the file `out`, if it is given; with `resume` only runs that have no row in it are made.
    With an `executor` (of concurrent.futures, Dask, Ray; docs/sweep.md) the runs are made in `shards` parts, one thread
    each by default.  A part whose process or worker is lost is made again; rows have the same bits.

    A :class:`Model` is given to the runs as its text, which has places but no parameters; a path keeps both.

    >>> s = sweep("pendulum", {"gravity[1]": (-10, -9)}, runs=3, time=0.5, columns="energy.kinetic")
    >>> s["energy.kinetic"].shape, s.failed
    ((3,), 0)
    """
    _kinds.mapping(vary, "vary", "a mapping of names to values, as {'d1.damping': (1, 6)}")
    given = {} if parameters is None else _kinds.mapping(parameters, "parameters", "a mapping of names to values")
    if executor is not None and not callable(getattr(executor, "submit", None)):
        raise _kinds.wrong("executor", "an executor with the function `submit`", executor)
    if shards is not None and not isinstance(shards, int):
        raise _kinds.wrong("shards", "a whole number", shards)
    if (executor is None) != (shards is None) or (shards is not None and shards < 1):
        raise UsageError("executor and shards are given together: shards is the number of parts, at least 1")
    if executor is not None:
        options = {"threads": 1, **options}
    # workers elsewhere see the folder of `out`, not that of this machine's temporary files
    near = os.path.dirname(os.path.abspath(out)) if executor is not None and out is not None else None
    with tempfile.TemporaryDirectory(dir=near) as folder:
        source = os.path.join(folder, "model.yaml") if isinstance(model, Model) else os.fsdecode(model)
        if executor is not None and os.path.exists(source):
            source = os.path.abspath(source)
        if isinstance(model, Model):
            with open(source, "w", encoding="utf-8") as file:
                file.write(model._text(source))
        path = os.path.join(folder, "results.sweep") if out is None else os.fsdecode(out)
        words = ["--json", f"--sample={sample}", f"--seed={seed}"]
        if sample == "csv":
            values = os.path.join(folder, "values.csv")
            _write_values(values, vary)
            words.append(f"--values={values}")
        else:
            words += [f"--vary={_text(name, values, sample)}" for name, values in vary.items()]
        selection = _selection(columns)
        for name, value in (("runs", runs), ("time", time), ("every", every), ("columns", selection)):
            words += [f"--{name}={value}"] if value is not None else []
        words += [*_words(options), "--", source]
        words += [f"{name}={value}" for name, value in given.items()]
        if executor is not None and shards is not None:
            path = os.path.abspath(path)
            _share_out(words, path, shards, executor, resume)
            return Sweep(path)
        code, told, text = _call([f"--out={path}", *(["--resume"] if resume else []), *words])
        if not _is_done(code, told):
            _raise(code, told, text)
        return Sweep(path)
