#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""run.py PACKAGE: the tests of the Python package in this folder; exit code 77 (skipped) where something is missing."""
import importlib.util
import os
import subprocess
import sys
from pathlib import Path

folder = Path(__file__).resolve().parent
missing = [name for name in ("numpy", "pytest") if not importlib.util.find_spec(name)]
if missing:
    print(f"python/tests skipped: {sys.executable} has no {' and no '.join(missing)}")
    sys.exit(77)
environment = {**os.environ, "PYTHONPATH": os.path.abspath(sys.argv[1]), "PYTHONDONTWRITEBYTECODE": "1"}
sys.exit(subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(folder), *sys.argv[2:]],
                        env=environment, check=False).returncode)
