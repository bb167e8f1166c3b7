# SPDX-License-Identifier: Apache-2.0
"""Commands in a process of their own, by this package wherever this process has found it."""
import os
import subprocess
import sys
from collections.abc import Sequence

# The folder of the package comes last: it is needed where a program has put it on sys.path itself.
_START = "import sys; sys.path.append(sys.argv.pop(1)); from cleave.__main__ import main; sys.exit(main())"


def run(words: Sequence[str]) -> "subprocess.CompletedProcess[str]":
    """``cleave WORD ...``: exit code, output, errors."""
    folder = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    return subprocess.run([sys.executable, "-c", _START, folder, *words], capture_output=True, text=True,
                          encoding="utf-8", errors="replace", check=False)
