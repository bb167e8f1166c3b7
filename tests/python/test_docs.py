# SPDX-License-Identifier: Apache-2.0
"""Docstrings and docs/python.md: every example is run; types are checked."""
import doctest
import importlib.util
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import cleave
from conftest import ROOT, needs_expat

needs_scipy = pytest.mark.skipif(not importlib.util.find_spec("scipy"), reason="PyPI `scipy` is not installed")


@pytest.mark.parametrize("name", ["cleave", "cleave.model", "cleave.sim", "cleave.sensitivities", "cleave.results", "cleave.sweeps", "cleave.tools"])
def test_docstrings(name):
    module = importlib.import_module(name)
    found = doctest.testmod(module)
    assert found.failed == 0 and found.attempted > 0


def cleave_line(line, folder):
    """A line of a shell block: the program of the command line."""
    words = shlex.split(line)
    assert words[0] == "cleave", line
    done = subprocess.run([sys.executable, "-m", "cleave", *words[1:]], capture_output=True, text=True, check=False,
                          cwd=folder, timeout=300)
    assert done.returncode == 0, line + ": " + done.stderr


@pytest.mark.parametrize("page, least", [("python.md", 6), ("sweep.md", 1), pytest.param("tutorial-robot.md", 6, marks=needs_expat),
                                         pytest.param("tutorial-optimise.md", 2, marks=needs_scipy)])
def test_the_pages(page, least, tmp_path):
    """The Python blocks of a page are one program, in order; the lines of its shell blocks run before or after it."""
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```", text, flags=re.M | re.S)
    assert len(blocks) >= least
    for robot in (ROOT / "examples" / "robots").iterdir():
        shutil.copy(robot, tmp_path)
    program = tmp_path / "guide.py"
    program.write_text("\n".join(blocks), encoding="utf-8")
    first = text.index("```python")
    lines = [(block.start(), line) for block in re.finditer(r"^```sh\n(.*?)^```", text, flags=re.M | re.S)
             for line in block[1].splitlines()]
    for line in (line for at, line in lines if at < first):
        cleave_line(line, tmp_path)
    done = subprocess.run([sys.executable, str(program)], capture_output=True, text=True, check=False, timeout=300,
                          cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    shown = re.findall(r"^```text\n(.*?)^```", text, flags=re.M | re.S)
    assert shown and all(block in done.stdout for block in shown), done.stdout
    for line in (line for at, line in lines if at > first):
        cleave_line(line, tmp_path)


def test_everything_public_has_a_docstring():
    for name in cleave.__all__:
        item = getattr(cleave, name)
        if callable(item):
            assert item.__doc__, name
            for key, value in vars(item).items() if isinstance(item, type) else ():
                if not key.startswith("_") and (callable(value) or isinstance(value, property)):
                    assert value.__doc__, f"{name}.{key}"


@pytest.mark.skipif(not importlib.util.find_spec("mypy"), reason="mypy is not installed")
def test_types(tmp_path):
    """The package under mypy --strict, and a program that uses it rightly and wrongly."""
    package = Path(cleave.__file__).parent
    program = tmp_path / "use.py"
    program.write_text("import cleave\ns = cleave.Sim('loader', rtol=1e-8)\ns.input['x'] = 1.0\n"
                       "reveal_type(s.body('x').position.shape)\ncleave.Sim('loader', rtoll=1e-8)\ns.advance('1')\n")
    done = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--config-file", str(ROOT / "pyproject.toml"),
                           "--cache-dir", str(tmp_path), str(program), str(package)], capture_output=True, text=True,
                          check=False, env={"MYPYPATH": str(package.parent), "PATH": ""})
    errors = [line for line in done.stdout.splitlines() if ": error:" in line]
    assert len(errors) == 2 and all("use.py" in line for line in errors), done.stdout + done.stderr
    assert "rtoll" in errors[0] and "advance" in errors[1]
