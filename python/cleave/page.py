# SPDX-License-Identifier: Apache-2.0
"""The page of a run, as of ``cleave report``: a file for a browser, which notebooks show."""
from __future__ import annotations

import html
import os
import tempfile
from typing import TYPE_CHECKING

from . import _kinds, _process
from .errors import UsageError
from .model import Model
from .sim import Options
from .sweeps import _words

if TYPE_CHECKING:
    from typing_extensions import Unpack


class Page:
    """One HTML page that shows a run in three dimensions, with plots; it needs no network.  Notebooks show it."""

    def __init__(self, text: str) -> None:
        #: text of the HTML file
        self.html = text

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a new .html file; FileExistsError if there is one of that name."""
        with open(os.fsdecode(path), "x", encoding="utf-8") as out:
            out.write(self.html)

    def __repr__(self) -> str:
        return f"<cleave.Page: {len(self.html) / 1e6:.1f} MB>"

    def _repr_html_(self) -> str:
        """The page in a frame of its own: its scripts and styles do not meet those of the notebook."""
        return ('<iframe sandbox="allow-scripts allow-downloads" style="width: 100%; height: 600px; border: 0" '
                f'title="cleave" srcdoc="{html.escape(self.html)}"></iframe>')


def report(run: "Model | str | os.PathLike[str]", other: "str | os.PathLike[str] | None" = None, *,
           time: float | None = None, every: float | None = None, reactions: bool = False,
           **options: "Unpack[Options]") -> Page:
    """The page of a run file, or of a model, which is run first (docs/report.md).

    `run` is a run file, or a :class:`Model`, a model file or the name of an example; `other` is a second run file that
    is drawn over the first one.  `time`, `every` in s, `reactions`: with joint forces; `options` as of :class:`Sim`.
    It runs the command in a process of its own.  :class:`UsageError` where cleave was built without Node.js.

    >>> report("pendulum", time=0.5).save("pendulum.html")  # doctest: +SKIP
    """
    with tempfile.TemporaryDirectory() as folder:
        page = os.path.join(folder, "page.html")
        if isinstance(run, str | os.PathLike) and os.fsdecode(run).endswith(".cleave"):
            if options or time is not None or every is not None or reactions:
                raise UsageError("a run file has its time, frames and options already")
            words = ["report", os.fsdecode(run), *([os.fsdecode(other)] if other is not None else []), page]
        elif other is not None:
            raise UsageError("two runs over each other are two run files, of `cleave run MODEL --out RUN.cleave`")
        else:
            source = os.path.join(folder, "model.yaml") if isinstance(run, Model) else os.fsdecode(run)
            if isinstance(run, Model):
                run.save(source)
            words = ["run", f"--report={page}", f"--out={os.path.join(folder, 'run.cleave')}", *_words(options)]
            words += [f"--{name}={_kinds.number(value, name)!r}"
                      for name, value in (("time", time), ("every", every)) if value is not None]
            words += [*(["--reactions"] if reactions else []), "--", source]
        done = _process.run(words)
        if not os.path.exists(page):
            raise UsageError(done.stderr.strip() or f"cleave {words[0]} ended with code {done.returncode}")
        with open(page, encoding="utf-8") as text:
            return Page(text.read())
