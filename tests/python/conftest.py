# SPDX-License-Identifier: Apache-2.0
"""Where the tests find models and the program of the command line."""
import subprocess
import sys
from pathlib import Path

import pytest

import cleave

ROOT = Path(__file__).resolve().parent.parent.parent

def _reads_urdf() -> bool:
    try:
        cleave.load(ROOT / "examples" / "robots" / "arm7.urdf")
    except cleave.CleaveError as error:
        if "without expat" in str(error):
            return False
        raise
    return True


needs_expat = pytest.mark.skipif(not _reads_urdf(), reason="built without expat: no URDF")

ARM = """\
cleave: 1
name: arm
gravity: [0, -9.81, 0]
parameters: {mass: 1 kg}
bodies:
  upper: {mass: mass, com: [0.5, 0, 0], inertia: [0.001, 0.0833, 0.0833]}
  lower: {mass: 0.5, com: [0.25, 0, 0], inertia: [0.001, 0.01, 0.01]}
joints:
  shoulder: {kind: revolute, between: [ground, upper], at: [0, 0, 0], axis: [0, 0, 1]}
  elbow: {kind: revolute, between: [upper, lower], at: [1, 0, 0], axis: [0, 0, 1]}
inputs:
  motor: {joint: shoulder, limit: 20}
markers:
  tip: {body: lower, position: [0.5, 0, 0]}
start:
  bodies: {upper: {position: [0, 0, 0]}, lower: {position: [1, 0, 0]}}
"""


@pytest.fixture
def arm() -> cleave.Model:
    """Two links in a plane, with a motor at the shoulder."""
    return cleave.loads(ARM)


@pytest.fixture
def command():
    """Runs the program ``cleave``; returns what it printed."""
    def run(*words: str, code: int = 0) -> str:
        done = subprocess.run([sys.executable, "-m", "cleave", *words], capture_output=True, text=True, check=False)
        assert done.returncode == code, done.stderr
        return done.stdout
    return run
